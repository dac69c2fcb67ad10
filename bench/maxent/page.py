"""The page of results: tables, ratios, and what was reached of what was aimed at."""

from common.measure import peer
from common.page import first_line, judged, number, seconds, spread, table, verdict
from common.page import machine as common_machine

# What was aimed at, against scikit-learn: how many times better. A set as small as a9a is over
# before two threads have done much.
FASTER, FASTER_SMALL, SMALLER, QUICKER = 10, 5, 2, 10
SMALL = ("a9a",)
AHEAD = 1  # of LIBLINEAR
SAME = 1e-5  # relative difference of objectives that counts as none

INTRODUCTION = """\
## MaxEnt

Written by `bench/maxent/run --write docs/benchmarks.md`; `bench/maxent/run --quick` shows the
smallest part of it in a minute.

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
resident size of the whole process. Each number is the median of its runs, with the least and the
greatest behind it; what takes less than 10 s was warmed up first and ran at least five times.
"""


def machine(program, python, script, liblinear, threads):
    """What ran where, as a list of lines."""
    lines = common_machine(program, threads)
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
    return lines


# Columns of the table: heading, key of the row, how to write it, whether a ratio says something.
COLUMNS = [
    ("train s", "train", spread, True),
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


def against_sklearn(own, their, aim):
    difference = own["objective"] / their["objective"] - 1
    lines = ["Against scikit-learn:", "",
             judged("objective relative to theirs", "%+.1e" % difference, "at most %+.0e" % SAME,
                    difference <= SAME),
             verdict("training faster than scikit-learn, whole process",
                     their["train"] / own["train"], aim)]
    if own["fit"]:
        lines.append(verdict("training faster than scikit-learn, fit alone",
                             their["fit"] / own["fit"], aim))
    return lines + [
        verdict("less memory in training than scikit-learn", their["peak"] / own["peak"], SMALLER),
        verdict("tagging faster than scikit-learn, whole process", their["tag"] / own["tag"],
                QUICKER),
        verdict("tagging faster than scikit-learn, not counting the start of Python",
                their["started"] / own["started"], QUICKER)]


def verdicts(result):
    rows, small = result["rows"], result["name"] in SMALL
    own, lines = rows["Caucus"], []
    if "scikit-learn" in rows:
        lines += against_sklearn(own, rows["scikit-learn"], FASTER_SMALL if small else FASTER)
    if "LIBLINEAR" in rows and not small:
        lines += ["", "Against LIBLINEAR:", "",
                  verdict("training faster than LIBLINEAR, whole process",
                          rows["LIBLINEAR"]["train"] / own["train"], AHEAD)]
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
                 ""]
        text += (table(result["rows"], COLUMNS) + [""] + verdicts(result) + [""]
                 + profile(result))
    return "\n".join(text) + "\n"
