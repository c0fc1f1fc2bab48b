"""Where in the picture the tokens lie that a model's first attention is given: changes pixels, and looks at which tokens
change by how much."""

from __future__ import annotations

import math
from typing import Iterator, List, NamedTuple, Optional, Sequence, Tuple

import torch

from .follow import Batch, batches_in, run_with
from .maps import Refused
from .replay import draws
from .tape import Call, leading_to

# Calls, and numbers that they made, that are kept until the first attention.
_MOST_CALLS, _MOST_NUMBERS = 4096, 1 << 28
_REPEATS = 4
# Spread of the pixels that a token depends on, as a fraction of a patch, of which those of a patch have 0.29: above this
# they overlap, and where they lie is known roughly.
_OVERLAPS = 0.45
_APART = 0.15  # below this there are pixels between them


class Stem:
    """The calls from the model's input on, until there is attention."""

    def __init__(self) -> None:
        self.calls: List[Call] = []
        self.numbers = 0

    def add(self, call: Call) -> None:
        if self.numbers > _MOST_NUMBERS or len(self.calls) > _MOST_CALLS:
            self.calls = []
            return
        self.calls.append(call)
        self.numbers += sum(output.numel() for output in call.outputs)


class Seen(NamedTuple):
    """Tokens of one picture by the pixels that they depend on."""
    picture: int  # of the batch, in whose place the first one's tokens stand
    is_own: List[bool]  # of the model, which depend on no pixel
    y: torch.Tensor  # [tokens], as fractions of the picture's height and width
    x: torch.Tensor
    spread: Tuple[float, float]  # down and across

    def without_own(self) -> Optional[Tuple[int, int]]:
        """Returns how many of the model's own tokens stand before the others and behind them, or None where some stand
        between."""
        patches = [place for place, own in enumerate(self.is_own) if not own]
        if not patches or patches[-1] - patches[0] + 1 != len(patches):
            return None
        return patches[0], len(self.is_own) - 1 - patches[-1]

    def are_patches_of(self, grid: Sequence[int], covered: Sequence[float]) -> bool:
        """Returns whether tokens depend on as many pixels as the places of a grid have."""
        return all(_APART <= spread * side / part <= _OVERLAPS for spread, side, part in zip(self.spread, grid, covered))

    def lies_on(self, grid: Sequence[int], before: int, covered: Sequence[float]) -> bool:
        """Returns whether tokens behind the first ones stand row by row on a grid over the covered part of the
        picture, but for those that depend on no pixel, such as masked ones."""
        height, width = grid
        if before + height * width > len(self.y):
            return False
        place = torch.arange(height * width)[~torch.tensor(self.is_own[before:before + height * width])]
        along = ((self.y, torch.div(place, width, rounding_mode="floor"), height, covered[0], self.spread[0]),
                 (self.x, place % width, width, covered[1], self.spread[1]))
        return all(_is_along(seen[before:before + height * width][place], (index + 0.5) * part / side, side, part, spread)
                   for seen, index, side, part, spread in along)


def _is_along(seen: torch.Tensor, expected: torch.Tensor, side: int, part: float, spread: float) -> bool:
    if len(seen) == 0:
        return False
    overlaps = spread * side / part > _OVERLAPS
    if side == 1:
        return overlaps or bool(((seen - seen.mean()).abs() < 0.25 * part).float().mean() > 0.9)
    centred, other = expected - expected.mean(), seen - seen.mean()
    slope = float((centred * other).sum() / (centred * centred).sum().clamp_min(1e-12))
    if overlaps:
        return slope > 0.25 and float((centred * other).sum() / (centred.norm() * other.norm() + 1e-12)) > 0.5
    is_near = (other - slope * centred).abs() < 0.5 * part / side
    return 0.8 < slope < 1.25 and float(is_near.float().mean()) > 0.9


def see_tokens(calls: List[Call], picture: torch.Tensor, given: torch.Tensor, pictures: int) -> Optional[Seen]:
    """Finds on which pixels tokens depend that come from pictures, with their channels last or second, whichever
    depends on fewer pixels. Returns None where that cannot be told."""
    leading = leading_to(calls, [given])
    led = [call for call in calls if call.index in leading]
    batches = batches_in(given, pictures)
    if not led or not batches or any(draws(call) for call in led):
        return None
    if given.dim() == 3 and len(given) == pictures:
        batches.append(Batch(given, 0, 1))
    try:
        with torch.no_grad():
            seen = [_see(led, picture, batch, pictures) for batch in batches]
    except (Refused, RuntimeError, KeyError):
        return None
    return min((each for each in seen if each is not None), key=lambda each: sum(each.spread), default=None)


def _see(calls: List[Call], picture: torch.Tensor, batch: Batch, pictures: int) -> Optional[Seen]:
    old = batch.rows(batch.tensor).double()
    ramps = [((torch.arange(side, dtype=torch.float64) + 0.5) / side).to(picture.device) for side in picture.shape[2:]]
    is_exact = picture.dtype == batch.tensor.dtype == torch.float32
    size = max(float(picture.double().std()), 1e-3) * (0.05 if is_exact else 0.5)
    total, down, across, squares = (torch.zeros(len(old), dtype=torch.float64) for _ in range(4))
    spreads = [torch.zeros(len(old), dtype=torch.float64) for _ in range(2)]
    for seed in range(_REPEATS):
        random = torch.randn(picture.shape[1:], generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
        noise = size * random.to(picture.device)

        def respond(by: torch.Tensor) -> torch.Tensor:
            changed = picture.detach().clone()
            changed[0] += (noise * by).to(picture.dtype)  # pylint: disable=cell-var-from-loop
            made = run_with(calls, picture, changed, -1, 1 << 60)[id(batch.tensor)]
            return batch.rows(made).double() - old
        plain = respond(torch.ones_like(noise))
        squares = (plain * plain).sum(1).cpu()
        total += squares
        for place, (sums, ramp) in enumerate(((down, ramps[0][:, None]), (across, ramps[1][None]))):
            made = respond(ramp.expand(noise.shape))
            sums += (made * plain).sum(1).cpu()
            spreads[place] += (made * made).sum(1).cpu()
    count = len(old) // pictures
    by_picture = total.reshape(pictures, count).sum(1)
    if not bool(torch.isfinite(by_picture).all()) or float(by_picture.max()) == 0:
        return None
    which = int(by_picture.argmax())
    if float(by_picture.sum() - by_picture[which]) > 1e-3 * float(by_picture[which]):
        return None  # pictures are mixed, as by a batch norm in training
    total, down, across = (sums.reshape(pictures, count)[which] for sums in (total, down, across))
    is_own = total <= 1e-9 * float(total.max())
    least = total.clamp_min(1e-30)
    y, x = down / least, across / least
    of_patches = [(spread.reshape(pictures, count)[which] / least - centre * centre)[~is_own].clamp_min(0).sqrt().median()
                  for spread, centre in zip(spreads, (y, x))]
    return Seen(which, is_own.tolist(), y, x, (float(of_patches[0]), float(of_patches[1])))


def grids_of(count: int) -> Iterator[List[int]]:
    """Yields all grids of as many patches, those that are near to squares first."""
    for height in sorted((each for each in range(1, count + 1) if count % each == 0),
                         key=lambda each: abs(math.log(each * each / count))):
        yield [height, count // height]
