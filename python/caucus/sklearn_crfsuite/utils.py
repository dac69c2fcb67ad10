"""Helpers."""

from itertools import chain


def flatten(y):
    """The elements of all lists, in one list.

    >>> flatten([["a", "b"], ["c"]])
    ['a', 'b', 'c']
    """
    return list(chain.from_iterable(y))
