#!/usr/bin/env python3
"""Checks that the folders of sources are what rooms.txt, beside this file, says.

Fails on a folder without an entry, on an entry without a folder, on an include that the entry does not allow, on an
allowed folder that no include needs, on a cycle between folders, and on tests that do not lie where the sources they
test do. A folder may hold as many files as it needs.

    rooms.py ROOT
"""
import fnmatch
import os
import re
import sys

TABLE = "tests/structure/rooms.txt"
SOURCES = ("app", "core", "models", "widgets")
# Folders of tests/ that mirror no source folder.
OWN_TESTS = ("benchmark", "data", "faults", "fuzz", "hostile", "sanitizers", "soak", "structure")
ENTRY = re.compile(r"(?:%s)(?:/\w+)*(?= \| \S)" % "|".join(SOURCES))
ARROWS = re.compile(r"    [\w/*]+(?: [\w/*]+)*")
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


def read_table(text):
    """({folder: patterns of the folders it may include}, complaints about lines that cannot be read)."""
    allowed, wrong = {}, []
    folder = None
    for number, line in enumerate(text.splitlines(), 1):
        entry = ENTRY.match(line)
        if entry and entry[0] not in allowed:
            folder = entry[0]
            allowed[folder] = []
        elif entry:
            wrong.append(f"{TABLE}:{number}: {entry[0]} has an entry already")
        elif folder and ARROWS.fullmatch(line):
            allowed[folder] += line.split()
        elif line and not line.startswith("#"):
            wrong.append(f'{TABLE}:{number}: is neither "folder | what it holds" nor folders after four spaces: {line}')
    return allowed, wrong


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
    allowed, wrong = read_table(read(os.path.join(root, TABLE)))
    arrows = arrows_of(root, folders)

    yield from wrong
    for folder in folders:
        if folder not in allowed:
            yield f"{folder} has no entry in {TABLE}"
    for folder in sorted(set(allowed) - set(folders)):
        yield f"{TABLE} has an entry for {folder}, which holds no code"
    for (start, end), example in sorted(arrows.items()):
        patterns = allowed.get(start, [])
        if not any(fnmatch.fnmatchcase(end, pattern) for pattern in patterns):
            yield f"{example}, but {TABLE} does not let {start} include {end}"
    for folder, patterns in sorted(allowed.items()):
        for pattern in patterns:
            if not any(s == folder and fnmatch.fnmatchcase(e, pattern) for s, e in arrows):
                yield f"{TABLE} lets {folder} include {pattern}, which no include needs"
    cycle = find_cycle(arrows)
    if cycle:
        yield "folders include one another in a cycle: " + " -> ".join(cycle)
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
