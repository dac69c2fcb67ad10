"""The tagger of python-crfsuite."""

import contextlib
import os
import sys

from .. import _caucus
from .._errors import ArgumentError
from ._dumpparser import ParsedDump, dump_lines, parse_header

_TOKEN_FEATURES = 0  # of caucus_feature_kind
_PROBABILITIES = [("probabilities", "1")]
_SEQUENCE_MODELS = ("crf", "memm")


class _Closed:
    """Stands where a tagger would be."""

    def __getattr__(self, name):
        raise ValueError("no model is open; call open first")


class Tagger:
    """Labels sequences with a model: a file of CRFsuite, or any sequence model of caucus without a template.

    Threads may share a tagger if they call `tag` with a sequence; the other methods work on the sequence that
    was set last.
    """

    def __init__(self):
        self.close()

    # ---- models -----------------------------------------------------------------------------

    def open(self, name):
        """Opens a model file; in a `with` statement it is closed at the end."""
        path = os.fspath(name)
        with open(path, "rb") as file:
            start = file.read(48)
        return self._use(_caucus.Model.open(path), start, os.path.getsize(path))

    def open_inmemory(self, value):
        """Opens a model whose file content is in memory."""
        return self._use(_caucus.Model.from_bytes(value), value[:48], len(value))

    def _use(self, model, start, size):
        if model.kind not in _SEQUENCE_MODELS:
            raise ValueError("this model is no sequence model; use caucus.Model")
        best = _caucus.Tagger(model, [])
        try:
            best.tag_items([()])
        except ArgumentError:
            raise ValueError("this model has a template and takes cells, not features; use "
                             "caucus.Model") from None
        best.hold(())
        self.close()
        self._best = best
        self._model = model
        self._header = parse_header(start, size, len(model.classes), model._size(_TOKEN_FEATURES))
        return contextlib.closing(self)

    def close(self):
        """Closes the model. Closing twice is fine."""
        self._model = None
        self._header = {}
        self._numbers = None  # {label: number}
        self._best = _Closed()  # a tagger, which holds the sequence
        self._sums = None  # another, which computes probabilities
        self._length = 0  # of the sequence
        self._summed = False  # the probabilities are those of the sequence

    def labels(self):
        """The labels of the model."""
        return list(self._opened().classes)

    def _opened(self):
        if self._model is None:
            raise ValueError("no model is open; call open first")
        return self._model

    # ---- sequences --------------------------------------------------------------------------

    def set(self, xseq):
        """Sets the sequence for `tag`, `probability` and `marginal`."""
        self._length = self._best.hold(xseq)
        self._summed = False

    def tag(self, xseq=None):
        """The best labels of a sequence, by default of the one that was set last."""
        labels = self._best.tag_items(xseq)
        self._length = len(labels)
        self._summed = False
        return labels

    def probability(self, yseq):
        """The probability of labels, given the sequence that was set last."""
        self._opened()
        numbers = [self._number(y) for y in yseq]
        if not numbers and not self._length:
            return 0.0
        self._summed = False
        return self._summing().chance(self._best, numbers)

    def marginal(self, y, pos):
        """The probability that the item at `pos` of the sequence that was set last has the label `y`."""
        self._opened()
        number = self._number(y)
        if not self._length:
            return 0.0
        if not 0 <= pos < self._length:
            raise ValueError(f"position {pos} of a sequence of {self._length} items")
        return self._summed_up().marginal(pos, number)

    def marginals(self):
        """For each item of the sequence that was set last, a dict {label: probability}. It replaces many calls of
        `marginal`; python-crfsuite does not have it."""
        self._opened()
        return self._summed_up().marginals() if self._length else []

    def _summing(self):
        if self._sums is None:
            self._sums = _caucus.Tagger(self._model, _PROBABILITIES)
        return self._sums

    def _summed_up(self):
        """The tagger with the probabilities of the sequence."""
        sums = self._summing()
        if not self._summed:
            sums.run(self._best, None)
            self._summed = True
        return sums

    def _number(self, label):
        if self._numbers is None:
            self._numbers = {y: i for i, y in enumerate(self._opened().classes)}
        try:
            return self._numbers[label]
        except KeyError:
            raise RuntimeError(f"the model has no label {label!r}") from None

    # ---- what the model holds ---------------------------------------------------------------

    def info(self):
        """What the model holds, as a `ParsedDump`."""
        model = self._model
        if model is None:
            raise RuntimeError("no model is open; call open first")
        dump = ParsedDump()
        dump.header = dict(self._header)
        dump.labels = {label: str(i) for i, label in enumerate(model.classes)}
        for i, a in enumerate(model.classes):
            for j, b in enumerate(model.classes):
                weight = model._transition(i, j)
                if weight:
                    dump.transitions[a, b] = weight
        for i in range(model._size(_TOKEN_FEATURES)):
            name, weights = model._feature(_TOKEN_FEATURES, i)
            dump.attributes[name] = str(i)
            for label, weight in zip(model.classes, weights):
                if weight:
                    dump.state_features[name, label] = weight
        return dump

    def dump(self, filename=None):
        """Writes the model as `crfsuite dump` does, to a file or to standard output."""
        lines = dump_lines(self.info())
        if filename is None:
            sys.stdout.writelines(lines)
        else:
            with open(filename, "w", encoding="utf-8") as out:
                out.writelines(lines)
