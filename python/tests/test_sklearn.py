"""The estimators of caucus.sklearn: the checks of scikit-learn, and what its tools do with them."""

import os
import pickle
import subprocess
import sys
import unittest
import warnings

import caucus

try:
    import numpy as np
    import scipy.sparse as sp
    import sklearn
except ImportError:
    sklearn = None

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

# Checks that fail, and why: {estimator: {check: reason}}. docs/python.md says the same.
EXPECTED_FAILURES = {
    "MaxEntClassifier(solver=sgd)": {
        "check_sample_weights_invariance zeros": "the order of the examples, which sgd draws by their "
                                                 "number, changes with examples of weight 0",
        "check_class_weight_classifiers": "weights of 1000 are too large for the rate of sgd",
    },
}


def read_kitchen(name, limit):
    with open(os.path.join(ROOT, "examples", "kitchen", name), encoding="utf-8") as file:
        blocks = file.read().strip("\n").split("\n\n")[:limit]
    rows = [[line.split() for line in block.splitlines()] for block in blocks]
    return [[[w] for w, _ in r] for r in rows], [[y for _, y in r] for r in rows]


class Lazy(unittest.TestCase):
    def test_import(self):
        code = ("import sys, caucus; assert 'sklearn' not in sys.modules; "
                "assert 'numpy' not in sys.modules")
        self.assertEqual(subprocess.run([sys.executable, "-c", code]).returncode, 0)


@unittest.skipUnless(sklearn, "scikit-learn is missing")
class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import caucus.sklearn
        from sklearn.datasets import load_iris

        cls.s = caucus.sklearn
        cls.X, cls.y = load_iris(return_X_y=True)
        cls.names = np.array(["setosa", "versicolor", "virginica"])[cls.y]


class Checks(Case):
    def run_checks(self, estimator):
        from sklearn.utils.estimator_checks import check_estimator

        name = type(estimator).__name__
        if getattr(estimator, "solver", "auto") != "auto":
            name += f"(solver={estimator.solver})"
        expected = EXPECTED_FAILURES.get(name, {})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for instance, check in check_estimator(estimator, generate_only=True):
                name = " ".join([getattr(check, "func", check).__name__,
                                 *map(str, getattr(check, "keywords", {}).values())])
                with self.subTest(type(estimator).__name__ + ": " + name):
                    if name in expected:
                        with self.assertRaises(Exception):
                            check(instance)
                    else:
                        check(instance)

    def test_classifiers(self):
        self.run_checks(self.s.MaxEntClassifier(n_jobs=1))
        self.run_checks(self.s.MegaAdapter(n_jobs=1))

    def test_online(self):
        self.run_checks(self.s.MaxEntClassifier(solver="sgd", n_jobs=1))

    def test_pools(self):
        self.run_checks(self.s.PoolClassifier(n_jobs=1))

    def test_clustering(self):
        self.run_checks(self.s.DPMMClusterer(chains=1, samples=5, burn_in=30, n_jobs=1))

    def test_sequences(self):
        for kind in (self.s.CRFTagger, self.s.MEMMTagger, self.s.TemplateTransformer):
            self.run_checks(kind())


