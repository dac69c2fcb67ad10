"""The part of the page about sequence models: tables, ratios, verdicts."""

import os

from common.measure import SHORT, SHORT_RUNS
from common.page import judged, number, seconds, spread, table, verdict, whole
from curves import NEAR
from parts import CRFPP_ITERATIONS
from results import CLOSE, LONG
from search import SLOW
from tools import STOP_DUAL, STOP_L1, THREADS, WAPITI_L1_ITERATIONS

INTRODUCTION = """\
## CRF

Written by `bench/sequence/run --write docs/benchmarks.md`, against CRFsuite, Wapiti and CRF++;
[bench/sequence](../bench/sequence) explains each number and how the peers are called.

All tools have the same features, the same penalty and the same objective,

    sum of -log p(y|x)  +  ||w||^2

which is `--l2 2` for Caucus, `c2=1` for CRFsuite, `-2 2` for Wapiti and `-c 0.5` for CRF++. *Train* is the whole
process, from text file to saved model; *to 1e-4* is the time until the log shows an objective within 1e-4 of the
best of all tools. Memory is the largest resident size of the whole process. Each number is the median of its
runs, followed by the least and the greatest; a run of less than %d s is preceded by a warm-up run and repeated at
least %d times.
""" % (SHORT, SHORT_RUNS)

# Columns of a table of trainings: heading, key, function that formats the value, whether to show the ratio.
TRAINING = [
    ("train s", "train", spread, True),
    ("to 1e-4 s", "near", seconds, False),
    ("peak MB", "peak", lambda x: number(x, "%.0f"), True),
    ("iterations", "iterations", lambda x: number(x, "%d"), False),
    ("passes", "passes", lambda x: number(x, "%d"), False),
    ("s a pass", "pass", seconds, True),
    ("objective", "objective", number, False),
    ("model MB", "size", lambda x: number(x, "%.1f"), True),
]
RUNS = [("trainings", "runs", lambda x: number(x, "%d"), False)]
L1 = TRAINING[:1] + [("to theirs s", "reach", spread, False)] + TRAINING[2:-1] + [
    ("weights not 0", "active", whole, True),
    ("model MB", "size", number, True),
    ("test F1", "score", number, False),
]
F1 = TRAINING + [("test F1", "score", number, False)] + RUNS
ACCURACY = TRAINING + [("test accuracy", "score", number, False)] + RUNS


def processor(command, shares):
    if not shares:
        return []
    return ["", "Processor time of `%s`: %s."
            % (command, ", ".join("%.0f%% `%s`" % (share, where) for where, share in shares))]


def sizes(corpus):
    return "%s tokens, %d labels" % (whole(corpus.tokens), corpus.labels)


def quality(rows, own, peer):
    """Verdicts on our objective against the best, and on our F1 against the peer."""
    lines = []
    objectives = [row["objective"] for row in rows.values() if row.get("objective")]
    if own["objective"] and len(objectives) > 1:
        above = own["objective"] / min(objectives) - 1
        lines.append(judged("objective above the best", "%.1e" % above, "at most %.0e" % CLOSE,
                            above <= CLOSE))
    if peer and peer.get("score"):
        below = peer["score"] - own["score"]
        lines.append(judged("test F1 against theirs", "%+.2f" % (round(-below, 2) + 0.0),
                            "at least -%.2f" % NEAR, below <= NEAR))
    return lines


def faster(own, peer, name, aim):
    """The ratio of whole processes, and the ratio if the peer stopped as soon as it is near the optimum."""
    lines = [verdict("training faster than " + name, peer["train"] / own["train"], aim)]
    if peer.get("near"):
        lines.append("- training faster, if %s stopped as soon as it is within %.0e of the best: "
                     "%.1f times" % (name, CLOSE, peer["near"] / own["train"]))
    return lines


