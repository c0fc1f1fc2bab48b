"""Certifies in which order the rows and the columns of attention stand, by the tokens that they are found to be."""

from __future__ import annotations

import math
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

import torch

from .follow import Batch, Followed, batches_in, last_maker, noise_for, run_with
from .maps import Refused
from .replay import Layout
from .stem import grids_of
from .tape import Call, Tape, leading_to

# Tokens that are changed one by one, where one that is changed changes more than itself.
_MOST_ASKED = 24
_LITTLE = 0.3
_MOST_CHANGED = 0.6  # of the rows, above which another token does not tell which row is its own


class Standing(NamedTuple):
    """How rows or columns stand among the module's tokens. `order` puts them as the tokens stand, [n], or [heads, n]
    where heads differ, and is None where they stand so. `first` is the number of the first of `count` tokens that is
    among them, and `before` and `behind` are how many that are no tokens stand at the ends. They are a run of tokens,
    or none of this is known."""
    order: Optional[torch.Tensor]
    first: int
    before: int
    behind: int
    count: int
    is_run: bool
    tokens: torch.Tensor  # sorted, -1 for none

    def offset(self) -> int:
        """Returns how far the numbers of tokens are from their places."""
        return self.first - self.before


def standing_of(tokens: torch.Tensor, count: int) -> Optional[Standing]:
    """Finds how tokens stand: `tokens` [heads, n] are their numbers, of which there are `count`, and -1 for what is
    none. Returns None where they cannot be sorted."""
    tokens, count = _within_heads(tokens, count)
    orders = [_order_of(each) for each in tokens]
    if None in orders:
        return None
    sorted_tokens = torch.stack([each[order] for each, order in zip(tokens, orders)])  # type: ignore[index]
    if bool((sorted_tokens != sorted_tokens[:1]).any()):
        return None
    places = torch.arange(tokens.shape[1])
    are_sorted = all(torch.equal(order, places) for order in orders)
    order = None if are_sorted else torch.stack(orders) if len(orders) > 1 else orders[0]  # type: ignore[arg-type]
    known = (sorted_tokens[0] >= 0).nonzero().reshape(-1)
    if len(known) == 0:
        return None
    first, last = int(known[0]), int(known[-1])
    run = sorted_tokens[0, first:last + 1]
    is_run = bool((run[1:] - run[:-1] == 1).all()) and len(known) == last - first + 1
    return Standing(order, int(run[0]), first, tokens.shape[1] - 1 - last, count, is_run, sorted_tokens[0])


def _within_heads(tokens: torch.Tensor, count: int) -> Tuple[torch.Tensor, int]:
    """Returns numbers of tokens in the order of each head, where all heads' tokens lie behind one another in one
    tensor."""
    heads = len(tokens)
    if bool((tokens == tokens[:1]).all()):
        return tokens[:1], count
    each = count // heads
    of = torch.div(tokens, max(1, each), rounding_mode="floor")
    has_own = count % heads == 0 and all(len(set(row[at >= 0].tolist())) == 1 for row, at in zip(of, tokens)) and \
        len({int(row[at >= 0][0]) for row, at in zip(of, tokens)}) == heads
    return (torch.where(tokens < 0, tokens, tokens % each), each) if has_own else (tokens, count)


def _order_of(tokens: torch.Tensor) -> Optional[torch.Tensor]:
    """Returns the order that sorts them, or None where several are the same, or some are none and the others are not
    sorted."""
    known = tokens[tokens >= 0]
    if bool((known[1:] > known[:-1]).all()):
        return torch.arange(len(tokens))
    return tokens.argsort() if len(known) == len(tokens) == len(known.unique()) else None


