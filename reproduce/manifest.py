"""manifest.py - a reproduction as a description, runs and a page. docs/reproducing.md is the manual.

reproduce/PAPER/paper.json   describes the data with checksums, the runs, and the paper's claims
reproduce/PAPER/run          has a function for each kind of run and for each section of the page
reproduce/PAPER/results/     one JSON file for each run; the page is made from these and the description alone
build/reproduce/PAPER/       models and tagged files; an interrupted run continues from them

A run script:

    paper = Paper(__file__)

    @paper.kind("tagger")                   # does the runs with "kind": "tagger"
    def tagger(run):
        model, info = run.train("model", run.write("train", run.read("conll2000-chunk/train.txt.xz")), "--l2", run["l2"])
        ...
        return {"f1": 93.5, "effects": {"l2 vs none": {"value": .4, "low": .1, "high": .7, "p": .003}}}

    @paper.findings                         # the first lines of the page, from the results and the claims
    def findings(results, tell):
        return [tell("pair: l2 vs none", "a penalty", "none")]

    @paper.section("Table 1", "tagger-*")   # a section of the page, from the results of these runs
    def table_1(results):
        return table(["", "F1"], [[name, one["f1"]] for name, one in results.items()])

    paper.main()

An effect is a measured quantity with its 95% interval and two-sided p-value (null if it has no test).
"""

import argparse
import fnmatch
import glob
import hashlib
import itertools
import json
import lzma
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

import common
from common import DATA, PROGRAM, ROOT, p_value, say, table, write


def digest(thing):
    """The first 16 hexadecimal digits of the SHA-256 of a value that JSON can write."""
    return hashlib.sha256(json.dumps(thing, sort_keys=True).encode()).hexdigest()[:16]


def checksum(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def program_commit():
    """The last commit that changed the program; with "+" if the working tree differs from it."""
    def git(*arguments):
        sources = ("src", "include", "cmake", "CMakeLists.txt", ":(exclude)src/*_test.c")
        done = subprocess.run(["git", "-C", ROOT, *arguments, "--", *sources], capture_output=True, text=True)
        return done.stdout.strip()
    return (git("log", "-1", "--format=%h", "--abbrev=10") or "unknown") + ("+" if git("diff", "HEAD", "--name-only")
                                                                           else "")


def rounded(value):
    """The value with six significant digits in every number."""
    if isinstance(value, float):
        return float("%.6g" % value) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): rounded(one) for key, one in value.items()}
    return [rounded(one) for one in value] if isinstance(value, (list, tuple)) else value


def differences(one, other, where=""):
    """The places where two results differ, apart from seconds."""
    if isinstance(one, dict) and isinstance(other, dict):
        return [place for key in sorted({*one, *other}) if not key.startswith("seconds")
                for place in differences(one.get(key), other.get(key), where + "/" + key)]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [place for i, pair in enumerate(zip(one, other)) for place in differences(*pair, "%s/%d" % (where, i))]
    return [] if one == other else [where]


def essence(record):
    """What the results of a run depend on, whatever its name and paper."""
    options = {key: value for key, value in record["options"].items() if key not in ("name", "entry")}
    return digest([options, record["data"]])


# ---- statistics

def holm(values):
    """p-values corrected for their number by Holm's method."""
    corrected, largest = [0] * len(values), 0
    for rank, i in enumerate(sorted(range(len(values)), key=lambda i: values[i])):
        largest = max(largest, min(1, (len(values) - rank) * values[i]))
        corrected[i] = largest
    return corrected


def t_tail(t, df):
    """P(|T| > t) of Student's distribution: Simpson's rule for the density, in x = sqrt(df) tan(angle)."""
    steps, end = 2000, math.atan(abs(t) / math.sqrt(df))
    total = sum((1 if i in (0, steps) else 4 if i % 2 else 2) * math.cos(end * i / steps) ** (df - 1)
                for i in range(steps + 1)) * end / steps / 3
    scale = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(math.pi)
    return max(0.0, 1 - 2 * scale * total)


