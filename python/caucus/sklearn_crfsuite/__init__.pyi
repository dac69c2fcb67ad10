"""In the place of sklearn-crfsuite."""

from .estimator import CRF as CRF

__version__: str
