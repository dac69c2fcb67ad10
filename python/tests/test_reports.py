"""Scores, studies, adaptation and clustering; and the examples of the docstrings."""

import doctest
import importlib
import math
import os
import tempfile
import unittest

import caucus

TEXTS = ["good film", "good book", "nice film", "bad film", "bad book", "poor book"] * 3
LABELS = ["+", "+", "+", "-", "-", "-"] * 3


class Scores(unittest.TestCase):
    def test_classes(self):
        scores = caucus.evaluate(["a", "b", "a", "b"], ["a", "b", "b", "b"])
        self.assertEqual(scores.accuracy, 0.75)
        self.assertIn("<table>", scores._repr_html_())

    def test_chunks(self):
        scores = caucus.evaluate([["B-X", "I-X", "O"], ["B-Y"]], [["B-X", "I-X", "O"], ["O"]])
        self.assertAlmostEqual(scores.f1, 2 / 3)
        self.assertIn("<td>X</td>", scores._repr_html_())
        with self.assertRaisesRegex(ValueError, "differ in the lengths"):
            caucus.evaluate([["a"], ["b"]], [["a", "b"], []])

    def test_probabilities_and_others(self):
        scores = caucus.evaluate(["a", "b"], ["a", "a"],
                                 probabilities=[{"a": 0.9, "b": 0.1}, {"a": 0.6, "b": 0.4}])
        self.assertAlmostEqual(scores["probabilities"]["log_loss"], -(math.log(0.9) + math.log(0.4)) / 2, places=5)
        compared = caucus.evaluate(["a", "b"] * 50, ["a", "a"] * 50,
                                   others={"other": ["a", "b"] * 50}, resamples=100)
        self.assertIn("other", str(compared))
        with self.assertRaises(ValueError):
            caucus.evaluate(["a", "b"], ["a"])

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tagged.txt")
            with open(path, "w", encoding="utf-8") as file:
                file.write("w\ta\ta\nw\tb\ta\n")
            self.assertEqual(caucus.evaluate(path).accuracy, 0.5)


class Studies(unittest.TestCase):
    def test_grid(self):
        study = caucus.cross_validate(TEXTS, LABELS, folds=3, grid={"l2": [0.1, 10]})
        self.assertEqual([row.name for row in study], ["l2=0.1", "l2=10"])
        self.assertEqual(len(study.best.scores), 3)
        self.assertEqual(study.rows[1].options["l2"], "10")
        self.assertIn("accuracy", str(study))
        self.assertIn("<table>", study._repr_html_())
        self.assertEqual(study.report["folds"], 3)
        model = caucus.train(TEXTS, LABELS, **study.best.options)
        self.assertEqual(model.tag("good book"), "+")

    def test_train_refuses(self):
        with self.assertRaisesRegex(ValueError, "cross_validate"):
            caucus.train(TEXTS, LABELS, folds=3)

    def test_pools(self):
        data = [[("a", "N"), ("b", "V")]] * 3, [["X", "Y"]] * 3
        template = "U0:%x[0,0]\nU1:%x[0,1]\nB\n"
        model = caucus.train(*data, pool="bag", partition="template", template=template)
        self.assertIsInstance(model, caucus.Pool)
        self.assertEqual(model.tag([("a", "N"), ("b", "V")]), ["X", "Y"])
        self.assertEqual(model.to_bytes(),
                         caucus.Pool.train(*data, partition="template", template=template).to_bytes())
        again = caucus.Model.from_bytes(model.to_bytes())
        self.assertIsInstance(again, caucus.Pool)
        self.assertEqual(again.expert_weights, (0.5, 0.5))
        parts = [again.weights("U0:a", expert=i)["X"] for i in (0, 1)]
        self.assertAlmostEqual(again.weights("U0:a")["X"], sum(parts) / 2)
        with self.assertRaises(IndexError):
            again.weights("U0:a", expert=2)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rows.txt")
            with open(path, "w", encoding="utf-8") as file:
                file.write("a N X\nb V Y\n\n" * 3)
            report = again.members(path)
        self.assertEqual([each["accuracy"] for each in report["members"]], [1, 1])
        self.assertEqual(report["data"]["disagreement"], 0)
        self.assertNotIsInstance(caucus.train(*data), caucus.Pool)


