"""Which part of a picture a transform lets the model see, measured with pictures made for it."""

from __future__ import annotations

from typing import Any, Callable, List, Tuple

import numpy as np
import torch


_REPEATS = 8  # of two ramps: a flip of every other picture goes unnoticed once in 65536 times


def seen_region(prepare: Callable[[np.ndarray], torch.Tensor], height: int, width: int) -> List[float]:
    """x, y, width and height in pixels of a picture of that size.

    `prepare` makes the model's input [1, channels, h, w] of uint8 [height, width, 3]. It is given a black and a white
    picture, which tell what it does to values, and two ramps, which tell where each pixel of the input comes from.
    Throws ValueError where that is no rectangle of the picture: then nothing could be laid over it truly.
    """
    black, white = (_input(prepare, np.full((height, width, 3), value, np.uint8)) for value in (0, 255))
    reach = white - black
    same = np.abs(reach) < 1e-6
    if same.all():
        raise ValueError("the transform makes the same of black and white; it may normalise each picture by itself")
    if same.any():
        raise ValueError("the transform pads or turns the picture: parts of its output do not depend on it")
    across = np.broadcast_to(_ramp(width)[None, :, None], (height, width, 3))
    down = np.broadcast_to(_ramp(height)[:, None, None], (height, width, 3))
    x = ((_input(prepare, across) - black) / reach) * (width - 1) + 0.5
    y = ((_input(prepare, down) - black) / reach) * (height - 1) + 0.5
    for _ in range(_REPEATS):
        for ramp, places, size in ((across, x, width), (down, y, height)):
            again = ((_input(prepare, ramp) - black) / reach) * (size - 1) + 0.5
            if again.shape != places.shape or float(np.abs(again - places).max()) > 1e-3:
                raise ValueError("the transform is random")
    left, right = _ends(x, width)
    top, bottom = _ends(y.T, height)
    return [left, top, right - left, bottom - top]


def _ramp(size: int) -> np.ndarray:
    return np.round(np.linspace(0, 255, max(size, 2)))[:size].astype(np.uint8)


def _input(prepare: Callable[[np.ndarray], torch.Tensor], pixels: np.ndarray) -> np.ndarray:
    made = prepare(np.ascontiguousarray(pixels))
    if made.dim() != 4:
        raise ValueError(f"the transform returns {list(made.shape)}, not [channels, height, width]")
    if made.shape[0] != 1:
        raise ValueError(f"the transform makes {made.shape[0]} pictures of one")
    return made[0].detach().float().cpu().numpy().mean(0).astype(np.float64)


def _ends(places: np.ndarray, size: int) -> Tuple[float, float]:
    """Returns begin and end of the seen part along the columns of `places`, which say where pixels come from."""
    count = places.shape[1]
    if count < 4:
        raise ValueError("the transform leaves less than four pixels")
    mean = places.mean(0)
    # Values of eight bits say a place to a level, and resizing smooths the ends of a ramp.
    level = max(1.0, (size - 1) / 255)
    if float(np.abs(places - mean).max()) > 2 * level:
        raise ValueError("the transform turns the picture")
    inner = slice(1, count - 1) if count > 4 else slice(0, count)
    index = np.arange(count) + 0.5
    slope, start = np.polyfit(index[inner], mean[inner], 1)
    if float(np.abs(slope * index + start - mean)[inner].max()) > 2 * level + abs(slope):
        raise ValueError("the transform bends the picture, or changes its values other than by shift and scale")
    if float(np.abs(slope * index + start - mean).max()) > 3 * level + 3 * abs(slope):
        raise ValueError("the transform moves pixels from one side to the other")
    if slope <= 0:
        raise ValueError("the transform mirrors the picture")
    begin, end = start, start + slope * count
    slack = level + abs(slope)
    if begin < -slack or end > size + slack:
        raise ValueError("the transform pads the picture")
    return max(0.0, begin), min(float(size), end)


def describe(error: Any) -> str:
    return f"where the model looks cannot be told: {error}; give mean=, std= and size= instead"
