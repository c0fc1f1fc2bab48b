"""Runs what stands between values and the output again with other values, and reads off what maps one to the other."""

from __future__ import annotations

import math
import re
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import torch

from .maps import Refused, distance, tolerance
from .tape import Call, leading_to, tensors_in, version, with_tensors
from .values import Values, fused_argument

_RANDOM = ("bernoulli", "bernoulli_", "rand", "normal_")
# Functions that take from torch's random numbers, or may.
_DRAWS = re.compile("_*(rand.*|normal|log_normal|uniform|bernoulli|.*dropout.*|exponential|multinomial|poisson|geometric|"
                    "cauchy|gumbel_softmax|rrelu|fractional_max_pool.*|apply)_*")


class Replay:
    """Runs the calls from `start` on that lead to `target`, with `tensor` in place of what it was: of several places
    where `start` was given it, in `place` alone. Of what they make, `term` is taken away, which is what the module
    adds to attention times values, if it adds anything."""

    def __init__(self, calls: List[Call], start: Call, tensor: torch.Tensor, target: torch.Tensor, end: int,
                 place: Optional[int] = None) -> None:
        self.start = start
        self.place = place
        self.tensor = tensor
        self.target = target
        self.calls = [call for call in calls if start.index <= call.index < end]
        self.term: Optional[torch.Tensor] = None

    def dtype(self) -> torch.dtype:
        """Returns the type that the output is as exact as, which autocast may have rounded before it was made float32
        again."""
        led = leading_to(self.calls, [self.target])
        made = {output.dtype for call in self.calls if call.index in led for output in call.outputs}
        return torch.bfloat16 if torch.bfloat16 in made else self.target.dtype

    def attended(self) -> torch.Tensor:
        """Returns attention times the model's own values."""
        return self.target if self.term is None else self.target - self.term

    def run(self, values: torch.Tensor, without: Optional[Mapping[int, torch.Tensor]] = None) -> torch.Tensor:
        """Runs the calls on other values and returns the target, less `term`. `without` maps a call's index to the
        input that is zero there."""
        live: Dict[int, torch.Tensor] = {id(self.tensor): values}
        for call in self.calls:
            if any(id(tensor) in live for tensor in call.inputs):
                absent = (without or {}).get(call.index)
                zeros = {} if absent is None else {id(absent): torch.zeros_like(absent)}
                live.update(run_call(call, live, self.place if call is self.start else None, zeros))
            if call is self.start and all(output is not self.tensor for output in call.outputs):
                del live[id(self.tensor)]  # what else is made of the values is not attention's
        if id(self.target) not in live or self.target is self.tensor:
            raise Refused("its output does not come from its values")
        made = live[id(self.target)]
        return made if self.term is None else made - self.term


class JoinedReplay(Replay):
    """Runs what stands between the values of several products and the output, such as of one for each head: `starts` has
    each product with the place of its values, which are a list here."""

    def __init__(self, calls: List[Call], starts: Sequence[Tuple[Call, int]], target: torch.Tensor, end: int) -> None:
        super().__init__(calls, starts[0][0], starts[0][0].inputs[starts[0][1]], target, end)
        self.starts = {call.index: (which, place) for which, (call, place) in enumerate(starts)}
        self.tensor: Any = [call.inputs[place] for call, place in starts]

    def run(self, values: Any, without: Optional[Mapping[int, torch.Tensor]] = None) -> torch.Tensor:
        live: Dict[int, torch.Tensor] = {}
        for call in self.calls:
            if call.index in self.starts:
                which, place = self.starts[call.index]
                live.update(run_call(call, {id(self.tensor[which]): values[which]}, place))
            elif any(id(tensor) in live for tensor in call.inputs):
                live.update(run_call(call, live))
        if id(self.target) not in live:
            raise Refused("its output does not come from its values")
        return live[id(self.target)]


