from typing import Any, NamedTuple, Optional

class LabelScore(NamedTuple):
    match: int
    model: int
    ref: int
    precision: Optional[float]
    recall: Optional[float]
    f1: Optional[float]

class TrainLogParser:
    featgen_percent: int
    featgen_num_features: Optional[int]
    featgen_seconds: Optional[float]
    training_seconds: Optional[float]
    storing_seconds: Optional[float]
    iterations: list[dict[str, Any]]
    last_iteration: Optional[dict[str, Any]]
    log: list[str]
    events: list[tuple[str, int, int]]
    def feed(self, line: str) -> Optional[str]: ...
    @property
    def last_log(self) -> str: ...
