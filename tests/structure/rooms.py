#!/usr/bin/env python3
"""Checks that the folders are what README.md's table of rooms says.

Fails on a folder without a line in the table (or a line without a folder), on an include that goes from one folder to
another where the table has no such arrow, on a cycle between folders, on a folder with more than 40 units of its own (a
header and its source are one), and on tests that do not lie where the sources they test do.

    rooms.py ROOT
"""
import fnmatch
import os
import re
import sys

MOST_UNITS = 40
SOURCES = ("app", "core", "models", "widgets")
# Folders of tests/ that mirror no source folder.
OWN_TESTS = ("benchmark", "data", "faults", "fuzz", "hostile", "sanitizers", "soak", "structure")
ROW = re.compile(r"^\| `((?:%s)[\w/]*)/` \| [^|]+ \|([^|]*)\|$" % "|".join(SOURCES), re.MULTILINE)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def code_files(folder):
    return [name for name in os.listdir(folder) if name.endswith((".cpp", ".h"))]


def folders_below(root, top):
    for folder, _, _ in os.walk(os.path.join(root, top)):
        name = os.path.relpath(folder, root)
        if name.split(os.sep)[:2] != ["tests", "data"] and code_files(folder):
            yield name


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def allowed_arrows(readme):
    """{folder: patterns of the folders it may include}, by the table's third column."""
    return {folder: re.findall(r"`([\w/*]+)`", arrows) for folder, arrows in ROW.findall(readme)}


def arrows_of(root, folders):
    """{(from, to): an example of such an include}."""
    arrows = {}
    for folder in folders:
        for name in sorted(code_files(os.path.join(root, folder))):
            for included in INCLUDE.findall(read(os.path.join(root, folder, name))):
                target = os.path.dirname(included)
                if target != folder:
                    arrows.setdefault((folder, target), f"{folder}/{name} includes {included}")
    return arrows


def find_cycle(arrows):
    """The folders of a cycle, the first one again at its end; empty if there is none."""
    targets = {}
    for start, end in arrows:
        targets.setdefault(start, []).append(end)
    done = set()

    def visit(folder, path):
        if folder in path:
            return path[path.index(folder):] + [folder]
        if folder in done:
            return []
        for target in sorted(targets.get(folder, [])):
            cycle = visit(target, path + [folder])
            if cycle:
                return cycle
        done.add(folder)
        return []

    for folder in sorted(targets):
        cycle = visit(folder, [])
        if cycle:
            return cycle
    return []


def complaints(root):
    folders = sorted(name for top in SOURCES for name in folders_below(root, top))
    tests = sorted(folders_below(root, "tests"))
    allowed = allowed_arrows(read(os.path.join(root, "README.md")))
    arrows = arrows_of(root, folders)

    for folder in folders:
        if folder not in allowed:
            yield f"{folder} has no line in README.md's table of rooms"
    for folder in sorted(set(allowed) - set(folders)):
        yield f"README.md's table of rooms has a line for {folder}, which holds no code"
    for (start, end), example in sorted(arrows.items()):
        patterns = allowed.get(start, [])
        if not any(fnmatch.fnmatchcase(end, pattern) for pattern in patterns):
            yield f"{example}, but README.md's table has no arrow from {start} to {end}"
    for folder, patterns in sorted(allowed.items()):
        for pattern in patterns:
            if not any(s == folder and fnmatch.fnmatchcase(e, pattern) for s, e in arrows):
                yield f"README.md's table has an arrow from {folder} to {pattern} that no include needs"
    cycle = find_cycle(arrows)
    if cycle:
        yield "folders include one another in a cycle: " + " -> ".join(cycle)
    for folder in folders + tests:
        # A header and its source are one.
        count = len({os.path.splitext(name)[0] for name in code_files(os.path.join(root, folder))})
        if count > MOST_UNITS:
            yield f"{folder} has {count} units of its own, more than {MOST_UNITS}; give it rooms"
    for folder in tests:
        below = os.path.relpath(folder, "tests")
        if below.split(os.sep)[0] not in OWN_TESTS and not os.path.isdir(os.path.join(root, below)):
            yield f"{folder} mirrors no source folder {below}"


def main():
    found = list(complaints(sys.argv[1]))
    for complaint in found:
        print(complaint, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
