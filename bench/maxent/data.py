"""The data sets of this benchmark, as svmlight files that every tool can read.

20 Newsgroups and a9a are decompressed unchanged. CoNLL-2003 has one instance for each token: 9 classes
(the tags, converted from IOB1 to IOB2) and about 58 binary features a token. Labels and features are
numbered from 1 in order of their first occurrence in the training data. Features that only the test data
has are left out, because most readers cannot skip them.
"""

import lzma
import os

from common.corpora import brief, entities, shape

SETS = {
    # name: (training file, test file) below the data folder
    "a9a": ("svmlight/a9a.xz", "svmlight/a9a.t.xz"),
    "20news": ("svmlight/20news-bydate-train.svm.xz", "svmlight/20news-bydate-test.svm.xz"),
    "conll2003": ("conll2003-ner/eng.train.xz", "conll2003-ner/eng.testb.xz"),
}


def features(sentence, t):
    """The features of token t, as names."""
    def word(i):
        i += t
        return sentence[i][0] if 0 <= i < len(sentence) else "<s>" if i < 0 else "</s>"

    def pos(i):
        i += t
        return sentence[i][1] if 0 <= i < len(sentence) else "-"

    here = word(0)
    found = {"w%d=%s" % (i, word(i)) for i in (-2, -1, 0, 1, 2)}
    found |= {"l%d=%s" % (i, word(i).lower()) for i in (-2, -1, 0, 1, 2)}
    found |= {"p%d=%s" % (i, pos(i)) for i in (-2, -1, 0, 1, 2)}
    found |= {"s%d=%s" % (i, shape(word(i))) for i in (-1, 0, 1)}
    found |= {"c%d=%s" % (i, brief(shape(word(i)))) for i in (-2, -1, 0, 1, 2)}
    found |= {"ww%d=%s|%s" % (i, word(i), word(i + 1)) for i in (-2, -1, 0, 1)}
    found |= {"pp%d=%s|%s" % (i, pos(i), pos(i + 1)) for i in (-1, 0)}
    found |= {"ppp=%s|%s|%s" % (pos(-1), pos(0), pos(1)), "wp=%s|%s" % (here, pos(0))}
    found |= {"pre=" + here[:n] for n in range(1, 6)}
    found |= {"suf=" + here[-n:] for n in range(1, 6)}
    marked = "<" + here + ">"
    found |= {"g=" + marked[i:i + n] for n in range(2, 7) for i in range(len(marked) - n + 1)}
    return found


def write_tokens(corpus, target, labels, names, growing):
    """Writes an svmlight line for each token."""
    with open(target + ".part", "w", encoding="ascii") as out:
        for sentence in corpus:
            for t in range(len(sentence)):
                label = labels.setdefault(sentence[t][2], len(labels) + 1)
                if growing:
                    ids = [names.setdefault(f, len(names) + 1)
                           for f in sorted(features(sentence, t))]
                else:
                    ids = [names[f] for f in features(sentence, t) if f in names]
                out.write("%d %s\n" % (label, " ".join("%d:1" % i for i in sorted(ids))))
    os.replace(target + ".part", target)


def unpack(source, target):
    with lzma.open(source, "rb") as packed, open(target + ".part", "wb") as out:
        while block := packed.read(1 << 20):
            out.write(block)
    os.replace(target + ".part", target)


def prepare(name, data, cache):
    """The paths of the training and the test file of a set, which are made if they are missing."""
    os.makedirs(cache, exist_ok=True)
    train, test = (os.path.join(cache, "%s.%s.svm" % (name, part)) for part in ("train", "test"))
    sources = [os.path.join(data, path) for path in SETS[name]]
    if not (os.path.exists(train) and os.path.exists(test)):
        if name == "conll2003":
            labels, names = {}, {}
            write_tokens(entities(data, "train"), train, labels, names, True)
            write_tokens(entities(data, "testb"), test, labels, names, False)
        else:
            unpack(sources[0], train)
            unpack(sources[1], test)
    return train, test


def describe(train, test):
    """Counts of instances, test instances, features, classes and non-zeros."""
    seen, labels, rows, total = 0, set(), 0, 0
    with open(train, encoding="ascii") as lines:
        for line in lines:
            cells = line.split()
            labels.add(cells[0])
            rows += 1
            total += len(cells) - 1
            if len(cells) > 1:
                seen = max(seen, int(cells[-1].split(":")[0]))
    with open(test, encoding="ascii") as lines:
        tested = sum(1 for _ in lines)
    return {"instances": rows, "test": tested, "features": seen, "classes": len(labels),
            "nonzeros": total}
