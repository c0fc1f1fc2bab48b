"""Where tokens lie in the picture, as far as the model or the input says."""

from __future__ import annotations

import math
from typing import Any, List, Optional, Sequence, Tuple

from torch import nn

Places = Tuple[Optional[List[int]], Optional[int]]


def find_places(model: nn.Module, input_size: Optional[Sequence[int]], queries: int, keys: int) -> Places:
    """Grid and prefix as the file has them. Nothing leaves them to be guessed, which Softscope then says."""
    model = getattr(model, "_orig_mod", model)
    if any("Unroll" in type(module).__name__ or hasattr(module, "unroll_schedule") for module in model.modules()):
        return [0, 0], None  # Hiera's tokens stand in the order of its units: a square of them is not the picture
    grid, prefix = _said(model, keys)
    if grid is not None and queries in (1, keys):
        return grid, prefix
    of_keys, of_queries = _sides(input_size, keys), _sides(input_size, queries)
    if queries == keys:
        square = input_size is None or input_size[0] == input_size[1]
        return (None, None) if of_keys is None and square else (of_keys or [0, 0], None)
    if queries == 1:
        return [0, 0, *of_keys] if of_keys else None, None  # type: ignore[return-value]
    if of_keys and of_queries and queries > keys:
        return [*of_queries, *of_keys], None
    return [0, 0], None


def _said(model: Any, tokens: int) -> Places:
    """timm's models say it."""
    grid = getattr(getattr(model, "patch_embed", None), "grid_size", None)
    if grid is None or len(grid) != 2:
        return None, None
    prefix = tokens - grid[0] * grid[1]
    expected = getattr(model, "num_prefix_tokens", prefix)
    return (list(grid), prefix) if prefix >= 0 and prefix == expected else (None, None)


def _sides(input_size: Optional[Sequence[int]], tokens: int) -> Optional[List[int]]:
    """Sides with the proportions of the input whose product is the number of tokens."""
    height, width = input_size or (1, 1)
    divisor = math.gcd(int(height), int(width)) or 1
    height, width = int(height) // divisor, int(width) // divisor
    times = math.isqrt(tokens // (height * width))
    return [height * times, width * times] if times and height * width * times * times == tokens else None
