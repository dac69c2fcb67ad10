"""Keyword options as the options of the program.

Names have underscores instead of dashes (`max_iterations` for `--max-iterations`); one that is a
keyword of Python ends with an underscore (`lambda_`). The library checks names, ranges and choices.
"""

import os

from . import _caucus

_FILES, _TEXTS = 6, 7  # of caucus_option_kind
_kinds = {}  # command -> {name: kind}


def _value_text(value):
    if value is True or value is False:
        return "1" if value else "0"
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        # {"l2": [0.1, 1], "l1": [0, 1]} is 'l2=0.1,1 l1=0,1'; {"a": 2, "b": 1} is 'a=2,b=1'.
        lists = any(isinstance(v, (list, tuple)) for v in value.values())
        return (" " if lists else ",").join(f"{k}={_value_text(v)}" for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return ",".join(_value_text(v) for v in value)
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if hasattr(value, "_as_file"):  # a Model, of the options from_ and mean
        return os.fspath(value._as_file())
    return str(value)


def option_pairs(command, options):
    """The options as the extension takes them: a list of (name, text). None leaves one out."""
    pairs = []
    for keyword, value in options.items():
        if value is None:
            continue
        name = keyword.rstrip("_").replace("_", "-")
        if command not in _kinds:
            _kinds[command] = {row[0]: row[1] for row in _caucus.options(command)}
        if _kinds[command].get(name) in (_FILES, _TEXTS) and isinstance(value, (list, tuple)):
            pairs += [(name, _value_text(each)) for each in value]
        else:
            pairs.append((name, _value_text(value)))
    return pairs


def keyword_options(pairs):
    """The reverse of option_pairs, with texts as values."""
    return {name.replace("-", "_"): text for name, text in pairs}


def options(command):
    """The options of a command ("train", "tag", "eval", "adapt", "cluster", "inspect") with their
    defaults, ranges and help, as in `caucus COMMAND --help-all`.

    >>> print(options("train")["l2"]["default"])
    1
    """
    keys = ("kind", "default", "min", "max", "choices", "group", "help")
    return {row[0].replace("-", "_"): dict(zip(keys, row[1:])) for row in _caucus.options(command)}
