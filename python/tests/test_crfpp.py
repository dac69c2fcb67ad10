"""caucus.crfpp and caucus.wapiti: the interfaces of the bindings of CRF++ and Wapiti."""

import doctest
import importlib
import itertools
import math
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import caucus
from caucus import crfpp, wapiti

TEMPLATE = "U00:%x[-1,0]\nU01:%x[0,0]\nU02:%x[0,1]\n\nB\n"
ROWS = [[("the", "DT"), ("old", "JJ"), ("cat", "NN"), ("sleeps", "VB")],
        [("a", "DT"), ("dog", "NN")], [("dogs", "NN"), ("bark", "VB")],
        [("the", "DT"), ("dog", "NN"), ("sees", "VB"), ("a", "DT"), ("cat", "NN")]]
LABELS = [["B", "I", "I", "O"], ["B", "I"], ["B", "O"], ["B", "I", "O", "B", "I"]]


class Tagger(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "model of CRF++")
        cls.model = caucus.train(ROWS, LABELS, template=TEMPLATE, l2=0.5, transitions="all")
        cls.model.save(cls.path)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def tagger(self, options=""):
        return crfpp.Tagger(f"-m '{self.path}' {options}")

    def parsed(self, options="", rows=ROWS[0]):
        tagger = self.tagger(options)
        for row in rows:
            self.assertIs(tagger.add("\t".join(row)), True)
        self.assertIs(tagger.parse(), True)
        return tagger

    def test_result(self):
        for rows in ROWS:
            tagger = self.parsed(rows=rows)
            labels = self.model.tag(rows)
            self.assertEqual([tagger.y2(i) for i in range(tagger.size())], labels)
            self.assertEqual([tagger.yname(tagger.y(i)) for i in range(tagger.size())], labels)
            self.assertEqual([tagger.yname(tagger.result(i)) for i in range(tagger.size())], labels)
            self.assertEqual([(tagger.x(i, 0), tagger.x(i, 1)) for i in range(tagger.size())], rows)
        self.assertEqual((tagger.xsize(), tagger.ysize(), tagger.size()), (2, 3, 5))
        self.assertEqual(sorted(map(tagger.yname, range(3))), ["B", "I", "O"])
        self.assertGreater(tagger.dsize(), 10)
        self.assertEqual(tagger.what(), "")

    def test_probabilities(self):
        tagger = self.parsed("-v 3 -n2")
        expected = self.model.marginals(ROWS[0])
        for i, token in enumerate(expected):
            for j in range(3):
                self.assertAlmostEqual(tagger.prob(i, j), token[tagger.yname(j)])
            self.assertAlmostEqual(tagger.prob(i), token[tagger.y2(i)])
        self.assertAlmostEqual(tagger.prob(), self.model.probability(ROWS[0], self.model.tag(ROWS[0])),
                               places=6)

    def test_nbest_goes_through_all_labellings(self):
        tagger = self.parsed("-n 2", ROWS[2])
        found = []
        while tagger.next():
            found.append(((tagger.y2(0), tagger.y2(1)), tagger.prob()))
        self.assertEqual(sorted(y for y, _ in found), sorted(itertools.product("BIO", repeat=2)))
        self.assertTrue(math.isclose(sum(p for _, p in found), 1, rel_tol=1e-6))
        self.assertEqual([p for _, p in found], sorted((p for _, p in found), reverse=True))
        self.assertEqual(list(found[0][0]), self.model.tag(ROWS[2]))
        for y, p in found:
            self.assertAlmostEqual(self.model.probability(ROWS[2], list(y)), p, places=6)

    def test_text(self):
        text = "\n".join("\t".join(row) for row in ROWS[1])
        self.assertEqual(self.tagger().parse(text + "\n\nmore NN\n"), "a\tDT\tB\ndog\tNN\tI\n\n")
        lines = self.tagger("-v1").parse(text).split("\n")
        self.assertRegex(lines[0], r"^# 0\.\d{6}$")
        self.assertRegex(lines[1], r"^a\tDT\tB/0\.\d{6}$")
        lines = self.tagger("-v 2").parse(text).split("\n")
        self.assertRegex(lines[2], r"^dog\tNN\tI/0\.\d{6}(\t[BIO]/0\.\d{6}){3}$")
        lines = self.tagger("--nbest=2").parse(text).split("\n")
        self.assertEqual([line[:4] for line in lines if line.startswith("#")], ["# 0 ", "# 1 "])

    def test_other_columns(self):
        tagger = self.tagger()
        tagger.add("a DT I more")
        tagger.add("dog", "NN")
        tagger.add(["barks", "VB"])
        tagger.parse()
        self.assertEqual([tagger.y2(i) for i in range(3)], ["B", "I", "O"])
        self.assertEqual((tagger.x(0, 3), tagger.yname(tagger.answer(0))), ("more", "I"))

    def test_sequence_after_sequence(self):
        tagger = self.tagger()
        self.assertTrue(tagger.empty())
        self.assertTrue(tagger.parse())
        tagger.add("a DT")
        tagger.parse()
        tagger.add("dog NN")
        with self.assertRaisesRegex(RuntimeError, "call parse first"):
            tagger.y2(0)
        tagger.parse()
        self.assertEqual(tagger.y2(1), "I")
        tagger.clear()
        self.assertEqual((tagger.size(), tagger.empty()), (0, True))

    def test_shared_model(self):
        model = crfpp.Model(f"-m '{self.path}' -n 3 -v 1")
        one, two = model.createTagger(), model.createTagger()
        self.assertEqual((one.nbest(), one.vlevel()), (3, 1))
        one.add("a DT")
        self.assertEqual(two.size(), 0)
        two.set_nbest(0)
        two.set_vlevel(0)
        self.assertTrue(two.set_model(model))
        self.assertEqual(two.parse("a DT"), "a\tDT\tB\n\n")

    def test_refused(self):
        for options in ("", "-m nothing", "-x 1", "-m", f"-m '{self.path}' -v x", f"-m {__file__}"):
            with self.assertRaises(RuntimeError):
                crfpp.Tagger(options)
        with self.assertRaisesRegex(RuntimeError, "1 columns, but the model takes 2"):
            self.tagger().add("word")
        with self.assertRaises(NotImplementedError):
            self.tagger("-c 2")
        for name in ("Z", "alpha", "set_penalty"):
            with self.assertRaisesRegex(NotImplementedError, name):
                getattr(self.tagger(), name)()
        path = os.path.join(self.folder.name, "other")
        for model in (caucus.train(["a", "b"], ["x", "y"]),
                      caucus.train([[["a"], ["b"]]], [["x", "y"]])):
            model.save(path)
            with self.assertRaisesRegex(RuntimeError, "no template"):
                crfpp.Model("-m " + path)


