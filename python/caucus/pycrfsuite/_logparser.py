"""The log of training as events and numbers."""

import fractions
import re
from collections import namedtuple

LabelScore = namedtuple("LabelScore", "match model ref precision recall f1")
LabelScore.__doc__ = "Counts and scores of one label on the held-out data."

_HEAD = re.compile(r"\*{5} (?:Iteration|Epoch) #(\d+) \*{5}\n")
_SECONDS = re.compile(r"Seconds required: (\d+\.\d+)")
_TRAINING = re.compile(r"Total seconds required for training: (\d+\.\d+)")
_FEATURES = re.compile(r"Number of features: (\d+)")
_NUMBERS = [(re.compile(pattern), name, kind) for pattern, name, kind in (
    (r"Loss: (-?\d+\.\d+)", "loss", float),
    (r"Feature norm: (\d+\.\d+)", "feature_norm", float),
    (r"Error norm: (\d+\.\d+)", "error_norm", float),
    (r"Active features: (\d+)", "active_features", int),
    (r"Line search trials: (\d+)", "linesearch_trials", int),
    (r"Line search step: (\d+\.\d+)", "linesearch_step", float),
    (r"Seconds required for this iteration: (\d+\.\d+)", "time", float),
)]
_AVERAGES = re.compile(r"Macro-average precision, recall, F1: \(([\d.]+), ([\d.]+), ([\d.]+)\)")
_ACCURACY = re.compile(r"(Item|Instance) accuracy: (\d+) / (\d+)")
_LABEL = re.compile(r" {4}(.+): \((\d+), (\d+), (\d+)\) \(([\d.]+|\*+), ([\d.]+|\*+), ([\d.]+|\*+)\)")


class TrainLogParser:
    """Reads the log message by message.

    `feed` returns the event that a message completes, or None: "start", "featgen_progress", "featgen_end",
    "prepared", "prepare_error", "iteration", "optimization_end", "end". Then `last_log` is the text of the event,
    and `iterations` has a dict for each iteration: num, loss, feature_norm, error_norm, time ..., and with held-out
    data scores {label: LabelScore}, avg_precision, avg_recall, avg_f1, item_accuracy, instance_accuracy.

    >>> parser = TrainLogParser()
    >>> for line in ["Feature generation\\n", "Seconds required: 0.1\\n", "***** Iteration #1 *****\\n",
    ...              "Loss: 2.5\\n", "\\n"]:
    ...     event = parser.feed(line)
    >>> event, parser.last_iteration["loss"]
    ('iteration', 2.5)
    """

    def __init__(self):
        self.state = None
        self.featgen_percent = -2
        self.featgen_num_features = None
        self.featgen_seconds = None
        self.training_seconds = None
        self.storing_seconds = None
        self.iterations = []
        self.last_iteration = None
        self.log = []
        self.events = []  # (event, first message, message after the last)

    def feed(self, line):
        self.log.append(line)
        event = self._take_start(line) if self.state is None else getattr(self, self.state)(line)
        if event is None:
            return None
        begin, end = (self.events[-1][2] if self.events else 0), len(self.log)
        if event in ("prepared", "optimization_end"):
            end -= 1  # the message belongs to the next event
        self.events.append((event, begin, end))
        return event

    @property
    def last_log(self):
        """The text of the last event."""
        _, begin, end = self.events[-1]
        return "".join(self.log[begin:end])

    # Each function takes a message in the state of its name and may return an event.

    def _take_start(self, line):
        self.state = "_in_heading"
        self._in_heading(line)
        return "start"

    def _in_heading(self, line):
        if line.startswith("Feature generation"):
            self.state = "_in_features"

    def _in_features(self, line):
        if line == "." or line.isdigit():
            self.featgen_percent += 2
            return "featgen_progress"
        count, seconds = _FEATURES.match(line), _SECONDS.match(line)
        if count:
            self.featgen_num_features = int(count[1])
        if not seconds:
            return None
        self.featgen_seconds = float(seconds[1])
        self.state = "_in_preparation"
        return "featgen_end"

    def _in_preparation(self, line):
        if self._begin_iteration(line):
            return "prepared"
        if "terminated with error" in line:
            self.state = "_after_iteration"
            return "prepare_error"
        return None

    def _begin_iteration(self, line):
        head = _HEAD.match(line)
        if head:
            self.last_iteration = {"num": int(head[1]), "scores": {}}
            self.iterations.append(self.last_iteration)
            self.state = "_in_iteration"
        return head is not None

    def _in_iteration(self, line):
        if line == "\n":
            self.state = "_after_iteration"
            return "iteration"
        if not self._begin_iteration(line):
            self._take_number(line)
        return None

    def _take_number(self, line):
        into = self.last_iteration
        for pattern, name, kind in _NUMBERS:
            found = pattern.match(line)
            if found:
                into[name] = kind(found[1])
        found = _AVERAGES.match(line)
        if found:
            into["avg_precision"], into["avg_recall"], into["avg_f1"] = map(float, found.groups())
        found = _ACCURACY.match(line)
        if found and int(found[3]):
            name = found[1].lower() + "_accuracy"
            into[name] = fractions.Fraction(int(found[2]), int(found[3]))
            into[name + "_float"] = float(into[name])
        found = _LABEL.match(line)
        if found:
            scores = [None if text.startswith("*") else float(text) for text in found.groups()[4:]]
            into["scores"][found[1]] = LabelScore(*map(int, found.groups()[1:4]), *scores)

    def _after_iteration(self, line):
        if self._begin_iteration(line):
            return None
        seconds = _TRAINING.match(line)
        if seconds:
            self.training_seconds = float(seconds[1])
        if not line.startswith("Storing the model"):
            return None
        self.state = "_in_storing"
        return "optimization_end"

    def _in_storing(self, line):
        seconds = _SECONDS.match(line)
        if seconds:
            self.storing_seconds = float(seconds[1])
        return "end" if line == "\n" else None
