"""The parts about training. The other parts are in curves.py, tagging.py and growth.py.

Each method measure_X of Parts runs part x and returns a dictionary for page.py. The trainings of a part take
turns; a very long one is not repeated.
"""

import os
from functools import partial

import data
import results
from common.measure import profile, say, take_turns
from curves import Curves
from growth import Growth
from results import LONG, rows_of
from tagging import Tagging
from tools import THREADS, WAPITI_ITERATIONS

CRFPP_ITERATIONS = 5  # enough to time one


class Parts(Curves, Growth, Tagging):
    def __init__(self, tools, runs, source, folder, limits):
        self.caucus = tools["Caucus"]
        self.crfsuite, self.wapiti, self.crfpp = (
            tools.get(name) for name in ("CRFsuite", "Wapiti", "CRF++"))
        self.runs, self.source, self.folder, self.limits = runs, source, folder, limits
        self.trained = set()  # the paths of trained models
        self.made = {}  # corpora, by name

    def corpus(self, name, make, *arguments):
        """A corpus, converted at the first call."""
        if name not in self.made:
            say("converting " + name)
            self.made[name] = make(self.source, self.folder, *arguments)
        return self.made[name]

    @property
    def chunking(self):
        return self.corpus("conll2000", data.chunking)

    @property
    def naming(self):
        return self.corpus("conll2003", data.naming)

    def tagging(self, name):
        """EWT with the labels of that name."""
        return self.corpus("EWT with " + name, data.tagging, {"UPOS": 1, "XPOS": 2}[name])

    def path(self, name):
        return os.path.join(self.folder, name)

    def model(self, tool, corpus, kind):
        return self.path("%s.%s.%s.model" % (corpus.name, kind, tool.name))

    def score(self, tool, model, corpus, text, measure):
        tool.tag(model, text, model + ".tagged")
        return measure(corpus.gold, results.predictions(model + ".tagged"))

    def compare(self, label, corpus, kind, entries, measure, suffix=""):
        """Rows of a table. The entries, [(tool or None, options)], train in turns on the items or with the
        template, as `kind` says, and tag the test data. The suffix distinguishes their models from those of
        other parts."""
        entries = [(tool, how, self.model(tool, corpus, kind + suffix)) for tool, how in entries
                   if tool]
        runs = take_turns({tool.name: partial(tool.train, corpus, model, **how)
                              for tool, how, model in entries}, self.runs, label, LONG)
        self.trained.update(model for _, _, model in entries)
        text = corpus.test if kind == "template" else corpus.test_items
        return rows_of(runs, {tool.name: self.score(tool, model, corpus, text, measure)
                                 for tool, _, model in entries})

    def profile_training(self, corpus, **how):
        command = self.caucus.train_command(corpus, self.path("profiled"), **how)
        return profile(command, THREADS, self.path("perf"))

    # ---- a: items, seen states; against CRFsuite

    def measure_a(self):
        corpus = self.chunking
        rows = self.compare("a train", corpus, "items",
                            [(self.caucus, {}), (self.crfsuite, {})], results.chunk_f1)
        return {"rows": rows, "corpus": corpus, "profile": self.profile_training(corpus),
                "limit": self.share_of_limit(rows, corpus.occurrences, corpus.touched)}

    def share_of_limit(self, rows, occurrences, touched):
        """The share of the memory bandwidth that a pass of ours would need without caches: at least 4 bytes for
        the number of each occurrence, and 8 bytes for each of its labels (a weight read and a gradient
        written in single precision)."""
        each = rows["Caucus"]["pass"]
        if not self.limits or not each:
            return None
        moved = 4 * occurrences + 8 * touched
        return {"occurrences": occurrences, "touched": touched, "bytes": moved,
                "share": moved / each / self.limits.triad[THREADS]}

    # ---- b: template, all states; against Wapiti and CRF++

    def measure_b(self):
        corpus = self.chunking
        rows = self.compare("b train", corpus, "template",
                            [(self.caucus, {"template": True}), (self.wapiti, {})],
                            results.chunk_f1)
        if self.crfpp:
            rows["CRF++ (estimate)"] = self.estimate(rows)
        occurrences = len(data.CHUNKING) * corpus.tokens
        return {"rows": rows, "corpus": corpus,
                "profile": self.profile_training(corpus, template=True),
                "limit": self.share_of_limit(rows, occurrences, occurrences * corpus.labels)}

    def estimate(self, rows):
        """An estimate for CRF++ with as many iterations as Wapiti needs, from a few iterations."""
        wanted = rows["Wapiti"]["iterations"] if "Wapiti" in rows else WAPITI_ITERATIONS
        model = self.model(self.crfpp, self.chunking, "template")
        result = take_turns({"CRF++": partial(self.crfpp.train, self.chunking, model,
                                              CRFPP_ITERATIONS)},
                            1, "b a few iterations", LONG)["CRF++"][0]
        self.trained.add(model)
        more = (wanted - result["iterations"]) * result["each"]
        return {"train": result["wall"] + more, "peak": result["peak"], "iterations": wanted,
                "pass": result["each"], "size": result["size"] / 1e6,
                "history": result["history"]}

    # ---- c: few labels and many

    def measure_c(self):
        found = {}
        for name in ("UPOS", "XPOS"):
            corpus = self.tagging(name)
            rows = self.compare("c train " + name, corpus, "items",
                                [(self.caucus, {}), (self.crfsuite, {})], results.accuracy)
            found[name] = {"rows": rows, "corpus": corpus}
        return found

    # ---- g: names; against CRFsuite

    def measure_g(self):
        corpus = self.naming
        rows = self.compare("g train", corpus, "items",
                            [(self.caucus, {}), (self.crfsuite, {})], results.chunk_f1)
        return {"rows": rows, "corpus": corpus,
                "limit": self.share_of_limit(rows, corpus.occurrences, corpus.touched)}

    # ---- h: an l1 penalty; against CRFsuite and Wapiti

    def measure_h(self):
        corpus, found = self.chunking, {}
        for kind, peer in (("items", self.crfsuite), ("template", self.wapiti)):
            ours = {"template": kind == "template", "penalty": "l1"}
            rows = self.compare("h train " + kind, corpus, kind,
                                [(self.caucus, ours), (peer, {"penalty": "l1"})], results.chunk_f1,
                                ".l1")
            found[kind] = {"rows": rows, "peer": peer and peer.name}
        return {"corpus": corpus, "kinds": found}