def limit(found):
    """The share of the memory bandwidth that a pass of ours needs."""
    if not found:
        return []
    return ["", "A pass needs at least 4 bytes for each of %s occurrences of a feature and 8 bytes (a weight read "
            "and a" % whole(found["occurrences"]),
            "gradient written) for each of the %s labels in their rows: %.0f MB, at this speed %.0f%% of the memory"
            % (whole(found["touched"]), found["bytes"] / 1e6, 100 * found["share"]),
            "bandwidth of two threads. Rows in a cache are counted as well."]


def part_a(found):
    rows = found["rows"]
    own, peer = rows["Caucus"], rows.get("CRFsuite")
    lines = ["CoNLL-2000 chunking, %s; items; weights for seen states. CRFsuite stops when the"
             % sizes(found["corpus"]),
             "relative decrease of the objective is below 1e-5 in 10 iterations, Caucus when it is below %s in"
             % STOP_DUAL[0], "%s epochs." % STOP_DUAL[1], ""]
    lines += table(rows, F1) + [""]
    if peer:
        lines += faster(own, peer, "CRFsuite", 20)
        lines += [verdict("less memory than CRFsuite", peer["peak"] / own["peak"], 1)]
    return (lines + quality(rows, own, peer) + limit(found["limit"])
            + processor("train", found["profile"]))


def part_b(found):
    rows = found["rows"]
    own, peer, slow = (rows.get(name) for name in ("Caucus", "Wapiti", "CRF++ (estimate)"))
    lines = ["CoNLL-2000 chunking, %s; the template; weights for all states; two threads."
             % sizes(found["corpus"]),
             "Wapiti stops after the first iteration within 1e-4 of its best objective.", ""]
    lines += table(rows, F1) + [""]
    if slow:
        lines += ["CRF++ takes too long: %d iterations were run; the estimate is for as many iterations as Wapiti "
                  "needs." % CRFPP_ITERATIONS, ""]
    for name, row, aim in (("Wapiti", peer, 20), ("CRF++ (estimate)", slow, 150)):
        if row:
            lines += faster(own, row, name, aim)
            lines += [verdict("less memory than " + name, row["peak"] / own["peak"], 4)]
    return (lines + quality(rows, own, peer) + limit(found["limit"])
            + processor("train", found["profile"]))


def part_c(found):
    lines, ratios = ["UD English EWT, parts of speech; about 33 features a token, as items; "
                     "weights for seen states."], {}
    for name, part in found.items():
        rows = part["rows"]
        lines += ["", "%s: %s." % (name, sizes(part["corpus"])), ""] + table(rows, ACCURACY)
        own, peer = rows["Caucus"], rows.get("CRFsuite")
        lines += [""] + [line.replace("- ", "- %s, " % name, 1) for line in quality(rows, own, None)]
        if peer:
            ratios[name] = (peer["train"] / own["train"],
                            own["pass"] and peer["pass"] and peer["pass"] / own["pass"])
    if len(ratios) == 2:
        few, many = ratios["UPOS"], ratios["XPOS"]
        lines += ["", verdict("training faster than CRFsuite, many labels", many[0], 25),
                  "- training faster than CRFsuite, few labels: %.1f times" % few[0]]
        if few[1] and many[1]:
            lines.append("- a pass faster than one of CRFsuite: %.1f times with few labels, %.1f "
                         "times with many" % (few[1], many[1]))
    return lines


def part_g(found):
    rows, corpus = found["rows"], found["corpus"]
    own, peer = rows["Caucus"], rows.get("CRFsuite")
    lines = ["CoNLL-2003, English, %s (IOB2); items, a feature set after Finkel et al. (2005):"
             % sizes(corpus),
             "%s attributes, %s weights for seen states, %.1f attributes a token. Both stop as in the "
             "first table." % (whole(corpus.attributes), whole(own["weights"]),
                               corpus.occurrences / corpus.tokens), ""]
    lines += table(rows, F1) + [""]
    if peer:
        lines += faster(own, peer, "CRFsuite", 25)
    return lines + quality(rows, own, peer) + limit(found["limit"])


