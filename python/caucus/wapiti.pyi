"""In the place of python-wapiti."""

import os
from typing import IO, Any, Iterable, Optional, Union

ALGORITHMS: list[str]
_Text = Union[str, bytes]

class Model:
    encoding: str
    patterns: Optional[str]
    options: dict[str, Any]
    def __init__(self, patterns: Optional[_Text] = None, encoding: str = "utf8", **options: Any) -> None: ...
    def add_training_sequence(self, sequence: _Text) -> None: ...
    def train(self, sequences: Optional[Iterable[_Text]] = None) -> None: ...
    def save(self, modelfile: Union[str, "os.PathLike[str]", IO[Any]]) -> None: ...
    def label_sequence(self, lines: _Text, include_input: bool = False) -> bytes: ...
