"""caucus.sklearn_crfsuite; scikit-learn is used where it is installed."""

import contextlib
import doctest
import gc
import importlib
import inspect
import io
import os
import pickle
import subprocess
import sys
import tempfile
import unittest

from caucus import pycrfsuite
from caucus.sklearn_crfsuite import CRF, metrics

try:
    import sklearn
except ImportError:
    sklearn = None

ALGORITHMS = ["lbfgs", "l2sgd", "ap", "pa", "arow"]
WORDS = "the cat sat on a mat and dogs bark in parks".split()
TAGS = dict(zip(WORDS, "D N V P D N C N V P N".split()))


def sentence(i):
    words = [WORDS[(3 * i + 5 * t) % len(WORDS)] for t in range(2 + i % 5)]
    return [{"word": word, "first": t == 0} for t, word in enumerate(words)], [TAGS[w] for w in words]


X, Y = map(list, zip(*map(sentence, range(40))))


class Estimator(unittest.TestCase):
    def test_arguments_in_order(self):
        names = list(inspect.signature(CRF).parameters)
        self.assertEqual(names, (
            "algorithm min_freq all_possible_states all_possible_transitions c1 c2 max_iterations num_memories "
            "epsilon period delta linesearch max_linesearch calibration_eta calibration_rate "
            "calibration_samples calibration_candidates calibration_max_trials pa_type c error_sensitive "
            "averaging variance gamma verbose model_filename keep_tempfiles trainer_cls").split())
        crf = CRF(*names)
        self.assertEqual([getattr(crf, name) for name in names], names)

    def test_fit_and_predict(self):
        for algorithm in ALGORITHMS:
            with self.subTest(algorithm):
                crf = CRF(algorithm)
                self.assertIs(crf.fit(X, Y), crf)
                self.assertEqual(crf.predict(X), Y)
                self.assertEqual(crf.predict_single(X[3]), Y[3])
                self.assertEqual(crf.score(X, Y), 1)
                self.assertEqual(sorted(crf.classes_), sorted(set(TAGS.values())))

    def test_marginals(self):
        crf = CRF(c2=0.1).fit(X, Y)
        for marginals, labels, x in zip(crf.predict_marginals(X), Y, X):
            self.assertEqual(len(marginals), len(labels))
            crf.tagger_.set(x)
            for t, (p, label) in enumerate(zip(marginals, labels)):
                self.assertAlmostEqual(sum(p.values()), 1, places=6)
                self.assertEqual(max(p, key=p.get), label)
                self.assertAlmostEqual(crf.tagger_.marginal(label, t), p[label])
        self.assertEqual(crf.predict_marginals_single([]), [])
        self.assertEqual(crf.predict([[], X[0]]), [[], Y[0]])

    def test_what_it_holds(self):
        crf = CRF()
        for name in ("tagger_", "classes_", "size_", "num_attributes_", "attributes_",
                     "state_features_", "transition_features_", "training_log_"):
            self.assertIsNone(getattr(crf, name), name)
        crf.fit(X, Y)
        self.assertEqual(crf.size_, os.path.getsize(crf.modelfile.name))
        self.assertEqual(len(crf.attributes_), crf.num_attributes_)
        self.assertIn("word:cat", crf.attributes_)
        self.assertGreater(crf.state_features_["word:cat", "N"], 0)
        self.assertTrue(all(set(pair) <= set(crf.classes_) for pair in crf.transition_features_))
        self.assertGreater(len(crf.training_log_.iterations), 3)
        self.assertIsInstance(crf.tagger_, pycrfsuite.Tagger)

    def test_parameters_reach_the_trainer(self):
        seen = {}

        class Trainer(pycrfsuite.Trainer):
            def train(self, model, holdout=-1):
                seen.update(self.get_params(), holdout=holdout)
                super().train(model, holdout)

        CRF("l2sgd", min_freq=2, all_possible_states=True, c2=0.5, max_iterations=4,
            calibration_eta=0.2, trainer_cls=Trainer).fit(X, Y)
        self.assertEqual((seen["feature.minfreq"], seen["feature.possible_states"], seen["c2"],
                          seen["max_iterations"], seen["calibration.eta"], seen["holdout"]),
                         (2, True, 0.5, 4, 0.2, -1))
        CRF("pa", pa_type=2, c=0.5).fit(X, Y)
        with self.assertRaisesRegex(ValueError, "no parameter 'c1'"):
            CRF("pa", c1=1).fit(X, Y)

    def test_dev_data_and_log(self):
        crf = CRF(max_iterations=5, verbose=True)
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
            crf.fit(X[:30], Y[:30], X[30:], Y[30:])
        lines = out.getvalue().splitlines()
        self.assertEqual(sum(line.startswith("Iter ") for line in lines), 5)
        self.assertTrue(any(line.startswith("Label") for line in lines))
        last = crf.training_log_.last_iteration
        self.assertEqual(last["item_accuracy_float"], crf.score(X[30:], Y[30:]))
        with self.assertRaisesRegex(ValueError, "both or neither"):
            crf.fit(X, Y, X)

    def test_not_fitted(self):
        with self.assertRaisesRegex(ValueError, "not fitted"):
            CRF().predict(X)

    def test_pickle(self):
        crf = CRF("lbfgs", c2=0.5).fit(X, Y)
        copy = pickle.loads(pickle.dumps(crf))
        self.assertNotEqual(copy.modelfile.name, crf.modelfile.name)
        self.assertEqual((copy.predict(X), copy.c2), (Y, 0.5))
        self.assertEqual(copy.training_log_.last_iteration, crf.training_log_.last_iteration)
        self.assertIsNone(pickle.loads(pickle.dumps(CRF())).tagger_)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model")
            CRF(model_filename=path).fit(X, Y)
            self.assertEqual(CRF(model_filename=path).predict(X), Y)
            tempfile.tempdir = folder
            try:
                crf = CRF().fit(X, Y)
                crf.fit(X, Y)
                self.assertEqual(len(os.listdir(folder)), 2)
                del crf
                gc.collect()
                self.assertEqual(os.listdir(folder), ["model"])
                kept = CRF(keep_tempfiles=True).fit(X, Y).modelfile.name
                gc.collect()
                self.assertTrue(os.path.exists(kept))
            finally:
                tempfile.tempdir = None

    def test_fit_again(self):
        crf = CRF().fit(X, Y)
        swapped = [["other" if label == "N" else label for label in y] for y in Y]
        crf.fit(X, swapped)
        self.assertIn("other", crf.classes_)
        self.assertNotIn(("word:cat", "N"), crf.state_features_)
        self.assertEqual(crf.predict(X), swapped)


