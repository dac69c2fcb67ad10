"""The part of the page about MaxEnt: tables, ratios, verdicts."""

from common.measure import peer
from common.page import first_line, judged, number, seconds, spread, table, verdict
from common.page import machine as common_machine

# The aims against scikit-learn: how many times better. A set as small as a9a has little work for two
# threads.
FASTER, FASTER_SMALL, SMALLER, QUICKER = 10, 5, 2, 10
SMALL = ("a9a",)
AHEAD = 1  # of LIBLINEAR
SAME = 1e-5  # objectives with a smaller relative difference are equal

INTRODUCTION = """\
## MaxEnt

Written by `bench/maxent/run --write docs/benchmarks.md`; `bench/maxent/run --quick` runs the smallest data
set in a minute.

All tools train the same model, without an intercept, on the objective

    sum of -log p(y|x)  +  ||w||^2

which is `--no-bias --l2 2` for Caucus (with `--delta 1e-7`, to converge as far) and `C=0.5` for scikit-learn
(`LogisticRegression`, `multi_class="multinomial"`, `solver="lbfgs"`, `fit_intercept=False`, default tolerance,
at most 5000 iterations, so that it converges). LIBLINEAR (`-s 0`, default tolerance) is **one-versus-rest**:
for more than two classes it solves another, easier problem, each class against all others with `-c 0.5`, and
its objective is not comparable. For two classes it has one weight vector where the others have two; `-c 1`
makes it the same problem.

The same lines of NumPy compute the objectives from the weights of both models. *Train* is the whole process,
from text file to saved model. *Fit* is training alone, without reading the data; it includes saving the model
for Caucus, but not for scikit-learn. *Tag* is the whole process, from text file to labels. *Tag, started* is
without the start of Python and its imports. *predict()* is the call alone, on a matrix in memory, which has no
counterpart in a program that reads text. Memory is the largest resident size of the whole process. Each number
is the median of its runs, followed by the least and the greatest; a run of less than 10 s is preceded by a
warm-up run and repeated at least five times.
"""


def machine(program, python, script, liblinear, threads):
    """Lines about the machine and the tools."""
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
                     + ", single-threaded")
    return lines


# Columns of the table: heading, key, function that formats the value, whether to show the ratio.
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
        verdict("tagging faster than scikit-learn, without the start of Python",
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
        lines.append("Of the %s s of Caucus' training, %s s are reading."
                     % (seconds(own["train"]), seconds(own["train"] - own["fit"])))
    for command, rows in result["profile"].items():
        lines.append("Processor time of `%s`: %s."
                     % (command, ", ".join("%.0f%% `%s`" % (share, where) for where, share in rows)))
    return lines


def render(lines, results, missing, limit):
    text = [INTRODUCTION]
    text += ["- " + line for line in lines]
    text += ["- not installed, left out: " + name for name in missing]
    text.append("- a training of more than %d s was not repeated" % limit)
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
