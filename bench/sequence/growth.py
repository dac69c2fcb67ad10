"""Growth of the cost with the data and with the number of labels."""

import math
from functools import partial

import data
from common.corpora import repeat
from common.measure import Failed, median, say, take_turns
from results import LONG, rows_of
from tools import DUAL, THREADS

GROWTH = (1, 4, 16)  # times the training data
GROWTH_ITERATIONS = 6
LABEL_ITERATIONS = {"lbfgs": 8, DUAL: 4}  # enough to time one


class Growth:
    """Parts f and i; a mixin of Parts."""

    # ---- f: more data

    def measure_f(self):
        """On one thread, because the machine slows down when two work for long."""
        corpus, jobs = self.chunking, {}
        for times in GROWTH:
            text = repeat(corpus.train, corpus.path("train%d.txt" % times), times)
            jobs["%dx" % times] = partial(self.caucus.train, corpus, self.path("grown.model"),
                                          template=True, text=text, iterations=GROWTH_ITERATIONS,
                                          threads=1)
        results, rows = take_turns(jobs, self.runs, "f train", LONG), {}
        for times in GROWTH:
            name = "%dx" % times
            row = rows_of({"": results[name]}, {})[""]
            row["times"], row["tokens"] = times, times * corpus.tokens
            row["pass"] = median(results[name], "each")
            row["token"] = row["pass"] and 1e9 * row["pass"] / row["tokens"]
            rows[name] = row
        return {"rows": rows}

    # ---- i: many labels

    def measure_i(self):
        """The same tokens with three sets of labels, by each solver. An epoch of dual ascent counts as a pass,
        because it visits each sequence once."""
        corpora = {name: self.corpus("conll2000, labels: " + name, data.many_labels, name)
                   for name in data.LABELLINGS}
        found = {}
        for solver, iterations in LABEL_ITERATIONS.items():
            jobs = {name: partial(self.caucus.train, corpus, self.path("labels.model"),
                                  template=True, states="seen", solver=solver,
                                  iterations=iterations)
                    for name, corpus in corpora.items()}
            try:
                results = take_turns(jobs, self.runs, "i train " + solver, LONG)
            except Failed as failure:
                say("left out: solver %s: %s" % (solver, failure))
                continue
            found[solver] = self.cost_of_labels(results, corpora)
        return {"solvers": found, "limits": self.limits}

    def cost_of_labels(self, results, corpora):
        """{name: row}. Forward, backward and the expected transitions take Y^2 multiply-adds for each token."""
        rows, before = {}, None
        for name, corpus in corpora.items():
            each = median(results[name], "each")
            flops = 3 * 2 * corpus.labels ** 2 * corpus.tokens / each
            row = {"labels": corpus.labels, "pass": each, "token": 1e9 * each / corpus.tokens,
                   "peak": median(results[name], "peak"), "flops": flops,
                   "share": self.limits and flops / self.limits.double[THREADS]}
            if before:
                row["exponent"] = (math.log(row["token"] / before["token"])
                                   / math.log(row["labels"] / before["labels"]))
            rows[name] = before = row
        return rows