class MaxEnt(Case):
    precise = {"epsilon": 1e-9, "delta": 0}

    def reference(self, X, y, weight=None, **options):
        from sklearn.linear_model import LogisticRegression

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it iterates until it cannot improve
            return LogisticRegression(solver="newton-cg", tol=1e-9, max_iter=1000,
                                      **options).fit(X, y, sample_weight=weight)

    def test_equals_logistic_regression(self):
        for l2 in (0.1, 1.0, 10.0):
            mine = self.s.MaxEntClassifier(l2=l2, **self.precise).fit(self.X, self.names)
            theirs = self.reference(self.X, self.names, C=1 / l2, multi_class="multinomial")
            np.testing.assert_array_equal(mine.classes_, theirs.classes_)
            np.testing.assert_allclose(mine.coef_, theirs.coef_, atol=2e-4)
            np.testing.assert_allclose(mine.predict_proba(self.X), theirs.predict_proba(self.X),
                                       atol=1e-4)

    def test_equals_logistic_regression_with_weights(self):
        weight = np.linspace(0, 2, len(self.y))
        for options in ({}, {"class_weight": "balanced"}, {"class_weight": {0: 3, 2: 0.5}},
                        {"fit_intercept": False}):
            mine = self.s.MaxEntClassifier(**options, **self.precise)
            mine.fit(self.X, self.y, sample_weight=weight)
            theirs = self.reference(self.X, self.y, weight, multi_class="multinomial", **options)
            np.testing.assert_allclose(mine.predict_proba(self.X), theirs.predict_proba(self.X),
                                       atol=1e-4, err_msg=str(options))

    def test_two_classes(self):
        """Both classes have weights, each with half of the penalty: l2 is twice 1/C."""
        X, y = self.X[:100], self.y[:100]
        mine = self.s.MaxEntClassifier(l2=2.0, **self.precise).fit(X, y)
        theirs = self.reference(X, y, C=1.0)
        np.testing.assert_allclose(mine.coef_, theirs.coef_, atol=1e-4)
        np.testing.assert_allclose(mine.intercept_, theirs.intercept_, atol=1e-4)
        np.testing.assert_allclose(mine.decision_function(X), theirs.decision_function(X), atol=1e-3)

    def test_same_as_the_model(self):
        mine = self.s.MaxEntClassifier().fit(self.X, self.names)
        p = mine.model_.probabilities(self.X)
        order = [mine.model_.classes.index(name) for name in mine.classes_]
        np.testing.assert_allclose(mine.predict_proba(self.X), p[:, order], atol=1e-6)
        self.assertEqual(list(mine.model_.tag_all(self.X)), list(mine.predict(self.X)))

    def test_forms_of_matrices(self):
        expected = self.s.MaxEntClassifier().fit(self.X, self.y).coef_
        for X in (sp.csr_matrix(self.X), sp.csc_matrix(self.X), np.asfortranarray(self.X),
                  self.X[:, ::-1][:, ::-1], self.X.tolist()):
            np.testing.assert_array_equal(self.s.MaxEntClassifier().fit(X, self.y).coef_, expected)
        small = self.s.MaxEntClassifier().fit(self.X.astype(np.float32), self.y).coef_
        np.testing.assert_allclose(small, expected, atol=1e-3)

    def test_l1_gives_zeros(self):
        mine = self.s.MaxEntClassifier(l1=5.0, l2=0.0).fit(self.X, self.y)
        self.assertGreater((mine.coef_ == 0).sum(), 2)

    def test_names_of_a_frame(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is missing")
        frame = pandas.DataFrame(self.X, columns=["a", "b", "c", "d"])
        mine = self.s.MaxEntClassifier().fit(frame, self.y)
        self.assertEqual(list(mine.feature_names_in_), ["a", "b", "c", "d"])
        self.assertEqual(set(dict(mine.model_.features())), {"a", "b", "c", "d"})
        with self.assertRaises(ValueError), warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)
            mine.predict(frame[["b", "a", "c", "d"]])

    def test_partial_fit(self):
        mine = self.s.MaxEntClassifier(solver="sgd", l2=1e-3)
        order = np.random.RandomState(0).permutation(len(self.y))
        for part in np.array_split(np.tile(order, 20), 60):
            mine.partial_fit(self.X[part], self.y[part], classes=[0, 1, 2])
        self.assertGreater(mine.score(self.X, self.y), 0.9)
        self.assertFalse(hasattr(self.s.MaxEntClassifier(), "partial_fit"))
        one = self.s.MaxEntClassifier(solver="sgd").partial_fit(self.X[:5], self.y[:5], [0, 1, 2])
        self.assertEqual(one.predict_proba(self.X).shape, (150, 3))

    def test_warm_start(self):
        mine = self.s.MaxEntClassifier(l2=1e-3, warm_start=True, **self.precise)
        first = mine.fit(self.X, self.y).n_iter_
        self.assertLess(mine.fit(self.X, self.y).n_iter_, first / 2)
        before = mine.coef_
        mine.set_params(warm_start=False).fit(self.X, self.y)
        np.testing.assert_allclose(mine.coef_, before, atol=1e-2)

    def test_threads_do_not_matter(self):
        one = self.s.MaxEntClassifier(n_jobs=1).fit(self.X, self.y)
        two = self.s.MaxEntClassifier(n_jobs=2).fit(self.X, self.y)
        self.assertEqual(one.model_.to_bytes(), two.model_.to_bytes())


