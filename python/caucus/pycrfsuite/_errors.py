"""The exception of python-crfsuite, with the codes of CRFsuite."""

_FIRST = -(2 ** 31)  # the codes count upwards from here
_MESSAGES = ("Unknown error", "Out of memory", "Not supported", "Incompatible data", "Internal error",
             "Overflow", "Not implemented")


class CRFSuiteError(Exception):
    """A failure of training with one of the codes of CRFsuite.

    >>> CRFSuiteError(-2147483647)
    CRFSuiteError('Out of memory')
    """

    def __init__(self, code):
        self.code = code
        index = code - _FIRST if isinstance(code, int) else -1
        super().__init__(_MESSAGES[index] if 0 <= index < len(_MESSAGES) else f"Error {code}")

    def __reduce__(self):
        return type(self), (self.code,)


OUT_OF_MEMORY, INCOMPATIBLE, OVERFLOW = _FIRST + 1, _FIRST + 3, _FIRST + 5