class Features(unittest.TestCase):
    template = "U0:%x[0,0]\nU1:%x[-1,1]\nB\n"

    def test_rows_as_file(self):
        rows = [[("a:b", "N\\"), ("c", "")], [("d", "V")]]
        made = caucus.features(rows, template=self.template)
        self.assertEqual(made, [[{"U0:a:b": 1.0, "U1:_B-1": 1.0}, {"U0:c": 1.0, "U1:N\\": 1.0}],
                                [{"U0:d": 1.0, "U1:_B-1": 1.0}]])
        with tempfile.TemporaryDirectory() as folder:
            path, template = os.path.join(folder, "rows"), os.path.join(folder, "template")
            with open(path, "w", encoding="utf-8") as file:
                file.write("a:b\tN\\\tX\nc\tZ\tX\n\nd\tV\tY\n")
            with open(template, "w", encoding="utf-8") as file:
                file.write(self.template)
            self.assertEqual(caucus.features(path, template=template), made)

    def test_same_as_in_a_model(self):
        rows = [["Sun", "shines"], ["Rain"]]
        model = caucus.train(rows, [["X", "Y"], ["X"]])
        names = {name for sequence in caucus.features(rows) for token in sequence for name in token}
        self.assertEqual(names, set(dict(model.features())))

    def test_wrong_cells(self):
        with self.assertRaisesRegex(ValueError, "TAB or a line end"):
            caucus.features([["a\tb"]])


class Adaptation(unittest.TestCase):
    def test_methods(self):
        target, source = (TEXTS[:6], LABELS[:6]), (TEXTS, LABELS)
        model = caucus.adapt(target, [source], method="only-out")
        self.assertEqual(model.tag("good book"), "+")
        study = caucus.compare_methods(target, {"big": source}, method="all", folds=2)
        self.assertIn("augment", [row.name for row in study])


class Clusters(unittest.TestCase):
    items = {"apple": {"sweet": 9}, "pear": {"sweet": 8}, "bus": {"fast": 7}, "car": {"fast": 9}}

    def test_consensus(self):
        found = caucus.cluster(self.items, classes={"apple": "f", "pear": "f", "bus": "v",
                                                    "car": "v"}, links=[("bus", "car", True)])
        self.assertEqual(sorted(map(sorted, found.clusters)), [["apple", "pear"], ["bus", "car"]])
        self.assertGreater(found.score("v"), 0.5)
        self.assertEqual(found.model().tag({"sweet": 3}), "c%d" % (found.assignment["pear"] + 1))
        self.assertEqual(len(found.certainty), 4)
        self.assertIn("clusters", found.report())

    def test_answers(self):
        asked = []

        def answer(question):
            asked.append(question)
            return {question.a, question.b} in ({"apple", "pear"}, {"bus", "car"})

        found = caucus.cluster(self.items, ask=3, chains=1, answer=answer)
        self.assertEqual(len(found.answers), 3)
        self.assertEqual(asked[0].total, 3)

    def test_failing_answers(self):
        with self.assertRaisesRegex(ValueError, "is no answer"):
            caucus.cluster(self.items, ask=1, chains=1, answer=lambda q: "maybe")

    def test_leaving_the_questions_early(self):
        clustering = caucus.Clustering(self.items, ask=3, chains=1)
        for question in clustering.questions():
            question.answer = True
            break
        self.assertLessEqual(len(clustering.answers), 1)
        with self.assertRaisesRegex(RuntimeError, "has not run"):
            caucus.Clustering(self.items).clusters


class Docstrings(unittest.TestCase):
    def test_examples(self):
        for name in ("_options", "_data", "_features", "_model", "_scores", "_study", "_clustering"):
            module = importlib.import_module("caucus." + name)
            result = doctest.testmod(module, extraglobs=vars(caucus))
            self.assertEqual(result.failed, 0, name)
            self.assertGreater(result.attempted, 0, name)


class Page(unittest.TestCase):
    def test_tutorial(self):
        page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs",
                            "python.md")
        result = doctest.testfile(page, module_relative=False)
        self.assertEqual(result.failed, 0)
        self.assertGreater(result.attempted, 20)


if __name__ == "__main__":
    unittest.main()
