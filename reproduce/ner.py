"""ner.py - what the reproductions about named entities share: the corpora of CoNLL-2002 and 2003, other domains, feature
templates, and models that are trained, scored and deleted.

F1 counts a chunk only if it is legal IOB2: it begins with B- and its I- labels continue it. Classifiers of single
tokens write many I- labels without a beginning. conlleval begins a chunk there, which costs precision and is given
apart. docs/results-elitist.md says why."""

import json
import os

import common
from common import say
from manifest import checksum, digest

# Finkel et al. (2005), Table 1: words, affixes of up to 6 characters, words in windows of 4, shapes.
WORDS = """
U0w:%x[0,0]
U0w-:%x[-1,0]
U0w+:%x[1,0]
U0wp:%x[-1,0]/%x[0,0]
U0wn:%x[0,0]/%x[1,0]
"""
AFFIXES = "".join("U1p%d:%%prefix[0,0,%d]\nU1s%d:%%suffix[0,0,%d]\n" % (n, n, n, n) for n in range(1, 7))
NGRAMS = "U1c:%chars[0,0,1-6]\n"
CONTEXT = "".join("U2l:%%x[-%d,0]\nU2r:%%x[%d,0]\n" % (n, n) for n in range(1, 5))
SHAPES = """
U3s:%shape[0,0]
U3s-:%shape[-1,0]
U3s+:%shape[1,0]
U3sp:%shape[-1,0]/%shape[0,0]
U3sn:%shape[0,0]/%shape[1,0]
U3st:%shape[-1,0]/%shape[0,0]/%shape[1,0]
"""
TAGS = """
U4t:%x[0,1]
U4t-:%x[-1,1]
U4t+:%x[1,1]
U4tp:%x[-1,1]/%x[0,1]
U4tn:%x[0,1]/%x[1,1]
U4tt:%x[-2,1]/%x[-1,1]/%x[0,1]
"""
MORE = """
U5l:%lower[0,0]
U5l-:%lower[-1,0]
U5l+:%lower[1,0]
U5st:%shape[0,0]/%x[0,1]
U5w:%x[-2,0]
U5x:%x[2,0]
U5s-:%shape[-2,0]
U5s+:%shape[2,0]
U5a:%suffix[-1,0,3]
U5b:%suffix[1,0,3]
U5c:%prefix[-1,0,3]
U5d:%prefix[1,0,3]
"""
TEMPLATES = {"affixes": WORDS + AFFIXES + CONTEXT + SHAPES + TAGS, "ngrams": WORDS + NGRAMS + CONTEXT + SHAPES + TAGS,
             "more": WORDS + AFFIXES + CONTEXT + SHAPES + TAGS + MORE}
STRICT = ("--scheme", "iob2", "--strict")


def corpus(run, language):
    """The files train, dev and test in IOB2."""
    files = {}
    for part, ending in (("train", "train"), ("dev", "testa"), ("test", "testb")):
        name = {"english": "conll2003-ner/eng.%s.xz", "spanish": "conll2002-ner/esp.%s.xz",
                "dutch": "conll2002-ner/ned.%s.xz"}[language] % ending
        lines = ["" if line.startswith("-DOCSTART-") else line for line in run.read(name).split("\n")]
        raw = run.write(part + ".raw", "\n".join(lines))
        files[part] = run.make(part, "convert", "-q", "--scheme", "iob2", raw, run.path(part))
    return files


# ---- other domains

TYPES = {"person": "PER", "location": "LOC", "corporation": "ORG", "group": "ORG", "product": "MISC",
         "creative-work": "MISC"}
DOMAINS = {"wikigold": ["wikigold.conll"], "BTC": ["btc-%s.conll" % x for x in "abefgh"],
           "WNUT-17": ["wnut17-test.conll"], "SEC": ["sec-fin3-test.conll"]}


def words_alone(text):
    """Words and labels only, with the types of CoNLL-2003 and without -DOCSTART- lines."""
    lines = []
    for line in text.split("\n"):
        cells = line.split()
        if cells and cells[0] == "-DOCSTART-":
            continue
        if cells:
            letter, _, kind = cells[-1].partition("-")
            lines.append(cells[0] + " " + (letter + "-" + TYPES.get(kind, kind) if kind else cells[-1]))
        else:
            lines.append("")
    return "\n".join(lines)


