"""The corpora: sentences of cells, IOB2 labels, shapes of words."""

import lzma
import os
import re
import shutil


def sentences(path):
    """The sentences of a file: lists of rows, each a list of cells. A blank line ends a sentence."""
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
    """CoNLL-2003 ("train", "testa", "testb") as rows of word, part of speech and IOB2 label, without
    -DOCSTART- lines. IOB1 has B only between adjacent chunks of one type, IOB2 at the start of each."""
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
    """"Xxxx-dd": the case of letters, digits, other characters unchanged."""
    return re.sub("[0-9]", "d", re.sub("[a-z]", "x", re.sub("[A-Z]", "X", word)))


def brief(form):
    """A shape without repeated characters: "Xx-d"."""
    return re.sub(r"(.)\1+", r"\1", form)


def repeat(source, target, times):
    """Writes the file several times over."""
    with open(source, "rb") as one, open(target, "wb") as out:
        for _ in range(times):
            one.seek(0)
            shutil.copyfileobj(one, out)
    return target
