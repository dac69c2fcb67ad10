"""How soon a model is good: time until F1 is as good as the best, and objective and F1 against time."""

import concurrent.futures
import os
from functools import partial

import data
import score
from common.measure import Failed, median, say, take_turns
from rows import LONG
from search import SLOW_STEPS, STEPS, Learner
from tools import EXACT, PENALTIES, THREADS

NEAR = 0.05  # F1 that is less below the best is as good
CURVE_SECONDS = 150  # of one training; a curve ends before one that would take longer

# Algorithms of the peers, those that promise to be fast first: what is reached sets the limit for all
# behind it. Wapiti's bcd is not among them: with an l2 penalty an iteration takes minutes.
CRFSUITE = {"pa": STEPS, "ap": STEPS, "arow": STEPS, "l2sgd": STEPS, "lbfgs": SLOW_STEPS}
WAPITI = {"sgd-l1": STEPS, "rprop": SLOW_STEPS, "l-bfgs": SLOW_STEPS}
# Iterations after which F1 is looked at for the figure.
FEW, SOME, MANY = [1, 2, 3, 4, 6, 8, 12, 24], [2, 4, 8, 16, 32], [8, 16, 32, 64, 133]


class Curves:
    """Parts d, k, l and j; mixed into Parts, which has all else."""

    # ---- d, k, l: time until F1 is good enough ----------------------------------------------

    def learner(self, tool, algorithm, kind, threads, steps, corpus, measure, penalty="l2"):
        how = {"solver" if tool is self.caucus else "algorithm": algorithm}
        if tool is self.caucus:
            how.update(template=kind == "template", penalty=penalty)
        text = corpus.test if kind == "template" else corpus.test_items

        def train(iterations):
            model = self.path("%s.%s.%d" % (tool.name, algorithm, iterations))
            result = tool.train(corpus, model, iterations=iterations, **how)
            result["f1"] = self.score(tool, model, corpus, text, measure)
            os.remove(model)
            os.remove(model + ".tagged")
            return result

        name = algorithm if penalty == "l2" else "%s, %s" % (algorithm, penalty)
        return Learner(tool.name, name, kind, threads, steps, train)

    def measure_d(self):
        return self.race(self.corpus("conll2000, a tenth held out", data.chunking, True), score.chunk_f1)

    def measure_k(self):
        return self.race(self.corpus("conll2003, testa", data.naming, "testa"), score.chunk_f1)

    def measure_l(self):
        return self.race(self.corpus("EWT with XPOS, dev", data.tagging, 2, "dev"), score.accuracy)

    def peers_of(self, corpus, measure):
        """Learners of the peers; Wapiti reads no items, so it needs a template."""
        found = []
        if self.crfsuite:
            found += [self.learner(self.crfsuite, name, "items", False, steps, corpus, measure)
                      for name, steps in CRFSUITE.items()]
        if self.wapiti and corpus.template:
            found += [self.learner(self.wapiti, name, "template", True, steps, corpus, measure)
                      for name, steps in WAPITI.items()]
        return found

    def own(self, corpus, measure):
        """Ours: on items, and by the template where there is one; those of many iterations last. As
        Wapiti has its sgd-l1, dual ascent is tried with other penalties."""
        kinds = ["items", "template"] if corpus.template else ["items"]
        names = [(name, "l2") for name in sorted(self.caucus.solvers(), key=EXACT.count)]
        names[1:1] = [("dual", penalty) for penalty in PENALTIES if penalty != "l2"]
        return [self.learner(self.caucus, name, kind, True, SLOW_STEPS if name in EXACT else STEPS,
                             corpus, measure, penalty)
                for name, penalty in names for kind in kinds]

    def race(self, corpus, measure):
        """Looks for the fewest iterations that are enough, then times those alone. What is best
        is what some algorithm of a peer ends with, not what it passes through by luck. Where it is
        known how good all end, two that have no threads run at a time; what is timed runs alone."""
        theirs, ours = self.peers_of(corpus, measure), self.own(corpus, measure)
        if not theirs:
            return None
        with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(lambda who: who.attempt(who.steps[-1]),
                          [who for who in theirs if not who.threads]))
        for who in theirs:
            if who.threads:
                who.attempt(who.steps[-1])
        best = max(who.tried[who.steps[-1]][1] for who in theirs)
        target, fastest = best - NEAR, []
        for side in (ours, theirs):
            for who in side:
                walls = [other.wall for other in side if other.wall]
                try:
                    who.climb(target, min(walls, default=None))
                except Failed as failure:
                    say("left out: %s %s: %s" % (who.tool, who.algorithm, failure))
            fastest.append(min((who for who in side if who.wall), key=lambda who: who.wall,
                               default=None))

        # The fastest of each side once more, in turns.
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
        """{name: [(seconds, F1), ...]}, and {name: [(seconds, objective), ...]}: programs that save a
        model only at their end are trained anew for each point, whole processes one at a time.
        Objectives are those that the log of the longest training shows; where a log has only that of
        the end, those of all trainings."""
        corpus, curves, objectives = self.chunking, {}, {}
        for name, tool, kind, steps, how in self.contestants():
            if not tool:
                continue
            text, last = corpus.test if kind == "template" else corpus.test_items, 0
            curves[name], objectives[name] = [], []
            tool.train(corpus, self.path("curve.model"), iterations=steps[0], **how)  # warms up
            for step in steps if self.runs > 1 else steps[:3]:
                if curves[name] and curves[name][-1][0] * step / last > CURVE_SECONDS:
                    break
                model, last = self.path("curve.model"), step
                result = tool.train(corpus, model, iterations=step, **how)
                f1 = self.score(tool, model, corpus, text, score.chunk_f1)
                curves[name].append((result["wall"], f1))
                history = result.get("history") or []
                objectives[name] = history if len(history) > 1 else objectives[name] + history
                say("j %-22s %4d iterations %9.3f s  F1 %.2f" % (name, step, result["wall"], f1))
        return {"curves": curves, "objectives": objectives}
