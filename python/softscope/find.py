"""Finds the attention among the calls of a module, and verifies it."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set, Tuple

import torch

from .arrange import Arranged, NoTokens, arrange
from .beside import SUMS, Beside, Sum, name_of, size_of, sums_behind
from .compact import compact
from .ends import (Stop, before_cut, before_function, before_join, channel_axes, goes_elsewhere, is_gate, lie_along,
                   said_axis, sets_behind)
from .flow import Flow, Goal
from .maps import Map, Refused, distance, tolerance
from .replay import (Added, Apart, Cut, JoinedReplay, Layout, Replay, agrees_as_it_ran, find_layout, is_all_but,
                     layout_of_sets, matrix_of, refuse_dropping)
from .tape import ADDING, Call, Step, Tape, leading_to, steps_between
from .values import JoinedValues, Values, expand_grouped_heads, place_of_argument
from .windows import Windows, are_projected_as_tokens, keys_are_tokens, put_in_place

# Numbers of one layer's attention that are looked at, and written, as a matrix.
LARGEST_MATRIX = 1 << 26
# Products of a module that are looked at to no avail, each of which takes runs of what is behind it.
MOST_IN_VAIN = 64


class Spot(NamedTuple):
    """Where attention times values is in a tensor of the module."""
    product: int  # the product's number among those of the module, which may call other functions on its first run
    steps: Tuple[Step, ...]  # from the product to the call that made the tensor
    output: int  # which of that call's outputs it is
    index: torch.Tensor  # which of its numbers are each head's [heads, queries, channels]
    products: int = 0  # of the module


class Verified(NamedTuple):
    """Attention of the first picture that maps values to what the module went on with."""
    map: Map
    error: float  # the largest difference as a fraction of the largest value
    tests: List[Tuple[torch.Tensor, torch.Tensor]]  # values [heads, keys, d] and the output [heads, queries, d]
    calls: Set[int]
    spot: Optional[Spot]
    windows: Optional[Windows]  # by which it can be put in its place where tokens are rolled or padded
    grid: Optional[List[int]] = None
    beside: Optional[Beside] = None  # what is added to attention times values before the module goes on


class Found(NamedTuple):
    """What the calls of a module computed."""
    verified: List[Verified]
    apart: List[Windows]  # within sets of tokens, whose places the modules around it may tell
    refused: List[Refused]


def refute(map_: Map, tests: List[Tuple[torch.Tensor, torch.Tensor]]) -> float:
    """The worst error of attention times values; throws Refused where it is none."""
    worst = 0.0
    for values, output in tests:
        if map_.shape() != (values.shape[0], output.shape[1], values.shape[1]):
            raise Refused(f"attention is {list(map_.shape())}, where "
                          f"{[values.shape[0], output.shape[1], values.shape[1]]} multiplied the values", 4)
        device = map_.device()
        error = distance(map_.times(values.to(device)), output.to(device))
        if not error <= tolerance(output):
            raise Refused(f"attention times values is off what it computed by {error:.2g} of the largest value", 4)
        worst = max(worst, error)
    return worst


def find_attention(tape: Tape, calls: List[Call], inputs: List[torch.Tensor], outputs: List[torch.Tensor],
                   pictures: int, heads: Optional[int], scale: Optional[float]) -> Found:
    """All attention of a module's calls, and why what looks like more of it is none."""
    verified: List[Verified] = []
    apart: List[Windows] = []
    reasons: List[Tuple[int, Refused]] = []
    for product in calls:
        if product.is_product and product.name == "scaled_dot_product_attention":
            expand_grouped_heads(product)
    flow = Flow(tape, calls, outputs)
    module = _Module(tape, flow, inputs, outputs, pictures, heads, scale)
    for product in reversed([call for call in calls if call.is_product and not call.is_settled]):
        if any(product.index in found.calls for found in verified):
            continue
        if len(reasons) >= MOST_IN_VAIN:
            reasons.append((-1, Refused(f"more than {MOST_IN_VAIN} of its products are no attention that could be "
                                        "verified (one for each token, perhaps, as in a recurrence)", 12)))
            break
        found = None
        for place in _places_of_values(product):
            try:
                found = _verify_by_any_way(module, product, place)
            except _WithinWindows as within:
                apart.insert(0, within.windows)
                break
            except Refused as reason:
                reasons.append((product.index, reason))
            except Exception as error:  # pylint: disable=broad-except
                reasons.append((product.index, Refused(f"it could not be run again ({str(error)[:150]})", 0)))
            if found is not None:
                verified.insert(0, found)
                break
    explained = set().union(*(found.calls for found in verified), *(_calls_of(flow, windows) for windows in apart))
    reasons = [(index, reason) for index, reason in reasons if index not in explained]
    told = explained.union(index for index, _ in reasons)
    reasons += [(product.index, Refused("its values depend on what another product made, without a projection between "
                                        "them (another attention, or a choice of keys)", 1))
                for product in flow.unexplained(told)]
    return Found(verified, apart, _one_for_each(flow, reasons))


