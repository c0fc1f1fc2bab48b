"""Attention of the first picture that was verified: what it is, and how it is compared with what was computed."""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Set, Tuple

import torch

from .beside import Beside
from .maps import Map, Refused, distance, tolerance
from .replay import Layout, Replay
from .tape import Call, Step, steps_between
from .values import Values
from .windows import Windows

# Numbers of one layer's attention that are looked at, and written, as a matrix.
LARGEST_MATRIX = 1 << 26


class Spot(NamedTuple):
    """The place of attention times values in a tensor of the module."""
    product: int  # the product's number among those of the module, which may call other functions on its first run
    steps: Tuple[Step, ...]  # from the product to the call that made the tensor
    output: int  # which of that call's outputs it is
    index: torch.Tensor  # which of its numbers are each head's [heads, queries, channels]
    products: int = 0  # of the module


class Place(NamedTuple):
    """The place where a layer's attention was computed: the module, how many times it had run, and the spot in it."""
    module: str
    times: int
    spot: Optional[Spot]


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
    behind: int = 0  # keys of the module's own, which stand behind all others
    is_foreign: bool = False  # some rows or columns are known to come of something else than the picture's patches
    is_unsorted: bool = False  # rows and columns stand as they were computed, and the module's tokens in another order


def refute(map_: Map, tests: List[Tuple[torch.Tensor, torch.Tensor]]) -> float:
    """Returns the worst error of attention times values; throws Refused where it is none."""
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


def tests_of(values: Values, replay: Replay, layout: Layout) -> List[Tuple[torch.Tensor, torch.Tensor]]:
    """Returns random values and the model's own [heads, keys, d], with what comes of them [heads, queries, d]."""
    generator = torch.Generator().manual_seed(1)
    some = values.of(values.like(torch.randn(values.groups, values.keys, values.channels,
                                             generator=generator).to(values.device)))
    tests = [(some[layout.groups], layout.of(replay.run(values.like(some)))),
             (values.of(values.tensor)[layout.groups], layout.of(replay.attended()))]
    return [(given.detach().clone(), made.detach().to(replay.dtype()).clone()) for given, made in tests]


def _maker(calls: List[Call], target: torch.Tensor, end: int) -> Optional[Call]:
    return next((call for call in reversed(calls) if call.index < end and
                 any(output is target for output in call.outputs)), None)


def spot_of(calls: List[Call], product: Call, target: torch.Tensor, end: int, index: torch.Tensor) -> Optional[Spot]:
    made = _maker(calls, target, end)
    if made is None or made.index < product.index:
        return None
    return Spot(product.product, steps_between(calls, product, made),
                [output is target for output in made.outputs].index(True), index)


def require_small(heads: int, queries: int, keys: int) -> None:
    if heads * queries * keys > LARGEST_MATRIX:
        raise Refused(f"its attention, {heads} x {queries} x {keys}, is too large to look at", 10)
