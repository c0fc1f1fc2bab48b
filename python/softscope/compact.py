"""Writes a matrix as queries and keys, or as factors, where they are smaller and say the same."""

from __future__ import annotations

from typing import Any, Iterator, List, Optional, Tuple

import torch

from .maps import Map, Refused, uncast, widest
from .replay import Layout, Replay
from .tape import ADDING, Call
from .values import Values, fused_argument, letters_of

# How far the entries of queries and keys, or of factors, may be from the matrix, as a fraction of each row's largest.
SAME = 1e-4


def compact(calls: List[Call], product: Call, place: int, replay: Replay, values: Values, layout: Layout,
            matrix: torch.Tensor, scale: Optional[float]) -> Map:
    """Returns queries and keys, or factors, where they are smaller than the matrix and say the same, and else the
    matrix."""
    heads, queries, keys = matrix.shape
    for q, k in _queries_and_keys(calls, product, layout, heads, queries, keys):
        for kernel, factor in _kernels(q, k, matrix, scale):
            map_ = Map({"q": q, "k": k}, kernel, factor)
            if _same(map_, matrix):
                return map_
    partner = product.inputs[1 - place] if product.name in ("matmul", "__matmul__", "bmm", "mm", "einsum") else None
    if partner is not None and values.tensor is product.inputs[place]:
        factors = _factors(calls, product, place, partner, replay, values, layout)
        if factors is not None and factors.parts["left"].shape[2] * (queries + keys) < queries * keys and \
                _same(factors, matrix):
            return factors
    return Map({"attn": matrix})


def _same(map_: Map, matrix: torch.Tensor) -> bool:
    """Compares two maps row by row, since what another head masks is small beside a sharp one."""
    if map_.shape() != tuple(matrix.shape):
        return False
    step, dtype = max(1, (1 << 24) // max(1, matrix.shape[0] * matrix.shape[2])), widest(matrix.device)
    for begin in range(0, matrix.shape[1], step):
        rows = matrix[:, begin:begin + step].to(dtype)
        far = (map_.rows(begin, begin + step, dtype) - rows).abs()
        if not bool((far <= SAME * rows.abs().amax(-1, keepdim=True)).all()):
            return False
    return True


def _queries_and_keys(calls: List[Call], product: Call, layout: Layout, heads: int, queries: int,
                      keys: int) -> Iterator[Tuple[torch.Tensor, torch.Tensor]]:
    """Yields the two factors of every product that may have computed the scores."""
    pairs: List[Any] = []
    if product.name == "scaled_dot_product_attention":
        query, key = (fused_argument(product, name) for name in ("query", "key"))
        pairs.append((query, key))
    for call in calls:
        if call.is_product and call.index < product.index and call.name in (
                "matmul", "__matmul__", "bmm", "mm", *ADDING):
            left, right = call.inputs[1:3] if call.name in ADDING else call.inputs[:2]
            pairs.append((left, right.transpose(-1, -2)))
            pairs.append((right.transpose(-1, -2), left))
        elif call.is_product and call.index < product.index and call.name == "einsum":
            try:
                pairs.append(tuple(_canonical(Values(call, at)) for at in (0, 1)))
            except Refused:
                continue
    for left, right in pairs:
        left, right = (tensor.reshape(-1, *tensor.shape[-2:]) for tensor in (left, right))
        if left.shape[0] != right.shape[0] or max(layout.groups) >= left.shape[0] or left.shape[2] != right.shape[2]:
            continue
        if (left.shape[1], right.shape[1]) == (queries, keys):
            yield left[layout.groups].detach().clone(), right[layout.groups].detach().clone()


def _canonical(factor: Values) -> torch.Tensor:
    return factor.of(factor.tensor).transpose(1, 2)


def _kernels(q: torch.Tensor, k: torch.Tensor, matrix: torch.Tensor,
             scale: Optional[float]) -> List[Tuple[str, float]]:
    scales = [q.shape[-1] ** -0.5, 1.0] + ([scale] if scale else [])
    # Whatever scale else explains the first rows best.
    dtype = widest(q.device)
    with uncast(q.device):
        scores = q[:1, :64].to(dtype) @ k[:1].to(dtype).transpose(1, 2)
    rows = matrix[:1, :64].to(dtype)
    centred = scores - scores.mean(-1, keepdim=True)
    logs = rows.clamp_min(1e-12).log()
    squares = float((centred * centred).sum())
    if bool((rows > 1e-9).all()) and squares > 0:
        scales.append(float((centred * (logs - logs.mean(-1, keepdim=True))).sum()) / squares)
    kernels = [("softmax", given) for given in scales]
    if float((scores * scores).sum()) > 0:
        kernels.append(("linear", float((scores * rows).sum() / (scores * scores).sum())))
    return kernels


def _factors(calls: List[Call], product: Call, place: int, partner: torch.Tensor, replay: Replay, values: Values,
             layout: Layout) -> Optional[Map]:
    """Returns the factors of linear attention: its second product is given ones in place of K^T V, and K is the first
    product's factor."""
    try:
        right = Values(product, 1 - place).of(partner)[layout.groups]
        rank = right.shape[2]
        inner = product.outputs[0]
        rest = Replay(calls, calls[[call.index for call in calls].index(product.index) + 1], inner, replay.target,
                      replay.calls[-1].index + 1)
        rest.term = replay.term
        columns = []
        moved = _feature_axis(product, place, inner.dim())
        for column in range(rank):
            given = torch.zeros_like(inner)
            given.select(moved, column).fill_(1)
            columns.append(layout.of(rest.run(given))[:, :, 0])
        return Map({"left": torch.stack(columns, 2).float(), "right": right.float().clone()})
    except (Refused, RuntimeError, IndexError, ValueError):
        return None


def _feature_axis(product: Call, place: int, dims: int) -> int:
    """Returns the axis of the product that comes from the keys' features."""
    if product.name == "einsum":
        terms, out = letters_of(product)
        mine, other = terms[place], terms[1 - place]
        return next(out.index(letter) for letter in other if letter in out and letter not in mine)
    return dims - 2 if place == 1 else dims - 1
