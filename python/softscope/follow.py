"""Follows tokens through calls: changes some, and looks at which others change."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Union

import torch

from .maps import Refused
from .replay import run_call
from .tape import Call, leading_to
from .values import JoinedValues, Values

# Tensors that are tried as the picture's tokens before and behind attention.
MOST_TRIED = 16
# Runs of what a model has computed that following the tokens of one layer's windows may take.
MOST_PASSES = 100


class Tokens(NamedTuple):
    """A tensor of pictures' tokens, and its axis of channels."""
    tensor: torch.Tensor
    axis: int
    index: int  # of the call that made it; -1 before all calls

    def count(self) -> int:
        """Returns the number of tokens of one picture."""
        return self.tensor.numel() // (self.tensor.shape[0] * self.tensor.shape[self.axis])

    def grid(self) -> Optional[List[int]]:
        if self.tensor.dim() != 4:
            return None
        return [int(self.tensor.shape[axis]) for axis in ((1, 2) if self.axis == 3 else (2, 3))]

    def rows(self, tensor: torch.Tensor) -> torch.Tensor:
        """Returns the first picture's tokens [tokens, channels]."""
        return tensor[0].movedim(self.axis - 1, -1).reshape(-1, tensor.shape[self.axis])

    def like(self, rows: torch.Tensor) -> torch.Tensor:
        """Returns the tensor with other tokens in the first picture."""
        moved = self.tensor[0].movedim(self.axis - 1, -1).shape
        first = rows.reshape(moved).movedim(-1, self.axis - 1)
        return torch.cat([first.unsqueeze(0), self.tensor[1:]]).contiguous()


def bits_of(count: int) -> int:
    return max(1, count.bit_length())


def noise_for(tensor: torch.Tensor, seed: int) -> torch.Tensor:
    random = torch.randn(tensor.shape, generator=torch.Generator().manual_seed(seed)).to(tensor.device)
    size = float(tensor.float().std()) if tensor.numel() > 1 else 1.0
    # Much, since attention over many tokens is small beside what it is added to.
    return (10 * max(size, 1e-3) * random).to(tensor.dtype)


_working = threading.local()


class Work:
    """Counts the numbers that runs make, of which there may be MOST_PASSES times as many as `numbers`, those that the
    model had made before."""

    def __init__(self, numbers: int) -> None:
        self.left = MOST_PASSES * numbers

    def add(self, made: Dict[int, torch.Tensor]) -> None:
        self.left -= sum(tensor.numel() for tensor in made.values())
        if self.left < 0:
            raise Refused("its tokens are not followed any further, which would take more than "
                          f"{MOST_PASSES} runs of what the model had computed by then", 10)


@contextmanager
def counted_by(work: Work) -> Iterator[None]:
    """Within the block, runs of calls are counted, and throw Refused once they are too many."""
    before = getattr(_working, "work", None)
    _working.work = work
    try:
        yield
    finally:
        _working.work = before


class Codes:
    """Reads which numbered rows other rows depend on, from two runs for each digit of the numbers: one in which the
    rows with the digit are changed, and one in which the others are."""

    def __init__(self) -> None:
        self.numbers: Any = None
        self.fits = True
        self.none: Any = None

    def add(self, digit: int, with_digit: torch.Tensor, without: torch.Tensor) -> None:
        """Adds whether each row changed in each of the two runs, [rows] of bool."""
        both, neither = with_digit & without, ~(with_digit | without)
        self.fits = self.fits and not bool(both.any())
        self.none = neither if self.none is None else self.none
        self.fits = self.fits and bool((self.none == neither).all())
        number = with_digit.long() << digit
        self.numbers = number if self.numbers is None else self.numbers + number

    def read(self) -> torch.Tensor:
        """Returns the number of the row that each row depends on, or -1 for none."""
        return torch.where(self.none, torch.full_like(self.numbers, -1), self.numbers)


