"""Log-linear models for language: MaxEnt classifiers, MEMMs and linear-chain CRFs.

    import caucus

    model = caucus.train(sentences, labels, l2=0.1)
    model.tag(sentence)
    model.save("chunks.cau")

docs/python.md is the tutorial. Keyword options are those of the program: `caucus.options("train")`
lists them.
"""

from ._clustering import Answer, Clustering, Question, cluster
from ._caucus import version as __version__
from ._data import Data
from ._errors import (ArgumentError, Error, FileError, FormatError, InterruptedWarning,
                      MissingFileError, NumericError, OutOfMemoryError, StoppedError,
                      UnsupportedError)
from ._features import features
from ._model import Explanation, Model, Pool, Segment, adapt, train
from ._options import options
from ._progress import Progress
from ._scores import Scores, evaluate
from ._study import Study, StudyRow, compare_methods, cross_validate

__all__ = [
    "Answer", "ArgumentError", "Clustering", "Data", "Error", "Explanation", "FileError",
    "FormatError", "InterruptedWarning", "MissingFileError", "Model", "NumericError",
    "OutOfMemoryError", "Pool", "Progress", "Question", "Scores", "Segment", "StoppedError", "Study",
    "StudyRow", "UnsupportedError", "adapt", "cluster", "compare_methods", "cross_validate",
    "evaluate", "features", "options", "train",
]


def __getattr__(name):
    """`caucus.sklearn` is imported when it is used."""
    if name == "sklearn":
        import importlib

        return importlib.import_module("caucus.sklearn")
    raise AttributeError(f"module 'caucus' has no attribute {name!r}")
