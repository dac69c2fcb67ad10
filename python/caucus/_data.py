"""Labelled data from files, Python objects, arrays and frames."""

import os

from . import _caucus
from ._options import option_pairs

_FEATURES, _CELLS = 0, 1  # token_form of the extension
_TRAIN, _DEV, _TEST = 0, 1, 2


def is_path(value):
    return isinstance(value, (str, os.PathLike))


def path_list(value):
    """The paths of a str, a PathLike, or a list of these; None for anything else."""
    if is_path(value):
        return [os.fspath(value)]
    if isinstance(value, (list, tuple)) and value and all(is_path(each) for each in value):
        return [os.fspath(each) for each in value]
    return None


def is_matrix(value):
    """Whether this is a numpy array of two dimensions or a sparse matrix of scipy."""
    return len(getattr(value, "shape", ())) == 2 and (
        hasattr(value, "tocsr") or hasattr(value, "__array_interface__"))


def _is_frame(value):
    return hasattr(value, "columns") and hasattr(value, "itertuples")


def _is_template_text(template):
    return isinstance(template, str) and ("\n" in template or "%" in template)


def _pairs_of(data, labels):
    """An iterator of (x, y)."""
    if labels is None:
        return iter(data)
    return _zip_strict(data, labels)


def _zip_strict(data, labels):
    """zip() that complains about unequal lengths."""
    nothing = object()
    second = iter(labels)
    count = 0
    for x in data:
        y = next(second, nothing)
        if y is nothing:
            raise ValueError(f"there are {count} labels but more examples; give each one a label")
        yield x, y
        count += 1
    if next(second, nothing) is not nothing:
        raise ValueError(f"there are {count} examples but more labels; give each one a label")


def frame_sequences(frame, columns, sequence):
    """The rows of a pandas frame as tuples of cells, in sequences if `sequence` names a column
    that changes where a sequence ends."""
    rows = list(zip(*(map(str, frame[name].tolist()) for name in columns)))
    if sequence is None:
        return [rows]
    sequences = []
    before = object()
    for row, mark in zip(rows, frame[sequence].tolist()):
        if mark != before:
            sequences.append([])
            before = mark
        sequences[-1].append(row)
    return sequences


def sparse_rows(matrix):
    """indptr, indices and values of a matrix, in the types of the extension; views where these
    are the types that it has."""
    import numpy

    if hasattr(matrix, "tocsr"):
        csr = matrix.tocsr()
        start, index, value = csr.indptr, csr.indices, csr.data
    else:
        matrix = numpy.asarray(matrix)
        rows, index = matrix.nonzero()
        value = matrix[rows, index]
        start = numpy.searchsorted(rows, numpy.arange(matrix.shape[0] + 1))
    return (numpy.ascontiguousarray(start, dtype="<i8"),
            numpy.ascontiguousarray(index, dtype="<i8"),
            numpy.ascontiguousarray(value, dtype="<f8"))


