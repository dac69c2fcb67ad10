"""The parts of the benchmark: what is run, in which order, and what is kept of it.

Each method measure_X of Parts runs one part and returns a dictionary that page.py can write.
Trainings of a part take turns; one that took more than a minute is not repeated.
"""

import concurrent.futures
import os
from functools import partial

import data
import score
from common.measure import Failed, median, one_core, profile, say, take_turns
from search import SLOW_STEPS, STEPS, Learner
from tools import THREADS, WAPITI_ITERATIONS

LONG = 60  # seconds: a training that takes longer runs once
CLOSE = 1e-4  # objectives that differ by less, relative to the best, are as good
NEAR = 0.05  # F1 that is less below the best is as good
CRFPP_ITERATIONS = 5  # enough to see what one takes
TAGGED_TOKENS = 1000000
OPENINGS = 11
TAGGED_BRIEFLY = 3  # iterations of a model that only serves to measure tagging
GROWTH_ITERATIONS = 20

ALGORITHMS = {"lbfgs": SLOW_STEPS, "l2sgd": STEPS, "ap": STEPS, "pa": STEPS, "arow": STEPS}


def first_near(history, best):
    """The second at which the objective was within CLOSE of the best; None if it never was."""
    for when, objective in history or []:
        if objective <= best * (1 + CLOSE):
            return when
    return None


def rows_of(results, scores):
    """The medians of each tool, for a table."""
    objectives = [runs[-1]["objective"] for runs in results.values()
                  if runs[-1].get("objective") is not None]
    best = min(objectives) if objectives else None
    rows = {}
    for name, runs in results.items():
        last = runs[-1]
        rows[name] = {
            "train": median(runs, "wall"), "peak": median(runs, "peak"), "runs": len(runs),
            "near": best and median([{"near": first_near(run.get("history"), best)}
                                     for run in runs], "near"),
            "iterations": last.get("iterations"), "passes": last.get("passes"),
            "pass": median([{"pass": run["fit"] / run["passes"]} for run in runs
                            if run.get("fit") and run.get("passes")], "pass"),
            "objective": last.get("objective"), "size": last["size"] / 1e6,
            "score": scores.get(name),
        }
    return rows


