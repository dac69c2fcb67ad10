"""Runs one process and says how long it took and how much memory."""

import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time

GNU_TIME = shutil.which("time", path="/usr/bin:/bin")


class Failed(Exception):
    pass


def run(command, threads, stdout=None):
    """Runs a command to its end and returns a dictionary:

    wall    seconds
    peak    largest resident memory, MB (10^6 bytes)
    stderr  all of it
    output  of the process, if stdout is None; else it goes to that file

    GNU time measures the memory, since the number that the system gives for a child of this
    process starts at the size of this process itself.
    """
    environment = dict(os.environ, LC_ALL="C.UTF-8", OMP_NUM_THREADS=str(threads),
                       OPENBLAS_NUM_THREADS=str(threads), MKL_NUM_THREADS=str(threads))
    result = {}
    with tempfile.NamedTemporaryFile("r") as memory, tempfile.TemporaryFile("w+") as output:
        if GNU_TIME:
            command = [GNU_TIME, "-f", "%M", "-o", memory.name] + command
        sink = open(stdout, "wb") if stdout else output
        start = time.perf_counter()
        with subprocess.Popen(command, stdout=sink, stderr=subprocess.PIPE, env=environment,
                              text=True, errors="replace") as process:
            said = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            result["wall"] = time.perf_counter() - start
            process.returncode = os.waitstatus_to_exitcode(status)
        if stdout:
            sink.close()
        if process.returncode != 0:
            raise Failed("%s ended with status %d: %s"
                         % (" ".join(command), process.returncode, said[-500:]))
        kilobytes = int(memory.read().split()[-1]) if GNU_TIME else usage.ru_maxrss
        output.seek(0)
        result.update(peak=kilobytes * 1024 / 1e6, stderr=said, output=output.read())
    return result


def peer(python, script, threads, *arguments):
    """A run of peer.py; what it printed is part of the result."""
    result = run([python, script] + [str(a) for a in arguments], threads)
    result["said"] = json.loads(result["output"].splitlines()[-1])
    return result


def median(runs, *keys):
    """The median over runs of runs[i][key][key]...; None where there is none."""
    values = []
    for item in runs:
        for key in keys:
            item = item.get(key) if isinstance(item, dict) else None
        if item is not None:
            values.append(item)
    return statistics.median(values) if values else None
