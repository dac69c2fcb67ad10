"""Results of runs: F1 and accuracy of labels, and the row of a table for each tool."""

from common.measure import Failed, median

LONG = 300  # seconds; a longer training runs once
CLOSE = 1e-4  # objectives within this relative distance of the best are equally good


def first_at(history, wanted):
    """The time in seconds at which the objective first was at most `wanted`; None if it never was."""
    return next((when for when, objective in history or [] if objective <= wanted), None)


def rows_of(results, scores):
    """A row of medians for each tool. `near` is the time until the objective is within CLOSE of the best,
    `reach` the time until it is as low as the best of the others; both from the start of the process."""
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


def chunks(labels):
    """{(begin, end, type)} of one sentence. B begins a chunk, and so does I after O or another type. O, B and
    another type end it."""
    found, start, kind = set(), None, None
    for t, label in enumerate(labels + ["O"]):
        prefix, _, here = label.partition("-")
        if start is not None and (prefix != "I" or here != kind):
            found.add((start, t, kind))
            start = None
        if prefix in ("B", "I") and start is None:
            start, kind = t, here
    return found


def predictions(path):
    """[[label, ...], ...] of a tagged file: the label is the text after the last tab of a line."""
    tagged, sentence = [], []
    with open(path, encoding="utf-8", newline="\n") as lines:
        for line in lines:
            line = line.rstrip("\n")
            if line:
                sentence.append(line.rpartition("\t")[2])
            elif sentence:
                tagged.append(sentence)
                sentence = []
    if sentence:
        tagged.append(sentence)
    return tagged


def paired(gold, tagged):
    if [len(sentence) for sentence in gold] != [len(sentence) for sentence in tagged]:
        raise Failed("the tagged file does not have the sentences of the test data")
    return zip(gold, tagged)


def chunk_f1(gold, tagged):
    """Percent, over all chunks."""
    right = wanted = found = 0
    for ours, theirs in paired(gold, tagged):
        want, have = chunks(ours), chunks(theirs)
        right, wanted, found = right + len(want & have), wanted + len(want), found + len(have)
    return 200 * right / (wanted + found)


def accuracy(gold, tagged):
    """Percent, over all tokens."""
    pairs = [pair for ours, theirs in paired(gold, tagged) for pair in zip(ours, theirs)]
    return 100 * sum(a == b for a, b in pairs) / len(pairs)
