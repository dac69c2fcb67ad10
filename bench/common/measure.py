"""Runs processes and measures their time and memory."""

import contextlib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

GNU_TIME = shutil.which("time", path="/usr/bin:/bin")


class Failed(Exception):
    """A process failed, or its output was not understood."""


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(command, threads, stdout=None, memory=True, settings=None):
    """Runs a command to its end and returns a dictionary:

    wall    seconds
    peak    largest resident memory, MB (10^6 bytes)
    stderr  the text on standard error
    output  the text on standard output, unless it goes to the file stdout
    lines   [(seconds since the start, line), ...] of both, in order of time

    GNU time measures the memory, because the system's number for a child process starts at the size of this
    process. memory=False leaves GNU time out; it costs about a millisecond. The settings are environment
    variables.
    """
    environment = dict(os.environ, LC_ALL="C.UTF-8", OMP_NUM_THREADS=str(threads),
                       OPENBLAS_NUM_THREADS=str(threads), MKL_NUM_THREADS=str(threads),
                       **(settings or {}))
    lines, errors, outputs = [], [], []

    def listen(pipe, texts):
        for line in pipe:
            lines.append((time.perf_counter() - start, line))
            texts.append(line)

    wrapped = GNU_TIME and memory
    with tempfile.NamedTemporaryFile("r") as noted, contextlib.ExitStack() as stack:
        if wrapped:
            command = [GNU_TIME, "-f", "%M", "-o", noted.name] + command
        sink = stack.enter_context(open(stdout, "wb")) if stdout else subprocess.PIPE
        start = time.perf_counter()
        with subprocess.Popen(command, stdout=sink, stderr=subprocess.PIPE, env=environment,
                              text=True, errors="replace") as process:
            listener = threading.Thread(target=listen, args=(process.stderr, errors))
            listener.start()
            if not stdout:
                listen(process.stdout, outputs)
            listener.join()
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.perf_counter() - start
            process.returncode = os.waitstatus_to_exitcode(status)
        stderr = "".join(errors)
        if process.returncode != 0:
            raise Failed("%s ended with status %d: %s"
                         % (" ".join(command), process.returncode, stderr[-500:]))
        kilobytes = int(noted.read().split()[-1]) if wrapped else usage.ru_maxrss
    return {"wall": wall, "peak": kilobytes * 1024 / 1e6, "stderr": stderr,
            "output": "".join(outputs), "lines": lines}


SHORT = 10  # seconds; a shorter job has a warm-up run and at least SHORT_RUNS runs
SHORT_RUNS = 5
REST = 3  # seconds at most, because a machine under constant load becomes slower


def take_turns(jobs, runs, label, long):
    """Runs the jobs, {name: function}, one after the other in each round: {name: [result, ...]}.

    A short job has a warm-up run, which does not count, and then at least SHORT_RUNS runs; a job of more
    than `long` seconds is not repeated; all others run `runs` times. With runs = 1 each job runs once.
    After each job the machine rests for as long as the job took, at most REST seconds."""
    results, wanted = {name: [] for name in jobs}, dict.fromkeys(jobs, 1)
    turn = 0
    while any(len(results[name]) < wanted[name] for name in jobs):
        for name, job in jobs.items():
            if len(results[name]) >= wanted[name]:
                continue
            result = job()
            time.sleep(min(result["wall"], REST))
            result.pop("output", None)
            warming = turn == 0 and runs > 1 and result["wall"] <= min(SHORT, long)
            say("%-20s %-18s %9.3f s %8.0f MB%s" % (label, name, result["wall"], result["peak"],
                                                   "  (warm-up)" if warming else ""))
            if not warming:
                results[name].append(result)
            if turn == 0 and runs > 1:
                wanted[name] = (max(runs, SHORT_RUNS) if warming else
                                1 if result["wall"] > long else runs)
        turn += 1
    return results


@contextlib.contextmanager
def one_core():
    """Processes started in this context run on one core."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def peer(python, script, threads, *arguments):
    """Runs a Python script; the JSON on its last line of output is result["said"]."""
    result = run([python, script] + [str(a) for a in arguments], threads)
    result["said"] = json.loads(result["output"].splitlines()[-1])
    return result


def profile(command, threads, record):
    """The processor time of a command by function: [(function, percent), ...], at most eight; None without
    perf. The file `record` is perf's and is not removed."""
    perf = shutil.which("perf")
    if not perf:
        return None
    try:
        run([perf, "record", "-F", "499", "-o", record, "--"] + command, threads,
            stdout=os.devnull)
        report = run([perf, "report", "-i", record, "--stdio", "--no-children", "-F",
                      "overhead,dso,symbol"], threads)
    except Failed as failure:
        say("no profile: %s" % failure)
        return None
    shares = {}  # by function, or by library if it has no symbols
    for line in report["output"].splitlines():
        row = re.match(r"\s*([0-9.]+)%\s+(\S+)\s+\[(.)\]\s+(.*\S)", line)
        if row:
            share, library, where, symbol = row.groups()
            name = ("the kernel" if where == "k" else
                    library if symbol.startswith("0x") else symbol)
            shares[name] = shares.get(name, 0) + float(share)
    shares = sorted(shares.items(), key=lambda item: -item[1])
    return [item for item in shares[:8] if item[1] >= 1]


class Spread(float):
    """A median with the least and the greatest of its values."""

    def __new__(cls, values):
        self = super().__new__(cls, statistics.median(values))
        self.low, self.high = min(values), max(values)
        return self


def median(runs, *keys):
    """The median over runs of runs[i][key][key]..., as a Spread; None if no run has it."""
    values = []
    for item in runs:
        for key in keys:
            item = item.get(key) if isinstance(item, dict) else None
        if item is not None:
            values.append(item)
    return Spread(values) if values else None
