"""Which calls put tokens in another order or in other places."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import torch

from .tape import Call, storage_of

# Functions that pick numbers by an index or put them in another order.
PICKS = ("gather", "index_select", "take_along_dim", "take", "masked_select", "flip", "fliplr", "flipud", "rot90", "sort",
         "msort", "argsort", "topk", "embedding", "embedding_bag", "grid_sample")
# Functions that put one tensor's numbers into another by an index.
PUTS = ("scatter", "scatter_add", "scatter_reduce", "index_copy", "index_add", "index_put", "index_reduce",
        "masked_scatter", "put", "slice_scatter", "select_scatter")
# Functions that put what stands last first.
ROLLS = ("roll", "fft_fftshift", "fft_ifftshift")
_JOINS = ("cat", "concat", "concatenate", "stack", "hstack", "vstack", "row_stack", "column_stack", "dstack")
# Functions that make a part of a tensor, or the same in another shape.
_PARTS = ("__getitem__", "narrow", "select", "unbind", "chunk", "split", "tensor_split", "hsplit", "vsplit", "contiguous",
          "clone", "squeeze", "unsqueeze", "reshape", "view")
# Functions behind a convolution that leave a map's channels its second axis.
_KEEP_CHANNELS = ("flatten", "reshape", "view", "contiguous", "clone", "batch_norm", "group_norm", "gelu", "relu", "silu",
                  "dropout", "add", "__add__", "__iadd__", "mul", "__mul__")


def has_indices(key: Any) -> bool:
    """Returns whether a subscript picks by numbers or by a mask, and not by slices and single places alone."""
    return any(isinstance(part, (list, range)) or getattr(part, "ndim", 0) > 0
               for part in (key if isinstance(key, tuple) else (key,)))


def is_picture(tensor: torch.Tensor) -> bool:
    """Returns whether it may be pictures [batch, 3, height, width]."""
    return tensor.dim() == 4 and tensor.shape[1] == 3 and tensor.is_floating_point()


def resizes(name: str) -> bool:
    """Returns whether a function scales all of a picture."""
    return name in ("interpolate", "upsample") or "pool" in name


def pads(call: Call, last_counts: bool) -> bool:
    """Returns whether a call of pad() pads anything: where the last axis does not count, more than that one."""
    padding = call.kwargs.get("pad", call.args[1] if len(call.args) > 1 else ())
    return any(padding) and (last_counts or len(padding) > 2)


def joined_axis(call: Call) -> Optional[int]:
    """Returns the axis along which a call puts tensors behind one another, or None for other calls."""
    dims = call.outputs[0].dim() if call.outputs else 0
    if call.name in ("hstack", "column_stack", "vstack", "row_stack", "dstack"):
        return {"v": 0, "r": 0, "d": 2}.get(call.name[0], min(1, dims - 1))
    if call.name not in ("cat", "concat", "concatenate"):
        return None
    axis = call.kwargs.get("dim", call.kwargs.get("axis", call.args[1] if len(call.args) > 1 else 0))
    return int(axis) % dims


def has_channels_second(makers: Dict[int, Call], tensor: torch.Tensor) -> bool:
    """Returns whether a tensor [batch, channels, tokens] is a map whose rows and columns were made one axis."""
    maker = makers.get(id(tensor))
    while maker is not None and maker.inputs and maker.inputs[0].shape[:2] == tensor.shape[:2] and \
            (maker.name in _KEEP_CHANNELS or maker.name.rstrip("_") in _KEEP_CHANNELS):
        tensor = maker.inputs[0]
        if tensor.dim() == 4:
            return True
        maker = makers.get(id(tensor))
    return maker is not None and maker.name == "conv1d"


def _whole_of(makers: Dict[int, Call], part: torch.Tensor) -> Tuple[torch.Tensor, bool]:
    """Returns the tensor that one is a part of, or has in another shape, and whether it is less than that."""
    is_part = False
    maker = makers.get(id(part))
    while maker is not None and maker.name in _PARTS and maker.inputs:
        is_part = is_part or len(maker.outputs) > 1 or maker.outputs[0].numel() < maker.inputs[0].numel()
        part = maker.inputs[0]
        maker = makers.get(id(part))
    return part, is_part


def parts_joined(makers: Dict[int, Call], call: Call) -> Optional[torch.Tensor]:
    """Returns the tensor whose parts a call puts behind one another, where it does so with parts of one tensor."""
    if call.name not in _JOINS or len(call.inputs) < 2:
        return None
    sources = []
    for part in call.inputs:
        whole, is_part = _whole_of(makers, part)
        if not is_part or (sources and sources[0] is not whole):
            return None
        sources.append(whole)
    return sources[0]


class Written:
    """A tensor into whose slices others are written, until it is read: by then it is full."""

    def __init__(self, views: List[torch.Tensor]) -> None:
        self.views = views  # all of it, in several shapes; held, so that their identities stay theirs
        self.whole = views[0]
        self.calls: List[Call] = []
        self.sources: Dict[int, torch.Tensor] = {}
        self.is_own = False  # parts of itself were written to other places of it

    def is_moved(self) -> bool:
        """Returns whether what was written stands at other places than where it came from, or in another order."""
        if self.is_own or self.whole.numel() == 0:
            return self.is_own
        marks = _marks_of(self.whole)
        return any(_is_moved(_marks_of(source), marks) for source in self.sources.values()
                   if source.shape[-1] == self.whole.shape[-1] and source.numel() > 0)


def note_written(makers: Dict[int, Call], call: Call, known: Dict[int, Written]) -> None:
    """Keeps what a call writes into slices of a tensor, or of what this one is a view of."""
    target = call.inputs[0]
    given = next((each for each in call.inputs[1:] if each.is_floating_point() and each.dim() > 0), None)
    if given is None:
        return
    views = [target]  # each one of the next
    maker = makers.get(id(target))
    while maker is not None and maker.inputs and storage_of(maker.inputs[0]) == storage_of(target) is not None:
        views.append(maker.inputs[0])
        maker = makers.get(id(views[-1]))
    views = [view for view in views if view.numel() == views[-1].numel()]  # any of which may be read
    source, _ = _whole_of(makers, given)
    written = next((known[id(view)] for view in views if id(view) in known), Written(views))
    known.update((id(view), written) for view in views)
    written.calls.append(call)
    place = target[call.args[1]] if call.name == "__setitem__" else target
    if storage_of(source) == storage_of(target) is not None:
        written.is_own = written.is_own or place.data_ptr() != given.data_ptr()  # else x[:, 1:] += y
    else:
        written.sources[id(source)] = source


def _is_moved(old: torch.Tensor, new: torch.Tensor) -> bool:
    """Returns whether rows, by their marks, stand at other places among new ones, or in another order."""
    unique, back, counts = old.unique(return_inverse=True, return_counts=True)
    at = torch.searchsorted(unique, new).clamp_max(len(unique) - 1)
    is_known = (unique[at] == new) & (counts[at] == 1)  # of several that are the same, none tells its place
    first = torch.empty_like(unique).scatter_(0, back, torch.arange(len(old), device=old.device))
    places = first[at][is_known]
    if len(old) == len(new):
        return not bool((places == torch.arange(len(new), device=new.device)[is_known]).all())
    return not bool((places[1:] > places[:-1]).all())


def span_of(source: torch.Tensor, whole: torch.Tensor) -> Optional[Tuple[int, int]]:
    """Returns how many tokens `whole` has, and how many of these stand behind all of those of `source`, or None where
    these do not stand in it as they are."""
    source = source[None] if source.dim() == whole.dim() - 1 and len(whole) == 1 else source
    if source.dim() != whole.dim() or source.shape[-1] != whole.shape[-1]:
        return None
    axes = [axis for axis in range(whole.dim() - 1) if source.shape[axis] != whole.shape[axis]]
    if len(axes) != 1 or source.numel() == 0:
        return None
    old, new = (_marks_of(tensor).reshape(tensor.shape[:-1]).movedim(axes[0], 0) for tensor in (source, whole))
    for first in range(len(new) - len(old) + 1):
        if torch.equal(new[first:first + len(old)], old):
            return len(new), len(new) - len(old) - first
    return None


def places_of(source: torch.Tensor, made: torch.Tensor) -> Optional[torch.Tensor]:
    """Returns which rows of `source`, along the last axis, those of `made` are, or -1 where several are the same, or
    None where they are others."""
    if source.shape[-1] != made.shape[-1] or made.numel() == 0 or source.numel() == 0:
        return None
    unique, back, counts = _marks_of(source).unique(return_inverse=True, return_counts=True)
    new = _marks_of(made)
    at = torch.searchsorted(unique, new).clamp_max(len(unique) - 1)
    if not bool((unique[at] == new).all()):
        return None
    first = torch.empty_like(unique).scatter_(0, back, torch.arange(len(back), device=back.device))
    return torch.where(counts[at] == 1, first[at], torch.full_like(at, -1)).cpu()


def reorders(source: torch.Tensor, made: torch.Tensor) -> bool:
    """Returns whether the rows of `made`, along the last axis, are rows of `source` in another order."""
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
    """Returns a number for each row, which is the same for equal rows."""
    bits = (tensor.detach().float() + 0.0).contiguous().view(torch.int32).long()  # one zero for both signs
    random = torch.Generator().manual_seed(7)
    factors = torch.randint(-(1 << 62), 1 << 62, (bits.shape[-1],), generator=random).to(bits.device)
    return (bits * factors).sum(-1).reshape(-1)