def fit_together(rows: Optional[Standing], columns: Standing, queries: int) -> bool:
    """Returns whether the tokens of rows and columns stand at the places that their numbers say."""
    keys = len(columns.tokens)
    left = columns.count - columns.first - (keys - columns.before - columns.behind)
    if not columns.is_run:
        return keys < queries and columns.before == columns.behind == 0 and _is_coarse(columns)
    if left > 0:
        return False  # the last tokens are no keys
    if queries != keys:
        return True
    if columns.before + columns.behind > 0 and columns.first > 0:
        return False  # others stand for tokens that are no keys
    return rows is None or rows.count != columns.count or rows.offset() == columns.offset()


def _is_coarse(columns: Standing) -> bool:
    """Returns whether keys are each second token, or the like, of each second row of a grid."""
    tokens = columns.tokens - columns.first
    for height, width in [grid for grid in grids_of(len(tokens)) if min(grid) > 1]:
        step = int(tokens[1])
        across = int(tokens[width]) // step
        if across < 1 or abs(across - step * width) >= step or \
                abs(columns.count - columns.first - across * step * height) >= across * step:
            continue
        down = torch.arange(height)[:, None] * across * step
        if torch.equal(tokens, (down + torch.arange(width) * step).reshape(-1)):
            return True
    return False


