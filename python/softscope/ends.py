"""Where attention times values ends: what a module goes on with, and which of its axes that takes for channels."""

from __future__ import annotations

import math
from typing import Callable, Dict, List, NamedTuple, Optional, Tuple

import torch

from .beside import SCALINGS, SUMS, Roots
from .flow import Flow, Goal, is_end, is_projection, plain_of
from .follow import noise_for, run_with
from .maps import Refused
from .order import joined_axis
from .replay import Apart, Layout, Replay, find_layout
from .tape import ADDING, Call, Tape, axis_of_channels, leading_to
from .values import Values

# Functions of each number that are not linear, and parts of normalisations that a module writes by hand.
_BENDS = ("pow", "square", "sqrt", "rsqrt", "abs", "exp", "expm1", "exp2", "log", "log1p", "log2", "log10", "reciprocal",
          "norm", "vector_norm", "linalg_vector_norm", "linalg_norm", "normalize", "clamp", "clip", "clamp_min",
          "clamp_max", "sign", "std", "var", "var_mean", "std_mean", "sin", "cos", "erf", "softplus", "softsign", "mish",
          "selu", "celu", "prelu", "logsigmoid", "hardsigmoid", "log_softmax", "rms_norm", "__pow__")
# Functions that make one row of several, which attention times values may be given to before the module goes on.
_MIXTURES = {"mean": "a mean of its rows", "nanmean": "a mean of its rows", "sum": "a sum of its rows",
             "cumsum": "a running sum of its rows", "diff": "a difference of its rows", "fold": "a sum of its rows",
             "interpolate": "an interpolation", "upsample": "an interpolation"}
# Sets of tokens that are followed to the projection one by one.
_MOST_SETS = 512
# Functions that make a gate of something, of numbers that are no sums of attention's rows.
_GATES = ("sigmoid", "silu", "tanh", "hardsigmoid", "hardswish", "gelu", "relu", "softplus")


class Stop(NamedTuple):
    """An end of attention times values before the module's own, where something is done to it that is no part of the
    matrix. `what` names a gate, and `axis` is the one along which something else is put behind it, if either is
    there."""
    goal: Goal
    what: Optional[str] = None
    axis: Optional[int] = None
    by: Optional[torch.Tensor] = None  # what a gate multiplies by, if it is no number
    cuts: bool = False  # something off
    mixes: bool = False  # rows, behind it


def before_cut(calls: List[Call], product: Call, goal: Goal) -> Stop:
    """Returns the end before the module cut something off. Throws Refused where it cut nothing off."""
    behind = [call for call in calls if product.index < call.index < goal.end]
    led = leading_to(behind, [goal.target])
    for call in reversed([call for call in behind if call.index in led]):
        if call.name in ("__getitem__", "narrow", "slice") and call.outputs[0].numel() < call.inputs[0].numel():
            return Stop(goal._replace(target=call.inputs[0], end=call.index), cuts=True)
    raise Refused("its output has not every channel of its values", 5)


class Step(NamedTuple):
    """A call behind the last product on the way from attention times values to where it ends."""
    call: Call
    given: List[torch.Tensor]  # of attention times values
    others: List[torch.Tensor]


def _steps_behind(calls: List[Call], product: Call, goal: Goal) -> List[Step]:
    behind = [call for call in calls if product.index < call.index < goal.end]
    led = leading_to(behind, [goal.target])
    live, steps = {id(output) for output in product.outputs}, []
    for call in behind:
        given = [tensor for tensor in call.inputs if id(tensor) in live]
        if call.index not in led or not given:
            continue
        steps.append(Step(call, given, [tensor for tensor in call.inputs if id(tensor) not in live]))
        steps = [] if call.is_product else steps
        live.update(id(output) for output in call.outputs)
    return steps


def stops_behind(tape: Tape, calls: List[Call], product: Call, place: int, goal: Goal) -> List[Stop]:
    """Returns an end before each gate or factor, up to the first function that is not linear in values, or none where
    something is added behind the first of these."""
    found: List[Stop] = []
    steps = _steps_behind(calls, product, goal)
    for call, given, others in steps:
        name, stops = plain_of(call), goal._replace(target=given[0], end=call.index)
        if found and adds(call) and others:
            return []
        if found and found[-1].what is None:
            continue
        if name in _BENDS or (_mixture_of(call, given) is not None and _mixes_channels(calls, product, place, steps, call)):
            found.append(Stop(stops))
        elif name.strip("_") in SCALINGS and len(given) == 1:
            what = "a gate behind it" if any(tape.is_data(tensor) for tensor in others) else "a factor behind it"
            found.append(Stop(stops, what, None, others[0] if others else None))
    return found


