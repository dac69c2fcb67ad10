"""common.py - what the reproductions share: the corpora, runs of the program, tables, pages.

    CAUCUS        the program; build/caucus otherwise
    CAUCUS_DATA   the folder of the corpora; ../shared/data beside the repository otherwise
"""

import json
import lzma
import os
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("CAUCUS") or os.path.join(ROOT, "build", "caucus")
DATA = os.environ.get("CAUCUS_DATA") or os.path.join(os.path.dirname(ROOT), "shared", "data")


def say(text):
    print(text, file=sys.stderr, flush=True)


def read(*path):
    """The text of a file of the corpora, packed or not."""
    name = os.path.join(DATA, *path)
    if os.path.exists(name + ".xz"):
        name += ".xz"
    if not os.path.exists(name):
        sys.exit("reproduce: there is no %s; set CAUCUS_DATA to the folder of the corpora" % name)
    with (lzma.open(name, "rt", encoding="utf-8") if name.endswith(".xz")
          else open(name, encoding="utf-8")) as f:
        return f.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def caucus(*arguments, into=None):
    """Runs the program; what it writes, or None where it goes to a file."""
    command = [PROGRAM, *map(str, arguments)]
    out = open(into, "wb") if into else subprocess.PIPE
    done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE)
    if into:
        out.close()
    if done.returncode:
        sys.exit("reproduce: %s\n%s" % (" ".join(command), done.stderr.decode()))
    return None if into else done.stdout.decode()


def train(name, model, data, *options):
    """Trains and tells how long it took; the info of the model."""
    begin = time.time()
    caucus("train", "-q", *options, "-o", model, data)
    info = json.loads(caucus("inspect", "--json", "--top", 1, model))["info"]
    say("%-28s %6.1f s  %s weights" % (name, time.time() - begin, info.get("nonzero", "")))
    return info


def score(model, data, tagged, *options):
    """Tags, and scores what it wrote to `tagged`: F1, precision and recall of chunks, in percent."""
    caucus("tag", "-q", "-m", model, *options, data, into=tagged)
    micro = json.loads(caucus("eval", "--json", tagged))["chunks"]["micro"]
    return {key: 100 * micro[key] for key in ("f1", "precision", "recall")}


def compare(first, second):
    """The tests of --against: second against first."""
    return json.loads(caucus("eval", "--json", "--against", second, first))["comparison"]["pairs"][0]


def p(x):
    return "< .001" if x < .001 else "%.3f" % x


def table(headings, rows):
    lines = ["| " + " | ".join(headings) + " |", "|---" * len(headings) + "|"]
    for row in rows:
        lines.append("| " + " | ".join("" if x is None else x if isinstance(x, str) else "%.2f" % x
                                       for x in row) + " |")
    return "\n".join(lines)


def draw(path, x, y, columns, rows, log_x=False):
    """A figure of lines, one for each column but the first, by gnuplot; None where it is missing."""
    if not shutil.which("gnuplot"):
        say("gnuplot is not installed, so %s is not drawn" % path)
        return None
    marks = (7, 6, 5, 4, 9)
    script = ["set terminal svg size 640,420 font 'sans,12' background 'white'",
              "set output '%s'" % path, "set key below", "set grid lc rgb '#dddddd'",
              "set border 3 lc rgb '#333333'", "set tics nomirror",
              "set xlabel '%s'" % x, "set ylabel '%s'" % y]
    if log_x:
        script.append("set logscale x 2")
    every = 1 + len(rows) // 15  # marks, so that they do not hide the lines
    script.append("plot " + ", ".join(
        "'-' using 1:2 with linespoints lw 2 lc rgb '%s' dt %d pt %d pi %d title '%s'"
        % (("#000000", "#777777")[i % 2], 1 + i // 2, marks[i % len(marks)], every, name)
        for i, name in enumerate(columns[1:])))
    for i in range(1, len(columns)):
        script += ["%s %s" % (row[0], row[i]) for row in rows] + ["e"]
    subprocess.run(["gnuplot"], input="\n".join(script).encode(), check=True)
    return path


def dots(path, x, rows):
    """A figure of spread: for each (title, values, published or None) of rows the values as points, a
    line between the least and the greatest, and the published value; None where gnuplot is missing."""
    if not shutil.which("gnuplot"):
        say("gnuplot is not installed, so %s is not drawn" % path)
        return None
    low = min(min(values) for _, values, _ in rows)
    high = max(max(list(values) + [p for p in [published] if p]) for _, values, published in rows)
    pad = max(.04 * (high - low), .1)
    names = ", ".join("'%s' %d" % (title.replace("'", "''"), -i) for i, (title, _, _) in enumerate(rows))
    script = ["set terminal svg size 640,%d font 'sans,12' background 'white'" % (110 + 26 * len(rows)),
              "set output '%s'" % path, "set key below", "set grid x lc rgb '#dddddd'",
              "set border 3 lc rgb '#333333'", "set tics nomirror", "set xlabel '%s'" % x,
              "set ytics (%s)" % names, "set xrange [%g:%g]" % (low - pad, high + pad),
              "set yrange [%g:.6]" % (.4 - len(rows))]
    plots = ["'-' using 1:2:3:4 with xerrorbars lw 2 pt 7 ps .6 lc rgb '#000000' title 'measured'"]
    blocks = [["%g %d %g %g" % (sum(v) / len(v), -i, min(v), max(v))
               for i, (_, v, _) in enumerate(rows)] + ["e"]]
    if any(published for _, _, published in rows):
        plots.append("'-' using 1:2 with points pt 4 lw 2 lc rgb '#777777' title 'published'")
        blocks.append(["%g %d" % (published, -i) for i, (_, _, published) in enumerate(rows)
                       if published] + ["e"])
    script.append("plot " + ", ".join(plots))
    for block in blocks:
        script += block
    subprocess.run(["gnuplot"], input="\n".join(script).encode(), check=True)
    return path


def save(path, opening, parts):
    """Writes a page: the opening, then sections that begin with "## ". Sections that an earlier run
    wrote, and that are not among the parts, stay where they are."""
    sections = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            for section in f.read().split("\n## ")[1:]:
                sections[section.split("\n", 1)[0]] = "## " + section.strip()
    for part in parts:
        sections[part.split("\n", 1)[0][3:]] = part.strip()
    write(path, "\n\n".join([opening] + list(sections.values())) + "\n")


# Lists of names by what they name. Not among them: the lists that were made of the training data of
# CoNLL-2003, and those of common words.
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
    """The lists as files: [(name, path)]."""
    return [(name, write(os.path.join(folder, name + ".txt"),
                         "".join(read("gazetteers", part + ".txt") for part in parts.split())))
            for name, parts in LISTS.items()]
