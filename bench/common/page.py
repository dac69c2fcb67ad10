"""Pages of results: numbers, tables, verdicts, the machine; several benchmarks write parts of one page."""

import os
import re
import subprocess


def first_line(command):
    """The first line of a command's output; None if it does not run."""
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return None
    lines = (said.stdout or said.stderr).splitlines()
    return lines[0].strip() if lines else None


def compiler(program):
    """The compiler of the program, from CMake's cache in the same folder."""
    try:
        with open(os.path.join(os.path.dirname(program), "CMakeCache.txt"), encoding="utf-8") as f:
            found = re.search("^CMAKE_C_COMPILER:[A-Z]+=(.*)$", f.read(), re.M)
    except OSError:
        found = None
    return first_line([found.group(1), "--version"]) if found else None


def machine(program, threads):
    """Lines about the machine and the version of Caucus."""
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        model = re.search("^model name\\s*:\\s*(.*)$", f.read(), re.M)
    with open("/proc/meminfo", encoding="utf-8") as f:
        memory = int(re.search("^MemTotal:\\s*(\\d+)", f.read(), re.M).group(1)) / (1 << 20)
    lines = ["%s, %d cores, %.0f GiB; programs with threads use %d"
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
    """Seconds with the least and the greatest: 5.92 (5.71-6.30)."""
    low, high = seconds(getattr(x, "low", x)), seconds(getattr(x, "high", x))
    return seconds(x) if low == high else "%s (%s-%s)" % (seconds(x), low, high)


def whole(x):
    return "" if x is None else format(round(x), ",")


def table(rows, columns, own="Caucus"):
    """A row for each tool, and below them the ratio of each tool to our own.

    rows     {name: {key: value}}; a missing value is an empty cell
    columns  [(heading, key, function that formats the value, whether to show the ratio)]
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
    """One line: what was measured, the result, the aim, and whether it is reached. verdicts_of finds these
    lines by their form."""
    return "- %s: %s, aim %s: %s" % (what, have, aim, "reached" if good else "**%s**" % missed)


def verdict(what, have, want):
    """The judged line of a ratio and the least ratio wanted."""
    return judged(what, "%.1f times" % have, "%g" % want, have >= want,
                  "missed by a factor of %.2f" % (want / have))


def verdicts_of(text):
    """[(heading, what, have, aim, reached), ...] of the lines of a page that judged() wrote."""
    found, heading = [], ""
    for line in text.splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        row = re.match(r"- (.*): (.*), aim (.*): (reached|\*\*missed.*)", line)
        if row:
            found.append((heading, row[1], row[2], row[3], row[4] == "reached"))
    return found


def part_of(path, name):
    """The text of the named part of a page; "" if it has none."""
    try:
        with open(path, encoding="utf-8") as f:
            page = f.read()
    except FileNotFoundError:
        return ""
    return page.partition("<!-- %s -->" % name)[2].partition("<!-- end of %s -->" % name)[0]


def write_part(path, name, text):
    """Replaces the text of the named part of a page, or adds the part at the end of the page."""
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
