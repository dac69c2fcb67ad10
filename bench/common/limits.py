"""The limits of the machine, measured in the same run: memory bandwidth and arithmetic."""

import os
import shutil
import subprocess

from common.measure import say

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "limits.c")


class Limits:
    """With one and with several threads: {threads: number a second}.

    triad            bytes
    double, single   operations; a multiply-add counts as two
    """

    def __init__(self, found):
        self.triad, self.double, self.single = (
            {threads: 1e9 * numbers[i] for threads, numbers in found.items()} for i in range(3))

    def lines(self):
        def both(numbers):
            return " / ".join("%.1f" % (x / 1e9) for x in numbers.values())

        return ["limits at %s threads: memory %s GB/s (triad, 128 MB arrays), arithmetic %s GFLOP/s "
                "in double and %s in float" % (" / ".join(map(str, self.triad)), both(self.triad),
                                               both(self.double), both(self.single))]


def measure_limits(folder, threads):
    """Compiles limits.c into the folder and runs it with one and with `threads` threads. Without a compiler
    it prints a line and returns None."""
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if not compiler:
        say("no C compiler: the limits of the machine are not measured")
        return None
    program = os.path.join(folder, "limits")
    try:
        subprocess.run([compiler, "-O3", "-march=native", "-o", program, SOURCE, "-lpthread"],
                       check=True, capture_output=True, text=True)
        found = {}
        for n in sorted({1, threads}):
            said = subprocess.run([program, str(n)], check=True, capture_output=True, text=True)
            found[n] = [float(cell) for cell in said.stdout.split()]
    except (subprocess.CalledProcessError, OSError) as failure:
        say("the limits of the machine are not measured: %s" % failure)
        return None
    limits = Limits(found)
    say(limits.lines()[0])
    return limits