def before_mixing(calls: List[Call], product: Call, place: int, goal: Goal) -> Optional[Stop]:
    """Returns the end before the first function that may mix tokens of attention times values, or None where none
    does."""
    steps = _steps_behind(calls, product, goal)
    for call, given, _ in steps:
        what = _mixture_of(call, given)
        if what is not None and not _mixes_channels(calls, product, place, steps, call):
            end = next(step.call.index for step in steps if any(tensor is given[0] for tensor in step.given))
            return Stop(goal._replace(target=given[0], end=end), f"{what} behind it", mixes=True)
    return None


def _mixture_of(call: Call, given: List[torch.Tensor]) -> Optional[str]:
    name = plain_of(call).strip("_")
    if name in _MIXTURES or "pool" in name:
        return _MIXTURES.get(name, "a pool")
    if name.startswith("fft"):
        return "a filter"
    return "a sum of its rows" if name in SUMS and len(given) > 1 else None


def _mixes_channels(calls: List[Call], product: Call, place: int, steps: List[Step], call: Call) -> bool:
    """Returns whether a call behind the last product mixes the channels of each row by themselves, as a norm does, and
    no rows."""
    begin = steps[0].call.index
    target = steps[0].given[0]
    try:
        replay = Replay(calls, product, product.inputs[place], target, begin, place)
        index = find_layout(replay, Values(product, place), 1, None, range(target.dim())).index
    except Apart as apart:
        index = apart.index
    except (Refused, RuntimeError):
        return False
    if index.shape[2] < 2:
        return False

    def changed(places: torch.Tensor) -> torch.Tensor:
        noisy = target.detach().clone().reshape(-1)
        noisy[places] += noise_for(target, 9).reshape(-1)[places]
        made = run_with(calls, target, noisy.reshape(target.shape), begin, call.index + 1)
        new, old = made.get(id(call.outputs[0]), call.outputs[0]).float(), call.outputs[0].float()
        return (new - old).abs() > 1e-6 * old.abs().max()
    meet = [bool((changed(one) & changed(other)).any()) for one, other in (
        (index[:, 0], index[:, -1]), (index[0, 0, 0], index[0, 0, 1]))]
    return meet[1] and (index.shape[1] == 1 or not meet[0])


def makes_sums_of(calls: List[Call], product: Call, stop: Stop) -> bool:
    """Returns whether what a stop multiplies by is made of the factors that attention is a product of, as the sums of
    its rows are."""
    if stop.by is None:
        return False
    before = [call for call in calls if call.index < stop.goal.end]
    roots, live = Roots(before), {id(output) for output in product.outputs}
    factors = list(product.inputs)
    for call in before:
        if call.index > product.index and any(id(tensor) in live for tensor in call.inputs):
            factors += [tensor for tensor in call.inputs if call.is_product and id(tensor) not in live]
            live.update(id(output) for output in call.outputs)
    known = {id(roots.of(factor)) for factor in factors}
    leading = leading_to(before, [stop.by])
    return any(id(roots.of(tensor)) in known for call in before if call.index in leading for tensor in call.inputs)


def before_join(calls: List[Call], product: Call, goal: Goal) -> Optional[Stop]:
    """Returns the end before something else was put behind attention times values along an axis, or None where nothing
    was."""
    behind = [call for call in calls if product.index < call.index < goal.end]
    led = leading_to(behind, [goal.target])
    live = {id(output) for output in product.outputs}
    for call in behind:
        given = [tensor for tensor in call.inputs if id(tensor) in live]
        axis = joined_axis(call)
        if call.index in led and len(given) == 1 < len(call.inputs) and axis is not None and \
                given[0].dim() == call.outputs[0].dim():
            return Stop(goal._replace(target=given[0], end=call.index), axis=axis)
        if given:
            live.update(id(output) for output in call.outputs)
    return None


def is_factor(tape: Tape, flow: Flow, product: Call) -> bool:
    """Returns whether what comes of a product meets other data first where it multiplies or divides these."""
    live = {id(output) for output in product.outputs}
    for call, _ in flow.behind(product):
        if any(id(given) not in live and tape.is_data(given) for given in call.inputs):
            return call.name.strip("_") in SCALINGS
        live.update(id(output) for output in call.outputs)
    return False


def adds(call: Call) -> bool:
    """Returns whether a call may add something to what it is given."""
    return call.name.strip("_") in (*SUMS, "lerp", "addcmul", "addcdiv")


def is_gate(calls: List[Call], stop: Stop) -> bool:
    """Returns whether what a stop multiplies by is made by a function that gates are made by."""
    tensor = stop.by
    made = {id(output): call for call in calls for output in call.outputs
            if all(output is not each for each in call.inputs)}
    for _ in range(6):
        call = None if tensor is None else made.get(id(tensor))
        if call is None or not call.inputs:
            return False
        if plain_of(call) in _GATES:
            return True
        tensor = call.inputs[0] if len(call.inputs) == 1 else None
    return False


def goes_elsewhere(calls: List[Call], product: Call, goal: Goal, outputs: List[torch.Tensor]) -> bool:
    """Returns whether the module goes on with something else of attention times values, too, such as with the whole
    where the target is a mean of it, which is a gate."""
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


