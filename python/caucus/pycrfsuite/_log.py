"""The log of training, in the lines of CRFsuite."""

import math
import time
from array import array
from itertools import chain

_SGD_NAMES = ("c2", "max_iterations", "period", "delta")
_HEADINGS = {
    "lbfgs": ("L-BFGS optimization", ("c1", "c2", "num_memories", "max_iterations", "epsilon",
                                      ("period", "stop"), "delta", "linesearch",
                                      ("max_linesearch", "linesearch.max_iterations"))),
    "l2sgd": ("Stochastic Gradient Descent (SGD)", _SGD_NAMES),
    "averaged-perceptron": ("Averaged perceptron", ("max_iterations", "epsilon")),
    "passive-aggressive": ("Passive Aggressive", ("type", "c", "error_sensitive", "averaging",
                                                  "max_iterations", "epsilon")),
    "arow": ("Adaptive Regularization of Weights (AROW)", ("variance", "gamma", "max_iterations",
                                                           "epsilon")),
}


def _text(value):
    if isinstance(value, float):
        return f"{value:f}"
    return str(int(value)) if isinstance(value, bool) else str(value)


class TrainingLog:
    """Writes the messages of one run through `message`. Numbers that caucus does not know are left out."""

    def __init__(self, message, algorithm, values):
        self.message = message
        self.algorithm = algorithm
        self.values = values
        self.start = time.perf_counter()
        self.passes = 0
        self.elapsed = 0.0
        self.nonzero = 0
        self.predicted = ()  # labels of the held-out data, by the weights of the iteration

    def _lines(self, *lines):
        for line in lines:
            self.message(line + "\n")

    def begin(self, holdout):
        if holdout >= 0:
            self._lines(f"Holdout group: {holdout + 1}", "")
        self._lines("Feature generation", "type: CRF1d")
        for name in ("feature.minfreq", "feature.possible_states", "feature.possible_transitions"):
            self._lines(f"{name}: {_text(self.values[name])}")

    def converting(self, step):
        """A step of 2% of reading the data."""
        self.message("." if step % 5 else str(step // 5))
        if step == 50:
            self._lines("")

    def _begin_optimization(self, weights):
        self._lines(f"Number of features: {weights}",
                    f"Seconds required: {time.perf_counter() - self.start:.3f}", "")
        title, names = _HEADINGS[self.algorithm]
        self._lines(title)
        for name in names:
            name, shown = name if isinstance(name, tuple) else (name, name)
            self._lines(f"{shown}: {_text(self.values[name])}")
        self._lines("")
        self.start = time.perf_counter()

    def no_data(self):
        for step in range(51):
            self.converting(step)
        self._begin_optimization(0)
        self._lines("L-BFGS terminated with error code (-1020)"
                    if self.algorithm == "lbfgs" else "Training terminated with error: no data")
        self._lines("Total seconds required for training: 0.000", "", "Storing the model",
                    "Number of active features: 0 (0)", "Number of active attributes: 0 (0)",
                    "Number of active labels: 0 (0)", "Seconds required: 0.000", "")

    def hold_out(self, classes, labels):
        """The classes, and the gold labels of the held-out sequences."""
        self.classes, self.gold = classes, labels
        self.labels = list(dict.fromkeys(chain(classes, *labels)))  # some may occur here only

    def iterate(self, nonzero, labels):
        """The weights of the next iteration; see caucus_on_iterate."""
        self.nonzero = nonzero
        self.predicted = array("I", labels)

    def iteration(self, solver, iteration, passes, objective, gradient, dev, elapsed, remaining,
                  weights, norm):
        if iteration == 1:
            self._begin_optimization(weights)
        sgd, lbfgs = self.algorithm == "l2sgd", self.algorithm == "lbfgs"
        self._lines(f"***** {'Epoch' if sgd else 'Iteration'} #{iteration} *****")
        for name, value in (("Loss", objective), ("Feature L2-norm" if sgd else "Feature norm", norm),
                            ("Error norm", gradient)):
            if math.isfinite(value):
                self._lines(f"{name}: {value:f}")
        if lbfgs:
            self._lines(f"Active features: {self.nonzero}",
                        f"Line search trials: {passes - self.passes}")
        self._lines(f"Seconds required for this iteration: {elapsed - self.elapsed:.3f}")
        self.passes, self.elapsed = passes, elapsed
        if self.gold:
            self._add_scores()
        self._lines("")

    def _add_scores(self):
        """Scores of the held-out data."""
        counts = {label: [0, 0, 0] for label in self.labels}
        predicted = map(self.classes.__getitem__, self.predicted)
        items = right = whole = 0
        for labels in self.gold:
            hits = 0
            for g, p in zip(labels, predicted):
                counts[p][1] += 1
                counts[g][2] += 1
                if g == p:
                    counts[g][0] += 1
                    hits += 1
            items, right, whole = items + len(labels), right + hits, whole + (hits == len(labels))
        self._lines("Performance by label (#match, #model, #ref) (precision, recall, F1):")
        totals = [0.0, 0.0, 0.0]
        for label, (match, model, gold) in counts.items():
            precision, recall = match / model if model else 0.0, match / gold if gold else 0.0
            f1 = 2 * precision * recall / (precision + recall) if match else 0.0
            if gold:
                scores = f"{precision:1.4f}, {recall:1.4f}, {f1:1.4f}"
                totals = [a + b for a, b in zip(totals, (precision, recall, f1))]
            else:
                scores = "******, ******, ******"
            self._lines(f"    {label}: ({match}, {model}, {gold}) ({scores})")
        precision, recall, f1 = (total / len(counts) for total in totals)
        self._lines(f"Macro-average precision, recall, F1: ({precision:f}, {recall:f}, {f1:f})",
                    f"Item accuracy: {right} / {items} ({right / items:1.4f})",
                    f"Instance accuracy: {whole} / {len(self.gold)} ({whole / len(self.gold):1.4f})")

    def trained(self, reason):
        name = {"lbfgs": "L-BFGS", "l2sgd": "SGD"}.get(self.algorithm)
        if name:
            self._lines(f"{name} {_ending(reason or '', name)}")
        elif "iteration" not in (reason or ""):
            self._lines("Terminated with the stopping criterion", "")
        self._lines(f"Total seconds required for training: {time.perf_counter() - self.start:.3f}", "")

    def end(self, model, seconds):
        active, attributes = model._note("nonzero"), model._size(0)
        self._lines("Storing the model",
                    f"Number of active features: {active} ({model._note('weights') or active})",
                    f"Number of active attributes: {attributes} ({model._note('features')})",
                    f"Number of active labels: {len(model.classes)} ({len(model.classes)})",
                    "Writing labels", "Writing attributes",
                    "Writing feature references for transitions",
                    "Writing feature references for attributes",
                    f"Seconds required: {seconds:.3f}", "")


def _ending(reason, name):
    if "gradient" in reason:
        return "resulted in convergence"
    if "iteration" in reason:
        return "terminated with the maximum number of iterations"
    return "terminated with the stopping criteria"