def changed_rows(new: torch.Tensor, old: torch.Tensor) -> Optional[torch.Tensor]:
    """Returns which rows [..., channels] changed, or None where it cannot be told from rounding."""
    if not bool(torch.isfinite(new).all()):
        return None
    far = (new.float() - old.float()).abs().amax(-1)
    largest = float(old.float().abs().max())
    # Rows that do not depend on what changed are the same to the bit, or to rounding.
    changed = far > 3e-6 * largest
    return None if bool((far[~changed] > 5e-7 * largest).any()) else changed


def last_maker(calls: List[Call], tensor: torch.Tensor) -> int:
    """Returns the index of the last call that made a tensor; -1 where none of them did."""
    return max((call.index for call in calls if any(output is tensor for output in call.outputs)), default=-1)


def run_with(calls: List[Call], tensor: torch.Tensor, changed: torch.Tensor, begin: int,
            end: int) -> Dict[int, torch.Tensor]:
    """Runs the calls [begin, end) with another tensor, and returns what they make by the identities of what they
    made."""
    live, work = {id(tensor): changed}, getattr(_working, "work", None)
    for call in calls:
        if begin <= call.index < end and any(id(given) in live for given in call.inputs):
            made = run_call(call, live)
            if work is not None:
                work.add(made)
            # Numbers of tokens, such as a sort's, stay what they were: tokens are followed to where they went.
            live.update((made_of, new) for made_of, new in made.items() if new.is_floating_point() or new.is_complex())
    return live


def tokens_in(tensor: torch.Tensor, index: int, pictures: int) -> List[Tokens]:
    """Returns the ways in which a tensor may hold pictures' tokens."""
    if not tensor.is_floating_point() or tensor.dim() not in (3, 4) or tensor.shape[0] != pictures:
        return []
    return [Tokens(tensor, axis, index) for axis in ((2,) if tensor.dim() == 3 else (3, 1))]


class Batch(NamedTuple):
    """A tensor of all pictures' tokens, with its axes of pictures and of channels."""
    tensor: torch.Tensor
    pictures: int
    channels: int

    def rows(self, tensor: torch.Tensor) -> torch.Tensor:
        """Returns [tokens of all pictures, channels], those of one picture behind one another."""
        moved = tensor.movedim((self.pictures, self.channels), (0, -1)) if tensor.dim() > 2 else tensor
        return moved.reshape(-1, tensor.shape[self.channels])

    def like(self, rows: torch.Tensor) -> torch.Tensor:
        """Returns the tensor with other tokens."""
        if self.tensor.dim() == 2:
            return rows
        ends = (self.pictures, self.channels)
        moved = self.tensor.movedim(ends, (0, -1)).shape
        return rows.reshape(moved).movedim((0, -1), ends).contiguous()


def batches_in(tensor: torch.Tensor, pictures: int) -> List[Batch]:
    """Returns the ways in which a tensor may hold all pictures' tokens."""
    if not tensor.is_floating_point() or tensor.dim() not in (2, 3, 4) or tensor.numel() == 0:
        return []
    if tensor.dim() == 2:
        return [Batch(tensor, 0, 1)] if pictures == 1 else []
    if tensor.dim() == 3:
        return [Batch(tensor, axis, 2) for axis in (0, 1) if tensor.shape[axis] == pictures][:1]
    return [Batch(tensor, 0, channels) for channels in (3, 1)] if tensor.shape[0] == pictures else []


class Followed(NamedTuple):
    """The token that each row or each key is, [..., rows], or -1 for none. Those of the first picture are the first
    `count` numbers, those of the second one the next."""
    tokens: torch.Tensor
    count: int

    def known(self) -> int:
        """Returns how many are tokens."""
        return int((self.tokens >= 0).sum())


