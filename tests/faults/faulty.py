"""For the tests beside this file: lets calls fail by which a program writes (Faults.cpp).

A few calls of each writer are tried; with --long, all of them, and 200 kills at random moments.
"""
import os
import random
import subprocess
import sys
import time

import measured  # Takes the program, the last word of the command line; then the shim is the last.

SHIM = sys.argv.pop()
LONG = "--long" in sys.argv
if LONG:
    sys.argv.remove("--long")
FAULTS = ("ENOSPC", "EIO", "EINTR", "SHORT", "KILL", *(("EROFS", "EDQUOT") if LONG else ()))
CALLS_TRIED = 3
KILLS = 200


def failing(folder, fault="", at=0, count=""):
    """The environment of a program whose at-th call that writes below the folder fails. `count`: a file that gets a
    letter for each."""
    return {"LD_PRELOAD": SHIM, "SOFTSCOPE_FAULT_FOLDER": folder, "SOFTSCOPE_FAULT": fault,
            "SOFTSCOPE_FAULT_AT": str(at), "SOFTSCOPE_FAULT_COUNT": count}


def tried(count):
    """Numbers of calls: all of them, or some, the first and the last among them."""
    if LONG or count <= CALLS_TRIED:
        return range(1, count + 1)
    return sorted({1 + round(i * (count - 1) / (CALLS_TRIED - 1)) for i in range(CALLS_TRIED)})


def kill_at_random(command, usual, earliest=0.3, latest=1.1):
    """Starts a program that usually takes so many seconds, and kills it after a share of them."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(random.uniform(earliest, latest) * usual)
    process.kill()
    process.wait()


def content(path):
    """The bytes of a file, or of all files of a folder; None where there is neither."""
    if os.path.isdir(path):
        return {name: content(os.path.join(path, name)) for name in sorted(os.listdir(path))}
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        return file.read()
