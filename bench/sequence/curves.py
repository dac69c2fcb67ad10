"""How soon a model is good: time until F1 is as good as the best, and F1 against time."""

import concurrent.futures
import os
from functools import partial

import score
from common.measure import Failed, median, say, take_turns
from rows import LONG
from search import SLOW_STEPS, STEPS, Learner
from tools import THREADS

NEAR = 0.05  # F1 that is less below the best is as good
CURVE_SECONDS = 150  # of one training; a curve ends before one that would take longer

ALGORITHMS = {"lbfgs": SLOW_STEPS, "l2sgd": STEPS, "ap": STEPS, "pa": STEPS, "arow": STEPS}
# Iterations after which F1 is looked at for the figure.
FEW, SOME, MANY = [1, 2, 3, 4, 6, 8, 12, 24], [2, 4, 8, 16, 32], [8, 16, 32, 64, 133]


class Curves:
    """Parts d and j; mixed into Parts, which has all else."""

    # ---- d: time until F1 is good enough ----------------------------------------------------

    def tasks(self):
        """{title: (corpus, measure)} that part d goes over; the first alone for a quick look."""
        found = {"CoNLL-2000 chunking": (self.chunking, score.chunk_f1)}
        if self.runs > 1:
            found["CoNLL-2003 names"] = (self.naming, score.chunk_f1)
            found["EWT, Penn tags"] = (self.tagging("XPOS"), score.accuracy)
        return found

    def learner(self, tool, keyword, algorithm, steps, corpus, measure):
        def train(iterations):
            model = self.path("%s.%s.%d" % (tool.name, algorithm, iterations))
            result = tool.train(corpus, model, iterations=iterations, **{keyword: algorithm})
            result["f1"] = self.score(tool, model, corpus, corpus.test_items, measure)
            os.remove(model)
            os.remove(model + ".tagged")
            return result

        return Learner(tool.name, algorithm, steps, train)

    def measure_d(self):
        if not self.crfsuite:
            return None
        return {title: self.race(*task) for title, task in self.tasks().items()}

    def race(self, corpus, measure):
        """Looks for the fewest iterations that are enough, then times those alone. What is best
        is what some algorithm ends with, not what it passes through by luck. CRFsuite has no
        threads, so two of its searches run at a time; only what is timed runs alone."""
        theirs = [self.learner(self.crfsuite, "algorithm", name, steps, corpus, measure)
                  for name, steps in ALGORITHMS.items()]
        jobs = sorted(((n, who) for who in theirs for n in who.steps), key=lambda job: -job[0])
        with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(lambda job: job[1].attempt(job[0]), jobs))
            best = max(who.f1[who.steps[-1]] for who in theirs)
            target = best - NEAR
            list(pool.map(lambda who: who.settle(target), theirs))
        for who in theirs:
            who.time()

        ours = []
        for name in self.caucus.solvers():
            who = self.learner(self.caucus, "solver", name, sorted({*STEPS, *SLOW_STEPS}), corpus,
                               measure)
            try:
                who.climb(target)
                who.settle(target)
                who.time()
                ours.append(who)
            except Failed as failure:
                say("left out: solver %s: %s" % (name, failure))

        # The fastest of each side once more, in turns.
        fastest = [min((who for who in side if who.wall), key=lambda who: who.wall, default=None)
                   for side in (ours, theirs)]
        again = take_turns({who.tool: partial(who.train, who.iterations)
                            for who in fastest if who}, self.runs, "d fastest", LONG)
        for who in fastest:
            if who:
                who.wall = median(again[who.tool], "wall")
        return {"best": best, "target": target, "learners": ours + theirs, "fastest": fastest}

    # ---- j: F1 against time -----------------------------------------------------------------

    def contestants(self):
        """(name, tool, kind, steps, how to train) of each curve, on CoNLL-2000."""
        return [
            ("Caucus dual, items", self.caucus, "items", FEW, {"solver": "dual"}),
            ("Caucus lbfgs, items", self.caucus, "items", MANY, {"solver": "lbfgs"}),
            ("Caucus dual, template", self.caucus, "template", FEW,
             {"template": True, "solver": "dual"}),
            ("CRFsuite lbfgs, items", self.crfsuite, "items", MANY, {"algorithm": "lbfgs"}),
            ("CRFsuite l2sgd, items", self.crfsuite, "items", SOME, {"algorithm": "l2sgd"}),
            ("CRFsuite pa, items", self.crfsuite, "items", SOME, {"algorithm": "pa"}),
            ("Wapiti, template", self.wapiti, "template", MANY, {}),
            ("CRF++, template", self.crfpp, "template", SOME, {}),
        ]

    def measure_j(self):
        """{name: [(seconds, F1, objective), ...]}: programs that save a model only at their end are
        trained anew for each point, whole processes one at a time."""
        corpus, curves = self.chunking, {}
        for name, tool, kind, steps, how in self.contestants():
            if not tool:
                continue
            text, last = corpus.test if kind == "template" else corpus.test_items, 0
            curves[name] = []
            for step in steps if self.runs > 1 else steps[:3]:
                if curves[name] and curves[name][-1][0] * step / last > CURVE_SECONDS:
                    break
                model, last = self.path("curve.model"), step
                result = tool.train(corpus, model, iterations=step, **how)
                f1 = self.score(tool, model, corpus, text, score.chunk_f1)
                curves[name].append((result["wall"], f1, result.get("objective")))
                say("j %-22s %4d iterations %9.3f s  F1 %.2f" % (name, step, result["wall"], f1))
        return {"curves": curves}
