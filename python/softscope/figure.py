"""Figures of models, recordings and files, as the program draws them."""

from __future__ import annotations

import inspect
import os
import tempfile
from typing import Any, List, Optional

import torch
from torch import nn

from .picture import pixels_of
from .program import run_program
from .record import record
from .recorded import Recording
from .tape import tensors_in

_OF_RECORD = ("transform", "mean", "std", "size", "classes", "patterns", "grid", "prefix", "quiet")


def figure(shown: Any, picture: Any = None, layer: Optional[str] = None, kind: str = "heads", format: str = "png",  # pylint: disable=W0622
           **options: Any) -> bytes:
    """Draws a model, a Recording, or a file that the program opens, and returns the bytes of a .png, .svg or .pdf.

    A model is recorded on `picture`, which needs `transform`, or `mean`, `std` and `size`, as for record(); its other
    options, and what else the model's forward() is given, are those of record(). A Recording and its file bring their
    picture; a checkpoint's file needs one. Other options are the program's flags: `at=(0.5, 0.2)` is --at 0.5,0.2, a list
    repeats its flag, and True is a flag without a value.
    """
    if isinstance(shown, nn.Module):
        of_record = {name: options.pop(name) for name in list(options) if _is_of_record(shown, name, options[name])}
        shown, picture = record(shown, picture, **{"quiet": True, **of_record}), None
    if isinstance(picture, torch.Tensor):
        raise ValueError("the program is given pictures, and not tensors")
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(shown, Recording):
            path = os.path.join(folder, "recording.npz")
            shown.save(path)
        else:
            path = os.path.abspath(os.fspath(shown))
        made = os.path.join(folder, f"figure.{format}")
        named = {} if layer is None else {"layer": layer}
        run_program("figure", kind, "-m", path, *_picture_in(folder, picture), *_flags({**named, **options}), "-o", made)
        with open(made, "rb") as file:
            return file.read()


def _is_of_record(model: nn.Module, name: str, value: Any) -> bool:
    """Returns whether an option is record()'s, or the model's own."""
    return name in _OF_RECORD or bool(tensors_in(value)) or \
        name in inspect.signature(getattr(model, "_orig_mod", model).forward).parameters


def _picture_in(folder: str, picture: Any) -> List[str]:
    if picture is None:
        return []
    if isinstance(picture, (str, os.PathLike)):
        return [os.path.abspath(os.fspath(picture))]
    from PIL import Image  # pylint: disable=import-outside-toplevel
    path = os.path.join(folder, "picture.png")
    Image.fromarray(pixels_of(picture)).save(path)
    return [path]


def _flags(options: Any) -> List[str]:
    flags: List[str] = []
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        for each in value if isinstance(value, list) else [value]:
            said = ",".join(map(str, each)) if isinstance(each, tuple) else str(each)
            if each is not None and each is not False:
                flags += [flag] if each is True else [flag, said]
    return flags
