"""Scores of sequences of labels. All but `sequence_accuracy_score` are those of scikit-learn over all items."""

from .utils import flatten


def _flat(name, y_true, y_pred, *args, **kwargs):
    from sklearn import metrics

    return getattr(metrics, name)(flatten(y_true), flatten(y_pred), *args, **kwargs)


def flat_accuracy_score(y_true, y_pred, **kwargs):
    """The share of items with the right label."""
    return _flat("accuracy_score", y_true, y_pred, **kwargs)


def flat_precision_score(y_true, y_pred, **kwargs):
    """`sklearn.metrics.precision_score` over all items."""
    return _flat("precision_score", y_true, y_pred, **kwargs)


def flat_recall_score(y_true, y_pred, **kwargs):
    """`sklearn.metrics.recall_score` over all items."""
    return _flat("recall_score", y_true, y_pred, **kwargs)


def flat_f1_score(y_true, y_pred, **kwargs):
    """`sklearn.metrics.f1_score` over all items."""
    return _flat("f1_score", y_true, y_pred, **kwargs)


def flat_fbeta_score(y_true, y_pred, beta, **kwargs):
    """`sklearn.metrics.fbeta_score` over all items."""
    return _flat("fbeta_score", y_true, y_pred, beta=beta, **kwargs)


def flat_classification_report(y_true, y_pred, labels=None, **kwargs):
    """`sklearn.metrics.classification_report` over all items."""
    return _flat("classification_report", y_true, y_pred, labels=labels, **kwargs)


def sequence_accuracy_score(y_true, y_pred):
    """The share of sequences with all labels right.

    >>> sequence_accuracy_score([["a", "b"], ["a"]], [["a", "b"], ["b"]])
    0.5
    """
    total = len(y_true)
    return sum(a == b for a, b in zip(y_true, y_pred)) / total if total else 0
