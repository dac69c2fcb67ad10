"""CRF, an estimator in the manner of scikit-learn."""

import sys

from ..pycrfsuite import Tagger
from ._fileresource import FileResource
from .trainer import LinePerIterationTrainer

try:
    from sklearn.base import BaseEstimator
except ImportError:

    class BaseEstimator:
        """Stands in for the class of scikit-learn."""


# The parameters of a trainer, and the arguments that set them.
_PARAMETERS = {
    "feature.minfreq": "min_freq",
    "feature.possible_states": "all_possible_states",
    "feature.possible_transitions": "all_possible_transitions",
    "calibration.eta": "calibration_eta",
    "calibration.rate": "calibration_rate",
    "calibration.samples": "calibration_samples",
    "calibration.candidates": "calibration_candidates",
    "calibration.max_trials": "calibration_max_trials",
    "type": "pa_type",
    **{name: name for name in ("c1", "c2", "max_iterations", "num_memories", "epsilon", "period", "delta",
                               "linesearch", "max_linesearch", "c", "error_sensitive", "averaging",
                               "variance", "gamma")},
}


class CRF(BaseEstimator):
    """A linear-chain CRF that is trained on lists of items, as those of `pycrfsuite.ItemSequence`.

    All arguments may be None, for the default of the algorithm:

    ==================================  ==================================================================
    algorithm                           "lbfgs", "l2sgd", "ap", "pa" or "arow"
    min_freq                            attributes that occur in fewer items are left out
    all_possible_states                 a weight for every pair of attribute and label, not only those seen
    all_possible_transitions            a weight for every pair of labels
    c1, c2                              L1 and L2 regularization (lbfgs; l2sgd has c2 only)
    max_iterations                      the most iterations
    num_memories                        lbfgs: past steps that are kept
    epsilon, period, delta              when training stops
    linesearch, max_linesearch          accepted without effect
    calibration_...                     accepted without effect
    pa_type, c                          pa: variant and aggressiveness
    error_sensitive, averaging          pa: a margin that grows with the errors; average weights
    variance, gamma                     arow
    verbose                             print the log of training
    model_filename                      a file for the model, which may exist; else a temporary file
    keep_tempfiles                      do not remove the temporary file
    trainer_cls                         a class derived from `pycrfsuite.Trainer`
    ==================================  ==================================================================

    Pickling keeps the model.
    """

    def __init__(self, algorithm=None, min_freq=None, all_possible_states=None,
                 all_possible_transitions=None, c1=None, c2=None, max_iterations=None,
                 num_memories=None, epsilon=None, period=None, delta=None, linesearch=None,
                 max_linesearch=None, calibration_eta=None, calibration_rate=None,
                 calibration_samples=None, calibration_candidates=None,
                 calibration_max_trials=None, pa_type=None, c=None, error_sensitive=None,
                 averaging=None, variance=None, gamma=None, verbose=False, model_filename=None,
                 keep_tempfiles=False, trainer_cls=None):
        arguments = locals()
        for name in _ARGUMENTS:
            setattr(self, name, arguments[name])
        self.modelfile = FileResource(model_filename, keep_tempfiles, ".crfsuite", "model")
        self.training_log_ = None
        self._tagger = None
        self._info_cached = None

    # ---- training ---------------------------------------------------------------------------

    def fit(self, X, y, X_dev=None, y_dev=None):
        """Trains on the sequences X with their labels y; X_dev and y_dev are scored and not trained on."""
        if (X_dev is None) != (y_dev is None):
            raise ValueError("X_dev and y_dev belong together; give both or neither")
        self._forget()
        self.modelfile.refresh()
        trainer = self._get_trainer()
        self._append(trainer, X, y, 0, "training")
        if X_dev is not None:
            self._append(trainer, X_dev, y_dev, 1, "dev")
        trainer.train(self.modelfile.name, holdout=-1 if X_dev is None else 1)
        self.training_log_ = getattr(trainer, "logparser", None)
        return self

    def _append(self, trainer, X, y, group, what):
        if self.verbose:
            print(f"loading {what} data", file=sys.stderr)
        for xseq, yseq in zip(X, y):
            trainer.append(xseq, yseq, group)

    def _get_trainer(self):
        given = {name: getattr(self, argument) for name, argument in _PARAMETERS.items()}
        return (self.trainer_cls or LinePerIterationTrainer)(
            algorithm=self.algorithm,
            params={name: value for name, value in given.items() if value is not None},
            verbose=self.verbose)

    def _forget(self):
        if self._tagger is not None:
            self._tagger.close()
        self._tagger = None
        self._info_cached = None

    # ---- prediction -------------------------------------------------------------------------

    def predict(self, X):
        """The labels of each sequence."""
        return [self.predict_single(xseq) for xseq in X]

    def predict_single(self, xseq):
        """The labels of a sequence."""
        return self._fitted().tag(xseq)

    def predict_marginals(self, X):
        """For each sequence a list of dicts {label: probability}."""
        return [self.predict_marginals_single(xseq) for xseq in X]

    def predict_marginals_single(self, xseq):
        """For each item a dict {label: probability}."""
        tagger = self._fitted()
        tagger.set(xseq)
        return tagger.marginals()

    def score(self, X, y):
        """The share of items with the right label."""
        gold = [label for labels in y for label in labels]
        predicted = [label for labels in self.predict(X) for label in labels]
        if len(gold) != len(predicted):
            raise ValueError(f"{len(predicted)} items, but {len(gold)} labels; give one for each")
        return sum(a == b for a, b in zip(gold, predicted)) / len(gold) if gold else 0.0

    def _fitted(self):
        tagger = self.tagger_
        if tagger is None:
            raise _not_fitted("this CRF is not fitted; call fit, or give model_filename")
        return tagger

    # ---- the model --------------------------------------------------------------------------

    @property
    def tagger_(self):
        """The `pycrfsuite.Tagger`, or None before `fit`."""
        if self._tagger is None and self.modelfile.name is not None:
            tagger = Tagger()
            tagger.open(self.modelfile.name)
            self._tagger = tagger
            self._info_cached = None
        return self._tagger

    @property
    def _info(self):
        if self._info_cached is None and self.tagger_ is not None:
            self._info_cached = self.tagger_.info()
        return self._info_cached

    @property
    def classes_(self):
        """The labels."""
        return None if self.tagger_ is None else self.tagger_.labels()

    @property
    def size_(self):
        """The size of the model file in bytes."""
        return None if self._info is None else int(self._info.header["size"])

    @property
    def num_attributes_(self):
        """The number of attributes with weights."""
        return None if self._info is None else int(self._info.header["num_attrs"])

    @property
    def attributes_(self):
        """The attributes, by their numbers."""
        if self._info is None:
            return None
        return sorted(self._info.attributes, key=lambda name: int(self._info.attributes[name]))

    @property
    def state_features_(self):
        """{(attribute, label): weight}"""
        return None if self._info is None else self._info.state_features

    @property
    def transition_features_(self):
        """{(label, next label): weight}"""
        return None if self._info is None else self._info.transitions

    def __getstate__(self):
        state = dict(self.__dict__)
        state["_tagger"] = None
        state["_info_cached"] = None
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        for name in _ARGUMENTS:  # pickles of older versions lack some
            self.__dict__.setdefault(name, None)


_ARGUMENTS = CRF.__init__.__code__.co_varnames[1:CRF.__init__.__code__.co_argcount]


def _not_fitted(message):
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        return ValueError(message)
    return NotFittedError(message)
