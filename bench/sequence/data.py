"""The corpora of this benchmark, as columns and as CRFsuite's items, and the template.

CoNLL-2000 (word, part of speech, chunk tag) has the chunking template of CRF++: 19 lines and `B`, which CRF++,
Wapiti and Caucus read. Items are the same features written out, without positions outside the sentence; the
first and the last token have `__BOS__` and `__EOS__`, as in CRFsuite's example.

UD English EWT has about 33 features a token, as items: words, affixes, shapes, neighbours. Its labels are the 17
universal or the 49 Penn tags, with the same features.

CoNLL-2003 has a feature set after Finkel et al. (2005), as items: words and their pairs, affixes, shapes and
their pairs, the words within four tokens without their positions, parts of speech. Its labels are IOB2.

The task of many labels is CoNLL-2000 with the words alone (seven lines and `B`). Its labels are the chunk tags,
B, I or O with the part of speech, or the chunk tag with the part of speech.
"""

import os
import re

from common.corpora import brief, entities, sentences, shape

# Each line of the chunking template: a column and the offsets that it joins.
CHUNKING = ([(0, (i,)) for i in range(-2, 3)] + [(0, (-1, 0)), (0, (0, 1))]
            + [(1, (i,)) for i in range(-2, 3)] + [(1, (i, i + 1)) for i in range(-2, 2)]
            + [(1, (i, i + 1, i + 2)) for i in range(-2, 1)])
COLUMNS = ("w", "pos")
LARGE = CHUNKING + [(0, (-2, -1)), (0, (1, 2))]  # more than ten million weights of 22 labels
WORDS = [(0, (i,)) for i in range(-2, 3)] + [(0, (-1, 0)), (0, (0, 1))]

# Labels of the task of many labels, from a row of CoNLL-2000.
LABELLINGS = {
    "chunks": lambda row: row[2],
    "BIO and part of speech": lambda row: row[2][0] + "+" + row[1],
    "chunks and part of speech": lambda row: row[2] + "+" + row[1],
}


class Corpus:
    """The paths of what the tools read, and the gold labels.

    train, test              columns, the label last; None if there are items only
    train_items, test_items  the same as items
    template, large          of the columns; the large template has more lines
    one, one_items           the first sentence of the training data
    gold                     [[label, ...], ...] of the test data
    tokens, labels           of the training data
    attributes, occurrences  of its items
    touched                  labels in the rows of all occurrences, with weights for seen states
    """

    def __init__(self, folder, name):
        self.name = name
        self.folder = os.path.join(folder, name)
        os.makedirs(self.folder, exist_ok=True)
        self.train = self.test = self.template = self.large = self.one = None
        self.train_items, self.test_items, self.one_items = (
            self.path(part + ".items") for part in ("train", "test", "one"))
        self.gold, self.tokens, self.labels = [], 0, 0
        self.attributes = self.occurrences = self.touched = 0

    def path(self, name):
        return os.path.join(self.folder, name)


def escape(text):
    """Escapes colons, which would begin the value of an attribute."""
    return text.replace("\\", "\\\\").replace(":", "\\:")


def template_of(patterns):
    """The text of a template like the example of CRF++."""
    lines, used = [], [0, 0, 0]  # U0x are words, U1x parts of speech, U2x triples of them
    for column, offsets in patterns:
        family = 2 if len(offsets) == 3 else column
        cells = "/".join("%%x[%d,%d]" % (i, column) for i in offsets)
        lines.append("U%d%d:%s" % (family, used[family], cells))
        used[family] += 1
    return "\n".join(lines + ["B", ""])


def chunking_features(sentence, t):
    """The features that the template makes for token t, with the names of CRFsuite's example."""
    found = []
    for column, offsets in CHUNKING:
        if 0 <= t + offsets[0] and t + offsets[-1] < len(sentence):
            name = "|".join("%s[%d]" % (COLUMNS[column], i) for i in offsets)
            found.append(name + "=" + "|".join(sentence[t + i][column] for i in offsets))
    return found


def tagging_features(sentence, t):
    """Features for parts of speech, from the words alone."""
    def word(i):
        return sentence[t + i][0] if 0 <= t + i < len(sentence) else None

    here, found = word(0), []
    for i in (-2, -1, 0, 1, 2):
        if word(i) is not None:
            low = word(i).lower()
            found += ["w[%d]=%s" % (i, word(i)), "low[%d]=%s" % (i, low)]
            if i:
                found += ["suf[%d]=%s" % (i, low[-n:]) for n in (2, 3) if n <= len(low)]
            if abs(i) < 2:
                form = shape(word(i))
                found += ["shape[%d]=%s" % (i, form),
                          "brief[%d]=%s" % (i, brief(form))]
    for i in (-2, -1, 0, 1):
        if word(i) is not None and word(i + 1) is not None:
            found.append("low[%d]|low[%d]=%s|%s" % (i, i + 1, word(i).lower(),
                                                    word(i + 1).lower()))
    found += ["pre=" + here[:n] for n in range(1, 6) if n <= len(here)]
    found += ["suf=" + here[-n:] for n in range(1, 6) if n <= len(here)]
    found += [name for name, pattern in (("digit", "[0-9]"), ("upper", "[A-Z]"), ("dash", "-"))
              if re.search(pattern, here)]
    return found


