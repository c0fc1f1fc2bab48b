"""Where the tokens of a recording's layers lie, as far as it is known while a model runs."""

from __future__ import annotations

import math
from typing import Dict, List, NamedTuple, Optional, Sequence

from torch import nn

from .maps import Map
from .places import find_places
from .stem import Seen, grids_of
from .windows import lie_on

MIXED = "the model puts its pictures into another order, so that the attention of the first one is not known: give " \
    "one picture"


class Laid(NamedTuple):
    """The entries of a layer that say where its tokens lie, which are None where a file has none."""
    grid: Optional[List[int]]
    prefix: Optional[int]
    suffix: int = 0
    is_guess: bool = False  # which is in the file all the same


class Placing:
    """Follows what a model does with its tokens, and says where those of a layer lie in the picture."""

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        self.reordered = False  # tokens were picked or reordered, so that they are no grid
        self.turned = False  # likewise those of the module that is told of
        self.input_size: Optional[Sequence[int]] = None
        self.covered: Optional[Sequence[float]] = None  # what of the input's height and width is in patches, if not all
        # How many of the last tokens are the model's own, by the number of all; None where they stand between others.
        self.suffixes: Dict[int, Optional[int]] = {}
        self.prepared = False  # before the model was given it, or there are several, so that tokens are no grid of it
        self.laid: Dict[int, List[int]] = {}  # by the number of tokens height, width, and the model's own before and behind
        self.mixed: Optional[str] = None  # why no layer is known to be the first picture's

    def lay(self, map_: Map, behind: int, is_foreign: bool) -> Laid:
        """Says where tokens lie of which the caller does not. The last `behind` keys are the module's own, and
        `is_foreign` says that some rows or columns are no patches."""
        _, queries, keys = map_.shape()
        if "blocks" in map_.parts:
            return Laid(self._grid_of_windows(map_), None)
        if is_foreign or not self._has_places(queries, keys, keys - behind):
            return Laid([0, 0], None)
        suffix = 0
        if queries in (1, keys):
            if keys in self.laid:
                return Laid(self.laid[keys][:2], *self.laid[keys][2:])
            suffix = behind + (self.suffixes.get(keys - behind) or 0)
        if suffix >= keys:
            return Laid([0, 0], None)
        grid, prefix, is_guess = find_places(self.model, self.input_size, max(1, queries - suffix), keys - suffix, suffix)
        return Laid(grid, prefix, suffix, is_guess)

    def see(self, seen: Seen, are_rows: bool) -> None:
        """Keeps where the first tokens that attend lie. Where that is not on the grid that the file would have, and
        `are_rows` says that they have one axis, the file has another grid, or none."""
        if seen.picture != 0:
            self.mixed = MIXED
        if not are_rows or self.prepared or self.reordered:
            return
        count, covered = len(seen.is_own), self.covered or (1.0, 1.0)
        behind = self.suffixes.get(count, 0)
        if behind is None:
            return
        grid, before, _ = find_places(self.model, self.input_size, count - behind, count - behind, behind)
        if grid is not None and not any(grid):
            return
        if grid is None:
            side = math.isqrt(count - behind)
            grid = [side, side]
        before = count - behind - grid[0] * grid[1] if before is None else before
        if seen.lies_on(grid, before, covered):
            return
        ends = seen.without_own()
        patches = 0 if ends is None else count - sum(ends)
        fits = next((each for each in grids_of(patches) if ends is not None and seen.are_patches_of(each, covered) and
                     seen.lies_on(each, ends[0], covered)), None)
        if fits is None:
            self.reordered = True
        else:
            self.laid[count] = [*fits, *ends]  # type: ignore[misc]

    def _has_places(self, *counts: int) -> bool:
        """Returns whether tokens of such numbers may stand row by row in the picture that the file has."""
        return not self.reordered and not self.turned and not self.prepared and \
            all(self.suffixes.get(count, 0) is not None for count in counts)

    def _grid_of_windows(self, map_: Map) -> List[int]:
        """Returns the grid that the model or the input says, where windows lie on it."""
        _, queries, keys = map_.shape()
        has_places, side = self._has_places(queries, keys), math.isqrt(queries)
        grid, prefix = find_places(self.model, self.input_size, queries, keys)[:2] if has_places else (None, None)
        grid = grid if not has_places or grid is not None or side * side != queries else [side, side]
        fits = grid is not None and len(grid) == 2 and not prefix and lie_on(map_.parts["rows"].cpu(), grid)
        return list(grid) if fits and grid is not None else [0, 0]
