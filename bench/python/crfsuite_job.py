"""A job with the interface of python-crfsuite: crfsuite_job.py MODULE JOB DATA MODEL TOKENS. MODULE is pycrfsuite or
caucus.pycrfsuite. The last line of its output is JSON.

    train   trains MODEL on dicts that are in memory: seconds, conversion included
    tag     tags sequences of ten tokens with MODEL, over and over: microseconds for each in the fastest pass
    items   the same without the conversion of dicts, which is done once"""

import importlib
import json
import os
import sys
import time
import zlib

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from data import dicts

ITERATIONS = 50
LENGTH, SECONDS = 10, 2


def train(module, data, model, tokens):
    X, y = dicts(data, "train", tokens)
    start = time.perf_counter()
    trainer = module.Trainer("lbfgs", {"max_iterations": ITERATIONS, "delta": 0, "epsilon": 0}, verbose=False)
    for xseq, yseq in zip(X, y):
        trainer.append(xseq, yseq)
    trainer.train(model)
    return {"fit": time.perf_counter() - start}


def tag(module, data, model, tokens, convert):
    flat = [token for xseq in dicts(data, "test", tokens)[0] for token in xseq]
    sequences = [convert(flat[at:at + LENGTH]) for at in range(0, len(flat) - LENGTH + 1, LENGTH)]
    tagger = module.Tagger()
    tagger.open(model)
    fastest, end = float("inf"), time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        start = time.perf_counter()
        for xseq in sequences:
            tagger.tag(xseq)
        fastest = min(fastest, time.perf_counter() - start)
    return {"tag": fastest / len(sequences) * 1e6,
            "labels": zlib.crc32(" ".join(y for xseq in sequences for y in tagger.tag(xseq)).encode())}


def main(name, job, data, model, tokens):
    module = importlib.import_module(name)
    if job == "train":
        said = train(module, data, model, int(tokens))
    else:
        said = tag(module, data, model, int(tokens), module.ItemSequence if job == "items" else list)
    print(json.dumps(said))


if __name__ == "__main__":
    main(*sys.argv[1:])
