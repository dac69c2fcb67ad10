"""The cells of docs/tutorial.ipynb run, and their outputs are those in the file."""

import os
import re
import unittest

import json

from notebook import execute

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "tutorial.ipynb")


def texts(notebook):
    """The text of the outputs of each cell, its numbers with three digits: the last ones depend on the processor."""
    for cell in notebook["cells"]:
        found = []
        for output in cell.get("outputs", ()):
            lines = output.get("text") or output["data"]["text/plain"]
            found.append(re.sub(r"\d+\.\d+(e-?\d+)?", lambda m: f"{float(m[0]):.3g}", "".join(lines)))
        yield "".join(cell["source"]), found


class Notebook(unittest.TestCase):
    def test_outputs(self):
        with open(PATH, encoding="utf-8") as file:
            stored = list(texts(json.load(file)))
        self.assertGreater(sum(1 for _, outputs in stored if outputs), 10)
        for (source, expected), (_, found) in zip(stored, texts(execute(PATH))):
            with self.subTest(source):
                self.assertEqual(found, expected, "python/tests/notebook.py --write docs/tutorial.ipynb")


if __name__ == "__main__":
    unittest.main()