def part_h(found):
    lines = ["CoNLL-2000 chunking, %s; with an l1 penalty, so the objective is"
             % sizes(found["corpus"]), "", "    sum of -log p(y|x)  +  sum of |w|", "",
             "which is `--l1 1 --l2 0` for Caucus (its dual ascent), `c1=1`, `c2=0` for CRFsuite and "
             "`-1 1 -2 0` for Wapiti,", "which runs %d iterations. CRFsuite stops by its default rule. Caucus "
             "stops when the relative decrease of the" % WAPITI_L1_ITERATIONS,
             "objective in some epochs is below a tolerance; both were chosen on this corpus so that it ends at or "
             "below the", "objective of the peer. *To theirs* is the time until the objective is at or below the "
             "last one of the other tool;", "Caucus knows its objective at its end only."]
    for kind, part in found["kinds"].items():
        rows, name = part["rows"], part["peer"]
        own, peer = rows["Caucus"], rows.get(name)
        delta, period = STOP_L1[kind]
        lines += ["", "%s; Caucus stops below a relative decrease of %s in %s epoch%s:"
                  % ({"items": "Items, weights for seen states",
                      "template": "The template, weights for all states"}[kind], delta, period,
                     "s" * (period != "1")), ""]
        lines += table(rows, L1) + [""]
        if not peer:
            continue
        aim = {"CRFsuite": 10, "Wapiti": 15}[name]
        what = "to the objective of %s faster" % name
        lines.append(verdict(what, peer["train"] / own["reach"], aim) if own["reach"] else
                     judged(what, "never", "%g" % aim, False))
        lines += ["- whole processes: %.1f times faster than %s"
                  % (peer["train"] / own["train"], name),
                  judged("objective above that of " + name,
                         "%.1e" % (own["objective"] / peer["objective"] - 1), "at most 0",
                         own["objective"] <= peer["objective"]),
                  judged("weights that are not 0, against " + name,
                         "%s and %s" % (whole(own["active"]), whole(peer["active"])),
                         "at most as many", own["active"] <= peer["active"])]
    return lines


def good_f1(title, found):
    """The table of one corpus."""
    lines = ["%s: the best is %.2f, so the target is %.2f." % (title, found["best"], found["target"]),
             "", "| | iterations | train s | best seen |", "|---|---|---|---|"]
    for learner in found["learners"]:
        took = ("more than " + seconds(learner.beyond) if learner.beyond else
                spread(learner.wall) if learner.wall else "not reached")
        seen = max((f1 for _, f1 in learner.tried.values()), default=None)
        lines.append("| %s %s, %s | %s | %s | %s |"
                     % (learner.tool, learner.algorithm, learner.kind, learner.iterations or "", took, number(seen)))
    ours, theirs = found["fastest"]
    if ours and theirs:
        lines += ["", verdict("%s, faster than the fastest, %s against %s %s"
                              % (title, ours.algorithm, theirs.tool, theirs.algorithm),
                              theirs.wall / ours.wall, 10)]
    return lines


def part_d(found):
    return ["All learners train on the same sentences and are scored on development data; CoNLL-2000 has none, so "
            "every", "tenth sentence of its training data is held out. CRFsuite runs all its algorithms, on items; "
            "Wapiti runs its", "algorithms where there is a template; Caucus runs both ways, dual ascent with three "
            "penalties. The best is the best", "F1 (accuracy for parts of speech) that an algorithm of a peer ends "
            "with. The time is that of a whole training,", "reading included, with the fewest iterations that come "
            "within 0.05 of the best. A learner that is not there after", "%g times the time of the fastest of its "
            "side is given up." % SLOW, ""] + good_f1("CoNLL-2000 chunking", found)


def part_k(found):
    return good_f1("CoNLL-2003 names", found)


def part_l(found):
    return good_f1("EWT, Penn tags", found)


