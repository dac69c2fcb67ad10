"""The parameters of CRFsuite's algorithms, and the options of caucus that they become."""

import math
import warnings

MOST = 2 ** 31 - 1  # "no limit" of max_iterations


def _to_int(text):
    value = float(text)
    if value != int(value):
        raise ValueError
    return int(value)


def _to_bool(text):
    return bool(_to_int(text))


class Parameter:
    def __init__(self, default, help, cast=None, option=None):
        self.default = default
        self.help = help
        self.cast = cast or type(default)
        self.option = option  # the option of caucus with the same meaning; None: see `options`

    def parse(self, name, value):
        if isinstance(value, bool):
            value = int(value)
        try:
            return self.cast(str(value))
        except (ValueError, OverflowError):
            raise ValueError(f"{name} = {value!r}: expected {self.cast.__name__.lstrip('_to')}"
                             ) from None


def _flag(default, help):
    return Parameter(default, help, _to_bool)


def _int(default, help, option=None):
    return Parameter(default, help, _to_int, option)


_COMMON = {
    "feature.minfreq": Parameter(0.0, "Attributes that occur in fewer items are left out."),
    "feature.possible_states": _flag(
        False, "Give a weight to every pair of attribute and label, not only to those in the data."),
    "feature.possible_transitions": _flag(
        False, "Give a weight to every pair of labels, not only to those in the data."),
}
_L2 = Parameter(1.0, "Coefficient of L2 regularization: c2 times the sum of squared weights.",
                option="c2")
_PERIOD = _int(10, "The number of iterations that delta looks back.")


def _iterations(default):
    return _int(default, "The maximum number of iterations.")


def _delta(default):
    return Parameter(default, "Training stops when the objective fell by less than this share of its "
                     "value in the last ${period} iterations.", option="delta")


_ONE_SEARCH = "Accepted without effect: there is one line search."
_TRIALS = "Accepted without effect: the learning rate is found by trials on a sample."

#: algorithm -> (solver, {name: Parameter})
ALGORITHMS = {
    "lbfgs": ("lbfgs", {
        **_COMMON,
        "c1": Parameter(0.0, "Coefficient of L1 regularization: c1 times the sum of absolute weights.",
                        option="c1"),
        "c2": _L2,
        "max_iterations": _iterations(MOST),
        "num_memories": _int(6, "The number of past steps that approximate the Hessian."),
        "epsilon": Parameter(1e-5, "Training stops when the norm of the gradient is below this times "
                             "that of the weights.", option="epsilon"),
        "period": _PERIOD,
        "delta": _delta(1e-5),
        "linesearch": Parameter("MoreThuente", _ONE_SEARCH),
        "max_linesearch": _int(20, _ONE_SEARCH),
    }),
    "l2sgd": ("sgd", {
        **_COMMON,
        "c2": _L2,
        "max_iterations": _iterations(1000),
        "period": _PERIOD,
        "delta": _delta(1e-6),
        "calibration.eta": Parameter(0.1, _TRIALS),
        "calibration.rate": Parameter(2.0, _TRIALS),
        "calibration.samples": Parameter(1000.0, _TRIALS),
        "calibration.candidates": _int(10, _TRIALS),
        "calibration.max_trials": _int(20, _TRIALS),
    }),
    "averaged-perceptron": ("perceptron", {
        **_COMMON,
        "max_iterations": _iterations(100),
        "epsilon": Parameter(0.0, "Training stops when the share of wrong labels is at most this."),
    }),
    "passive-aggressive": ("pa", {
        **_COMMON,
        "type": _int(1, "The variant: 0 is PA, 1 is PA-I, 2 is PA-II.", option="pa-type"),
        "c": Parameter(1.0, "Aggressiveness of PA-I and PA-II.", option="pa-c"),
        "error_sensitive": _flag(True, "The margin grows with the number of wrong labels."),
        "averaging": _flag(True, "The weights are the average over all updates."),
        "max_iterations": _iterations(100),
        "epsilon": Parameter(0.0, "Training stops when the share of wrong labels is at most this."),
    }),
    "arow": ("arow", {
        **_COMMON,
        "variance": Parameter(1.0, "The initial variance of every weight.", option="arow-variance"),
        "gamma": Parameter(1.0, "How much an update may change confident weights.",
                           option="arow-gamma"),
        "max_iterations": _iterations(100),
        "epsilon": Parameter(0.0, "Training stops when the share of wrong labels is at most this."),
    }),
}

def _within(name, value, low, high):
    inside = min(max(value, low), high)
    if inside != value:
        warnings.warn(f"{name} = {value}: caucus takes {low} to {high}; using {inside}",
                      stacklevel=5)
    return str(inside)


def options(algorithm, values):
    """The options of `caucus train` as pairs (name, text)."""
    solver, parameters = ALGORITHMS[algorithm]
    if values.get("c1", 0) > 0:
        solver = "owlqn"
    pairs = [
        ("model", "crf"), ("solver", solver), ("plain-labels", "1"),
        ("states", "all" if values["feature.possible_states"] else "seen"),
        ("transitions", "all" if values["feature.possible_transitions"] else "seen"),
        ("cutoff", str(max(1, math.ceil(values["feature.minfreq"])))),
        ("max-iterations",
         str(values["max_iterations"] if 0 < values["max_iterations"] < MOST else 0)),
    ]
    for name, option in (("error_sensitive", "unit-margin"), ("averaging", "last-weights")):
        if not values.get(name, True):
            pairs.append((option, "1"))
    if "num_memories" in values:
        pairs.append(("history", _within("num_memories", values["num_memories"], 3, 20)))
    if "period" in values:
        pairs.append(("period", _within("period", values["period"], 1, 64)))
    pairs += [(parameter.option, repr(values[name])) for name, parameter in parameters.items()
              if parameter.option]
    return pairs
