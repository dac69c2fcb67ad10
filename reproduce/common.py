"""common.py - what the reproductions share: files, runs of Caucus, tables and figures.

    CAUCUS        the program; build/caucus otherwise
    CAUCUS_DATA   the folder of the corpora; ../shared/data otherwise
"""

import hashlib
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("CAUCUS") or os.path.join(ROOT, "build", "caucus")
DATA = os.environ.get("CAUCUS_DATA") or os.path.join(os.path.dirname(ROOT), "shared", "data")


def say(text):
    print(text, file=sys.stderr, flush=True)


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def caucus(*arguments, into=None):
    """Runs the program and returns its standard output, or writes it to the file `into`."""
    command = [PROGRAM, *map(str, arguments)]
    out = open(into, "wb") if into else subprocess.PIPE
    done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE)
    if into:
        out.close()
    if done.returncode:
        sys.exit("reproduce: %s\n%s" % (" ".join(command), done.stderr.decode()))
    return None if into else done.stdout.decode()


def p_value(x):
    return "< .001" if x < .001 else "%.3f" % x


def table(headings, rows):
    lines = ["| " + " | ".join(headings) + " |", "|---" * len(headings) + "|"]
    for row in rows:
        lines.append("| " + " | ".join("" if x is None else "%.2f" % x if isinstance(x, float) else str(x)
                                       for x in row) + " |")
    return "\n".join(lines)


stale = None  # a list: gnuplot() adds a complaint about a figure that it would have to draw, and draws nothing


def gnuplot(path, height, x, script):
    """Draws a figure of that height; x is the label of the axis. Returns the path. The last line of the figure is a
    checksum of its script and data, so that a figure is drawn only if these change."""
    script = "\n".join(["set terminal svg size 640,%d font 'sans,12' background 'white' noenhanced" % height,
                        "set key above", "set autoscale xfix", "set offsets graph .02, graph .02, 0, 0",
                        "set border 3 lc rgb '#333333'", "set tics nomirror",
                        "set xlabel '%s'" % x] + script)
    last = "<!-- made from %s -->\n" % hashlib.sha256(script.encode()).hexdigest()[:16]
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            if f.read().endswith(last):
                return path
    if stale is not None:
        stale.append("%s is not the figure of these results" % os.path.relpath(path, ROOT))
    elif shutil.which("gnuplot"):
        done = subprocess.run(["gnuplot"], input=script.encode(), stdout=subprocess.PIPE, check=True)
        write(path, done.stdout.decode() + last)
    else:
        say("gnuplot is not installed, so %s is not drawn" % path)
    return path


def draw(path, x, y, columns, rows, log_x=False):
    """A figure of lines, one for each column but the first. A value is a number, or (value, low, high) in all rows,
    which draws error bars. Returns the path."""
    marks = (7, 6, 5, 4, 9)
    script = ["set grid lc rgb '#dddddd'", "set ylabel '%s'" % y]
    if log_x:
        script.append("set logscale x 2")
    every = 1 + len(rows) // 15  # few enough marks to see the lines
    bars, bar_blocks, plots, blocks = [], [], [], []
    for i, name in enumerate(columns[1:]):
        colour = ("#000000", "#777777")[i % 2]
        plots.append("'-' using 1:2 with linespoints lw 2 lc rgb '%s' dt %d pt %d pi %d title '%s'"
                     % (colour, 1 + i // 2, marks[i % len(marks)], every, name))
        values = [row[i + 1] for row in rows]
        several = isinstance(values[0], (list, tuple))
        blocks += ["%s %s" % (row[0], value[0] if several else value) for row, value in zip(rows, values)] + ["e"]
        if several:  # below all lines
            bars.append("'-' using 1:2:(0):3 with vectors heads size graph .006,90 lw 1 lc rgb '%s' notitle" % colour)
            bar_blocks += ["%s %s %.6g" % (row[0], low, high - low)
                           for row, (_, low, high) in zip(rows, values)] + ["e"]
    plots, blocks = bars + plots, bar_blocks + blocks
    return gnuplot(path, 420, x, script + ["plot " + ", ".join(plots)] + blocks)


def dots(path, x, rows):
    """A figure with a line for each (title, values, published or None): the mean and the range of a list of values, or
    a tuple (value, low, high), and the published value. Returns the path."""
    rows = [(title, v if isinstance(v, tuple) else (sum(v) / len(v), min(v), max(v)), published)
            for title, v, published in rows]
    low, high = min(v[1] for _, v, _ in rows), max(max(v[2], published or v[2]) for _, v, published in rows)
    pad = max(.04 * (high - low), .1)
    names = ", ".join("'%s' %d" % (title.replace("'", "''"), -i) for i, (title, _, _) in enumerate(rows))
    script = ["set grid x lc rgb '#dddddd'", "set ytics (%s)" % names, "set xrange [%g:%g]" % (low - pad, high + pad),
              "set yrange [%g:.6]" % (.4 - len(rows))]
    plots = ["'-' using 1:2:3:4 with xerrorbars lw 2 pt 7 ps .6 lc rgb '#000000' title 'measured'"]
    blocks = ["%g %d %g %g" % (v[0], -i, v[1], v[2]) for i, (_, v, _) in enumerate(rows)] + ["e"]
    if any(published for _, _, published in rows):
        plots.append("'-' using 1:2 with points pt 4 lw 2 lc rgb '#777777' title 'published'")
        blocks += ["%g %d" % (published, -i) for i, (_, _, published) in enumerate(rows) if published] + ["e"]
    return gnuplot(path, 110 + 26 * len(rows), x, script + ["plot " + ", ".join(plots)] + blocks)


def figure(page, name):
    """The path of a figure beside the page."""
    return "%s-%s.svg" % (os.path.splitext(page)[0], name)


def shown(title, path):
    """The Markdown line of a figure, in a list; an empty list without a path."""
    return ["![%s](%s)" % (title, os.path.basename(path))] if path else []
