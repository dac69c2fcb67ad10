"""Progress of training runs."""

import math
import sys
from collections import namedtuple

Progress = namedtuple(
    "Progress",
    "solver iteration passes objective gradient dev elapsed remaining weights norm"
)
Progress.__doc__ = """One iteration of a training run, or one run of a study.

`objective` is loss + penalty; `gradient` its norm; `dev` the score on the development data;
`elapsed` and `remaining` are seconds; `weights` is their number in the model, and `norm` their norm. Numbers that do not apply are NaN."""


class _Line:
    """Writes one line that is overwritten, in terminals and in notebooks."""

    def __init__(self, out):
        self.out = out
        self.shown = -1.0
        self.width = 0

    def __call__(self, p):
        if p.elapsed - self.shown < 0.1:
            return
        self.shown = p.elapsed
        text = f"{p.solver} {p.iteration}"
        if math.isfinite(p.objective):
            text += f"  objective {p.objective:.6g}"
        if math.isfinite(p.dev):
            text += f"  dev {100 * p.dev:.2f}%"
        text += f"  {p.elapsed:.1f} s"
        if math.isfinite(p.remaining):
            text += f", {p.remaining:.0f} s left"
        self.out.write("\r" + text.ljust(self.width))
        self.out.flush()
        self.width = len(text)

    def close(self):
        if self.width:
            self.out.write("\n")


class reporting:
    """The callback for the extension: of a callable, of True (a line on standard error), or None."""

    def __init__(self, progress):
        self.line = _Line(sys.stderr) if progress is True else None
        self.callable = self.line or progress or None

    def __enter__(self):
        call = self.callable
        return None if call is None else lambda *fields: call(Progress(*fields))

    def __exit__(self, *exception):
        if self.line:
            self.line.close()
