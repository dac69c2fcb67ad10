"""In the place of CRF++'s module: `import caucus.crfpp as CRFPP`.

>>> import caucus, os, tempfile
>>> path = os.path.join(tempfile.mkdtemp(), "model")
>>> rows = [[("the", "DT"), ("cat", "NN")], [("cats", "NN")]]
>>> caucus.train(rows, [["B", "I"], ["B"]], template="U0:%x[0,0]\\nU1:%x[0,1]\\nB\\n").save(path)
>>> tagger = Tagger("-m " + path + " -v 2 -n 2")
>>> tagger.add("the DT"), tagger.add("cat NN"), tagger.parse()
(True, True, True)
>>> [tagger.y2(i) for i in range(tagger.size())]
['B', 'I']

A model is a file of CRF++, or any sequence model of caucus with a template. What a tagger computes with, and
programs rarely look at, is missing: Z, alpha, beta, costs and penalties raise NotImplementedError.
"""

import shlex

from . import _caucus
from ._cells import count_columns
from ._errors import Error

VERSION = "0.59"  #: the version of CRF++ whose interface this is

_FLAGS = {"-m": "model", "--model": "model", "-n": "nbest", "--nbest": "nbest", "-v": "verbose",
          "--verbose": "verbose", "-c": "cost-factor", "--cost-factor": "cost-factor"}
_SUMS = [("probabilities", "1"), ("sequence-probability", "1")]


def _parse_options(text):
    """The options of crf_test: {"model": path, "nbest": N, "verbose": N, "cost-factor": X}."""
    found = {}
    words = iter(shlex.split(text))
    for word in words:
        flag, value = (word[:2], word[2:]) if word[1:2] != "-" else word.partition("=")[::2]
        if flag not in _FLAGS:
            raise RuntimeError(f"unrecognized option `{word}`; there are {', '.join(_FLAGS)}")
        value = value or next(words, None)
        if value is None:
            raise RuntimeError(f"{flag} needs a value")
        found[_FLAGS[flag]] = value
    try:
        return (found.get("model"), int(found.get("nbest", 0)), int(found.get("verbose", 0)),
                float(found.get("cost-factor", 1)))
    except ValueError as error:
        raise RuntimeError(f"{text}: {error}") from None


def _check_cost_factor(value):
    if value != 1:
        raise NotImplementedError("caucus has no cost factor but 1")


class Model:
    """A model that several taggers share: `Model("-m FILE -v 2 -n 3")`, then `createTagger()`."""

    def __init__(self, arg):
        path, self._nbest, self._vlevel, cost_factor = _parse_options(arg)
        if path is None:
            raise RuntimeError("-m FILE is missing")
        _check_cost_factor(cost_factor)
        try:
            self._model = _caucus.Model.open(path)
            self._best = _caucus.Tagger(self._model, [])
        except Error as error:
            raise RuntimeError(str(error)) from error
        self._columns = count_columns(self._model, self._best)
        if not self._columns:
            raise RuntimeError("this model has no template; use caucus.Model")

    def createTagger(self):
        tagger = Tagger.__new__(Tagger)
        tagger._begin(self, self._nbest, self._vlevel)
        return tagger

    def what(self):
        """The last error: empty, because errors are exceptions."""
        return ""

    def getTemplate(self):
        raise NotImplementedError("caucus does not give the text of the template; `caucus inspect` shows it")


