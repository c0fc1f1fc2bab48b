"""A recording in memory: its layers, their heads' rows, and what was refused."""

from __future__ import annotations

import math
import os
import re
from typing import Any, Dict, List, Optional

import numpy as np
import torch

from .file import printable, read_entries, safetensors_bytes, write_entries
from .maps import Map


class Head:
    """One head's attention."""

    def __init__(self, map_: Map, index: int) -> None:
        self._map = map_.head(index)
        self.shape = self._map.shape()[1:]

    def row(self, query: int) -> np.ndarray:
        """Returns what a query attends to [keys]."""
        if not 0 <= query < self.shape[0]:
            raise IndexError(f"query {query} of {self.shape[0]}")
        return self._map.rows(query, query + 1)[0, 0].numpy()

    def matrix(self) -> np.ndarray:
        """Returns all rows [queries, keys]."""
        return self._map.rows(0, self.shape[0])[0].numpy()

    def __repr__(self) -> str:
        return f"Head: {self.shape[0]} x {self.shape[1]}"


class Layer:
    """A layer of a recording.

    verified: the worst error of attention times values as a fraction of the largest value; None: not verified, or
    read from a file, which does not say it.
    beside: what the module adds to attention times values before it goes on, such as a convolution; None for nothing.
    refused: why the layer is not recorded; None where it is."""

    def __init__(self, name: str, map_: Optional[Map], verified: Optional[float], refused: Optional[str]) -> None:
        self.name = name
        self.map = map_
        self.verified = verified
        self.refused = refused
        self.beside: Optional[str] = None
        self.beside_size: Optional[float] = None  # its norm as a fraction of that of attention times values
        self.guesses_grid = False  # which is in the file all the same
        self.is_read = False  # from a file, which does not say what was verified
        self.place: Any = None  # where it was computed, while the model is known
        self.order = math.inf  # its place among the layers in the order they ran, while these are recorded
        self.heads = [] if map_ is None else [Head(map_, index) for index in range(map_.shape()[0])]

    def __repr__(self) -> str:
        if self.map is None:
            return printable(f"{self.name}: refused, {self.refused}")
        heads, queries, keys = self.map.shape()
        said = "from a file" if self.is_read else "not verified" if self.verified is None else \
            f"verified to {self.verified:.1g}"
        return printable(f"{self.name}: {heads} heads, {queries} x {keys}, {said}" +
                         ("" if self.beside is None else f", beside {self.beside}"))


def _cut_blocks(parts: Dict[str, torch.Tensor]) -> None:
    """Cuts the windows out of a whole matrix, and keeps these alone."""
    if "attn" not in parts:
        return
    rows, columns, whole = parts["rows"], parts["cols"], parts.pop("attn")
    are = ((rows >= 0).unsqueeze(2) & (columns >= 0).unsqueeze(1)).float()
    parts["blocks"] = whole[:, rows.clamp_min(0).unsqueeze(2), columns.clamp_min(0).unsqueeze(1)] * are


class Recording:
    """What record() returns and read() reads."""

    def __init__(self) -> None:
        self.layers: List[Layer] = []
        self.entries: Dict[str, np.ndarray] = {}
        self.remarks: List[str] = []  # what else was not recorded
        self.runs: Dict[str, int] = {}  # how often each module ran, while the model is known
        self.pictures = 1  # that the model was given, of which this is the first one's, while the model is known
        self.function: Optional[str] = None  # that the model makes probabilities of its logits by, while it is known
        self.covered = (1.0, 1.0)  # what of the input's height and width is in patches, while the model is known

    @property
    def refused(self) -> Dict[str, str]:
        """The reasons by the names of the layers that were refused."""
        return {layer.name: layer.refused for layer in self.layers if layer.refused is not None}

    def recorded(self) -> List[Layer]:
        """Returns the layers that were not refused."""
        return [layer for layer in self.layers if layer.map is not None]

    def heads(self, name: str) -> List[Head]:
        """Returns the heads of a layer. Throws KeyError, which says why where the layer was refused."""
        layer = next((layer for layer in self.layers if layer.name == name), None)
        if layer is None:
            raise KeyError(f"no layer {name!r}; there are {printable(', '.join(each.name for each in self.layers))}")
        if layer.refused is not None:
            raise KeyError(printable(f"{name} was not recorded: {layer.refused}"))
        return layer.heads

    def refusals(self) -> List[str]:
        """Returns a line for each layer, or one for all whose reasons differ in numbers alone."""
        return _lines(self.refused)

    def additions(self) -> List[str]:
        """Returns a line for each layer whose attention is not all that mixes tokens, gathered like refusals()."""
        return _lines({layer.name: layer.beside for layer in self.recorded() if layer.beside is not None})

    def save(self, path: Any) -> None:
        """Writes a .npz or .safetensors file."""
        write_entries(os.fspath(path), self._all_entries())

    def to_bytes(self) -> bytes:
        """Returns the .safetensors file that save() would write."""
        return safetensors_bytes(self._all_entries())

    def _all_entries(self) -> Dict[str, np.ndarray]:
        if not self.recorded():
            raise RuntimeError("nothing was recorded" + "".join(f" ({line})" for line in self.refusals()[:1]) +
                               "; call softscope.record_attention() in forward()")
        entries = dict(self.entries)
        for layer in self.recorded():
            for part, tensor in layer.map.parts.items():  # type: ignore[union-attr]
                entries[f"{layer.name}/{part}"] = _array(tensor)
            if layer.map.kernel is not None:  # type: ignore[union-attr]
                entries[f"{layer.name}/kernel"] = np.array(layer.map.kernel)  # type: ignore[union-attr]
            if layer.map.scale is not None:  # type: ignore[union-attr]
                entries[f"{layer.name}/scale"] = np.array(float(layer.map.scale))  # type: ignore[union-attr]
            if layer.beside is not None:
                entries[f"{layer.name}/beside"] = np.array(layer.beside)
        entries["layers"] = np.array([layer.name for layer in self.recorded()])
        if self.refused:
            entries["refused"] = np.array([f"{name.replace(': ', ':')}: {reason}" for name, reason in self.refused.items()])
        if note_of(self) and "note" not in entries:
            entries["note"] = np.array(note_of(self))
        return entries

    def figure(self, layer: Optional[str] = None, kind: str = "heads", format: str = "png",  # pylint: disable=W0622
               **options: Any) -> bytes:
        """Returns a figure as softscope.figure() does; options are the program's flags."""
        from .figure import figure  # pylint: disable=import-outside-toplevel
        return figure(self, None, layer, kind, format, **options)

    def _repr_png_(self) -> Optional[bytes]:
        return self.figure(self.recorded()[-1].name) if self.recorded() else None

    def __repr__(self) -> str:
        return f"Recording: {len(self.recorded())} layers recorded, {len(self.refused)} refused\n" + \
            "\n".join(f"  {layer!r}" for layer in self.layers)


