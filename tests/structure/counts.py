#!/usr/bin/env python3
"""Prints how the sources are cut into files: how many there are, how long, how many headers have a single user, and how
many files name each analysis.

    counts.py ROOT
"""
import collections
import os
import pathlib
import re
import statistics
import sys

SOURCES = ("app", "core", "models", "widgets")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
DESCRIPTION = re.compile(r"^struct (\w+Analysis) \{", re.MULTILINE)
SHORT, TINY = 30, 25


def main():
    root = pathlib.Path(sys.argv[1])
    files = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for top in SOURCES
             for path in sorted((root / top).rglob("*")) if path.suffix in (".h", ".cpp")}
    lines = {name: text.count("\n") for name, text in files.items()}
    users = collections.defaultdict(set)
    for name, text in files.items():
        for included in INCLUDE.findall(text):
            # A source and its own header are one user.
            if os.path.splitext(included)[0] != os.path.splitext(name)[0]:
                users[included].add(os.path.splitext(name)[0])
    headers = [name for name in files if name.endswith(".h")]
    single = [name for name in headers if len(users[name]) == 1]
    short = [name for name, count in lines.items() if count < SHORT]
    print(f"files                          {len(files)}")
    print(f"median lines                   {statistics.median(lines.values()):g}")
    print(f"files under {SHORT} lines           {len(short)} ({100 * len(short) / len(files):.0f} %)")
    print(f"longest                        {max(lines, key=lines.get)}, {max(lines.values())} lines")
    print(f"headers                        {len(headers)}")
    print(f"headers with one user          {len(single)}")
    print(f"of these under {TINY} lines        {len([name for name in single if lines[name] < TINY])}")
    analyses = [name for text in files.values() for name in DESCRIPTION.findall(text)]
    for analysis in analyses:
        print(f"files that name {analysis:20} {len([name for name, text in files.items() if analysis in text])}")


if __name__ == "__main__":
    main()
