"""The programs that take part, each as a class with the same few methods.

    train(corpus, model, ...)     one training, from text to the saved model
    tag(model, text, out, ...)    one tagging on one core, from text to labels

Both return what measure.run returns; train adds, as far as the program says it,

    objective    the last value: negative log-likelihood and penalty
    active       weights that are not 0
    iterations
    passes       over the data: evaluations of objective and gradient
    fit          seconds of training alone, without reading
    history      [(seconds since the start of the process, objective), ...] of the iterations
    size         of the model file, bytes

The penalty has the same size everywhere. It is ||w||^2, penalty="l2": c2=1 for CRFsuite, rho2=2 for
Wapiti, C=0.5 for CRF++, --l2 2 for Caucus; or the sum of |w|, penalty="l1": c1=1, rho1=1, --l1 1.
"""

import json
import os
import re
import shutil
import statistics

from common.measure import Failed, run
from common.page import first_line

THREADS = 2

# Wapiti stops after the iterations it is told. With the chunking template on CoNLL-2000 it comes
# within 1e-4 of its best objective (11369.25) at iteration 133 for the first time, which was
# found out by running it to the end.
WAPITI_ITERATIONS = 133
WAPITI_L1_ITERATIONS = 100  # with an l1 penalty; what it reaches is what others have to reach

# Solvers of Caucus that know the objective after each iteration. The others report what they met on
# the way, which may even be lower than the best there is; only what they end with is exact.
EXACT = ("lbfgs", "owlqn")

# When Caucus stops: --delta and --period. Its dual ascent gains half of what is missing in each epoch;
# with an l1 penalty it ends where the peer beside it does, on items CRFsuite, by the template Wapiti.
STOP_EXACT, STOP_DUAL = ("1e-5", "10"), ("2e-4", "2")
STOP_L1 = {"items": ("1e-5", "5"), "template": ("1e-2", "1")}


def which(name):
    """The path of a program, from the folders in PEERS or from PATH; None if there is none."""
    folders = [os.environ.get("PEERS", ""), os.environ.get("PATH", "")]
    return shutil.which(name, path=os.pathsep.join(f for f in folders if f))


def found(lines, pattern):
    """[(seconds, match), ...] of the lines that match."""
    matches = ((when, re.search(pattern, line)) for when, line in lines)
    return [(when, match) for when, match in matches if match]


def trained(command, model, **how):
    result = run(command, THREADS, **how)
    if not os.path.exists(model):
        raise Failed("%s wrote no model" % " ".join(command))
    result["size"] = os.path.getsize(model)
    return result


PENALTIES = {"l2": ["--l2", "2"], "l1": ["--l1", "1", "--l2", "0"],
             "l1 and l2": ["--l1", "0.5", "--l2", "0.5"]}


class Caucus:
    name = "Caucus"

    def __init__(self, program):
        self.program = program

    def solvers(self):
        """The names of its solvers for an l2 penalty, as its help lists them, without those that
        are slower than the others by their nature."""
        said = run([self.program, "train", "--help"], THREADS)["output"]
        listed = re.search(r"--solver NAME.*?\((auto[^;)]*);", said, re.S)
        names = re.split(r",\s*", listed[1]) if listed else ["lbfgs"]
        return [name for name in names if name not in
                ("auto", "owlqn", "fobos", "proximal", "gis", "iis", "sgd")]

    def train_command(self, corpus, model, template=False, solver=None, iterations=None,
                      text=None, penalty="l2", states=None, patterns=None, threads=THREADS):
        """On items with what occurs, as CRFsuite does; by the template with everything, as CRF++
        and Wapiti do. Unless iterations are given it stops when the objective fell by less than a
        share of itself in so many iterations, which STOP_* say."""
        which_ones = "all" if template else "seen"
        command = [self.program, "train", "--model", "crf", "--states", states or which_ones,
                   "--transitions", which_ones, "--threads", str(threads), "-o", model]
        command += PENALTIES[penalty]
        command += ["--solver", solver] if solver else []
        if iterations:
            command += ["--max-iterations", str(iterations)]
        else:
            kind = "template" if template else "items"
            delta, period = (STOP_EXACT if solver in EXACT else
                             STOP_L1[kind] if penalty == "l1" else STOP_DUAL)
            command += ["--delta", delta, "--period", period]
        if template:
            return command + ["--template", patterns or corpus.template, text or corpus.train]
        return command + ["--format", "crfsuite", text or corpus.train_items]

    def train(self, corpus, model, **how):
        # The figure of a run has the seconds and the objective of each iteration; where gnuplot is
        # not found, what it would have been drawn from is left in a file.
        figure = model + ".svg"
        command = self.train_command(corpus, model, **how)
        command[2:2] = ["--plot", figure]
        result = trained(command, model, settings={"CAUCUS_GNUPLOT": os.path.join(model, "none")})
        inspected = run([self.program, "inspect", "--json", "--top", "1", model], THREADS)["output"]
        info = json.loads(inspected)["info"]
        result.update(objective=float(info["objective"]) if "objective" in info else None,
                      iterations=int(info["iterations"]), passes=int(info["passes"]),
                      weights=int(info["weights"]), active=int(info["nonzero"])
                      if "nonzero" in info else None)
        said = re.search(r"iterations, \d+ passes, ([0-9.]+) s", result["stderr"])
        result["fit"] = float(said[1]) if said else None
        result["history"] = self.history(figure, result, info["solver"] in EXACT)
        return result

    @staticmethod
    def history(figure, result, exact):
        """From the start of the process: all that is not an iteration counts as if it came first,
        and the objective that training ends with as if it came last, which is all there is where
        the others are not exact. Notes in passing what an iteration takes."""
        if not os.path.exists(figure + ".dat"):
            return []
        with open(figure + ".dat", encoding="ascii") as lines:
            cells = [line.split() for line in lines.readlines()[1:]]
        steps = [(float(row[1]), float(row[2])) for row in cells]
        for end in (".dat", ".gp"):
            os.remove(figure + end)
        if result["objective"] is None or not steps:
            return []
        result["each"] = statistics.median(
            [b[0] - a[0] for a, b in zip(steps, steps[1:])] or [steps[0][0]])
        before = result["wall"] - steps[-1][0]
        end = [(result["wall"], result["objective"])]
        return [(before + when, value) for when, value in steps] + end if exact else end

    def tag_command(self, model, text, threads=1):
        return [self.program, "tag", "--threads", str(threads), "-m", model, text]

    def tag(self, model, text, out, threads=1, **how):
        return run(self.tag_command(model, text, threads), threads, stdout=out, **how)


