"""Line figures, drawn by gnuplot as SVG files."""

import shutil
import subprocess

from common.measure import say

# Our lines are black and grey with filled marks, the others have colours and open marks.
OWN = ("#000000", "#888888", "#bbbbbb")
COLOURS = ("#c0392b", "#2e6da4", "#3a8f4d", "#8e5ea2", "#c47f17", "#555555")
MARKS = (4, 6, 8, 10, 12, 2)
TERMINAL = "set terminal svg size 720,460 font 'sans,12' background 'white'"


def style(i, own):
    """The style of line i of ours or of the others."""
    if own:
        return "lw 2.2 lc rgb '%s' pt %d ps 0.6" % (OWN[i % 3], (7, 5, 9)[i % 3])
    return "lw 1.6 lc rgb '%s' pt %d ps 0.7" % (COLOURS[i % 6], MARKS[i % 6])


def quote(text):
    return "'%s'" % text.replace("'", "''")


def draw(path, title, x, y, series, log_x=False, log_y=False, y_range=None):
    """Draws lines of points, {name: [(x, y), ...]}; ours have names that begin with Caucus. A line without
    points is not drawn but has its style reserved. Returns the path, or None if gnuplot is missing."""
    if not shutil.which("gnuplot"):
        say("gnuplot is not installed, so %s is not drawn" % path)
        return None
    script = [TERMINAL, "set output " + quote(path), "set title " + quote(title),
              "set key outside below horizontal spacing 1.1 height 1", "set grid lt 1 lc rgb '#dddddd'",
              "set border 3 lc rgb '#333333'", "set tics nomirror", "set xlabel %s offset 0,0.5" % quote(x),
              "set ylabel " + quote(y)]
    if log_x:
        at = [x for points in series.values() for x, _ in points]
        tics = [m * 10 ** e for e in range(-3, 5) for m in (1, 2, 5)]
        script += ["set logscale x 10", "set xrange [%g:%g]" % (min(at) / 1.2, 1.2 * max(at)),
                   "set xtics (%s)" % ", ".join("'%g' %g" % (x, x) for x in tics)]
    script += ["set logscale y 10", "set format y '10^{%T}'"] if log_y else []
    script += ["set yrange [%g:%g]" % y_range] if y_range else []
    plots, blocks, own, others = [], [], 0, 0
    for name, points in series.items():
        ours = name.startswith("Caucus")
        look = style(own if ours else others, ours)
        own, others = own + ours, others + (not ours)
        if not points:
            continue
        every = 1 + len(points) // 15  # few enough marks to see the lines
        plots.append("'-' using 1:2 with linespoints %s pi %d title %s" % (look, every, quote(name)))
        blocks += ["%.9g %.9g" % point for point in points] + ["e"]
    script += ["plot " + ", ".join(plots)] + blocks
    subprocess.run(["gnuplot"], input="\n".join(script + [""]).encode(), check=True)
    return path