def run_call(call: Call, live: Mapping[int, torch.Tensor], only: Optional[int] = None,
             other: Optional[Mapping[int, torch.Tensor]] = None) -> Dict[int, torch.Tensor]:
    """Runs a call again with what is live in place of what it was given, in all places or `only` one, and with `other`
    tensors in any place. Returns what it makes, which is live then. Throws Refused."""
    refuse_dropping(call)
    arguments = []
    for place, tensor in enumerate(call.inputs):
        given = live.get(id(tensor)) if only is None or place == only else None
        given = (other or {}).get(id(tensor)) if given is None else given
        if given is None:
            overwritten = version(tensor) != call.versions[place] and call.versions[place] >= 0
            if overwritten and place not in call.written:
                raise Refused("something is overwritten in place before it can be looked at", 3)
            given = tensor
        arguments.append(given.clone() if place in call.written else given)
    args, kwargs = with_tensors((call.args, call.kwargs), iter(arguments))
    if kwargs.get("out") is not None:
        raise Refused("it writes into memory of its own", 3)
    with call.as_it_ran():
        result = call.function(*args, **kwargs)
    results = tensors_in(result) or [arguments[place] for place in sorted(call.written)]
    return {id(output): fresh for output, fresh in zip(call.outputs, results)}


def refuse_dropping(call: Call) -> None:
    """Throws Refused where a call drops at random."""
    if call.name in _RANDOM or _drops(call):
        raise Refused("it drops at random (train mode)", 3)
    if call.name == "scaled_dot_product_attention" and (fused_argument(call, "dropout_p") or 0) > 0:
        raise Refused("it drops attention at random (train mode)", 3)


def draws(call: Call) -> bool:
    """Returns whether a call takes random numbers when it runs again."""
    if call.name == "scaled_dot_product_attention":
        return bool(fused_argument(call, "dropout_p"))
    return _DRAWS.fullmatch(call.name) is not None and ("dropout" not in call.name or _drops(call))


def _drops(call: Call) -> bool:
    if "dropout" not in call.name:
        return False
    rate = call.kwargs.get("p", call.args[1] if len(call.args) > 1 else 0.5)
    training = call.kwargs.get("training", call.args[2] if len(call.args) > 2 else True)
    return bool(training) and rate > 0


def sums_to_one(replay: Replay) -> bool:
    """Returns whether the rows of attention sum to one, as far as it can be run again: values of one are then made to
    be one."""
    try:
        return bool(((replay.run(torch.ones_like(replay.tensor)).float() - 1).abs() < 0.01).all())
    except (Refused, RuntimeError):
        return False


class Apart(Refused):
    """Raised if attention is within sets of tokens. It says where the numbers of each group of values are, and the
    groups of each set."""

    def __init__(self, index: torch.Tensor, sets: List[List[int]], reason: str) -> None:
        super().__init__(reason, 8)
        self.index = index
        self.sets = sets


class OverChannels(Refused):
    """Raised if what is read as attention maps channels to channels."""

    def __init__(self, rank: int) -> None:
        super().__init__("it attends over channels, which do not lie in the picture", rank)


class Cut(Refused):
    """Raised if not all of attention times values is in the output, from which padding may have been cut off."""


class Added(Refused):
    """Raised if something stands beside attention times values. It has what is left where the values are zero."""

    def __init__(self, term: torch.Tensor) -> None:
        super().__init__("something is added to attention times values before the projection (a convolution, a residual "
                         "or positions)", 6)
        self.term = term


class Layout:
    """The places of each token of each head in the output. `places` [sets, heads, queries, channels] are those of sets
    of tokens that attend to one another, most often a picture's each, and `sets` has the groups of the values of each,
    a head each. The one that is chosen is `index` [heads, queries, channels] with its `groups`."""

    def __init__(self, places: torch.Tensor, sets: List[List[int]], which: int = 0) -> None:
        self.places = places
        self.sets = sets
        self.which = which
        self.index = places[which]
        self.groups = sets[which]

    def of_set(self, which: int) -> "Layout":
        """Returns the same with another set chosen."""
        return self if which == self.which else Layout(self.places, self.sets, which)

    def of(self, output: torch.Tensor) -> torch.Tensor:
        """Returns [heads, queries, channels] of an output."""
        return output.reshape(-1)[self.index]


