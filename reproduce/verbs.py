"""verbs.py - what the reproductions about clusters of verbs share: sets of verbs with their frames and classes, runs of
questions and answers, and curves over the number of links."""

import collections
import json
import random
import statistics
import subprocess
import sys
import time

from common import PROGRAM

SETS = {"levin": "Levin classes, VALEX frames", "fine": "BioVerbNet, fine level", "mid": "BioVerbNet, middle level",
        "top": "BioVerbNet, top level", "scf": "BioVerbNet, fine level, other frames", "verbnet": "VerbNet, VALEX frames"}
SIZES = {"levin": (204, 17), "top": (359, 16), "mid": (295, 26), "fine": (233, 25), "scf": (211, 23), "verbnet": (483, 22)}
MEASURES = ["v_beta", "v", "vi", "homogeneity", "completeness", "rand", "clusters"]


# ---- the verbs

def rows_of(run, name, separator="\t"):
    return [line.split(separator) for line in run.read("verbs/" + name).strip().split("\n")[1:]]


def valex(run):
    """The frames of VALEX, and the options to read them."""
    return run.data("verbs/valex-lrec-raw_anlt.csv.xz"), ["--format", "long", "--columns", "0,1,3"]


def levin(run):
    """The file of frames, the options to read it, and the class of each verb."""
    return (*valex(run), {row[0]: row[1] for row in rows_of(run, "levin17-204.tsv")})


def verbnet(run):
    """The same for the verbs of one VerbNet class that have 1000 or more frames, in classes of ten or more such verbs."""
    total, classes = collections.Counter(), {}
    for row in rows_of(run, "valex-lrec-raw_anlt.csv.xz", ","):
        total[row[0]] += float(row[3])
    for row in rows_of(run, "verbnet3-members.tsv"):
        classes.setdefault(row[2], set()).add(row[0])
    return (*valex(run), large_classes({verb: next(iter(found)) for verb, found in classes.items()
                                        if len(found) == 1 and total[verb] >= 1000}, 10))


def biomedical(run, lexicon, level):
    """The same for BioVerbNet; counts may be fractions. Verbs of one class, with 100 or more frames, in classes of five
    or more."""
    frames, total = [], collections.Counter()
    for line in run.read("verbs/biocat-lexicon_%s.txt.xz" % lexicon).strip().split("\n"):
        cells = line.split()
        if len(cells) == 4 and float(cells[3]) > 0:
            frames.append("%s\t%s\t%s\n" % (cells[0], cells[1], cells[3]))
            total[cells[0]] += float(cells[3])
    classes = {row[0]: row[{"top": 1, "mid": 2, "fine": 3}[level]] for row in rows_of(run, "bioverbnet-classes.tsv")
               if row[-1] == "1" and total[row[0]] >= 100}
    return run.write("frames", "".join(frames)), ["--format", "long"], large_classes(classes, 5)


def large_classes(classes, least):
    size = collections.Counter(classes.values())
    return {verb: name for verb, name in classes.items() if size[name] >= least}


def verbs_of(run):
    kind = run["set"]
    found = (levin(run) if kind == "levin" else verbnet(run) if kind == "verbnet" else
             biomedical(run, "scf_specific_frequency", "fine") if kind == "scf" else
             biomedical(run, "relative_frequency", kind))
    size = len(found[2]), len(set(found[2].values()))
    if size != SIZES[kind]:
        sys.exit("reproduce: %s has %d verbs in %d classes" % (kind, *size))
    return found


def points(way):
    """Options for the points: "nmf35-20" has 35 dimensions and rows of sum 20."""
    kind, total = way.split("-")
    return {"nmf20": ["--reduce", "nmf:20"], "nmf35": ["--reduce", "nmf:35"], "nmf50": ["--reduce", "nmf:50"],
            "raw": [], "gauss": ["--reduce", "nmf:35", "--likelihood", "gaussian"]}[kind] + ["--total", total]


# ---- questions and answers

