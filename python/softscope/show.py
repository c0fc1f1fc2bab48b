"""Opens models, recordings and files in the window."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Optional

from torch import nn

from .live import show_live
from .program import has_display, open_window
from .record import record
from .recorded import Recording, read
from .tape import tensors_in


def show(shown: Any, picture: Any = None, *, path: Optional[str] = None, name: Optional[str] = None,
         wait: Optional[bool] = None, **options: Any) -> Any:
    """Opens a model, a Recording, or a recording's file in Softscope's window.

    A model stays connected, so that it can be asked about every picture that is opened there: give `transform`, or
    `mean`, `std` and `size`, by which pictures become its input; other options are record()'s. `name` is shown for it.
    Returns a Live. In a script it waits until the window is closed, unless `wait` is False; at a prompt and in a
    notebook it returns at once, unless `wait` is True.

    A model that is given a tensor, or what holds some, which is its input, is recorded once, as are models where there is
    no display: the recording is saved to `path`, or to a temporary file, and a line says which command opens it.
    """
    if isinstance(shown, (str, os.PathLike)):
        read(shown)  # a file that is none says so here
        return open_window(os.fspath(shown))
    is_live = isinstance(shown, nn.Module) and not tensors_in(picture)
    if is_live and has_display():
        return show_live(shown, picture, name, wait, options)
    if isinstance(shown, nn.Module) and picture is None:
        raise ValueError("there is no display, so there is no window whose picture could be asked about: give one")
    recorded = shown if isinstance(shown, Recording) else record(shown, picture, **options)
    if path is None:
        handle, path = tempfile.mkstemp(prefix="softscope-", suffix=".npz")
        os.close(handle)
    recorded.save(path)
    return open_window(os.fspath(path))