def said_axis(calls: List[Call], end: int, target: torch.Tensor) -> Optional[int]:
    """Returns the axis of what the module goes on with that is channels, as what follows says, or None where it does
    not."""
    following = next((call for call in calls if call.index == end), None)
    return None if following is None else _mixed_axis(following, target)


def channel_axes(calls: List[Call], goal: Goal, projected: Goal,
                 are_tokens: Callable[[], Optional[bool]]) -> List[int]:
    """Returns the axes of what the module goes on with that may be channels, as what follows says, or else as whether
    the keys are tokens says. `projected` is where the projection is, of which the goal may be a stop."""
    said = said_axis(calls, goal.end, goal.target)
    if said is None and goal.target.shape == projected.target.shape:  # numbers by themselves, up to there
        said = said_axis(calls, projected.end, projected.target)
    if said is not None:
        return [said]
    told = are_tokens()
    if told is None:
        raise Refused("whether its keys are tokens or channels cannot be told by what follows in its module, nor by what "
                      "they are computed of", 5)
    return [axis for axis in range(-1, -1 - goal.target.dim(), -1) if told]


def _mixed_axis(call: Call, target: torch.Tensor) -> Optional[int]:
    """Returns the axis that weights of a call mix, or that it normalises by itself, or None where it does not say:
    weights to the left of what they multiply, and in an einsum, may as well mix tokens."""
    axis = axis_of_channels(plain_of(call))
    if axis is not None or not is_projection(call) or call.name == "einsum":
        return axis
    place = next(place for place, tensor in enumerate(call.inputs) if tensor is target)
    is_first = place == (1 if call.name in ADDING else 0)
    return -1 if is_first != (call.name == "__rmatmul__") else None


def sets_behind(calls: List[Call], apart: Apart, goal: Goal, projected: Goal, mixes: bool) -> List[List[int]]:
    """Sorts the sets of tokens by where the projection is given them: several heads of a token come to one place of
    it, or to several where something `mixes` rows in between."""
    axis = said_axis(calls, projected.end, projected.target)
    if axis is None or len(apart.index) > _MOST_SETS:
        raise apart
    found: Dict[Tuple[int, ...], List[Tuple[int, torch.Tensor]]] = {}
    for group, places in enumerate(apart.index[:, 0]):
        changed = _changed_behind(calls, places, goal, projected, axis)
        rows = tuple(changed.any(1).nonzero().reshape(-1).tolist())
        if not rows or (len(rows) > 1 and not mixes):
            raise apart
        found.setdefault(rows, []).append((group, changed.any(0)))
    return [_in_order(members) for members in found.values()]


def _changed_behind(calls: List[Call], places: torch.Tensor, goal: Goal, projected: Goal, axis: int) -> torch.Tensor:
    """Returns which numbers [tokens, channels] of what the projection is given change with those of the goal at some
    places."""
    channels, old = projected.target.shape[axis], projected.target.movedim(axis, -1).float()
    changed = goal.target.detach().clone().reshape(-1)
    changed[places] += noise_for(goal.target, 9).reshape(-1)[places]
    made = run_with(calls, goal.target, changed.reshape(goal.target.shape), goal.end, projected.end)
    new = made.get(id(projected.target), projected.target).movedim(axis, -1).float()
    return (new - old).abs().reshape(-1, channels) > 1e-6 * old.abs().max()


def _in_order(members: List[Tuple[int, torch.Tensor]]) -> List[int]:
    """Sorts heads as they stand beside one another in the channels that each comes to, or, where these overlap, as
    those of heads that are added up do, as the product has them."""
    groups, channels = [group for group, _ in members], torch.stack([each for _, each in members])
    if int(channels.sum(0).max()) > 1:
        return sorted(groups)
    return [group for _, group in sorted(zip(channels.int().argmax(1).tolist(), groups))]


def adds_up_heads(calls: List[Call], layout: Layout, goal: Goal, projected: Goal) -> bool:
    """Returns whether heads, and not rows, come to the same numbers of what the projection is given."""
    axis, queries = said_axis(calls, projected.end, projected.target), layout.index.shape[1]
    if len(layout.index) == 1:
        return False
    first, other, last = (_changed_behind(calls, layout.index[head, row], goal, projected, -1 if axis is None else axis)
                          for head, row in ((0, 0), (1, 0), (0, -1)))
    return bool((first & other).any()) and (queries == 1 or not bool((first & last).any()))


def lie_along(layout: Layout, target: torch.Tensor, axis: int) -> bool:
    """Returns whether queries lie along an axis of what the module goes on with."""
    behind = math.prod(target.shape[axis + 1:])
    at = torch.div(layout.index[0, :, 0], behind, rounding_mode="floor") % target.shape[axis]
    return bool((at != at[0]).any())