def _one_for_each(flow: Flow, reasons: List[Tuple[int, Refused]]) -> List[Refused]:
    """The reason that says most of each attention that was refused, of several that a module has; else all of them."""
    if len(flow.ends) < 2:
        return [reason for _, reason in reasons]
    goals = {call.index: flow.goal_of(call) for call in flow.calls if call.is_product}
    best: Dict[int, Refused] = {}
    for index, reason in sorted(reasons, key=lambda each: each[0]):
        goal = goals.get(index)
        end = -1 if goal is None or goal.end not in flow.ends else goal.end
        if end not in best or reason.rank > best[end].rank:
            best[end] = reason
    return [reason for end, reason in best.items() if end >= 0 or len(best) == 1]


def _calls_of(flow: Flow, windows: Windows) -> Set[int]:
    """The calls that attention within windows comes from."""
    return flow.leading([windows.replay.target], windows.replay.calls[-1].index + 1)


class _Module(NamedTuple):
    """What a module computed, and what it says of it."""
    tape: Tape
    flow: Flow
    inputs: List[torch.Tensor]
    outputs: List[torch.Tensor]
    pictures: int
    heads: Optional[int]
    scale: Optional[float]


def _verify_by_any_way(module: _Module, product: Call, place: int) -> Optional[Verified]:
    """Attention of one product; or, where something is cut off from what comes of it, before that; or, where what comes
    of others is put beside it, of all of these; or before a gate, or a function that is not linear in values, which
    stands behind it."""
    goal = _goal_of_values(module, product, place)
    if goal is None:
        return None
    calls = module.flow.calls
    stop = before_function(module.tape, calls, product, goal)
    if stop is not None and stop.what is not None and _is_gated(module, product, place, goal, stop):
        return _verify(module, product, place, stop)
    try:
        return _verify(module, product, place)
    except Cut as cut:
        try:
            return _verify(module, product, place, before_cut(calls, product, goal))
        except Refused as other:
            reason: Refused = other if other.rank > cut.rank else cut
    except Added as added:
        try:
            return _verify_beside(module, product, place, goal, added)
        except Refused as other:
            reason = other
    except Refused as refused:
        reason = refused
    try:
        return _verify(module, product, place, stop) if stop is not None else _raise(reason)
    except Refused:
        raise reason from None


def _raise(reason: Refused) -> Verified:
    raise reason


def _verify_beside(module: _Module, product: Call, place: int, goal: Goal, added: Added) -> Verified:
    """Attention beside which something stands: heads of other products, or what was put behind it. Throws Refused."""
    joined = _joined_with(module, product, place)
    join = before_join(module.flow.calls, product, goal)
    if len(joined) == 1 and join is None:
        raise added
    try:
        return _verify_joined(module, joined, place) if len(joined) > 1 else _verify(module, product, place, join)
    except (Refused, _WithinWindows) as reason:
        if len(joined) > 1:
            raise Refused("something is added to attention times values before the projection (what comes of "
                          f"{len(joined) - 1} other products, which do not lie beside it as heads do)", 6) from None
        raise (added if isinstance(reason, _WithinWindows) or reason.rank < added.rank else reason) from None


