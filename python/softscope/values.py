"""The values of a product: which of its factors they are, and which of their axes is summed over."""

from __future__ import annotations

import string
from typing import Any, List, Optional, Tuple

import torch

from .maps import Refused, tolerance
from .tape import ADDING, Call


def letters_of(call: Call) -> Tuple[List[str], str]:
    """Returns the letters of an einsum's factors and of what it makes, with some in place of dots."""
    equation = call.args[0]
    if not isinstance(equation, str):
        raise Refused("its einsum is not written as letters")
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if not arrow:  # then letters that stand once are left, in their order
        once = sorted(letter for letter in set(left) - set(",.") if left.count(letter) == 1)
        right = "..." * ("..." in left) + "".join(once)
    dots = [tensor.dim() - len(term.replace("...", "")) if "..." in term else 0
            for term, tensor in zip(terms, call.inputs)]
    free = "".join(letter for letter in string.ascii_letters if letter not in equation)[:max(dots, default=0)]
    expanded = [term.replace("...", free[len(free) - count:]) for term, count in zip(terms, dots)]
    return expanded, right.replace("...", free)


class Values:
    """A factor of a product as [groups, keys, channels]; `keys` is what the product sums over."""

    def __init__(self, call: Call, place: int) -> None:
        self.tensor = call.inputs[place]
        self.device = self.tensor.device
        self.tolerance = tolerance(self.tensor)
        dims = self.tensor.dim()
        if call.name == "einsum":
            terms, out = letters_of(call)
            if len(terms) != 2:
                raise Refused("its einsum has more than two factors")
            mine, other = terms[place], terms[1 - place]
            summed = [axis for axis, letter in enumerate(mine) if letter in other and letter not in out]
            free = [axis for axis, letter in enumerate(mine) if letter in out and letter not in other]
            groups = [axis for axis in range(dims) if axis not in summed and axis not in free]
        else:
            is_left = place == (1 if call.name in ADDING else 0) and call.name != "scaled_dot_product_attention"
            if call.name == "__rmatmul__":
                is_left = not is_left
            summed, free = ([dims - 1], [dims - 2]) if is_left else ([dims - 2], [dims - 1])
            groups = list(range(dims - 2))
        if not summed or len(free) > 1:
            raise Refused("its product does not sum over one axis")
        self.axes = sum(int(self.tensor.shape[axis]) > 1 for axis in summed)  # that keys lie along
        self.order = groups + summed + free
        self.sizes = [int(self.tensor.shape[axis]) for axis in self.order]
        self.group_sizes = self.sizes[:len(groups)]
        self.groups = 1
        for size in self.group_sizes:
            self.groups *= size
        self.keys = 1
        for axis in summed:
            self.keys *= int(self.tensor.shape[axis])
        self.channels = int(self.tensor.shape[free[0]]) if free else 1

    def of(self, tensor: torch.Tensor) -> torch.Tensor:
        """Returns [groups, keys, channels] of a tensor that is laid out like the factor."""
        return tensor.permute(self.order).reshape(self.groups, self.keys, self.channels)

    def like(self, values: torch.Tensor) -> torch.Tensor:
        """Returns [groups, keys, channels] in the factor's own layout."""
        back = [self.order.index(axis) for axis in range(len(self.order))]
        return values.reshape(self.sizes).permute(back).contiguous().to(self.tensor.dtype)


class JoinedValues:
    """Values of several products, such as one for each head, one behind another as Values has one product's."""

    def __init__(self, each: List[Values]) -> None:
        self.each = each
        self.tensor = [values.tensor for values in each]
        self.device = each[0].device
        self.tolerance = each[0].tolerance
        self.groups = sum(values.groups for values in each)
        self.keys, self.channels = each[0].keys, each[0].channels

    def of(self, tensors: List[torch.Tensor]) -> torch.Tensor:
        return torch.cat([values.of(tensor) for values, tensor in zip(self.each, tensors)])

    def like(self, values: torch.Tensor) -> List[torch.Tensor]:
        parts = values.split([each.groups for each in self.each])
        return [each.like(part) for each, part in zip(self.each, parts)]


def has_shared_values(call: Call, place: int) -> bool:
    """Returns whether a product multiplies each value by more than a row for each query: by an axis more, of heads,
    perhaps."""
    values, partner = call.inputs[place], call.inputs[1 - place] if place < 2 else None
    if partner is None or call.name in (*ADDING, "scaled_dot_product_attention"):
        return False
    if call.name == "einsum":
        terms, out = letters_of(call)
        return len(terms) == 2 and sum(
            letter in out and letter not in terms[place] and partner.shape[axis] > 1
            for axis, letter in enumerate(terms[1 - place])) > 1
    sizes = [1] * (partner.dim() - values.dim()) + list(values.shape)
    return any(mine == 1 < other for mine, other in zip(sizes[:-2], partner.shape[:-2]))


def sums_rows(call: Call) -> bool:
    """Returns whether a product leaves one of its factors no axis of its own, as where it makes one number of each
    row."""
    if call.name == "scaled_dot_product_attention":
        return False
    if call.name == "einsum":
        terms, out = letters_of(call) if isinstance(call.args[0], str) else ([], "")
        return len(terms) == 2 and any(not set(term) & set(out) - set(other)
                                       for term, other in (terms, terms[::-1]))
    left, right = call.inputs[1:3] if call.name in ADDING else call.inputs[:2]
    if call.name == "__rmatmul__":
        left, right = right, left
    return 1 in (left.shape[-2], right.shape[-1])


_FUSED = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")


def fused_argument(call: Call, name: str) -> Optional[Any]:
    """Returns an argument of scaled_dot_product_attention by its name."""
    place = _FUSED.index(name) if name in _FUSED else len(_FUSED)
    return call.kwargs.get(name, call.args[place] if place < len(call.args) else None)


def place_of_argument(call: Call, name: str) -> int:
    """Returns the place among the call's tensors of an argument of scaled_dot_product_attention."""
    named = [*zip(_FUSED, call.args), *call.kwargs.items()]
    return [said for said, given in named if isinstance(given, torch.Tensor)].index(name)


def expand_grouped_heads(call: Call) -> None:
    """Repeats keys and values of grouped heads for each head of the queries, so that each head of values is one
    head's."""
    query, key, value = (fused_argument(call, name) for name in ("query", "key", "value"))
    if query.dim() < 3 or query.shape[-3] == value.shape[-3]:
        return
    times = query.shape[-3] // value.shape[-3]
    kwargs = {name: fused_argument(call, name) for name in ("attn_mask", "dropout_p", "is_causal", "scale")}
    kwargs = {name: given for name, given in kwargs.items() if given is not None}
    with torch.no_grad():
        call.args = (query, key.repeat_interleave(times, -3), value.repeat_interleave(times, -3))
    call.kwargs = kwargs
    call.inputs = list(call.args) + [given for given in kwargs.values() if isinstance(given, torch.Tensor)]
    call.versions = [-1] * len(call.inputs)
