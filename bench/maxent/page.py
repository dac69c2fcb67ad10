"""The page of results: tables, ratios, and what was reached of what was aimed at."""

import os
import re
import subprocess

from measure import peer

# What was aimed at, against scikit-learn: how many times better.
FASTER, SMALLER, QUICKER = 5, 2, 10
SAME = 1e-5  # relative difference of objectives that counts as none

INTRODUCTION = """\
# Benchmarks

Everything on this page is written by one command, `bench/maxent/run --write docs/benchmarks.md`;
`bench/maxent/run --quick` shows the smallest part of it in a minute. Seconds belong to one
machine; the ratios, taken in one run in which the tools take turns, are what to compare.

## MaxEnt

The same model for all: no default weights, and the objective

    sum of -log p(y|x)  +  ||w||^2

which is `--no-bias --l2 2` for Caucus (and `--delta 1e-7`, so that it converges as far) and `C=0.5` for scikit-learn (`LogisticRegression`,
`multi_class="multinomial"`, `solver="lbfgs"`, `fit_intercept=False`, tolerance as it comes,
5000 iterations allowed so that it converges). LIBLINEAR (`-s 0`, tolerance as it comes) is
**one-versus-rest**: for more than two classes it solves another, easier problem, each class
alone against all others with `-c 0.5`, and its objective cannot be compared. For two classes it
has one weight vector where the others have two; `-c 1` makes it the same problem.

Objectives are computed from the weights of both models by the same few lines of NumPy, so that
nobody's own number is trusted. *Train* is the whole process, from text file to saved model;
*fit* is training alone: without reading the data (for Caucus with saving the model, for
scikit-learn without). *Tag* is the whole process from text file to labels; *tag, started* leaves
out the start of Python and its imports; *predict()* is the call alone, on a matrix that is in
memory already, which a program that reads text has no counterpart to. Memory is the largest
resident size of the whole process. Each number is the median of its runs.
"""


def first_line(command):
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return None
    lines = (said.stdout or said.stderr).splitlines()
    return lines[0].strip() if lines else None


def compiler(program):
    """The compiler that made the program, from CMake's notes beside it."""
    try:
        with open(os.path.join(os.path.dirname(program), "CMakeCache.txt"), encoding="utf-8") as f:
            found = re.search("^CMAKE_C_COMPILER:[A-Z]+=(.*)$", f.read(), re.M)
    except OSError:
        found = None
    return first_line([found.group(1), "--version"]) if found else None


def machine(program, python, script, liblinear, threads):
    """What ran where, as a list of lines."""
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        model = re.search("^model name\\s*:\\s*(.*)$", f.read(), re.M)
    with open("/proc/meminfo", encoding="utf-8") as f:
        memory = int(re.search("^MemTotal:\\s*(\\d+)", f.read(), re.M).group(1)) / (1 << 20)
    lines = ["%s, %d cores, %.0f GiB; %d threads for all that have threads"
             % (model.group(1) if model else os.uname().machine, os.cpu_count(), memory, threads),
             first_line([program, "--version"]) or "Caucus"]
    if compiler(program):
        lines[1] += ", built by " + compiler(program)
    if python:
        said = peer(python, script, threads, "versions")["said"]
        imported = peer(python, script, threads, "import")
        lines.append(", ".join("%s %s" % pair for pair in said.items())
                     + "; importing them alone takes %.1f s and %.0f MB"
                     % (imported["wall"], imported["peak"]))
    if liblinear:
        version = first_line(["dpkg-query", "-W", "-f", "${Version}\n", "liblinear-tools"])
        lines.append("LIBLINEAR " + (version or "of unknown version")
                     + ", which has no threads")
    load = os.getloadavg()[0]
    if load > 0.5:
        lines.append("**the machine was not idle**: load %.1f before the start" % load)
    return lines


def number(x, form="%.2f"):
    return "" if x is None else form % x


def seconds(x):
    return number(x, "%.1f" if x and x >= 100 else "%.2f" if x and x >= 1 else "%.3f")


