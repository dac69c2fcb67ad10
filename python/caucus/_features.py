"""What a template makes of tokens."""

import os
import re

from . import _caucus
from ._data import is_path, is_template_text, path_list
from ._files import MemoryFile
from ._options import option_pairs

_FIELD = re.compile(r"((?:[^:\\]|\\.)*)(?::(.*))?")  # a name with \: and \\, and perhaps a value


def features(data, *, template=None, **options):
    """The features that a template makes of each token, as in `caucus features`: for each sequence a
    list of dicts {name: value}. `data` has sequences of rows of cells, or of words, or is the path
    of a file. Features of edges are left out.

    >>> features([["The", "cat"]], template="U0:%x[0,0]\\nU1:%lower[0,0]\\n")
    [[{'U0:The': 1.0, 'U1:the': 1.0}, {'U0:cat': 1.0, 'U1:cat': 1.0}]]
    """
    if template is not None:
        is_file = is_path(template) and not is_template_text(template)
        options["template"] = template if is_file else MemoryFile(template.encode())
    if path_list(data):
        source = os.fspath(data)
    else:
        source = MemoryFile("".join(map(_sequence_text, data)).encode())
        options.update(delimiter="\\t", no_label=True, format="columns")
    text = _caucus.features(option_pairs("features", options), os.fspath(source))
    sequences = [[]]
    for line in text.split("\n"):
        if line:
            sequences[-1].append(_read_line(line))
        elif sequences[-1]:
            sequences.append([])
    return sequences[:-1] if not sequences[-1] else sequences


def _sequence_text(rows):
    lines = []
    for row in rows:
        cells = [row] if isinstance(row, str) else list(row)
        if any("\t" in cell or "\n" in cell or "\r" in cell for cell in cells):
            raise ValueError(f"a cell of {cells!r} has a TAB or a line end; replace it")
        lines.append("\t".join(cells) + "\n")
    return "".join(lines) + "\n"


def _read_line(line):
    token = {}
    for field in line.split("\t")[1:]:
        if field == "|":
            break
        name, value = _FIELD.fullmatch(field).groups()
        token[re.sub(r"\\(.)", r"\1", name)] = float(value) if value else 1.0
    return token
