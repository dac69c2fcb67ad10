"""Time to a good model: the time until F1 is near the best, and objective and F1 against time."""

import concurrent.futures
import math
import os
from functools import partial

import data
import results
from common.measure import Failed, median, say, take_turns
from common.plot import draw
from results import LONG
from search import SLOW_STEPS, STEPS, Learner
from tools import DUAL, EXACT, PENALTIES, THREADS

NEAR = 0.05  # F1 within this distance of the best is good enough
CURVE_SECONDS = 150  # a curve ends before a training that would take longer

# Algorithms of the peers, fast ones first, because the time of each limits those after it. Wapiti's bcd is left
# out: with an l2 penalty an iteration takes minutes.
CRFSUITE = {"pa": STEPS, "ap": STEPS, "arow": STEPS, "l2sgd": STEPS, "lbfgs": SLOW_STEPS}
WAPITI = {"sgd-l1": STEPS, "rprop": SLOW_STEPS, "l-bfgs": SLOW_STEPS}
# Iterations after which the figure has a point.
FEW, SOME, MANY = [1, 2, 3, 4, 6, 8, 12, 24], [2, 4, 8, 16, 32], [8, 16, 32, 64, 133]
LEAST = 1e-6  # the smallest distance drawn
SHOWN = 4  # the range of F1 below the best, in points


def distances(lines):
    """The relative distances of objectives to the best of them; each line ends at LEAST."""
    best, found = min((value for steps in lines.values() for _, value in steps), default=None), {}
    for name, steps in lines.items():
        found[name] = []
        for when, objective in steps:
            found[name].append((when, max(objective / best - 1, LEAST)))
            if found[name][-1][1] == LEAST:
                break
    return found


def draw_figures(found, stem):
    """Draws the results of part j; the paths of the figures, {"objective": path, "f1": path}. Objectives on
    items and with the template belong to different models, each with its own best."""
    lines = {}
    for kind in ("items", "template"):
        lines.update(distances({name: steps for name, steps in found["objectives"].items()
                                if len(steps) > 1 and name.endswith(kind)}))
    lines = {name: lines.get(name, []) for name in found["curves"]}  # the same style in both figures
    best = max(f1 for points in found["curves"].values() for _, f1 in points)
    top = math.ceil(2 * best) / 2
    return {"objective": draw(stem + "-objective.svg", "CoNLL-2000: objective above the best", "seconds",
                              "relative distance to the best", lines, log_x=True, log_y=True,
                              y_range=(LEAST, 10)),
            "f1": draw(stem + "-f1.svg", "CoNLL-2000: F1 on the test data", "seconds", "F1",
                       found["curves"], log_x=True, y_range=(top - SHOWN, top))}


