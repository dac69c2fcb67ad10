"""The figures beside the page: objective and F1 against time."""

import math

from common.plot import draw

LEAST = 1e-6  # a line ends where the distance is less
SHOWN = 4  # points of F1, from the best down


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


def draw_figures(found, stem):
    """Draws what part j measured; {"objective": path, "f1": path} of what was drawn. Objectives on
    items and by the template belong to different models, each with its own best."""
    lines = {}
    for kind in ("items", "template"):
        lines.update(distances({name: steps for name, steps in found["objectives"].items()
                                if len(steps) > 1 and name.endswith(kind)}))
    lines = {name: lines.get(name, []) for name in found["curves"]}  # the same looks in both
    best = max(f1 for points in found["curves"].values() for _, f1 in points)
    top = math.ceil(2 * best) / 2
    return {"objective": draw(stem + "-objective.svg", "CoNLL-2000: objective above the best", "seconds",
                              "relative distance to the best", lines, log_x=True, log_y=True,
                              y_range=(LEAST, 10)),
            "f1": draw(stem + "-f1.svg", "CoNLL-2000: F1 on the test data", "seconds", "F1",
                       found["curves"], log_x=True, y_range=(top - SHOWN, top))}