class Origins:
    """The calls that lead to values, and the tensors of all pictures' tokens that they begin with."""

    def __init__(self, tape: Tape, values: Any, calls: List[Call], inputs: Sequence[torch.Tensor], end: int,
                 pictures: int) -> None:
        tensors = values.tensor if isinstance(values.tensor, list) else [values.tensor]
        leading = leading_to([call for call in calls if call.index < end], tensors)
        self._values, self._tensors, self._end, self._pictures = values, tensors, end, pictures
        self._calls = [call for call in calls if call.index in leading]
        self._old = self._of({})
        made = {id(output) for call in self._calls for output in call.outputs}
        given = {id(each): each for each in [*inputs, *(each for call in self._calls for each in call.inputs), *tensors]
                 if id(each) not in made and tape.is_data(each)}
        self.batches = [batch for each in given.values() for batch in batches_in(each, pictures)]

    def _of(self, made: Any) -> torch.Tensor:
        found = [made.get(id(tensor), tensor) for tensor in self._tensors]
        return self._values.of(found if isinstance(self._values.tensor, list) else found[0]).float()

    def change(self, batch: Batch, rows: torch.Tensor) -> torch.Tensor:
        """Returns by how much each of the values [groups, keys] changes with other tokens."""
        made = run_with(self._calls, batch.tensor, batch.like(rows), 0, self._end)
        return (self._of(made) - self._old).abs().amax(-1)

    def require_own_picture(self, groups: List[int]) -> None:
        """Throws Refused where keys of the first picture's attention change with other pictures, and not by little beside
        how they change with their own, as with what a normalisation of all pictures subtracts."""
        own, others = 0.0, 0.0
        for batch in self.batches:
            whole, noise = batch.rows(batch.tensor), batch.rows(noise_for(batch.tensor, 4)) / 100
            is_own = (torch.arange(len(whole), device=whole.device) < len(whole) // self._pictures)[:, None]
            own = max(own, float(self.change(batch, torch.where(is_own, whole + noise, whole))[groups].max()))
            others = max(others, float(self.change(batch, torch.where(is_own, whole, whole + noise))[groups].max()))
        if others > max(_LITTLE * own, 1e-5 * float(self._old.abs().max())):
            raise Refused("it attends across the pictures of the batch: its keys change with other pictures than the first",
                          8)

    def keep_order(self, groups: List[int]) -> Optional[bool]:
        """Returns whether each key changes with the token at its place, and else with its neighbours or little.
        Returns None where no tensor of as many tokens changes it."""
        keys = self._old.shape[1]
        told: List[Optional[bool]] = [None] * len(groups)  # of each head
        for batch in self.batches:
            whole, noise = batch.rows(batch.tensor), batch.rows(noise_for(batch.tensor, 7)) / 100
            ahead = len(whole) // self._pictures - keys
            if not 0 <= ahead <= keys // 4:
                continue

            def respond(place: int) -> torch.Tensor:
                rows = whole.clone()  # pylint: disable=cell-var-from-loop
                rows[place + ahead] += noise[place + ahead]  # pylint: disable=cell-var-from-loop
                return self.change(batch, rows)[groups].cpu()  # pylint: disable=cell-var-from-loop
            told = [_or(*each) for each in zip(told, stand_in_order(respond, keys))]
            if all(told):
                return True
        return False if False in told else None


def _or(one: Optional[bool], other: Optional[bool]) -> Optional[bool]:
    return other if one is None else one if other is None else one or other


def stand_in_order(respond: Callable[[int], torch.Tensor], count: int) -> List[Optional[bool]]:
    """Returns whether each head's rows stand in the order of the tokens that they come of. `respond` says by how much
    each row changes, [heads, rows], where the token at a place is another one. Returns None where none changes any."""
    places = _asked(count)
    changed = torch.stack([respond(place) for place in places], 1)  # [heads, places, rows]
    return [None if float(each.max()) == 0 else _are_near(each, places) or _are_own(each, places) for each in changed]


def _are_near(changed: torch.Tensor, places: List[int]) -> bool:
    """Returns whether each token changes the row at its own place most, and otherwise only its neighbours, or all
    others slightly."""
    most = changed.amax(1, keepdim=True)
    near = changed > 1e-3 * most
    of_all = near.float().mean(1) > _MOST_CHANGED
    near[of_all] = (changed > torch.maximum(4 * changed.median(1, keepdim=True).values, 0.1 * most))[of_all]
    if not all(bool(each[place]) for each, place in zip(near, places)) or \
            bool((near.float().mean(1) > _MOST_CHANGED).any()):
        return False
    at = torch.arange(near.shape[1])
    offsets = [float(at[each].float().mean()) - place for each, place in zip(near, places)]
    return abs(float(torch.tensor(offsets).median())) <= 0.5


def _are_own(changed: torch.Tensor, places: List[int]) -> bool:
    """Returns whether the row at a place is changed most by the token there, as beside a residual."""
    return float((changed[:, places].argmax(0) == torch.arange(len(places))).float().mean()) >= 0.8


def _asked(count: int) -> List[int]:
    """Returns all places, or some that lie in all rows and columns of a grid."""
    if count <= _MOST_ASKED:
        return list(range(count))
    golden = (math.sqrt(5) - 1) / 2
    return list(dict.fromkeys([0, count - 1, *(int(count * (index * golden % 1)) for index in range(_MOST_ASKED - 2))]))


def rows_keep_order(target: torch.Tensor, layout: Layout, calls: List[Call], pictures: int) -> Optional[bool]:
    """Does the same as Origins.keep_order() for the rows of what a module goes on with and the tokens of what it
    makes."""
    made = last_maker(calls, target)
    queries = layout.index.shape[1]
    noise = noise_for(target, 2).reshape(-1) / 100
    led = [call for call in calls if call.index > made]
    told: Optional[bool] = None
    for batch in [batch for call in reversed(led) for output in call.outputs for batch in batches_in(output, pictures)
                  if len(batch.rows(output)) == pictures * queries][:4]:
        def respond(row: int) -> torch.Tensor:
            changed = target.detach().clone().reshape(-1)
            where = layout.index[:, row].reshape(-1)
            changed[where] += noise[where]
            run = run_with(led, target, changed.reshape(target.shape), made + 1, 1 << 60)
            tensor = batch.tensor  # pylint: disable=cell-var-from-loop
            far = (batch.rows(run.get(id(tensor), tensor)).float() - batch.rows(tensor).float()).abs().amax(1)
            return far[:queries].cpu()[None]
        told = _or(told, stand_in_order(respond, queries)[0])
        if told:
            return True
    return told


def rows_standing(rows: Optional[Followed], which: int) -> Optional[Standing]:
    """Returns how the rows of one set stand among the tokens that they come to."""
    return None if rows is None else standing_of(rows.tokens[which][None], rows.count)
