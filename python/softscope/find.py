"""Finds the attention among the calls of a module, and verifies it."""

from __future__ import annotations

import math
from typing import Dict, FrozenSet, List, NamedTuple, Optional, Set, Tuple

import torch

from .beside import Beside
from .descent import Descent
from .ends import (Stop, before_cut, before_join, before_mixing, goes_elsewhere, is_factor, is_gate, makes_sums_of,
                   stops_behind)
from .flow import Flow, Goal
from .maps import Refused, distance
from .replay import Added, Cut, OverChannels, Replay, sums_to_one
from .tape import ADDING, Call, Tape, leading_to
from .values import expand_grouped_heads, place_of_argument, sums_rows
from .verified import Verified
from .verify import Module, WithinWindows, before_factors, goal_of_values, verify, verify_joined
from .windows import Windows

# Products of a module that are looked at to no avail, each of which takes runs of what is behind it.
MOST_IN_VAIN = 64


class Found(NamedTuple):
    """What the calls of a module computed."""
    verified: List[Verified]
    apart: List[Windows]  # within sets of tokens, whose places the modules around it may tell
    refused: List[Refused]
    explained: FrozenSet[int] = frozenset()  # indices of the calls that these attentions are made of


def find_attention(tape: Tape, calls: List[Call], inputs: List[torch.Tensor], outputs: List[torch.Tensor],
                   pictures: int, heads: Optional[int], scale: Optional[float], descent: Descent) -> Found:
    """Finds all attention of a module's calls, and why what looks like more of it is none."""
    verified: List[Verified] = []
    apart: List[Windows] = []
    reasons: List[Tuple[int, Refused]] = []
    for product in calls:
        if product.is_product and product.name == "scaled_dot_product_attention":
            expand_grouped_heads(product)
    flow = Flow(tape, calls, outputs)
    module = Module(tape, flow, inputs, outputs, pictures, heads, scale, descent)
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
            except WithinWindows as within:
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
    explained |= _sums_beside(module, explained)
    reasons = [(index, reason) for index, reason in reasons if index not in explained]
    told = explained.union(index for index, _ in reasons)
    reasons += [(product.index, Refused("its values depend on what another product made, without a projection between "
                                        "them (another attention, or a choice of keys)", 1))
                for product in flow.unexplained(told)]
    return Found(verified, apart, _one_for_each(flow, _of_attention(module, reasons)), frozenset(explained))


def _sums_beside(module: Module, explained: Set[int]) -> Set[int]:
    """Returns indices of the products that sum rows and of which nothing comes but factors of what attention of
    `explained` calls comes to, such as its gate."""
    flow = module.flow
    goals = [flow.goal_of(call) for call in flow.calls if call.is_product and call.index in explained]
    targets = [goal.target for goal in goals if goal is not None]
    sums = [call for call in flow.calls if call.is_product and call.index not in explained and sums_rows(call)]
    if not targets or not sums:
        return set()
    led = leading_to(flow.calls, targets)
    return {call.index for call in sums if flow.goal_of(call) is None or (
        call.index in led and is_factor(module.tape, flow, call))}


def _of_attention(module: Module, reasons: List[Tuple[int, Refused]]) -> List[Tuple[int, Refused]]:
    """Returns reasons but for those that say nothing of attention: of sums that are a factor of it, and of keys times
    values read as weights of channels, where linear attention was refused for a reason of its own."""
    flow, calls = module.flow, {call.index: call for call in module.flow.calls}
    goals = {index: None if index not in calls else flow.goal_of(calls[index]) for index, _ in reasons}

    def says_nothing(index: int, reason: Refused) -> bool:
        goal = goals[index]
        if goal is None:
            return False
        if isinstance(reason, OverChannels):
            return any(other is not None and before < index and other.meets_product and other.end == goal.end
                       for before, other in goals.items())
        return sums_rows(calls[index]) and is_factor(module.tape, flow, calls[index])
    return [each for each in reasons if not says_nothing(*each)] or reasons


def _one_for_each(flow: Flow, reasons: List[Tuple[int, Refused]]) -> List[Refused]:
    """Returns the reason that says most of each attention that was refused, of several that a module has; else all of
    them."""
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
    """Returns the calls that attention within windows comes from."""
    return flow.leading([windows.replay.target], windows.replay.calls[-1].index + 1)