def part_e(found):
    rows, large = found["rows"], found["large"]
    own, both = rows["Caucus"], rows[found["both"]]
    lines = ["CoNLL-2000 test data, repeated, %s tokens; one core. Caucus, CRF++ and Wapiti read columns "
             "and apply the" % whole(found["tokens"]),
             "template; CRFsuite reads ready-made items. *Open* is the whole process for one sentence; it is "
             "subtracted from the", "time before tokens/s is computed.", "",
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
    lines = ["CoNLL-2000 chunking with the template, on the training data repeated 1, 4 and 16 times; the same "
             "number of", "iterations, one thread.", "",
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
    # A line through the first two gives the memory for each token and the constant memory.
    each = (more["peak"] - once["peak"]) / (more["times"] - once["times"])
    constant = once["peak"] - each
    expected = constant + most["times"] * each
    lines += ["- memory: %.0f bytes a token, and a constant %.0f MB"
              % (1e6 * each / once["tokens"], constant),
              judged("memory with %d times the data, against that line" % most["times"],
                     "%.2f times" % (most["peak"] / expected), "at most 1.1",
                     most["peak"] <= 1.1 * expected)]
    return lines


def part_i(found):
    lines = ["CoNLL-2000 with words as the only features (five, and two pairs), weights for seen states and all "
             "transitions, and", "three label sets for the same tokens. *Exponent* is the growth from the row above: "
             "the logarithm of the ratio of", "costs, divided by the logarithm of the ratio of labels. *GFLOP/s* "
             "counts 3 x 2 x Y^2 operations for each token, the", "products with the transition matrix (forward, "
             "backward and the expected transitions, Y^2 multiply-adds each),", "divided by the whole time of a "
             "token and pass. *Of the peak* is its share of the double-precision arithmetic of", "%d threads. If "
             "dual ascent would need more than a gigabyte for the transitions of the sequences," % THREADS,
             "`--solver auto` takes L-BFGS."]
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
    lines = ["CoNLL-2000 chunking; seconds from the start of the process, reading included. The distance of the "
             "objective is", "relative to the best of all tools on the same problem, as their logs show it. Each "
             "F1, and each objective of", "dual ascent, is that of a training that was stopped there.", ""]
    for title, path in (("Objective against time", found.get("objective")),
                        ("F1 against time", found.get("f1"))):
        if path:
            lines += ["![%s](%s)" % (title, os.path.basename(path)), ""]
    lines += ["| | F1 (seconds) after more and more iterations |", "|---|---|"]
    for name, points in found["curves"].items():
        lines.append("| %s | %s |" % (name, ", ".join("%.2f (%s)" % (f1, seconds(wall))
                                                      for wall, f1 in points)))
    return lines


# Each part: its title, and what writes it.
WRITERS = {
    "a": ("Training, against CRFsuite", part_a),
    "b": ("Training, against Wapiti and CRF++", part_b),
    "c": ("Few and many labels", part_c),
    "d": ("Time to a good F1", part_d),
    "k": ("Time to a good F1, names", part_k),
    "l": ("Time to a good F1, parts of speech", part_l),
    "e": ("Tagging", part_e),
    "f": ("More data", part_f),
    "g": ("Names, against CRFsuite", part_g),
    "h": ("An l1 penalty", part_h),
    "i": ("Hundreds of labels", part_i),
    "j": ("Objective and F1 against time", part_j),
}


def sections_of(text):
    """{title: text} of the sections of an earlier page."""
    found = {}
    for section in text.split("\n### ")[1:]:
        title, _, rest = section.partition("\n")
        found[title] = rest.strip("\n")
    return found


def render(machine, results, missing, failed, before=""):
    """The page. A part that did not run keeps its text of before."""
    text = [INTRODUCTION]
    text += ["- " + line for line in machine]
    text += ["- not installed, left out: " + name for name in missing]
    text.append("- a training of more than %d s was not repeated" % LONG)
    text += ["- part %s failed: %s" % failure for failure in failed.items()]
    earlier = sections_of(before)
    for name, (title, write) in WRITERS.items():
        if results.get(name):
            text += ["", "### " + title, ""] + write(results[name])
        elif title in earlier:
            text += ["", "### " + title, "", earlier[title].strip("\n")]
    return "\n".join(text) + "\n"