class Parts:
    def __init__(self, tools, runs, source, folder):
        self.caucus = tools["Caucus"]
        self.crfsuite, self.wapiti, self.crfpp = (
            tools.get(name) for name in ("CRFsuite", "Wapiti", "CRF++"))
        self.runs, self.source, self.folder = runs, source, folder
        self.trained = set()  # paths of the models that are there
        self.made = None

    @property
    def chunking(self):
        if not self.made:
            say("making the data of conll2000")
            self.made = data.chunking(self.source, self.folder)
        return self.made

    def path(self, name):
        return os.path.join(self.folder, name)

    def model(self, tool, corpus, kind):
        return self.path("%s.%s.%s.model" % (corpus.name, kind, tool.name))

    def score(self, tool, model, corpus, text, measure):
        tool.tag(model, text, model + ".tagged")
        return measure(corpus.gold, score.guesses(model + ".tagged"))

    def contest(self, label, corpus, kind, entries, measure):
        """Rows of a table: all entries, [(tool or None, how to train)], train in turns on the
        items or by the template, which kind says, and tag the test data."""
        entries = [(tool, how, self.model(tool, corpus, kind)) for tool, how in entries if tool]
        results = take_turns({tool.name: partial(tool.train, corpus, model, **how)
                              for tool, how, model in entries}, self.runs, label, LONG)
        self.trained.update(model for _, _, model in entries)
        text = corpus.test if kind == "template" else corpus.test_items
        return rows_of(results, {tool.name: self.score(tool, model, corpus, text, measure)
                                 for tool, _, model in entries})

    def profile_training(self, corpus, **how):
        command = self.caucus.train_command(corpus, self.path("profiled"), **how)
        return profile(command, THREADS, self.path("perf"))

    # ---- a: items, what occurs; against CRFsuite --------------------------------------------

    def measure_a(self):
        corpus = self.chunking
        rows = self.contest("a train", corpus, "items",
                            [(self.caucus, {}), (self.crfsuite, {})], score.chunk_f1)
        return {"rows": rows, "corpus": corpus, "profile": self.profile_training(corpus)}

    # ---- b: the template, everything; against Wapiti and CRF++ ------------------------------

    def measure_b(self):
        corpus = self.chunking
        rows = self.contest("b train", corpus, "template",
                            [(self.caucus, {"template": True}), (self.wapiti, {})],
                            score.chunk_f1)
        if self.crfpp:
            rows["CRF++ (estimate)"] = self.estimate(rows)
        return {"rows": rows, "corpus": corpus,
                "profile": self.profile_training(corpus, template=True)}

    def estimate(self, rows):
        """What CRF++ would take for as many iterations as Wapiti needs, from a few of its own."""
        wanted = rows["Wapiti"]["iterations"] if "Wapiti" in rows else WAPITI_ITERATIONS
        model = self.model(self.crfpp, self.chunking, "template")
        result = take_turns({"CRF++": partial(self.crfpp.train, self.chunking, model,
                                              CRFPP_ITERATIONS)},
                            1, "b a few iterations", LONG)["CRF++"][0]
        self.trained.add(model)
        more = (wanted - result["iterations"]) * result["each"]
        return {"train": result["wall"] + more, "peak": result["peak"], "iterations": wanted,
                "pass": result["each"], "size": result["size"] / 1e6}

    # ---- c: few labels and many -------------------------------------------------------------

    def measure_c(self):
        found = {}
        for label, name in ((1, "UPOS"), (2, "XPOS")):
            say("making the data of EWT with " + name)
            corpus = data.tagging(self.source, self.folder, label)
            rows = self.contest("c train " + name, corpus, "items",
                                [(self.caucus, {}), (self.crfsuite, {})], score.accuracy)
            found[name] = {"rows": rows, "corpus": corpus}
        return found

    # ---- d: time until F1 is good enough ----------------------------------------------------

    def learner(self, tool, keyword, algorithm, steps):
        corpus = self.chunking

        def train(iterations):
            model = self.path("%s.%s.%d" % (tool.name, algorithm, iterations))
            result = tool.train(corpus, model, iterations=iterations, **{keyword: algorithm})
            result["f1"] = self.score(tool, model, corpus, corpus.test_items, score.chunk_f1)
            os.remove(model)
            os.remove(model + ".tagged")
            return result

        return Learner(tool.name, algorithm, steps, train)

    def measure_d(self):
        """Looks for the fewest iterations that are enough, then times those alone. What is best
        is what some algorithm ends with, not what it passes through by luck. CRFsuite has no
        threads, so two of its searches run at a time; only what is timed runs alone."""
        if not self.crfsuite:
            return None
        theirs = [self.learner(self.crfsuite, "algorithm", name, steps)
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
            who = self.learner(self.caucus, "solver", name, sorted({*STEPS, *SLOW_STEPS}))
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

    # ---- e: tagging -------------------------------------------------------------------------

    def ready(self, tool, kind, **how):
        """The path of a model: made by an earlier part, or now in the way given."""
        model = self.model(tool, self.chunking, kind)
        if model not in self.trained:
            say("e needs a model of " + tool.name)
            tool.train(self.chunking, model, **how)
            self.trained.add(model)
        return model

    def measure_e(self):
        corpus, out, brief = self.chunking, self.path("tagged"), {"iterations": TAGGED_BRIEFLY}
        test_tokens = sum(len(sentence) for sentence in corpus.gold)
        times = -(-TAGGED_TOKENS // test_tokens)
        columns = data.repeat(corpus.test, corpus.path("many.txt"), times)
        entries = [(self.caucus, "template", {"template": True}), (self.crfpp, "template", brief),
                   (self.wapiti, "template", brief), (self.crfsuite, "items", brief)]
        ones, manies = {}, {}
        for tool, kind, how in entries:
            if tool:
                model, many, one = self.ready(tool, kind, **how), columns, corpus.one
                if kind == "items":
                    many = data.repeat(corpus.test_items, corpus.path("many.items"), times)
                    one = corpus.one_items
                ones[tool.name] = partial(tool.tag, model, one, out, memory=False)
                manies[tool.name] = partial(tool.tag, model, many, out)
        with one_core():
            opened = take_turns(ones, max(OPENINGS, self.runs), "e one sentence", 1)
            tagged = take_turns(manies, self.runs, "e tag", LONG)
            command = self.caucus.tag_command(self.ready(self.caucus, "template"), columns)
            shares = profile(command, 1, self.path("perf"))
        rows = {}
        for name in ones:
            one, all_of_it = median(opened[name], "wall"), median(tagged[name], "wall")
            rows[name] = {"wall": all_of_it, "open": 1000 * one,
                          "peak": median(tagged[name], "peak"),
                          "rate": test_tokens * times / (all_of_it - one)}
        return {"rows": rows, "tokens": test_tokens * times, "profile": shares}

    # ---- f: more data -----------------------------------------------------------------------

    def measure_f(self):
        corpus, jobs = self.chunking, {}
        for times in (1, 2, 4):
            text = data.repeat(corpus.train, corpus.path("train%d.txt" % times), times)
            jobs["%dx" % times] = partial(self.caucus.train, corpus, self.path("grown.model"),
                                          template=True, text=text, iterations=GROWTH_ITERATIONS)
        results, rows = take_turns(jobs, self.runs, "f train", LONG), {}
        for times in (1, 2, 4):
            runs = results["%dx" % times]
            row = rows_of({"": runs}, {})[""]
            row["tokens"] = times * corpus.tokens
            row["token"] = row["pass"] and 1e9 * row["pass"] / row["tokens"]
            rows["%dx" % times] = row
        return {"rows": rows}
