"""Runs a model without some of its heads."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any, Dict, Iterator, List, Mapping, Sequence, Tuple

import torch
from torch import nn

from .find import Spot
from .record import run_uncompiled
from .recorded import Recording
from .tape import tensors_in
from .watch import Frame, Watch


class _Silencer(Watch):
    """Sets attention times values of heads to zero where recording found it."""

    def __init__(self, model: nn.Module, spots: Dict[Tuple[str, int], List[Tuple[Spot, List[int]]]]) -> None:
        super().__init__(model, SimpleNamespace(reordered=False, trouble=None))
        self.spots = spots
        self.silenced = 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        before = self.tape.count
        result = super().__torch_function__(func, types, args, kwargs)
        if self.tape.count != before + 1:
            return result
        for frame in self.frames:
            for spot, heads in self.spots.get((frame.name, frame.times), []):
                if before - frame.begin == spot.call:
                    outputs = tensors_in(result)
                    _clear(outputs[spot.output] if outputs else args[0], spot.index[heads])
                    self.silenced += 1
        return result

    def _notice_moves(self, func: Any, args: Any, kwargs: Any) -> None:
        pass

    def _conclude(self, frame: Frame, output: Any) -> None:
        if not self.frames:
            self.tape.forget_from(0)


def _clear(tensor: torch.Tensor, index: torch.Tensor) -> None:
    places = []
    index = index.reshape(-1).to(tensor.device)
    for size in reversed(tensor.shape):
        places.append(index % size)
        index = torch.div(index, size, rounding_mode="floor")
    tensor[tuple(reversed(places))] = 0


@contextmanager
def silenced(model: nn.Module, recorded: Recording, heads: Mapping[str, Sequence[int]]) -> Iterator[None]:
    """Within the block the model runs without some heads: their attention times values is zero.

    recorded: what record() returned for this model and a picture of this size; it says where each head is.
    heads:    for each layer the heads, counted from 0. Everything else that the layer adds stays, its bias included.
    Throws RuntimeError where the model did not run as it was recorded.
    """
    spots: Dict[Tuple[str, int], List[Tuple[Spot, List[int]]]] = {}
    layers = {layer.name: layer for layer in recorded.layers}
    for name, which in heads.items():
        layer = layers.get(name)
        if layer is None or layer.map is None:
            raise KeyError(f"no recorded layer {name!r}")
        if layer.place is None or layer.place.spot is None:
            raise ValueError(f"where {name} has its heads was not found")
        if any(not 0 <= head < len(layer.heads) for head in which):
            raise IndexError(f"{name} has {len(layer.heads)} heads")
        spots.setdefault(layer.place[:2], []).append((layer.place.spot, list(which)))
    silencer = _Silencer(model, spots)
    with ExitStack() as hooks, torch.no_grad():
        run_uncompiled(model, hooks)
        silencer.start(hooks)
        yield
    if silencer.silenced == 0 and any(heads.values()):
        raise RuntimeError("the model did not come by the layers whose heads should be silenced")
