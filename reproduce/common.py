"""common.py - what the reproductions share: the command line, corpora, runs of Caucus, tables, figures, pages.

    CAUCUS        the program; build/caucus otherwise
    CAUCUS_DATA   the folder of the corpora; ../shared/data otherwise
"""

import argparse
import hashlib
import json
import lzma
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("CAUCUS") or os.path.join(ROOT, "build", "caucus")
DATA = os.environ.get("CAUCUS_DATA") or os.path.join(os.path.dirname(ROOT), "shared", "data")


def say(text):
    print(text, file=sys.stderr, flush=True)


def read(*path):
    """The text of a file of the corpora, compressed or not."""
    name = os.path.join(DATA, *path)
    if os.path.exists(name + ".xz"):
        name += ".xz"
    if not os.path.exists(name):
        sys.exit("reproduce: no file %s; set CAUCUS_DATA to the folder of the corpora" % name)
    with (lzma.open(name, "rt", encoding="utf-8") if name.endswith(".xz")
          else open(name, encoding="utf-8")) as f:
        return f.read()


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


def train(name, model, data, *options):
    """Trains, prints the time, and returns the info of the model."""
    begin = time.time()
    caucus("train", "-q", *options, "-o", model, data)
    info = json.loads(caucus("inspect", "--json", "--top", 1, model))["info"]
    say("%-28s %6.1f s  %s weights" % (name, time.time() - begin, info.get("nonzero", "")))
    return info


def score(model, data, tagged, *options):
    """Tags into the file `tagged`; F1, precision and recall of its chunks, in percent."""
    caucus("tag", "-q", "-m", model, *options, data, into=tagged)
    micro = json.loads(caucus("eval", "--json", tagged))["chunks"]["micro"]
    return {key: 100 * micro[key] for key in ("f1", "precision", "recall")}


def compare(first, second):
    """The significance tests of `second` against `first`."""
    return json.loads(caucus("eval", "--json", "--against", second, first))["comparison"]["pairs"][0]


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
    script = "\n".join(["set terminal svg size 640,%d font 'sans,12' background 'white'" % height,
                        "set key below", "set border 3 lc rgb '#333333'", "set tics nomirror",
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
    plots, blocks = [], []
    for i, name in enumerate(columns[1:]):
        style = "lw 2 lc rgb '%s' dt %d pt %d" % (("#000000", "#777777")[i % 2], 1 + i // 2, marks[i % len(marks)])
        plots.append("'-' using 1:2 with linespoints %s pi %d title '%s'" % (style, every, name))
        values = [row[i + 1] for row in rows]
        bars = isinstance(values[0], (list, tuple))
        blocks += ["%s %s" % (row[0], value[0] if bars else value) for row, value in zip(rows, values)] + ["e"]
        if bars:
            plots.append("'-' using 1:2:3:4 with yerrorbars lw 1 lc rgb '%s' pt -1 notitle"
                         % ("#000000", "#777777")[i % 2])
            blocks += ["%s %s %s %s" % (row[0], *value) for row, value in zip(rows, values)] + ["e"]
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


def save(path, opening, section):
    """Writes a section, which begins with "## ", to a page: replaces the section of the same title, or adds it
    at the end. The page begins with the opening."""
    sections = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            for text in f.read().split("\n## ")[1:]:
                sections[text.split("\n", 1)[0]] = "## " + text.strip()
    sections[section.split("\n", 1)[0][3:]] = section.strip()
    write(path, "\n\n".join([opening] + list(sections.values())) + "\n")


def figure(page, name):
    """The path of a figure beside the page."""
    return "%s-%s.svg" % (os.path.splitext(page)[0], name)


def shown(title, path):
    """The Markdown line of a figure, in a list; an empty list without a path."""
    return ["![%s](%s)" % (title, os.path.basename(path))] if path else []


def reproduce(doc, opening, parts, quick, **integers):
    """The command line of a reproduction. Each part is a function of a folder for its files and the options,
    and returns a section. `quick` is the help of --quick; integers are more options, name=(default, help)."""
    arguments = argparse.ArgumentParser(description=doc,
                                        formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--quick", action="store_true", help=quick)
    arguments.add_argument("--only", default=",".join(parts), help="some of " + ",".join(parts))
    arguments.add_argument("--write", metavar="PAGE", help="also write the sections to this page")
    for name, (default, text) in integers.items():
        arguments.add_argument("--" + name, type=int, default=default, help=text)
    options = arguments.parse_args()
    names = options.only.split(",")
    for name in names:
        if name not in parts:
            arguments.error("no part '%s'; there are %s" % (name, ", ".join(parts)))
    with tempfile.TemporaryDirectory(prefix="caucus-reproduce.") as folder:
        for name in names:
            section = parts[name](folder, options)
            print(section + "\n")
            if options.write:
                save(options.write, opening, section)


# Lists of names by kind, without the lists that were made from the training data of CoNLL-2003 and those of common
# words.
LISTS = {
    "first": "names-female names-male ufal-first_names fb-firstname.5k",
    "last": "ufal-last_names fb-lastname.5000 fb-people.family_name",
    "people": "fb-government.politician fb-sports.pro_athlete",
    "cities": "ufal-cities nltk-uscities ufal-airports",
    "regions": "nltk-usstates nltk-usstateabbrev nltk-caprovinces nltk-mexstates",
    "countries": "ufal-countries nltk-countries nltk-isocountries fb-location.country",
    "nationalities": "nltk-nationalities",
    "companies": "ufal-companies ufal-companies_us_wiki fb-business.consumer_company "
                 "fb-business.sponsor fb-venture_capital.venture_funded_company",
    "teams": "fb-sports.sports_team fb-sports.sports_league",
    "bodies": "fb-education.university fb-government.government_agency fb-book.newspaper "
              "fb-broadcast.tv_channel fb-tv.tv_network",
    "things": "fb-product fb-business.brand fb-business.consumer_product fb-automotive.make "
              "fb-automotive.model fb-cvg.cvg_developer",
    "times": "ufal-days ufal-months fb-time.holiday",
    "other": "fb-award.award fb-base.events.festival_series fb-venues fb-transportation.road "
             "fb-architecture.museum fb-internet.website",
}


def gazetteers(folder):
    """Writes the lists as files: [(name, path), ...]."""
    return [(name, write(os.path.join(folder, name + ".txt"),
                         "".join(read("gazetteers", part + ".txt") for part in parts.split())))
            for name, parts in LISTS.items()]