def t_effect(values, against=0):
    """The effect of independent values (one for each seed, say): mean, 95% interval and p of the t-test of
    mean = against."""
    n, mean = len(values), statistics.mean(values)
    if n < 2:
        return {"value": mean, "low": None, "high": None, "p": None, "n": n}
    error = statistics.stdev(values) / math.sqrt(n)
    low, high = 0, 1000
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if t_tail(middle, n - 1) > .05 else (low, middle)
    p = t_tail((mean - against) / error, n - 1) if error else float(mean == against)
    return {"value": mean, "low": mean - low * error, "high": mean + low * error, "p": p, "n": n}


def shown_effect(effect, form="%+.2f"):
    """+0.42 [+0.10, +0.70]"""
    if effect["low"] is None:
        return form % effect["value"]
    return "%s [%s, %s]" % tuple(form % effect[key] for key in ("value", "low", "high"))


# ---- a run

class Run:
    """What a function of a kind gets: the options by name, as in run["l2"], the data, a folder, and the program."""

    def __init__(self, paper, name, options):
        self.paper, self.name, self.options = paper, name, options
        self.folder = os.path.join(paper.cache, name)
        self.commands, self.seconds = [], 0.0

    def __getitem__(self, option):
        return self.options[option]

    def get(self, option, default=None):
        return self.options.get(option, default)

    def path(self, name):
        return os.path.join(self.folder, name)

    def data(self, name):
        """The path of a file of the corpora, whose name may lack .xz. Its checksum must be that of the description."""
        if name + ".xz" in self.paper.data_of(self.options):
            name += ".xz"
        if name not in self.paper.data_of(self.options):
            sys.exit("reproduce: run %s reads %s, which its \"data\" does not name; add it" % (self.name, name))
        path = os.path.join(DATA, name)
        if not os.path.exists(path):
            sys.exit("reproduce: no file %s; set CAUCUS_DATA to the folder of the corpora" % path)
        if checksum(path) != self.paper.description["data"][name]:
            sys.exit("reproduce: %s is not the file that %s describes; restore it, or write its checksum there with "
                     "--checksums" % (path, self.paper.source))
        return path

    def read(self, name):
        """The text of a file of the corpora."""
        path = self.data(name)
        with lzma.open(path, "rt", encoding="utf-8") if path.endswith(".xz") else open(path, encoding="utf-8") as f:
            return f.read()

    def write(self, name, text):
        """Writes a file of the run. If its text changes, all that the run made before is made again."""
        path = self.path(name)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                if f.read() == text:
                    return path
            for stamp in glob.glob(self.path("*.made")):
                os.remove(stamp)
        return write(path, text)

    def result(self, name):
        """The results of another run, which this run's "needs" names."""
        record = self.paper.record(name) if name in self.paper.needed(self.options) else None
        if not record:
            sys.exit("reproduce: run %s uses %s, which is not done or not in its \"needs\"" % (self.name, name))
        return record["results"]

    def record(self, arguments):
        """Records a command without the folders of this machine."""
        command = " ".join(["caucus", *map(str, arguments)])
        for folder, shown in ((self.folder, ""), (self.paper.cache, ""), (DATA, "DATA/")):
            command = command.replace(folder + "/", shown)
        self.commands.append(command)

    def caucus(self, *arguments, into=None, log=True):
        """Runs the program and returns its standard output, or writes it to the file `into`. Its seconds count. The
        command is recorded if `log` is true; leave it out where many commands differ in one number only. Files of
        this run are recorded by their names, files of another run as RUN/NAME, the corpora as DATA/NAME."""
        if log:
            self.record(arguments)
        begin = time.time()
        text = common.caucus(*arguments, into=into)
        self.seconds += time.time() - begin
        return text

    def make(self, name, *arguments, stdout=False):
        """The path of the file `name`, which this command writes (on standard output if `stdout`). The command does
        not run again if the file was made by the same command, program and input files."""
        path, before = self.path(name), self.seconds
        stamp = digest([self.paper.program] + [checksum(a) if os.path.isfile(a) and a != path else a
                                               for a in map(str, arguments)])
        if os.path.exists(path + ".made"):
            with open(path + ".made", encoding="utf-8") as f:
                made = json.load(f)
            if made["stamp"] == stamp:
                self.commands.append(made["command"])
                self.seconds += made["seconds"]
                return path
        self.caucus(*arguments, into=path if stdout else None)
        write(path + ".made", json.dumps({"stamp": stamp, "seconds": self.seconds - before,
                                          "command": self.commands[-1]}))
        return path

    def train(self, name, data, *options):
        """Trains: the path of the model and its info (see caucus inspect --json), with the seconds of training."""
        begin = self.seconds
        model = self.make(name + ".cau", "train", "-q", *options, "-o", self.path(name + ".cau"), data)
        seconds = self.seconds - begin
        info = json.loads(common.caucus("inspect", "--json", "--top", 1, model))["info"]
        say("    %-30s %7.1f s  %s weights" % (name, seconds, info.get("nonzero", "")))
        return model, {**info, "seconds": seconds}

    def recombined(self, name, model, *how):
        """The path of a pool with the same experts and alphas as `model`, combined in another way: the values of
        --combine, --per and --mix."""
        dump = self.make("dump", "inspect", "--dump", model, stdout=True)
        with open(dump, encoding="utf-8") as f:
            lines = f.read().split("\n")
        at = next(i for i, line in enumerate(lines) if line.startswith("pool\t"))
        lines[at] = "\t".join(["pool", *how, *lines[at].split("\t")[4:]])
        text = self.path(name + ".dump")
        with open(text, "w", encoding="utf-8") as f:
            f.write("\n".join(lines))
        other = self.make(name + ".cau", "convert", text, self.path(name + ".cau"))
        os.remove(text)
        return other

    def tag(self, name, model, data, *options):
        """Tags: the path of the tagged file."""
        return self.make(name + ".tagged", "tag", "-q", "-m", model, *options, data, stdout=True)

    def score(self, tagged, *options):
        """The report of eval."""
        return json.loads(self.caucus("eval", "--json", *options, tagged))

    def f1(self, tagged, *options):
        """F1, precision and recall of chunks in percent."""
        micro = self.score(tagged, *options)["chunks"]["micro"]
        return {key: 100 * micro[key] for key in ("f1", "precision", "recall")}

    def compare(self, systems, *options):
        """{name: tagged file} to the scores with 95% intervals of all systems, and the effects "second vs first" of
        all pairs, in percent: p is that of approximate randomisation, holm and mcnemar_holm are corrected over the
        pairs."""
        names = list(systems)
        others = [x for name in names[1:] for x in ("--against", systems[name])]
        report = json.loads(self.caucus("eval", "--json", *options, *others, systems[names[0]]))["comparison"]
        scores = {name: {"score": 100 * one["score"], "low": 100 * one["interval"][0],
                         "high": 100 * one["interval"][1]} for name, one in zip(names, report["systems"])}
        effects = {}
        for pair in report["pairs"]:
            corrected = pair.get("holm") or pair["p"]
            effects["%s vs %s" % (names[pair["second"]], names[pair["first"]])] = {
                "value": 100 * pair["difference"], "low": 100 * pair["interval"][0], "high": 100 * pair["interval"][1],
                "p": pair["p"]["randomisation"], "holm": corrected["randomisation"], "mcnemar": pair["p"]["mcnemar"],
                "mcnemar_holm": corrected["mcnemar"]}
        return scores, effects


