"""What the pages of results have in common: numbers, tables, verdicts, the machine, and a page
that several benchmarks write, each its own part."""

import os
import re
import subprocess


def first_line(command):
    """The first line that a command says; None if it does not run."""
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return None
    lines = (said.stdout or said.stderr).splitlines()
    return lines[0].strip() if lines else None


def compiler(program):
    """The compiler that made the program, from CMake's notes beside it."""
    try:
        with open(os.path.join(os.path.dirname(program), "CMakeCache.txt"), encoding="utf-8") as f:
            found = re.search("^CMAKE_C_COMPILER:[A-Z]+=(.*)$", f.read(), re.M)
    except OSError:
        found = None
    return first_line([found.group(1), "--version"]) if found else None


def machine(program, threads):
    """The machine and Caucus itself, as a list of lines."""
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        model = re.search("^model name\\s*:\\s*(.*)$", f.read(), re.M)
    with open("/proc/meminfo", encoding="utf-8") as f:
        memory = int(re.search("^MemTotal:\\s*(\\d+)", f.read(), re.M).group(1)) / (1 << 20)
    lines = ["%s, %d cores, %.0f GiB; %d threads for all that have threads"
             % (model.group(1) if model else os.uname().machine, os.cpu_count(), memory, threads),
             first_line([program, "--version"]) or "Caucus"]
    if compiler(program):
        lines[1] += ", built by " + compiler(program)
    load = os.getloadavg()[0]
    if load > 0.5:
        lines.append("**the machine was not idle**: load %.1f before the start" % load)
    return lines


def number(x, form="%.2f"):
    return "" if x is None else form % x


def seconds(x):
    return number(x, "%.1f" if x and x >= 100 else "%.2f" if x and x >= 1 else "%.3f")


def spread(x):
    """Seconds, and between which they were: 5.92 (5.71-6.30)."""
    low, high = seconds(getattr(x, "low", x)), seconds(getattr(x, "high", x))
    return seconds(x) if low == high else "%s (%s-%s)" % (seconds(x), low, high)


def whole(x):
    return "" if x is None else format(round(x), ",")


def table(rows, columns, own="Caucus"):
    """The tools as rows, and below them how many times as much as our own each of them took.

    rows     {name: {key: value}}; a value that is not there stays empty
    columns  [(heading, key, how to write it, whether a ratio says something)]
    """
    lines = ["| | " + " | ".join(column[0] for column in columns) + " |",
             "|---" * (len(columns) + 1) + "|"]
    for name, row in rows.items():
        lines.append("| %s | " % name
                     + " | ".join(form(row.get(key)) for _, key, form, _ in columns) + " |")
    for name, row in rows.items():
        if name == own or own not in rows:
            continue
        ratios = ["%.1f" % (row[key] / rows[own][key])
                  if compared and row.get(key) and rows[own].get(key) else ""
                  for _, key, _, compared in columns]
        lines.append("| *%s / %s* | " % (name, own)
                     + " | ".join("*%s*" % r if r else "" for r in ratios) + " |")
    return lines


def judged(what, have, aim, good, missed="missed"):
    """One line: what, how much of it there is, what was aimed at, and whether that is reached. All
    such lines look alike, so that verdicts_of finds them."""
    return "- %s: %s, aim %s: %s" % (what, have, aim, "reached" if good else "**%s**" % missed)


def verdict(what, have, want):
    """How many times better, and whether that is enough."""
    return judged(what, "%.1f times" % have, "%g" % want, have >= want,
                  "missed by a factor of %.2f" % (want / have))


def verdicts_of(text):
    """[(heading, what, have, aim, reached?), ...] of the lines of a page that judged wrote."""
    found, heading = [], ""
    for line in text.splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        row = re.match(r"- (.*): (.*), aim (.*): (reached|\*\*missed.*)", line)
        if row:
            found.append((heading, row[1], row[2], row[3], row[4] == "reached"))
    return found


def parts_of(path, name):
    """The text of the named part of a page; "" where there is none."""
    try:
        with open(path, encoding="utf-8") as f:
            page = f.read()
    except FileNotFoundError:
        return ""
    return page.partition("<!-- %s -->" % name)[2].partition("<!-- end of %s -->" % name)[0]


def write_part(path, name, text):
    """Puts text between the marks of the named part of a page, leaving all else as it is. A page
    without that part gets it at its end."""
    begin, end = "<!-- %s -->" % name, "<!-- end of %s -->" % name
    try:
        with open(path, encoding="utf-8") as f:
            page = f.read()
    except FileNotFoundError:
        page = ""
    part = "%s\n%s\n%s" % (begin, text.strip("\n"), end)
    if begin in page and end in page:
        before, _, rest = page.partition(begin)
        page = before + part + rest.partition(end)[2]
    else:
        page = page.rstrip("\n") + ("\n\n" if page.strip() else "") + part + "\n"
    with open(path + ".part", "w", encoding="utf-8") as out:
        out.write(page)
    os.replace(path + ".part", path)
