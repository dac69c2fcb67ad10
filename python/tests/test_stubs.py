"""The type stubs agree with the package (mypy's stubtest), and a program that uses them passes mypy."""

import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

import caucus

CONFIG = "[mypy]\nignore_errors = True\n"  # of the modules without stubs, which are private

PROGRAM = """import caucus
model: caucus.Model = caucus.train([["a"]], [["X"]], l2=0.1)
score: float = caucus.evaluate(["a"], ["b"]).accuracy
pairs: list[tuple[list[str], float]] = model.nbest(["a"], 2)
"""


@unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is missing")
class Stubs(unittest.TestCase):
    def run_module(self, *arguments):
        package = os.path.dirname(os.path.dirname(os.path.abspath(caucus.__file__)))
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("mypy.ini", CONFIG), ("allowed", "caucus._errors._CLASSES\n"), ("program.py", PROGRAM),
                               ("wrong.py", PROGRAM.replace(": float", ": str"))):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            done = subprocess.run([sys.executable, "-m", *arguments], cwd=folder,
                                  env={**os.environ, "MYPYPATH": package, "PYTHONPATH": package},
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def test_stubs_agree(self):
        code, output = self.run_module("mypy.stubtest", "--mypy-config-file", "mypy.ini",
                                       "--ignore-missing-stub", "--allowlist", "allowed", "caucus")
        self.assertEqual(code, 0, output)

    def test_program(self):
        self.assertEqual(self.run_module("mypy", "--config-file=", "program.py")[0], 0)
        self.assertEqual(self.run_module("mypy", "--config-file=", "wrong.py")[0], 1)


if __name__ == "__main__":
    unittest.main()
