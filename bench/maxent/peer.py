"""scikit-learn as a process, and the objectives of all tools, computed here from their weights.

    peer.py import                            imports the modules only, for their memory
    peer.py versions
    peer.py fit TRAIN MODEL                   prints times and iterations as JSON
    peer.py predict MODEL FEATURES TEST OUT   writes one label a line
    peer.py objective TRAIN MODEL DUMP...     of scikit-learn's model and of Caucus' dumps

The penalty is ||w||^2: C = 0.5 for scikit-learn, l2 = 2 in the `l2/2 ||w||^2` of Caucus.
"""

import json
import os
import sys
import time

start = time.perf_counter()
import joblib
import numpy
import scipy
import sklearn
from scipy.special import logsumexp
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression

imported = time.perf_counter()


def fit(train, model):
    x, y = load_svmlight_file(train)
    loaded = time.perf_counter()
    machine = LogisticRegression(multi_class="multinomial", solver="lbfgs", fit_intercept=False,
                                 C=0.5, max_iter=int(os.environ.get("PEER_ITERATIONS", 5000)))
    machine.fit(x, y)
    fitted = time.perf_counter()
    joblib.dump(machine, model)
    return {"import": imported - start, "load": loaded - imported, "fit": fitted - loaded,
            "iterations": int(machine.n_iter_[0])}


def predict(model, features, test, out):
    machine = joblib.load(model)
    x, _ = load_svmlight_file(test, n_features=int(features))
    loaded = time.perf_counter()
    labels = machine.predict(x)
    predicted = time.perf_counter()
    numpy.savetxt(out, labels, fmt="%d")
    return {"import": imported - start, "load": loaded - imported, "predict": predicted - loaded}


def dumped_weights(path, classes, features):
    """Weights [features][classes] from `caucus inspect --dump`, in the order of `classes`."""
    place, labels = {int(c): y for y, c in enumerate(classes)}, []
    w = numpy.zeros((features, len(classes)))
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            cells = line.rstrip("\n").split("\t")
            if cells[0] == "class":
                if len(cells) > 2 and float.fromhex(cells[2]) != 0:
                    raise SystemExit(path + " has an intercept, which the peers do not")
                labels.append(place[int(float(cells[1]))])
            elif cells[0] == "feature":
                for cell in cells[2:]:
                    y, weight = cell.split(":")
                    w[int(cells[1]) - 1, labels[int(y)]] = float.fromhex(weight)
    return w


def objective(train, model, *dumps):
    """sum of -log p(y|x) + ||w||^2, in double."""
    x, y = load_svmlight_file(train)
    machine = joblib.load(model)
    gold = numpy.searchsorted(machine.classes_, y)
    # With two classes scikit-learn keeps w of the second, and that of the first is -w.
    own = machine.coef_ if len(machine.classes_) > 2 else numpy.vstack([-machine.coef_,
                                                                        machine.coef_])
    weights = [own.T] + [dumped_weights(d, machine.classes_, x.shape[1]) for d in dumps]
    values = []
    for w in weights:
        s = x @ w
        loss = (logsumexp(s, axis=1) - s[numpy.arange(len(gold)), gold]).sum()
        values.append(float(loss + (w * w).sum()))
    return values


def versions():
    return {"Python": sys.version.split()[0], "scikit-learn": sklearn.__version__,
            "NumPy": numpy.__version__, "SciPy": scipy.__version__}


commands = {"import": lambda: {}, "versions": versions, "fit": fit, "predict": predict,
            "objective": objective}
print(json.dumps(commands[sys.argv[1]](*sys.argv[2:])))
