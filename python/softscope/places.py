"""Where tokens lie in the picture, as far as the model or the input says."""

from __future__ import annotations

import math
import operator
from typing import Any, Iterator, List, Optional, Sequence, Tuple

from torch import nn

Places = Tuple[Optional[List[int]], Optional[int]]  # grid and prefix


def find_places(model: nn.Module, input_size: Optional[Sequence[int]], queries: int, keys: int,
                suffix: int = 0) -> Tuple[Optional[List[int]], Optional[int], bool]:
    """Returns grid and prefix as the file has them, and whether the grid was guessed. None leaves them to be guessed,
    which Softscope then says. `suffix` tokens of the model's own stand behind those that are counted."""
    model = getattr(model, "_orig_mod", model)
    if any("Unroll" in type(module).__name__ or hasattr(module, "unroll_schedule") for module in model.modules()):
        return [0, 0], None, False  # Hiera's tokens stand in the order of its units: a square of them is not the picture
    grid, prefix = _said(model, input_size, keys, suffix)
    if grid is not None and queries in (1, keys):
        return grid, prefix, False
    of_keys, of_queries = _sides(input_size, keys), _sides(input_size, queries)
    fits = of_keys is not None and (queries == 1 or (of_queries is not None and queries >= keys))
    is_square = input_size is None or input_size[0] == input_size[1]
    if is_square and (fits or queries in (1, keys)):
        return None, None, False  # Softscope takes the same squares, and says that it guessed them
    if not fits:
        return [0, 0], None, False
    if queries == keys:
        return of_keys, None, True
    return [*([0, 0] if queries == 1 else of_queries), *of_keys], None, True  # type: ignore[misc]


def _said(model: Any, input_size: Optional[Sequence[int]], tokens: int, suffix: int) -> Places:
    """Returns the grid that the model says, as timm's models do."""
    prefix = getattr(model, "num_prefix_tokens", int(getattr(model, "cls_token", None) is not None))
    for grid in _grids(getattr(model, "patch_embed", None), input_size):
        for before in (prefix, max(0, prefix - suffix), 0):  # the class token may join the patches in later blocks only
            if before + grid[0] * grid[1] == tokens:
                return grid, before
    return None, None


def _grids(patches: Any, input_size: Optional[Sequence[int]]) -> Iterator[List[int]]:
    """Yields the grid that the model was built for, unless it takes other inputs as well and this one has other
    proportions, and the one of as many patches as this input has."""
    grid, size = getattr(patches, "grid_size", None), getattr(patches, "patch_size", None)
    if grid is not None and len(grid) == 2 and (
            getattr(patches, "strict_img_size", True) if input_size is None else
            grid[0] * input_size[1] == grid[1] * input_size[0]):
        yield list(grid)
    size = (size, size) if isinstance(size, int) else size
    if input_size is not None and isinstance(size, (tuple, list)) and len(size) == 2:
        yield [input_size[0] // size[0], input_size[1] // size[1]]


def misfit_of(grid: Optional[Sequence[int]], prefix: Optional[int], queries: int, keys: int) -> Optional[str]:
    """Returns why a caller's grid and prefix cannot be a layer's, or None where they can."""
    try:
        before = None if prefix is None else operator.index(prefix)
        sides = None if grid is None else [operator.index(side) for side in grid]
    except TypeError:
        return f"grid={grid!r} and prefix={prefix!r} are not whole numbers"
    if before is not None and before < 0:
        return f"prefix={before} is no number of tokens"
    if sides is not None and (len(sides) not in (2, 4) or any(not 0 <= side <= 8192 for side in sides)):
        return f"grid={sides} is not height and width, or the queries' and then the keys'"
    if sides is None and before is not None:
        squares = [count >= before and math.isqrt(count - before) ** 2 == count - before for count in (queries, keys)]
        return None if squares[1] and (queries == 1 or squares[0]) else \
            f"prefix={before} of {keys} tokens leaves no square: give grid=, too"
    if sides is None:
        return None
    for which, (count, what) in enumerate(((queries, "queries"), (keys, "keys"))):
        height, width = sides[2 * which:2 * which + 2] if len(sides) == 4 else sides
        if (height == 0) != (width == 0):
            return f"grid={sides} has one side of 0"
        places = height * width
        fits = places == 0 or (count >= places if before is None else count == places + before)
        asks_alone = which == 0 and len(sides) == 2 and queries < keys and queries <= max(1, before or 1)
        if not fits and not asks_alone:
            return f"grid={sides} " + ("" if before is None else f"behind {before} tokens ") + \
                f"does not fit its {count} {what}"
    return None


def _sides(input_size: Optional[Sequence[int]], tokens: int) -> Optional[List[int]]:
    """Returns sides with the proportions of the input whose product is the number of tokens."""
    height, width = input_size or (1, 1)
    divisor = math.gcd(int(height), int(width)) or 1
    height, width = int(height) // divisor, int(width) // divisor
    times = math.isqrt(tokens // (height * width))
    return [height * times, width * times] if times and height * width * times * times == tokens else None
