"""The part of the page about sequence models: tables, ratios, and what was reached of what was
aimed at. The parts about training are here, the others in page_use.py."""

import page_use
from common.measure import SHORT, SHORT_RUNS
from common.page import judged, number, seconds, spread, table, verdict, whole
from curves import NEAR
from page_use import processor, sizes
from parts import CRFPP_ITERATIONS
from rows import CLOSE, LONG
from tools import STOP_DUAL, STOP_L1, WAPITI_L1_ITERATIONS

INTRODUCTION = """\
## CRF

Written by `bench/sequence/run --write docs/benchmarks.md`, against CRFsuite, Wapiti and CRF++;
[bench/sequence](../bench/sequence) says what each number means and how the peers are called.

The same features, the same penalty and the same objective for all,

    sum of -log p(y|x)  +  ||w||^2

which is `--l2 2` for Caucus, `c2=1` for CRFsuite, `-2 2` for Wapiti and `-c 0.5` for CRF++.
*Train* is the whole process, from text file to saved model; *to 1e-4* the time until its log
shows an objective within 1e-4 of the best of all tools. Memory is the largest resident size of
the whole process. Each number is the median of its runs, with the least and the greatest behind it;
what takes less than %d s was warmed up first and ran at least %d times.
""" % (SHORT, SHORT_RUNS)

# Columns of a table of trainings: heading, key of the row, how to write it, whether a ratio says
# something.
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


def quality(rows, own, peer):
    """Whether our objective is as good as the best, and F1 as good as the peer's."""
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
    """Whole processes, and as if the peer had stopped as soon as it could."""
    lines = [verdict("training faster than " + name, peer["train"] / own["train"], aim)]
    if peer.get("near"):
        lines.append("- training faster, were %s stopped as soon as it is within %.0e of the best: "
                     "%.1f times" % (name, CLOSE, peer["near"] / own["train"]))
    return lines


def limit(found):
    """What a pass of ours makes of the memory's bandwidth."""
    if not found:
        return []
    return ["", "A pass touches at least 4 bytes for each of %s occurrences of a feature and 8 bytes, a "
            "weight read and" % whole(found["occurrences"]),
            "a gradient written, for each of the %s labels in their rows: %.0f MB, which at this speed "
            "is %.0f%% of the" % (whole(found["touched"]), found["bytes"] / 1e6, 100 * found["share"]),
            "bandwidth of memory at two threads. Rows that stay in a cache count as if they did not."]


def part_a(found):
    rows = found["rows"]
    own, peer = rows["Caucus"], rows.get("CRFsuite")
    lines = ["CoNLL-2000 chunking, %s; items; weights for what occurs. CRFsuite stops when the"
             % sizes(found["corpus"]),
             "objective fell by less than 1e-5 of itself in 10 iterations, Caucus when it fell by",
             "less than %s in %s epochs." % STOP_DUAL, ""]
    lines += table(rows, F1) + [""]
    if peer:
        lines += faster(own, peer, "CRFsuite", 20)
        lines += [verdict("less memory than CRFsuite", peer["peak"] / own["peak"], 1)]
    return (lines + quality(rows, own, peer) + limit(found["limit"])
            + processor("train", found["profile"]))


def part_b(found):
    rows = found["rows"]
    own, peer, slow = (rows.get(name) for name in ("Caucus", "Wapiti", "CRF++ (estimate)"))
    lines = ["CoNLL-2000 chunking, %s; the template; weights for everything; two threads."
             % sizes(found["corpus"]),
             "Wapiti is stopped after the iteration at which it comes within 1e-4 of its best.", ""]
    lines += table(rows, F1) + [""]
    if slow:
        lines += ["CRF++ would take too long: %d iterations were run, and their time multiplied "
                  "as if it needed as many as Wapiti." % CRFPP_ITERATIONS, ""]
    for name, row, aim in (("Wapiti", peer, 20), ("CRF++ (estimate)", slow, 150)):
        if row:
            lines += faster(own, row, name, aim)
            lines += [verdict("less memory than " + name, row["peak"] / own["peak"], 4)]
    return (lines + quality(rows, own, peer) + limit(found["limit"])
            + processor("train", found["profile"]))


