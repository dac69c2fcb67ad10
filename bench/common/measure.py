"""Runs one process and says how long it took and how much memory."""

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
    """A process ended badly, or said what nobody understands."""


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(command, threads, stdout=None, memory=True, settings=None):
    """Runs a command to its end and returns a dictionary:

    wall    seconds
    peak    largest resident memory, MB (10^6 bytes)
    stderr  all of it
    output  of the process, if stdout is None; else it goes to that file
    lines   [(seconds since the start, line), ...] of both, as they came

    GNU time measures the memory, since the number that the system gives for a child of this
    process starts at the size of this process itself. With memory=False it is left out, and the
    millisecond that it takes. The settings are variables of its environment.
    """
    environment = dict(os.environ, LC_ALL="C.UTF-8", OMP_NUM_THREADS=str(threads),
                       OPENBLAS_NUM_THREADS=str(threads), MKL_NUM_THREADS=str(threads),
                       **(settings or {}))
    lines, said, heard = [], [], []

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
            listener = threading.Thread(target=listen, args=(process.stderr, said))
            listener.start()
            if not stdout:
                listen(process.stdout, heard)
            listener.join()
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.perf_counter() - start
            process.returncode = os.waitstatus_to_exitcode(status)
        stderr = "".join(said)
        if process.returncode != 0:
            raise Failed("%s ended with status %d: %s"
                         % (" ".join(command), process.returncode, stderr[-500:]))
        kilobytes = int(noted.read().split()[-1]) if wrapped else usage.ru_maxrss
    return {"wall": wall, "peak": kilobytes * 1024 / 1e6, "stderr": stderr,
            "output": "".join(heard), "lines": lines}


SHORT = 10  # seconds: what takes less is warmed up first, and runs at least so often
SHORT_RUNS = 5
REST = 3  # seconds at most: a machine that never rests becomes slower


def take_turns(jobs, runs, label, long):
    """{name: [result, ...]}: the jobs, {name: function}, one after the other in each round.

    A short job runs once more at first, which warms it up and does not count, and then at least
    SHORT_RUNS times; one that took more than long seconds is not repeated; all others run `runs`
    times. With runs = 1 each job runs just once. After each the machine rests, as long as the job
    took or REST seconds."""
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
    """What is started inside runs on one core."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def peer(python, script, threads, *arguments):
    """A Python script as a process; the JSON that it printed last is result["said"]."""
    result = run([python, script] + [str(a) for a in arguments], threads)
    result["said"] = json.loads(result["output"].splitlines()[-1])
    return result


def profile(command, threads, record):
    """Where the processor time of a command goes: [(function, percent), ...], at most eight;
    None without perf. The file record is perf's own and is left behind."""
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
    shares = {}  # by function; by library where there are no names
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
    """A median that remembers the least and the greatest of its runs."""

    def __new__(cls, values):
        self = super().__new__(cls, statistics.median(values))
        self.low, self.high = min(values), max(values)
        return self


def median(runs, *keys):
    """The median over runs of runs[i][key][key]..., as a Spread; None where there is none."""
    values = []
    for item in runs:
        for key in keys:
            item = item.get(key) if isinstance(item, dict) else None
        if item is not None:
            values.append(item)
    return Spread(values) if values else None
