from typing import Any, Callable, Iterable, Mapping, Optional, Union

from . import Model, Question

class _Estimator:
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Any: ...

class _MatrixClassifier(_Estimator):
    model_: Model
    classes_: Any
    n_features_in_: int
    feature_names_in_: Any
    n_iter_: int
    def decision_function(self, X: Any) -> Any: ...
    def predict(self, X: Any) -> Any: ...
    def predict_proba(self, X: Any) -> Any: ...
    def predict_log_proba(self, X: Any) -> Any: ...
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...

class MaxEntClassifier(_MatrixClassifier):
    coef_: Any
    intercept_: Any
    def __init__(
        self,
        l2: float = 1.0,
        l1: float = 0.0,
        *,
        solver: str = "auto",
        max_iterations: Optional[int] = None,
        epsilon: Optional[float] = None,
        delta: Optional[float] = None,
        fit_intercept: bool = True,
        class_weight: Union[Mapping[Any, float], str, None] = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
        verbose: int = 0,
        options: Optional[Mapping[str, Any]] = None,
    ) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "MaxEntClassifier": ...
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> "MaxEntClassifier": ...

class PoolClassifier(_MatrixClassifier):
    expert_weights_: Any
    def __init__(
        self,
        pool: str = "bag",
        experts: Optional[int] = None,
        *,
        partition: Optional[str] = None,
        combine: Optional[str] = None,
        alphas: Optional[str] = None,
        l2: float = 1.0,
        solver: str = "auto",
        max_iterations: Optional[int] = None,
        class_weight: Union[Mapping[Any, float], str, None] = None,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
        verbose: int = 0,
        options: Optional[Mapping[str, Any]] = None,
    ) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "PoolClassifier": ...

class MegaAdapter(_MatrixClassifier):
    def __init__(
        self,
        method: str = "mega",
        l2: float = 1.0,
        *,
        solver: str = "auto",
        max_iterations: Optional[int] = None,
        class_weight: Union[Mapping[Any, float], str, None] = None,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
        verbose: int = 0,
        options: Optional[Mapping[str, Any]] = None,
    ) -> None: ...
    def fit(
        self, X: Any, y: Any, source: Any = None, sample_weight: Any = None
    ) -> "MegaAdapter": ...

class DPMMClusterer(_Estimator):
    labels_: Any
    certainty_: Any
    n_clusters_: int
    n_features_in_: int
    report_: dict[str, Any]
    def __init__(
        self,
        likelihood: Optional[str] = None,
        *,
        alpha: Optional[float] = None,
        beta: Optional[float] = None,
        chains: Optional[int] = None,
        burn_in: Optional[int] = None,
        samples: Optional[int] = None,
        reduce: Optional[str] = None,
        total: Optional[float] = None,
        ask: Optional[int] = None,
        answer: Optional[Callable[[Question], Any]] = None,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
        verbose: int = 0,
        options: Optional[Mapping[str, Any]] = None,
    ) -> None: ...
    def fit(
        self,
        X: Any,
        y: Any = None,
        must_link: Iterable[tuple[int, int]] = (),
        cannot_link: Iterable[tuple[int, int]] = (),
    ) -> "DPMMClusterer": ...
    def fit_predict(self, X: Any, y: Any = None) -> Any: ...

class _SequenceTagger(_Estimator):
    model_: Model
    classes_: Any
    n_iter_: int
    def __init__(
        self,
        l2: float = 1.0,
        l1: float = 0.0,
        *,
        template: Optional[str] = None,
        form: Optional[str] = None,
        solver: str = "auto",
        max_iterations: Optional[int] = None,
        states: Optional[str] = None,
        transitions: Optional[str] = None,
        dev_fraction: Optional[float] = None,
        patience: Optional[int] = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
        verbose: int = 0,
        options: Optional[Mapping[str, Any]] = None,
    ) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None, dev: Any = None) -> Any: ...
    def predict(self, X: Any) -> list[list[str]]: ...
    def predict_marginals(self, X: Any) -> list[list[dict[str, float]]]: ...
    def predict_proba(self, X: Any) -> list[Any]: ...
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...

class CRFTagger(_SequenceTagger): ...
class MEMMTagger(_SequenceTagger): ...

class TemplateTransformer:
    def __init__(self, template: Optional[str] = None, *, matrix: bool = False) -> None: ...
    def fit(self, X: Any, y: Any = None) -> "TemplateTransformer": ...
    def fit_transform(self, X: Any, y: Any = None) -> Any: ...
    def transform(self, X: Any) -> Any: ...
    def get_feature_names_out(self, input_features: Any = None) -> Any: ...