def _is_gated(module: _Module, product: Call, place: int, goal: Goal, stop: Stop) -> bool:
    """Whether what multiplies attention times values is a gate, and not what makes the rows of attention sum to one."""
    def ends_at(end: Goal) -> Replay:
        return Replay(module.flow.calls, product, product.inputs[place], end.target, end.end, place)
    if _sums_to_one(ends_at(goal)):
        return False
    return _sums_to_one(ends_at(stop.goal)) or is_gate(module.flow.calls, stop)


def _is_scaled(calls: List[Call], product: Call, place: int, replay: Replay) -> bool:
    """Whether rows of attention that sum to one do not any more where something has been added to what they make."""
    alone = Replay(calls, product, product.inputs[place], product.outputs[0], product.index + 1, place)
    return _sums_to_one(alone) and not _sums_to_one(replay)


def _sums_to_one(replay: Replay) -> bool:
    """Whether the rows of attention do, as far as it can be run again: values of one are then made to be one."""
    try:
        return bool(((replay.run(torch.ones_like(replay.tensor)).float() - 1).abs() < 0.01).all())
    except (Refused, RuntimeError):
        return False


class _WithinWindows(Exception):
    def __init__(self, windows: Windows) -> None:
        super().__init__()
        self.windows = windows


def verify_windows(windows: Windows, calls: List[Call], inputs: List[torch.Tensor], pictures: int,
                   input_size: Optional[Any]) -> Verified:
    """Attention within windows over the picture's tokens, as the module with these calls has them. Throws Refused."""
    placed = put_in_place(windows, calls, inputs, pictures, input_size)
    values, replay = windows.values, windows.replay
    layout = Layout(windows.index[placed.groups].unsqueeze(0), [placed.groups])
    error = refute(Map({"attn": placed.matrix}), _tests(values, replay, layout))
    spot = _spot(calls, windows.product, replay.target, replay.calls[-1].index + 1, placed.index)
    if windows.beside is not None:
        spot = None  # what is at the spot is not attention's alone
    beside = windows.beside
    if placed.has_own_keys and beside is None:
        beside = Beside("keys of the model's own in each window", None, math.inf)
    return Verified(placed.map, error, [], set(), spot, None, placed.grid, beside)


def _tests(values: Values, replay: Replay, layout: Layout) -> List[Tuple[torch.Tensor, torch.Tensor]]:
    """Random values and the model's own [heads, keys, d], with what comes of them [heads, queries, d]."""
    generator = torch.Generator().manual_seed(1)
    some = values.of(values.like(torch.randn(values.groups, values.keys, values.channels,
                                             generator=generator).to(values.device)))
    tests = [(some[layout.groups], layout.of(replay.run(values.like(some)))),
             (values.of(values.tensor)[layout.groups], layout.of(replay.attended()))]
    return [(given.detach().clone(), made.detach().to(replay.dtype()).clone()) for given, made in tests]


def _maker(calls: List[Call], target: torch.Tensor, end: int) -> Optional[Call]:
    return next((call for call in reversed(calls) if call.index < end and
                 any(output is target for output in call.outputs)), None)


def _places_of_values(product: Call) -> Tuple[int, ...]:
    if product.name == "scaled_dot_product_attention":
        return (place_of_argument(product, "value"),)
    return (2, 1) if product.name in ADDING else (1, 0)


def _goal_of_values(module: _Module, product: Call, place: int) -> Optional[Goal]:
    """What the module goes on with, if one of a product's factors is values, and not what gives the scores of queries and
    keys. Throws Refused where it is neither."""
    flow = module.flow
    if flow.comes_of_product(product, place):
        return None  # comes from attention itself
    goal = flow.goal_of(product)
    if flow.is_attention(product, place):
        if goal is None:
            raise Refused("what it returns does not come from a product of attention and values that could be seen", 1)
        return goal
    if goal is not None and flow.is_projected(goal):
        raise Refused("what is projected is a product of two tensors, neither of which was seen to be made of scores: "
                      "whether it is attention times values is not known", 0)
    return None  # scores of queries and keys


