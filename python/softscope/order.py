"""Which calls put tokens in another order or in other places."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import torch

from .tape import Call

# Functions that pick numbers by an index or put them in another order.
PICKS = ("gather", "index_select", "take_along_dim", "take", "masked_select", "flip", "fliplr", "flipud", "rot90", "sort",
         "msort", "argsort", "topk", "embedding", "embedding_bag", "grid_sample")
# Functions that put one tensor's numbers into another by an index.
PUTS = ("scatter", "scatter_add", "scatter_reduce", "index_copy", "index_add", "index_put", "index_reduce",
        "masked_scatter", "put")
_JOINS = ("cat", "concat", "concatenate", "stack", "hstack", "vstack", "row_stack", "column_stack", "dstack")
# Functions that make a part of a tensor, or the same in another shape.
_PARTS = ("__getitem__", "narrow", "select", "unbind", "chunk", "split", "tensor_split", "hsplit", "vsplit", "contiguous",
          "clone", "squeeze", "unsqueeze", "reshape", "view")


def has_indices(key: Any) -> bool:
    """Whether a subscript picks by numbers or by a mask, and not by slices and single places alone."""
    return any(isinstance(part, (list, range)) or getattr(part, "ndim", 0) > 0
               for part in (key if isinstance(key, tuple) else (key,)))


def is_picture(tensor: torch.Tensor) -> bool:
    """Whether it may be pictures [batch, 3, height, width]."""
    return tensor.dim() == 4 and tensor.shape[1] == 3 and tensor.is_floating_point()


def resizes(name: str) -> bool:
    """Whether a function scales all of a picture."""
    return name in ("interpolate", "upsample") or "pool" in name


def pads(call: Call, last_counts: bool) -> bool:
    """Whether a call of pad() pads anything: where the last axis does not count, more than that one."""
    padding = call.kwargs.get("pad", call.args[1] if len(call.args) > 1 else ())
    return any(padding) and (last_counts or len(padding) > 2)


def joined_axis(call: Call) -> Optional[int]:
    """The axis along which a call puts tensors behind one another; nothing of other calls."""
    if call.name not in ("cat", "concat", "concatenate"):
        return None
    axis = call.kwargs.get("dim", call.kwargs.get("axis", call.args[1] if len(call.args) > 1 else 0))
    return int(axis) % call.outputs[0].dim()


def parts_joined(calls: List[Call], call: Call) -> Optional[torch.Tensor]:
    """The tensor whose parts a call puts behind one another, where it does so with parts of one tensor."""
    if call.name not in _JOINS or len(call.inputs) < 2:
        return None
    # What returns its input, as contiguous() may, is no maker of it.
    makers: Dict[int, Call] = {id(output): each for each in calls for output in each.outputs
                               if each is not call and all(output is not given for given in each.inputs)}
    sources = []
    for part in call.inputs:
        maker = makers.get(id(part))
        is_part = False
        while maker is not None and maker.name in _PARTS and maker.inputs:
            is_part = is_part or len(maker.outputs) > 1 or maker.outputs[0].numel() < maker.inputs[0].numel()
            part = maker.inputs[0]
            maker = makers.get(id(part))
        if not is_part or (sources and sources[0] is not part):
            return None
        sources.append(part)
    return sources[0]


def reorders(source: torch.Tensor, made: torch.Tensor) -> bool:
    """Whether the rows of `made`, along the last axis, are rows of `source` in another order."""
    if source.shape[-1] != made.shape[-1] or made.dim() < 2 or source.dim() < 2 or made.numel() > source.numel() or \
            made.numel() == 0:
        return False
    old, new = _marks_of(source), _marks_of(made)
    if len(old) == len(new) and bool((old == new).all()):
        return False
    order = old.argsort()
    at = torch.searchsorted(old[order], new).clamp_max(len(old) - 1)
    places = order[at]
    if not bool((old[places] == new).all()):
        return False
    return len(new) == len(old) or not bool((places[1:] > places[:-1]).all())


def _marks_of(tensor: torch.Tensor) -> torch.Tensor:
    """A number for each row, which is the same for the same rows."""
    bits = (tensor.detach().float() + 0.0).contiguous().view(torch.int32).long()  # one zero for both signs
    random = torch.Generator().manual_seed(7)
    factors = torch.randint(-(1 << 62), 1 << 62, (bits.shape[-1],), generator=random).to(bits.device)
    return (bits * factors).sum(-1).reshape(-1)
