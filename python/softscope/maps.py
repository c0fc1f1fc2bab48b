"""Attention of one picture in the forms that a recording has: a matrix, factors, or queries and keys with a kernel."""

from __future__ import annotations

import contextlib
from typing import Any, ContextManager, Dict, Optional, Tuple

import numpy as np
import torch

KERNELS = (None, "softmax", "gaussian", "linear")


class Refused(Exception):
    """Says why a layer is not recorded; of several attempts the one that went furthest tells."""

    def __init__(self, reason: str, rank: int = 1) -> None:
        super().__init__(reason)
        self.rank = rank


def first_picture(given: Any) -> Optional[torch.Tensor]:
    """Returns [heads, ...] of what a caller gives, [batch, heads, ...] or [heads, ...]."""
    if given is None:
        return None
    tensor = given.detach() if isinstance(given, torch.Tensor) else torch.as_tensor(np.asarray(given))
    tensor = tensor[0] if tensor.dim() == 4 else tensor
    if tensor.dim() != 3:
        raise ValueError(f"{list(tensor.shape)} is not [heads, n, m]")
    return tensor.clone()


def uncast(device: torch.device) -> ContextManager[Any]:
    """Switches autocast off within the block, since it rounds products of float32 to half precision."""
    try:
        return torch.autocast(device.type, enabled=False)
    except (RuntimeError, ValueError):  # this torch knows no autocast there
        return contextlib.nullcontext()


def widest(device: torch.device) -> torch.dtype:
    """Returns the type that a comparison is computed in: on GPUs, products of float32 may be rounded to the ten bits
    of TF32."""
    return torch.float32 if device.type == "mps" else torch.float64


class Map:
    """Attention of heads, each part [heads, n, ...]: `attn`; or `left`, `right` and perhaps `middle`; or `q` and `k`.
    Within windows it is `blocks` [heads, B, r, c] with the tokens of each block's rows and columns, `rows` [B, r] and
    `cols` [B, c], -1 for padding."""

    def __init__(self, parts: Dict[str, Optional[torch.Tensor]], kernel: Optional[str] = None,
                 scale: Optional[float] = None) -> None:
        self.parts = {name: tensor for name, tensor in parts.items() if tensor is not None}
        self.kernel = kernel
        self.scale = scale
        if not any(needed <= set(self.parts) for needed in ({"attn"}, {"left", "right"}, {"q", "k"}, {"blocks", "rows", "cols"})):
            raise ValueError("attention is attn, or left and right, or q and k, or blocks, rows and cols")
        if kernel not in KERNELS:
            raise ValueError(f"kernel is {kernel!r}, and should be softmax, gaussian or linear")

    def head(self, index: int) -> "Map":
        """Returns one head's map."""
        return Map({name: part if name in ("rows", "cols") else part[index:index + 1]
                    for name, part in self.parts.items()}, self.kernel, self.scale)

    def shape(self) -> Tuple[int, int, int]:
        """Returns the numbers of heads, queries and keys."""
        if "blocks" in self.parts:
            heads = self.parts["blocks"].shape[0]
            queries, keys = (int(self.parts[name].max()) + 1 for name in ("rows", "cols"))
        elif "attn" in self.parts:
            heads, queries, keys = self.parts["attn"].shape
        else:
            left, right = (self.parts[name] for name in (("left", "right") if "left" in self.parts else ("q", "k")))
            heads, queries, keys = left.shape[0], left.shape[1], right.shape[1]
        return int(heads), int(queries), int(keys)

    def rows(self, begin: int, end: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        """Returns [heads, end - begin, keys], computed in float32 or what `dtype` says."""
        with uncast(self.device()):
            return self._rows_of_blocks(begin, end, dtype) if "blocks" in self.parts else self._rows(begin, end, dtype)

    def device(self) -> torch.device:
        return next(iter(self.parts.values())).device

    def _rows(self, begin: int, end: int, dtype: torch.dtype) -> torch.Tensor:
        part = {name: tensor.to(dtype) for name, tensor in self.parts.items()}
        if "attn" in part:
            return part["attn"][:, begin:end]
        if "left" in part:
            left = part["left"][:, begin:end]
            return (left @ part["middle"] if "middle" in part else left) @ part["right"].transpose(1, 2)
        q, k = part["q"][:, begin:end], part["k"]
        scale = q.shape[-1] ** -0.5 if self.scale is None else self.scale
        scores = scale * (q @ k.transpose(1, 2))
        if self.kernel == "linear":
            return scores
        if self.kernel == "gaussian":
            squares = scale * ((q * q).sum(-1)[..., None] + (k * k).sum(-1)[:, None])
            return (scores - squares / 2).exp()
        return scores.softmax(-1)

    def _rows_of_blocks(self, begin: int, end: int, dtype: torch.dtype) -> torch.Tensor:
        heads, _, keys = self.shape()
        rows, columns = self.parts["rows"], self.parts["cols"]
        block, row = ((rows >= begin) & (rows < end)).nonzero(as_tuple=True)
        found = torch.zeros(heads, end - begin, keys + 1, dtype=dtype, device=rows.device)  # padding goes into the last column
        places = torch.where(columns < 0, torch.full_like(columns, keys), columns)[block]
        queries = (rows[block, row] - begin).unsqueeze(1).expand_as(places)
        found[:, queries, places] = self.parts["blocks"][:, block, row].to(dtype)
        return found[..., :keys]

    def times(self, values: torch.Tensor) -> torch.Tensor:
        """Returns [heads, queries, d] of values [heads, keys, d]."""
        heads, queries, keys = self.shape()
        step, dtype = max(1, (1 << 24) // max(1, heads * keys)), widest(values.device)
        with uncast(values.device):
            return torch.cat([self.rows(begin, min(begin + step, queries), dtype) @ values.to(dtype)
                              for begin in range(0, queries, step)], 1)


def tolerance(tensor: torch.Tensor) -> float:
    """Returns how far A V may be from what was computed, as a fraction of its largest value, by half precision's
    rounding."""
    return 2e-2 if tensor.dtype == torch.bfloat16 else 2e-3


def distance(found: torch.Tensor, expected: torch.Tensor) -> float:
    """Returns the largest difference as a fraction of the largest value; infinite where either is not finite."""
    dtype = widest(found.device)
    found, expected = found.to(dtype), expected.to(dtype)
    largest = float(expected.abs().max()) if expected.numel() else 0.0
    far = float((found - expected).abs().max()) if expected.numel() else 0.0
    if not (np.isfinite(largest) and np.isfinite(far)):
        return float("inf")
    return far / largest if largest > 0 else (0.0 if far == 0 else float("inf"))