def _verify_by_any_way(module: Module, product: Call, place: int) -> Optional[Verified]:
    """Verifies attention of one product up to where the module goes on with it, or before something is cut off, or
    together with what is put beside it, or before a gate or a function that is not linear in values."""
    goal = goal_of_values(module, product, place)
    if goal is None:
        return None
    _require_no_cascade(module, product, goal)
    calls = module.flow.calls
    stops = stops_behind(module.tape, calls, product, place, goal)
    gate = _gate_of(module, product, place, goal, stops)
    mixing = before_mixing(calls, product, place, goal if gate is None else gate.goal)
    if mixing is None:
        return _verify_up_to(module, product, place, goal, stops, gate)
    try:
        before: Optional[Verified] = verify(module, product, place, mixing)
    except (Refused, WithinWindows):
        before = None
    is_resized = mixing.what is not None and mixing.what.startswith(("a pool", "an interpolation")) and \
        mixing.goal.target.numel() != goal.target.numel()
    if before is not None and is_resized and not goes_elsewhere(calls, product, goal, module.outputs):
        return before  # the whole has other rows
    try:
        whole = _verify_up_to(module, product, place, goal, stops, gate)
    except (Refused, WithinWindows):
        if before is None or goes_elsewhere(calls, product, goal, module.outputs):
            raise
        return before
    return _one_before_mixing(mixing, before, whole)


def _require_no_cascade(module: Module, product: Call, goal: Goal) -> None:
    """Throws Refused where what comes of other attention is put beside a product's, and is what that attends to, too:
    it is one head of several, of which each but the last goes several ways."""
    flow, join = module.flow, before_join(module.flow.calls, product, goal)
    if join is None:
        return
    beside = [given for call in flow.calls if call.index == join.goal.end for given in call.inputs
              if given is not join.goal.target]
    both = flow.leading(beside, join.goal.end) & leading_to(
        [call for call in flow.calls if call.index < product.index], product.inputs)
    heads = []
    for call in flow.calls:
        own = flow.goal_of(call) if call.is_product and not call.is_settled and call.index in both else None
        if own is not None and not own.meets_product and (call.name == "scaled_dot_product_attention" or any(
                flow.is_normalised(call, at) or flow.comes_of_product(call, at) for at in range(len(call.inputs)))):
            heads.append(call)
    if heads:
        which = "1 other head" if len(heads) == 1 else f"{len(heads)} other heads"
        raise Refused(f"its heads are a cascade: what {which} made stands beside what this one makes, and goes into it, "
                      "too, so that its matrix is not the module's", 8)


def _one_before_mixing(mixing: Stop, before: Optional[Verified], whole: Verified) -> Verified:
    """Returns attention before what may mix its rows where the matrix of the whole is another one, and else the
    whole."""
    if before is None and mixing.goal.end not in whole.calls:
        return whole  # ends before it
    if before is None:
        beside = whole.beside or Beside(f"{mixing.what}, which is part of the matrix", None, math.inf)
        windows = None if whole.windows is None else whole.windows._replace(beside=beside)
        return whole._replace(beside=beside, windows=windows)
    if before.map.shape() == whole.map.shape():
        rows = [each.map.rows(0, each.map.shape()[1]) for each in (before, whole)]
        return whole if distance(rows[1], rows[0]) < 1e-4 else before
    # Heads that are added up are no tokens.
    return whole if before.map.shape()[1:] == whole.map.shape()[1:] else before


def _verify_up_to(module: Module, product: Call, place: int, goal: Goal, stops: List[Stop],
                  gate: Optional[Stop]) -> Verified:
    """Verifies attention up to what the module goes on with, or up to the first stop on the way there."""
    calls = module.flow.calls
    if gate is not None:
        return verify(module, product, place, gate)
    try:
        return verify(module, product, place)
    except Cut as cut:
        try:
            return verify(module, product, place, before_cut(calls, product, goal))
        except Refused as other:
            reason: Refused = other if other.rank > cut.rank else cut
    except Added as added:
        try:
            return _verify_beside(module, product, place, goal, added)
        except Refused as other:
            reason = other
    except Refused as refused:
        reason = refused
    stop = next((each for each in stops if each.what is None or not makes_sums_of(calls, product, each)), None)
    if stop is None:
        raise reason
    try:
        return verify(module, product, place, stop)
    except Refused:
        raise reason from None


def _verify_beside(module: Module, product: Call, place: int, goal: Goal, added: Added) -> Verified:
    """Verifies attention whose result is joined with something else: heads of other products, or rows appended to it.
    Throws Refused."""
    joined = _joined_with(module, product, place)
    join = before_join(module.flow.calls, product, goal)
    if len(joined) == 1 and join is None:
        others = _others_with(module, product, place)
        own = frozenset(leading_to([call for call in module.flow.calls if call.index < product.index], product.inputs))
        unread = _unread_in(module, [goal.target], goal.end, own)
        if others:
            raise _beside_products(others)
        raise _beside_others(f"what {' and '.join(unread)} made") if unread else added
    try:
        if len(joined) > 1 or join is None:
            return verify_joined(module, joined, place)
        return _beside_unread(module, verify(module, product, place, join), join)
    except (Refused, WithinWindows) as reason:
        if len(joined) > 1:
            raise _beside_products(len(joined) - 1) from None
        raise (added if isinstance(reason, WithinWindows) or reason.rank < added.rank else reason) from None


