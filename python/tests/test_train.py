"""Training from every form of data, options, and what ends it early."""

import errno
import math
import os
import signal
import tempfile
import threading
import time
import unittest
import warnings

import caucus

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
KITCHEN = os.path.join(ROOT, "examples", "kitchen", "train.txt")
DESK = os.path.join(ROOT, "examples", "desk", "train.txt")


def read_kitchen(limit=200):
    """Sequences of words and labels."""
    words, labels = [[]], [[]]
    with open(KITCHEN, encoding="utf-8") as file:
        for line in file:
            if line.strip():
                word, label = line.split()
                words[-1].append(word)
                labels[-1].append(label)
            else:
                words.append([])
                labels.append([])
    return words[:limit], labels[:limit]


def read_desk():
    with open(DESK, encoding="utf-8") as file:
        pairs = [line.rstrip("\n").split("\t", 1) for line in file]
    return [text for _, text in pairs], [label for label, _ in pairs]


class Forms(unittest.TestCase):
    def test_rows_give_the_model_of_a_file(self):
        words, labels = read_kitchen(None)
        rows = [[(word,) for word in sentence] for sentence in words if sentence]
        gold = [sentence for sentence in labels if sentence]
        options = {"max_iterations": 2, "solver": "lbfgs"}
        from_rows = caucus.train(rows, gold, **options)
        from_file = caucus.train(KITCHEN, **options)
        self.assertEqual(from_rows.transitions(), from_file.transitions())
        self.assertEqual(dict(from_rows.features()), dict(from_file.features()))

    def test_texts_give_the_model_of_a_file(self):
        texts, labels = read_desk()
        from_texts = caucus.train(texts, labels)
        from_file = caucus.train(DESK)
        self.assertEqual(dict(from_texts.features()), dict(from_file.features()))
        self.assertEqual(from_texts.tag("fine pay"), "fines")

    def test_words_are_rows_of_one_cell(self):
        words, labels = read_kitchen()
        a = caucus.train(words, labels, max_iterations=1)
        b = caucus.train([[(w,) for w in s] for s in words], labels, max_iterations=1)
        self.assertEqual(a.to_bytes(), b.to_bytes())

    def test_template_text(self):
        words, labels = read_kitchen()
        model = caucus.train(words, labels, template="U:%x[0,0]\nB\n", max_iterations=2)
        self.assertTrue(all(name.startswith("U:") for name, _ in model.features()))
        rows = [[[w] for w in s] for s in words]
        same = caucus.train(rows, labels, template="U:%x[0,0]\nB\n", max_iterations=2)
        self.assertEqual(model.to_bytes(), same.to_bytes())

    def test_conventions_of_features(self):
        token = {"n": 2.5, "yes": True, "no": False, "word": "Café", "count": 3,
                 "nested": {"a": 0.5, "b": "c", "d": ["e"]}, "set": {"f"}}
        model = caucus.train([[token, ["g", "h"]]], [["X", "Y"]], l2=1e-3)
        self.assertEqual(sorted(dict(model.features())),
                         ["count", "g", "h", "n", "nested:a", "nested:b:c", "nested:d:e", "set:f",
                          "word:Café", "yes"])

    def test_other_mappings_and_iterables(self):
        from types import MappingProxyType

        a = caucus.train([[MappingProxyType({"w": "x"}), {"w": "y"}]], [["X", "Y"]])
        b = caucus.train([iter([{"w": "x"}, {"w": "y"}])], [iter(["X", "Y"])])
        self.assertEqual(a.to_bytes(), b.to_bytes())

    def test_iterator_of_pairs(self):
        texts, labels = read_desk()
        model = caucus.train(pair for pair in zip(texts, labels))
        self.assertEqual(model.to_bytes(), caucus.train(texts, labels).to_bytes())

    def test_weights_dev_and_groups(self):
        texts, labels = read_desk()
        data = caucus.Data(texts[:600], labels[:600], weights=[1.0] * 600,
                           dev=(texts[600:], labels[600:]), groups=[i // 10 for i in range(600)])
        self.assertEqual((len(data), data.size(1)), (600, len(texts) - 600))
        model = caucus.train(data, patience=3)
        self.assertIn("dev.accuracy", model.info)
        self.assertNotEqual(
            caucus.train(["a b", "c"], ["X", "Y"], weights=[3, 1]).to_bytes(),
            caucus.train(["a b", "c"], ["X", "Y"]).to_bytes())

    def test_errors_of_data_name_the_example(self):
        good = [[{"w": "a"}], [{"w": "b"}]]
        for bad, label, words in (
                ([{"w": object()}], ["X"], "example 2: feature 'w'"),
                ([{1: "w"}], ["X"], "example 2: the name of a feature must be a string, not int"),
                ([{"w": "a"}], ["X", "Y"], "example 2: a sequence has 1 tokens but more labels"),
                ([{"w": "a"}, {}], ["X"], "example 2: a sequence has 1 labels but more tokens"),
                ([{"w": "a\0b"}], ["X"], "example 2: the value of a feature has a NUL"),
                ([{"w": float("nan")}], ["X"], "example 2: the value nan"),
                ([{"w": "a"}], 3, "the label 3 is not a string"),
                ([{"w": "a"}], [None], "a label must be a string, not NoneType")):
            with self.subTest(words), self.assertRaises((TypeError, ValueError)) as caught:
                caucus.train(good + [bad], [["X"], ["Y"], label])
            self.assertIn(words, str(caught.exception))
        with self.assertRaisesRegex(ValueError, "2 labels but more examples"):
            caucus.train(["a", "b", "c"], ["X", "Y"])
        deep = {}
        for _ in range(100000):
            deep = {"a": deep}
        with self.assertRaises(RecursionError):
            caucus.train([[deep]], [["X"]])


class Frames(unittest.TestCase):
    class Column(list):
        tolist = list.copy

    class Frame(dict):
        """As much of a pandas frame as is used."""

        columns = property(list)
        itertuples = None

    def test_columns_by_name(self):
        frame = self.Frame(word=self.Column("abab"), pos=self.Column("NVNV"),
                           tag=self.Column("XYXY"), sentence=self.Column([0, 0, 1, 1]))
        model = caucus.train(frame, "tag", sequence="sentence")
        rows, labels = [[("a", "N"), ("b", "V")]] * 2, [["X", "Y"]] * 2
        self.assertEqual(model.to_bytes(), caucus.train(rows, labels).to_bytes())
        self.assertEqual(caucus.train(frame, "tag", sequence="sentence", dev=frame).to_bytes(),
                         caucus.train(rows, labels, dev=(rows, labels)).to_bytes())

    def test_rows_as_instances(self):
        frame = self.Frame(size=self.Column([1.5, 3, 0.5]), kind=self.Column("aba"),
                           y=self.Column([0, 1, 0]))
        model = caucus.train(frame, "y")
        rows = [{"size": 1.5, "kind": "a"}, {"size": 3, "kind": "b"}, {"size": 0.5, "kind": "a"}]
        self.assertEqual(model.to_bytes(), caucus.train(rows, ["0", "1", "0"]).to_bytes())

    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is missing")
        frame = pandas.DataFrame({"size": [1.5, 3, 0.5], "kind": list("aba"), "y": [0, 1, 0]})
        self.assertEqual(caucus.train(frame, "y", columns=["kind"]).tag({"kind": "b"}), "1")
        words = pandas.DataFrame({"word": list("abab"), "tag": list("XYXY"), "s": [1, 1, 2, 2]})
        self.assertEqual(caucus.train(words, "tag", sequence="s").tag(["a", "b"]), ["X", "Y"])


class Arrays(unittest.TestCase):
    def setUp(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is missing")
        self.numpy = numpy

    def test_dense_equals_features(self):
        x = self.numpy.array([[1.5, 0], [0, 2], [1, 1], [0, 3]])
        labels = ["a", "b", "a", "b"]
        model = caucus.train(x, labels, feature_names=["u", "v"])
        dicts = [{n: v for n, v in zip("uv", row) if v} for row in x.tolist()]
        self.assertEqual(model.to_bytes(), caucus.train(dicts, labels).to_bytes())
        with self.assertRaisesRegex(ValueError, "3 labels for 4 rows"):
            caucus.train(x, labels[:3])

    def test_sparse_equals_dense(self):
        try:
            import scipy.sparse
        except ImportError:
            self.skipTest("scipy is missing")
        x = self.numpy.array([[1.5, 0], [0, 2], [1, 1], [0, 3]])
        labels = self.numpy.array(["a", "b", "a", "b"])
        self.assertEqual(caucus.train(scipy.sparse.csr_matrix(x), labels).to_bytes(),
                         caucus.train(x, labels).to_bytes())

    def test_forms_of_arrays(self):
        """Every type and layout gives the same model and the same labels."""
        try:
            import scipy.sparse as sparse
        except ImportError:
            self.skipTest("scipy is missing")
        numpy = self.numpy
        x = numpy.array([[1.5, 0, 1], [0, 2, 0], [1, 1, 0], [0, 3, 2]])
        labels = ["a", "b", "a", "b"]
        model = caucus.train(x, labels, l2=0.1)
        wide = sparse.csr_matrix(x)
        wide.indices, wide.indptr = wide.indices.astype("i8"), wide.indptr.astype("i8")
        for form in (x.astype("f4"), numpy.asfortranarray(x), x[:, ::-1][:, ::-1], x.astype(">f8"),
                     sparse.csr_matrix(x), sparse.csc_matrix(x), sparse.coo_matrix(x), wide):
            self.assertEqual(caucus.train(form, labels, l2=0.1).to_bytes(), model.to_bytes())
            self.assertEqual(list(model.tag_all(form)), labels)
            p = model.probabilities(form)
            for row, dense in zip(p, x):
                marginals = model.marginals({f"x{j}": v for j, v in enumerate(dense)})
                self.assertEqual(dict(zip(model.classes, row)), marginals)
        self.assertEqual(model.evaluate(x, labels).accuracy, 1)
        self.assertEqual(list(model.tag_all(x[:0])), [])

    def test_wrong_matrices(self):
        numpy = self.numpy
        x = numpy.eye(3)
        model = caucus.train(x, ["a", "b", "a"])
        with self.assertRaisesRegex(ValueError, "3 columns, but 2 feature names"):
            list(model.tag_all(x, feature_names=["u", "v"]))
        with self.assertRaisesRegex(ValueError, "2 weights for 3 rows"):
            caucus.train(x, ["a", "b", "a"], weights=[1, 2])
        with self.assertRaises(ValueError):
            list(model.tag_all(numpy.array([[1, 2, float("nan")]])))

        class Csr:
            """A sparse matrix with damage that scipy would not let pass."""

            shape, indptr = (1, 3), numpy.array([0, 1])
            data, indices = numpy.array([1.0]), numpy.array([7])

            def tocsr(self):
                return self

        for change in ({}, {"indices": numpy.array([-1])}, {"indptr": numpy.array([0, 9])},
                       {"indptr": numpy.array([1, 0])}, {"indptr": numpy.array([], int)},
                       {"data": numpy.array([1.0, 2.0])}):
            csr = Csr()
            vars(csr).update(change)
            with self.subTest(change), self.assertRaisesRegex(ValueError, "out of range"):
                list(model.tag_all(csr))
        sequences = caucus.train([["a"], ["b"]], [["X"], ["Y"]])
        with self.assertRaisesRegex(TypeError, "labels sequences"):
            list(sequences.tag_all(x))

    def test_groups_and_weights_of_rows(self):
        x = self.numpy.array([[1.0, 0], [0, 1], [1, 1], [0, 2]] * 5)
        labels, groups = ["a", "b", "a", "b"] * 5, [i // 4 for i in range(20)]
        weights = [1.0, 2.0, 3.0, 4.0] * 5
        dicts = [{f"x{j}": v for j, v in enumerate(row)} for row in x]
        options = {"groups": groups, "weights": weights, "folds": 5}
        self.assertEqual([row.scores for row in caucus.cross_validate(x, labels, **options)],
                         [row.scores for row in caucus.cross_validate(dicts, labels, **options)])

    def test_not_imported_unless_given(self):
        import subprocess
        import sys

        code = ("import sys, caucus; caucus.train(['a', 'b'], ['x', 'y']).tag('a'); "
                "sys.exit('numpy' in sys.modules)")
        self.assertEqual(subprocess.run([sys.executable, "-c", code]).returncode, 0)


class Options(unittest.TestCase):
    def test_messages_of_the_library(self):
        for options, words in (({"l22": 1}, "did you mean --l2"),
                               ({"l2": -1}, "expected a number from 0"),
                               ({"solver": "bfgs"}, "did you mean lbfgs"),
                               ({"max_iterations": 1.5}, "expected a whole number")):
            with self.subTest(words), self.assertRaisesRegex(caucus.ArgumentError, words):
                caucus.train(["a", "b"], ["x", "y"], **options)

    def test_python_types(self):
        texts = ["a b", "c", "a", "c d"]
        labels = ["x", "y", "x", "y"]
        for one, other in (({"lambda_": 2}, {"l2": 2.0}),
                           ({"class_weight": {"x": 2, "y": 1}}, {"class_weight": "x=2,y=1"}),
                           ({"no_bias": True}, {"no_bias": "1"}),
                           ({"no_bias": False, "l1": None}, {})):
            self.assertEqual(caucus.train(texts, labels, **one).to_bytes(),
                             caucus.train(texts, labels, **other).to_bytes())

    def test_models_as_options(self):
        texts, labels = ["a b", "c", "a", "c d"], ["x", "y", "x", "y"]
        model = caucus.train(texts, labels, l2=0.1)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.cau")
            model.save(path)
            for name in ("from_", "mean"):
                mine = caucus.train(texts, labels, **{name: model})
                again = caucus.train(texts, labels, **{name: model})
                other = caucus.train(texts, labels, **{name: path})
                self.assertEqual(mine.to_bytes(), again.to_bytes())
                self.assertEqual(dict(mine.features()), dict(other.features()))
                self.assertNotIn("option." + name.strip("_"), mine.info)
                self.assertEqual(other.info["option." + name.strip("_")], path)

    def test_table(self):
        self.assertIn("lbfgs", caucus.options("train")["solver"]["choices"])
        self.assertEqual(caucus.options("nothing"), {})


class Errors(unittest.TestCase):
    def test_place(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bad.txt")
            with open(path, "w", encoding="utf-8") as file:
                file.write("a b X\na b Y\na X\n\n")
            with self.assertRaises(caucus.FormatError) as caught:
                caucus.train(path, format="columns")
        self.assertEqual((caught.exception.filename, caught.exception.lineno), (path, 3))
        self.assertIsInstance(caught.exception, ValueError)

    def test_files(self):
        with self.assertRaises(FileNotFoundError) as caught:
            caucus.train("no-such-file")
        self.assertIsInstance(caught.exception, caucus.Error)
        self.assertEqual(caught.exception.errno, errno.ENOENT)
        self.assertEqual(caught.exception.filename, "no-such-file")
        with self.assertRaises(OSError):
            caucus.Model.open(ROOT)


class Progress(unittest.TestCase):
    def test_callback(self):
        texts, labels = read_desk()
        seen = []
        caucus.train(texts, labels, progress=seen.append, solver="lbfgs")
        self.assertGreater(len(seen), 3)
        self.assertEqual(seen[0].solver, "lbfgs")
        stopped = caucus.train(texts, labels, solver="lbfgs", progress=lambda p: p.iteration < 2)
        self.assertEqual(stopped.info["iterations"], "2")

    def test_exception_in_the_callback(self):
        def fail(p):
            raise LookupError("mine")

        with self.assertRaisesRegex(LookupError, "mine"):
            caucus.train(["a", "b"], ["x", "y"], progress=fail)

    def test_interrupt_returns_the_best_model(self):
        texts, labels = read_desk()

        def interrupt(p):
            if p.iteration == 2:
                signal.raise_signal(signal.SIGINT)

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = caucus.train(texts, labels, solver="lbfgs", progress=interrupt, l2=1e-6)
        self.assertEqual([w.category for w in caught], [caucus.InterruptedWarning])
        self.assertEqual(model.tag("fine pay"), "fines")
        self.assertIn(model.info["iterations"], ("2", "3"))

    def test_bar(self):
        import io
        from contextlib import redirect_stderr

        class Terminal(io.StringIO):
            def isatty(self):
                return True

        texts, labels = read_desk()
        for out, count in ((Terminal(), 0), (io.StringIO(), 1)):
            with redirect_stderr(out):
                caucus.train(texts, labels, solver="lbfgs", progress=True)
            lines = out.getvalue().splitlines()
            self.assertRegex(lines[-1], r"lbfgs.* \d+ iterations, objective \d+.*, \d+\.\d s")
            self.assertEqual(out.getvalue().count("\r") == 0, count == 1)
            self.assertTrue(out.getvalue().endswith("\n"))
        from caucus._progress import Progress, _Bar

        bar = _Bar(Terminal())
        half = Progress(**{**dict.fromkeys(Progress._fields, math.nan), "solver": "sgd",
                           "iteration": 5, "objective": 12.5, "dev": 0.5, "elapsed": 2.0,
                           "remaining": 2.0})
        self.assertEqual(bar.text(half), "sgd  50% |██████████          | 5 iterations, "
                                         "objective 12.5, score 50.00%, 2.0 s, 2 s left")

    def test_other_threads_run_during_training(self):
        """Without a callback: the training itself must give the interpreter lock away."""
        texts, labels = read_desk()
        data = caucus.Data(texts * 5, labels * 5)
        stamps, done = [], threading.Event()

        def work():
            while not done.is_set():
                stamps.append(time.perf_counter())
                time.sleep(0.001)

        thread = threading.Thread(target=work)
        thread.start()
        begin = time.perf_counter()
        caucus.train(data, solver="lbfgs", l2=1e-6, delta=0, epsilon=0, max_iterations=60)
        end = time.perf_counter()
        done.set()
        thread.join()
        quarter = (end - begin) / 4
        inside = [t for t in stamps if begin + quarter < t < end - quarter]
        self.assertGreater(len(inside), 3, f"of {len(stamps)} in {end - begin:.2f} s")

    def test_many_threads(self):
        """Training, tagging and studies from 16 threads; a model is used by all of them."""
        model = caucus.train([[{"w": "a"}, {"w": "b"}]] * 5, [["B-X", "I-X"]] * 5)
        sequence = [{"w": "a", "n": {"m": 1.0}}, ["g"], {"w": "b", "flag": True}]
        expected = (model.tag(sequence), model.marginals(sequence), model.segments(sequence))
        texts, labels = ["a b", "b c"] * 3, ["x", "y"] * 3
        classifier = caucus.train(texts, labels, max_iterations=2).to_bytes()
        wrong = []

        def work():
            try:
                for i in range(10):
                    found = (model.tag(sequence), model.marginals(sequence), model.segments(sequence))
                    if found != expected:
                        wrong.append(found)
                    if i % 5 == 0:
                        made = caucus.train(texts, labels, max_iterations=2)
                        if made.to_bytes() != classifier or made.explain("a").unknown:
                            wrong.append(made)
                        caucus.cross_validate(texts, labels, folds=2, max_iterations=1)
            except Exception as error:
                wrong.append(error)

        threads = [threading.Thread(target=work) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