class Metrics(unittest.TestCase):
    A, B = [["x", "z", "y"], ["x", "x"]], [["y", "z", "y"], ["x", "y"]]

    def test_sequences(self):
        self.assertEqual(metrics.sequence_accuracy_score(self.A, self.B), 0)
        self.assertEqual(metrics.sequence_accuracy_score([[1], [2, 3]], [[1], [2, 2]]), 0.5)
        self.assertEqual(metrics.sequence_accuracy_score([], []), 0)

    @unittest.skipUnless(sklearn, "scikit-learn is missing")
    def test_flat(self):
        self.assertEqual(metrics.flat_accuracy_score(self.A, self.B), 3 / 5)
        self.assertEqual(metrics.flat_precision_score(self.A, self.B, average="micro"), 3 / 5)
        self.assertEqual(metrics.flat_recall_score(self.A, self.B, average="micro"), 3 / 5)
        self.assertEqual(metrics.flat_f1_score(self.A, self.B, average="macro"), 2 / 3)
        self.assertEqual(metrics.flat_fbeta_score(self.A, self.B, 1, average="macro"), 2 / 3)
        report = metrics.flat_classification_report(self.A, self.B, labels=["x", "y"], digits=3)
        self.assertIn("0.500", report)

    def test_scikit_learn_is_not_imported(self):
        program = ("import sys; sys.modules['sklearn'] = None; import caucus.sklearn_crfsuite as s; "
                   "from caucus.sklearn_crfsuite import metrics, utils; "
                   "c = s.CRF().fit([[['a'], ['b']]], [['x', 'y']]); print(c.score([[['b']]], [['y']]))")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "1.0\n"), done.stderr)

    def test_examples(self):
        for name in ("", ".metrics", ".utils"):
            result = doctest.testmod(importlib.import_module("caucus.sklearn_crfsuite" + name))
            self.assertEqual((result.failed, result.attempted > 0), (0, True), name)


@unittest.skipUnless(sklearn, "scikit-learn is missing")
class ModelSelection(unittest.TestCase):
    def test_clone(self):
        from sklearn.base import clone

        crf = CRF("lbfgs", c2=0.3, model_filename="nowhere", keep_tempfiles=True)
        self.assertEqual(clone(crf).get_params(), crf.get_params())

    def test_cross_validation_and_search(self):
        from sklearn.model_selection import GridSearchCV, cross_val_score

        scores = cross_val_score(CRF(), X, Y, cv=4, n_jobs=2)
        self.assertGreater(scores.mean(), 0.9)
        from caucus.sklearn_crfsuite import scorers

        search = GridSearchCV(CRF(max_iterations=20), {"c2": [0.01, 100.0]}, cv=3,
                              scoring=scorers.sequence_accuracy)
        search.fit(X, Y)
        self.assertEqual(search.best_params_, {"c2": 0.01})
        self.assertGreater(scorers.flat_accuracy(search.best_estimator_, X, Y), 0.9)


if __name__ == "__main__":
    unittest.main()