def answer(run, arguments, classes):
    """The report when an annotator answers who errs with probability "errors"; and the number of errors."""
    rng, wrong, text, begin = random.Random(run["seed"]), 0, [], time.time()
    program = subprocess.Popen([PROGRAM, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for line in program.stdout:
        if not line.startswith('{"ask":'):
            text.append(line)
            continue
        question, err = json.loads(line), rng.random() < run["errors"]
        wrong += err
        together = (classes[question["a"]] == classes[question["b"]]) != err
        print(json.dumps({"answer": "yes" if together else "no"}), file=program.stdin, flush=True)
    program.stdin.close()
    if program.wait():
        sys.exit("reproduce: caucus %s failed" % " ".join(map(str, arguments)))
    run.record(arguments)
    run.seconds += time.time() - begin
    return json.loads("".join(text)), wrong


def curve(run):
    """Clusters, asks "links" questions, and summarises the curve of the scores."""
    frames, options, classes = verbs_of(run)
    gold = run.write("gold", "".join("%s\t%s\n" % pair for pair in sorted(classes.items())))
    method = run.get("method", "dpmm")
    more = [] if method == "dpmm" else ["--method", method, "--clusters", len(set(classes.values()))]
    if "errors" in run.options:
        more += ["--by", "json"] + (["--trust", run["trust"]] if run["trust"] < 1 else [])
    arguments = ["cluster", "-q", "--json", *options, "--only", gold, "--gold", gold, *points(run.get("way", "nmf35-20")),
                 *more, "--seed", run["seed"], "--select", run["select"], "--batch", run["batch"], "--batch-mode",
                 run["mode"], "--ask", run["links"], "--lag", run["lag"], "-t", 1, *run.get("more", []), frames]
    if "errors" in run.options:
        report, wrong = answer(run, arguments, classes)
        return {**summary(report, classes, max(10, run["batch"])), "wrong": wrong}
    with open(run.make("report.json", *arguments, stdout=True), encoding="utf-8") as f:
        return summary(json.load(f), classes, max(10, run["batch"]))


def summary(report, classes, every):
    """What a page needs. Each measure is a line of numbers, one at each multiple of `every` links, because a number
    on a line of its own makes long files."""
    curve, sizes = report["curve"], collections.Counter(classes.values())
    steps = range(0, curve[-1]["links"] + 1, every)
    entries = [[e for e in curve if e["links"] <= n][-1] for n in steps]

    def line(get):
        return " ".join("-" if get(e) is None else "%.4g" % get(e) for e in entries)
    pairs = len(classes) * (len(classes) - 1)
    return {"verbs": len(classes), "classes": len(sizes),
            "apart": 1 - sum(n * (n - 1) for n in sizes.values()) / pairs,
            **{key: report[key] for key in ("asked", "agreed", "tied", "points")},
            "every": every, "draws": len(curve), **{m: line(lambda e, m=m: e[m]) for m in MEASURES},
            "alpha": line(lambda e: e["alpha"]),
            "rhat": line(lambda e: max((x for x in e["scale_reduction"].values() if x is not None), default=None)),
            "unlinked": line(lambda e: e["unlinked"]["items"]),
            "unlinked_v_beta": line(lambda e: e["unlinked"]["v_beta"])}


# ---- curves over seeds

def numbers(result, measure):
    return [None if cell == "-" else float(cell) for cell in result[measure].split()]


def at(result, measure, links):
    """The value at that number of links."""
    return numbers(result, measure)[links // result["every"]]


def seeds_of(results, name, seeds):
    """The results of name-1, name-2, ..., or None if one is missing."""
    found = [results.get("%s-%d" % (name, seed)) for seed in seeds]
    return None if None in found else found


def spread(values):
    """Mean, and the range from the least to the greatest."""
    return statistics.mean(values), min(values), max(values)


def cell(values, form="%.3f"):
    return "-" if None in values else form % statistics.mean(values)


def mean_difference(one, other, measure):
    """The mean over the curve, without the draw before the first question."""
    a, b = numbers(one, measure)[1:], numbers(other, measure)[1:]
    return statistics.mean(x - y for x, y in zip(a, b))
