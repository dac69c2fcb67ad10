"""Scores of labels."""

from . import _caucus
from ._data import path_list
from ._options import option_pairs


class Scores(dict):
    """The report of `caucus eval --json` as a dict; `str()` is its table.

    >>> scores = evaluate(["a", "b", "a"], ["a", "b", "b"])
    >>> round(scores["accuracy"], 2)
    0.67
    """

    def __init__(self, report, table):
        import json

        super().__init__(json.loads(report))
        self.table = table

    @property
    def accuracy(self):
        """The share of labels that are right."""
        return self["accuracy"]

    @property
    def f1(self):
        """F1 of chunks if the labels encode chunks, else the macro average over the classes."""
        chunks = self.get("chunks")
        return chunks["micro"]["f1"] if chunks else self["macro"]["f1"]

    def __str__(self):
        return self.table

    def __repr__(self):
        return f"<caucus.Scores: accuracy {self.accuracy:.4f}, F1 {self.f1:.4f}>"

    def _repr_html_(self):
        from ._html import scores_html

        return scores_html(self)


def _flatten(labels):
    """Labels of sequences in one list, and the ends of the sequences; None without sequences."""
    labels = list(labels)
    if all(isinstance(label, str) for label in labels):
        return labels, None
    flat, ends = [], []
    for sequence in labels:
        flat.extend(sequence)
        ends.append(len(flat))
    return flat, ends


def evaluate(gold, predicted=None, *, words=None, probabilities=None, others=None, **options):
    """Scores predicted labels against true ones, each a list of labels or of lists of labels.

    `words` are needed for the option known; `probabilities` has a dict {label: probability} for
    each token; `others` is {name: labels} of other systems, for significance tests. Alone, `gold`
    is a path, or a list of paths, of files that `caucus tag` wrote. Options are those of
    `caucus eval`.
    """
    pairs = option_pairs("eval", options)
    if predicted is None:
        paths = path_list(gold)
        if not paths:
            raise TypeError("give predicted labels, or paths")
        report, table = _caucus.scores(pairs, paths)
        return Scores(report, table)
    gold, ends = _flatten(gold)
    predicted, predicted_ends = _flatten(predicted)
    if ends != predicted_ends:
        raise ValueError("the true and the predicted labels differ in the lengths of sequences")
    classes = shares = None
    if probabilities is not None:
        tokens = list(probabilities)
        if tokens and not isinstance(tokens[0], dict):
            tokens = [token for sequence in tokens for token in sequence]
        classes = sorted({label for token in tokens for label in token})
        shares = [float(token.get(label, 0.0)) for token in tokens for label in classes]
    names = list(others or ())
    systems = [_flatten(others[name])[0] for name in names]
    report, table = _caucus.scores(pairs, gold, predicted,
                                   None if words is None else _flatten(words)[0], ends, shares,
                                   classes, systems, names)
    return Scores(report, table)
