"""The parts of the benchmark: what is run, in which order, and what is kept of it.

Each method measure_X of Parts runs one part and returns a dictionary that page.py can write.
Trainings of a part take turns; one that took more than a minute is not repeated.
"""

import concurrent.futures
import os

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
        self.trained = set()  # models that this run has trained to the end
        self.made = None

    @property
    def chunking(self):
        if not self.made:
            say("making the data of conll2000")
            self.made = data.chunking(self.source, self.folder)
        return self.made

    def model(self, name):
        return os.path.join(self.folder, name + ".model")

    def chunk_f1(self, tool, model, text):
        out = model + ".tagged"
        tool.tag(model, text, out)
        return score.chunk_f1(self.chunking.gold, score.guesses(out))

    # ---- a: items, what occurs; against CRFsuite --------------------------------------------

    def measure_a(self):
        corpus, models = self.chunking, {}
        jobs = {}
        for tool in (self.caucus, self.crfsuite):
            if tool:
                model = models[tool.name] = self.model(tool.name + ".items")
                jobs[tool.name] = lambda tool=tool, model=model: tool.train(corpus, model)
        results = take_turns(jobs, self.runs, "a train", LONG)
        self.trained.update(models.values())
        scores = {tool.name: self.chunk_f1(tool, models[tool.name], corpus.test_items)
                  for tool in (self.caucus, self.crfsuite) if tool}
        command = self.caucus.train_command(corpus, self.model("profiled"))
        return {"rows": rows_of(results, scores), "corpus": corpus,
                "profile": profile(command, THREADS, self.model("perf"))}

    # ---- b: the template, everything; against Wapiti and CRF++ ------------------------------

    def measure_b(self):
        corpus, models = self.chunking, {}
        jobs = {}
        models["Caucus"] = self.model("Caucus.template")
        jobs["Caucus"] = lambda: self.caucus.train(corpus, models["Caucus"], template=True)
        if self.wapiti:
            models["Wapiti"] = self.model("Wapiti.template")
            jobs["Wapiti"] = lambda: self.wapiti.train(corpus, models["Wapiti"])
        results = take_turns(jobs, self.runs, "b train", LONG)
        self.trained.update(models.values())
        scores = {name: self.chunk_f1(tool, models[name], corpus.test)
                  for name, tool in (("Caucus", self.caucus), ("Wapiti", self.wapiti)) if tool}
        rows = rows_of(results, scores)
        if self.crfpp:
            rows["CRF++ (estimate)"] = self.estimate(rows)
        command = self.caucus.train_command(corpus, self.model("profiled"), template=True)
        return {"rows": rows, "corpus": corpus,
                "profile": profile(command, THREADS, self.model("perf"))}

    def estimate(self, rows):
        """What CRF++ would take for as many iterations as Wapiti needs, from a few of its own."""
        wanted = rows["Wapiti"]["iterations"] if "Wapiti" in rows else WAPITI_ITERATIONS
        model = self.model("CRF++.template")
        result = take_turns({"CRF++": lambda: self.crfpp.train(self.chunking, model,
                                                               CRFPP_ITERATIONS)},
                            1, "b a few iterations", LONG)["CRF++"][0]
        more = (wanted - result["iterations"]) * result["each"]
        return {"train": result["wall"] + more, "peak": result["peak"], "iterations": wanted,
                "pass": result["each"], "size": result["size"] / 1e6}

    # ---- c: few labels and many -------------------------------------------------------------

    def measure_c(self):
        found = {}
        for label, name in ((1, "UPOS"), (2, "XPOS")):
            say("making the data of EWT with " + name)
            corpus = data.tagging(self.source, self.folder, label)
            jobs, models, tools = {}, {}, [t for t in (self.caucus, self.crfsuite) if t]
            for tool in tools:
                model = models[tool.name] = self.model(tool.name + "." + name)
                jobs[tool.name] = lambda tool=tool, model=model: tool.train(corpus, model)
            results = take_turns(jobs, self.runs, "c train " + name, LONG)
            scores = {}
            for tool in tools:
                out = models[tool.name] + ".tagged"
                tool.tag(models[tool.name], corpus.test_items, out)
                scores[tool.name] = score.accuracy(corpus.gold, score.guesses(out))
            found[name] = {"rows": rows_of(results, scores), "corpus": corpus}
        return found

    # ---- d: time until F1 is good enough ----------------------------------------------------

    def learner(self, tool, keyword, algorithm, steps):
        corpus, model = self.chunking, self.model("%s.%s" % (tool.name, algorithm))

        def train(iterations):
            path = "%s.%d" % (model, iterations)
            result = tool.train(corpus, path, iterations=iterations, **{keyword: algorithm})
            result["f1"] = self.chunk_f1(tool, path, corpus.test_items)
            os.remove(path)
            os.remove(path + ".tagged")
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
        again = take_turns({who.tool: lambda who=who: who.train(who.iterations)
                            for who in fastest if who}, self.runs, "d fastest", LONG)
        for who in fastest:
            if who:
                who.wall = median(again[who.tool], "wall")
        return {"best": best, "target": target, "learners": ours + theirs, "fastest": fastest}

    # ---- e: tagging -------------------------------------------------------------------------

    def ready(self, name, train):
        """The path of a model: trained by an earlier part, or now by the function given."""
        model = self.model(name)
        if model not in self.trained and not (name.startswith("CRF++") and os.path.exists(model)):
            say("e training " + name)
            train(model)
            self.trained.add(model)
        return model

    def measure_e(self):
        corpus = self.chunking
        test_tokens = sum(len(sentence) for sentence in corpus.gold)
        times = -(-TAGGED_TOKENS // test_tokens)
        columns = data.repeat(corpus.test, corpus.path("many.txt"), times)
        users = {"Caucus": (self.caucus, self.ready("Caucus.template", lambda model:
                            self.caucus.train(corpus, model, template=True)), columns, corpus.one)}
        if self.crfpp:
            users["CRF++"] = (self.crfpp, self.ready("CRF++.template", lambda model:
                              self.crfpp.train(corpus, model, TAGGED_BRIEFLY)), columns, corpus.one)
        if self.wapiti:
            users["Wapiti"] = (self.wapiti, self.ready("Wapiti.template", lambda model:
                               self.wapiti.train(corpus, model, TAGGED_BRIEFLY)), columns,
                               corpus.one)
        if self.crfsuite:
            items = data.repeat(corpus.test_items, corpus.path("many.items"), times)
            users["CRFsuite on items"] = (
                self.crfsuite, self.ready("CRFsuite.items", lambda model: self.crfsuite.train(
                    corpus, model, iterations=TAGGED_BRIEFLY)), items, corpus.one_items)

        out, ones, manies = corpus.path("tagged"), {}, {}
        for name, (tool, model, many, one) in users.items():
            ones[name] = lambda tool=tool, model=model, one=one: tool.tag(model, one, out,
                                                                          memory=False)
            manies[name] = lambda tool=tool, model=model, many=many: tool.tag(model, many, out)
        with one_core():
            opened = take_turns(ones, max(OPENINGS, self.runs), "e one sentence", 1)
            tagged = take_turns(manies, self.runs, "e tag", LONG)
            tool, model, many, _ = users["Caucus"]
            shares = profile(tool.tag_command(model, many), 1, self.model("perf"))
        rows = {}
        for name in users:
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
            jobs["%dx" % times] = lambda text=text: self.caucus.train(
                corpus, self.model("grown"), template=True, text=text,
                iterations=GROWTH_ITERATIONS)
        results, rows = take_turns(jobs, self.runs, "f train", LONG), {}
        for times in (1, 2, 4):
            runs = results["%dx" % times]
            row = rows_of({"": runs}, {})[""]
            row["tokens"] = times * corpus.tokens
            row["token"] = row["pass"] and 1e9 * row["pass"] / row["tokens"]
            row["rate"] = row["tokens"] / row["train"]
            rows["%dx" % times] = row
        return {"rows": rows}