def entity_features(sentence, t):
    """A feature set after Finkel et al. (2005), from words and parts of speech."""
    def cell(i, column):
        return sentence[t + i][column] if 0 <= t + i < len(sentence) else None

    def joined(name, offsets, of):
        cells = [of(i) for i in offsets]
        return [] if None in cells else [name + "=" + "|".join(cells)]

    def word(i):
        return cell(i, 0)

    def form(i):
        return word(i) and shape(word(i))

    def pos(i):
        return cell(i, 1)

    here, found = word(0), []
    for name, of in (("w", word), ("shape", form), ("pos", pos)):
        for where, offsets in (("0", [0]), ("-1", [-1]), ("1", [1]), ("-1|0", [-1, 0]),
                               ("0|1", [0, 1])):
            found += joined("%s[%s]" % (name, where), offsets, of)
    found += joined("shape[-1|0|1]", [-1, 0, 1], form) + joined("pos[-2|-1|0]", [-2, -1, 0], pos)
    found += ["pre=" + here[:n] for n in range(1, 7) if n <= len(here)]
    found += ["suf=" + here[-n:] for n in range(1, 7) if n <= len(here)]
    for name, sign in (("left", -1), ("right", 1)):
        around = {word(sign * i) for i in range(1, 5)} - {None}
        found += ["%s=%s" % (name, w) for w in sorted(around)]
    return found


def write_items(path, corpus, label, features, seen=None):
    """Writes a line for each token: its label, then its features. `seen` gets [occurrences, {label, ...}] of each
    feature."""
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        for sentence in corpus:
            last = len(sentence) - 1
            for t, row in enumerate(sentence):
                names = features(sentence, t)
                names += ["__BOS__"] * (t == 0) + ["__EOS__"] * (t == last)
                out.write("\t".join([row[label]] + [escape(name) for name in names]) + "\n")
                if seen is not None:
                    for name in names:
                        counts = seen.setdefault(name, [0, set()])
                        counts[0] += 1
                        counts[1].add(row[label])
            out.write("\n")


def write_columns(path, corpus):
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        for sentence in corpus:
            out.writelines(" ".join(row) + "\n" for row in sentence)
            out.write("\n")


def fill(corpus, train, test, label, features):
    """Writes the items of both parts and counts them."""
    seen = {}
    write_items(corpus.train_items, train, label, features, seen)
    corpus.attributes = len(seen)
    corpus.occurrences = sum(times for times, _ in seen.values())
    corpus.touched = sum(times * len(labels) for times, labels in seen.values())
    write_items(corpus.test_items, test, label, features)
    write_items(corpus.one_items, train[:1], label, features)
    corpus.gold = [[row[label] for row in sentence] for sentence in test]
    corpus.tokens = sum(len(sentence) for sentence in train)
    corpus.labels = len({row[label] for sentence in train for row in sentence})
    return corpus


def write_template(path, patterns):
    with open(path, "w", encoding="ascii") as out:
        out.write(template_of(patterns))
    return path


def chunks(data, part):
    return list(sentences(os.path.join(data, "conll2000-chunk", part + ".txt.xz")))


def chunking(data, folder, held_out=False):
    """CoNLL-2000. As it has no development data, held_out replaces the test data by every tenth sentence of the
    training data."""
    corpus = Corpus(folder, "conll2000-held-out" if held_out else "conll2000")
    train, test = (chunks(data, part) for part in ("train", "test"))
    if held_out:
        train, test = [s for i, s in enumerate(train) if i % 10 != 9], train[9::10]
    corpus.train, corpus.test, corpus.one = (
        corpus.path(name + ".txt") for name in ("train", "test", "one"))
    write_columns(corpus.train, train)
    write_columns(corpus.test, test)
    write_columns(corpus.one, train[:1])
    corpus.template = write_template(corpus.path("template"), CHUNKING)
    corpus.large = write_template(corpus.path("large.template"), LARGE)
    return fill(corpus, train, test, 2, chunking_features)


def tagging(data, folder, label, test="test"):
    """EWT with the universal (label 1) or the Penn tags (label 2); "dev" for development data."""
    corpus = Corpus(folder, "ewt-%s-%s" % ({1: "upos", 2: "xpos"}[label], test))
    train, test = (list(sentences(os.path.join(data, "ud-pos-genres", "ewt-%s.tsv.xz" % part)))
                   for part in ("train", test))
    for row in (row for part in (train, test) for sentence in part for row in sentence):
        row[label] = row[label].replace(":", "COLON")  # a colon begins a value for CRFsuite
    return fill(corpus, train, test, label, tagging_features)


def naming(data, folder, test="testb"):
    """CoNLL-2003, its labels as IOB2; "testa" for development data."""
    corpus = Corpus(folder, "conll2003-" + test)
    train, test = (list(entities(data, part)) for part in ("train", test))
    return fill(corpus, train, test, 2, entity_features)


def many_labels(data, folder, labelling):
    """CoNLL-2000 with words and the given labels, as columns; the template has words only."""
    corpus = Corpus(folder, "labels-%d" % list(LABELLINGS).index(labelling))
    train = [[[row[0], LABELLINGS[labelling](row)] for row in sentence]
             for sentence in chunks(data, "train")]
    corpus.train = corpus.path("train.txt")
    write_columns(corpus.train, train)
    corpus.template = write_template(corpus.path("template"), WORDS)
    corpus.tokens = sum(map(len, train))
    corpus.labels = len({row[1] for sentence in train for row in sentence})
    return corpus
