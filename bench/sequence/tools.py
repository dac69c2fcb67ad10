"""The programs that are compared, each as a class with the same methods.

    train(corpus, model, ...)     one training, from text to the saved model
    tag(model, text, out, ...)    one tagging run on one core, from text to labels

Both return the result of measure.run. train adds, if the program reports them,

    objective    the last value: negative log-likelihood and penalty
    active       the number of weights that are not 0
    iterations
    passes       over the data: evaluations of objective and gradient
    fit          seconds of training, without reading
    history      [(seconds since the start of the process, objective), ...] of the iterations
    size         of the model file, bytes

All programs have the same penalty. penalty="l2" is ||w||^2: c2=1 for CRFsuite, rho2=2 for Wapiti, C=0.5 for
CRF++, --l2 2 for Caucus. penalty="l1" is the sum of |w|: c1=1, rho1=1, --l1 1.
"""

import json
import os
import re
import statistics

from common.command import peer_program
from common.measure import Failed, run
from common.page import first_line

THREADS = 2

# Wapiti runs a fixed number of iterations. A run to convergence with the chunking template on CoNLL-2000 came
# within 1e-4 of its best objective (11369.25) at iteration 133 for the first time.
WAPITI_ITERATIONS = 133
WAPITI_L1_ITERATIONS = 100  # with an l1 penalty; its objective is the target of the others

DUAL = "sdca"  # the dual coordinate ascent of Caucus

# Solvers of Caucus that compute the objective after each iteration. The others report an estimate from their last
# epoch, which may even be below the optimum; only their last value is exact.
EXACT = ("lbfgs", "owlqn")

# --delta and --period of Caucus. An epoch of dual ascent halves the distance to the optimum. With an l1 penalty
# Caucus ends at the objective of the peer: CRFsuite on items, Wapiti with the template.
STOP_EXACT, STOP_DUAL = ("1e-5", "10"), ("2e-4", "2")
STOP_L1 = {"items": ("1e-5", "5"), "template": ("1e-2", "1")}


def matches(lines, pattern):
    """[(seconds, match), ...] of the lines that match."""
    found = ((when, re.search(pattern, line)) for when, line in lines)
    return [(when, match) for when, match in found if match]


def run_training(command, model, **how):
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
        """The names of its solvers for an l2 penalty, as the program completes them, without the slowest."""
        script = run([self.program, "completion", "bash"], THREADS)["output"]
        names = re.search("'train --solver'\\) words='([^']*)'", script)[1].split()
        return [name for name in names if name not in
                ("auto", "owlqn", "fobos", "proximal", "gis", "iis", "sgd")]

    def train_command(self, corpus, model, template=False, solver=None, iterations=None,
                      text=None, penalty="l2", states=None, patterns=None, threads=THREADS):
        """On items with seen states, as CRFsuite trains; with the template and all states, as CRF++ and Wapiti
        train. Without a number of iterations, STOP_* say when it stops."""
        selection = "all" if template else "seen"
        command = [self.program, "train", "--model", "crf", "--states", states or selection,
                   "--transitions", selection, "--threads", str(threads), "-o", model]
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
        # --plot gives the time and the objective of each iteration: without gnuplot it leaves the data of
        # the figure in a file.
        figure = model + ".svg"
        command = self.train_command(corpus, model, **how)
        command[2:2] = ["--plot", figure]
        result = run_training(command, model, settings={"CAUCUS_GNUPLOT": os.path.join(model, "none")})
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
        """[(seconds from the start of the process, objective), ...]. Time outside the iterations counts as
        before the first. The objective of the model is the last one, and the only one unless `exact`. Also
        sets result["each"], the median time of an iteration."""
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
        self.program = peer_program("crfsuite")
        self.missing = None if self.program else "CRFsuite (crfsuite)"

    def version(self):
        said = first_line([self.program, "learn", "-h"]) or ""
        version = re.search(r"CRFSuite ([0-9.]+)", said)
        return "CRFsuite %s, single-threaded" % (version[1] if version else "")

    def train(self, corpus, model, algorithm="lbfgs", iterations=None, penalty="l2"):
        command = [self.program, "learn", "-a", algorithm, "-m", model]
        if penalty == "l1":
            command += ["-p", "c1=1", "-p", "c2=0"]
        elif algorithm in ("lbfgs", "l2sgd"):
            command += ["-p", "c2=1"]
        command += ["-p", "max_iterations=%d" % iterations] if iterations else []
        result = run_training(command + [corpus.train_items], model)
        if algorithm == "lbfgs":
            lines = result["lines"]
            losses = matches(lines, r"^Loss: ([0-9.]+)")
            trials = matches(lines, r"^Line search trials: (\d+)")
            # CRFsuite prints processor seconds; the times of its lines are wall-clock seconds.
            begin = matches(lines, r"^L-BFGS optimization")
            active = matches(lines, r"^Active features: (\d+)")
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
        self.program = peer_program("wapiti")
        self.missing = None if self.program else "Wapiti (wapiti)"

    def version(self):
        return first_line([self.program, "--version"])

    def train(self, corpus, model, iterations=None, penalty="l2", algorithm="l-bfgs"):
        """One sentence of development data keeps it from tagging the training data after each iteration; with
        -w 0 -e 0 only -i stops it. sgd-l1 has an l1 penalty only."""
        if algorithm == "sgd-l1":
            penalty = "l1"
        size = ["-1", "0", "-2", "2"] if penalty == "l2" else ["-1", "1", "-2", "0"]
        usual = WAPITI_ITERATIONS if penalty == "l2" else WAPITI_L1_ITERATIONS
        result = run_training([self.program, "train", "-T", "crf", "-a", algorithm, "-t", str(THREADS),
                          *size, "-i", str(iterations or usual), "-w", "0", "-e", "0",
                          "-d", corpus.one, "-p", corpus.template, corpus.train, model], model)
        steps = matches(result["lines"],
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
        self.learn, self.test = peer_program("crf_learn"), peer_program("crf_test")
        self.missing = None if self.learn and self.test else "CRF++ (crf_learn, crf_test)"

    def version(self):
        return first_line([self.learn, "--version"]).replace(" of ", " ")

    def train(self, corpus, model, iterations):
        """A few iterations, since more would take too long. `each` is the median time of one."""
        result = run_training([self.learn, "-c", "0.5", "-m", str(iterations), "-p", str(THREADS),
                          corpus.template, corpus.train, model], model)
        steps = matches(result["lines"], r"^iter=(\d+) .* obj=([0-9.]+)")
        times = sorted(b[0] - a[0] for a, b in zip(steps, steps[1:]))
        result.update(objective=float(steps[-1][1][2]), iterations=len(steps),
                      passes=len(steps), each=times[len(times) // 2] if times else None,
                      history=[(when, float(step[2])) for when, step in steps])
        return result

    def tag(self, model, text, out, **how):
        return run([self.test, "-m", model, text], 1, stdout=out, **how)