class Data(_caucus.Data):
    """Labelled data, which can be trained on many times.

    `data` and `labels` have one element for each sequence or, for a classifier, each instance:

    ============================  ================================================================
    `data` (each element)         a sequence is a list of tokens; an instance is a text (str) or
                                  features. It may be an iterator; nothing is kept of it
    `labels` (each element)       a list of labels for a sequence, one label for an instance
    ============================  ================================================================

    Without `labels`, `data` has pairs (x, y). A token is a dict or list of features, or a tuple of
    cells (or one str), of which a template makes features. With a template a list is cells, too.
    `data` may also be a path, a list of paths, a 2-D numpy array, a scipy sparse matrix (then
    `feature_names` names the columns), or a pandas frame (then `labels` is the name of a column,
    `columns` are those with the cells, and `sequence` is one that changes where a sequence ends).
    For files `columns` is the option of the program.

    `weights` and `groups` have one value for each element of `data`; `dev` and `test` are paths or
    pairs (data, labels). Options are those of `caucus train`.

    >>> data = Data([["a", "b"], ["b"]], ["x", "y"])
    >>> len(data)
    2
    """

    def __new__(cls, data, labels=None, *, weights=None, groups=None, dev=None, test=None,
                template=None, form=None, feature_names=None, columns=None, sequence=None,
                **options):
        made = None
        for name, part in (("dev", dev), ("test", test), ("template", template)):
            if is_path(part) and not (name == "template" and _is_template_text(part)):
                options[name] = part
        paths = path_list(data) if labels is None else None
        if paths:
            if columns is not None:
                options["columns"] = columns
            if template is not None and "template" not in options:
                raise ValueError("files need the path of a template; write the template to a file")
            made = cls.read("train", option_pairs("train", options), paths)
        else:
            made = cls._open("train", options, template, form)
            if _is_frame(data):
                columns = columns or [c for c in data.columns if c not in (labels, sequence)]
                gold = frame_sequences(data, [labels], sequence)
                labels = [[y for (y,) in each] for each in gold]
                data = frame_sequences(data, columns, sequence)
            if is_matrix(data):
                made._add_matrix(data, labels, weights, feature_names)
            else:
                made._add_all(_pairs_of(data, labels), weights, groups)
            for part, number in ((dev, _DEV), (test, _TEST)):
                if part is None or is_path(part):
                    continue
                made.part(number)
                if is_matrix(part[0]):
                    made._add_matrix(part[0], part[1], None, feature_names)
                else:
                    made._add_all(_pairs_of(*part))
            made.close()
        made.options = options
        return made

    @classmethod
    def domains(cls, target, sources, *, test=None, template=None, form=None, **options):
        """Data of a target domain and of others, for `caucus.adapt`. Each is a path, or a pair
        (data, labels); `sources` is a list of these, or a dict with their names."""
        if not isinstance(sources, dict):
            sources = [sources] if is_path(sources) else list(sources)
            if is_path(target):
                options["target"] = target
                options["source"] = sources
                for name, part in (("test", test), ("template", template)):
                    if part is not None:
                        options[name] = part
                made = cls.read("adapt", option_pairs("adapt", options), [])
                made.options = options
                return made
            sources = {f"source{i}": source for i, source in enumerate(sources, 1)}
        options["target"] = "target"
        if is_path(template) and not _is_template_text(template):
            options["template"] = template
        made = cls._open("adapt", options, template, form)
        for name, part in {"target": target, **sources}.items():
            made.group(name)
            made._add_all(_pairs_of(*part))
        if test is not None:
            made.part(_TEST)
            made._add_all(_pairs_of(*test))
        made.close()
        made.options = options
        return made

    @classmethod
    def _open(cls, command, options, template, form):
        if form not in (None, "cells", "features"):
            raise ValueError(f"form={form!r}; choose 'cells' or 'features'")
        has_template = template is not None or "template" in options
        of_list = _CELLS if form == "cells" or (has_template and not form) else _FEATURES
        of_str = _FEATURES if form == "features" else _CELLS
        text = template if _is_template_text(template) else None
        return super().__new__(cls, command, option_pairs(command, options), text,
                               (of_str, of_list))

    def _add_all(self, pairs, weights=None, groups=None):
        weights = iter(weights) if weights is not None else None
        groups = iter(groups) if groups is not None else None
        before = None
        count = 0
        try:
            for x, y in pairs:
                if groups:
                    group = str(next(groups))
                    if group != before:
                        self.group(group)
                        before = group
                weight = float(next(weights)) if weights else 1.0
                if isinstance(y, (str, bytes)):
                    self.add(x, y, weight)
                elif hasattr(y, "__iter__"):
                    self.add_sequence(x, y, weight)
                else:
                    raise TypeError(f"the label {y!r} is not a string")
                count += 1
        except StopIteration:
            raise ValueError("there are fewer weights or groups than examples") from None
        except (TypeError, ValueError) as error:
            error.args = (f"example {count}: {error}",)
            raise

    def _add_matrix(self, matrix, labels, weights, names):
        if weights is not None:
            import numpy

            weights = numpy.ascontiguousarray(weights, dtype="<f8")
        if names is None:
            names = [f"x{j}" for j in range(matrix.shape[1])]
        labels = labels.tolist() if hasattr(labels, "tolist") else list(labels)
        self.add_rows(labels, list(names), weights, *sparse_rows(matrix))

    def __reduce__(self):
        raise TypeError("caucus.Data cannot be pickled; pickle what it was made from")

    def __repr__(self):
        return (f"<caucus.Data: {self.size(_TRAIN)} training, {self.size(_DEV)} development, "
                f"{self.size(_TEST)} test instances>")