class Wapiti(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = lambda name: os.path.join(folder.name, name)
        self.sequences = ["\n".join(" ".join(row + (y,)) for row, y in zip(rows, labels))
                          for rows, labels in zip(ROWS, LABELS)]

    def train(self, **options):
        model = wapiti.Model(patterns=TEMPLATE.replace("B\n", "b\n"), **options)
        model.train(self.sequences)
        return model

    def test_label(self):
        model = self.train(rho1=0, rho2=0.5, nthread=1)
        own = caucus.train(ROWS, LABELS, template=TEMPLATE, states="all", solver="lbfgs", l2=0.5)
        for rows in ROWS:
            text = "\n".join(" ".join(row) for row in rows)
            labels = own.tag(rows)
            self.assertEqual(model.label_sequence(text).decode().split(), labels)
            self.assertEqual(model.label_sequence(text.encode(), True).decode(),
                             "".join(f"{' '.join(row)}\t{y}\n" for row, y in zip(rows, labels)))
        self.assertEqual(model.label_sequence("a DT\n\ndog NN more"), b"B\nI\n")
        with self.assertRaises(ValueError):
            model.label_sequence("a")
        self.assertEqual(model.label_sequence(""), b"")

    def test_options(self):
        for options in ({"algo": "sgd-l1", "maxiter": 20}, {"algo": "rprop", "rho1": 0.01}, {"type": "memm"},
                        {"nbest": 2, "rho1": 0.01}, {"maxiter": 3}):
            self.assertEqual(self.train(**options).label_sequence("a DT\ndog NN"), b"B\nI\n", options)
        self.assertEqual(self.train(check=True).label_sequence("a DT x\ndog NN x"), b"B\nI\n")
        for options, kind in (({"algo": "cg"}, ValueError), ({"type": "maxent"}, ValueError),
                              ({"rstate": "x"}, ValueError), ({"nothing": 1}, TypeError)):
            with self.assertRaises(kind):
                self.train(**options)

    def test_files(self):
        with open(self.path("patterns"), "w", encoding="utf-8") as file:
            file.write("# words\n" + TEMPLATE.replace("x[0,0]", "x[0,0]  # this one"))
        with open(self.path("dev"), "w", encoding="utf-8") as file:
            file.write("\n\n".join(self.sequences) + "\n")
        model = wapiti.Model(pattern=self.path("patterns"), devel=self.path("dev"))
        for sequence in self.sequences:
            model.add_training_sequence(sequence.encode())
        model.train()
        model.save(self.path("model"))
        with open(self.path("model"), "rb") as file:
            self.assertEqual(file.read(5), b"#mdl#")
        copy = wapiti.Model(model=self.path("model"))
        text = "the DT\ncat NN\nbark VB"
        self.assertEqual(copy.label_sequence(text), model.label_sequence(text))
        with open(self.path("other"), "w") as file:
            copy.save(file)
        self.assertEqual(wapiti.Model(model=self.path("other").encode()).label_sequence(text),
                         model.label_sequence(text))

    def test_refused(self):
        caucus.train([[["a"], ["b"]]], [["x", "y"]]).save(self.path("features"))
        with self.assertRaisesRegex(ValueError, "no patterns"):
            wapiti.Model(model=self.path("features"))
        for call in (lambda: wapiti.Model().train(self.sequences), lambda: wapiti.Model("u\n").train(),
                     lambda: wapiti.Model("u\n").label_sequence("a"),
                     lambda: wapiti.Model("u\n").save(self.path("x")),
                     lambda: wapiti.Model("u\n").add_training_sequence("word")):
            with self.assertRaises(ValueError):
                call()
        with self.assertRaises(OSError):
            wapiti.Model(model=self.path("nothing"))

    def test_examples(self):
        for name in ("crfpp", "wapiti"):
            result = doctest.testmod(importlib.import_module("caucus." + name))
            self.assertEqual((result.failed, result.attempted > 0), (0, True), name)


class AgainstThePrograms(unittest.TestCase):
    """Models of the programs, with the output of the programs."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = lambda name: os.path.join(folder.name, name)
        kitchen = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "kitchen")
        for name, count in (("train", 60), ("test", 30)):
            with open(os.path.join(kitchen, name + ".txt"), encoding="utf-8") as file:
                blocks = file.read().strip("\n").split("\n\n")[:count]
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write("\n\n".join(blocks) + "\n\n")
        self.blocks = blocks

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def run_program(self, *command):
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    @unittest.skipUnless(shutil.which("crf_learn") and shutil.which("crf_test"), "crf_learn is missing")
    def test_crfpp(self):
        template = self.write("template", "U00:%x[-1,0]\nU01:%x[0,0]\nU02:%x[0,0]/%x[1,0]\nB\n")
        model = self.path("model")
        self.run_program("crf_learn", "-m", "30", template, self.path("train"), model)
        for options in ("-v0", "-v1", "-v2", "-n3", "-v2 -n2"):
            expected = self.run_program("crf_test", "-m", model, *options.split(), self.path("test"))
            tagger = crfpp.Tagger(f"-m {model} {options}")
            text = "".join(map(tagger.parse, self.blocks))
            number = re.compile(r"\b[01]\.\d{6}")  # the last digit may be rounded in another way
            self.assertEqual(number.sub("P", text), number.sub("P", expected), options)
            for a, b in zip(number.findall(text), number.findall(expected)):
                self.assertAlmostEqual(float(a), float(b), delta=2e-6)

    @unittest.skipUnless(shutil.which("wapiti"), "wapiti is missing")
    def test_wapiti(self):
        patterns = "U00:%x[-1,0]\nu01:%x[0,0]\n*\n"
        self.run_program("wapiti", "train", "-p", self.write("patterns", patterns), "-i", "20",
                         self.path("train"), self.path("theirs"))
        ours = wapiti.Model(patterns=patterns, maxiter=20)
        ours.train(self.blocks)
        ours.save(self.path("ours"))
        for name in ("theirs", "ours"):
            expected = self.run_program("wapiti", "label", "-m", self.path(name), self.path("test"))
            model = wapiti.Model(model=self.path(name))
            labelled = [model.label_sequence(block, True).decode() for block in self.blocks]
            self.assertEqual("\n".join(labelled).split(), expected.split(), name)


if __name__ == "__main__":
    unittest.main()
