"""Runs a model without some of its heads."""

from __future__ import annotations

import operator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any, Dict, Iterator, List, Mapping, Sequence, Set, Tuple

import torch
from torch import nn

from .find import Spot
from .record import run_uncompiled
from .recorded import Recording
from .tape import Call, tensors_in
from .watch import Frame, Watch


class _Silencer(Watch):
    """Sets attention times values of heads to zero where recording found it."""

    def __init__(self, model: nn.Module, spots: Dict[Tuple[str, int], List[Tuple[Spot, List[int]]]],
                 runs: Mapping[str, int]) -> None:
        super().__init__(model, SimpleNamespace(reordered=False, trouble=None))
        self.spots = spots
        self.runs = runs  # of each module in the pass that was recorded
        self.reached: Set[Tuple[str, int]] = set()
        self.attended = 0.0  # the norm of attention times values of the heads that were silenced last

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        before = self.tape.count
        result = super().__torch_function__(func, types, args, kwargs)
        if self.tape.count != before + 1:
            return result
        done = set()
        for frame in self.frames:
            if (frame.name, frame.times) in done:  # torch.compile() puts a module of the same name around one
                continue
            done.add((frame.name, frame.times))
            for spot, heads in self.spots.get((frame.name, frame.times), []):
                if before - frame.begin == spot.call:
                    outputs = tensors_in(result)
                    cleared = outputs[spot.output] if outputs else args[0]
                    if tuple(cleared.shape) != spot.shape:
                        raise RuntimeError(f"{frame.name} computes {list(cleared.shape)}, and was recorded with "
                                           f"{list(spot.shape)}: record this model with an input of this size, and "
                                           "give one picture at a time")
                    self.attended = _clear(cleared, spot.index[heads])
                    self.reached.add((frame.name, frame.times))
        return result

    def _begin_apart(self, module: nn.Module) -> None:
        """Another pass begins where a module runs more often than in the one that was recorded."""
        if self.ran.get(id(module), 0) >= self.runs.get(self.names.get(id(module), ""), 1):
            self.ran = {}
            self.tape.forget_from(0)

    def _notice_moves(self, call: Call) -> None:
        pass

    def _conclude(self, frame: Frame, output: Any) -> None:
        if not self.frames:
            self.tape.forget_from(0)


def _clear(tensor: torch.Tensor, index: torch.Tensor) -> float:
    """Sets numbers to zero, and returns the norm that they had."""
    places = []
    index = index.reshape(-1).to(tensor.device)
    for size in reversed(tensor.shape):
        places.append(index % size)
        index = torch.div(index, size, rounding_mode="floor")
    norm = float(tensor[tuple(reversed(places))].float().norm())
    tensor[tuple(reversed(places))] = 0
    return norm


@contextmanager
def silenced(model: nn.Module, recorded: Recording, heads: Mapping[str, Sequence[int]]) -> Iterator[None]:
    """Within the block the model runs without some heads: their attention times values is zero.

    recorded: what record() returned for this model and an input of this size; it says where each head is. One picture
              at a time, and without gradients.
    heads:    for each layer the heads, counted from 0. Everything else that the layer adds stays, its bias included.
    Throws RuntimeError where the model did not run as it was recorded.
    """
    with silencing(model, recorded, heads):
        yield


@contextmanager
def silencing(model: nn.Module, recorded: Recording, heads: Mapping[str, Sequence[int]]) -> Iterator[_Silencer]:
    """As silenced(), with what does it."""
    spots: Dict[Tuple[str, int], List[Tuple[Spot, List[int]]]] = {}
    layers = {layer.name: layer for layer in recorded.recorded()}
    if not isinstance(heads, Mapping):
        raise TypeError("heads is a mapping, such as {'blocks.3.attn': [0, 2]}")
    for name, which in heads.items():
        layer = layers.get(name)
        if layer is None:
            raise KeyError(f"no recorded layer {name!r}; there are {', '.join(layers)}")
        if layer.place is None or layer.place.spot is None:
            raise ValueError(f"where {name} has its heads alone is not known, since something stands beside them"
                             if layer.place is not None and layer.beside is not None else
                             f"where {name} has its heads is not known; a recording that was read from a file does not "
                             "say: call record()")
        try:
            chosen = [operator.index(head) for head in which]
        except TypeError as error:
            raise TypeError(f"the heads of {name} are a list of whole numbers, not {which!r}") from error
        if any(not 0 <= head < len(layer.heads) for head in chosen):
            raise IndexError(f"{name} has {len(layer.heads)} heads")
        if chosen:
            spots.setdefault(layer.place[:2], []).append((layer.place.spot, chosen))
    silencer = _Silencer(model, spots, recorded.runs)
    with ExitStack() as hooks, torch.no_grad():
        run_uncompiled(model, hooks)
        silencer.start(hooks)
        yield silencer
    missed = sorted(name for name, _ in set(spots) - silencer.reached)
    if missed:
        raise RuntimeError(f"the model did not come by {', '.join(missed)}, whose heads should be silenced")
