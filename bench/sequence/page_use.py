"""The part of the page about what is not a contest of training: time to a good F1, tagging, growth."""

import os

from common.page import judged, number, seconds, spread, verdict, whole
from search import SLOW
from tools import THREADS


def processor(verb, shares):
    if not shares:
        return []
    return ["", "Processor time of `%s`: %s."
            % (verb, ", ".join("%.0f%% `%s`" % (share, where) for where, share in shares))]


def sizes(corpus):
    return "%s tokens, %d labels" % (whole(corpus.tokens), corpus.labels)


def good_f1(title, race):
    """The table of one corpus."""
    lines = ["%s: the best is %.2f, so %.2f is enough." % (title, race["best"], race["target"]),
             "", "| | iterations | train s | best seen |", "|---|---|---|---|"]
    for who in race["learners"]:
        took = ("more than " + seconds(who.beyond) if who.beyond else
                spread(who.wall) if who.wall else "not reached")
        seen = max((f1 for _, f1 in who.tried.values()), default=None)
        lines.append("| %s %s, %s | %s | %s | %s |"
                     % (who.tool, who.algorithm, who.kind, who.iterations or "", took, number(seen)))
    ours, theirs = race["fastest"]
    if ours and theirs:
        lines += ["", verdict("%s, faster than the fastest, %s against %s %s"
                              % (title, ours.algorithm, theirs.tool, theirs.algorithm),
                              theirs.wall / ours.wall, 10)]
    return lines


def part_d(race):
    return ["All trained on the same sentences and scored on development data, which CoNLL-2000 has not: "
            "there every tenth", "sentence of the training data is held out. All algorithms of CRFsuite, on "
            "items, and where there is a template", "those of Wapiti; ours on both, dual ascent with three "
            "penalties. The best is the best F1 (accuracy for parts", "of speech) that one of the peers ends "
            "with; this is the whole time of a training, reading included, that has", "just the iterations "
            "needed to come within 0.05 of it. What took %g times as long as the fastest of its side," % SLOW,
            "and was not there, was given up.", ""] + good_f1("CoNLL-2000 chunking", race)


def part_k(race):
    return good_f1("CoNLL-2003 names", race)


def part_l(race):
    return good_f1("EWT, Penn tags", race)


def part_e(found):
    rows, large = found["rows"], found["large"]
    own, both = rows["Caucus"], rows[found["both"]]
    lines = ["CoNLL-2000 test data over and over, %s tokens, one core. Caucus, CRF++ and Wapiti "
             "read columns and" % whole(found["tokens"]),
             "apply the template; CRFsuite reads items that are made already. *Open* is the whole "
             "process for one sentence,",
             "which is taken off before tokens are counted by the second.", "",
             "| | tokens/s | Caucus is faster by | tag s | open ms | peak MB |",
             "|---|---|---|---|---|---|"]
    for name, row in rows.items():
        ours = name.startswith("Caucus")
        lines.append("| %s | %s | %s | %s | %.1f | %.0f |"
                     % (name, whole(row["rate"]),
                        "" if ours else "%.1f" % (own["rate"] / row["rate"]),
                        spread(row["wall"]), row["open"], row["peak"]))
    lines += ["", judged("tokens a second", whole(own["rate"]), "1,500,000", own["rate"] >= 1.5e6,
                         "missed by a factor of %.2f" % (1.5e6 / own["rate"]))]
    for name, aim in (("CRF++", 15), ("Wapiti", 15), ("CRFsuite", 8)):
        if name in rows:
            lines.append(verdict("tagging faster than " + name, own["rate"] / rows[name]["rate"], aim))
    lines += ["- with %d threads: %.2f times as fast as with one"
              % (THREADS, both["rate"] / own["rate"]),
              judged("opening a model of %s weights (%.0f MB) and closing it, the whole process"
                     % (whole(large["weights"]), large["size"]),
                     "%.1f ms (the least %.1f)" % (large["open"], large["least"]), "under 5",
                     large["open"] < 5)]
    return lines + processor("tag", found["profile"])


