"""Trains through Python on dicts that are in memory: fit.py DATA TOKENS ITERATIONS MODEL. The last line of its output
is JSON: seconds of the whole and of the conversion alone."""

import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from data import dicts


def main(data, tokens, iterations, model):
    X, y = dicts(data, "train", int(tokens))
    start = time.perf_counter()
    import caucus

    options = {"solver": "lbfgs", "max_iterations": int(iterations)}
    converted = caucus.Data(X, y, **options)
    convert = time.perf_counter() - start
    caucus.train(converted, **options).save(model)
    print(json.dumps({"fit": time.perf_counter() - start, "convert": convert}))


main(*sys.argv[1:])