class Tools(Case):
    def test_pipeline_and_grid_search(self):
        from sklearn.model_selection import GridSearchCV
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        pipe = make_pipeline(StandardScaler(), self.s.MaxEntClassifier(n_jobs=1))
        grid = GridSearchCV(pipe, {"maxentclassifier__l2": [0.1, 1e6]}, cv=3, n_jobs=2)
        grid.fit(self.X, self.names)
        self.assertEqual(grid.best_params_, {"maxentclassifier__l2": 0.1})
        self.assertGreater(grid.best_score_, 0.9)

    def test_calibration(self):
        from sklearn.calibration import CalibratedClassifierCV

        found = CalibratedClassifierCV(self.s.MaxEntClassifier(l2=10), cv=3).fit(self.X, self.y)
        self.assertGreater(found.score(self.X, self.y), 0.9)

    def test_cross_validation_with_weights(self):
        from sklearn.model_selection import cross_val_predict

        weight = np.ones(len(self.y))
        found = cross_val_predict(self.s.MaxEntClassifier(), self.X, self.y, cv=3,
                                  fit_params={"sample_weight": weight}, method="predict_proba")
        np.testing.assert_allclose(found.sum(axis=1), 1)

    def test_vectorizers(self):
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.pipeline import make_pipeline

        texts = ["good film", "good book", "bad film", "bad book"] * 3
        pipe = make_pipeline(CountVectorizer(), self.s.MaxEntClassifier(n_jobs=1))
        pipe.fit(texts, ["+", "+", "-", "-"] * 3)
        self.assertEqual(list(pipe.predict(["a good one", "how bad"])), ["+", "-"])

    def test_pickle(self):
        for estimator in (self.s.MaxEntClassifier(), self.s.PoolClassifier("bag", experts=2)):
            found = estimator.fit(self.X, self.y)
            again = pickle.loads(pickle.dumps(found))
            np.testing.assert_array_equal(again.predict_proba(self.X), found.predict_proba(self.X))


class Pools(Case):
    def test_kinds(self):
        for options in ({"pool": "bag", "experts": 2}, {"pool": "lop", "experts": 2},
                        {"pool": "bag", "experts": 2, "combine": "mixture"},
                        {"pool": "elitist", "options": {"elitist": 0.1}}):
            with self.subTest(str(options)):
                pool = self.s.PoolClassifier(**options).fit(self.X, self.names)
                self.assertIsInstance(pool.model_, caucus.Pool)
                self.assertGreater(pool.score(self.X, self.names), 0.85)
                self.assertGreaterEqual(len(pool.expert_weights_), 2)
                np.testing.assert_allclose(pool.predict_proba(self.X).sum(axis=1), 1)


class Adapters(Case):
    def test_source_helps(self):
        random = np.random.RandomState(0)
        source = random.randint(0, 2, (400, 20)).astype(float)
        labels = (source[:, :10].sum(axis=1) > 5).astype(int)
        target = random.randint(0, 2, (220, 20)).astype(float)
        gold = (target[:, :10].sum(axis=1) > 5).astype(int)
        few, rest = slice(0, 10), slice(10, None)
        alone = self.s.MegaAdapter().fit(target[few], gold[few])
        for method in ("mega", "augment", "prior"):
            helped = self.s.MegaAdapter(method).fit(target[few], gold[few], source=(source, labels))
            self.assertGreater(helped.score(target[rest], gold[rest]),
                               alone.score(target[rest], gold[rest]), method)

    def test_cross_validation_divides_the_target(self):
        from sklearn.model_selection import GridSearchCV

        grid = GridSearchCV(self.s.MegaAdapter("augment"), {"l2": [0.1, 1]}, cv=3)
        grid.fit(self.X[::5], self.names[::5], source={"all": (self.X, self.names)})
        self.assertGreater(grid.best_score_, 0.8)


