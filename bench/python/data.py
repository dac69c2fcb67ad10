"""CoNLL-2000 as sentences of dicts, the way programs for python-crfsuite write features: words, affixes, case
and part of speech of a token and its neighbours, 19 names at most."""

import itertools
import os

from common.corpora import sentences


def features(sentence, t):
    """The features of token t of a sentence of rows (word, part of speech, ...)."""
    word, pos = sentence[t][:2]
    found = {"bias": 1.0, "word.lower": word.lower(), "word[-3:]": word[-3:], "word[-2:]": word[-2:],
             "word.isupper": word.isupper(), "word.istitle": word.istitle(),
             "word.isdigit": word.isdigit(), "pos": pos, "pos[:2]": pos[:2]}
    if t > 0:
        word, pos = sentence[t - 1][:2]
        found.update({"-1:word.lower": word.lower(), "-1:word.istitle": word.istitle(),
                      "-1:word.isupper": word.isupper(), "-1:pos": pos, "-1:pos[:2]": pos[:2]})
    else:
        found["BOS"] = True
    if t < len(sentence) - 1:
        word, pos = sentence[t + 1][:2]
        found.update({"+1:word.lower": word.lower(), "+1:word.istitle": word.istitle(),
                      "+1:word.isupper": word.isupper(), "+1:pos": pos, "+1:pos[:2]": pos[:2]})
    else:
        found["EOS"] = True
    return found


def corpus(data, part, tokens):
    """The sentences of a part, over and over until there are this many tokens."""
    found, count = list(sentences(os.path.join(data, "conll2000-chunk", part + ".txt.xz"))), 0
    for sentence in itertools.cycle(found):
        if count >= tokens:
            return
        yield sentence
        count += len(sentence)


def dicts(data, part, tokens):
    """X and y of these sentences."""
    X, y = [], []
    for sentence in corpus(data, part, tokens):
        X.append([features(sentence, t) for t in range(len(sentence))])
        y.append([row[2] for row in sentence])
    return X, y


def item(name, value):
    """A feature in the file format of CRFsuite, with the meaning that it has in a dict."""
    escape = str.maketrans({":": "\\:", "\\": "\\\\"})
    if isinstance(value, str):
        return (name + ":" + value).translate(escape)
    return name.translate(escape) + ("" if value == 1 else ":%g" % value)


def write_items(path, X, y):
    with open(path, "w", encoding="utf-8") as out:
        for sentence, labels in zip(X, y):
            for token, label in zip(sentence, labels):
                out.write("\t".join([label] + [item(*pair) for pair in token.items()]) + "\n")
            out.write("\n")
