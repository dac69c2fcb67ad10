"""The part of the page about sequence models: tables, ratios, and what was reached of what was
aimed at."""

from common.page import number, seconds, table, verdict, whole
from parts import CLOSE, CRFPP_ITERATIONS, LONG, NEAR

INTRODUCTION = """\
## CRF

Written by `bench/sequence/run --write docs/benchmarks.md`, against CRFsuite, Wapiti and CRF++;
[bench/sequence](../bench/sequence) says what each number means and how the peers are called.

The same features, the same penalty and the same objective for all,

    sum of -log p(y|x)  +  ||w||^2

which is `--l2 2` for Caucus, `c2=1` for CRFsuite, `-2 2` for Wapiti and `-c 0.5` for CRF++.
*Train* is the whole process, from text file to saved model; *to 1e-4* the time until its log
shows an objective within 1e-4 of the best of all tools. Memory is the largest resident size of
the whole process. Each number is the median of its runs.
"""

# Columns of a table of trainings: heading, key of the row, how to write it, whether a ratio says
# something.
TRAINING = [
    ("train s", "train", seconds, True),
    ("to 1e-4 s", "near", seconds, False),
    ("peak MB", "peak", lambda x: number(x, "%.0f"), True),
    ("iterations", "iterations", lambda x: number(x, "%d"), False),
    ("passes", "passes", lambda x: number(x, "%d"), False),
    ("s a pass", "pass", seconds, True),
    ("objective", "objective", number, False),
    ("model MB", "size", lambda x: number(x, "%.1f"), True),
]
RUNS = [("trainings", "runs", lambda x: number(x, "%d"), False)]
F1 = TRAINING + [("test F1", "score", number, False)] + RUNS
ACCURACY = TRAINING + [("test accuracy", "score", number, False)] + RUNS


def quality(rows, own, peer):
    """Whether our objective is as good as the best, and F1 as good as the peer's."""
    lines = []
    objectives = [row["objective"] for row in rows.values() if row.get("objective")]
    if own["objective"] and objectives:
        above = own["objective"] / min(objectives) - 1
        lines.append("- objective: %.1e above the best, at most %.0e allowed: %s"
                     % (above, CLOSE, "reached" if above <= CLOSE else "**missed**"))
    if peer and peer.get("score"):
        below = peer["score"] - own["score"]
        lines.append("- test F1: %+.2f against theirs, at most -%.2f allowed: %s"
                     % (round(-below, 2) + 0.0, NEAR, "reached" if below <= NEAR else "**missed**"))
    return lines


def processor(verb, shares):
    if not shares:
        return []
    return ["", "Processor time of `%s`: %s."
            % (verb, ", ".join("%.0f%% `%s`" % (share, where) for where, share in shares))]


def sizes(corpus):
    return "%s tokens, %d labels" % (format(corpus.tokens, ","), corpus.labels)


def part_a(found):
    rows = found["rows"]
    own, peer = rows["Caucus"], rows.get("CRFsuite")
    lines = ["### Training, against CRFsuite", "",
             "CoNLL-2000 chunking, %s; items; weights for what occurs. CRFsuite stops when the"
             % sizes(found["corpus"]),
             "objective fell by less than 1e-5 of itself in 10 iterations, Caucus when it fell by",
             "less than 1e-4 in 5 epochs.", ""]
    lines += table(rows, F1) + [""]
    if peer:
        lines += [verdict("training faster", peer["train"] / own["train"], 8)]
        if peer["near"]:
            lines += ["- training faster, were CRFsuite stopped as soon as it is within %.0e of "
                      "the best: %.1f times" % (CLOSE, peer["near"] / own["train"])]
        lines += [verdict("less memory in training", peer["peak"] / own["peak"], 1)]
    return lines + quality(rows, own, peer) + processor("train", found["profile"])


def part_b(found):
    rows = found["rows"]
    own, peer = rows["Caucus"], rows.get("Wapiti")
    lines = ["### Training, against Wapiti and CRF++", "",
             "CoNLL-2000 chunking, %s; the template; weights for everything; two threads."
             % sizes(found["corpus"]),
             "Wapiti is stopped after the iteration at which it comes within 1e-4 of its best.", ""]
    lines += table(rows, F1) + [""]
    if "CRF++ (estimate)" in rows:
        lines += ["CRF++ would take too long: %d iterations were run, and their time multiplied "
                  "as if it needed as many as Wapiti." % CRFPP_ITERATIONS, ""]
    if peer:
        lines += [verdict("training faster than Wapiti", peer["train"] / own["train"], 10),
                  verdict("less memory than Wapiti", peer["peak"] / own["peak"], 3)]
    return lines + quality(rows, own, peer) + processor("train", found["profile"])


