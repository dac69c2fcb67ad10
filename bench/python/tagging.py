"""tagging sequences of ten tokens in memory, against python-crfsuite"""

from common.measure import median, peer
from common.page import table, verdict

TOKENS, QUICK_TOKENS = 100000, 20000
ROUNDS, QUICK_ROUNDS = 100, 30
DICTS_AIM, ROWS_AIM = 5, 10  # times as fast as python-crfsuite


def microseconds(x):
    return "" if x is None else "%.1f (%.1f-%.1f)" % (1e6 * x, 1e6 * x.low, 1e6 * x.high)


def middle(values):
    """The values without the fastest and the slowest quarter: other work of the machine shows in few rounds."""
    values = sorted(values)
    return values[len(values) // 4:len(values) - len(values) // 4]


def measure(bench):
    tokens, rounds = (QUICK_TOKENS, QUICK_ROUNDS) if bench.quick else (TOKENS, ROUNDS)
    said = peer(bench.python, bench.script("label.py"), 1, bench.data, tokens, rounds,
                bench.path("peer.model"))["said"]
    rows = {tool: {job: median([{"t": t} for t in middle(times)], "t")
                   for job, times in jobs.items()}
            for tool, jobs in said.items()}
    lines = ["### Tagging", "",
             "Microseconds of processor time for a sequence of ten tokens, one thread; models of %d tokens. *Dicts*: 19 features a token. "
             "*Rows*: word and part of speech, of which a template of 19 patterns makes features; programs for "
             "python-crfsuite make the same features in Python. *Ready*: these features are made before the clock "
             "starts. The middle half of %d rounds in turns, each of 50 "
             "sequences ten times." % (tokens, rounds), ""]
    lines += table(rows, [("dicts, us", "dicts", microseconds, True),
                          ("rows, us", "rows", microseconds, True),
                          ("ready, us", "ready", microseconds, False)]) + [""]
    peers = rows.get("python-crfsuite")
    if not peers:
        return lines + ["python-crfsuite is not installed, so there is nothing to compare with."]
    ours = rows["Caucus"]
    return lines + [
        verdict("tagging dicts faster than python-crfsuite", peers["dicts"] / ours["dicts"], DICTS_AIM),
        verdict("tagging rows with a template faster than python-crfsuite", peers["rows"] / ours["rows"],
                ROWS_AIM)]