def find_layout(replay: Replay, values: Values, pictures: int, heads: Optional[int],
                channel_axes: Sequence[int]) -> Layout:
    """Tells by the output which values each of its numbers is a sum of. Throws Refused, and Added for a term that the
    replay does not know yet.

    `channel_axes` are those of the output that may be channels to what follows, such as -1 or 1; none of them is where
    what the values have for channels is tokens.
    """
    random = torch.Generator().manual_seed(0)
    weights = 0.5 + torch.rand(values.groups, values.keys, 1, generator=random)
    labels = torch.arange(values.groups * values.channels).reshape(values.groups, 1, values.channels)
    device = values.device
    zeros = torch.zeros(values.groups, values.keys, values.channels, device=device)
    nothing = replay.run(values.like(zeros))
    ones = replay.run(values.like((zeros + weights.to(device)))).float()
    if not bool(torch.isfinite(ones).all()) or not bool(torch.isfinite(nothing).all()):
        raise Refused("it divides by what its values say", 2)
    # A term that is added shows beside values of one, or beside the model's own, which may be smaller.
    usual = min(float(ones.abs().max()), float(replay.target.abs().max()) or math.inf)
    if float(nothing.abs().max()) > values.tolerance * usual:
        raise Added(nothing)
    dead = ones == 0
    if replay.term is not None:
        dead |= ones.abs() <= 1e-6 * replay.term.abs().float()  # what is left of it is rounding
    # In digits of 16, each of which half precision tells apart.
    found = torch.zeros(ones.shape, dtype=torch.int64, device=device)
    place = 1
    while place < values.groups * values.channels:
        digit = (labels // place % 16).to(device).float()
        told = replay.run(values.like((zeros + 1) * weights.to(device) * (digit + 1))).float() / ones - 1
        told = torch.where(dead, 0, told) if bool((~dead).any()) else told
        if not bool(torch.isfinite(told).all()):
            raise Refused("part of its output does not come from these values (parts of the tokens apart)", 5)
        digits = told.round()
        if float((told - digits).abs().max()) > 0.3 or float(digits.min()) < 0 or float(digits.max()) > 15:
            raise Refused("its output mixes heads or channels of its values (attention over channels, or mixed heads), "
                          "so that no matrix of a head maps tokens to tokens", 5)
        found += digits.long() * place
        place *= 16
    found = _with_dead(found, dead) if bool(dead.any()) else found
    return _layout(found.cpu(), values, pictures, heads, channel_axes)


def _with_dead(found: torch.Tensor, dead: torch.Tensor) -> torch.Tensor:
    """Fills in the labels of rows that are zero whatever the values are, where other heads have others there: along axes
    of tokens all others have the same label. Throws Refused where they do not tell it."""
    low, high = found.masked_fill(dead, 1 << 62), found.masked_fill(dead, -1)
    tokens = []
    for axis in range(found.dim()):
        least, most = low.amin(axis, keepdim=True), high.amax(axis, keepdim=True)
        if bool((least >= most).all()):
            low, high = least, most
            tokens.append(axis)
    others = [axis for axis in range(found.dim()) if axis not in tokens]
    if bool((high < 0).any()) or not others or bool(dead.all(others[0]).any() if len(others) == 1 else
                                                    dead.movedim(others, list(range(len(others)))).flatten(
                                                        0, len(others) - 1).all(0).any()):
        raise Refused("some of its output is zero whatever the values are, as where a token attends to nothing (all "
                      "of its keys are masked), or is masked behind attention: where these tokens "
                      "stand cannot be told", 10)
    return torch.where(dead, high.expand_as(found), found)


def _layout(found: torch.Tensor, values: Values, pictures: int, heads: Optional[int],
            channel_axes: Sequence[int]) -> Layout:
    groups, channels = values.groups, values.channels
    count = torch.bincount(found.reshape(-1), minlength=groups * channels)
    queries = int(count[0])
    if len(count) != groups * channels or not bool((count == queries).all()) or queries == 0:
        raise Cut("its output has not every channel of its values", 5)
    index = found.reshape(-1).argsort(stable=True).reshape(groups, channels, queries).transpose(1, 2)
    shape = list(found.shape)
    places = torch.stack(_unravel(index, shape), -1)  # [groups, queries, channels, axes]
    allowed = [axis % len(shape) for axis in channel_axes]
    axis = allowed[0] if allowed else len(shape) - 1
    if channels > 1:
        axes = (places[0, 0, 0] != places[0, 0, 1]).nonzero().reshape(-1)
        axis = int(axes[-1])
        if axis not in allowed:
            raise OverChannels(9)
    shared = len(places[0, :, 0, axis].unique())
    if shared > 1:
        return _layout_of_shared(index, places[..., axis], pictures, shared)
    sets: Dict[Tuple[int, ...], List[int]] = {}
    others = [other for other in range(len(shape)) if other != axis]
    for group in range(groups):
        where = places[group, :, 0][:, others].reshape(-1)
        sets.setdefault(tuple(where.tolist()), []).append(group)
    if len(sets) == pictures == values.keys > 1:
        raise Refused(f"its keys are as many as the pictures, {pictures}, so that it cannot be told whether it attends "
                      "within each of them or across them: give one picture, or another number of them", 8)
    if len(sets) == pictures:
        # Heads side by side in the channels.
        members = _heads_of(sets, places, axis)
        if any(len(each) * pictures != groups for each in members):
            raise Refused("its heads are laid out in a way that is not known", 4)
        return layout_of_sets(index, members)
    if len(sets) == groups and heads is not None and groups == pictures * heads and shape[0] == pictures:
        members = [[group for group in range(groups) if int(places[group, 0, 0, 0]) == picture]
                   for picture in range(pictures)]
        if all(len(each) == heads for each in members):
            return layout_of_sets(index, members)
    of = "one picture" if pictures == 1 else f"{pictures} pictures"
    raise Apart(index, _heads_of(sets, places, axis),
                f"it attends within {len(sets)} sets of tokens of {of}, apart from one another (windows, frames, axes or "
                "heads that are not known as such): none of them is the picture" if len(sets) % pictures == 0 else
                f"it attends within {len(sets)} sets of tokens, and the model was given {of}, as the first axis of its "
                "input says: where that axis is no pictures but tokens, give [batch, tokens, channels]")


def _layout_of_shared(index: torch.Tensor, where: torch.Tensor, pictures: int, heads: int) -> Layout:
    """Returns the layout of heads that share their values: each channel of the values appears in the output once for
    each head."""
    groups, queries, channels = index.shape
    order = where[:, :, :1].argsort(dim=1, stable=True).expand_as(index)
    index, where = index.gather(1, order), where.gather(1, order)
    if groups != pictures or queries % heads or any(
            len(head[:, 0].unique()) != 1 for head in where[0].split(queries // heads)):
        raise Refused("its values are several heads', or each token's own (a running sum of keys times values, "
                      "perhaps), and lie in a way that is not known", 4)
    split = index.reshape(groups, heads, queries // heads, channels)
    return Layout(split, [[group] * heads for group in range(groups)], _first_of(split))


def layout_of_sets(index: torch.Tensor, members: List[List[int]]) -> Layout:
    places = torch.stack([index[each] for each in members])
    return Layout(places, members, _first_of(places))


def _first_of(places: torch.Tensor) -> int:
    """Returns the set that the output's first number is of, which most often is the first picture's."""
    return next(which for which, each in enumerate(places) if bool((each == 0).any()))


def _heads_of(sets: Dict[Tuple[int, ...], List[int]], places: torch.Tensor, axis: int) -> List[List[int]]:
    """Returns the groups of each set in the order in which they stand in the channels."""
    return [sorted(members, key=lambda group: int(places[group, 0, 0, axis])) for members in sets.values()]


def _unravel(index: torch.Tensor, shape: List[int]) -> List[torch.Tensor]:
    places = []
    for size in reversed(shape):
        places.append(index % size)
        index = index // size
    return places[::-1]


def matrix_of(replay: Replay, values: Values, layout: Layout) -> torch.Tensor:
    """Returns [heads, queries, keys], by values that are one at one token of each channel."""
    columns = []
    for begin in range(0, values.keys, values.channels):
        count = min(values.channels, values.keys - begin)
        ones = torch.zeros(values.groups, values.keys, values.channels, device=values.device)
        at = torch.arange(count, device=ones.device)
        ones[:, begin + at, at] = 1
        columns.append(layout.of(replay.run(values.like(ones)))[:, :, :count].float())
    return torch.cat(columns, 2)


def is_all_but(replay: Replay, values: Values, terms: Mapping[int, torch.Tensor]) -> bool:
    """Returns whether nothing is left of the output where the values are zero and so is what calls add, by their
    indices."""
    zeros = torch.zeros(values.groups, values.keys, values.channels, device=values.device)
    rest = replay.run(values.like(zeros), terms)
    rest = rest if replay.term is None else rest + replay.term
    return float(rest.abs().max()) <= values.tolerance * float(replay.target.abs().max())


def agrees_as_it_ran(replay: Replay) -> None:
    """Throws Refused where the same values do not give the same output again."""
    if not bool(torch.isfinite(replay.attended()).all()):
        raise Refused("its output is not finite (NaN or infinite)", 12)
    if distance(replay.run(replay.tensor), replay.attended()) > tolerance(replay.target) / 10:
        raise Refused("run again, it gives another output (it is random, or changes in place)", 3)
