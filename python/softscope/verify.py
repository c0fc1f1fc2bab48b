"""Verifies the attention of one product, or of several that are heads, up to where the module goes on with it."""

from __future__ import annotations

import math
from typing import Any, Callable, List, NamedTuple, Optional, Set, Tuple

import torch

from .arrange import Arranged, NoTokens, arrange
from .beside import SCALINGS, SUMS, Beside, Sum, name_of, size_of, sums_behind
from .compact import compact
from .descent import Descent
from .ends import Stop, adds_up_heads, channel_axes, goes_elsewhere, lie_along, said_axis, sets_behind
from .flow import Flow, Goal
from .follow import refusing_none
from .heads import sets_of_heads
from .maps import Map, Refused
from .replay import (Added, Apart, JoinedReplay, Layout, OverChannels, Replay, agrees_as_it_ran, find_layout, is_all_but,
                     layout_of_sets, matrix_of, refuse_dropping, sums_to_one)
from .tape import Call, Tape, leading_to
from .values import JoinedValues, Values
from .verified import Spot, Verified, refute, require_small, spot_of, tests_of
from .windows import CLEAR, Windows, are_projected_as_tokens, keys_are_tokens, put_in_place


class Module(NamedTuple):
    """What a module computed, and what it says of it."""
    tape: Tape
    flow: Flow
    inputs: List[torch.Tensor]
    outputs: List[torch.Tensor]
    pictures: int
    heads: Optional[int]
    scale: Optional[float]
    descent: Descent


class Unseen(Refused):
    """Raised if a factor of a product was made by a function that is not seen."""


class WithinWindows(Exception):
    def __init__(self, windows: Windows) -> None:
        super().__init__()
        self.windows = windows


def goal_of_values(module: Module, product: Call, place: int) -> Optional[Goal]:
    """Returns what the module goes on with if one of a product's factors is values, and None where it is what gives
    the scores of queries and keys. Throws Refused where it is neither."""
    flow = module.flow
    if flow.comes_of_product(product, place):
        return None  # comes from attention itself
    goal = flow.goal_of(product)
    if flow.is_attention(product, place):
        if goal is None:
            raise Refused("what it returns does not come from a product of attention and values that could be seen", 1)
        return goal
    if goal is not None and flow.is_projected(goal):
        if any(module.tape.is_data(factor) and not module.tape.has_met(factor) for factor in product.inputs[:3]):
            raise Unseen("a factor of the product that is projected was made by a function that is not seen (a "
                         "scripted one, or a kernel of its own): say what it is with softscope.record_attention()", 10)
        raise Refused("what is projected is a product of two tensors, neither of which was seen to be made of scores: "
                      "whether it is attention times values is not known", 0)
    return None  # scores of queries and keys


def _is_scaled(calls: List[Call], product: Call, replay: Replay) -> bool:
    """Returns whether rows of attention that sum to one do not any more where something has been added to what they
    make."""
    alone = Replay(calls, replay.start, replay.tensor, product.outputs[0], product.index + 1, replay.place)
    return sums_to_one(alone) and not sums_to_one(replay)


def verify(module: Module, product: Call, place: int, stop: Optional[Stop] = None) -> Verified:
    """Verifies the attention of a product, which ends before what the module goes on with where `stop` says so. Throws
    Refused."""
    tape, projected = module.tape, goal_of_values(module, product, place)
    assert projected is not None
    calls = module.flow.around(product, projected)
    goal = projected if stop is None else stop.goal
    if goes_elsewhere(calls, product, projected if stop is None or stop.what is None else goal, module.outputs):
        raise Refused("what comes of attention times values goes several ways, of which the first is not all", 7)
    _require_undropped(calls, [product], place, goal.target, goal.end)
    values, replay = _values_of(module, calls, product, place, goal)

    def are_tokens() -> Optional[bool]:
        told = keys_are_tokens(tape, calls, product, values)
        return True if told is None and are_projected_as_tokens(tape, calls, product, values, CLEAR) else told
    heads = module.heads
    if stop is not None and stop.axis is not None and goal.target.shape[stop.axis] * module.pictures == values.groups:
        heads = int(goal.target.shape[stop.axis])  # these alone are heads of it
    layout, beside, added = _layout_of(module, product, values, replay, goal, projected, stop, heads, are_tokens)
    if stop is not None and stop.mixes and refusing_none(adds_up_heads, calls, layout, goal, projected):
        stop = stop._replace(what=str(stop.what).replace("its rows", "its heads"))
    beside = _with_stop(beside, calls, stop)
    arranged = _arranged_over_tokens(module, product, place, values, replay, layout, goal, projected, heads,
                                     are_tokens)
    layout = arranged.layout
    if stop is not None and stop.axis is not None and lie_along(layout, goal.target, stop.axis):
        raise Refused("attention of some tokens is put behind other tokens before the projection, whose places are not "
                      "known", 7)
    tests = tests_of(values, replay, layout)
    require_small(len(layout.groups), layout.index.shape[1], values.keys)
    matrix = matrix_of(replay, values, layout)
    whole_map = Map({"attn": matrix})
    error = refute(whole_map, tests)
    map_ = compact(calls, product, place, replay, values, layout, matrix, module.scale)
    try:
        error = max(error, refute(map_, tests))
    except Refused:  # these values tell it from the matrix, which has passed
        map_ = whole_map
    spot = spot_of(module.flow.calls, product, goal.target, goal.end, layout.index) if added is None else \
        _spot_before(module, product, replay, values, layout, added, projected, are_tokens)
    return Verified(arranged.order(map_), error, tests, module.flow.leading([goal.target], goal.end), spot,
                    _as_one_window(tape, product, values, replay, arranged, beside),
                    None if arranged.has_order else [0, 0], beside, arranged.behind,
                    _is_foreign(module.descent, replay, layout), arranged.is_unsorted)