class Crfsuite:
    name = "CRFsuite"

    def __init__(self):
        self.program = which("crfsuite")
        self.missing = None if self.program else "CRFsuite (crfsuite)"

    def version(self):
        said = first_line([self.program, "learn", "-h"]) or ""
        version = re.search(r"CRFSuite ([0-9.]+)", said)
        return "CRFsuite %s, which has no threads" % (version[1] if version else "")

    def train(self, corpus, model, algorithm="lbfgs", iterations=None, penalty="l2"):
        command = [self.program, "learn", "-a", algorithm, "-m", model]
        if penalty == "l1":
            command += ["-p", "c1=1", "-p", "c2=0"]
        elif algorithm in ("lbfgs", "l2sgd"):
            command += ["-p", "c2=1"]
        command += ["-p", "max_iterations=%d" % iterations] if iterations else []
        result = trained(command + [corpus.train_items], model)
        if algorithm == "lbfgs":
            lines = result["lines"]
            losses = found(lines, r"^Loss: ([0-9.]+)")
            trials = found(lines, r"^Line search trials: (\d+)")
            # Its own seconds are those of the processor; the lines tell those of the clock.
            begin = found(lines, r"^L-BFGS optimization")
            active = found(lines, r"^Active features: (\d+)")
            result.update(objective=float(losses[-1][1][1]), iterations=len(losses),
                          passes=sum(int(trial[1]) for _, trial in trials),
                          fit=losses[-1][0] - begin[0][0],
                          active=int(active[-1][1][1]) if active else None,
                          history=[(when, float(loss[1])) for when, loss in losses])
        return result

    def tag(self, model, text, out, **how):
        return run([self.program, "tag", "-m", model, text], 1, stdout=out, **how)


class Wapiti:
    name = "Wapiti"

    def __init__(self):
        self.program = which("wapiti")
        self.missing = None if self.program else "Wapiti (wapiti)"

    def version(self):
        return first_line([self.program, "--version"])

    def train(self, corpus, model, iterations=None, penalty="l2", algorithm="l-bfgs"):
        """One sentence of development data keeps it from tagging the training data after each
        iteration; -w 0 -e 0 leave the stopping to -i. Its sgd-l1 knows no other penalty."""
        if algorithm == "sgd-l1":
            penalty = "l1"
        size = ["-1", "0", "-2", "2"] if penalty == "l2" else ["-1", "1", "-2", "0"]
        usual = WAPITI_ITERATIONS if penalty == "l2" else WAPITI_L1_ITERATIONS
        result = trained([self.program, "train", "-T", "crf", "-a", algorithm, "-t", str(THREADS),
                          *size, "-i", str(iterations or usual), "-w", "0", "-e", "0",
                          "-d", corpus.one, "-p", corpus.template, corpus.train, model], model)
        steps = found(result["lines"],
                      r"\[ *(\d+)\] obj=([0-9.]+|NA) +act=(\d+).*time=[0-9.]+s/([0-9.]+)s")
        history = [(when, float(step[2])) for when, step in steps if step[2] != "NA"]
        result.update(objective=history[-1][1] if history else None, iterations=len(steps),
                      passes=len(steps), fit=float(steps[-1][1][4]), active=int(steps[-1][1][3]),
                      history=history)
        return result

    def tag(self, model, text, out, **how):
        return run([self.program, "label", "-m", model, text], 1, stdout=out, **how)


class Crfpp:
    name = "CRF++"

    def __init__(self):
        self.learn, self.test = which("crf_learn"), which("crf_test")
        self.missing = None if self.learn and self.test else "CRF++ (crf_learn, crf_test)"

    def version(self):
        return first_line([self.learn, "--version"]).replace(" of ", " ")

    def train(self, corpus, model, iterations):
        """A few iterations, too slow for more. `each` is the median time of one."""
        result = trained([self.learn, "-c", "0.5", "-m", str(iterations), "-p", str(THREADS),
                          corpus.template, corpus.train, model], model)
        steps = found(result["lines"], r"^iter=(\d+) .* obj=([0-9.]+)")
        times = sorted(b[0] - a[0] for a, b in zip(steps, steps[1:]))
        result.update(objective=float(steps[-1][1][2]), iterations=len(steps),
                      passes=len(steps), each=times[len(times) // 2] if times else None,
                      history=[(when, float(step[2])) for when, step in steps])
        return result

    def tag(self, model, text, out, **how):
        return run([self.test, "-m", model, text], 1, stdout=out, **how)
