"""What is kept of the trainings of a part."""

from common.measure import median

LONG = 300  # seconds: a training that takes longer runs once
CLOSE = 1e-4  # objectives that differ by less, relative to the best, are as good


def first_at(history, wanted):
    """The second at which the objective was as low as wanted; None if it never was."""
    return next((when for when, objective in history or [] if objective <= wanted), None)


def rows_of(results, scores):
    """The medians of each tool, for a table. `near` is when it was within CLOSE of the best, `reach`
    when it was as low as the others end; both in seconds since the start of its process."""
    ends = {name: runs[-1]["objective"] for name, runs in results.items()
            if runs[-1].get("objective") is not None}
    best, rows = min(ends.values(), default=None), {}

    def when(runs, wanted):
        return None if wanted is None else median(
            [{"at": first_at(run.get("history"), wanted)} for run in runs], "at")

    for name, runs in results.items():
        last = runs[-1]
        rows[name] = {
            "train": median(runs, "wall"), "peak": median(runs, "peak"), "runs": len(runs),
            "near": when(runs, best and best * (1 + CLOSE)),
            "reach": when(runs, min((ends[o] for o in ends if o != name), default=None)),
            "iterations": last.get("iterations"), "passes": last.get("passes"),
            "pass": median([{"pass": run["fit"] / run["passes"]} for run in runs
                            if run.get("fit") and run.get("passes")], "pass"),
            "objective": last.get("objective"), "size": last["size"] / 1e6,
            "active": last.get("active"), "weights": last.get("weights"),
            "history": last.get("history"), "score": scores.get(name),
        }
    return rows
