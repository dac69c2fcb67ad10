from os import PathLike
from typing import Any, Callable, Iterable, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

from . import _caucus

_Path = Union[str, PathLike[str]]
_Features = Union[Mapping[str, Any], Iterable[str]]
_Sequences = Any
_ProgressFn = Union[bool, None, Callable[["Progress"], Optional[bool]]]

__version__: str

class Error(Exception):
    filename: Optional[str]
    lineno: Optional[int]

class ArgumentError(Error, ValueError): ...
class FormatError(Error, ValueError): ...
class FileError(Error, OSError): ...  # type: ignore[misc]
class MissingFileError(FileError, FileNotFoundError): ...  # type: ignore[misc]
class OutOfMemoryError(Error, MemoryError): ...
class NumericError(Error, ArithmeticError): ...
class StoppedError(Error): ...
class UnsupportedError(Error, NotImplementedError): ...
class InterruptedWarning(UserWarning): ...

class Progress(NamedTuple):
    solver: str
    iteration: int
    passes: int
    objective: float
    gradient: float
    dev: float
    elapsed: float
    remaining: float
    weights: int
    norm: float

class Segment(NamedTuple):
    begin: int
    end: int
    type: str
    probability: float

class Explanation(NamedTuple):
    classes: list[dict[str, Any]]
    features: list[dict[str, Any]]
    unknown: list[str]

class Answer(NamedTuple):
    a: str
    b: str
    together: bool

class StudyRow(NamedTuple):
    name: str
    trained: float
    score: float
    error: float
    accuracy: float
    scores: list[float]
    options: dict[str, str]

class Data(_caucus.Data):
    options: dict[str, Any]
    def __new__(
        cls,
        data: _Sequences,
        labels: Optional[Any] = None,
        *,
        weights: Optional[Iterable[float]] = None,
        groups: Optional[Iterable[Any]] = None,
        dev: Any = None,
        test: Any = None,
        template: Optional[_Path] = None,
        form: Optional[str] = None,
        feature_names: Optional[Sequence[str]] = None,
        columns: Optional[Sequence[str]] = None,
        sequence: Optional[str] = None,
        **options: Any,
    ) -> "Data": ...
    @classmethod
    def domains(
        cls,
        target: Any,
        sources: Any,
        *,
        test: Any = None,
        template: Optional[_Path] = None,
        form: Optional[str] = None,
        feature_names: Optional[Sequence[str]] = None,
        **options: Any,
    ) -> "Data": ...

class Model(_caucus.Model):
    @property
    def kind(self) -> str: ...
    @property
    def info(self) -> dict[str, str]: ...
    @classmethod
    def open(cls, path: _Path) -> "Model": ...
    @classmethod
    def from_bytes(cls, data: bytes) -> "Model": ...
    def save(self, path: _Path) -> None: ...
    def to_bytes(self) -> bytes: ...
    def tag(self, x: Any, **options: Any) -> Any: ...
    def tag_all(
        self, data: Any, *, feature_names: Optional[Sequence[str]] = None, **options: Any
    ) -> Iterator[Any]: ...
    def probabilities(
        self, matrix: Any, *, feature_names: Optional[Sequence[str]] = None, **options: Any
    ) -> Any: ...
    def tag_file(self, path: _Path, **options: Any) -> str: ...
    def marginals(self, x: Any, forced: Optional[Sequence[str]] = None, **options: Any) -> Any: ...
    def nbest(self, x: Any, n: int, forced: Optional[Sequence[str]] = None, **options: Any) -> list[tuple[list[str], float]]: ...
    def segments(self, x: Any, forced: Optional[Sequence[str]] = None, **options: Any) -> list[Segment]: ...
    def probability(self, x: Any, labels: Sequence[str]) -> float: ...
    def show(self, x: Any, **options: Any) -> Any: ...
    def evaluate(
        self,
        data: Any,
        labels: Iterable[Any],
        *,
        feature_names: Optional[Sequence[str]] = None,
        **options: Any,
    ) -> "Scores": ...
    def inspect(self, **options: Any) -> str: ...
    def explain(self, x: Any) -> Explanation: ...
    def top_features(self, n: int = 10) -> dict[str, dict[str, list[tuple[str, float]]]]: ...
    def transitions(self) -> dict[tuple[str, str], float]: ...
    def intercepts(self) -> dict[str, float]: ...
    def features(self) -> Iterator[tuple[str, dict[str, float]]]: ...
    def weights(self, feature: str) -> Optional[dict[str, float]]: ...
    def coefficients(self, feature_names: Iterable[str]) -> tuple[Any, Any]: ...