def part_c(found):
    lines, ratios = ["### Few labels and many", "",
                     "UD English EWT, parts of speech; about 33 features a token, as items; "
                     "weights for what occurs."], {}
    for name, part in found.items():
        rows = part["rows"]
        lines += ["", "%s: %s." % (name, sizes(part["corpus"])), ""] + table(rows, ACCURACY)
        own, peer = rows["Caucus"], rows.get("CRFsuite")
        lines += [""] + quality(rows, own, None)
        if peer:
            ratios[name] = (peer["train"] / own["train"],
                            own["pass"] and peer["pass"] and peer["pass"] / own["pass"])
    lines.append("")
    if len(ratios) == 2:
        few, many = ratios["UPOS"], ratios["XPOS"]
        for i, what in ((0, "in total"), (1, "a pass")):
            if few[i] and many[i]:
                lines.append("- faster than CRFsuite %s: %.1f times with few labels, %.1f times "
                             "with many, aim more: %s"
                             % (what, few[i], many[i],
                                "reached" if many[i] >= few[i] else "**missed**"))
    return lines


def part_d(found):
    lines = ["### Time to a good F1", "",
             "CoNLL-2000 chunking, the items of the first table. The best test F1 that an "
             "algorithm of CRFsuite ends",
             "with is %.2f; this is the whole time of a training, reading included, that has just "
             "the iterations" % found["best"],
             "needed for %.2f." % found["target"], "",
             "| | iterations | train s | best F1 seen |", "|---|---|---|---|"]
    for who in found["learners"]:
        lines.append("| %s %s | %s | %s | %.2f |"
                     % (who.tool, who.algorithm, who.iterations or "not reached",
                        seconds(who.wall), max(who.f1.values())))
    ours, theirs = found["fastest"]
    if ours and theirs:
        lines += ["", verdict("faster than the fastest, %s against %s"
                              % (ours.algorithm, theirs.algorithm), theirs.wall / ours.wall, 10)]
    return lines


def part_e(found):
    rows = found["rows"]
    own = rows["Caucus"]
    lines = ["### Tagging", "",
             "CoNLL-2000 test data over and over, %s tokens, one core. Caucus, CRF++ and Wapiti "
             "read columns and" % format(found["tokens"], ","),
             "apply the template; CRFsuite reads items that are made already. *Open* is the whole "
             "process for one sentence,",
             "which is taken off before tokens are counted by the second.", "",
             "| | tokens/s | Caucus is faster by | tag s | open ms | peak MB |",
             "|---|---|---|---|---|---|"]
    for name, row in rows.items():
        lines.append("| %s | %s | %s | %s | %.1f | %.0f |"
                     % (name, whole(row["rate"]),
                        "" if row is own else "%.1f" % (own["rate"] / row["rate"]),
                        seconds(row["wall"]), row["open"], row["peak"]))
    lines += ["", "- tokens a second: %s, aim 1,000,000: %s"
              % (whole(own["rate"]), "reached" if own["rate"] >= 1e6 else
                 "**missed by a factor of %.2f**" % (1e6 / own["rate"]))]
    for name, aim in (("CRF++", 8), ("Wapiti", 8), ("CRFsuite", 4)):
        if name in rows:
            lines.append(verdict("faster than " + name, own["rate"] / rows[name]["rate"], aim))
    lines.append("- opening the model, with start and end of the process: %.1f ms, aim under 5: %s"
                 % (own["open"], "reached" if own["open"] < 5 else "**missed**"))
    return lines + processor("tag", found["profile"])


def part_f(found):
    rows = found["rows"]
    lines = ["### More data", "",
             "CoNLL-2000 chunking by the template, the training data once, twice and four times; "
             "as many iterations each.", "",
             "| | tokens | train s | s a pass | ns a token and pass | peak MB |",
             "|---|---|---|---|---|---|"]
    for name, row in rows.items():
        lines.append("| %s | %s | %s | %s | %s | %.0f |"
                     % (name, format(row["tokens"], ","), seconds(row["train"]),
                        seconds(row["pass"]), number(row["token"], "%.0f"), row["peak"]))
    lines.append("")
    if rows["1x"]["token"]:
        ratio = rows["4x"]["token"] / rows["1x"]["token"]
        lines.append("- cost of a token and pass with four times the data: %.2f times, aim at most "
                     "1.1: %s" % (ratio, "reached" if ratio <= 1.1 else "**missed**"))
    # One more corpus takes what the second takes; what is left is not the data.
    each = rows["2x"]["peak"] - rows["1x"]["peak"]
    before, after = rows["1x"]["peak"] - each, rows["4x"]["peak"] - 4 * each
    lines.append("- memory: %.0f MB for the data once; beyond the data %.0f MB, and %.0f MB with "
                 "four times the data, %.2f times, aim at most 1.1: %s"
                 % (each, before, after, after / before,
                    "reached" if after <= 1.1 * before else "**missed**"))
    return lines


WRITERS = {"a": part_a, "b": part_b, "c": part_c, "d": part_d, "e": part_e, "f": part_f}


def render(machine, results, missing, failed):
    text = [INTRODUCTION]
    text += ["- " + line for line in machine]
    text += ["- not here, left out: " + name for name in missing]
    text.append("- a training that took more than %d s was not repeated" % LONG)
    text += ["- part %s failed: %s" % failure for failure in failed.items()]
    for name, found in results.items():
        if found:
            text += [""] + WRITERS[name](found)
    return "\n".join(text) + "\n"