def _lines(reasons: Dict[str, str]) -> List[str]:
    """Returns `NAME: REASON` of layers, one line for those whose reasons differ in numbers alone."""
    alike: Dict[str, List[str]] = {}
    for name, reason in reasons.items():
        alike.setdefault(re.sub(r"[0-9][0-9.e+-]*", "#", reason), []).append(name)
    return [printable(f"{names[0]}" + (f" and {len(names) - 1} more up to {names[-1]}" if len(names) > 1 else "") +
                      f": {reasons[names[0]]}") for names in alike.values()]


def note_of(recording: Recording) -> str:
    """Returns what titles show behind the mechanism: how many layers are missing, not verified, or add something, and
    guesses."""
    recorded, refused = recording.recorded(), recording.refused
    if "note" in recording.entries:
        return str(recording.entries["note"])  # of a file that was read
    unverified = [layer for layer in recorded if layer.verified is None and not layer.is_read]
    notes = [f"{len(refused)} of {len(recording.layers)} layers not recorded"] if refused else []
    notes += [f"{len(unverified)} of {len(recorded)} layers not verified"] if unverified else []
    guesses = ["grid guessed"] if any(layer.guesses_grid for layer in recorded) else []
    return "; ".join(notes + _besides(recorded) + guesses)


def _besides(layers: List[Layer]) -> List[str]:
    """Returns how many layers add something to their attention."""
    added = [layer.beside.split(", ")[0] for layer in layers if layer.beside is not None]
    if not added:
        return []
    whats = list(dict.fromkeys(added))
    return [f"{' or '.join(whats)} stands beside the attention of {len(added)} of {len(layers)} layers"]


def _array(tensor: Any) -> np.ndarray:
    tensor = tensor.detach().cpu()
    return np.ascontiguousarray((tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy())


def read(path: Any) -> Recording:
    """Reads a recording that record(), the program or anybody's code wrote. Files do not say what was verified."""
    entries = read_entries(os.fspath(path))
    recording = Recording()
    names = [str(name) for name in entries.pop("layers", [])] or \
        list(dict.fromkeys(name.rsplit("/", 1)[0] for name in entries if "/" in name))
    for name in names:
        parts = {part: torch.as_tensor(np.array(entries.pop(f"{name}/{part}"))).float()
                 for part in ("attn", "left", "middle", "right", "q", "k", "blocks") if f"{name}/{part}" in entries}
        parts = {part: tensor[0] if tensor.dim() == (5 if part == "blocks" else 4) else tensor
                 for part, tensor in parts.items()}
        if f"{name}/rows" in entries:
            for part in ("rows", "cols"):
                tokens = entries.pop(f"{name}/{part}", None)
                parts[part] = parts["rows"] if tokens is None else torch.as_tensor(np.array(tokens)).long()
                parts[part] = parts[part][0] if parts[part].dim() == 3 else parts[part]
            _cut_blocks(parts)
        kernel, scale = entries.pop(f"{name}/kernel", None), entries.pop(f"{name}/scale", None)
        beside = entries.pop(f"{name}/beside", None)
        recording.layers.append(Layer(name, Map(parts, None if kernel is None else str(kernel),
                                                None if scale is None else float(scale)), None, None))
        recording.layers[-1].beside = None if beside is None else str(beside)
        recording.layers[-1].is_read = True
    for line in np.atleast_1d(entries.pop("refused", np.array([], dtype="U1"))):
        name, _, reason = str(line).partition(": ")
        recording.layers.append(Layer(name, None, None, reason))
    recording.entries = entries
    return recording