def reversed_effect(effect):
    low, high = effect["low"], effect["high"]
    return {**effect, "value": 0 - effect["value"], "low": None if high is None else 0 - high,
            "high": None if low is None else 0 - low}


# ---- a paper

class Paper:
    def __init__(self, script):
        self.folder = os.path.dirname(os.path.abspath(script))
        self.name = os.path.basename(self.folder)
        self.source = os.path.relpath(os.path.join(self.folder, "paper.json"), ROOT)
        with open(os.path.join(self.folder, "paper.json"), encoding="utf-8") as f:
            self.description = json.load(f)
        self.page_path = os.path.normpath(os.path.join(
            self.folder, self.description.get("page", "../../docs/results-%s.md" % self.name)))
        self.cache = os.path.join(os.environ.get("CAUCUS_CACHE") or os.path.join(ROOT, "build", "reproduce"), self.name)
        self.kinds, self.sections, self.effects_of, self.findings_of = {}, [], lambda results: {}, lambda results, tell: []
        self.runs = self.expand()

    # Decorators of the functions in a run script.

    def kind(self, name):
        """The function that does the runs of this kind: from a Run to its results."""
        def add(function):
            self.kinds[name] = function
            return function
        return add

    def section(self, title, *patterns):
        """A function that writes a section: from {run: results} of the runs that match to Markdown."""
        def add(function):
            self.sections.append((title, patterns, function))
            return function
        return add

    def effects(self, function):
        """The function that computes effects from the results of several runs: from {run: results} of the runs
        done so far to {name: effect}."""
        self.effects_of = function
        return function

    def findings(self, function):
        """Registers the function that returns the first lines of the page. A line that is None is left out. Its second
        argument is `tell`, below."""
        self.findings_of = function
        return function

    # The description.

    def expand(self):
        """{name: options} of all runs: an entry with "each" stands for a run for each combination of its values."""
        runs = {}
        for entry in self.description["runs"]:
            each = entry.get("each", {})
            for values in itertools.product(*each.values()):
                options = {**self.description.get("settings", {}), **entry, **dict(zip(each, values))}
                options.pop("each", None)
                options["entry"] = entry["name"]
                options["name"] = entry["name"].format(**options)
                if options["name"] in runs:
                    sys.exit("reproduce: %s: two runs are called %s; name what differs" % (self.source, options["name"]))
                runs[options["name"]] = options
        return runs

    def data_of(self, options):
        return [name for name in self.description.get("data", {})
                if any(fnmatch.fnmatch(name, glob) for glob in options.get("data", []))]

    def needed(self, options):
        return [name for name in self.runs for pattern in options.get("needs", []) if fnmatch.fnmatch(name, pattern)]

    def key(self, name):
        """What the results of a run depend on: its options, its data, and the runs that it needs."""
        options = self.runs[name]
        return digest([options, {file: self.description["data"][file] for file in self.data_of(options)},
                       [self.key(other) for other in self.needed(options)]])

    # The results.

    def file(self, name):
        return os.path.join(self.folder, "results", name + ".json")

    def record(self, name):
        """The JSON of a run, or None if there is none for the present description."""
        if not os.path.exists(self.file(name)):
            return None
        with open(self.file(name), encoding="utf-8") as f:
            record = json.load(f)
        return record if record["key"] == self.key(name) else None

    def results(self):
        records = {name: self.record(name) for name in self.runs}
        return {name: record["results"] for name, record in records.items() if record}

    def perform(self, name):
        """Does a run and returns its JSON."""
        say("%s: %s" % (self.name, name))
        options = self.runs[name]
        run = Run(self, name, options)
        os.makedirs(run.folder, exist_ok=True)
        for file in self.data_of(options):
            run.data(file)
        commit, results = program_commit(), self.kinds[options["kind"]](run)
        return rounded({"run": name, "key": self.key(name), "options": options, "commit": commit,
                        "data": {file: self.description["data"][file] for file in self.data_of(options)},
                        "commands": run.commands, "seconds": run.seconds, "results": results})

    def of_another(self, name):
        """The JSON of a run of another paper that has the same options and data, under the name of this run; or None."""
        options = self.runs[name]
        own = {"run": name, "key": self.key(name), "options": options,
               "data": {file: self.description["data"][file] for file in self.data_of(options)}}
        for path in sorted(glob.glob(os.path.join(os.path.dirname(self.folder), "*", "results", "*.json"))):
            paper = os.path.basename(os.path.dirname(os.path.dirname(path)))
            if paper == self.name:
                continue
            with open(path, encoding="utf-8") as f:
                record = json.load(f)
            if essence(record) == essence(own):
                say("%s: %s is %s of %s" % (self.name, name, record["run"], paper))
                return {**record, **own, "taken": record.get("taken") or "%s: %s" % (paper, record["run"])}
        return None

    def save(self, record):
        path = self.file(record["run"])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write(path + ".new", json.dumps(record, indent=1, sort_keys=True) + "\n")
        os.replace(path + ".new", path)

    def verify(self, name):
        """Repeats a run from nothing and notes in its JSON where the results of the present program differ."""
        record, cache = self.record(name), self.cache
        with tempfile.TemporaryDirectory() as self.cache:
            again = self.perform(name)
        self.cache = cache
        found = differences(record["results"], json.loads(json.dumps(again["results"])))
        record["repeated"] = {"commit": again["commit"], "differences": found}
        self.save(record)
        say("    " + ("the same by %s and %s" % (record["commit"], again["commit"]) if not found else
                      "other values by %s than by %s: %s" % (again["commit"], record["commit"], ", ".join(found))))

    # The page.

    def effects_known(self):
        """{name: effect} of all runs and of several together."""
        results = self.results()
        effects = dict(self.effects_of(results))
        for name, one in results.items():
            for key, effect in (one.get("effects") or {}).items() if isinstance(one, dict) else ():
                effects["%s: %s" % (name, key)] = effect
        return effects

    def claims(self):
        """Each claim with its effect, corrected p-value and verdict."""
        effects, judged = self.effects_known(), []
        for claim in self.description.get("claims", []):
            judged.append({**claim, "measured": effect_of(effects, claim.get("effect", ""))})
        for where in {claim["table"] for claim in judged}:
            tested = [c for c in judged if c["table"] == where and c["measured"] and c["measured"].get("p") is not None]
            for claim, p in zip(tested, holm([c["measured"]["p"] for c in tested])):
                claim["p"] = p
        for claim in judged:
            claim["verdict"] = verdict(claim)
        return judged

    def teller(self, claims):
        """tell(NAME, FIRST, SECOND): a phrase about the effect of a claim, such as "FIRST against SECOND: better, +0.42
        [+0.10, +0.70], p = 0.003"; or worse, or no significant difference. None if it is not run yet. Higher values
        are taken as better."""
        def tell(name, first, second, form="%+.2f"):
            claim = next((c for c in claims if c.get("effect") == name), None)
            if not claim:
                sys.exit("reproduce: %s: no claim has the effect %s" % (self.source, name))
            if not claim["measured"]:
                return None
            effect = claim["measured"]
            numbers = shown_effect(effect, form) + (", p %s" % said_p(claim["p"]) if "p" in claim else "")
            found = ("no significant difference" if not differs(claim) else
                     "better" if effect["value"] > claim.get("than", 0) else "worse")
            return "%s against %s: %s, %s" % (first, second, found, numbers)
        return tell

    def page(self):
        """The page, from the description and the results alone."""
        claims, results = self.claims(), self.results()
        count = [(word, sum(c["verdict"] == word for c in claims))
                 for word in ("met", "not met", "not testable", "not run yet")]
        records = {name: self.record(name) for name in results}
        commits = sorted({record["commit"] for record in records.values()})
        found = [line for line in self.findings_of(results, self.teller(claims)) if line]
        parts = ["# " + self.description["title"],
                 "\n".join("- %s%s" % (line[0].upper() + line[1:], "" if line[-1] == "." else ".") for line in found),
                 ("Intervals are of 95%; p-values are two-sided and corrected as in the table of claims. " if found else "")
                 + "Made by `reproduce/%s/run` from `%s` and the results beside it; see [reproducing.md](reproducing.md). "
                 % (self.name, self.source)
                 + ("The runs are of %d versions of the program: commits %s." % (len(commits), ", ".join(commits))
                    if len(commits) > 1 else "All runs are of commit %s." % "".join(commits) if commits else "")
                 + repetitions(records.values()),
                 "## What is compared", self.description["opening"],
                 "## %s: %s" % (self.description.get("claims_title", "Claims of the paper"),
                                ", ".join("%d %s" % (n, word) for word, n in count if n)),
                 table(["", "claim", "published", "measured, 95% interval", "p (Holm)", "verdict"],
                       [[c["table"], c["claim"], c.get("published", ""),
                         shown_effect(c["measured"], c.get("form", "%+.2f")) if c["measured"] else "",
                         p_value(c["p"]) if "p" in c else "",
                         "**%s**" % c["verdict"] + (": " + c["why"] if "why" in c else "")] for c in claims]),
                 "p-values are two-sided and corrected by Holm's method over the claims of the same table. A claim that "
                 "something is better is met if it is significantly so (p < .05, or the interval if there is no test); a "
                 "claim that two are equal is met if their difference is not significant."]
        if "coverage" in self.description:
            parts += ["## Coverage", table(["in the paper", "here", "how"], self.description["coverage"])]
        for title, patterns, function in self.sections:
            names = [n for n in self.runs if any(fnmatch.fnmatch(n, pattern) for pattern in patterns)]
            missing = [name for name in names if name not in results]
            parts.append("## " + title)
            if missing:
                parts.append("Not run yet: %s." % ", ".join(missing[:8] + ["..."] * (len(missing) > 8)))
            else:
                parts.append(function({name: results[name] for name in names}).strip())
        rows = []
        for entry in dict.fromkeys(entry["name"] for entry in self.description["runs"]):
            names = [name for name, options in self.runs.items() if options["entry"] == entry]
            done = [records[name] for name in names if name in records]
            rows.append([entry, "%d of %d" % (len(done), len(names)), "%.0f" % sum(r["seconds"] for r in done),
                         ", ".join(sorted({r["commit"] for r in done})), sum("repeated" in r for r in done) or "",
                         sum("taken" in r for r in done) or ""])
        used = sorted({file for record in records.values() for file in record["data"]})
        parts += ["## The runs", table(["run", "done", "seconds", "commit", "repeated", "of another page"], rows),
                  "Seconds are those of the commands, on one thread of a machine that did other work as well. A run of another "
                  "page with the same options and data is not repeated."]
        if used:
            parts.append("Data (SHA-256): " + "; ".join("%s %s" % (file, self.description["data"][file][:12])
                                                        for file in used) + ".")
        return "\n\n".join(part for part in parts if part) + "\n"

    def figure(self, name):
        """The path of a figure beside the page."""
        return common.figure(self.page_path, name)

    def check(self):
        """What does not belong together: a list of complaints."""
        common.stale = found = []
        page = self.page()
        committed = ""
        if os.path.exists(self.page_path):
            with open(self.page_path, encoding="utf-8") as f:
                committed = f.read()
        if page != committed:
            found.append("%s is not the page of these results" % os.path.relpath(self.page_path, ROOT))
        for path in glob.glob(os.path.join(self.folder, "results", "*.json")):
            name, shown = os.path.basename(path)[:-5], os.path.relpath(path, ROOT)
            if name not in self.runs:
                found.append("%s belongs to no run; delete it" % shown)
                continue
            with open(path, encoding="utf-8") as f:
                if re.search('"caucus [^"]* /', f.read()):
                    found.append("%s names a folder of one machine; repeat its run with --again" % shown)
        return found

    # The command line.

    def main(self):
        arguments = argparse.ArgumentParser(
            description="Does the runs of %s that are missing, and writes %s."
                        % (self.source, os.path.relpath(self.page_path, ROOT)))
        arguments.add_argument("--only", metavar="GLOBS", default="*", help="these runs, as in 'ner,figure-*'")
        arguments.add_argument("--again", action="store_true", help="repeat runs that are done")
        arguments.add_argument("--outdated", action="store_true", help="repeat runs of another version of the program")
        arguments.add_argument("--verify", action="store_true",
                               help="repeat runs that are done, and note whether their results are the same")
        arguments.add_argument("--list", action="store_true", help="list the runs and stop")
        arguments.add_argument("--page", action="store_true", help="write the page and stop")
        arguments.add_argument("--check", action="store_true", help="fail if the page does not belong to the results")
        arguments.add_argument("--checksums", action="store_true", help="write the checksums of the data, and stop")
        options = arguments.parse_args()
        chosen = [n for n in self.runs if any(fnmatch.fnmatch(n, g) for g in options.only.split(","))]
        if options.check:
            found = self.check()
            sys.exit("".join("reproduce: %s; run reproduce/%s/run\n" % (one, self.name) for one in found)[:-1] or 0)
        if options.checksums:
            path = os.path.join(self.folder, "paper.json")
            with open(path, encoding="utf-8") as f:
                text = f.read()
            for name in self.description["data"]:
                text = re.sub('("%s": *)"[^"]*"' % re.escape(name), r'\g<1>"%s"' % checksum(os.path.join(DATA, name)), text)
            write(path, text)
            return
        if options.list:
            records = [(name, self.record(name)) for name in chosen]
            try:
                print("\n".join("%-40s %s" % (name, "%s, %.0f s" % (record["commit"], record["seconds"]) if record else "-")
                                for name, record in records), flush=True)
            except BrokenPipeError:  # as with | head
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return
        self.program = "" if options.page else checksum(PROGRAM)
        try:
            for name in [] if options.page else chosen:
                record = self.record(name)
                if options.verify:
                    if record:
                        self.verify(name)
                elif not record or options.again or options.outdated and record["commit"] != program_commit():
                    self.save(not record and self.of_another(name) or self.perform(name))
        except KeyboardInterrupt:
            sys.exit("reproduce: interrupted; the same command continues")
        finally:
            write(self.page_path, self.page())


