"""Runs programs that were written for other packages.

    python -m caucus.alias program.py arguments...
    python -m caucus.alias -m module arguments...
    python -m caucus.alias -c "code" arguments...

In the program the names pycrfsuite, sklearn_crfsuite, CRFPP and wapiti mean the modules of caucus. `install()` does
the same for the program that calls it, before it imports them. Pickles that sklearn-crfsuite wrote load too.
"""

import importlib
import importlib.abc
import importlib.util
import os
import runpy
import sys
import types

MODULES = {"pycrfsuite": "caucus.pycrfsuite", "sklearn_crfsuite": "caucus.sklearn_crfsuite",
           "CRFPP": "caucus.crfpp", "wapiti": "caucus.wapiti"}


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds these names, and those of the modules inside, before any installed package."""

    def find_spec(self, name, path=None, target=None):
        head, _, rest = name.partition(".")
        if head not in MODULES:
            return None
        real = MODULES[head] + ("." + rest if rest else "")
        try:
            if importlib.util.find_spec(real) is None:
                return None
        except ModuleNotFoundError:
            return None
        return importlib.util.spec_from_loader(name, self, origin=real)

    def create_module(self, spec):
        module = importlib.import_module(spec.origin)
        self.real_spec = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = self.real_spec  # the import system has just set that of the other name


def install():
    """Puts the modules of caucus in the place of the others, for all imports from now on.

    >>> install()
    >>> import pycrfsuite
    >>> pycrfsuite.__name__
    'caucus.pycrfsuite'
    """
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    for name in [n for n in sys.modules if n.partition(".")[0] in MODULES]:
        del sys.modules[name]


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if arguments else 2
    install()
    if arguments[0] in ("-c", "-m"):
        if len(arguments) < 2:
            print(f"caucus.alias: {arguments[0]} needs a "
                  f"{'module' if arguments[0] == '-m' else 'program'}", file=sys.stderr)
            return 2
        sys.argv = arguments[1:] if arguments[0] == "-m" else ["-c"] + arguments[2:]
        sys.path[0] = os.getcwd() if arguments[0] == "-m" else ""
        if arguments[0] == "-m":
            runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        else:
            program = sys.modules["__main__"] = types.ModuleType("__main__")
            exec(compile(arguments[1], "<string>", "exec"), program.__dict__)
        return 0
    if not os.path.exists(arguments[0]):
        print(f"caucus.alias: {arguments[0]}: there is no such program", file=sys.stderr)
        return 2
    sys.argv = arguments
    sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
    runpy.run_path(arguments[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