def part_c(found):
    lines, ratios = ["UD English EWT, parts of speech; about 33 features a token, as items; "
                     "weights for what occurs."], {}
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
            lines.append("- a pass is faster than one of CRFsuite: %.1f times with few labels, %.1f "
                         "times with many" % (few[1], many[1]))
    return lines


def part_g(found):
    rows, corpus = found["rows"], found["corpus"]
    own, peer = rows["Caucus"], rows.get("CRFsuite")
    lines = ["CoNLL-2003, English, %s (IOB2); items, a feature set after Finkel et al. (2005):"
             % sizes(corpus),
             "%s attributes, %s weights for what occurs, %.1f attributes a token. Each stops as in the "
             "first table." % (whole(corpus.attributes), whole(own["weights"]),
                               corpus.occurrences / corpus.tokens), ""]
    lines += table(rows, F1) + [""]
    if peer:
        lines += faster(own, peer, "CRFsuite", 25)
    return lines + quality(rows, own, peer) + limit(found["limit"])


def part_h(found):
    lines = ["CoNLL-2000 chunking, %s; an l1 penalty instead of the other, the objective is"
             % sizes(found["corpus"]), "", "    sum of -log p(y|x)  +  sum of |w|", "",
             "which is `--l1 1 --l2 0` for Caucus (its dual ascent), `c1=1`, `c2=0` for CRFsuite and "
             "`-1 1 -2 0` for Wapiti,", "which runs %d iterations. CRFsuite stops as it comes. Caucus stops "
             "when the objective fell by less than a share" % WAPITI_L1_ITERATIONS,
             "of itself in some epochs; both were chosen on this corpus, so that it ends just at or below the "
             "objective of the", "peer beside it. *To theirs* is the time until an objective is known that is "
             "at or below the one with which the", "other ends; that of Caucus is known at its end."]
    for kind, part in found["kinds"].items():
        rows, name = part["rows"], part["peer"]
        own, peer = rows["Caucus"], rows.get(name)
        lines += ["", {"items": "Items, weights for what occurs",
                       "template": "The template, weights for everything"}[kind]
                  + "; Caucus stops below a change of %s, looking back %s:" % STOP_L1[kind], ""]
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


# Each part: its title, and what writes it.
WRITERS = {
    "a": ("Training, against CRFsuite", part_a),
    "b": ("Training, against Wapiti and CRF++", part_b),
    "c": ("Few labels and many", part_c),
    "d": ("Time to a good F1", page_use.part_d),
    "k": ("Time to a good F1, names", page_use.part_k),
    "l": ("Time to a good F1, parts of speech", page_use.part_l),
    "e": ("Tagging", page_use.part_e),
    "f": ("More data", page_use.part_f),
    "g": ("Names, against CRFsuite", part_g),
    "h": ("An l1 penalty", part_h),
    "i": ("Hundreds of labels", page_use.part_i),
    "j": ("Objective and F1 against time", page_use.part_j),
}


def sections_of(text):
    """{title: text} of the sections of an earlier page."""
    found = {}
    for section in text.split("\n### ")[1:]:
        title, _, rest = section.partition("\n")
        found[title] = rest.strip("\n")
    return found


def render(machine, results, missing, failed, before=""):
    """The page. A part that was not run now stays as it was before."""
    text = [INTRODUCTION]
    text += ["- " + line for line in machine]
    text += ["- not here, left out: " + name for name in missing]
    text.append("- a training that took more than %d s was not repeated" % LONG)
    text += ["- part %s failed: %s" % failure for failure in failed.items()]
    earlier = sections_of(before)
    for name, (title, write) in WRITERS.items():
        if results.get(name):
            text += ["", "### " + title, ""] + write(results[name])
        elif title in earlier:
            text += ["", "### " + title, "", earlier[title].strip("\n")]
    return "\n".join(text) + "\n"