def repetitions(records):
    """A sentence about the runs that --verify has repeated."""
    found = [record for record in records if "repeated" in record]
    if not found:
        return ""
    other = [record["run"] for record in found if record["repeated"]["differences"]]
    return " %s repeated with commit %s (`--verify`): %s." % (
        "One run was" if len(found) == 1 else "%d runs were" % len(found), ", ".join(sorted({record["repeated"]["commit"] for record in found})),
        "numbers of %s differ" % ", ".join(other) if other else "all numbers but the seconds are the same")


def effect_of(effects, name):
    """The effect of this name, or of the name with its two sides reversed; None if there is neither."""
    turned = re.sub(r"(.*: )?(.*) vs (.*)", lambda m: "%s%s vs %s" % (m[1] or "", m[3], m[2]), name)
    return effects.get(name) or (reversed_effect(effects[turned]) if turned in effects else None)


def said_p(p):
    return p_value(p) if p < .001 else "= " + p_value(p)


def differs(claim):
    """Whether the effect of a claim differs significantly from `than` or 0: by its test, or by its interval."""
    if "p" in claim:
        return claim["p"] < .05
    effect = claim["measured"]
    return effect["low"] is None or not effect["low"] <= claim.get("than", 0) <= effect["high"]


def verdict(claim):
    """met, not met, not testable or not run yet. "wants" is above, below or equal, of the value "than" or 0."""
    effect, than = claim["measured"], claim.get("than", 0)
    if "effect" not in claim:
        return "not testable"
    if not effect:
        return "not run yet"
    if claim["wants"] == "equal":
        return "not met" if differs(claim) else "met"
    better = effect["value"] > than if claim["wants"] == "above" else effect["value"] < than
    return "met" if differs(claim) and better else "not met"