def without(run, name, tagged, kinds):
    """The tagged file with O for predicted entities of other types than these."""
    lines = []
    with open(tagged, encoding="utf-8") as f:
        for line in f:
            cells = line.split()
            if cells and "-" in cells[-1] and cells[-1].split("-", 1)[1] not in kinds:
                cells[-1] = "O"
            lines.append("\t".join(cells))
    return run.write(name, "\n".join(lines) + "\n")


def words_corpus(run):
    """The files train, dev and test of CoNLL-2003 in IOB2, words and labels only."""
    files = {}
    for part, ending in (("train", "train"), ("dev", "testa"), ("test", "testb")):
        raw = run.write(part + ".raw", words_alone(run.read("conll2003-ner/eng.%s.xz" % ending)))
        files[part] = run.make(part, "convert", "-q", "--scheme", "iob2", raw, run.path(part))
    return files


def other_domain(run, name):
    """The file of another domain in IOB2, and the types of its entities."""
    raw = run.write(name + ".raw", "\n".join(words_alone(run.read("ner-ood/" + part)) for part in DOMAINS[name]))
    path = run.make(name, "convert", "-q", "--scheme", "iob2", raw, run.path(name))
    with open(path, encoding="utf-8") as f:
        return path, {line.split()[-1].split("-", 1)[1] for line in f if line.split() and "-" in line.split()[-1]}


# ---- models

def scores(run, tagged, train):
    """F1, precision and recall in percent of legal chunks, F1 by conlleval, and F1 of tokens by type for words that
    are in the training data and for others."""
    known = run.score(tagged, "--known", train)["known"]["tokens"]
    return {**run.f1(tagged, *STRICT), "conlleval": run.f1(tagged)["f1"],
            **{name: 100 * known[key]["f1"] for name, key in (("iv", "known"), ("oov", "unknown"))}}


def fit(run, name, files, template, *options):
    """Trains a classifier, tags dev and test data, and deletes the model: its scores, and what inspect tells about it.
    Not done again if `name` was made by the same program from the same files with the same options."""
    kept = run.path(name + ".scores")
    options = ["-T", run.write("template", template), "--model", "maxent", "-t", 1, *options]
    stamp = digest([run.paper.program, template, [checksum(files[part]) for part in files], [str(o) for o in options]])
    if os.path.exists(kept):
        with open(kept, encoding="utf-8") as f:
            record = json.load(f)
        if record["stamp"] == stamp:
            run.seconds += record["seconds"]
            run.commands += record["commands"]
            return record["result"]
    begin, count, model = run.seconds, len(run.commands), run.path(name + ".cau")
    run.caucus("train", "-q", *options, "-o", model, files["train"])
    seconds = run.seconds - begin
    view = json.loads(common.caucus("inspect", "--json", "--top", 1, model))
    info = view["info"]
    result = {"seconds": seconds, "features": view["size"]["features"], "nonzero": int(info.get("nonzero", 0)),
              "iterations": int(info.get("iterations", 0))}
    result.update({key: float(info[key]) for key in ("objective", "loss") if key in info})
    if view.get("experts"):
        members = view["experts"]["members"]
        result["experts"] = {"alphas": [one["alpha"] for one in members],
                             "weights": [one["weights"] for one in members], "jaccard": view["experts"]["jaccard"]}
    for part in ("dev", "test"):
        tagged = run.path("%s.%s" % (name, part))
        run.caucus("tag", "-q", "-t", 1, "-m", model, files[part], into=tagged)
        result[part] = scores(run, tagged, files["train"])
    os.remove(model)
    say("    %-30s %6.1f s  dev %.2f  test %.2f" % (name, seconds, result["dev"]["f1"], result["test"]["f1"]))
    with open(kept, "w", encoding="utf-8") as f:
        json.dump({"stamp": stamp, "seconds": run.seconds - begin, "commands": run.commands[count:], "result": result}, f)
    return result
