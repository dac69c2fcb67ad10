"""caucus.pycrfsuite: by itself, and against python-crfsuite if it is installed."""

import contextlib
import doctest
import importlib
import io
import math
import os
import pickle
import random
import sys
import tempfile
import threading
import unittest
import warnings

import caucus
from caucus import pycrfsuite

try:
    import pycrfsuite as original
except ImportError:
    original = None

NAMES = ["word", "shape", "before", "after", "num"]
LABELS = ["B-X", "I-X", "O", "好", "a|b", "?"]


def corpus(count, seed=1):
    """Sequences of items in all forms, with labels that depend on the features."""
    rng = random.Random(seed)
    for _ in range(count):
        xseq, yseq = [], []
        for t in range(rng.randint(1, 12)):
            word = rng.randrange(40)
            item = {"word": f"w{word}:ö", "caps": word % 3 == 0, "length": word / 7, "n": word % 5,
                    "window": {"left": {f"l{rng.randrange(9)}"}, "right": [f"r{word % 4}", "x"]},
                    b"bytes": b"value"}
            xseq.append(item if t % 4 else [f"list{word % 6}", "other"])
            yseq.append(LABELS[(word + t // 5 + (rng.random() < 0.1)) % len(LABELS)])
        yield xseq, yseq


def labellings(labels, length):
    if length == 0:
        yield []
        return
    for rest in labellings(labels, length - 1):
        for label in labels:
            yield rest + [label]


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = lambda name: os.path.join(folder.name, name)

    def train(self, module=pycrfsuite, name="model", count=60, algorithm="lbfgs", **params):
        trainer = module.Trainer(algorithm, params, verbose=False)
        for xseq, yseq in corpus(count):
            trainer.append(xseq, yseq)
        trainer.train(self.path(name))
        return trainer

    def open(self, name="model", module=pycrfsuite):
        tagger = module.Tagger()
        tagger.open(self.path(name))
        return tagger


class Items(unittest.TestCase):
    def items(self, *items):
        return pycrfsuite.ItemSequence(items).items()

    def test_forms(self):
        for item, expected in (
            ({"a": 1, "b": 2.5, "c": True, "d": False}, {"a": 1, "b": 2.5, "c": 1, "d": 0}),
            ({"w": "x:y\\z", "ü": "é"}, {"w:x:y\\z": 1, "ü:é": 1}),
            ({"a": {"b": {"c": -2, "d": "e"}, "f": ["g", "h"], "i": {"j"}}},
             {"a:b:c": -2, "a:b:d:e": 1, "a:f:g": 1, "a:f:h": 1, "a:i:j": 1}),
            ({b"k": b"v", "n": {b"m": 3}}, {"k:v": 1, "n:m": 3}),
            (["a", "b"], {"a": 1, "b": 1}),
            ({"a"}, {"a": 1}),
            ({"x": 1}.keys(), {"x": 1}),
            ("ab", {"a": 1, "b": 1}),
            ((name for name in ["g"]), {"g": 1}),
            ({}, {}),
            ([], {}),
        ):
            self.assertEqual(self.items(item), [expected])

    def test_numbers_of_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is missing")
        self.assertEqual(self.items({"a": numpy.float32(0.5), "b": numpy.int64(3), "c": numpy.bool_(True)}),
                         [{"a": 0.5, "b": 3, "c": 1}])

    def test_sequences(self):
        sequence = pycrfsuite.ItemSequence(iter([["a"], {"b": 2}]))
        self.assertEqual(len(sequence), 2)
        self.assertEqual(repr(sequence), "<ItemSequence of size 2>")
        self.assertEqual(pycrfsuite.ItemSequence(sequence).items(), [{"a": 1}, {"b": 2}])
        self.assertEqual(pickle.loads(pickle.dumps(sequence)).items(), sequence.items())
        self.assertEqual(pycrfsuite.ItemSequence([]).items(), [])

    def test_refused(self):
        for bad in ({"a": None}, {"a": object()}, {1: 2.0}, [1], [["a"]], 5):
            with self.assertRaises(TypeError):
                self.items(bad)
        with self.assertRaises(TypeError):
            pycrfsuite.ItemSequence(5)
        with self.assertRaisesRegex(ValueError, "NUL"):
            self.items({"a\0b": 1})

    def test_memory_is_reused(self):
        long = pycrfsuite.ItemSequence([[f"name{i}" for i in range(2000)]] * 3)
        for i in range(2000):
            self.assertEqual(pycrfsuite.ItemSequence([[str(i)]]).items(), [{str(i): 1}])
        self.assertEqual(len(long.items()[2]), 2000)


class Training(Folder):
    def test_algorithms(self):
        for algorithm in ("lbfgs", "l2sgd", "ap", "pa", "arow", "averaged-perceptron", "LBFGS"):
            with self.subTest(algorithm):
                self.train(algorithm=algorithm)
                tagger = self.open()
                right = total = 0
                for xseq, yseq in corpus(60):
                    right += sum(a == b for a, b in zip(tagger.tag(xseq), yseq))
                    total += len(yseq)
                self.assertGreater(right / total, 0.55)
                self.assertEqual(sorted(tagger.labels()), sorted(LABELS))

    def test_same_model_as_the_native_trainer(self):
        trainer = self.train(c2=0.5, max_iterations=30)
        X, y = map(list, zip(*corpus(60)))
        model = caucus.train(X, y, solver="lbfgs", c2=0.5, max_iterations=30, delta=1e-5,
                             transitions="seen", plain_labels=True)
        loss = trainer.logparser.last_iteration["loss"]
        self.assertAlmostEqual(loss, float(model.info["objective"]), places=4)
        tagger = self.open()
        self.assertEqual([tagger.tag(x) for x in X], list(model.tag_all(X)))

    def test_parameters(self):
        trainer = pycrfsuite.Trainer()
        self.assertEqual(trainer.get("max_iterations"), 2147483647)
        for algorithm in ("lbfgs", "l2sgd", "ap", "pa", "arow"):
            trainer.select(algorithm)
            params = trainer.get_params()
            self.assertEqual(list(params), trainer.params())
            trainer.set_params(params)
            self.assertEqual(trainer.get_params(), params)
            for name in params:
                self.assertTrue(trainer.help(name))
        trainer.select("lbfgs")
        trainer.set("c2", "0.25")
        trainer.set("max_iterations", 7.0)
        trainer.set("feature.possible_states", True)
        trainer.set("feature.possible_transitions", "1")
        self.assertEqual((trainer.get("c2"), trainer.get("max_iterations")), (0.25, 7))
        self.assertIs(trainer.get("feature.possible_states"), True)
        for name, value in (("c2", "abc"), ("max_iterations", 1.5), ("nothing", 1), ("c2", None)):
            with self.assertRaises(ValueError):
                trainer.set(name, value)
        for call in (lambda: trainer.get("nothing"), lambda: trainer.help("gamma"),
                     lambda: trainer.select("cg"), lambda: trainer.select("lbfgs", "tree"),
                     lambda: pycrfsuite.Trainer("cg")):
            with self.assertRaises(ValueError):
                call()

    def test_options_take_effect(self):
        sizes = {}
        for name, params in (("seen", {}), ("all", {"feature.possible_states": True}),
                             ("edges", {"feature.possible_transitions": True}),
                             ("rare", {"feature.minfreq": 12}), ("l1", {"c1": 2})):
            self.train(name=name, max_iterations=15, **params)
            info = self.open(name).info()
            sizes[name] = len(info.state_features), len(info.transitions), len(info.attributes)
        self.assertGreater(sizes["all"][0], sizes["seen"][0])
        self.assertEqual(sizes["edges"][1], len(LABELS) ** 2)
        self.assertLess(sizes["rare"][2], sizes["seen"][2])
        self.assertLess(sizes["l1"][0], sizes["seen"][0] / 2)

    def test_values_out_of_range_are_moved(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.train(num_memories=50, period=100, max_iterations=3)
        self.assertEqual(len(caught), 2)
        self.assertIn("using 20", str(caught[0].message))

    def test_parameters_of_pa_and_arow(self):
        models = set()
        for algorithm, params in (("pa", {}), ("pa", {"averaging": False}), ("pa", {"type": 2}),
                                  ("pa", {"error_sensitive": False}), ("pa", {"c": 0.01}),
                                  ("arow", {}), ("arow", {"variance": 0.1}), ("arow", {"gamma": 9})):
            self.train(algorithm=algorithm, max_iterations=5, **params)
            with open(self.path("model"), "rb") as file:
                models.add(file.read())
        self.assertEqual(len(models), 8)

    def test_epsilon_of_perceptrons(self):
        full = self.train(algorithm="ap", max_iterations=40)
        early = self.train(algorithm="ap", max_iterations=40, epsilon=0.5)
        self.assertLess(len(early.logparser.iterations), len(full.logparser.iterations))

    def test_append_clear_and_train_again(self):
        trainer = pycrfsuite.Trainer(verbose=False)
        trainer.append([["a"], ["b"]], ["x", "y"])
        trainer.append(pycrfsuite.ItemSequence([["c"]]), iter(["z"]))
        trainer.append([], [])
        for x, y in (([["a"]], []), ([["a"]], ["x", "y"])):
            with self.assertRaises(ValueError):
                trainer.append(x, y)
        with self.assertRaises(TypeError):
            trainer.append([["a"]], [1])
        trainer.train(self.path("model"))
        self.assertEqual(self.open().labels(), ["x", "y", "z"])
        trainer.clear()
        trainer.append([["a"], ["b"]], ["p", "q"])
        trainer.train(self.path("model"))
        self.assertEqual(self.open().labels(), ["p", "q"])
        trainer.train("")

    def test_no_data(self):
        trainer = pycrfsuite.Trainer(verbose=False)
        with self.assertWarnsRegex(UserWarning, "no sequence"):
            trainer.train(self.path("model"))
        self.assertFalse(os.path.exists(self.path("model")))
        self.assertIn("prepare_error", [event for event, *_ in trainer.logparser.events])

    def test_unwritable_path_is_found_before_training(self):
        trainer = pycrfsuite.Trainer(verbose=False)
        for xseq, yseq in corpus(5):
            trainer.append(xseq, yseq)
        with self.assertRaises(OSError):
            trainer.train(self.path("no/model"))
        self.assertEqual(trainer.logparser.log, [])

    def test_exceptions_of_messages_end_training(self):
        class Stop(pycrfsuite.Trainer):
            def __init__(self):  # does not call the one of the base, as in programs
                self.seen = []

            def message(self, message):
                self.seen.append(message)
                if message.startswith("***** Iteration #2"):
                    raise LookupError("enough")

        trainer = Stop()
        for xseq, yseq in corpus(20):
            trainer.append(xseq, yseq)
        with self.assertRaisesRegex(LookupError, "enough"):
            trainer.train(self.path("model"))
        self.assertIn("type: CRF1d\n", trainer.seen)
        self.assertFalse(os.path.exists(self.path("model")))

    def test_interruption(self):
        class Interrupted(pycrfsuite.Trainer):
            def on_iteration(self, log, info):
                raise KeyboardInterrupt

        trainer = Interrupted()
        for xseq, yseq in corpus(20):
            trainer.append(xseq, yseq)
        with contextlib.redirect_stdout(io.StringIO()), self.assertRaises(KeyboardInterrupt):
            trainer.train(self.path("model"))
        self.assertEqual(len(trainer.logparser.iterations), 1)
        self.assertFalse(os.path.exists(self.path("model")))


class Log(Folder):
    def run_trainer(self, algorithm="lbfgs", holdout=-1, kind=pycrfsuite.Trainer, verbose=True):
        trainer = kind(algorithm, {"max_iterations": 5}, verbose)
        for i, (xseq, yseq) in enumerate(corpus(40)):
            trainer.append(xseq, yseq, i % 4)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            trainer.train(self.path("model"), holdout)
        return trainer, out.getvalue()

    def test_numbers(self):
        trainer, text = self.run_trainer()
        parser = trainer.logparser
        self.assertEqual(text, "".join(parser.log))
        self.assertEqual(parser.featgen_percent, 100)
        self.assertGreater(parser.featgen_num_features, 100)
        self.assertEqual([each["num"] for each in parser.iterations], [1, 2, 3, 4, 5])
        losses = [each["loss"] for each in parser.iterations]
        self.assertEqual(losses, sorted(losses, reverse=True))
        for name in ("feature_norm", "error_norm", "linesearch_trials", "active_features", "time"):
            self.assertGreaterEqual(parser.last_iteration[name], 0)
        self.assertIsNotNone(parser.training_seconds)
        self.assertIsNotNone(parser.storing_seconds)
        events = [event for event, *_ in parser.events]
        self.assertEqual(events, ["start"] + ["featgen_progress"] * 51 + ["featgen_end", "prepared"] +
                         ["iteration"] * 5 + ["optimization_end", "end"])

    def test_holdout(self):
        trainer, text = self.run_trainer(holdout=2)
        self.assertTrue(text.startswith("Holdout group: 3\n"))
        for each in trainer.logparser.iterations:
            self.assertEqual(set(each["scores"]), set(LABELS))
        accuracies = [each["item_accuracy_float"] for each in trainer.logparser.iterations]
        self.assertGreater(len(set(accuracies)), 1)
        last = trainer.logparser.last_iteration
        tagger = self.open()
        held = [pair for i, pair in enumerate(corpus(40)) if i % 4 == 2]
        right = sum(a == b for x, y in held for a, b in zip(y, tagger.tag(x)))
        self.assertEqual(last["item_accuracy"] * sum(len(y) for _, y in held), right)
        whole = sum(tagger.tag(x) == y for x, y in held)
        self.assertEqual(last["instance_accuracy_float"], whole / len(held))
        gold = sum(label == "O" for _, y in held for label in y)
        self.assertEqual(last["scores"]["O"].ref, gold)
        self.assertGreater(last["avg_f1"], 0)

    def test_other_algorithms(self):
        for algorithm, heading in (("l2sgd", "Stochastic Gradient Descent (SGD)\n"),
                                   ("ap", "Averaged perceptron\n"), ("pa", "Passive Aggressive\n"),
                                   ("arow", "Adaptive Regularization of Weights (AROW)\n")):
            trainer, text = self.run_trainer(algorithm)
            self.assertIn(heading, text)
            self.assertEqual(len(trainer.logparser.iterations), 5)

    def test_events(self):
        class Counting(pycrfsuite.Trainer):
            count = {}

            def note(self, name, *more):
                self.count[name] = self.count.get(name, 0) + 1

            def on_start(self, log):
                self.note("start")
                assert log == "Feature generation\n", log

            def on_featgen_progress(self, log, percent):
                self.note("progress")

            def on_featgen_end(self, log):
                self.note("featgen")

            def on_prepared(self, log):
                self.note("prepared")
                assert log.startswith("\nL-BFGS optimization\n"), log

            def on_iteration(self, log, info):
                self.note("iteration")
                assert log.startswith("***** Iteration #%d" % info["num"]), log

            def on_optimization_end(self, log):
                self.note("optimized")

            def on_end(self, log):
                self.note("end")
                assert log.startswith("Storing the model\n"), log

        _, text = self.run_trainer(kind=Counting)
        self.assertEqual(text, "")
        self.assertEqual(Counting.count, {"start": 1, "progress": 51, "featgen": 1, "prepared": 1,
                                          "iteration": 5, "optimized": 1, "end": 1})

    def test_silence_and_base_trainer(self):
        self.assertEqual(self.run_trainer(verbose=False)[1], "")
        trainer, text = self.run_trainer(kind=pycrfsuite.BaseTrainer)
        self.assertIn("***** Iteration #5 *****\n", text)
        self.assertFalse(hasattr(trainer, "logparser"))


class Tagging(Folder):
    def test_probabilities(self):
        self.train()
        tagger = self.open()
        for xseq, yseq in corpus(20, seed=3):
            xseq = xseq[:4]
            total, best, sums = 0, (0, []), {}
            for labels in labellings(tagger.labels(), len(xseq)):
                tagger.set(xseq)
                p = tagger.probability(labels)
                total += p
                best = max(best, (p, labels))
                for t, label in enumerate(labels):
                    sums[t, label] = sums.get((t, label), 0) + p
            self.assertAlmostEqual(total, 1, places=6)
            self.assertEqual(tagger.tag(xseq), best[1])
            for (t, label), p in sums.items():
                self.assertAlmostEqual(tagger.marginal(label, t), p, places=6)
            self.assertEqual([sorted(m) for m in tagger.marginals()], [sorted(LABELS)] * len(xseq))
            break

    def test_current_sequence(self):
        self.train()
        tagger = self.open()
        self.assertEqual(tagger.tag(), [])
        x, y = next(corpus(1))
        tagger.set(x)
        labels = tagger.tag()
        self.assertEqual(labels, tagger.tag(x))
        items = pycrfsuite.ItemSequence(x)
        self.assertEqual(labels, tagger.tag(items))
        self.train(name="other", count=10, c2=20)
        for _ in range(2):  # items keep what the model that tagged them last has computed
            self.assertEqual(self.open("other").tag(items), self.open("other").tag(x))
            self.assertEqual(self.open().tag(items), labels)
        self.assertEqual(items.items(), pycrfsuite.ItemSequence(x).items())
        self.assertEqual(tagger.tag([]), [])
        self.assertEqual((tagger.probability([]), tagger.marginal("O", 0)), (0, 0))

    def test_refused(self):
        self.train()
        tagger = self.open()
        tagger.set([["a"], ["b"]])
        for call, kind in ((lambda: tagger.probability(["O"]), ValueError),
                           (lambda: tagger.probability(["O", "no"]), RuntimeError),
                           (lambda: tagger.marginal("no", 0), RuntimeError),
                           (lambda: tagger.marginal("O", 2), ValueError),
                           (lambda: tagger.marginal("O", -1), ValueError),
                           (lambda: tagger.tag([{"a": None}]), TypeError),
                           (lambda: tagger.tag(5), TypeError)):
            with self.assertRaises(kind):
                call()
        self.assertEqual(len(tagger.tag([["a"]])), 1)

    def test_closed(self):
        tagger = pycrfsuite.Tagger()
        for call, kind in ((tagger.labels, ValueError), (tagger.tag, ValueError),
                           (lambda: tagger.tag([["a"]]), ValueError),
                           (lambda: tagger.set([]), ValueError),
                           (lambda: tagger.probability([]), ValueError),
                           (lambda: tagger.marginal("O", 0), ValueError),
                           (tagger.info, RuntimeError),
                           (lambda: tagger.dump(os.devnull), RuntimeError)):
            with self.assertRaises(kind):
                call()
        tagger.close()
        self.train()
        with tagger.open(self.path("model")) as opened:
            self.assertIs(opened, tagger)
            self.assertEqual(len(tagger.labels()), len(LABELS))
        with self.assertRaises(ValueError):
            tagger.labels()

    def test_open(self):
        self.train()
        with open(self.path("model"), "rb") as file:
            data = file.read()
        with pycrfsuite.Tagger().open_inmemory(data) as tagger:
            x, y = next(corpus(1))
            self.assertEqual(tagger.tag(x), self.open().tag(x))
            self.assertEqual(tagger.info().header["size"], str(len(data)))
        tagger = pycrfsuite.Tagger()
        with self.assertRaises(FileNotFoundError):
            tagger.open(self.path("nothing"))
        for bad in (b"", b"lCRF", b"lCRFfoo" * 100, data[:-10], data[: len(data) // 2],
                    b"text" + data):
            with self.assertRaises(ValueError):
                tagger.open_inmemory(bad)
            with open(self.path("bad"), "wb") as file:
                file.write(bad)
            with self.assertRaises(ValueError):
                tagger.open(self.path("bad"))

    def test_models_of_caucus(self):
        X, y = map(list, zip(*corpus(40)))
        model = caucus.train(X, y, plain_labels=True)
        model.save(self.path("model.cau"))
        self.assertEqual([self.open("model.cau").tag(x) for x in X], list(model.tag_all(X)))
        self.assertEqual(self.open("model.cau").info().header["num_labels"], str(len(LABELS)))
        for model in (caucus.train(["a", "b"], ["x", "y"]),
                      caucus.train([["a"], ["b"]], [["x"], ["y"]], template="U0:%x[0,0]\n")):
            model.save(self.path("other.cau"))
            with self.assertRaisesRegex(ValueError, "use caucus.Model"):
                self.open("other.cau")

    def test_info_and_dump(self):
        self.train()
        tagger = self.open()
        info = tagger.info()
        self.assertEqual(info.header["magic"], "lCRF")
        self.assertEqual(info.header["num_attrs"], str(len(info.attributes)))
        self.assertEqual(list(info.labels), tagger.labels())
        self.assertTrue(set(info.attributes) >= {a for a, _ in info.state_features})
        self.assertTrue(all(isinstance(w, float) and w for w in info.state_features.values()))
        tagger.dump(self.path("dump"))
        with open(self.path("dump"), encoding="utf-8") as file:
            text = file.read()
        for (a, b), weight in info.transitions.items():
            self.assertIn(f"  (1) {a} --> {b}: {weight:f}\n", text)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            tagger.dump()
        self.assertEqual(out.getvalue(), text)

    def test_threads_share_a_tagger(self):
        self.train()
        tagger = self.open()
        data = list(corpus(40, seed=5))
        expected = [tagger.tag(x) for x, _ in data]
        wrong = []

        def work(seed):
            order = list(range(len(data))) * 5
            random.Random(seed).shuffle(order)
            for i in order:
                if tagger.tag(iter(data[i][0])) != expected[i]:
                    wrong.append(i)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        before = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            sys.setswitchinterval(before)
        self.assertEqual(wrong, [])

    def test_no_leak(self):
        try:
            import resource
        except ImportError:
            self.skipTest("resource is missing")
        self.train()
        tagger = self.open()
        x, y = next(corpus(1, seed=4))

        def calls(count):
            for _ in range(count):
                labels = tagger.tag(x)
                tagger.marginal(labels[0], 0)
                tagger.probability(labels)
                pycrfsuite.ItemSequence(x).items()
                trainer = pycrfsuite.Trainer(verbose=False)
                trainer.append(x, y)
                try:
                    tagger.tag([{"a": 1, "b": None}])
                except TypeError:
                    pass
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        before = calls(500)
        self.assertLess(calls(3000) - before, 2000)


class Errors(unittest.TestCase):
    def test_codes(self):
        error = pycrfsuite.CRFSuiteError(-2147483643)
        self.assertEqual((error.code, str(error)), (-2147483643, "Overflow"))
        self.assertEqual(pickle.loads(pickle.dumps(error)).code, error.code)
        self.assertIn("7", str(pycrfsuite.CRFSuiteError(7)))
        self.assertTrue(pycrfsuite.CRFSUITE_VERSION)

    def test_examples(self):
        for name in ("", "._errors", "._items", "._logparser"):
            module = importlib.import_module("caucus.pycrfsuite" + name)
            result = doctest.testmod(module)
            self.assertEqual((result.failed, result.attempted > 0), (0, True), name)


@unittest.skipUnless(original, "python-crfsuite is missing")
class AgainstTheOriginal(Folder):
    def test_items(self):
        for xseq, _ in corpus(30):
            self.assertEqual(pycrfsuite.ItemSequence(xseq).items(), original.ItemSequence(xseq).items())

    def test_models_are_exchanged(self):
        data = list(corpus(50, seed=9))
        for name, module in (("ours", pycrfsuite), ("theirs", original)):
            self.train(module, name)
            one, other = self.open(name), self.open(name, original)
            self.assertEqual(one.labels(), other.labels())
            for xseq, _ in data:
                labels = one.tag(xseq)
                self.assertEqual(labels, other.tag(xseq))
                self.assertAlmostEqual(one.probability(labels), other.probability(labels), places=6)
                for t in range(len(xseq)):
                    for label in LABELS:
                        self.assertAlmostEqual(one.marginal(label, t), other.marginal(label, t),
                                               places=6)
            a, b = one.info(), other.info()
            self.assertEqual(a.header, b.header)
            self.assertEqual(a.labels, b.labels)
            self.assertEqual(a.attributes, b.attributes)
            for ours, theirs in ((a.transitions, b.transitions), (a.state_features, b.state_features)):
                for key in {*ours, *theirs}:
                    self.assertAlmostEqual(ours.get(key, 0), theirs.get(key, 0), places=5)

    def test_same_optimum(self):
        losses = {}
        for module in (pycrfsuite, original):
            trainer = self.train(module, epsilon=1e-7, delta=1e-9)
            losses[module] = trainer.logparser.last_iteration["loss"]
        self.assertTrue(math.isclose(losses[pycrfsuite], losses[original], rel_tol=1e-4))

    def test_same_updates(self):
        """With one sequence there is no random order, so all updates are the same. Values are not 0: a pair of
        attribute and label that only occurs so has a weight in CRFsuite."""
        pairs = [(item, label) for x, y in corpus(6) for item, label in zip(x, y)]
        items = [{k: v for k, v in item.items() if v} if isinstance(item, dict) else item
                 for item, _ in pairs]
        for algorithm, params in (("ap", {}), ("pa", {}), ("pa", {"type": 0}), ("pa", {"type": 2}),
                                  ("pa", {"averaging": 0}), ("pa", {"error_sensitive": 0}),
                                  ("arow", {}), ("arow", {"variance": 0.3, "gamma": 4})):
            weights = []
            for module in (pycrfsuite, original):
                trainer = module.Trainer(algorithm, {**params, "max_iterations": 20}, verbose=False)
                trainer.append(items, [label for _, label in pairs])
                trainer.train(self.path("model"))
                info = self.open("model", module).info()
                weights.append({**info.transitions, **info.state_features})
            self.assertEqual(set(weights[0]), set(weights[1]))
            for key, weight in weights[0].items():
                self.assertAlmostEqual(weight, weights[1][key], delta=1e-5)

    def test_same_scores_of_held_out_data(self):
        """As test_same_updates, with a second sequence that is held out."""
        pairs = [(item, label) for x, y in corpus(12) for item, label in zip(x, y)
                 if isinstance(item, list)]
        scores = {}
        for module in (pycrfsuite, original):
            trainer = module.Trainer("arow", {"max_iterations": 10}, verbose=False)
            for group, part in enumerate((pairs[::2], pairs[1::2])):
                trainer.append([item for item, _ in part], [label for _, label in part], group)
            trainer.train(self.path("model"), 1)
            scores[module] = [{name: value for name, value in each.items()
                               if name not in ("loss", "feature_norm", "time")}
                              for each in trainer.logparser.iterations]
            for each in scores[module]:  # their parser loses a label without gold that is predicted
                each["scores"] = {y: s for y, s in each["scores"].items() if s.ref}
        self.assertEqual(scores[pycrfsuite], scores[original])

    def test_parameters(self):
        ours, theirs = pycrfsuite.Trainer(), original.Trainer()
        for algorithm in ("lbfgs", "l2sgd", "ap", "pa", "arow"):
            ours.select(algorithm)
            theirs.select(algorithm)
            self.assertEqual(ours.get_params(), theirs.get_params())
            self.assertEqual(ours.params(), theirs.params())

    def test_log_parsers_agree(self):
        from pycrfsuite._logparser import TrainLogParser as Theirs

        from caucus.pycrfsuite._logparser import TrainLogParser as Ours

        for module in (pycrfsuite, original):
            trainer = module.Trainer("lbfgs", {"max_iterations": 4}, verbose=False)
            for i, (xseq, yseq) in enumerate(corpus(30)):
                trainer.append(xseq, yseq, i % 3)
            trainer.train(self.path("model"), 1)
            ours, theirs = Ours(), Theirs()
            for line in trainer.logparser.log:
                self.assertEqual(ours.feed(line), theirs.feed(line))
                self.assertEqual(ours.last_log, theirs.last_log)
            for name in ("iterations", "events", "featgen_percent", "featgen_num_features",
                         "featgen_seconds", "training_seconds", "storing_seconds"):
                a, b = getattr(ours, name), getattr(theirs, name)
                self.assertEqual(repr(a or None), repr(b or None))  # theirs drops a time of 0


if __name__ == "__main__":
    unittest.main()
