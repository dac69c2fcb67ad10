"""In the place of python-crfsuite: `import caucus.pycrfsuite as pycrfsuite`.

>>> import os, tempfile
>>> trainer = Trainer("lbfgs", {"c2": 0.1}, verbose=False)
>>> trainer.append([{"word": "the"}, {"word": "cat"}], ["DET", "NOUN"])
>>> path = os.path.join(tempfile.mkdtemp(), "model.crfsuite")
>>> trainer.train(path)
>>> with Tagger().open(path) as tagger:
...     tagger.tag([{"word": "the"}, {"word": "cat"}])
['DET', 'NOUN']

Models are files of CRFsuite, which both packages read and write. docs/coming-from-crfsuite.md lists the
differences.
"""

from ._dumpparser import ParsedDump
from ._errors import CRFSuiteError
from ._items import ItemSequence
from ._tagger import Tagger
from ._trainer import BaseTrainer, Trainer

CRFSUITE_VERSION = "0.12.2"  #: the version of CRFsuite whose files and parameters these are
__version__ = "0.9.12"  #: the version of python-crfsuite whose interface this is

__all__ = ["BaseTrainer", "CRFSUITE_VERSION", "CRFSuiteError", "ItemSequence", "ParsedDump", "Tagger",
           "Trainer"]
