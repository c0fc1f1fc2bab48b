#!/usr/bin/env python3
"""Runs clang-tidy, with the checks of .clang-tidy, on the sources that the latest commits changed, the last changed first.

    tidy_changed.py SOURCES BUILD

BUILD is a folder configured for clang whose precompiled headers exist, as after compile_each.py. A source takes some 15
seconds of a core, so no more than `MOST_FILES` of the last `COMMITS` commits are looked at; `cmake --build --preset
tidy` looks at all.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

COMMITS = 20
MOST_FILES = 40

sources, build = (pathlib.Path(folder).resolve() for folder in sys.argv[1:3])
commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
compiled = {entry["file"] for entry in commands}
log = subprocess.run(["git", "-C", sources, "log", f"-{COMMITS}", "--format=", "--name-only", "-z"], check=False,
                     stdout=subprocess.PIPE, text=True)
if log.returncode != 0:
    print(f"{sources} has no history, by which changed files are found: clang-tidy looks at none")
    sys.exit(0)
changed = [str(sources / name) for name in dict.fromkeys(log.stdout.replace("\n", "").split("\0")) if name]
looked_at = [path for path in changed if path in compiled][:MOST_FILES]


def is_clean(path):
    finished = subprocess.run(["clang-tidy", "--quiet", "-p", build, path], cwd=sources, check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if finished.returncode != 0:
        print(f"{path}\n{finished.stdout}{finished.stderr}", flush=True)
    return finished.returncode == 0


with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    clean = all(list(pool.map(is_clean, looked_at)))
print(f"{len(looked_at)} files looked at by clang-tidy")
sys.exit(0 if clean else 1)
