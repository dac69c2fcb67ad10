"""Reading the corpora: sentences of cells, labels, and the shape of a word."""

import lzma
import os
import re


def sentences(path):
    """Lists of rows, each a list of cells; a blank line ends a sentence."""
    sentence = []
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            cells = re.split("[ \t]", line.rstrip("\n"))
            if len(cells) > 1:
                sentence.append(cells)
            elif sentence:
                yield sentence
                sentence = []
    if sentence:
        yield sentence


def entities(data, part):
    """CoNLL-2003 ("train", "testa", "testb") as rows of word, part of speech and IOB2 label; lines
    of -DOCSTART- are dropped. IOB1 writes B only between neighbours of one type, IOB2 at each start."""
    for sentence in sentences(os.path.join(data, "conll2003-ner", "eng.%s.xz" % part)):
        rows, last = [], "O"
        for word, pos, _, label in (cells for cells in sentence if cells[0] != "-DOCSTART-"):
            if label.startswith("I-") and last[1:] != label[1:]:
                label = "B" + label[1:]
            last = label
            rows.append([word, pos, label])
        if rows:
            yield rows


def shape(word):
    """"Xxxx-dd": letters by case, digits, all else as it is."""
    return re.sub("[0-9]", "d", re.sub("[a-z]", "x", re.sub("[A-Z]", "X", word)))


def brief(form):
    """A shape without repetitions: "Xx-d"."""
    return re.sub(r"(.)\1+", r"\1", form)
