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


class _Bar:
    """A bar that is redrawn in terminals and notebooks; elsewhere a line every ten seconds."""

    WIDTH = 20

    def __init__(self, out):
        self.out = out
        self.live = out.isatty() or "ipykernel" in sys.modules
        self.shown = -math.inf
        self.last = None
        self.length = 0

    def __call__(self, p):
        self.last = p
        if p.elapsed - self.shown >= (0.1 if self.live else 10):
            self.show()

    def show(self):
        p, self.last = self.last, None
        self.shown = p.elapsed
        text = self.text(p)
        if self.live:
            self.out.write("\r" + text.ljust(self.length))
            self.length = len(text)
        else:
            self.out.write(text + "\n")
        self.out.flush()

    def text(self, p):
        text = p.solver
        if math.isfinite(p.remaining) and p.elapsed + p.remaining > 0:
            share = p.elapsed / (p.elapsed + p.remaining)
            text += f" {share:4.0%} |{'█' * round(share * self.WIDTH):{self.WIDTH}}|"
        text += f" {p.iteration} iterations" if math.isfinite(p.objective) else f" {p.iteration} runs"
        if math.isfinite(p.objective):
            text += f", objective {p.objective:.6g}"
        if math.isfinite(p.dev):
            text += f", score {p.dev:.2%}"
        text += f", {p.elapsed:.1f} s"
        if math.isfinite(p.remaining):
            text += f", {p.remaining:.0f} s left"
        return text

    def close(self):
        if self.last:
            self.show()
        if self.length:
            self.out.write("\n")


class reporting:
    """The callback for the extension: of a callable, of True (a bar on standard error), or None."""

    def __init__(self, progress):
        self.bar = _Bar(sys.stderr) if progress is True else None
        self.callable = self.bar or progress or None

    def __enter__(self):
        call = self.callable
        return None if call is None else lambda *fields: call(Progress(*fields))

    def __exit__(self, *exception):
        if self.bar:
            self.bar.close()