def _beside_unread(module: Module, found: Verified, join: Stop) -> Verified:
    """Names what was put beside heads by a function that is not looked into, or not seen."""
    others = [given for call in module.flow.calls if call.index == join.goal.end for given in call.inputs
              if given is not join.goal.target]
    names = _unread_in(module, others, join.goal.end)
    if not names:
        return found
    what = f"what {' and '.join(names)} made"
    beside = Beside(what, None, math.inf) if found.beside is None else \
        found.beside._replace(what=f"{found.beside.what} and {what}")
    return found._replace(beside=beside, windows=None if found.windows is None else found.windows._replace(beside=beside))


def _unread_in(module: Module, tensors: List[torch.Tensor], end: int, own: FrozenSet[int] = frozenset()) -> List[str]:
    """Returns names of functions before `end` that tensors come from and that are not looked into, or not seen, but
    for those of calls of `own` indices."""
    tape, calls = module.tape, [call for call in module.flow.calls if call.index < end]
    led = leading_to(calls, tensors) - own
    made_by = [call for call in calls if call.index in led]
    names = list(dict.fromkeys(call.unread for call in made_by if call.unread is not None))
    unseen = any(given.dim() > 2 and given.is_floating_point() and tape.is_data(given) and not tape.has_met(given)
                 for given in [*tensors, *(given for call in made_by for given in call.inputs)])
    return names + (["a function that is not seen"] if unseen else [])


def _beside_products(count: int) -> Refused:
    which = "1 other product, which does" if count == 1 else f"{count} other products, which do"
    return _beside_others(f"what comes of {which} not lie beside it as heads do")


def _beside_others(what: str) -> Refused:
    return Refused(f"something is added to attention times values before the projection ({what})", 6)


def _gate_of(module: Module, product: Call, place: int, goal: Goal, stops: List[Stop]) -> Optional[Stop]:
    """Returns the end before the first call that multiplies attention times values and is no part of the attention, as
    what makes its rows sum to one is. Throws Refused where that stands behind a gate."""
    calls, scalings = module.flow.calls, [stop for stop in stops if stop.what is not None]
    start, values, at = before_factors(calls, product, place, product.inputs[place])

    def has_sums_of_one(end: Goal) -> bool:
        return sums_to_one(Replay(calls, start, values, end.target, end.end, at))
    if not scalings:
        return None
    # Weighted sums of heads, or of rows, have sums of one as well where the weights are a softmax's.
    mixing = before_mixing(calls, product, place, goal)
    is_gated_first = mixing is not None and scalings[0].goal.end < mixing.goal.end
    if has_sums_of_one(mixing.goal if mixing is not None and is_gated_first else goal):
        return None
    for stop in reversed(scalings):
        if has_sums_of_one(stop.goal):
            return stop
    are_sums = [makes_sums_of(calls, product, stop) for stop in scalings]
    gates = [is_gate(calls, stop) or (stop.by is not None and module.tape.is_data(stop.by) and not of_rows)
             for stop, of_rows in zip(scalings, are_sums)]
    if not any(gates):
        return None
    first = gates.index(True)
    if any(are_sums[first + 1:]):
        raise Refused("what divides by the sums of attention's rows stands behind a gate, so that neither is known by "
                      "itself", 6)
    return scalings[first]


def _places_of_values(product: Call) -> Tuple[int, ...]:
    if product.name == "scaled_dot_product_attention":
        return (place_of_argument(product, "value"),)
    return (2, 1) if product.name in ADDING else (1, 0)


def _others_with(module: Module, product: Call, place: int) -> int:
    """Returns how many other products with values come to the same tensor, such as those of other keys."""
    flow, own = module.flow, module.flow.goal_of(product)
    leading = leading_to([call for call in flow.calls if call.index < product.index], product.inputs)
    others = [call for call in flow.calls if call.is_product and not call.is_settled and call is not product and
              call.index not in leading and len(call.inputs) == len(product.inputs)]
    if own is None or len(others) > MOST_IN_VAIN:
        return 0
    with_values = [call for call in others if any(
        flow.comes_of_product(call, at) or flow.is_normalised(call, at) for at in range(len(call.inputs)) if at != place)]
    goals = [flow.goal_of(call) for call in with_values]
    return sum(goal is not None and goal.target is own.target and goal.end == own.end for goal in goals)


def _joined_with(module: Module, product: Call, place: int) -> List[Call]:
    """Returns the products whose values are as many as a product's, and come to the same tensor, in the order in which
    they ran: of heads in a loop there is one for each."""
    def goal(other: Call) -> Optional[Tuple[int, int]]:
        try:
            found = goal_of_values(module, other, place)
            return None if found is None else (id(found.target), found.end)
        except Refused:
            return None
    alike = [call for call in module.flow.calls if call.is_product and not call.is_settled and
             call.name == product.name and len(call.inputs) == len(product.inputs) and
             call.inputs[place].shape == product.inputs[place].shape]
    own = goal(product)
    return [call for call in alike if goal(call) == own] if len(alike) <= MOST_IN_VAIN else [product]
