"""Exceptions. The extension module makes them from the status and message of the library."""

import errno
import os


class Error(Exception):
    """A failure of Caucus. `filename` and `lineno` are where it is in a file, or None."""

    filename = None
    lineno = None


class ArgumentError(Error, ValueError):
    """An option or argument that is out of range, unknown, or contradicts another."""


class FormatError(Error, ValueError):
    """Data or a model file that is malformed."""


class FileError(Error, OSError):
    """A file that cannot be read or written."""


class MissingFileError(FileError, FileNotFoundError):
    """A file that does not exist."""


class OutOfMemoryError(Error, MemoryError):
    """There is not enough memory."""


class NumericError(Error, ArithmeticError):
    """A value is not finite, or no labelling is possible."""


class StoppedError(Error):
    """The progress callback ended a study or a clustering."""


class UnsupportedError(Error, NotImplementedError):
    """This build of the library cannot do that."""


class InterruptedWarning(UserWarning):
    """Ctrl-C ended training; the model is the best one so far."""


# In the order of caucus_status.
_CLASSES = (Error, OutOfMemoryError, FileError, FormatError, ArgumentError, NumericError,
            StoppedError, UnsupportedError)


def _find_place(message):
    """The path and line at the beginning of a message, or None for each."""
    parts = message.split(":", 2)
    if len(parts) == 3 and parts[1].isdigit() and parts[0] not in ("token", "text", "the template"):
        return parts[0], int(parts[1])
    return (parts[0] if len(parts) > 1 and os.sep in parts[0] else None), None


def _errno_of(path):
    if not os.path.exists(path):
        return errno.ENOENT
    if os.path.isdir(path):
        return errno.EISDIR
    return errno.EIO if os.access(path, os.R_OK) else errno.EACCES


def make_error(status, message):
    kind = _CLASSES[status]
    filename, lineno = _find_place(message)
    if kind is FileError:
        filename = message.split(":", 1)[0]
        if not os.path.exists(filename) and os.path.isdir(os.path.dirname(filename) or "."):
            kind = MissingFileError
    error = kind(message)
    if isinstance(error, OSError):
        error.errno = _errno_of(filename)
    error.filename = filename
    error.lineno = lineno
    return error


def log_note(sentence):
    """Notes of the library go to the logger "caucus"."""
    import logging

    logging.getLogger("caucus").info(sentence)
