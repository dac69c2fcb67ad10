"""Models with templates."""

from ._errors import ArgumentError

_MOST = 1024


def count_columns(model, tagger):
    """The smallest number of cells that a sequence model takes; 0 if it takes no cells."""
    if model.kind == "maxent" or _takes_features(tagger):
        return 0
    for count in range(1, _MOST):
        try:
            tagger.tag([("x",) * count])
            return count
        except ArgumentError:
            pass
    return 0


def _takes_features(tagger):
    try:
        tagger.tag_items([()])
    except ArgumentError:
        return False
    return True
