"""Caucus as estimators of scikit-learn, which is imported with this module and not before.

    from caucus.sklearn import MaxEntClassifier, CRFTagger

    MaxEntClassifier(l2=0.1).fit(X, y).predict_proba(X)     # X: an array or sparse matrix
    CRFTagger(l2=0.1).fit(X, y).predict(X)                  # X: sequences of dicts, rows or words

Parameters are options of the program (`caucus.options`), under their names; None is the default of
the program. Those that tools of scikit-learn know have its names: class_weight, fit_intercept,
warm_start, random_state, n_jobs, verbose. `options` is a dict of any further ones. docs/python.md
lists where an estimator differs from what scikit-learn expects.
"""

try:
    import joblib
    import numpy as np
    import scipy.sparse as sp
    from sklearn.base import BaseEstimator, ClassifierMixin, ClusterMixin, TransformerMixin
    from sklearn.utils import check_random_state, compute_sample_weight
    from sklearn.utils.extmath import safe_sparse_dot, softmax
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import _check_sample_weight, check_is_fitted
except ImportError as error:
    raise ImportError("caucus.sklearn needs scikit-learn; install it (Debian: python3-sklearn)"
                      ) from error

from ._clustering import Clustering
from ._data import Data
from ._features import features
from ._model import Model

try:  # scikit-learn 1.6 and later
    from sklearn.utils.validation import validate_data
except ImportError:

    def validate_data(estimator, *data, **checks):
        return estimator._validate_data(*data, **checks)


__all__ = ["CRFTagger", "DPMMClusterer", "MEMMTagger", "MaxEntClassifier", "MegaAdapter",
           "PoolClassifier", "TemplateTransformer"]

_MATRIX = {"accept_sparse": "csr", "dtype": (np.float64, np.float32)}


class _Estimator(BaseEstimator):
    """What turns parameters into options. `_named` are parameters that are options themselves."""

    _named = ()

    def _options(self, **more):
        options = {name: getattr(self, name) for name in self._named}
        options.update(more)
        options.update(self.options or {})
        options["threads"] = self._threads()
        options["seed"] = self._seed()
        return options

    def _threads(self):
        """All processors, unless n_jobs or an outer loop of joblib limits them."""
        nested = getattr(joblib.parallel.get_active_backend()[0], "nesting_level", 0)
        if self.n_jobs is None and not nested:
            return 0
        return joblib.effective_n_jobs(self.n_jobs)

    def _seed(self):
        if self.random_state is None or isinstance(self.random_state, (int, np.integer)):
            return self.random_state
        return check_random_state(self.random_state).randint(2 ** 31)

    @property
    def _progress(self):
        return True if self.verbose else None


# ---- classifiers of matrices -----------------------------------------------------------------


def _label_names(classes):
    """A label of the model for each class: its text, or its number where that would not do."""
    names = [str(each) for each in classes]
    if len(set(names)) < len(names) or not all(name.strip() and "\0" not in name for name in names):
        names = [str(i) for i in range(len(classes))]
    return np.array(names, dtype=object)


