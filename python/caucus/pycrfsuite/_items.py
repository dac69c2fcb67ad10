"""Sequences of items, converted once."""

from .. import _caucus


class ItemSequence(_caucus.Items):
    """The features of the items of a sequence. A trainer or tagger takes it instead of a list, and need not
    convert the same features again.

    An item is a dict ``{name: value}`` or an iterable of names. A value is a number, a bool (1 or 0), a string
    (the feature "name:string"), or a dict, list or set, whose features get the prefix "name:".

    >>> ItemSequence([{"word": "cat", "is": {"noun": True}, "length": 3}, ["a", "b"]]).items()
    [{'word:cat': 1.0, 'is:noun': 1.0, 'length': 3.0}, {'a': 1.0, 'b': 1.0}]
    """

    def items(self):
        """A list with a dict {name: value} for each item."""
        return super().items()

    def __repr__(self):
        return f"<ItemSequence of size {len(self)}>"

    def __reduce__(self):
        return type(self), (self.items(),)


def items_of(sequence):
    """The Items of a sequence, which may be Items already."""
    return sequence if isinstance(sequence, _caucus.Items) else _caucus.Items(sequence)