class Clusters(Case):
    def test_blobs(self):
        from sklearn.datasets import make_blobs
        from sklearn.metrics import adjusted_rand_score

        X, y = make_blobs(90, centers=4, random_state=3, cluster_std=0.5)
        found = self.s.DPMMClusterer(random_state=1).fit(X)
        self.assertGreater(adjusted_rand_score(y, found.labels_), 0.9)
        self.assertEqual(found.n_clusters_, len(set(found.labels_)))

    def test_counts_and_links(self):
        X = sp.csr_matrix(np.array([[9, 0], [8, 1], [0, 9], [1, 7]]))
        labels = self.s.DPMMClusterer().fit_predict(X)
        self.assertEqual(labels[0] == labels[1], labels[2] == labels[3])
        apart = self.s.DPMMClusterer().fit(X, cannot_link=[(0, 1)], must_link=[(2, 3)]).labels_
        self.assertNotEqual(apart[0], apart[1])
        self.assertEqual(apart[2], apart[3])

    def test_questions(self):
        asked = []

        def answer(question):
            asked.append((question.a, question.b))
            return (question.a < 2) == (question.b < 2)

        found = self.s.DPMMClusterer(ask=2, answer=answer, chains=1)
        found.fit(np.array([[9, 0], [8, 1], [0, 9], [1, 7]]))
        self.assertEqual(len(asked), 2)
        self.assertIsInstance(asked[0][0], int)


class Sequences(Case):
    def test_taggers(self):
        X, y = read_kitchen("train.txt", 300)
        X_test, y_test = read_kitchen("test.txt", 60)
        for kind in (self.s.CRFTagger, self.s.MEMMTagger):
            tagger = kind(template="U0:%x[0,0]\nU1:%x[-1,0]\nB\n", max_iterations=20).fit(X, y)
            self.assertGreater(tagger.score(X_test, y_test), 0.8)
            self.assertEqual(tagger.predict(X_test)[0], tagger.model_.tag(X_test[0]))
            p = tagger.predict_proba(X_test)
            self.assertEqual(p[0].shape, (len(X_test[0]), len(tagger.classes_)))
            np.testing.assert_allclose(p[0].sum(axis=1), 1)
            again = pickle.loads(pickle.dumps(tagger))
            self.assertEqual(again.predict(X_test), tagger.predict(X_test))

    def test_grid_search(self):
        from sklearn.model_selection import GridSearchCV, cross_val_score

        X, y = read_kitchen("train.txt", 120)
        tagger = self.s.CRFTagger(form="cells", max_iterations=5)
        grid = GridSearchCV(tagger, {"l2": [0.1, 1e5]}, cv=3, n_jobs=2).fit(X, y)
        self.assertEqual(grid.best_params_, {"l2": 0.1})
        self.assertEqual(len(cross_val_score(tagger, X, y, cv=3)), 3)

    def test_dev_and_weights(self):
        X, y = read_kitchen("train.txt", 100)
        tagger = self.s.CRFTagger(form="cells", patience=3, max_iterations=20)
        tagger.fit(X[:80], y[:80], dev=(X[80:], y[80:]), sample_weight=[1.0] * 80)
        self.assertIn("dev.accuracy", tagger.model_.info)

    def test_template_in_a_pipeline(self):
        from sklearn.pipeline import make_pipeline

        X, y = read_kitchen("train.txt", 100)
        template = "U0:%lower[0,0]\nU1:%suffix[0,0,3]\n"
        pipe = make_pipeline(self.s.TemplateTransformer(template),
                             self.s.CRFTagger(max_iterations=10))
        self.assertGreater(pipe.fit(X, y).score(X, y), 0.8)
        rows = self.s.TemplateTransformer(template, matrix=True)
        flat = [label for sequence in y for label in sequence]
        matrix = rows.fit_transform(X)
        self.assertEqual(matrix.shape, (len(flat), len(rows.get_feature_names_out())))
        self.assertGreater(self.s.MaxEntClassifier().fit(matrix, flat).score(matrix, flat), 0.7)
        np.testing.assert_array_equal(rows.transform(X[:3]).toarray(),
                                      matrix[:sum(map(len, X[:3]))].toarray())


class Docstrings(Case):
    def test_examples(self):
        import doctest

        result = doctest.testmod(self.s)
        self.assertEqual(result.failed, 0)
        self.assertGreater(result.attempted, 10)


if __name__ == "__main__":
    unittest.main()
