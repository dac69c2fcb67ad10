"""programs for python-crfsuite: tagging ten tokens, and training, with caucus.pycrfsuite and the original"""

import importlib.util
import os
from functools import partial

from common.measure import Failed, median, one_core, peer, run, take_turns
from common.page import judged, seconds, spread, table, verdict
from crfsuite_job import ITERATIONS
from data import dicts, write_items

TOKENS, QUICK_TOKENS = 200000, 40000
TAG_TOKENS = 10000
FASTER = 5  # tagging
AIM = 1.10  # training, times the program
OURS, ORIGINAL = "caucus.pycrfsuite", "pycrfsuite"


def tagging(bench, modules, model):
    rows = {}
    for job in ("tag", "items"):
        jobs = {name: partial(peer, bench.python, bench.script("crfsuite_job.py"), 1, name, job, bench.data, model,
                              TAG_TOKENS) for name in modules}
        with one_core():
            results = take_turns(jobs, bench.runs, "python-crfsuite " + job, 300)
        if len({one["said"]["labels"] for each in results.values() for one in each}) > 1:
            raise Failed("the same model gives other labels")
        for name, each in results.items():
            rows.setdefault(name, {})[job] = median(each, "said", "tag")
    lines = ["### Tagging as with python-crfsuite", "",
             "Microseconds for `Tagger.tag` of ten tokens, on one core, with one model file, in the fastest pass over "
             "the test data: *dicts* are converted in each call, *items* are `ItemSequence` objects.", ""]
    lines += table(rows, [("dicts, µs", "tag", spread, True), ("items, µs", "items", spread, True)], own=OURS)
    if ORIGINAL in rows:
        ratio = rows[ORIGINAL]["tag"] / rows[OURS]["tag"]
        lines += ["", verdict("tagging ten tokens, faster than python-crfsuite", ratio, FASTER)]
    return lines


def training(bench, modules, model):
    tokens = QUICK_TOKENS if bench.quick else TOKENS
    items = bench.path("train.items")
    write_items(items, *dicts(bench.data, "train", tokens))
    command = [bench.caucus, "train", "-q", "--format", "crfsuite", "--states", "seen", "--transitions", "seen",
               "--solver", "lbfgs", "--c2", "1", "--delta", "0", "--epsilon", "0", "--max-iterations",
               str(ITERATIONS), "-o", bench.path("program.cau"), items]
    jobs = {"program": partial(run, command, os.cpu_count())}
    for name in modules:
        jobs[name] = partial(peer, bench.python, bench.script("crfsuite_job.py"), os.cpu_count(), name, "train",
                             bench.data, model if name == OURS else bench.path(name), tokens)
    results = take_turns(jobs, bench.runs, "python-crfsuite train", 300)
    rows = {name: {"fit": median(each, "wall") if name == "program" else median(each, "said", "fit"),
                   "peak": median(each, "peak")} for name, each in results.items()}
    ratio = rows[OURS]["fit"] / rows["program"]["fit"]
    return ["### Training as with python-crfsuite", "",
            "%d tokens, %d iterations of L-BFGS, the features and the objective of CRFsuite; the time of Python begins "
            "with dicts in memory and ends with the model file." % (tokens, ITERATIONS), ""] + table(
                rows, [("s", "fit", spread, True), ("peak, MB", "peak", seconds, False)], own=OURS) + [
                    "", judged("training through caucus.pycrfsuite, in times of the program", "%.2f" % ratio,
                               "at most %g" % AIM, ratio <= AIM)]


def measure(bench):
    modules = [OURS] + ([ORIGINAL] if importlib.util.find_spec(ORIGINAL) else [])
    model = bench.path("model.crfsuite")
    trained = training(bench, modules, model)
    return tagging(bench, modules, model) + [""] + trained
