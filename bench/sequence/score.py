"""How good labels are: chunks by the rules of conlleval, and accuracy of tokens."""

from common.measure import Failed


def chunks(labels):
    """{(first, behind the last, type)} of one sentence. B begins a chunk; so does I after O or
    after another type. O, B and another type end one."""
    found, start, kind = set(), None, None
    for t, label in enumerate(labels + ["O"]):
        prefix, _, here = label.partition("-")
        if start is not None and (prefix != "I" or here != kind):
            found.add((start, t, kind))
            start = None
        if prefix in ("B", "I") and start is None:
            start, kind = t, here
    return found


def guesses(path):
    """[[label, ...], ...] of a tagged file, whose labels stand behind the last tab of the line."""
    tagged, sentence = [], []
    with open(path, encoding="utf-8", newline="\n") as lines:
        for line in lines:
            line = line.rstrip("\n")
            if line:
                sentence.append(line.rpartition("\t")[2])
            elif sentence:
                tagged.append(sentence)
                sentence = []
    if sentence:
        tagged.append(sentence)
    return tagged


def paired(gold, tagged):
    if [len(sentence) for sentence in gold] != [len(sentence) for sentence in tagged]:
        raise Failed("the tagged file does not have the sentences of the test data")
    return zip(gold, tagged)


def chunk_f1(gold, tagged):
    """Percent, over all chunks."""
    right = wanted = found = 0
    for ours, theirs in paired(gold, tagged):
        want, have = chunks(ours), chunks(theirs)
        right, wanted, found = right + len(want & have), wanted + len(want), found + len(have)
    return 200 * right / (wanted + found)


def accuracy(gold, tagged):
    """Percent, over all tokens."""
    pairs = [pair for ours, theirs in paired(gold, tagged) for pair in zip(ours, theirs)]
    return 100 * sum(a == b for a, b in pairs) / len(pairs)
