"""Shows on a terminal how far something is that takes over some seconds."""

from __future__ import annotations

import sys
import time

from .file import printable

_FIRST, _PAUSE = 3.0, 0.2  # seconds before a line is shown, and between two of them
_ERASE = "\r\x1b[K"


class ProgressLine:
    """A line on stderr that is rewritten in place. Nothing is shown where stderr is no terminal, or nobody wants it."""

    def __init__(self, is_wanted: bool) -> None:
        self._is_wanted = is_wanted and sys.stderr is not None and sys.stderr.isatty()
        self._next = time.monotonic() + _FIRST
        self._is_shown = False

    def show(self, text: str) -> None:
        if self._is_wanted and time.monotonic() >= self._next:
            self._next = time.monotonic() + _PAUSE
            self._is_shown = True
            print(f"{_ERASE}softscope: {printable(text)}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._is_shown:
            print(_ERASE, end="", file=sys.stderr, flush=True)
            self._is_shown = False