def _verify(module: _Module, product: Call, place: int, stop: Optional[Stop] = None) -> Verified:
    """`stop` is where it ends before what the module goes on with. Throws Refused."""
    tape, projected = module.tape, _goal_of_values(module, product, place)
    assert projected is not None
    calls = module.flow.around(product, projected)
    goal = projected if stop is None else stop.goal
    if goes_elsewhere(calls, product, projected if stop is None or stop.what is None else goal, module.outputs):
        raise Refused("what comes of attention times values goes several ways, of which the first is not all", 7)
    target, end, _ = goal
    _require_undropped(calls, [product], place, target, end)
    start, tensor = _before_padding(tape, calls, product, product.inputs[place])
    values = Values(product, place)
    if tensor is not values.tensor:
        values.tensor = tensor
        values.sizes = [int(tensor.shape[axis]) for axis in values.order]
        values.channels = values.sizes[-1]
    # Before a run of sums over as many keys, which rounding may leave nothing to be told by.
    _require_small(max(1, values.groups // module.pictures), target.numel() // max(1, values.groups * values.channels),
                   values.keys)
    replay = Replay(calls, start, tensor, target, end, place if start is product else None)
    agrees_as_it_ran(replay)

    def are_tokens() -> Optional[bool]:
        return keys_are_tokens(tape, calls, product, values)
    axes, beside, added = channel_axes(calls, goal, projected, are_tokens), None, None
    pictures, heads = module.pictures, module.heads
    if stop is not None and stop.axis is not None and target.shape[stop.axis] * pictures == values.groups:
        heads = int(target.shape[stop.axis])  # these alone are heads of it
    try:
        try:
            layout = find_layout(replay, values, pictures, heads, axes)
        except Added as reason:
            sums = sums_behind(calls, product, end)
            what = name_of(sums, tape, calls, product, module.inputs)
            if what is None or not is_all_but(replay, values, {each.call.index: each.term for each in sums}):
                raise
            added = sums[0]
            replay.term, beside = reason.term, Beside(what, size_of(reason.term, target))
            layout = find_layout(replay, values, pictures, heads, axes)
            if not projected.meets_product and _is_scaled(calls, product, place, replay):
                beside = beside._replace(what=f"{what} and a factor behind it")
        if stop is not None and stop.what is not None:
            beside = _with_gate(beside, calls, stop)
    except Apart as apart:
        if stop is not None and not stop.cuts:
            apart.sets = sets_behind(calls, apart, goal, projected)
        if len({len(members) for members in apart.sets}) != 1 or (stop is not None and stop.axis is not None and
                                                                  len(apart.sets) != pictures):
            raise
        if stop is not None and stop.what is not None:
            beside = _with_gate(beside, calls, stop)
        _require_small(values.groups, apart.index.shape[1], values.keys)
        if stop is None or stop.cuts or len(apart.sets) != pictures:
            raise _WithinWindows(Windows(product, values, replay, apart.index, apart.sets, apart, beside,
                                         tape)) from apart
        layout = layout_of_sets(apart.index, apart.sets)
    over_channels = Refused("it attends over channels, which do not lie in the picture", 5)
    try:
        arranged = arrange(layout, replay, values, product, place, calls, module.inputs, pictures, heads, tape,
                           module.flow.calls)
    except NoTokens:
        if values.channels > 1 and are_tokens() is False and said_axis(calls, end, target) is not None and \
                not are_projected_as_tokens(tape, calls, product, values):
            raise over_channels from None
        raise
    if not arranged.keys_known and are_tokens() is False and not are_projected_as_tokens(tape, calls, product, values):
        raise over_channels
    layout = arranged.layout
    if stop is not None and stop.axis is not None and lie_along(layout, target, stop.axis):
        raise Refused("attention of some tokens is put behind other tokens before the projection, whose places are not "
                      "known", 7)
    tests = _tests(values, replay, layout)
    queries = layout.index.shape[1]
    _require_small(len(layout.groups), queries, values.keys)
    matrix = matrix_of(replay, values, layout)
    whole_map = Map({"attn": matrix})
    error = refute(whole_map, tests)
    map_ = compact(calls, product, place, replay, values, layout, matrix, module.scale)
    try:
        error = max(error, refute(map_, tests))
    except Refused:  # these values tell it from the matrix, which has passed
        map_ = whole_map
    spot = _spot(module.flow.calls, product, target, end, layout.index) if added is None else \
        _spot_before(module, product, replay, values, layout, added, projected, are_tokens)
    return Verified(arranged.order(map_), error, tests, module.flow.leading([target], end), spot,
                    _as_one_window(module.tape, product, values, replay, arranged, beside),
                    None if arranged.has_order else [0, 0], beside)


def _with_gate(beside: Optional[Beside], calls: List[Call], stop: Stop) -> Beside:
    """What stands beside attention times values, and a gate behind that."""
    if beside is not None:
        return beside._replace(what=f"{beside.what} and {stop.what}")
    gated = next(call.outputs[0] for call in calls if call.index == stop.goal.end)
    before = float(stop.goal.target.float().norm())
    return Beside(str(stop.what), None, float(gated.float().norm()) / before if before > 0 else math.inf)


def _as_one_window(tape: Tape, product: Call, values: Values, replay: Replay, arranged: Arranged,
                   beside: Optional[Beside]) -> Optional[Windows]:
    """A picture's tokens as one window, which may have to be put in place; nothing where heads have their values in
    common."""
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


def _joined_with(module: _Module, product: Call, place: int) -> List[Call]:
    """The products whose values are as many as a product's, and come to the same tensor, in the order in which they ran:
    of heads in a loop there is one for each."""
    def goal(other: Call) -> Optional[Tuple[int, int]]:
        try:
            found = _goal_of_values(module, other, place)
            return None if found is None else (id(found.target), found.end)
        except Refused:
            return None
    alike = [call for call in module.flow.calls if call.is_product and not call.is_settled and
             call.name == product.name and len(call.inputs) == len(product.inputs) and
             call.inputs[place].shape == product.inputs[place].shape]
    own = goal(product)
    return [call for call in alike if goal(call) == own] if len(alike) <= MOST_IN_VAIN else [product]


def _verify_joined(module: _Module, products: List[Call], place: int) -> Verified:
    """Attention whose heads are products of their own. Throws Refused."""
    first = products[0]
    goal = _goal_of_values(module, first, place)
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
    _require_small(len(layout.groups), layout.index.shape[1], values.keys)
    map_, tests = Map({"attn": matrix_of(replay, values, layout)}), _tests(values, replay, layout)
    spot = _spot(calls, products[-1], goal.target, goal.end, layout.index)
    return Verified(arranged.order(map_), refute(map_, tests), tests, module.flow.leading([goal.target], goal.end), spot,
                    None, None if arranged.has_order else [0, 0])


def _spot(calls: List[Call], product: Call, target: torch.Tensor, end: int, index: torch.Tensor) -> Optional[Spot]:
    made = _maker(calls, target, end)
    if made is None or made.index < product.index:
        return None
    return Spot(product.product, steps_between(calls, product, made),
                [output is target for output in made.outputs].index(True), index)


def _spot_before(module: _Module, product: Call, replay: Replay, values: Values, layout: Layout, added: Sum,
                 projected: Goal, are_tokens: Callable[[], Optional[bool]]) -> Optional[Spot]:
    """Where attention times values is alone, before something is added to it; nothing where that cannot be told."""
    if added.call.in_place or added.call.name.strip("_") not in SUMS:
        return None
    calls, end, attended = module.flow.calls, added.call.index, added.attended
    try:
        alone = Replay(calls, replay.start, replay.tensor, attended, end, replay.place)
        found = find_layout(alone, values, module.pictures, module.heads,
                            channel_axes(calls, Goal(attended, end, False), projected, are_tokens))
    except Refused:
        return None
    return _spot(calls, product, attended, end, found.index) if found.groups == layout.groups else None


def _require_small(heads: int, queries: int, keys: int) -> None:
    if heads * queries * keys > LARGEST_MATRIX:
        raise Refused(f"its attention, {heads} x {queries} x {keys}, is too large to look at", 10)


def _before_padding(tape: Tape, calls: List[Call], product: Call,
                    values: torch.Tensor) -> Tuple[Call, torch.Tensor]:
    """The values before a channel of ones, which sums attention's rows, was put beside them."""
    for call in calls:
        made_it = call.index < product.index and any(output is values for output in call.outputs)
        if made_it and call.name in ("pad", "cat"):
            data = [tensor for tensor in call.inputs if tape.is_data(tensor)]
            if len(data) == 1 and data[0].dim() == values.dim() and data[0].shape[:-1] == values.shape[:-1]:
                return call, data[0]
    return product, values
