"""In the place of sklearn-crfsuite: `import caucus.sklearn_crfsuite as sklearn_crfsuite`.

>>> X = [[{"word": "the"}, {"word": "cat"}]]
>>> crf = CRF(c2=0.1).fit(X, [["DET", "NOUN"]])
>>> crf.predict(X)
[['DET', 'NOUN']]

scikit-learn is not needed, except for the scorers and most of the metrics; if it is installed, `CRF` is one of its
estimators. docs/coming-from-crfsuite.md lists the differences.
"""

from .estimator import CRF

__version__ = "0.3.6"  #: the version of sklearn-crfsuite whose interface this is

__all__ = ["CRF"]