def _values_of(module: Module, calls: List[Call], product: Call, place: int, goal: Goal) -> Tuple[Values, Replay]:
    """Returns a product's values, before padding and factors of them, and what runs again what is made of these. Throws
    Refused."""
    start, tensor = _before_padding(module.tape, calls, product, product.inputs[place])
    values, at = Values(product, place), None
    if start is product:
        start, tensor, at = before_factors(calls, product, place, tensor)
    if tensor is not values.tensor:
        values.tensor = tensor
        values.sizes = [int(tensor.shape[axis]) for axis in values.order]
        values.channels = values.sizes[-1]
    # Before a run of sums over as many keys, which rounding may leave nothing to be told by.
    require_small(max(1, values.groups // module.pictures),
                  goal.target.numel() // max(1, values.groups * values.channels), values.keys)
    replay = Replay(calls, start, tensor, goal.target, goal.end, at)
    agrees_as_it_ran(replay)
    return values, replay


def _layout_of(module: Module, product: Call, values: Values, replay: Replay, goal: Goal, projected: Goal,
               stop: Optional[Stop], heads: Optional[int],
               are_tokens: Callable[[], Optional[bool]]) -> Tuple[Layout, Optional[Beside], Optional[Sum]]:
    """Returns where each value goes, and what is added there, with the call that adds it. Throws Refused, and
    WithinWindows."""
    calls, pictures = module.flow.around(product, projected), module.pictures
    axes, beside, added = channel_axes(calls, goal, projected, are_tokens), None, None
    try:
        try:
            layout = find_layout(replay, values, pictures, heads, axes)
        except Added as reason:
            sums = sums_behind(calls, product, goal.end)
            what = name_of(sums, module.tape, calls, product, module.inputs)
            if what is None or not is_all_but(replay, values, {each.call.index: each.term for each in sums}):
                raise
            added = sums[0]
            replay.term, beside = reason.term, Beside(what, size_of(reason.term, goal.target))
            layout = find_layout(replay, values, pictures, heads, axes)
            if not projected.meets_product and _is_scaled(calls, product, replay):
                beside = beside._replace(what=f"{what} and a factor behind it")
    except Apart as apart:
        are_heads = _find_sets(apart, module, product, values, replay, projected, stop)
        require_small(values.groups, apart.index.shape[1], values.keys)
        if not are_heads:
            raise WithinWindows(Windows(product, values, replay, apart.index, apart.sets, apart,
                                        _with_stop(beside, calls, stop), module.tape)) from apart
        layout = layout_of_sets(apart.index, apart.sets)
    return layout, beside, added


def _arranged_over_tokens(module: Module, product: Call, place: int, values: Values, replay: Replay, layout: Layout,
                          goal: Goal, projected: Goal, heads: Optional[int],
                          are_tokens: Callable[[], Optional[bool]]) -> Arranged:
    """Returns how rows and columns stand as the module's tokens do. Throws OverChannels where keys are channels."""
    tape, calls = module.tape, module.flow.around(product, projected)
    try:
        arranged = arrange(layout, replay, values, product, place, calls, module.inputs, module.pictures, heads, tape,
                           module.flow.calls)
    except NoTokens:
        if values.channels > 1 and are_tokens() is False and said_axis(calls, goal.end, goal.target) is not None and \
                not are_projected_as_tokens(tape, calls, product, values):
            raise OverChannels(5) from None
        raise
    if not arranged.keys_known and are_tokens() is False and not are_projected_as_tokens(tape, calls, product, values):
        raise OverChannels(5)
    return arranged


def _find_sets(apart: Apart, module: Module, product: Call, values: Values, replay: Replay, projected: Goal,
               stop: Optional[Stop]) -> bool:
    """Finds which groups of values are heads of the same tokens, and puts them into `apart`. Returns whether those are all
    tokens of a picture, and not windows. Throws `apart` where the sets have not as many heads each."""
    calls, pictures = module.flow.around(product, projected), module.pictures
    joins = stop is not None and stop.axis is not None
    cuts = stop is not None and stop.cuts
    heads = None if joins or cuts else sets_of_heads(apart, values, replay, product, calls, module.inputs, pictures)
    if heads is not None:
        apart.sets = heads
    elif stop is not None and not cuts:
        apart.sets = sets_behind(calls, apart, stop.goal, projected, stop.mixes)
    if len({len(members) for members in apart.sets}) != 1 or (joins and len(apart.sets) != pictures):
        raise apart
    return heads is not None or (stop is not None and not cuts and len(apart.sets) == pictures)


def _is_foreign(descent: Descent, replay: Replay, layout: Layout) -> bool:
    """Returns whether rows, or columns, are known to come of something else than patches."""
    values = replay.tensor if isinstance(replay.tensor, list) else [replay.tensor]
    rows = [] if layout.index.shape[1] == 1 else [replay.target]
    return any(descent.denies(tensor) for tensor in [*values, *rows])


def _with_stop(beside: Optional[Beside], calls: List[Call], stop: Optional[Stop]) -> Optional[Beside]:
    """Returns what stands beside attention times values, and what a stop names behind that, such as a gate."""
    if stop is None or stop.what is None:
        return beside
    if beside is not None:
        return beside._replace(what=f"{beside.what} and {stop.what}")
    gated = next(call.outputs[0] for call in calls if call.index == stop.goal.end)
    before = float(stop.goal.target.float().norm())
    return Beside(str(stop.what), None, float(gated.abs().float().norm()) / before if before > 0 else math.inf)


def _as_one_window(tape: Tape, product: Call, values: Values, replay: Replay, arranged: Arranged,
                   beside: Optional[Beside]) -> Optional[Windows]:
    """Returns a picture's tokens as one window, which may have to be put in place, or None where heads have their
    values in common."""
    layout = arranged.layout
    if len(set(layout.groups)) < len(layout.groups):
        return None
    index = torch.zeros((values.groups, *layout.index.shape[1:]), dtype=torch.int64)
    index[layout.groups] = layout.index
    return Windows(product, values, replay, index, [layout.groups],
                   Refused("it or the module around it rolls or pads its tokens (windows), so that they are not in their "
                           "places", 9), beside, tape)


def _require_undropped(calls: List[Call], products: List[Call], place: int, target: torch.Tensor, end: int) -> None:
    """Throws Refused where calls that the target comes from drop at random, but for those that values come from: what
    drops weights stands before the products, which are what is run again."""
    before: Set[int] = set()
    for product in products:
        before |= leading_to([call for call in calls if call.index < product.index], [product.inputs[place]])
    used = leading_to([call for call in calls if call.index < end], [target])
    for call in calls:
        if call.index in used - before:
            refuse_dropping(call)


def verify_joined(module: Module, products: List[Call], place: int) -> Verified:
    """Verifies attention whose heads are products of their own. Throws Refused."""
    first = products[0]
    goal = goal_of_values(module, first, place)
    calls = module.flow.calls if goal is None else module.flow.around(first, goal)
    if goal is None or any(goes_elsewhere(calls, product, goal, module.outputs) for product in products):
        raise Refused("what comes of attention times values goes several ways, of which the first is not all", 7)
    _require_undropped(calls, products, place, goal.target, goal.end)
    replay = JoinedReplay(calls, [(product, place) for product in products], goal.target, goal.end)
    values = JoinedValues([Values(product, place) for product in products])
    agrees_as_it_ran(replay)
    axes = channel_axes(calls, goal, goal,
                        lambda: keys_are_tokens(module.tape, calls, first, values.each[0]))
    layout = find_layout(replay, values, module.pictures, module.heads, axes)
    arranged = arrange(layout, replay, values, first, place, calls, module.inputs, module.pictures, module.heads,
                       module.tape, module.flow.calls)
    layout = arranged.layout
    require_small(len(layout.groups), layout.index.shape[1], values.keys)
    map_, tests = Map({"attn": matrix_of(replay, values, layout)}), tests_of(values, replay, layout)
    spot = spot_of(calls, products[-1], goal.target, goal.end, layout.index)
    return Verified(arranged.order(map_), refute(map_, tests), tests, module.flow.leading([goal.target], goal.end), spot,
                    None, None if arranged.has_order else [0, 0], None, arranged.behind,
                    _is_foreign(module.descent, replay, layout), arranged.is_unsorted)


def _spot_before(module: Module, product: Call, replay: Replay, values: Values, layout: Layout, added: Sum,
                 projected: Goal, are_tokens: Callable[[], Optional[bool]]) -> Optional[Spot]:
    """Returns where attention times values is alone, before something is added to it, or None where that cannot be
    told."""
    if added.call.in_place or added.call.name.strip("_") not in SUMS:
        return None
    calls, end, attended = module.flow.calls, added.call.index, added.attended
    try:
        alone = Replay(calls, replay.start, replay.tensor, attended, end, replay.place)
        found = find_layout(alone, values, module.pictures, module.heads,
                            channel_axes(calls, Goal(attended, end, False), projected, are_tokens))
    except Refused:
        return None
    return spot_of(calls, product, attended, end, found.index) if found.groups == layout.groups else None


def before_factors(calls: List[Call], product: Call, place: int,
                   values: torch.Tensor) -> Tuple[Call, torch.Tensor, Optional[int]]:
    """Returns the values before what multiplies each by a number, which is a part of the matrix as it would be behind
    the product, the call that is given them, and at which place, or None for all. A factor of each channel is a part of
    the values."""
    start, at = product, place if values is product.inputs[place] else None
    behind = {id(output): call for call in calls if call.index < product.index for output in call.outputs}
    while (call := behind.get(id(values))) is not None:
        scaled = call.inputs[0] if call.inputs else values
        others = [tensor for tensor in call.inputs if tensor is not scaled]
        uses = sum(given is values for other in calls for given in other.inputs)
        if call.name.strip("_") not in SCALINGS or call.written or uses != 1 or scaled.shape != values.shape or \
                len(call.inputs) > 2 or len(others) != len(call.inputs) - 1:
            break
        each = Values(product, place)
        axis = each.order[-1] - values.dim()
        if any((tensor.dim() >= -axis and tensor.shape[axis] > 1) or
               not bool((each.of(tensor.expand_as(values)) != 0).flatten(1).any(1).all()) for tensor in others):
            break  # of each channel, or by zero, which leaves a head no matrix
        start, values, at = call, scaled, None
    return start, values, at


def _before_padding(tape: Tape, calls: List[Call], product: Call,
                    values: torch.Tensor) -> Tuple[Call, torch.Tensor]:
    """Returns the values before a channel of ones, which sums attention's rows, was put beside them, with the call
    that did so."""
    for call in calls:
        made_it = call.index < product.index and any(output is values for output in call.outputs)
        if made_it and call.name in ("pad", "cat"):
            data = [tensor for tensor in call.inputs if tape.is_data(tensor)]
            if len(data) == 1 and data[0].dim() == values.dim() and data[0].shape[:-1] == values.shape[:-1]:
                return call, data[0]
    return product, values


def verify_windows(windows: Windows, calls: List[Call], inputs: List[torch.Tensor], pictures: int,
                   input_size: Optional[Any]) -> Verified:
    """Verifies attention within windows over the picture's tokens, as the module with these calls has them. Throws
    Refused."""
    placed = put_in_place(windows, calls, inputs, pictures, input_size)
    values, replay = windows.values, windows.replay
    layout = Layout(windows.index[placed.groups].unsqueeze(0), [placed.groups])
    error = refute(Map({"attn": placed.matrix}), tests_of(values, replay, layout))
    spot = spot_of(calls, windows.product, replay.target, replay.calls[-1].index + 1, placed.index)
    if windows.beside is not None:
        spot = None  # what is at the spot is not attention's alone
    beside = windows.beside
    if placed.has_own_keys and beside is None:
        beside = Beside("keys of the model's own in each window", None, math.inf)
    return Verified(placed.map, error, [], set(), spot, None, placed.grid, beside)
