"""Finds and runs the program softscope."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import Any, Optional


_BUNDLED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "program", "softscope")


def find_program() -> str:
    """Returns the program that the environment variable SOFTSCOPE names, else the one that came with this package,
    else the one on PATH."""
    named = os.environ.get("SOFTSCOPE")
    if named:
        if not os.access(named, os.X_OK) or os.path.isdir(named):
            raise FileNotFoundError(f"the environment variable SOFTSCOPE names {named}, which is no program")
        return named
    if _is_bundled():
        return _BUNDLED
    found = shutil.which("softscope")
    if found is None:
        raise FileNotFoundError("the program softscope is not on PATH: install it, or name it with the environment "
                                "variable SOFTSCOPE")
    return found


def _is_bundled() -> bool:
    return not os.environ.get("SOFTSCOPE") and os.access(_BUNDLED, os.X_OK)


def run_program(*arguments: str) -> str:
    """Runs the program, and returns what it prints. Throws RuntimeError with what it says where it fails."""
    outcome = subprocess.run([find_program(), *arguments], capture_output=True, text=True, check=False)
    if outcome.returncode != 0:
        raise RuntimeError(outcome.stderr.strip() or f"softscope ended with {outcome.returncode}")
    return outcome.stdout


def has_display() -> bool:
    if sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY"):
        return True
    return bool(os.environ.get("WAYLAND_DISPLAY")) and not _is_bundled()  # whose Qt has X11 alone


def open_window(path: str) -> Optional["subprocess.Popen[Any]"]:
    """Starts the program on a file; without a display says which command opens it."""
    if not has_display():
        print(f"No display here. This opens the recording where there is one:\n\n    softscope -m {path}\n")
        return None
    return subprocess.Popen([find_program(), "-m", path], start_new_session=True)
