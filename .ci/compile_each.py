#!/usr/bin/env python3
"""Compiles every source of a configured build folder alone, for its errors and warnings and nothing else, and prints
those of the files that have some.

    compile_each.py SOURCES BUILD [OTHER]

Sources that the build folder OTHER compiles by the very same command are left out.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

sources, build = (pathlib.Path(folder).resolve() for folder in sys.argv[1:3])
others = [pathlib.Path(folder).resolve() for folder in sys.argv[3:]]


def is_precompiled_header(entry):
    return "cmake_pch" in pathlib.Path(entry["file"]).name


def commands_of(folder):
    return json.loads((folder / "compile_commands.json").read_text(encoding="utf-8"))


def without_folder(entry, folder):
    return entry["command"].replace(str(folder), "")


compiled = {without_folder(entry, other) for other in others for entry in commands_of(other)}
commands = [entry for entry in commands_of(build)
            if is_precompiled_header(entry) or without_folder(entry, build) not in compiled]


def run(entry, *more):
    finished = subprocess.run(" ".join((entry["command"], *more)), shell=True, cwd=entry["directory"], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if finished.returncode != 0:
        print(f"{entry['file']}\n{finished.stdout}", flush=True)
    return finished.returncode == 0


# The others include it, so it is made, not only looked through.
well = all([run(entry) for entry in commands if is_precompiled_header(entry)])
# Without the sources that CMake generates in the build folder.
own = [entry for entry in commands
       if pathlib.Path(entry["file"]).is_relative_to(sources) and not pathlib.Path(entry["file"]).is_relative_to(build)]
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    well = all(list(pool.map(lambda entry: run(entry, "-fsyntax-only"), own))) and well
print(f"{len(own)} files compiled alone")
sys.exit(0 if well and own else 1)
