"""What a model holds, as `Tagger.info` gives it and `Tagger.dump` writes it."""

import struct

_HEADER = struct.Struct("<4sI4s9I")  # of a model of CRFsuite
_HEADER_NAMES = ("magic", "size", "type", "version", "num_features", "num_labels", "num_attrs",
                 "off_features", "off_labels", "off_attrs", "off_labelrefs", "off_attrrefs")


class ParsedDump:
    """A model: `header` {name: text}, `labels` and `attributes` {name: number as text}, `transitions`
    {(from, to): weight}, `state_features` {(attribute, label): weight}. Weights that are 0 are left out."""

    def __init__(self):
        self.header = {}
        self.labels = {}
        self.attributes = {}
        self.transitions = {}
        self.state_features = {}


def parse_header(start, size, labels, attributes):
    """The header as a dict of texts: that of a file of CRFsuite that begins with the bytes `start`, or the same
    members for a model of another form."""
    if len(start) >= _HEADER.size and start[:4] == b"lCRF":
        values = list(_HEADER.unpack(start[:_HEADER.size]))
    else:
        values = [b"lCRF", size, b"FOMC", 100, 0, labels, attributes, 0, 0, 0, 0, 0]
    texts = [v.decode("ascii", "replace") if isinstance(v, bytes) else str(v) for v in values]
    texts[7:] = [f"0x{v:X}" for v in values[7:]]
    return dict(zip(_HEADER_NAMES, texts))


def dump_lines(dump):
    """The lines of `crfsuite dump`."""
    yield "FILEHEADER = {\n"
    for name, value in dump.header.items():
        yield f"  {name}: {value}\n"
    for title, names in (("LABELS", dump.labels), ("ATTRIBUTES", dump.attributes)):
        yield f"}}\n\n{title} = {{\n"
        for name, number in names.items():
            yield f"  {number:>5}: {name}\n"
    for title, kind, weights in (("TRANSITIONS", 1, dump.transitions),
                                 ("STATE_FEATURES", 0, dump.state_features)):
        yield f"}}\n\n{title} = {{\n"
        for (a, b), weight in weights.items():
            yield f"  ({kind}) {a} --> {b}: {weight:f}\n"
    yield "}\n\n"
