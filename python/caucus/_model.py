"""Models: training, tagging, what they hold."""

import os
import warnings
from collections import namedtuple

from . import _caucus
from ._data import Data, column_names, is_matrix, is_path, matrix_parts
from ._errors import ArgumentError, InterruptedWarning
from ._files import MemoryFile
from ._options import option_pairs
from ._progress import reporting

Segment = namedtuple("Segment", "begin end type probability")
Segment.__doc__ = "The tokens begin to end - 1, and the probability of all their labels together."

Explanation = namedtuple("Explanation", "classes features unknown")
Explanation.__doc__ = """What each feature adds to the score of each class.

`classes` are the best classes with score and probability, best first; `features` have a name, a
value and one contribution for each class; `unknown` are features that the model does not have."""


def _explanation_html(self):
    from ._html import explanation_html

    return explanation_html(self)


Explanation._repr_html_ = _explanation_html

_TOKEN, _EDGE = 0, 1  # caucus_feature_kind


class Model(_caucus.Model):
    """A trained model. It is immutable: threads may share it, and copies are the model itself.

    >>> model = train([["sun", "warm"], ["snow", "cold"]], ["summer", "winter"])
    >>> model.tag(["snow"])
    'winter'
    >>> model.classes
    ('summer', 'winter')
    """

    @classmethod
    def open(cls, path):
        """Opens a model file by mapping it into memory."""
        return _of_kind(super().open(os.fspath(path)))

    @classmethod
    def from_bytes(cls, data):
        """A model from the bytes of a model file."""
        return _of_kind(super().from_bytes(data))

    def to_bytes(self):
        """The bytes that `save` writes."""
        return super().to_bytes()

    def save(self, path):
        """Writes the model file; the path has the old file or the new one at any time."""
        super().save(os.fspath(path))

    @classmethod
    def _train(cls, command, options, data, progress):
        with reporting(progress) as callback:
            model, interrupted = cls._fit(command, option_pairs(command, options), data, callback)
        if interrupted:
            warnings.warn("training was interrupted; this is the best model so far",
                          InterruptedWarning, stacklevel=3)
        return _of_kind(model)

    def __reduce__(self):
        return _from_bytes, (type(self), self.to_bytes())

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def _as_file(self):
        """The model as a file for options that name one."""
        file = self.__dict__.get("_file")
        if file is None:
            file = self._file = MemoryFile(self.to_bytes())
        return file

    def __repr__(self):
        note = self._note
        size = self._size(_TOKEN) + self._size(_EDGE)
        text = f"<caucus.{type(self).__name__}: {self.kind}, {len(self.classes)} labels, {size} features"
        for key in ("pool", "solver", "objective"):
            if note(key):
                text += f", {key} {note(key)}"
        return text + ">"

    def _repr_html_(self):
        from ._html import model_html

        return model_html(self)

    @property
    def kind(self):
        """ "maxent", "memm" or "crf"."""
        return super().kind

    @property
    def _labels_sequences(self):
        return self.kind != "maxent"

    # ---- tagging --------------------------------------------------------------------------

    def _idle(self, options):
        """The taggers with these options that no thread uses."""
        pairs = tuple(option_pairs("tag", options))
        return self.__dict__.setdefault("_taggers", {}).setdefault(pairs, [])

    def _borrow(self, idle, options):
        try:
            return idle.pop()
        except IndexError:
            pass
        return _caucus.Tagger(self, option_pairs("tag", options))

    def tag(self, x, **options):
        """The labels of a sequence, or the label of an instance of a classifier, in the form that
        the model was trained on. Options are those of `caucus tag`."""
        idle = self._idle(options) if options else self.__dict__.get("_plain")
        if idle is None:
            idle = self._plain = self._idle({})  # the next call looks nothing up
        tagger = self._borrow(idle, options)
        try:
            return tagger.tag(x)
        finally:
            idle.append(tagger)

    def tag_all(self, data, *, feature_names=None, **options):
        """An iterator of the labels of each sequence or instance, or of each row of a matrix whose
        columns are `feature_names` (x0, x1, ... by default)."""
        if is_matrix(data):
            import numpy

            labels, _ = self._tag_rows(data, feature_names, options)
            yield from numpy.array(self.classes, dtype=object)[labels].tolist()
            return
        idle = self._idle(options)
        tagger = self._borrow(idle, options)
        try:
            yield from map(tagger.tag, data)
        finally:
            idle.append(tagger)

    def probabilities(self, matrix, *, feature_names=None, **options):
        """The probability of each class for each row of a matrix: a numpy array [rows, classes]."""
        return self._tag_rows(matrix, feature_names, {**options, "probabilities": True})[1]

    def _tag_rows(self, matrix, feature_names, options):
        import numpy

        names = column_names(matrix, feature_names)
        idle = self._idle(options)
        tagger = self._borrow(idle, options)
        p = None
        if options.get("probabilities"):
            p = bytearray(8 * matrix.shape[0] * len(self.classes))
        try:
            labels = tagger.rows(names, matrix_parts(matrix), p)
        finally:
            idle.append(tagger)
        if p is not None:
            p = numpy.frombuffer(p).reshape(-1, len(self.classes))
        return numpy.frombuffer(labels, dtype="u4"), p

    def tag_file(self, path, **options):
        """What `caucus tag` writes for a file, as text."""
        return self._tag_file(option_pairs("tag", options), os.fspath(path))

    def _run(self, x, read, forced=None, **options):
        """Tags and reads the result by `read`; the first element for a classifier."""
        idle = self._idle(options)
        tagger = self._borrow(idle, options)
        try:
            tagger.run(x, forced)
            return read(tagger, slice(None) if self._labels_sequences else 0)
        finally:
            idle.append(tagger)

    def marginals(self, x, forced=None, **options):
        """The probability of each label of each token: a list of dicts, or a dict for a classifier.
        `forced` has, for each token, the labels that it may have: "a", "a|b", or "?" for any."""
        return self._run(x, lambda tagger, which: tagger.marginals()[which], forced,
                         probabilities=True, **options)

    def nbest(self, x, n, forced=None, **options):
        """The n most probable labellings of a sequence: a list of (labels, probability)."""

        def read(tagger, which):
            found = []
            for rank in range(n):
                labels = tagger.labels(rank)
                if labels is None:
                    break
                found.append((labels, tagger.probability(rank)))
            return found

        return self._run(x, read, forced, nbest=n, **options)

    def segments(self, x, forced=None, **options):
        """The segments of the best labelling of a sequence, in order."""
        return self._run(x, lambda tagger, which: [Segment(*s) for s in tagger.segments(0)],
                         forced, segments=True, **options)

    def probability(self, x, labels):
        """The probability of a labelling: the product of p(label t | labels before it)."""
        probability = 1.0
        forced = ["?"] * len(labels)
        for t, label in enumerate(labels):
            probability *= self.marginals(x, forced)[t].get(label, 0.0)
            if probability == 0:
                break
            forced[t] = label
        return probability

    def show(self, x, **options):
        """A tagged sequence that a notebook shows with coloured spans."""
        from ._html import TaggedSequence

        return TaggedSequence(list(x), self.tag(x, **options), self.segments(x, **options))

    def evaluate(self, data, labels, *, feature_names=None, **options):
        """Tags labelled data and scores the result (see `caucus.evaluate`)."""
        from ._scores import evaluate

        tagged = list(self.tag_all(data, feature_names=feature_names))
        return evaluate(list(labels), tagged, **options)

    # ---- what it holds ----------------------------------------------------------------------

    def _json(self, **options):
        import json

        return json.loads(self._report(option_pairs("inspect", {**options, "json": True})))

    @property
    def info(self):
        """Notes on the training of the model, as a dict."""
        return self._json(top=1)["info"]

    def inspect(self, **options):
        """The text that `caucus inspect` prints."""
        return self._report(option_pairs("inspect", options))

    def top_features(self, n=10):
        """For each label the features with the highest and the lowest weights:
        {label: {"for": [(feature, weight), ...], "against": [...]}}."""
        return {
            each["label"]: {
                side: [(f["feature"], f["weight"]) for f in each.get(side, ())]
                for side in ("for", "against")
            }
            for each in self._json(top=n)["classes"]
        }

    def explain(self, x):
        """Why an instance, or a token without its neighbours, gets its label."""
        options = {"explain": self._line_of(x)}
        if not isinstance(x, (str, tuple)) and not self._takes_cells():
            options["format"] = "crfsuite"
        report = self._json(**options)
        return Explanation(report["classes"], report["features"], report["unknown"])

    def _takes_cells(self):
        return bool(self._json(top=1).get("template"))

    def _line_of(self, x):
        """An instance as a line of a file."""
        if isinstance(x, str):
            return x
        if isinstance(x, tuple) or (isinstance(x, list) and self._takes_cells()):
            return "\t".join(x)
        escape = str.maketrans({":": "\\:", "\\": "\\\\"})
        return "\t".join(["?"] + [f"{name.translate(escape)}:{value!r}"
                                  for name, value in flat_features(x)])

    def transitions(self):
        """The weight of each transition, {(from, to): weight}."""
        if not self._labels_sequences:
            return {}
        return {(a, b): self._transition(i, j)
                for i, a in enumerate(self.classes) for j, b in enumerate(self.classes)}

    def intercepts(self):
        """The intercept of each label."""
        return {label: self._intercept(y) for y, label in enumerate(self.classes)}

    def features(self):
        """An iterator of (feature, {label: weight}), without weights of 0."""
        for index in range(self._size(_TOKEN)):
            name, weights = self._feature(_TOKEN, index)
            yield name, {label: w for label, w in zip(self.classes, weights) if w}

    def weights(self, feature):
        """The weights of one feature, {label: weight}; None if the model does not have it."""
        index = self._find(_TOKEN, feature)
        if index is None:
            return None
        return dict(zip(self.classes, self._feature(_TOKEN, index)[1]))

    def coefficients(self, feature_names):
        """The weights of some features and the intercepts: numpy arrays [features, classes] and
        [classes]. Features that the model does not have get 0."""
        import numpy

        weights = numpy.frombuffer(self._coefficients(list(feature_names)))
        intercepts = [self._intercept(y) for y in range(len(self.classes))]
        return weights.reshape(-1, len(self.classes)), numpy.array(intercepts)


