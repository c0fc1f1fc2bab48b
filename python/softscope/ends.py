"""Where attention times values ends: what a module goes on with, and which of its axes that takes for channels."""

from __future__ import annotations

import heapq
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

import torch

from .beside import Roots
from .maps import Refused
from .tape import ADDING, ENDS, NORMALISERS, PRODUCTS, Call, Tape, axis_of_channels, leading_to

_OF_PRODUCT, _OF_NORMALISER = 1, 2


class Flow:
    """Which calls of a module read a tensor, and what is known of where it comes from: asked for each product, it is
    counted once."""

    def __init__(self, calls: List[Call]) -> None:
        self.calls = calls
        self._readers: Dict[int, List[int]] = {}
        self._places = {call.index: place for place, call in enumerate(calls)}
        self._origins: List[List[int]] = []  # of each call's inputs
        known: Dict[int, int] = {}
        for place, call in enumerate(calls):
            for tensor in {id(tensor): tensor for tensor in call.inputs}:
                self._readers.setdefault(tensor, []).append(place)
            self._origins.append([known.get(id(tensor), 0) for tensor in call.inputs])
            origin = _OF_PRODUCT if call.is_product else _OF_NORMALISER if _name(call) in NORMALISERS else 0
            for one in self._origins[-1]:
                origin |= one
            for output in call.outputs:
                known[id(output)] = known.get(id(output), 0) | origin

    def comes_of_product(self, call: Call, place: int) -> bool:
        """Whether an input of a call is made of what a product made."""
        return bool(self._origins[self._places[call.index]][place] & _OF_PRODUCT)

    def is_normalised(self, call: Call, place: int) -> bool:
        """Whether an input of a call is made of what a softmax or the like made."""
        return bool(self._origins[self._places[call.index]][place] & _OF_NORMALISER)

    def behind(self, product: Call) -> Iterator[Tuple[Call, torch.Tensor]]:
        """The calls that what a product makes comes to, in their order, each with what of it the call is given."""
        begin, live, waiting = self._places[product.index], set(), []

        def go_on(call: Call) -> None:
            for output in call.outputs:
                if id(output) not in live:
                    live.add(id(output))
                    for reader in self._readers.get(id(output), []):
                        if reader > begin:
                            heapq.heappush(waiting, reader)
        go_on(product)
        last = begin
        while waiting:
            place = heapq.heappop(waiting)
            if place == last:
                continue
            last, call = place, self.calls[place]
            yield call, next(tensor for tensor in call.inputs if id(tensor) in live)
            begin = place
            go_on(call)


class Goal(NamedTuple):
    """What a module went on with of attention times values, and the index of the call that is given it."""
    target: torch.Tensor
    end: int
    meets_product: bool  # on the way


def goal_of(tape: Tape, flow: Flow, product: Call, outputs: List[torch.Tensor]) -> Optional[Goal]:
    """What the module's projection is given, or what it returns."""
    live = {id(output) for output in product.outputs}
    meets = False
    for call, given in flow.behind(product):
        if is_end(call):
            return Goal(given, call.index, meets)
        meets = meets or call.is_product
        live.update(id(output) for output in call.outputs)
    returned = next((output for output in outputs if id(output) in live), None)
    return None if returned is None else Goal(returned, tape.count, meets)


def before_cut(calls: List[Call], product: Call, goal: Goal) -> Goal:
    """What was there before the module cut something off. Throws Refused where it cut nothing off."""
    behind = [call for call in calls if product.index < call.index < goal.end]
    led = leading_to(behind, [goal.target])
    for call in reversed([call for call in behind if call.index in led]):
        if call.name in ("__getitem__", "narrow", "slice") and call.outputs[0].numel() < call.inputs[0].numel():
            return goal._replace(target=call.inputs[0], end=call.index)
    raise Refused("its output has not every channel of its values", 5)


def _name(call: Call) -> str:
    return call.name.rstrip("_")


def is_end(call: Call) -> bool:
    """Whether a call is the projection, or what is not linear in values."""
    return _name(call) in ENDS or is_projection(call)


def is_projection(call: Call) -> bool:
    """Whether a call multiplies by weights."""
    is_multiplied = call.name in PRODUCTS and not call.is_product and call.name != "scaled_dot_product_attention"
    return is_multiplied or call.name.startswith(("linear", "conv"))


def goes_elsewhere(calls: List[Call], product: Call, goal: Goal, outputs: List[torch.Tensor]) -> bool:
    """Whether the module goes on with something else of attention times values, too, such as with the whole where the
    target is a mean of it, which is a gate."""
    behind = [call for call in calls if call.index > product.index]
    roots = Roots(behind)
    root = roots.of(goal.target)
    live = {id(output): output for output in product.outputs}
    for call in behind:
        given = [tensor for tensor in call.inputs if id(tensor) in live and roots.of(tensor) is not root]
        if given and call.index > goal.end and is_end(call):
            return True
        made_of_target = call.index >= goal.end and not given
        if any(id(tensor) in live for tensor in call.inputs) and not made_of_target and not is_end(call):
            live.update((id(output), output) for output in call.outputs)
    return any(id(output) in live and roots.of(output) is not root for output in outputs)


def is_normalised(calls: List[Call], end: int) -> bool:
    return any(call.index == end and _name(call) in NORMALISERS for call in calls)


def channel_axes(calls: List[Call], end: int, target: torch.Tensor,
                 are_tokens: Callable[[], Optional[bool]]) -> List[int]:
    """Which axes of what the module goes on with may be channels, as what follows says; where nothing does that, by
    whether the keys are tokens."""
    following = next((call for call in calls if call.index == end), None)
    said = None if following is None else _mixed_axis(following, target)
    if said is not None:
        return [said]
    told = are_tokens()
    if told is None:
        raise Refused("whether its keys are tokens or channels cannot be told by what follows in its module, nor by what "
                      "they are computed of", 5)
    return [axis for axis in range(-1, -1 - target.dim(), -1) if told]


def _mixed_axis(call: Call, target: torch.Tensor) -> Optional[int]:
    """The axis that weights of a call mix, or that it normalises by itself; nothing where it does not say: weights to the
    left of what they multiply, and in an einsum, may as well mix tokens."""
    axis = axis_of_channels(_name(call))
    if axis is not None or not is_projection(call) or call.name == "einsum":
        return axis
    place = next(place for place, tensor in enumerate(call.inputs) if tensor is target)
    is_first = place == (1 if call.name in ADDING else 0)
    return -1 if is_first != (call.name == "__rmatmul__") else None