# Columns of the table: heading, key of the row, how to write it, whether a ratio says something.
COLUMNS = [
    ("train s", "train", seconds, True),
    ("fit s", "fit", seconds, True),
    ("peak MB", "peak", lambda x: number(x, "%.0f"), True),
    ("iterations", "iterations", lambda x: number(x, "%d"), False),
    ("objective", "objective", lambda x: number(x, "%.3f"), False),
    ("test accuracy", "accuracy", lambda x: number(x, "%.4f"), False),
    ("tag s", "tag", seconds, True),
    ("tag, started s", "started", seconds, True),
    ("predict() s", "call", seconds, False),
    ("tag peak MB", "tag_peak", lambda x: number(x, "%.0f"), True),
    ("trainings", "runs", lambda x: number(x, "%d"), False),
]


def table(result):
    """The tools as rows, and below them how many times as much as Caucus each of them took."""
    rows, own = result["rows"], result["rows"]["Caucus"]
    lines = ["| | " + " | ".join(column[0] for column in COLUMNS) + " |",
             "|---" * (len(COLUMNS) + 1) + "|"]
    for name, row in rows.items():
        lines.append("| %s | " % name
                     + " | ".join(form(row[key]) for _, key, form, _ in COLUMNS) + " |")
    for name, row in rows.items():
        if name == "Caucus":
            continue
        ratios = ["%.1f" % (row[key] / own[key]) if compared and row[key] and own[key] else ""
                  for _, key, _, compared in COLUMNS]
        lines.append("| *%s / Caucus* | " % name
                     + " | ".join("*%s*" % r if r else "" for r in ratios) + " |")
    return lines


def verdict(what, have, want):
    """One line: how many times better, and whether that is enough."""
    if have >= want:
        return "- %s: %.1f times, aim %g: reached" % (what, have, want)
    return ("- %s: %.1f times, aim %g: **missed by a factor of %.2f**"
            % (what, have, want, want / have))


def verdicts(result):
    own, their = result["rows"]["Caucus"], result["rows"].get("scikit-learn")
    if not their:
        return []
    difference = own["objective"] / their["objective"] - 1
    lines = ["Against scikit-learn:", "",
             "- objective: %+.1e relative to theirs, at most %+.0e allowed: %s"
             % (difference, SAME, "reached" if difference <= SAME
                else "**missed by %.1e**" % (difference - SAME)),
             verdict("training faster, whole process", their["train"] / own["train"], FASTER)]
    if own["fit"]:
        lines.append(verdict("training faster, fit alone", their["fit"] / own["fit"], FASTER))
    lines += [verdict("less memory in training", their["peak"] / own["peak"], SMALLER),
              verdict("tagging faster, whole process", their["tag"] / own["tag"], QUICKER),
              verdict("tagging faster, not counting the start of Python",
                      their["started"] / own["started"], QUICKER)]
    return lines


def profile(result):
    lines = []
    own = result["rows"]["Caucus"]
    if own["fit"]:
        lines.append("Of the %s s that Caucus trains, %s s are reading."
                     % (seconds(own["train"]), seconds(own["train"] - own["fit"])))
    for verb, rows in result["profile"].items():
        lines.append("Processor time of `%s`: %s."
                     % (verb, ", ".join("%.0f%% `%s`" % (share, where) for where, share in rows)))
    return lines


def render(lines, results, missing, threads, limit):
    text = [INTRODUCTION]
    text += ["- " + line for line in lines]
    text += ["- not here, left out: " + name for name in missing]
    text.append("- a training that took more than %d s was not repeated" % limit)
    for result in results:
        c = result["counts"]
        text += ["", "### " + result["name"], "",
                 "%s instances, %s for testing; %s features, %.1f an instance; %d classes."
                 % (format(c["instances"], ","), format(c["test"], ","),
                    format(c["features"], ","), c["nonzeros"] / c["instances"], c["classes"]),
                 ""] + table(result) + [""] + verdicts(result) + [""] + profile(result)
    return "\n".join(text) + "\n"
