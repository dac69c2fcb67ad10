"""check_study.py TABLE JSON - whether the two reports of a study agree with each other and in themselves.

Means and standard errors must follow from the single runs, and the table must show the numbers of the JSON.
Prints how many rows it compared; the first disagreement ends it.
"""

import json
import math
import sys


def cells_of(name, lines):
    """The cells that follow the name of a row."""
    for line in lines:
        line = line.lstrip("* ")
        if line.startswith(name + " "):
            return line[len(name):].split()
    return sys.exit("the table has no row %s" % name)


def require(what, got, wanted, tolerance=1e-8):
    if abs(got - wanted) > tolerance * max(1, abs(wanted)):
        sys.exit("%s: %s instead of %s" % (what, got, wanted))


def check_runs(name, part, measure):
    """The mean and its standard error, from the runs of a setting or a size."""
    values = [run[measure] for run in part["each"] if not run["missing"]]
    require(name + ": runs", len(values), part["runs"])
    mean = sum(values) / len(values)
    require("%s: mean %s" % (name, measure), part[measure]["mean"], mean)
    if len(values) > 1:
        error = math.sqrt(sum((x - mean) ** 2 for x in values) / (len(values) - 1) / len(values))
        require("%s: standard error of %s" % (name, measure), part[measure]["standard_error"], error, 1e-6)


def check_row(lines, name, *values):
    """The row has these numbers, next to each other and rounded to four digits."""
    cells = cells_of(name, lines)
    for i in range(len(cells) - len(values) + 1):
        if all("." in cell and abs(float(cell) - value) < 5.1e-5
               for cell, value in zip(cells[i:], values)):
            return
    sys.exit("%s: %s is not in the table, which has %s" % (name, values, cells))


def main(table, report):
    with open(table, encoding="utf-8") as lines:
        lines = lines.readlines()
    with open(report, encoding="utf-8") as text:
        report = json.load(text)
    parts = report.get("settings") or report["sizes"]
    shown = 0
    for part in parts:
        name = part.get("setting")
        if name is None:
            name = "1/%d" % 2 ** part["halvings"] if part["halvings"] else "all"
        measures = ["accuracy"] if part["score"] == part["accuracy"] else ["score", "accuracy"]
        for run in part["each"]:
            require(name + ": accuracy of a run", run["accuracy"], run["right"] / run["counted"])
        right, counted = (sum(run[key] for run in part["each"]) for key in ("right", "counted"))
        require(name + ": pooled accuracy", part["accuracy"]["pooled"], right / counted)
        for measure in measures:
            check_runs(name, part, measure)
        if report["study"] == "folds":
            for run in part["each"]:
                check_row(lines, "fold %d" % run["fold"], *(run[measure] for measure in measures))
            for row, key in (("mean", "mean"), ("std. error", "standard_error"), ("pooled", "pooled")):
                check_row(lines, row, *(part[measure][key] for measure in measures))
            held_out = sum(run["held_out"]["units"] for run in part["each"])
            require("units held out", held_out, report["units"])
            shown += len(part["each"]) + 3
        else:
            keys = ("mean", "standard_error") if len(part["each"]) > 1 else ("mean",)
            check_row(lines, name, *(part[measure][key] for measure in measures for key in keys))
            shown += 1
    if "best" in report:
        means = [part["score"]["mean"] for part in parts]
        require("the best", means[report["best"]["index"]], max(means), 0)
    print(shown, "rows agree")


main(*sys.argv[1:])
