"""The trainers of python-crfsuite."""

import os
import time
import warnings

from .. import _caucus
from .._errors import FileError, NumericError
from ._errors import CRFSuiteError, OUT_OF_MEMORY, OVERFLOW
from ._items import items_of
from ._log import TrainingLog
from ._logparser import TrainLogParser
from ._parameters import ALGORITHMS, options

_ALIASES = {"ap": "averaged-perceptron", "pa": "passive-aggressive"}
_STEPS = 50  # of the progress of feature generation
_TEST = 2  # of caucus_part


class BaseTrainer:
    """Collects labelled sequences and trains a model of CRFsuite.

    `algorithm` is "lbfgs", "l2sgd", "ap", "pa" or "arow"; `params` is a dict for `set_params`. The messages of
    training go to `message`, which prints them if `verbose`.
    """

    verbose = None

    def __new__(cls, *args, **kwargs):  # a subclass need not call __init__
        made = super().__new__(cls)
        made._data = _caucus.Instances()
        made.select("lbfgs")
        return made

    def __init__(self, algorithm=None, params=None, verbose=True):
        if algorithm is not None:
            self.select(algorithm)
        if params is not None:
            self.set_params(params)
        self.verbose = verbose

    def message(self, message):
        """Takes a message of the log; override it to see them all."""
        if self.verbose:
            print(message, end="")

    # ---- data -------------------------------------------------------------------------------

    def append(self, xseq, yseq, group=0):
        """Adds a sequence of items, in the forms of `ItemSequence`, and its labels. Nothing is kept of the objects.
        Sequences with one group number can be held out."""
        self._data.append(items_of(xseq), yseq, group)

    def clear(self):
        """Forgets all sequences."""
        self._data.clear()

    # ---- parameters -------------------------------------------------------------------------

    def select(self, algorithm, type="crf1d"):
        """Chooses the algorithm, with its default parameters; the type is "crf1d"."""
        name = _ALIASES.get(algorithm.lower(), algorithm.lower())
        if name not in ALGORITHMS or type not in ("crf1d", "1d"):
            raise ValueError(f"algorithm {algorithm!r} of type {type!r}; there are "
                             f"{', '.join(ALGORITHMS)} of type 'crf1d'")
        self._algorithm = name
        self._values = {key: p.default for key, p in ALGORITHMS[name][1].items()}

    def _parameter(self, name):
        try:
            return ALGORITHMS[self._algorithm][1][name]
        except KeyError:
            raise ValueError(f"{self._algorithm} has no parameter {name!r}; there are "
                             f"{', '.join(self.params())}") from None

    def params(self):
        """The names of the parameters of the algorithm."""
        return list(self._values)

    def set_params(self, params):
        """Sets parameters from a dict."""
        for name, value in params.items():
            self.set(name, value)

    def get_params(self):
        """All parameters as a dict."""
        return dict(self._values)

    def set(self, name, value):
        """Sets a parameter."""
        self._values[name] = self._parameter(name).parse(name, value)

    def get(self, name):
        """The value of a parameter."""
        self._parameter(name)
        return self._values[name]

    def help(self, name):
        """What a parameter means."""
        return self._parameter(name).help

    # ---- training ---------------------------------------------------------------------------

    def train(self, model, holdout=-1):
        """Trains on all sequences but those of the group `holdout`, which score the result, and writes the file
        `model` ("" for none)."""
        self._before_train()
        path = os.fspath(model) if model else ""
        _check_writable(path)
        log = TrainingLog(self.message, self._algorithm, self._values)
        log.begin(holdout)
        if self._data.size(holdout, True)[1] == 0:
            log.no_data()
            warnings.warn("there is no sequence to train on; no model is written", stacklevel=2)
            return
        try:
            self._train(path, holdout, log)
        except NumericError as error:
            raise CRFSuiteError(OVERFLOW) from error
        except MemoryError as error:
            raise CRFSuiteError(OUT_OF_MEMORY) from error

    def _train(self, path, holdout, log):
        pairs = options(self._algorithm, self._values)
        epsilon = 0 if self._algorithm in ("lbfgs", "l2sgd") else self._values["epsilon"]
        enough = epsilon * self._data.size(holdout, True)[1]

        def progress(*fields):
            log.iteration(*fields)
            return not (epsilon and fields[3] <= enough)

        data = self._convert(pairs, holdout, log)
        log.hold_out(data.classes(), self._data.labels(holdout))
        trained, interrupted = _caucus.Model._fit("train", pairs, data, progress, log.iterate)
        if interrupted:
            raise KeyboardInterrupt
        log.trained(trained._note("stop"))
        start = time.perf_counter()
        if path:
            trained._export("crfsuite", path)
        log.end(trained, time.perf_counter() - start)

    def _convert(self, pairs, holdout, log):
        """The sequences as Data."""
        count = len(self._data)
        made = _caucus.Data("train", pairs, None, (0, 0))
        for step in range(_STEPS):
            log.converting(step)
            self._data.feed(made, holdout, False, count * step // _STEPS, count * (step + 1) // _STEPS)
        log.converting(_STEPS)
        made.part(_TEST)
        self._data.feed(made, holdout, True, 0, count)
        made.close()
        return made

    def _before_train(self):
        """Called by `train` before anything else."""


def _check_writable(path):
    """Refuses a path before training that cannot be written after it."""
    folder = os.path.dirname(path) or "."
    if path and (os.path.isdir(path) or not os.access(folder, os.W_OK)):
        raise FileError(f"{path}: no file can be written there; give another path")


class Trainer(BaseTrainer):
    """A trainer that reads its own log: `logparser` has the numbers of all iterations, and the methods on_...
    are called, if `verbose`, with the text of each event; they print it."""

    logparser = None

    def _before_train(self):
        self.logparser = TrainLogParser()

    def message(self, message):
        """Reads a message and calls the method of the event that it completes."""
        parser = self.logparser
        event = parser.feed(message)
        if event is None or not self.verbose:
            return
        more = {"featgen_progress": parser.featgen_percent, "iteration": parser.last_iteration}
        arguments = (more[event],) if event in more else ()
        getattr(self, "on_" + event)(parser.last_log, *arguments)

    def on_start(self, log):
        """The first message."""
        print(log, end="")

    def on_featgen_progress(self, log, percent):
        """A part of the data is read."""
        print(log, end="")

    def on_featgen_end(self, log):
        """All data is read."""
        print(log, end="")

    def on_prepared(self, log):
        """The first iteration follows."""
        print(log, end="")

    def on_prepare_error(self, log):
        """There will be no iteration."""
        print(log, end="")

    def on_iteration(self, log, info):
        """An iteration is done; `info` is its dict (see `TrainLogParser`)."""
        print(log, end="")

    def on_optimization_end(self, log):
        """The last iteration is done."""
        print(log, end="")

    def on_end(self, log):
        """The model is written."""
        print(log, end="")
