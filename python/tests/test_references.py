"""References and memory over many calls. A debug build of Python (python3-dbg) counts all references; the extension for
it is in build/python-debug."""

import gc
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import caucus

SEQUENCE = [{"w": "a", "n": {"m": 1.0}}, ["g"], {"w": "b", "flag": True}] * 3


def make_models():
    sequences = caucus.train([[{"w": "a"}, {"w": "b"}]], [["B-X", "I-X"]])
    return sequences, caucus.train(["a b", "b c"], ["x", "y"])


def use(model, classifier):
    """Every method of a model."""
    model.tag(SEQUENCE)
    list(model.tag_all([SEQUENCE, []]))
    model.marginals(SEQUENCE, ["?"] * 9)
    model.nbest(SEQUENCE, 2)
    model.segments(SEQUENCE)
    model.probability(SEQUENCE, ["B-X"] * 9)
    model.show(SEQUENCE)._repr_html_()
    model.explain({"w": "a"})
    model.top_features(2)
    model.transitions()
    model.intercepts()
    model.weights("w:a")
    list(model.features())
    model.info
    model.inspect()
    model._repr_html_()
    classifier.tag("a c")
    classifier.evaluate(["a", "b"], ["x", "y"])
    caucus.Model.from_bytes(model.to_bytes()).tag(SEQUENCE)
    for wrong in ([{"w": None}], [{1: 2}], ["\ud800"], [{"w": float("nan")}], 5, [5]):
        try:
            model.tag(wrong)
        except (TypeError, ValueError):
            pass
    for name in ("probabilities", "no_such_option"):
        try:
            model.tag(SEQUENCE, **{name: "wrong"})
        except caucus.Error:
            pass


def train():
    """Everything that takes data."""
    x, y = ["a b", "b c"] * 3, ["x", "y"] * 3
    caucus.train(x, y, max_iterations=1, progress=lambda p: None)
    caucus.Data(x, y, weights=[1.0] * 6, groups=range(6), dev=(x, y))
    caucus.Pool.train(x, y, experts=2, max_iterations=1).expert_weights
    caucus.train(x, y, from_=caucus.train(x, y, max_iterations=1), max_iterations=1)
    caucus.adapt((x, y), [(x, y)], method="augment", max_iterations=1)
    caucus.cross_validate(x, y, folds=2, max_iterations=1).report
    caucus.features([["a", "b"]])
    caucus.evaluate(y, y, others={"other": y}, resamples=100,
                    probabilities=[{"x": 0.5, "y": 0.5}] * 6)
    found = caucus.Clustering({"a": {"f": 3}, "b": {"g": 2}, "c": {"f": 2}}, chains=1, samples=2,
                              burn_in=2, ask=1)
    for question in found.questions():
        question.answer = True
    found.clusters, found.answers, found.certainty, found.report(), found.model()
    for options in ({"l2": -1}, {"solver": "x"}, {"weights": [1]}, {"progress": lambda p: 1 / 0}):
        try:
            caucus.train(x, y, **options)
        except (caucus.Error, ValueError, ZeroDivisionError):
            pass
    for path in ("/no/such/file", "/"):
        try:
            caucus.train(path)
        except OSError:
            pass


def count_references(action, rounds):
    """References that each round leaves."""
    for _ in range(3):
        action()
    gc.collect()
    before = sys.gettotalrefcount()
    for _ in range(rounds):
        action()
    gc.collect()
    return (sys.gettotalrefcount() - before) / rounds


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Memory(unittest.TestCase):
    """CAUCUS_LEAK_ROUNDS=20000 makes a million calls."""

    rounds = int(os.environ.get("CAUCUS_LEAK_ROUNDS", "60"))

    def grows(self, action):
        for _ in range(20):
            action()
        gc.collect()
        before, objects = resident(), len(gc.get_objects())
        for _ in range(self.rounds):
            action()
        gc.collect()
        self.assertLess(len(gc.get_objects()) - objects, 50)
        return resident() - before

    @unittest.skipUnless(os.path.exists("/proc/self/statm"), "there is no /proc")
    def test_using(self):
        models = make_models()
        self.assertLess(self.grows(lambda: use(*models)), 3 << 20)

    @unittest.skipUnless(os.path.exists("/proc/self/statm"), "there is no /proc")
    def test_training(self):
        self.rounds = max(self.rounds // 20, 20)
        self.assertLess(self.grows(train), 6 << 20)


class References(unittest.TestCase):
    def test_debug_build(self):
        python = shutil.which("python3-dbg")
        package = os.path.dirname(caucus.__file__)
        module = os.path.join(package, "..", "..", "python-debug", "_caucus.abi3.so")
        if not python or not os.path.exists(module):
            self.skipTest("python3-dbg is missing, or was when the package was built")
        code = ("import sys, test_references as t; models = t.make_models(); "
                "print(t.count_references(lambda: t.use(*models), 20), "
                "t.count_references(t.train, 10))")
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, "caucus")
            shutil.copytree(package, copy)
            shutil.copy(module, copy)
            path = os.pathsep.join([folder, os.path.dirname(os.path.abspath(__file__))])
            out = subprocess.run([python, "-c", code], env={**os.environ, "PYTHONPATH": path},
                                 stdout=subprocess.PIPE, check=True).stdout
        using, training = map(float, out.split())
        self.assertLess(abs(using), 2)
        self.assertLess(abs(training), 2)


if __name__ == "__main__":
    unittest.main()
