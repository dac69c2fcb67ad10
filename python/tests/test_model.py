"""Models in use: tagging, files and bytes, threads, what they hold, leaks."""

import copy
import gc
import multiprocessing
import os
import pickle
import sys
import tempfile
import threading
import unittest

import caucus

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
KITCHEN = os.path.join(ROOT, "examples", "kitchen")
SENTENCE = "2 sticks butter , in 4 pieces".split()


def tag_sentence(model):
    return model.tag(SENTENCE)


class Kitchen(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = caucus.train(os.path.join(KITCHEN, "train.txt"), max_iterations=10)

    def test_same_labels_as_a_file(self):
        path = os.path.join(KITCHEN, "test.txt")
        with open(path, encoding="utf-8") as file:
            blocks = file.read().strip("\n").split("\n\n")
        words = [[line.split()[0] for line in block.splitlines()] for block in blocks]
        tagged = self.model.tag_file(path).strip("\n").split("\n\n")
        expected = [[line.split()[-1] for line in block.splitlines()] for block in tagged]
        self.assertEqual(list(self.model.tag_all(words)), expected)
        gold = [[line.split()[-1] for line in block.splitlines()] for block in blocks]
        scores = self.model.evaluate(words, gold)
        self.assertGreater(scores.f1, 0.9)
        self.assertIn("processed", str(scores))

    def test_marginals_and_nbest(self):
        best = self.model.tag(SENTENCE)
        marginals = self.model.marginals(SENTENCE)
        for token in marginals:
            self.assertAlmostEqual(sum(token.values()), 1, places=6)
        labellings = self.model.nbest(SENTENCE, 3)
        self.assertEqual(labellings[0][0], best)
        self.assertEqual(len(labellings), 3)
        self.assertAlmostEqual(self.model.probability(SENTENCE, best), labellings[0][1], places=6)
        self.assertEqual(self.model.probability(SENTENCE, ["nothing"] * 7), 0)

    def test_forced(self):
        forced = ["B-NAME"] + ["?"] * 6
        self.assertEqual(self.model.marginals(SENTENCE, forced)[0]["B-NAME"], 1)
        self.assertEqual(self.model.marginals(SENTENCE, iter(forced))[0]["B-NAME"], 1)
        with self.assertRaisesRegex(ValueError, "7 tokens, but 1 forced"):
            self.model.marginals(SENTENCE, ["?"])

    def test_segments(self):
        segment = self.model.segments(SENTENCE)[0]
        self.assertEqual((segment.begin, segment.end, segment.type), (0, 1, "QTY"))
        self.assertIn("<mark", self.model.show(SENTENCE)._repr_html_())

    def test_no_tokens(self):
        self.assertEqual(self.model.tag([]), [])

    def test_wrong_form(self):
        with self.assertRaisesRegex(ValueError, "takes cells, not features"):
            self.model.tag([{"word": "butter"}])
        self.assertEqual(len(self.model.tag(SENTENCE)), 7)

    def test_files_and_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kitchen.cau")
            self.model.save(path)
            opened = caucus.Model.open(path)
            with open(path, "rb") as file:
                self.assertEqual(file.read(), self.model.to_bytes())
            self.assertEqual(opened.tag(SENTENCE), self.model.tag(SENTENCE))
        for other in (pickle.loads(pickle.dumps(self.model)), copy.deepcopy(self.model),
                      caucus.Model.from_bytes(self.model.to_bytes())):
            self.assertEqual(other.tag(SENTENCE), self.model.tag(SENTENCE))
        with self.assertRaises(caucus.FormatError):
            caucus.Model.from_bytes(self.model.to_bytes()[:1000])
        with self.assertRaises(caucus.FormatError):
            caucus.Model.from_bytes(b"no model")

    def test_processes(self):
        with multiprocessing.get_context("fork").Pool(2) as pool:
            results = pool.map(tag_sentence, [self.model] * 2)
        self.assertEqual(results, [self.model.tag(SENTENCE)] * 2)

    def test_threads(self):
        expected = self.model.tag(SENTENCE)
        wrong = []

        def work():
            for _ in range(200):
                if self.model.tag(SENTENCE) != expected:
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_what_it_holds(self):
        self.assertEqual(self.model.kind, "crf")
        self.assertEqual(len(self.model.transitions()), len(self.model.classes) ** 2)
        top = self.model.top_features(2)["B-QTY"]
        self.assertEqual([len(top["for"]), len(top["against"])], [2, 2])
        name, weight = top["for"][0]
        self.assertAlmostEqual(self.model.weights(name)["B-QTY"], weight, places=5)
        self.assertIsNone(self.model.weights("no such feature"))
        self.assertIn("crf", repr(self.model))
        self.assertIn("<table>", self.model._repr_html_())
        self.assertIn("transitions", self.model.inspect(top=1))
        self.assertEqual(self.model.explain("butter").classes[0]["label"], "B-NAME")

    def test_dropped_features(self):
        self.assertNotEqual(self.model.tag(SENTENCE, drop=["U*"]), self.model.tag(SENTENCE))


class Features(unittest.TestCase):
    """Tagging hashes names; training writes them. Both must mean the same."""

    token = {"w": "Café", "n": 2.5, "no": False, "in": {"a": 0.5, "b": {"c": "d"}, "e": ["f"]},
             b"by": b"tes", "num": 3}

    def test_same_names_as_training(self):
        names = ["w:Café", "n", "in:a", "in:b:c:d", "in:e:f", "by:tes", "num"]
        model = caucus.train([self.token, {"no": True}], ["x", "y"], l2=1e-3)
        values = {"n": 2.5, "in:a": 0.5, "num": 3.0}
        for _ in range(2):  # the second time from the cache
            for name in names:
                flat = {name: values.get(name, 1.0)}
                part = {"w": {"w": "Café"}, "in:a": {"in": {"a": 0.5}}, "num": {"num": 3},
                        "in:b:c:d": {"in": {"b": {"c": "d"}}}, "in:e:f": {"in": {"e": {"f"}}},
                        "by:tes": {"by": "tes"}}.get(name, flat)
                self.assertEqual(model.marginals(part), model.marginals(flat), name)
                self.assertNotEqual(model.marginals(part), model.marginals({}), name)
        self.assertEqual(model.marginals({"no": False}), model.marginals({}))

    def test_many_names(self):
        """More names than the cache of names has places."""
        data = [{f"f{i}": 1.0, f"g{i % 7}": str(i)} for i in range(2000)]
        model = caucus.train(data, [str(i % 5) for i in range(2000)], l2=0.01)
        expected = [model.tag([f"f{i}", f"g{i % 7}:{i}"]) for i in range(2000)]
        self.assertEqual(list(model.tag_all(data)), expected)
        self.assertEqual(expected[:10], list("0123401234"))

    def test_wrong_values(self):
        model = caucus.train([{"w": 1.0}, {"v": 1.0}], ["x", "y"])
        for value in (float("nan"), float("inf")):
            with self.assertRaisesRegex(ValueError, "feature 'w' is not finite"):
                model.tag({"w": value})
        with self.assertRaises(ValueError):
            model.tag({"w": 1e300})
        with self.assertRaisesRegex(TypeError, "feature 'w': its value must be"):
            model.tag({"w": None})
        with self.assertRaises(UnicodeEncodeError):
            model.tag({"w": "\ud800"})
        self.assertEqual(model.tag({"w": 1}), "x")


class Classifier(unittest.TestCase):
    def test_explain(self):
        model = caucus.train([{"a:b": 1.5, "c": "d"}, {"e": 1}], ["x", "y"])
        explanation = model.explain({"a:b": 1.5, "new": 1})
        self.assertEqual([f["feature"] for f in explanation.features], ["a:b"])
        self.assertEqual(explanation.unknown, ["new"])
        self.assertIn("<table>", explanation._repr_html_())

    def test_one_instance(self):
        model = caucus.train([["a"], ["b"]], ["x", "y"])
        self.assertEqual(model.tag(["a"]), "x")
        self.assertEqual(list(model.tag_all([["a"], {"b"}])), ["x", "y"])
        self.assertAlmostEqual(sum(model.marginals(["a"]).values()), 1)


class Leaks(unittest.TestCase):
    def grows(self, action, times):
        """Memory and references after many calls, beyond those after a few."""
        import resource
        import tracemalloc

        def used():
            gc.collect()
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        for _ in range(times):
            action()
        tracemalloc.start()
        before, blocks = used(), len(gc.get_objects())
        kept = tracemalloc.get_traced_memory()[0]
        for _ in range(times):
            action()
        objects = len(gc.get_objects()) - blocks
        traced = tracemalloc.get_traced_memory()[0] - kept
        tracemalloc.stop()
        return used() - before, objects, traced

    def test_tagging(self):
        model = caucus.train([[{"w": "a"}, {"w": "b"}]], [["X", "Y"]])
        label = model.classes[0]
        x = [{"w": "a", "n": {"m": 1.0}}, ["g"]] * 5

        def action():
            model.tag(x)
            model.marginals(x)
            try:
                model.tag([{"w": object}])
            except TypeError:
                pass

        references = sys.getrefcount(label)
        memory, objects, traced = self.grows(action, 3000)
        self.assertLess(memory, 4000, "kilobytes of memory")
        self.assertLess(objects, 50)
        self.assertLess(traced, 50000)
        self.assertLess(abs(sys.getrefcount(label) - references), 50)

    def test_training(self):
        def action():
            model = caucus.train([["a"], ["b"]], ["x", "y"], max_iterations=1)
            caucus.Model.from_bytes(model.to_bytes())
            caucus.evaluate(["x", "y"], ["x", "x"])
            try:
                caucus.train(["a"], ["x"])
            except caucus.ArgumentError:
                pass

        memory, objects, traced = self.grows(action, 150)
        self.assertLess(memory, 8000, "kilobytes of memory")
        self.assertLess(objects, 50)
        self.assertLess(traced, 100000)


if __name__ == "__main__":
    unittest.main()
