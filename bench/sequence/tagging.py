"""The speed of tagging and of opening a model."""

import os
from functools import partial

from common.corpora import repeat
from common.measure import median, one_core, profile, say, take_turns
from results import LONG
from tools import THREADS

TAGGED_TOKENS = 1000000
OPENINGS = 11
TAGGED_BRIEFLY = 3  # iterations of a model that only serves to measure tagging speed


def on_one_core(job):
    with one_core():
        return job()


class Tagging:
    """Part e; a mixin of Parts."""

    def model_of(self, tool, kind, **how):
        """The path of a model, trained by an earlier part or now with these options."""
        model = self.model(tool, self.chunking, kind)
        if model not in self.trained:
            say("e needs a model of " + tool.name)
            tool.train(self.chunking, model, **how)
            self.trained.add(model)
        return model

    def measure_e(self):
        """All tools on one core, and Caucus also on two, in turns."""
        corpus, out, brief = self.chunking, self.path("tagged"), {"iterations": TAGGED_BRIEFLY}
        test_tokens = sum(len(sentence) for sentence in corpus.gold)
        times = -(-TAGGED_TOKENS // test_tokens)
        columns = repeat(corpus.test, corpus.path("many.txt"), times)
        entries = [(self.caucus, "template", {"template": True}), (self.crfpp, "template", brief),
                   (self.wapiti, "template", brief), (self.crfsuite, "items", brief)]
        ones, manies = {}, {}
        for tool, kind, how in entries:
            if tool:
                model, many, one = self.model_of(tool, kind, **how), columns, corpus.one
                if kind == "items":
                    many = repeat(corpus.test_items, corpus.path("many.items"), times)
                    one = corpus.one_items
                ones[tool.name] = partial(on_one_core, partial(tool.tag, model, one, out,
                                                               memory=False))
                manies[tool.name] = partial(on_one_core, partial(tool.tag, model, many, out))
        own = self.model_of(self.caucus, "template")
        both = "Caucus, %d threads" % THREADS
        ones[both] = partial(self.caucus.tag, own, corpus.one, out, THREADS, memory=False)
        manies[both] = partial(self.caucus.tag, own, columns, out, THREADS)
        opened = take_turns(ones, max(OPENINGS, self.runs), "e one sentence", 1)
        tagged = take_turns(manies, self.runs, "e tag", LONG)
        with one_core():
            shares = profile(self.caucus.tag_command(own, columns), 1, self.path("perf"))
        rows = {}
        for name in ones:
            one, all_of_it = median(opened[name], "wall"), median(tagged[name], "wall")
            rows[name] = {"wall": all_of_it, "open": 1000 * one,
                          "peak": median(tagged[name], "peak"),
                          "rate": test_tokens * times / (all_of_it - one)}
        return {"rows": rows, "tokens": test_tokens * times, "profile": shares, "both": both,
                "large": self.open_large()}

    def open_large(self):
        """Milliseconds of the whole process that opens a model of more than ten million weights and tags an
        empty file."""
        model = self.path("large.model")
        trained = self.caucus.train(self.chunking, model, template=True, iterations=TAGGED_BRIEFLY,
                                    patterns=self.chunking.large)
        job = partial(on_one_core, partial(self.caucus.tag, model, os.devnull, self.path("tagged"),
                                           memory=False))
        runs = take_turns({"Caucus": job}, max(OPENINGS, self.runs), "e open", 1)["Caucus"]
        os.remove(model)
        return {"weights": trained["weights"], "size": trained["size"] / 1e6,
                "open": 1000 * median(runs, "wall"), "least": 1000 * median(runs, "wall").low}
