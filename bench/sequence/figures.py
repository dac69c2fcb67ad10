"""The figures beside the page: objective and F1 against time."""

import math
import os

from common.plot import draw

LEAST = 1e-6  # a line ends where the distance is less
SHOWN = 4  # points of F1, from the best down


def histories(results, part, kind):
    """{name: [(seconds, objective), ...]} of one problem: from the logs of the contest; of the dual
    solver, whose log is not exact, from the trainings for the curves of F1."""
    found = {}
    if results.get(part):
        for name, row in results[part]["rows"].items():
            found["%s, %s" % (name.split(" (")[0], kind)] = list(row.get("history") or [])
    if results.get("j"):
        points = results["j"]["curves"].get("Caucus dual, " + kind, [])
        ours = found.setdefault("Caucus, " + kind, [])
        ours += [(wall, objective) for wall, _, objective in points]
        ours.sort()
    return {name: steps for name, steps in found.items() if len(steps) > 1}


def distances(lines):
    """The same as distances to the best of them, relative; each down to LEAST."""
    best, found = min((value for steps in lines.values() for _, value in steps), default=None), {}
    for name, steps in lines.items():
        found[name] = []
        for when, objective in steps:
            found[name].append((when, max(objective / best - 1, LEAST)))
            if found[name][-1][1] == LEAST:
                break
    return found


def draw_figures(results, stem):
    """Draws what was measured; {"objective": path, "f1": path} of those that are there, from this run
    or an earlier one."""
    paths = {"objective": stem + "-objective.svg", "f1": stem + "-f1.svg"}
    lines = {}
    for part, kind in (("a", "items"), ("b", "template")):
        lines.update(distances(histories(results, part, kind)))
    if lines:
        draw(paths["objective"], "CoNLL-2000: objective above the best", "seconds",
             "relative distance to the best", lines, log_x=True, log_y=True, y_range=(LEAST, 10))
    if results.get("j"):
        curves = {name: [(wall, f1) for wall, f1, _ in points]
                  for name, points in results["j"]["curves"].items()}
        best = max(f1 for points in curves.values() for _, f1 in points)
        top = math.ceil(2 * best) / 2
        draw(paths["f1"], "CoNLL-2000: F1 on the test data", "seconds", "F1", curves, log_x=True,
             y_range=(top - SHOWN, top))
    return {name: path for name, path in paths.items() if os.path.exists(path)}