class Pool(Model):
    """A model of several experts that vote. `train` makes one with the option `pool`, and opening
    the file of a pool gives one, too.

    >>> rows = [[("a", "N"), ("b", "V")], [("b", "V")]]
    >>> pool = Pool.train(rows, [["X", "Y"], ["Y"]], template="U0:%x[0,0]\\nU1:%x[0,1]\\n")
    >>> pool.expert_weights
    (0.5, 0.5)
    >>> pool.weights("U0:a", expert=0)["X"] > 0 == pool.weights("U0:a", expert=1)["X"]
    True
    """

    @classmethod
    def train(cls, data, labels=None, *, pool="bag", progress=None, **options):
        """`caucus.train` with a pool: "bag", "lop", "elitist" or "dropout"."""
        return train(data, labels, progress=progress, pool=pool, **options)

    @property
    def expert_weights(self):
        """The weight of each expert in the vote."""
        return self._experts()

    def weights(self, feature, expert=None):
        """The weights of one feature of an expert, or, by default, of all together."""
        index = self._find(_TOKEN, feature)
        if index is None:
            return None
        number = -1 if expert is None else range(len(self.expert_weights))[expert]
        return dict(zip(self.classes, self._feature(_TOKEN, index, number)[1]))

    def members(self, path):
        """The experts, their accuracy on a file, and how much they agree: a part of the report of
        `caucus inspect --members`, as a dict."""
        return self._json(members=os.fspath(path))["experts"]


