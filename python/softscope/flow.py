"""Which calls of a module read a tensor, where it comes from, and which attention of the module it belongs to."""

from __future__ import annotations

import heapq
import math
from typing import Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

import torch

from .tape import ENDS, NORMALISERS, PRODUCTS, Call, Tape

_OF_PRODUCT, _OF_NORMALISER = 1, 2


class Goal(NamedTuple):
    """What a module goes on with of attention times values, and the index of the call that is given it."""
    target: torch.Tensor
    end: int
    meets_product: bool  # on the way


def plain_of(call: Call) -> str:
    """Returns a function's name without what says that it works in place."""
    return call.name.rstrip("_")


def is_end(call: Call) -> bool:
    """Returns whether a call is the projection, or what is not linear in values."""
    return plain_of(call) in ENDS or is_projection(call)


def is_projection(call: Call) -> bool:
    """Returns whether a call multiplies by weights."""
    is_multiplied = call.name in PRODUCTS and not call.is_product and call.name != "scaled_dot_product_attention"
    return is_multiplied or call.name.startswith(("linear", "conv"))


class Flow:
    """Knows which calls of a module read a tensor, and where it comes from. What is asked for each product is counted
    once.

    A module may attend several times. What one attention's projection makes is a new value: it does not come of a
    product any more. `ends` has the first call behind each attention, and `bounds` all of these projections' calls, by their
    indices, with the tensors that they are given of attention."""

    def __init__(self, tape: Tape, calls: List[Call], outputs: List[torch.Tensor]) -> None:
        self.calls = calls
        self.bounds: Dict[int, Set[int]] = {}
        self.ends: Set[int] = set()
        self._outputs = outputs
        self._count = tape.count
        self._readers: Dict[int, List[int]] = {}
        self._places = {call.index: place for place, call in enumerate(calls)}
        self._origins: List[List[int]] = []  # of each call's inputs
        self._goals: Dict[int, Optional[Goal]] = {}
        for place, call in enumerate(calls):
            for tensor in {id(tensor): tensor for tensor in call.inputs}:
                self._readers.setdefault(tensor, []).append(place)
        known: Dict[int, int] = {}
        for call in calls:
            bound = self.bounds.get(call.index, ())
            self._origins.append([0 if id(tensor) in bound else known.get(id(tensor), 0) for tensor in call.inputs])
            origin = _OF_PRODUCT if call.is_product else _OF_NORMALISER if plain_of(call) in NORMALISERS else 0
            for one in self._origins[-1]:
                origin |= one
            for output in call.outputs:
                known[id(output)] = known.get(id(output), 0) | origin
            if call.is_product and any(self.is_attention(call, at) and not self.comes_of_product(call, at)
                                       for at in range(len(call.inputs[:3]))):
                goal = self.goal_of(call)
                if goal is not None and goal.end in self._places:
                    self._bound(goal)

    def _bound(self, goal: Goal) -> None:
        self.ends.add(goal.end)
        for place in self._readers[id(goal.target)]:
            if self.calls[place].index >= goal.end and is_end(self.calls[place]):
                self.bounds.setdefault(self.calls[place].index, set()).add(id(goal.target))

    def comes_of_product(self, call: Call, place: int) -> bool:
        """Returns whether an input of a call is made of what a product made."""
        return bool(self._origins[self._places[call.index]][place] & _OF_PRODUCT)

    def is_normalised(self, call: Call, place: int) -> bool:
        """Returns whether an input of a call is made of what a softmax or the like made."""
        return bool(self._origins[self._places[call.index]][place] & _OF_NORMALISER)

    def is_attention(self, product: Call, place: int) -> bool:
        """Returns whether a product's other factors are made of scores, or it goes on to another product, so that the
        one at `place` may be values."""
        goal = self.goal_of(product)
        partners = [at for at in range(len(product.inputs[:3])) if at != place]
        if product.name == "scaled_dot_product_attention" or any(self.comes_of_product(product, at) for at in partners):
            return True
        if goal is None:
            return False
        ends = goal.end in self._places and plain_of(self.calls[self._places[goal.end]]) in NORMALISERS
        return goal.meets_product or (not ends and any(self.is_normalised(product, at) for at in partners))

    def goal_of(self, product: Call) -> Optional[Goal]:
        """Returns what the module's projection is given, or what it returns."""
        if product.index not in self._goals:
            self._goals[product.index] = self._find_goal(product)
        return self._goals[product.index]

    def _find_goal(self, product: Call) -> Optional[Goal]:
        live = {id(output) for output in product.outputs}
        meets = False
        for call, given in self.behind(product):
            if is_end(call):
                return Goal(given, call.index, meets)
            meets = meets or call.is_product
            live.update(id(output) for output in call.outputs)
        returned = next((output for output in self._outputs if id(output) in live), None)
        return None if returned is None else Goal(returned, self._count, meets)

    def is_projected(self, goal: Goal) -> bool:
        """Returns whether a projection is given what the module goes on with."""
        return goal.end in self._places and is_projection(self.calls[self._places[goal.end]])

    def behind(self, product: Call) -> Iterator[Tuple[Call, torch.Tensor]]:
        """Yields the calls that a product's result comes to, in their order, each with what of it the call is
        given."""
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

    def leading(self, tensors: List[torch.Tensor], end: int) -> Set[int]:
        """Returns indices of the calls before `end` that tensors come from without another attention's projection."""
        wanted = {id(tensor) for tensor in tensors}
        found = set()
        for call in reversed(self.calls):
            if call.index < end and any(id(output) in wanted for output in call.outputs):
                found.add(call.index)
                bound = self.bounds.get(call.index, ())
                wanted.update(id(tensor) for tensor in call.inputs if id(tensor) not in bound)
        return found

    def around(self, product: Call, goal: Goal) -> List[Call]:
        """Returns the calls that one attention of several is followed in: what leads to it, but not another one before
        it, and what comes behind it up to the next one. All calls of a module that attends once."""
        if len(self.ends) < 2:
            return self.calls
        led = self.leading([goal.target], goal.end)
        limit = min((call.index for call in self.calls if call.is_product and call.index > goal.end), default=math.inf)
        return [call for call in self.calls if call.index in led or product.index < call.index < limit]

    def unexplained(self, explained: Set[int]) -> Iterator[Call]:
        """Yields products of attention and another one's result that no verified attention comes by."""
        for call in self.calls:
            if call.is_product and not call.is_settled and call.index not in explained and any(
                    self.comes_of_product(call, at) and self.is_attention(call, at) and not self._gives_scores(call)
                    for at in range(len(call.inputs[:3]))):
                yield call

    def _gives_scores(self, product: Call) -> bool:
        goal = self.goal_of(product)
        return goal is None or (goal.end in self._places and
                                plain_of(self.calls[self._places[goal.end]]) in NORMALISERS)


