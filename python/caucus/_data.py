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
    """Whether this is a sparse matrix of scipy, or a numpy array of numbers of two dimensions."""
    if len(getattr(value, "shape", ())) != 2:
        return False
    return hasattr(value, "tocsr") or (hasattr(value, "__array_interface__")
                                       and value.dtype.kind in "biuf")


def _is_frame(value):
    return hasattr(value, "columns") and hasattr(value, "itertuples")


def is_template_text(template):
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
    """The rows of a pandas frame as tuples of cells, in sequences that end where the value of the
    column `sequence` changes."""
    before = object()
    rows = []
    for cells, mark in zip(zip(*(map(str, frame[name].tolist()) for name in columns)),
                           frame[sequence].tolist()):
        if mark != before and rows:
            yield rows
            rows = []
        before = mark
        rows.append(cells)
    if rows:
        yield rows


def frame_instances(frame, columns):
    """The rows of a pandas frame as dicts, for a classifier."""
    names = [str(name) for name in columns]
    return (dict(zip(names, row)) for row in zip(*(frame[name].tolist() for name in columns)))


def matrix_parts(matrix):
    """A matrix as the extension takes it: an array, or the three arrays of a sparse matrix. Only
    elements of other types than those of C are copied."""
    import numpy

    def numbers(array, kind, types):
        return array if array.dtype in types else array.astype(kind)

    floats = ("<f8", (numpy.dtype("<f8"), numpy.dtype("<f4")))
    if not hasattr(matrix, "tocsr"):
        return numbers(numpy.asarray(matrix), *floats)
    csr = matrix.tocsr()
    integers = ("<i8", (numpy.dtype("<i4"), numpy.dtype("<i8")))
    return (numbers(csr.indptr, *integers), numbers(csr.indices, *integers),
            numbers(csr.data, *floats))


def column_names(matrix, names):
    """The names of the features of a matrix: those given, or x0, x1, ..."""
    return [f"x{j}" for j in range(matrix.shape[1])] if names is None else list(names)


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
    `feature_names` names the columns), or a pandas frame. Of a frame `labels` is the name of a
    column, and `columns` are the others to use. With `sequence`, a column that changes where a
    sequence ends, they have the cells of tokens; without it each row is an instance, and numbers
    are the values of features. For files `columns` is the option of the program.

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
            if is_path(part) and not (name == "template" and is_template_text(part)):
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
            frame = (columns, labels, sequence) if _is_frame(data) else None
            made._add_part(data, labels, weights, groups, feature_names, frame)
            for part, number in ((dev, _DEV), (test, _TEST)):
                if part is None or is_path(part):
                    continue
                made.part(number)
                if _is_frame(part):
                    made._add_part(part, labels, frame=frame)
                else:
                    made._add_part(*part, feature_names=feature_names)
            made.close()
        made.options = options
        return made

    @classmethod
    def domains(cls, target, sources, *, test=None, template=None, form=None, feature_names=None,
                **options):
        """Data of a target domain and of others, for `caucus.adapt`. Each is a path, or a pair
        (data, labels), or has weights in the third place; `sources` is a list of these, or a dict
        with their names."""
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
        if is_path(template) and not is_template_text(template):
            options["template"] = template
        made = cls._open("adapt", options, template, form)
        for name, part in {"target": target, **sources}.items():
            made.group(name)
            made._add_part(*part, feature_names=feature_names)
        if test is not None:
            made.part(_TEST)
            made._add_part(*test, feature_names=feature_names)
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
        text = template if is_template_text(template) else None
        return super().__new__(cls, command, option_pairs(command, options), text,
                               (of_str, of_list))

    def _add_part(self, data, labels=None, weights=None, groups=None, feature_names=None,
                  frame=None):
        if frame:
            columns, labels, sequence = frame
            columns = columns or [c for c in data.columns if c not in (labels, sequence)]
            if sequence is None:
                labels, data = map(str, data[labels].tolist()), frame_instances(data, columns)
            else:
                gold = frame_sequences(data, [labels], sequence)
                labels = ([y for (y,) in each] for each in gold)
                data = frame_sequences(data, columns, sequence)
        if is_matrix(data):
            self._add_matrix(data, labels, weights, groups, feature_names)
        else:
            self._add_all(_pairs_of(data, labels), weights, groups)

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

    def _add_matrix(self, matrix, labels, weights, groups, names):
        import numpy

        rows = matrix.shape[0]
        names = column_names(matrix, names)
        labels = labels.tolist() if hasattr(labels, "tolist") else list(labels)
        weights = numpy.ones(rows) if weights is None else numpy.asarray(weights, dtype="<f8")
        if groups is None:
            self.add_rows(labels, names, weights, matrix_parts(matrix))
            return
        groups = list(map(str, groups))
        if len(groups) != rows or len(labels) != rows:
            raise ValueError(f"{rows} rows, but {len(groups)} groups and {len(labels)} labels")
        ends = [i for i in range(1, rows + 1) if i == rows or groups[i] != groups[i - 1]]
        for begin, end in zip([0] + ends, ends):
            self.group(groups[begin])
            self.add_rows(labels[begin:end], names, weights[begin:end],
                          matrix_parts(matrix[begin:end]))

    def __reduce__(self):
        raise TypeError("caucus.Data cannot be pickled; pickle what it was made from")

    def __repr__(self):
        return (f"<caucus.Data: {self.size(_TRAIN)} training, {self.size(_DEV)} development, "
                f"{self.size(_TEST)} test instances>")
