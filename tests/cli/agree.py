"""Compares two dumps of models: the same text, and numbers that differ by rounding at most."""
import re
import sys




def number(word):
    try:
        return float.fromhex(word) if "0x" in word else float(word)
    except ValueError:
        return None


TOLERANCE = 1e-3

# Of the run, not of the model; an option says which run it was.
RUN = ("info\titerations", "info\tpasses", "info\tstop", "info\tdev.iteration", "info\ttrain.accuracy",
       "info\toption", "info\tresumed")

a, b = ([line for line in open(path).read().splitlines() if not line.startswith(RUN)] for path in sys.argv[1:3])
if len(a) != len(b):
    sys.exit(f"{len(a)} and {len(b)} lines")
for x, y in zip(a, b):
    if x == y:
        continue
    p, q = re.split(r"[\t =:]", x), re.split(r"[\t =:]", y)
    if len(p) != len(q):
        sys.exit(f"{x!r} and {y!r}")
    for u, v in zip(p, q):
        if u == v:
            continue
        s, t = number(u), number(v)
        if s is None or t is None or abs(s - t) > TOLERANCE * max(1, abs(s)):
            sys.exit(f"{x!r} and {y!r}")