def part_f(found):
    rows = found["rows"]
    lines = ["CoNLL-2000 chunking by the template, the training data once and several times over; as many "
             "iterations each,", "on one thread.", "",
             "| | tokens | train s | s a pass | ns a token and pass | peak MB |",
             "|---|---|---|---|---|---|"]
    for name, row in rows.items():
        lines.append("| %s | %s | %s | %s | %s | %.0f |"
                     % (name, whole(row["tokens"]), spread(row["train"]), seconds(row["pass"]),
                        number(row["token"], "%.0f"), row["peak"]))
    once, more, most = rows.values()
    lines.append("")
    if once["token"]:
        ratio = most["token"] / once["token"]
        lines.append(judged("cost of a token and pass with %d times the data" % most["times"],
                            "%.2f times" % ratio, "at most 1.1", ratio <= 1.1))
    # A line through the first two: what the data takes, and what is there without it.
    each = (more["peak"] - once["peak"]) / (more["times"] - once["times"])
    constant = once["peak"] - each
    expected = constant + most["times"] * each
    lines += ["- memory: %.0f bytes a token, and %.0f MB whatever the data"
              % (1e6 * each / once["tokens"], constant),
              judged("memory with %d times the data, against that line" % most["times"],
                     "%.2f times" % (most["peak"] / expected), "at most 1.1",
                     most["peak"] <= 1.1 * expected)]
    return lines


def part_i(found):
    lines = ["CoNLL-2000, words alone as features (five and two pairs), weights for what occurs and for all "
             "transitions, and", "three sets of labels for the same tokens. *Exponent* is that of the "
             "growth from the row above: the logarithm", "of the ratio of costs by that of the ratio of "
             "labels. *GFLOP/s* counts 3 x 2 x Y^2 for each token, the",
             "products with the matrix of transitions: forward, backward, and the expected transitions, "
             "each Y^2", "multiplications with an addition; by the seconds of a token and pass, in which "
             "all else that a pass does is", "contained. *Of the peak* is that by the arithmetic in double, "
             "in which these sums are made, of %d threads. Where dual ascent" % THREADS, "would keep more than "
             "a gigabyte for the transitions of the sequences, `--solver auto` takes L-BFGS."]
    aims = []
    for solver, rows in found["solvers"].items():
        lines += ["", "Solver %s:" % solver, "",
                  "| labels | Y | s a pass | ns a token and pass | exponent | GFLOP/s | of the peak in "
                  "double | peak MB |", "|---|---|---|---|---|---|---|---|"]
        for name, row in rows.items():
            lines.append("| %s | %d | %s | %s | %s | %.1f | %s | %.0f |"
                         % (name, row["labels"], spread(row["pass"]), whole(row["token"]),
                            number(row.get("exponent")), row["flops"] / 1e9,
                            number(row["share"] and 100 * row["share"], "%.0f%%"), row["peak"]))
        last = list(rows.values())[-1]
        aims.append(judged("%s, exponent of the growth to %d labels" % (solver, last["labels"]),
                           "%.2f" % last["exponent"], "at most 2", last["exponent"] <= 2))
        if last["share"]:
            aims.append(judged("%s, arithmetic with %d labels" % (solver, last["labels"]),
                               "%.0f%% of the peak" % (100 * last["share"]), "50%",
                               last["share"] >= .5))
    return lines + [""] + aims


def part_j(found):
    lines = ["Both on CoNLL-2000 chunking, by seconds since the start of the process, reading included. "
             "The distance of the", "objective is relative to the best of all tools on the same problem, "
             "as their logs show it; each F1, and each", "objective of the dual solver, is that of a training "
             "that was stopped there.", ""]
    for title, path in (("Objective against time", found.get("objective")),
                        ("F1 against time", found.get("f1"))):
        if path:
            lines += ["![%s](%s)" % (title, os.path.basename(path)), ""]
    lines += ["| | F1 (seconds) after more and more iterations |", "|---|---|"]
    for name, points in found["curves"].items():
        lines.append("| %s | %s |" % (name, ", ".join("%.2f (%s)" % (f1, seconds(wall))
                                                      for wall, f1 in points)))
    return lines
