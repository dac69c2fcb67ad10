"""caucus.alias: programs for other packages run on caucus."""

import os
import pickle
import subprocess
import sys
import tempfile
import textwrap
import unittest

import caucus

PROGRAM = textwrap.dedent("""
    import sys
    import pycrfsuite
    import sklearn_crfsuite
    from pycrfsuite._logparser import TrainLogParser
    from sklearn_crfsuite import CRF, metrics
    from sklearn_crfsuite.utils import flatten
    import helper

    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.append([["a"], ["b"]], ["x", "y"])
    trainer.train(sys.argv[1])
    with pycrfsuite.Tagger().open(sys.argv[1]) as tagger:
        print(tagger.tag([["b"], ["a"]]), __name__, pycrfsuite.__name__, helper.CRF is CRF)
    print(flatten([[1], [2]]), metrics.sequence_accuracy_score([[1]], [[1]]), sys.argv[2:])
""")


class Alias(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("program.py", PROGRAM)
        self.write("helper.py", "from sklearn_crfsuite import CRF\n")

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def run_alias(self, *arguments, cwd=None):
        package = os.path.dirname(os.path.dirname(os.path.abspath(caucus.__file__)))
        done = subprocess.run([sys.executable, "-m", "caucus.alias", *arguments], cwd=cwd,
                              env={**os.environ, "PYTHONPATH": package}, capture_output=True,
                              text=True)
        return done.returncode, done.stdout, done.stderr

    def test_program(self):
        model = os.path.join(self.folder, "model")
        expected = "['y', 'x'] __main__ caucus.pycrfsuite True\n[1, 2] 1.0 ['--flag', 'word']\n"
        for start, cwd in (([os.path.join(self.folder, "program.py")], None),
                           (["-m", "program"], self.folder)):
            code, out, err = self.run_alias(*start, model, "--flag", "word", cwd=cwd)
            self.assertEqual((code, out), (0, expected), err)

    def test_code(self):
        code, out, err = self.run_alias("-c", "import sys, CRFPP, wapiti; print(__name__, sys.argv, CRFPP.__name__)",
                                        "one")
        self.assertEqual((code, out), (0, "__main__ ['-c', 'one'] caucus.crfpp\n"), err)

    def test_exit_status_and_errors(self):
        self.assertEqual(self.run_alias("-c", "import sys; sys.exit(3)")[0], 3)
        code, _, err = self.run_alias("-c", "import pycrfsuite\n1 / 0")
        self.assertEqual(code, 1)
        self.assertIn("ZeroDivisionError", err)
        self.assertIn("no module named", self.run_alias("-c", "import pycrfsuite.nothing")[2].lower())
        code, _, err = self.run_alias("missing.py")
        self.assertEqual((code, err), (2, "caucus.alias: missing.py: there is no such program\n"))
        self.assertEqual(self.run_alias("-c")[0], 2)
        self.assertEqual(self.run_alias()[0], 2)
        self.assertIn("python -m caucus.alias", self.run_alias("--help")[1])

    def test_install_replaces_modules(self):
        program = ("import sys, types; sys.modules['pycrfsuite'] = types.ModuleType('pycrfsuite'); "
                   "import caucus.alias; caucus.alias.install(); caucus.alias.install(); "
                   "import pycrfsuite, caucus.pycrfsuite; print(pycrfsuite is caucus.pycrfsuite, "
                   "caucus.pycrfsuite.__spec__.name)")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual(done.stdout, "True caucus.pycrfsuite\n", done.stderr)

    def test_pickles_of_the_original(self):
        """A pickle with the names of sklearn-crfsuite loads under its alias."""
        from caucus.sklearn_crfsuite import CRF

        data = pickle.dumps(CRF().fit([[["a"], ["b"]]], [["x", "y"]]), protocol=0)
        data = data.replace(b"caucus.sklearn_crfsuite", b"sklearn_crfsuite")
        data = data.replace(b"caucus.pycrfsuite", b"pycrfsuite")
        self.assertNotIn(b"caucus", data)
        with open(os.path.join(self.folder, "pickle"), "wb") as file:
            file.write(data)
        program = f"import pickle; print(pickle.load(open({file.name!r}, 'rb')).predict([[['b'], ['a']]]))"
        code, out, err = self.run_alias("-c", program)
        self.assertEqual((code, out), (0, "[['y', 'x']]\n"), err)


if __name__ == "__main__":
    unittest.main()
