"""In the place of python-wapiti: `import caucus.wapiti as wapiti`.

>>> model = Model(patterns="*\\nU:word=%x[0,0]", rho1=0.1)
>>> model.train(["we PRP\\nsaw VBD\\nthe DT\\ndog NN"])
>>> model.label_sequence("the\\ndog")
b'DT\\nNN\\n'

Patterns and options are those of Wapiti. A model is a file of Wapiti, or any sequence model of caucus with a
template.
"""

import logging
import os

from . import _caucus
from ._cells import count_columns
from ._model import Model as _Model
from ._model import train as _train
from ._errors import UnsupportedError

logger = logging.getLogger("wapiti")
logger.addHandler(logging.NullHandler())

ALGORITHMS = ["l-bfgs", "sgd-l1", "bcd", "rprop", "rprop+", "rprop-", "auto"]

_DEFAULTS = {
    "mode": -1, "input": None, "output": None, "maxent": False, "type": "crf", "algo": "l-bfgs",
    "pattern": None, "model": None, "devel": None, "rstate": None, "sstate": None,
    "compact": False, "sparse": False, "nthread": 0, "jobsize": 64, "maxiter": 0, "rho1": 0.5,
    "rho2": 0.0001, "objwin": 5, "stopwin": 5, "stopeps": 0.02, "label": False, "check": False,
    "outsc": False, "lblpost": False, "nbest": 1, "force": False, "lbfgs": None, "sgdl1": None,
    "bcd": None, "rprop": None,
}
_NO_LIMIT = 2147483647


def _text(value, encoding):
    return value.decode(encoding) if isinstance(value, bytes) else value


class Model:
    """Trains a model and labels sequences with it.

    `patterns` is the text of the patterns, or the option `pattern` names their file; the option `model` names a
    model to open. Options are those of `wapiti train` and `wapiti label` by their long names: type, algo, rho1,
    rho2, maxiter, nthread, devel, check ... Sequences are texts, a token on each line, with blanks between
    its columns. As in python-wapiti, nbest, lblpost and outsc have no effect.
    """

    def __init__(self, patterns=None, encoding="utf8", **options):
        unknown = set(options) - set(_DEFAULTS)
        if unknown:
            raise TypeError(f"unknown option {sorted(unknown)[0]!r}; there are {', '.join(_DEFAULTS)}")
        self.encoding = encoding
        self.options = {**_DEFAULTS, **{k: _text(v, encoding) for k, v in options.items()}}
        self.patterns = _text(patterns, encoding)
        self._rows, self._labels = [], []
        self._model = None
        self._tagger = None
        if self.options["model"]:
            self._use(_Model.open(self.options["model"]))
        elif self.options["pattern"]:
            with open(self.options["pattern"], encoding=encoding) as file:
                self.patterns = file.read()

    def _use(self, model):
        self._model = model
        self._tagger = _caucus.Tagger(model, [])
        self._columns = count_columns(model, self._tagger)
        if not self._columns:
            raise ValueError("this model has no patterns; use caucus.Model")

    # ---- training -----------------------------------------------------------------------------

    def _parse(self, sequence):
        return [line.split() for line in _text(sequence, self.encoding).split("\n") if line.split()]

    def add_training_sequence(self, sequence):
        """Adds a sequence; the last column is the label."""
        rows = self._parse(sequence)
        if not rows:
            return
        short = [i for i, row in enumerate(rows, 1) if len(row) < 2]
        if short:
            raise ValueError(f"line {short[0]} of a sequence has no label; add a column")
        self._rows.append([tuple(row[:-1]) for row in rows])
        self._labels.append([row[-1] for row in rows])

    def train(self, sequences=None):
        """Trains on the sequences that were added, and these."""
        for sequence in sequences or ():
            self.add_training_sequence(sequence)
        if not self.patterns:
            raise ValueError("a model needs patterns; give the text as patterns or its file as pattern")
        if not self._rows:
            raise ValueError("there is no sequence to train on; add some")
        self._use(_train(self._rows, self._labels, template=self._template(), form="cells",
                         progress=self._report, **self._train_options()))

    def _template(self):
        """The patterns as Wapiti reads them: `U:` is `u:`, and `#` begins a comment."""
        lines = [line.split("#")[0].rstrip() for line in self.patterns.splitlines()]
        return "".join(line[0].lower() + line[1:] + "\n" for line in lines if line)

    def _train_options(self):
        o = self.options
        if o["algo"] not in ALGORITHMS:
            raise ValueError(f"algo {o['algo']!r}; there are {', '.join(ALGORITHMS)}")
        if o["type"] not in ("crf", "memm"):
            raise ValueError(f"type {o['type']!r} is not built in; there are crf and memm")
        for name in ("rstate", "sstate"):
            if o[name]:
                raise ValueError(f"{name} is not built in; caucus.train has resume")
        if o["algo"] not in ("l-bfgs", "sgd-l1", "auto"):
            logger.warning("%s is not built in: training by l-bfgs, to the same optimum", o["algo"])
        solver = "sgd" if o["algo"] == "sgd-l1" else "owlqn" if o["rho1"] > 0 else "lbfgs"
        options = {"model": o["type"], "solver": solver, "rho1": o["rho1"], "rho2": o["rho2"],
                   "states": "all", "transitions": "all", "plain_labels": True}
        if o["nthread"]:
            options["threads"] = o["nthread"]
        if 0 < o["maxiter"] < _NO_LIMIT:
            options["max_iterations"] = o["maxiter"]
        if o["devel"]:
            with open(o["devel"], encoding=self.encoding) as file:
                blocks = [self._parse(block) for block in file.read().split("\n\n")]
            blocks = [rows for rows in blocks if rows]
            options["dev"] = ([[tuple(row[:-1]) for row in rows] for rows in blocks],
                              [[row[-1] for row in rows] for rows in blocks])
            options["patience"] = o["stopwin"]
        return options

    def _report(self, p):
        logger.info("  [%4d] obj=%-10.2f time=%.2fs", p.iteration, p.objective, p.elapsed)

    def save(self, modelfile):
        """Writes the model to a path, or to a file that is open for writing. It is a file of Wapiti, unless it was opened
        from a model that Wapiti cannot express; then it is one of caucus."""
        if self._model is None:
            raise ValueError("there is no model; train first")
        path = modelfile.name if hasattr(modelfile, "write") else os.fspath(modelfile)
        try:
            self._model._export("wapiti", path)
        except UnsupportedError:
            self._model.save(path)

    # ---- labelling ----------------------------------------------------------------------------

    def label_sequence(self, lines, include_input=False):
        """The labels of a sequence, as bytes: one line for each token, after its columns with `include_input`.
        Empty lines do not count, and columns after those of the model are not looked at."""
        if self._model is None:
            raise ValueError("there is no model; train first, or open one by the option model")
        text = _text(lines, self.encoding)
        kept = [line for line in text.split("\n") if line.split()]
        rows = [tuple(line.split()[:self._columns]) for line in kept]
        out = "".join((line + "\t" if include_input else "") + label + "\n"
                      for line, label in zip(kept, self._tagger.tag(rows)))
        return out.encode(self.encoding)
