"""training on a million tokens, conversion included, against the program on a file of the same features"""

import json
import os
from functools import partial

from common.measure import Failed, median, peer, run, take_turns
from common.page import judged, seconds, spread, table
from data import dicts, write_items

TOKENS, QUICK_TOKENS = 1000000, 100000
ITERATIONS = 50
AIM = 1.10  # times the program


def objective(caucus, model):
    return json.loads(run([caucus, "inspect", "--json", "--top", "1", model], 1)["output"])["info"]["objective"]


def measure(bench):
    tokens = QUICK_TOKENS if bench.quick else TOKENS
    threads = os.cpu_count()
    items, by_program, by_python = map(bench.path, ("train.items", "program.cau", "python.cau"))
    write_items(items, *dicts(bench.data, "train", tokens))
    command = [bench.caucus, "train", "-q", "--format", "crfsuite", "--solver", "lbfgs",
               "--max-iterations", str(ITERATIONS), "-o", by_program, items]
    results = take_turns({
        "program": partial(run, command, threads),
        "Python": partial(peer, bench.python, bench.script("fit.py"), threads, bench.data, tokens,
                          ITERATIONS, by_python),
    }, bench.runs, "train", 300)
    if objective(bench.caucus, by_program) != objective(bench.caucus, by_python):
        raise Failed("the program and the package trained different models")
    rows = {"program": {"all": median(results["program"], "wall")},
            "Python": {"all": median(results["Python"], "said", "fit"),
                       "convert": median(results["Python"], "said", "convert")}}
    ratio = rows["Python"]["all"] / rows["program"]["all"]
    return ["### Training", "",
            "%d tokens, %d iterations of L-BFGS. *All* is from the file, or from the first `import`, to the "
            "saved model; *convert* is the part of `caucus.Data`. Both models have the same objective."
            % (tokens, ITERATIONS), ""] + table(
                rows, [("all, s", "all", spread, True), ("convert, s", "convert", seconds, False)],
                own="program") + ["",
            judged("training through Python, in times of the program", "%.2f" % ratio, "at most %g" % AIM,
                   ratio <= AIM)]
