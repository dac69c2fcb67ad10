"""Bytes in memory that the library reads as a file."""

import os


class MemoryFile:
    """A file without a place on a disk, if the system has such files. It lives as long as this."""

    def __init__(self, data):
        self._close = os.close  # still there when the interpreter ends
        if hasattr(os, "memfd_create"):
            self._file = os.memfd_create("caucus")
            self.path = f"/proc/self/fd/{self._file}"
        else:
            import tempfile

            self._file, self.path = tempfile.mkstemp(prefix="caucus.")
        view = memoryview(data)
        while view:
            view = view[os.write(self._file, view):]

    def __fspath__(self):
        return self.path

    def __del__(self):
        if hasattr(self, "_file"):
            self._close(self._file)
            if not self.path.startswith("/proc/"):
                os.unlink(self.path)