def follow_keys(values: Union[Values, JoinedValues], calls: List[Call], inputs: Sequence[torch.Tensor], end: int,
                pictures: int) -> Optional[Followed]:
    """Returns the token of what the module is given that each key is the value of, [groups, keys], by that of its
    inputs that most keys come of, or None where a key is several tokens'. `end` is the product's index."""
    tensors = values.tensor if isinstance(values, JoinedValues) else [values.tensor]
    leading = leading_to([call for call in calls if call.index < end], tensors)
    led = [call for call in calls if call.index in leading]

    def keys_of(made: Dict[int, torch.Tensor]) -> torch.Tensor:
        found = [made.get(id(tensor), tensor) for tensor in tensors]
        return values.of(found) if isinstance(values, JoinedValues) else values.of(found[0])
    old, best = keys_of({}), None
    for batch in [batch for given in inputs for batch in batches_in(given, pictures)][:MOST_TRIED]:
        whole, code = batch.rows(batch.tensor), Codes()
        noise = batch.rows(noise_for(batch.tensor, 3))
        numbers = torch.arange(len(whole)).to(whole.device)
        for digit in range(bits_of(len(whole) - 1)):
            parts = []
            for wanted in (1, 0):
                chosen = (numbers >> digit & 1 == wanted).unsqueeze(-1)
                changed = batch.like(torch.where(chosen, whole + noise, whole))
                parts.append(changed_rows(keys_of(run_with(led, batch.tensor, changed, 0, end)), old))
            if parts[0] is None or parts[1] is None:
                code.fits = False
            else:
                code.add(digit, parts[0], parts[1])
            if not code.fits or bool(code.none.all()):
                break
        if code.fits and not bool(code.none.all()):
            found = Followed(code.read().cpu(), len(whole) // pictures)
            best = found if best is None or found.known() > best.known() else best
            if bool((best.tokens >= 0).all()):
                break
    return best


def runs_of_digit(digit: int, target: torch.Tensor, places: torch.Tensor, noise: torch.Tensor, calls: List[Call],
                  first: int) -> List[Dict[int, torch.Tensor]]:
    """Runs the calls from number `first` on twice, with other values in some rows of `target`, whose numbers `places`
    [sets, heads, rows, channels] holds: in those rows whose number has the binary digit, and in all others."""
    rows = torch.arange(int(places.shape[0]) * int(places.shape[2])).reshape(places.shape[0], 1, places.shape[2])
    runs = []
    for wanted in (1, 0):
        changed = target.detach().clone().reshape(-1)
        where = places[(rows >> digit & 1 == wanted).expand(-1, places.shape[1], -1)].reshape(-1)
        changed[where] += noise[where]
        runs.append(run_with(calls, target, changed.reshape(target.shape), first, 1 << 60))
    return runs


def follow_rows(target: torch.Tensor, places: torch.Tensor, calls: List[Call], pictures: int) -> Optional[Followed]:
    """Returns the token of what the module makes that comes of each row, [sets, queries], where `places` [sets, heads,
    queries, channels] are the numbers of `target` that the rows are, or None where a token comes of several rows, or a
    row goes to no token or to several."""
    sets, queries = int(places.shape[0]), int(places.shape[2])
    made = last_maker(calls, target)
    tried = [batch for call in reversed([call for call in calls if call.index > made]) for output in call.outputs
             for batch in batches_in(output, pictures)][:2 * MOST_TRIED] or batches_in(target, pictures)
    codes = [Codes() for _ in tried]
    noise = noise_for(target, 2).reshape(-1)
    for digit in range(bits_of(sets * queries - 1)):
        runs = runs_of_digit(digit, target, places, noise, calls, made + 1)
        for batch, code in zip(tried, codes):
            if not code.fits:
                continue
            parts = [changed_rows(batch.rows(run[id(batch.tensor)]), batch.rows(batch.tensor))
                     if id(batch.tensor) in run else None for run in runs]
            if parts[0] is None or parts[1] is None:
                code.fits = False
            else:
                code.add(digit, parts[0], parts[1])
        if not any(code.fits for code in codes):
            return None
    for code in codes:
        read = code.read().cpu() if code.fits else torch.empty(0, dtype=torch.int64)
        tokens = (read >= 0).nonzero().reshape(-1)
        if len(tokens) == sets * queries and len(read[tokens].unique()) == len(tokens):
            found = torch.empty(sets * queries, dtype=torch.int64)
            found[read[tokens]] = tokens
            return Followed(found.reshape(sets, queries), len(read) // pictures)
    return None


def refusing_none(follow: Any, *given: Any) -> Any:
    """Returns what a function such as follow_keys() or follow_rows() finds, or None where a call cannot be run
    again."""
    try:
        return follow(*given)
    except (Refused, RuntimeError, IndexError):
        return None
