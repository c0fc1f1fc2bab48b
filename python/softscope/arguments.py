"""What functions of the package are given, checked before anything runs."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

import numpy as np
from torch import nn


def require_module(model: Any) -> None:
    """Throws TypeError where this is no model."""
    if isinstance(model, nn.Module):
        return
    shown = repr(model) if model is None or isinstance(model, str) else f"of type {type(model).__name__}"
    advice = ": build the model that the file has weights of, load them with load_state_dict(), and give that" \
        if isinstance(model, str) else ""
    raise TypeError(f"model is {shown}, and should be a torch.nn.Module{advice}")


def require_scale(mean: Any, std: Any, channels: int = 3) -> None:
    """Throws ValueError where a mean and a standard deviation, if they are given, are not finite numbers, one for each
    channel, or would divide by zero."""
    for name, values in (("mean", mean), ("std", std)):
        try:
            numbers = np.asarray([] if values is None else values, dtype=np.float64)
        except (TypeError, ValueError):
            numbers = np.full(1, np.nan)
        if isinstance(values, (str, bytes)) or not np.isfinite(numbers).all():
            raise ValueError(f"{name}={values!r} is not of finite numbers")
        if values is not None and numbers.shape not in ((3,), (channels,)):
            raise ValueError(f"{name}={values!r}: mean and std are three numbers each")
        if name == "std" and (numbers <= 0).any():
            raise ValueError(f"std={values!r} has a number that is not above zero, by which pixels are divided")


def patterns_of(patterns: Any) -> List[str]:
    """Returns names of modules as a list: one that stands alone is one name, and not a list of letters."""
    return [patterns] if isinstance(patterns, str) else [str(pattern) for pattern in patterns]


def require_lists(classes: Optional[Sequence[str]], grid: Optional[Sequence[int]]) -> None:
    """Throws ValueError for text in the place of a list."""
    if isinstance(classes, (str, bytes)):
        raise ValueError(f"classes={classes!r} is one text, and should be a list of names")
    if isinstance(grid, (str, bytes)):
        raise ValueError(f"grid={grid!r} is text, and should be height and width, such as (14, 14)")
