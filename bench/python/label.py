"""Tags in memory: label.py DATA TOKENS ROUNDS. Trains two models on TOKENS tokens, one of dicts of features and one of
rows of cells with a template, and times them, and python-crfsuite on the same features where it is installed, in
turns. The last line of its output is JSON: {tool: {job: [seconds a sequence, ...]}}."""

import gc
import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from data import corpus, features

LENGTH = 10  # tokens of the sequences that are tagged
COUNT = 50  # of them
TIMES = 10  # in a row, since other tools leave the caches cold
ITERATIONS = 20
WINDOW = [[-2], [-1], [0], [1], [2], [-1, 0], [0, 1]]
TAGS = WINDOW + [[-2, -1], [1, 2], [-2, -1, 0], [-1, 0, 1], [0, 1, 2]]


def template():
    """The template of CRF++ for CoNLL-2000: words and tags, alone and in pairs and triples."""
    patterns = ["/".join("%%x[%d,%d]" % (at, column) for at in places)
                for column, shapes in ((0, WINDOW), (1, TAGS)) for places in shapes]
    return "".join("U%02d:%s\n" % pair for pair in enumerate(patterns)) + "B\n"


def expand(rows):
    """The features of that template, as a program for python-crfsuite makes them."""
    sentence = []
    for t in range(len(rows)):
        token = {}
        for column, shapes in ((0, WINDOW), (1, TAGS)):
            for places in shapes:
                cells = []
                for at in places:
                    place = t + at
                    if place < 0:
                        cells.append("_B%d" % place)
                    elif place >= len(rows):
                        cells.append("_B+%d" % (place - len(rows) + 1))
                    else:
                        cells.append(rows[place][column])
                token["U%02d" % len(token)] = "/".join(cells)
        sentence.append(token)
    return sentence


def clock(label, sequences):
    start = time.thread_time()
    for _ in range(TIMES):
        for sequence in sequences:
            label(sequence)
    return (time.thread_time() - start) / len(sequences) / TIMES


def peer_tagger(X, y, path):
    import pycrfsuite

    trainer = pycrfsuite.Trainer(verbose=False)
    for pair in zip(X, y):
        trainer.append(*pair)
    trainer.set_params({"c1": 0, "c2": 0.5, "max_iterations": ITERATIONS})
    trainer.train(path)
    tagger = pycrfsuite.Tagger()
    tagger.open(path)
    os.unlink(path)
    return tagger.tag


def main(data, tokens, rounds, path):
    import caucus

    corpora = list(corpus(data, "train", int(tokens)))
    rows = [[tuple(row[:2]) for row in s] for s in corpora]
    labels = [[row[2] for row in s] for s in corpora]
    dicts = [[features(s, t) for t in range(len(s))] for s in corpora]
    options = {"solver": "lbfgs", "max_iterations": ITERATIONS}
    of_dicts = caucus.train(dicts, labels, **options)
    of_rows = caucus.train(rows, labels, template=template(), **options)
    test = [s for s in corpus(data, "test", 10 ** 6) if len(s) == LENGTH][:COUNT]
    test_rows = [[tuple(row[:2]) for row in s] for s in test]
    test_dicts = [[features(s, t) for t in range(len(s))] for s in test]
    jobs = {("Caucus", "dicts"): (of_dicts.tag, test_dicts),
            ("Caucus", "rows"): (of_rows.tag, test_rows)}
    try:
        import pycrfsuite  # noqa: F401
    except ImportError:
        print("python-crfsuite is not installed", file=sys.stderr)
    else:
        tag_dicts = peer_tagger(dicts, labels, path)
        tag_rows = peer_tagger([expand(r) for r in rows], labels, path)
        jobs["python-crfsuite", "dicts"] = (tag_dicts, test_dicts)
        jobs["python-crfsuite", "rows"] = (lambda r: tag_rows(expand(r)), test_rows)
        jobs["python-crfsuite", "ready"] = (tag_rows, [expand(r) for r in test_rows])
    times = {}
    gc.collect()
    gc.disable()
    for _ in range(int(rounds)):
        for (tool, job), work in jobs.items():
            times.setdefault(tool, {}).setdefault(job, []).append(clock(*work))
    print(json.dumps(times))


main(*sys.argv[1:])