def _of_kind(model):
    """A Pool instead of a Model if that is what it is."""
    if type(model) is Model and model._note("pool"):
        model.__class__ = Pool
    return model


def _from_bytes(kind, data):
    return kind.from_bytes(data)


def flat_features(x, prefix=""):
    """The features of a dict or iterable as pairs (name, value), by the rules of tokens.c."""
    if not hasattr(x, "items"):
        return [(prefix + name, 1.0) for name in x]
    pairs = []
    for name, value in x.items():
        if isinstance(value, str):
            pairs.append((f"{prefix}{name}:{value}", 1.0))
        elif isinstance(value, (dict, list, tuple, set, frozenset)):
            pairs += flat_features(value, f"{prefix}{name}:")
        else:
            pairs.append((prefix + name, float(value)))
    return pairs


_DATA_KEYWORDS = ("weights", "groups", "form", "feature_names", "columns", "sequence")


def make_data(data, labels, options):
    """Data from the arguments of a function, and the options that are left for training."""
    keywords = {name: options.pop(name) for name in _DATA_KEYWORDS if name in options}
    if isinstance(data, Data):
        if labels is not None or keywords:
            raise TypeError("this data is made; give labels and weights to caucus.Data")
        return data, {**data.options, **options}
    parts = {name: options.pop(name) for name in ("dev", "test", "template") if name in options}
    made = Data(data, labels, **keywords, **parts, **options)
    return made, made.options


def train(data, labels=None, *, progress=None, **options):
    """Trains a model, or a pool with the option `pool`.

    `data`, `labels` and the keywords weights, groups, dev, test, template, form, feature_names,
    columns and sequence are those of `caucus.Data`; the others are options of `caucus train`.
    `progress` is called with a `caucus.Progress` at each iteration and may return False to stop;
    True shows a bar. Ctrl-C ends training with the best model so far and an
    InterruptedWarning.

    >>> sentences = [[{"word": "the"}, {"word": "cat"}], [{"word": "cats"}]]
    >>> model = train(sentences, [["DET", "NOUN"], ["NOUN"]], l2=0.1)
    >>> model.tag([{"word": "the"}, {"word": "cats"}])
    ['DET', 'NOUN']
    """
    for name in ("folds", "grid", "curve"):
        if options.get(name):
            raise ArgumentError(f"{name} asks for many training runs; call caucus.cross_validate")
    made, options = make_data(data, labels, options)
    return Model._train("train", options, made, progress)


def adapt(target, sources=None, *, progress=None, **options):
    """Trains for a target domain with few labels, with the help of source domains.

    `target` is a path or a pair (data, labels), and `sources` a list or dict of such. Options are
    those of `caucus adapt`.

    >>> news = (["shares fell", "goal scored"], ["money", "sport"])
    >>> calls = (["my shares please"], ["money"])
    >>> adapt(calls, {"news": news}, method="augment").tag("shares")
    'money'
    """
    made = target if isinstance(target, Data) else Data.domains(target, sources, **options)
    return Model._train("adapt", {**made.options, **options, "test": None}
                        if not is_path(options.get("test")) else {**made.options, **options},
                        made, progress)