class Pool(Model):
    @classmethod
    def train(
        cls,
        data: Any,
        labels: Optional[Any] = None,
        *,
        pool: str = "bag",
        progress: _ProgressFn = None,
        **options: Any,
    ) -> "Pool": ...
    @property
    def expert_weights(self) -> tuple[float, ...]: ...
    def weights(self, feature: str, expert: Optional[int] = None) -> Optional[dict[str, float]]: ...
    def members(self, path: _Path) -> dict[str, Any]: ...

class Scores(dict[str, Any]):
    table: str
    def __init__(self, report: str, table: str) -> None: ...
    @property
    def accuracy(self) -> float: ...
    @property
    def f1(self) -> float: ...

class Study:
    rows: list[StudyRow]
    best: Optional[StudyRow]
    measure: str
    def __init__(self, rows: Any, best: Optional[int], measure: str, report: str) -> None: ...
    @property
    def report(self) -> dict[str, Any]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[StudyRow]: ...
    def __getitem__(self, index: int) -> StudyRow: ...

class Question:
    a: str
    b: str
    together: float
    number: int
    total: int
    a_features: list[str]
    b_features: list[str]
    answer: Union[bool, None, str]
    def __init__(
        self,
        a: str,
        b: str,
        together: float,
        number: int,
        total: int,
        a_features: list[str],
        b_features: list[str],
    ) -> None: ...

class Clustering(_caucus.Clustering):
    def __new__(cls, items: Any, *, links: Iterable[tuple[str, str, float]] = (), classes: Optional[Mapping[str, str]] = None, **options: Any) -> "Clustering": ...
    def run(self, answer: Optional[Callable[[Question], Any]] = None, progress: _ProgressFn = None) -> "Clustering": ...
    def questions(self, progress: _ProgressFn = None) -> Iterator[Question]: ...
    @property
    def clusters(self) -> list[list[str]]: ...
    @property
    def assignment(self) -> dict[str, int]: ...
    @property
    def certainty(self) -> dict[str, float]: ...
    @property
    def answers(self) -> list[Answer]: ...
    def report(self) -> dict[str, Any]: ...
    def model(self) -> Model: ...

def train(data: Any, labels: Optional[Any] = None, *, progress: _ProgressFn = None, **options: Any) -> Model: ...
def adapt(target: Any, sources: Any = None, *, progress: _ProgressFn = None, **options: Any) -> Model: ...
def cross_validate(data: Any, labels: Optional[Any] = None, *, progress: _ProgressFn = None, **options: Any) -> Study: ...
def compare_methods(target: Any, sources: Any = None, *, progress: _ProgressFn = None, **options: Any) -> Study: ...
def evaluate(gold: Any, predicted: Any = None, *, words: Any = None, probabilities: Any = None, others: Optional[Mapping[str, Any]] = None, **options: Any) -> Scores: ...
def cluster(items: Any, *, links: Iterable[tuple[str, str, float]] = (), classes: Optional[Mapping[str, str]] = None, answer: Optional[Callable[[Question], Any]] = None, progress: _ProgressFn = None, **options: Any) -> Clustering: ...
def features(
    data: Any, *, template: Optional[_Path] = None, **options: Any
) -> list[list[dict[str, float]]]: ...
def options(command: str) -> dict[str, dict[str, Any]]: ...
