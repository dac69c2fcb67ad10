"""The model file of an estimator."""

import os
import tempfile

_CONTENT = "__FILE_RESOURCE_DATA__"  # the content of the file in a pickle


class FileResource:
    """A file: `filename`, or a temporary one, which is removed at the end unless `keep_tempfiles`, and whose
    content becomes part of a pickle."""

    def __init__(self, filename=None, keep_tempfiles=False, suffix="", prefix=""):
        self.name = filename
        self.auto = filename is None
        self.keep_tempfiles = keep_tempfiles
        self.suffix = suffix
        self.prefix = prefix

    def refresh(self):
        """Makes a new temporary file, and forgets the one before."""
        if self.auto:
            self.cleanup()
            self.ensure_name()

    def ensure_name(self):
        """Makes a temporary file if there is none."""
        if self.name is None:
            handle, self.name = tempfile.mkstemp(self.suffix, self.prefix)
            os.close(handle)

    def cleanup(self):
        """Removes the temporary file."""
        if self.name is None or self.keep_tempfiles or not self.auto:
            return
        try:
            os.unlink(self.name)
        except OSError:
            pass
        self.name = None

    def __del__(self):
        try:
            self.cleanup()
        except Exception:  # the interpreter may be on its way out
            pass

    def __getstate__(self):
        state = dict(self.__dict__)
        if self.auto and self.name is not None:
            try:
                with open(self.name, "rb") as file:
                    state[_CONTENT] = file.read()
            except OSError:
                pass
            state["name"] = None
        return state

    def __setstate__(self, state):
        state = dict(state)
        content = state.pop(_CONTENT, None)
        self.__dict__.update(state)
        if content is not None:
            self.ensure_name()
            with open(self.name, "wb") as file:
                file.write(content)