class Tagger:
    """Labels one sequence at a time: `add` its tokens, `parse`, and read the result; then `clear`."""

    def __init__(self, arg):
        model = Model(arg)
        self._begin(model, model._nbest, model._vlevel)

    def _begin(self, model, nbest, vlevel):
        self._model = model
        self._names = model._model.classes
        self._numbers = {name: y for y, name in enumerate(self._names)}
        self._n, self._level = nbest, vlevel
        self._taggers = {}
        self.clear()

    # ---- settings -----------------------------------------------------------------------------

    def set_model(self, model):
        self._begin(model, self._n, self._level)
        return True

    def vlevel(self):
        return self._level

    def set_vlevel(self, vlevel):
        self._level = vlevel

    def nbest(self):
        return self._n

    def set_nbest(self, nbest):
        self._n = nbest

    def cost_factor(self):
        return 1.0

    def set_cost_factor(self, cost_factor):
        _check_cost_factor(cost_factor)

    # ---- the sequence ---------------------------------------------------------------------------

    def clear(self):
        """Forgets the sequence."""
        self._rows = []
        self._forget()
        return True

    def _forget(self):
        self._labels = None  # of the current result
        self._probability = None
        self._listed = None  # the best labellings so far, (labels, probability)
        self._rank = 0  # of the one that `next` returns
        self._marginals = None

    def empty(self):
        return not self._rows

    def add(self, *columns):
        """Adds a token: a string of columns that blanks or TABs separate, or the columns. Columns after those of
        the model are kept, and not looked at."""
        row = columns[0].split() if len(columns) == 1 and isinstance(columns[0], str) else columns
        if len(columns) == 1 and not isinstance(columns[0], str):
            row = columns[0]
        row = tuple(row)
        if len(row) < self.xsize():
            raise RuntimeError(f"{len(row)} columns, but the model takes {self.xsize()}")
        self._rows.append(row)
        self._forget()
        return True

    def size(self):
        """The number of tokens."""
        return len(self._rows)

    def xsize(self):
        """The number of columns that the model takes."""
        return self._model._columns

    def ysize(self):
        """The number of labels."""
        return len(self._names)

    def dsize(self):
        """The number of features."""
        return self._model._model._size(0) + self._model._model._size(1)

    def yname(self, i):
        """The name of label i."""
        return self._names[i]

    def x(self, i, j):
        """Column j of token i."""
        return self._rows[i][j]

    # ---- the result -----------------------------------------------------------------------------

    def parse(self, text=None):
        """Labels the tokens that were added. With a text, its lines up to a blank one are the sequence, and the
        result is the text that crf_test prints."""
        if text is not None:
            self.clear()
            for line in text.split("\n"):
                if not line or line[0] in " \t":
                    break
                self.add(line)
        self._forget()
        if self._rows:
            self._labels = self._model._best.tag(self._cells())
        return True if text is None else self.toString()

    def _cells(self):
        columns = self.xsize()
        return [row[:columns] for row in self._rows]

    def _result(self):
        if self._labels is None:
            raise RuntimeError("there is no result; call parse first")
        return self._labels

    def y(self, i):
        """The number of the label of token i."""
        return self._numbers[self._result()[i]]

    result = y

    def y2(self, i):
        """The label of token i."""
        return self._result()[i]

    def answer(self, i):
        """The number of the label that follows the columns of the model in what was added; 0 if there is none."""
        row = self._rows[i]
        return self._numbers.get(row[self.xsize()], 0) if len(row) > self.xsize() else 0

    def prob(self, i=None, j=None):
        """The probability of the current labels; with i, of the label of token i; with j, of label j there."""
        labels = self._result()
        if i is None:
            if self._probability is None:
                self._sum()
            return self._probability
        if self._marginals is None:
            self._sum()
        return self._marginals[i][labels[i] if j is None else self._names[j]]

    def _run(self, pairs):
        key = tuple(pairs)
        if key not in self._taggers:
            self._taggers[key] = _caucus.Tagger(self._model._model, pairs)
        tagger = self._taggers[key]
        tagger.run(self._cells(), None)
        return tagger

    def _sum(self):
        tagger = self._run(_SUMS)
        self._marginals = tagger.marginals()
        if self._probability is None:
            self._probability = tagger.probability(0)

    def next(self):
        """Makes the next best labelling the result, at first the best one; False if there are no more."""
        self._result()
        count = max(self._n, 2)
        while self._listed is None or (self._rank >= len(self._listed) and not self._complete):
            if self._listed:
                count = 2 * len(self._listed)
            tagger = self._run([("nbest", str(count))])
            self._listed = []
            while tagger.labels(len(self._listed)) is not None:
                rank = len(self._listed)
                self._listed.append((tagger.labels(rank), tagger.probability(rank)))
            self._complete = len(self._listed) < count
        if self._rank >= len(self._listed):
            return False
        self._labels, self._probability = self._listed[self._rank]
        self._rank += 1
        return True

    def toString(self):
        """The result as crf_test prints it."""
        if not self._rows:
            return "\n"
        lines = []
        if self._n < 1:
            if self._level >= 1:
                lines.append(f"# {self.prob():f}")
            self._add_lines(lines)
        for rank in range(self._n):
            if not self.next():
                break
            lines.append(f"# {rank} {self.prob():f}")
            self._add_lines(lines)
        return "\n".join(lines) + "\n"

    def _add_lines(self, lines):
        for i, row in enumerate(self._rows):
            label = self.y2(i)
            if self._level >= 1:
                label += f"/{self.prob(i):f}"
            if self._level >= 2:
                label += "".join(f"\t{y}/{self.prob(i, j):f}" for j, y in enumerate(self._names))
            lines.append("\t".join(row + (label,)))
        lines.append("")

    def what(self):
        """The last error: empty, because errors are exceptions."""
        return ""

    def close(self):
        """Forgets the sequence."""
        self.clear()


def _missing(name):
    def method(self, *arguments):
        raise NotImplementedError(f"{name} is not built in; caucus.Model has marginals and nbest")

    method.__name__ = name
    method.__doc__ = "Not built in."
    return method


for _name in ("Z", "alpha", "beta", "emission_cost", "next_transition_cost", "prev_transition_cost",
              "best_cost", "penalty", "set_penalty", "emission_vector", "weight_vector"):
    setattr(Tagger, _name, _missing(_name))