class _MatrixClassifier(ClassifierMixin, _Estimator):
    """A classifier of the rows of an array or a sparse matrix; `model_` is its caucus.Model."""

    def _validate(self, X, y, reset=True):
        X, y = validate_data(self, X, y, reset=reset, **_MATRIX)
        check_classification_targets(y)
        return X, y

    def _feature_names(self):
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if names is None else list(names)

    def _weights(self, X, y, sample_weight, classes=None):
        """The weights of the instances with those of their classes, or None."""
        class_weight = getattr(self, "class_weight", None)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if class_weight is not None:
            by_class = compute_sample_weight(class_weight, y)
            sample_weight = by_class if sample_weight is None else sample_weight * by_class
        return sample_weight

    def _set_classes(self, classes):
        if len(classes) < 2:
            raise ValueError(f"{type(self).__name__} needs samples of at least 2 classes, but the "
                             f"data has one class: {classes[0]!r}")
        self.classes_ = classes
        self._labels = _label_names(classes)

    def _data(self, X, y, weights, options):
        return Data(X, self._labels[np.searchsorted(self.classes_, y)], weights=weights,
                    feature_names=self._feature_names(), **options)

    def _set_model(self, model):
        self.model_ = model
        self.n_iter_ = int(model.info.get("iterations", 0))
        order = {label: i for i, label in enumerate(model.classes)}
        self._columns = np.array([order.get(label, -1) for label in self._labels])
        return self

    def _log_probabilities(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, **_MATRIX)
        p = self.model_.probabilities(X, feature_names=self._feature_names())
        with np.errstate(divide="ignore"):
            log_p = np.log(np.column_stack([p, np.zeros(len(p))]))
        return log_p[:, self._columns]  # a class that the model lacks has column -1

    def decision_function(self, X):
        """Scores [rows, classes]; for two classes [rows], positive for the second."""
        scores = self._log_probabilities(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X):
        """p(class | row), [rows, classes]."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        return softmax(scores, copy=False)

    def predict_log_proba(self, X):
        return np.log(self.predict_proba(X))

    def predict(self, X):
        """The most probable class of each row."""
        scores = self.decision_function(X)
        best = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[best]


def _is_online(estimator):
    if estimator.solver in ("sgd", "adagrad", "perceptron", "pa"):
        return True
    raise AttributeError(f"solver={estimator.solver!r} cannot learn from parts of the data; choose "
                         "sgd, adagrad, perceptron or pa")


class MaxEntClassifier(_MatrixClassifier):
    """Multinomial logistic regression on arrays and sparse matrices.

    The objective is that of LogisticRegression(C=1/l2, multi_class="multinomial"). The
    intercept is not penalised.

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> MaxEntClassifier(l2=0.1).fit(X, y).score(X, y) > 0.95
    True
    """

    _named = ("l2", "l1", "solver", "max_iterations", "epsilon", "delta")

    def __init__(self, l2=1.0, l1=0.0, *, solver="auto", max_iterations=None, epsilon=None,
                 delta=None, fit_intercept=True, class_weight=None, warm_start=False,
                 random_state=None, n_jobs=None, verbose=0, options=None):
        self.l2 = l2
        self.l1 = l1
        self.solver = solver
        self.max_iterations = max_iterations
        self.epsilon = epsilon
        self.delta = delta
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.options = options

    def fit(self, X, y, sample_weight=None):
        """Trains on the rows of X. With warm_start training starts from the last model."""
        before = getattr(self, "model_", None) if self.warm_start else None
        X, y = self._validate(X, y)
        self._set_classes(np.unique(y))
        return self._train(X, y, self._weights(X, y, sample_weight), before)

    @available_if(_is_online)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """One pass over some more rows, for the solvers sgd, adagrad, perceptron and pa. The first
        call needs all classes."""
        first = not hasattr(self, "model_")
        if first and classes is None:
            raise ValueError("the first call of partial_fit needs all classes")
        X, y = self._validate(X, y, reset=first)
        if first:
            self._set_classes(np.unique(classes))
        if classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(f"classes={classes!r} is not the same as on the last call, which was: "
                             f"{self.classes_!r}")
        if not np.isin(y, self.classes_).all():
            raise ValueError(f"y has labels that are not in classes: {np.unique(y)!r}")
        if self.class_weight == "balanced":
            raise ValueError("class_weight='balanced' needs all of the data; give the weights")
        before = None if first else self.model_
        weights = self._weights(X, y, sample_weight)
        weights = np.ones(len(y)) if weights is None else weights
        every = np.zeros((len(self.classes_), X.shape[1]))  # tells the model of all classes
        X = sp.vstack([X, every], format="csr") if sp.issparse(X) else np.vstack([X, every])
        return self._train(X, np.concatenate([y, self.classes_]),
                           np.concatenate([weights, np.zeros(len(every))]), before,
                           max_iterations=1)

    def _train(self, X, y, weights, before, **more):
        options = self._options(no_bias=not self.fit_intercept, from_=before, **more)
        data = self._data(X, y, weights, options)
        self._set_model(Model._train("train", data.options, data, self._progress))
        rows, intercept = self.model_.coefficients(self._feature_names())
        if len(self.classes_) == 2:
            pair = self._columns
            self.coef_ = np.ascontiguousarray(rows[:, [pair[1]]] - rows[:, [pair[0]]]).T
            self.intercept_ = intercept[[pair[1]]] - intercept[[pair[0]]]
        else:
            self.coef_ = np.ascontiguousarray(rows[:, self._columns].T)
            self.intercept_ = intercept[self._columns]
        return self

    def decision_function(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, **_MATRIX)
        scores = safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_
        return scores.ravel() if scores.shape[1] == 1 else scores


class PoolClassifier(_MatrixClassifier):
    """Several MaxEnt experts that vote, each on a part of the features (bag, lop), on features that
    it chooses itself (elitist), or on random ones (dropout). `expert_weights_` are their votes.

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> pool = PoolClassifier("bag", experts=2, l2=0.1).fit(X, y)
    >>> pool.score(X, y) > 0.9, len(pool.expert_weights_)
    (True, 2)
    """

    _named = ("pool", "experts", "partition", "combine", "alphas", "l2", "solver",
              "max_iterations")

    def __init__(self, pool="bag", experts=None, *, partition=None, combine=None, alphas=None,
                 l2=1.0, solver="auto", max_iterations=None, class_weight=None, random_state=None,
                 n_jobs=None, verbose=0, options=None):
        self.pool = pool
        self.experts = experts
        self.partition = partition
        self.combine = combine
        self.alphas = alphas
        self.l2 = l2
        self.solver = solver
        self.max_iterations = max_iterations
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.options = options

    def fit(self, X, y, sample_weight=None):
        X, y = self._validate(X, y)
        if X.shape[1] == 1 and self.pool != "dropout":
            raise ValueError("n_features = 1, and a feature cannot be shared between experts")
        self._set_classes(np.unique(y))
        data = self._data(X, y, self._weights(X, y, sample_weight), self._options())
        self._set_model(Model._train("train", data.options, data, self._progress))
        self.expert_weights_ = np.array(self.model_.expert_weights)
        return self


class MegaAdapter(_MatrixClassifier):
    """A classifier for a domain with few labels, with the help of a source domain.

    `fit(X, y, source=(X_source, y_source))` takes the data of the target domain first, so that
    cross-validation divides only that; `source` may also be a dict or list of several such pairs.
    Without a source it is a MaxEnt classifier of the target.

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> adapter = MegaAdapter(method="augment").fit(X[::10], y[::10], source=(X, y))
    >>> adapter.score(X, y) > 0.9
    True
    """

    _named = ("l2", "solver", "max_iterations")

    def __init__(self, method="mega", l2=1.0, *, solver="auto", max_iterations=None,
                 class_weight=None, random_state=None, n_jobs=None, verbose=0, options=None):
        self.method = method
        self.l2 = l2
        self.solver = solver
        self.max_iterations = max_iterations
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.options = options

    def fit(self, X, y, source=None, sample_weight=None):
        """Trains for the domain of X and y; sample_weight is that of their rows."""
        X, y = self._validate(X, y)
        weights = self._weights(X, y, sample_weight)
        if source is None:
            self._set_classes(np.unique(y))
            data = self._data(X, y, weights, self._options())
            return self._set_model(Model._train("train", data.options, data, self._progress))
        sources = self._sources(source)
        self._set_classes(np.unique(np.concatenate([y] + [part[1] for part in sources.values()])))
        named = {name: (X_, self._labels[np.searchsorted(self.classes_, y_)], w)
                 for name, (X_, y_, w) in {"target": (X, y, weights), **sources}.items()}
        target = named.pop("target")
        data = Data.domains(target, named, feature_names=self._feature_names(),
                            **self._options(method=self.method))
        return self._set_model(Model._train("adapt", data.options, data, self._progress))

    def _sources(self, source):
        """{name: (X, y, weights)} of the source domains."""
        if isinstance(source, tuple) and len(source) == 2:
            source = [source]
        if not isinstance(source, dict):
            source = {f"source{i}": pair for i, pair in enumerate(source, 1)}
        parts = {}
        for name, (X, y) in source.items():
            if name == "target":
                raise ValueError("a source cannot be called target; give it another name")
            X, y = self._validate(X, y, reset=False)
            parts[str(name)] = (X, y, self._weights(X, y, None))
        return parts


# ---- clustering ------------------------------------------------------------------------------


class DPMMClusterer(ClusterMixin, _Estimator):
    """Clusters by a Dirichlet process mixture, which finds their number, under links.

    The default likelihood is multinomial if X has counts (whole numbers from 0, and not only 0 in
    any row), else gaussian.
    `must_link` and `cannot_link` are arrays of pairs of rows. `ask` questions are answered by
    `answer(question)`, whose question.a and question.b are numbers of rows. After fit, `labels_` has
    the clusters, `certainty_` how sure each row is, `report_` the report of the program.

    >>> X = np.vstack([np.full((5, 2), 0.0), np.full((5, 2), 9.0)]) + 0.1 * np.eye(10)[:, :2]
    >>> DPMMClusterer(random_state=1).fit(X).n_clusters_
    2
    """

    _named = ("alpha", "beta", "chains", "burn_in", "samples", "reduce", "total", "ask")

    def __init__(self, likelihood=None, *, alpha=None, beta=None, chains=None, burn_in=None,
                 samples=None, reduce=None, total=None, ask=None, answer=None, random_state=None,
                 n_jobs=None, verbose=0, options=None):
        self.likelihood = likelihood
        self.alpha = alpha
        self.beta = beta
        self.chains = chains
        self.burn_in = burn_in
        self.samples = samples
        self.reduce = reduce
        self.total = total
        self.ask = ask
        self.answer = answer
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.options = options

    def fit(self, X, y=None, must_link=(), cannot_link=()):
        """Clusters the rows of X; y is ignored."""
        X = validate_data(self, X, reset=True, **_MATRIX)
        values = X.data if hasattr(X, "tocsr") else X
        counts = (values.min(initial=0) >= 0 and np.array_equal(values, values.round())
                  and (X.sum(axis=1) > 0).all())
        likelihood = self.likelihood or ("multinomial" if counts else "gaussian")
        links = [(str(a), str(b), together) for pairs, together in ((must_link, 1), (cannot_link, 0))
                 for a, b in pairs]
        rows = self._rows(X)
        if likelihood == "gaussian":  # the program refuses items without features, not points at 0
            rows = [row if any(row.values()) else {"x0": 1e-30} for row in rows]
        found = Clustering({str(i): row for i, row in enumerate(rows)}, links=links,
                           **self._options(likelihood=likelihood))
        found.run(self._ask if self.answer else None, self._progress)
        assignment = found.assignment
        self.report_ = found.report()
        self.labels_ = np.array([assignment[str(i)] for i in range(len(rows))])
        self.certainty_ = np.array([found.certainty[str(i)] for i in range(len(rows))])
        self.n_clusters_ = len(set(assignment.values()))
        return self

    def _ask(self, question):
        question.a, question.b = int(question.a), int(question.b)
        return self.answer(question)

    def _rows(self, X):
        if hasattr(X, "tocsr"):
            X = X.tocsr()
            return [{f"x{j}": v for j, v in zip(X.indices[a:b].tolist(), X.data[a:b].tolist())}
                    for a, b in zip(X.indptr[:-1], X.indptr[1:])]
        return [{f"x{j}": v for j, v in enumerate(row)} for row in X.tolist()]


# ---- sequences -------------------------------------------------------------------------------


class _SequenceTagger(_Estimator):
    """Labels the tokens of sequences. X and y are lists with one list for each sequence; a token is
    a dict or list of features, or cells (docs/python.md). `model_` is the caucus.Model."""

    _model = None
    _named = ("l2", "l1", "template", "solver", "max_iterations", "states", "transitions",
              "dev_fraction", "patience")

    def __init__(self, l2=1.0, l1=0.0, *, template=None, form=None, solver="auto",
                 max_iterations=None, states=None, transitions=None, dev_fraction=None,
                 patience=None, warm_start=False, random_state=None, n_jobs=None, verbose=0,
                 options=None):
        self.l2 = l2
        self.l1 = l1
        self.template = template
        self.form = form
        self.solver = solver
        self.max_iterations = max_iterations
        self.states = states
        self.transitions = transitions
        self.dev_fraction = dev_fraction
        self.patience = patience
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.options = options

    def fit(self, X, y, sample_weight=None, dev=None):
        """Trains. `sample_weight` has a number for each sequence; on `dev`, a pair (X, y), the best
        iteration is chosen."""
        before = getattr(self, "model_", None) if self.warm_start else None
        data = Data(X, y, weights=sample_weight, dev=dev, form=self.form,
                    **self._options(model=self._model, from_=before))
        self.model_ = Model._train("train", data.options, data, self._progress)
        self.classes_ = np.array(self.model_.classes, dtype=object)
        self.n_iter_ = int(self.model_.info.get("iterations", 0))
        return self

    def predict(self, X):
        """The labels of each sequence."""
        check_is_fitted(self)
        return list(self.model_.tag_all(X))

    def predict_marginals(self, X):
        """For each token a dict {label: probability}."""
        check_is_fitted(self)
        return [self.model_.marginals(x) if len(x) else [] for x in X]

    def predict_proba(self, X):
        """For each sequence an array [tokens, classes] of the same probabilities."""
        return [np.array([[token[label] for label in self.classes_] for token in sequence]
                         ).reshape(-1, len(self.classes_))
                for sequence in self.predict_marginals(X)]

    def score(self, X, y, sample_weight=None):
        """The share of tokens with the right label; of sequences with weights, weighted."""
        right, all_of_them = 0.0, 0.0
        weights = [1.0] * len(y) if sample_weight is None else sample_weight
        for gold, predicted, weight in zip(y, self.predict(X), weights):
            right += weight * sum(a == b for a, b in zip(gold, predicted))
            all_of_them += weight * len(gold)
        return right / all_of_them if all_of_them else float("nan")

    def _more_tags(self):
        return {"X_types": ["sequences"], "no_validation": True}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.no_validation = True
        return tags


class CRFTagger(_SequenceTagger):
    """A linear-chain CRF.

    >>> X = [["the", "cat"], ["a", "dog", "barks"]]
    >>> y = [["DET", "NOUN"], ["DET", "NOUN", "VERB"]]
    >>> CRFTagger(l2=0.1).fit(X, y).predict([["a", "cat"]])
    [['DET', 'NOUN']]
    """

    _model = "crf"


class MEMMTagger(_SequenceTagger):
    """A maximum-entropy Markov model, which trains faster than a CRF and is normalised at each
    token.

    >>> X = [["the", "cat"], ["a", "dog", "barks"]]
    >>> y = [["DET", "NOUN"], ["DET", "NOUN", "VERB"]]
    >>> MEMMTagger(l2=0.1).fit(X, y).predict([["a", "cat"]])
    [['DET', 'NOUN']]
    """

    _model = "memm"


class TemplateTransformer(TransformerMixin, BaseEstimator):
    """Sequences of rows of cells (or words) as sequences of dicts of the features that a template
    makes, for a CRFTagger without a template.

    With matrix=True it gives a sparse matrix with a row for each token of all sequences, for other
    classifiers; its columns are the features of the sequences of fit (get_feature_names_out).

    >>> TemplateTransformer("U:%lower[0,0]\\n").fit_transform([["The", "cat"]])
    [[{'U:the': 1.0}, {'U:cat': 1.0}]]
    """

    def __init__(self, template=None, *, matrix=False):
        self.template = template
        self.matrix = matrix

    def fit(self, X, y=None):
        """With matrix=True, chooses the columns; without, checks the template."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X, y=None):
        from sklearn.feature_extraction import DictVectorizer

        made = features(X, template=self.template)
        self.vectorizer_ = DictVectorizer() if self.matrix else None
        return self.vectorizer_.fit_transform(_flat(made)) if self.matrix else made

    def transform(self, X):
        check_is_fitted(self, "vectorizer_")
        made = features(X, template=self.template)
        return self.vectorizer_.transform(_flat(made)) if self.vectorizer_ else made

    def get_feature_names_out(self, input_features=None):
        check_is_fitted(self, "vectorizer_")
        if not self.vectorizer_:
            raise ValueError("without matrix=True there are no columns")
        return self.vectorizer_.get_feature_names_out()

    _more_tags = _SequenceTagger._more_tags
    __sklearn_tags__ = _SequenceTagger.__sklearn_tags__


def _flat(sequences):
    return [token for sequence in sequences for token in sequence]
