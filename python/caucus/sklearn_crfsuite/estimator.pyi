from typing import Any, Iterable, Optional

from ..pycrfsuite import Tagger, Trainer
from ..pycrfsuite._logparser import TrainLogParser

class CRF:
    training_log_: Optional[TrainLogParser]
    def __init__(
        self,
        algorithm: Optional[str] = None,
        min_freq: Optional[float] = None,
        all_possible_states: Optional[bool] = None,
        all_possible_transitions: Optional[bool] = None,
        c1: Optional[float] = None,
        c2: Optional[float] = None,
        max_iterations: Optional[int] = None,
        num_memories: Optional[int] = None,
        epsilon: Optional[float] = None,
        period: Optional[int] = None,
        delta: Optional[float] = None,
        linesearch: Optional[str] = None,
        max_linesearch: Optional[int] = None,
        calibration_eta: Optional[float] = None,
        calibration_rate: Optional[float] = None,
        calibration_samples: Optional[float] = None,
        calibration_candidates: Optional[int] = None,
        calibration_max_trials: Optional[int] = None,
        pa_type: Optional[int] = None,
        c: Optional[float] = None,
        error_sensitive: Optional[bool] = None,
        averaging: Optional[bool] = None,
        variance: Optional[float] = None,
        gamma: Optional[float] = None,
        verbose: bool = False,
        model_filename: Optional[str] = None,
        keep_tempfiles: bool = False,
        trainer_cls: Optional[type[Trainer]] = None,
    ) -> None: ...
    def fit(self, X: Iterable[Any], y: Iterable[Iterable[str]], X_dev: Optional[Iterable[Any]] = None, y_dev: Optional[Iterable[Iterable[str]]] = None) -> CRF: ...
    def predict(self, X: Iterable[Any]) -> list[list[str]]: ...
    def predict_single(self, xseq: Any) -> list[str]: ...
    def predict_marginals(self, X: Iterable[Any]) -> list[list[dict[str, float]]]: ...
    def predict_marginals_single(self, xseq: Any) -> list[dict[str, float]]: ...
    def score(self, X: Iterable[Any], y: Iterable[Iterable[str]]) -> float: ...
    @property
    def tagger_(self) -> Optional[Tagger]: ...
    @property
    def classes_(self) -> Optional[list[str]]: ...
    @property
    def size_(self) -> Optional[int]: ...
    @property
    def num_attributes_(self) -> Optional[int]: ...
    @property
    def attributes_(self) -> Optional[list[str]]: ...
    @property
    def state_features_(self) -> Optional[dict[tuple[str, str], float]]: ...
    @property
    def transition_features_(self) -> Optional[dict[tuple[str, str], float]]: ...
