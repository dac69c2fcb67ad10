"""What the benchmarks share: their command lines, the program and its peers, the page they write."""

import argparse
import os
import shutil
import sys

from common.measure import Failed
from common.page import write_part

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def parser(doc, runs, of, quick):
    """The options of every benchmark: --runs, the number of runs `of` what; --quick; --write."""
    arguments = argparse.ArgumentParser(description=doc,
                                        formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--runs", type=int, default=runs, help="runs of " + of)
    arguments.add_argument("--quick", action="store_true", help=quick)
    arguments.add_argument("--write", metavar="PAGE", help="also write this benchmark's part of the page")
    return arguments


def parse(arguments):
    """The options; --quick sets --runs to 1."""
    options = arguments.parse_args()
    if options.quick:
        options.runs = 1
    if options.runs < 1:
        arguments.error("--runs must be at least 1")
    return options


def program():
    """The path of Caucus: CAUCUS, or build/caucus."""
    path = os.environ.get("CAUCUS") or os.path.join(ROOT, "build", "caucus")
    if not os.access(path, os.X_OK):
        sys.exit("bench: there is no program %s; build it, or set CAUCUS" % path)
    return path


def data_folder():
    """The folder of the corpora: CAUCUS_DATA, or ../shared/data."""
    path = os.environ.get("CAUCUS_DATA") or os.path.join(ROOT, "..", "shared", "data")
    if not os.path.isdir(path):
        sys.exit("bench: there is no folder %s; set CAUCUS_DATA" % path)
    return path


def peer_program(*names, mode=os.X_OK):
    """The path of the first of these programs in the folders of PEERS, then on PATH; None if there is none.
    mode=os.F_OK finds scripts that are not executable."""
    folders = os.pathsep.join(filter(None, (os.environ.get("PEERS"), os.environ.get("PATH"))))
    return next(filter(None, (shutil.which(name, mode, folders) for name in names)), None)


def bullets(lines):
    return "\n".join("- " + line for line in lines)


def finish(options, name, introduction, about, rows):
    """Prints a finished part, and writes it to the page if --write was given."""
    print("\n".join(about + rows))
    if options.write:
        write_part(options.write, "bench/" + name,
                   "\n\n".join((introduction, bullets(about), "\n".join(rows))))


def run_benchmark(main):
    """Runs main; a program that failed is one line and status 1."""
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit("bench: %s" % failure)