class Curves:
    """Parts d, k, l and j; a mixin of Parts."""

    # ---- d, k, l: time to a good F1

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
        return self.time_to_f1(self.corpus("conll2000, a tenth held out", data.chunking, True), results.chunk_f1)

    def measure_k(self):
        return self.time_to_f1(self.corpus("conll2003, testa", data.naming, "testa"), results.chunk_f1)

    def measure_l(self):
        return self.time_to_f1(self.corpus("EWT with XPOS, dev", data.tagging, 2, "dev"), results.accuracy)

    def peers_of(self, corpus, measure):
        """The learners of the peers. Wapiti cannot read items, so it needs a template."""
        found = []
        if self.crfsuite:
            found += [self.learner(self.crfsuite, name, "items", False, steps, corpus, measure)
                      for name, steps in CRFSUITE.items()]
        if self.wapiti and corpus.template:
            found += [self.learner(self.wapiti, name, "template", True, steps, corpus, measure)
                      for name, steps in WAPITI.items()]
        return found

    def own(self, corpus, measure):
        """Our learners, on items and with the template if there is one; solvers of many iterations last. As
        Wapiti has sgd-l1, dual ascent also runs with other penalties."""
        kinds = ["items", "template"] if corpus.template else ["items"]
        names = [(name, "l2") for name in sorted(self.caucus.solvers(), key=EXACT.count)]
        names[1:1] = [(DUAL, penalty) for penalty in PENALTIES if penalty != "l2"]
        return [self.learner(self.caucus, name, kind, True, SLOW_STEPS if name in EXACT else STEPS,
                             corpus, measure, penalty)
                for name, penalty in names for kind in kinds]

    def time_to_f1(self, corpus, measure):
        """Searches for the fewest iterations of each learner that are enough, and times them. The best F1 is
        one that an algorithm of a peer ends with, not one it passes by chance. To find it, two
        single-threaded learners run at a time; timed runs have the machine for themselves."""
        theirs, ours = self.peers_of(corpus, measure), self.own(corpus, measure)
        if not theirs:
            return None
        with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(lambda learner: learner.attempt(learner.steps[-1]),
                          [learner for learner in theirs if not learner.threads]))
        for learner in theirs:
            if learner.threads:
                learner.attempt(learner.steps[-1])
        best = max(learner.tried[learner.steps[-1]][1] for learner in theirs)
        target, fastest = best - NEAR, []
        for side in (ours, theirs):
            for learner in side:
                walls = [other.wall for other in side if other.wall]
                try:
                    learner.climb(target, min(walls, default=None))
                except Failed as failure:
                    say("left out: %s %s: %s" % (learner.tool, learner.algorithm, failure))
            fastest.append(min((learner for learner in side if learner.wall), key=lambda learner: learner.wall,
                               default=None))

        # The fastest learner of each side again, in turns.
        again = take_turns({learner.tool: partial(learner.train, learner.iterations)
                            for learner in fastest if learner}, self.runs, "d fastest", LONG)
        for learner in fastest:
            if learner:
                learner.wall = median(again[learner.tool], "wall")
        return {"best": best, "target": target, "learners": ours + theirs, "fastest": fastest}

    # ---- j: F1 against time

    def curves(self):
        """(name, tool, kind, steps, options of training) of each curve, on CoNLL-2000."""
        return [
            ("Caucus %s, items" % DUAL, self.caucus, "items", FEW, {"solver": DUAL}),
            ("Caucus lbfgs, items", self.caucus, "items", MANY, {"solver": "lbfgs"}),
            ("Caucus %s, template" % DUAL, self.caucus, "template", FEW,
             {"template": True, "solver": DUAL}),
            ("CRFsuite lbfgs, items", self.crfsuite, "items", MANY, {"algorithm": "lbfgs"}),
            ("CRFsuite l2sgd, items", self.crfsuite, "items", SOME, {"algorithm": "l2sgd"}),
            ("CRFsuite pa, items", self.crfsuite, "items", SOME, {"algorithm": "pa"}),
            ("Wapiti, template", self.wapiti, "template", MANY, {}),
            ("CRF++, template", self.crfpp, "template", SOME, {}),
        ]

    def measure_j(self):
        """{name: [(seconds, F1), ...]} and {name: [(seconds, objective), ...]}. Programs save a model only at
        their end, so each point is a training of its own. Objectives are those in the log of the longest
        training, or of all trainings if a log has only the last objective."""
        corpus, curves, objectives = self.chunking, {}, {}
        for name, tool, kind, steps, how in self.curves():
            if not tool:
                continue
            text, last = corpus.test if kind == "template" else corpus.test_items, 0
            curves[name], objectives[name] = [], []
            tool.train(corpus, self.path("curve.model"), iterations=steps[0], **how)  # warm-up
            for step in steps if self.runs > 1 else steps[:3]:
                if curves[name] and curves[name][-1][0] * step / last > CURVE_SECONDS:
                    break
                model, last = self.path("curve.model"), step
                result = tool.train(corpus, model, iterations=step, **how)
                f1 = self.score(tool, model, corpus, text, results.chunk_f1)
                curves[name].append((result["wall"], f1))
                history = result.get("history") or []
                objectives[name] = history if len(history) > 1 else objectives[name] + history
                say("j %-22s %4d iterations %9.3f s  F1 %.2f" % (name, step, result["wall"], f1))
        return {"curves": curves, "objectives": objectives}
