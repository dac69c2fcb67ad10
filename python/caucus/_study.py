"""Many training runs that answer one question."""

from collections import namedtuple

from . import _caucus
from ._data import Data, is_path
from ._model import make_data
from ._options import keyword_options, option_pairs
from ._progress import reporting

StudyRow = namedtuple("StudyRow", "name trained score error accuracy scores options")
StudyRow.__doc__ = """A setting, a method, or a size of a learning curve.

`score` and `error` are the mean over the runs and its standard error, `scores` those of each run,
`trained` the mean number of sequences or instances trained on; `options` train it."""


class Study:
    """The rows of a study, and `best`, the row to choose (None of a learning curve)."""

    def __init__(self, rows, best, measure, report):
        self.rows = [StudyRow(*row, keyword_options(options)) for row, options in rows]
        self.best = None if best is None else self.rows[best]
        self.measure = measure
        self._report = report

    @property
    def report(self):
        """The report of the program, as a dict."""
        import json

        return json.loads(self._report)

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return iter(self.rows)

    def __getitem__(self, index):
        return self.rows[index]

    def __str__(self):
        width = max((len(row.name) for row in self.rows), default=0)
        lines = [f"  {'':{width}}  {self.measure:>8}  std. error"]
        for row in self.rows:
            mark = "*" if row is self.best else " "
            lines.append(f"{mark} {row.name:{width}}  {row.score:8.4f}  {row.error:10.4f}")
        return "\n".join(lines)

    def __repr__(self):
        return f"<caucus.Study: {len(self)} rows of {self.measure}>"

    def _repr_html_(self):
        from ._html import study_html

        return study_html(self)


def _run(command, data, options, progress):
    pairs = option_pairs(command, {**options, "json": True})
    with reporting(progress) as callback:
        return Study(*_caucus.study(command, pairs, data, callback))


def cross_validate(data, labels=None, *, progress=None, **options):
    """Compares settings by cross-validation or on development data.

    Takes what `caucus.train` takes; the options folds (5 by default), grid and curve say which runs
    are made. `grid` may be a dict. Train the result with `caucus.train(data, **study.best.options)`.

    >>> texts = ["good film", "good book", "bad film", "bad book"] * 2
    >>> study = cross_validate(texts, ["+", "+", "-", "-"] * 2, folds=2, grid={"l2": [0.1, 1]})
    >>> [row.name for row in study]
    ['l2=0.1', 'l2=1']
    """
    if not any(options.get(name) for name in ("folds", "curve", "dev", "dev_fraction")):
        options["folds"] = 5
    study = {name: options.pop(name) for name in ("folds", "grid", "curve", "seeds", "plot")
             if name in options}
    made, options = make_data(data, labels, options)
    return _run("train", made, {**options, **study}, progress)


def compare_methods(target, sources=None, *, progress=None, **options):
    """Compares methods of domain adaptation on `test` or by `folds`. Takes what `caucus.adapt`
    takes; the option method is "all" by default."""
    options.setdefault("method", "all")
    made = target if isinstance(target, Data) else Data.domains(target, sources, **options)
    options = {**made.options, **options}
    if not is_path(options.get("test")):
        options["test"] = None
    return _run("adapt", made, options, progress)
