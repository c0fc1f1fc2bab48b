"""Runs a model without some of its heads."""

from __future__ import annotations

import operator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any, Dict, Iterator, List, Mapping, Sequence, Set, Tuple

import torch
from torch import nn

from .arguments import require_module
from .uncompiled import run_uncompiled
from .recorded import Recording
from .tape import Call, step_of, tensors_in
from .verified import Spot
from .watch import Frame, Watch


class _Silencer(Watch):
    """Sets attention times values of heads to zero where recording found it."""

    def __init__(self, model: nn.Module, spots: Dict[Tuple[str, int], List[Tuple[Spot, List[int]]]],
                 runs: Mapping[str, int]) -> None:
        super().__init__(model, SimpleNamespace(reordered=False, trouble=None))
        self.spots = spots
        self.runs = runs  # of each module in the pass that was recorded
        self.reached: Set[Tuple[str, int]] = set()
        self.followed: List[_Followed] = []
        self.others: Set[str] = set()  # modules that had another number of products
        self.attended = 0.0  # the norm of attention times values of the heads that were silenced last

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        before = self.tape.count
        result = super().__torch_function__(func, types, args, kwargs)
        if self.tape.count != before + 1:
            return result
        call = self.tape.calls[-1]
        for followed in self.followed:
            if followed.comes_by(call):
                followed.steps.append(step_of(call))
        self._follow(call)
        for followed in self.followed:
            self._silence(followed, tensors_in(result) or [args[0]])
        self.followed = [followed for followed in self.followed if not followed.is_there()]
        return result

    def _follow(self, call: Call) -> None:
        """Begins with a product behind which there are heads to silence."""
        done = set()
        for frame in self.frames if call.is_product else ():
            run = (frame.name, frame.times)
            if run not in done:  # torch.compile() puts a module of the same name around one
                done.add(run)
                self.followed += [_Followed(run, spot, heads, call) for spot, heads in self.spots.get(run, [])
                                  if call.product - frame.begin == spot.product]

    def _silence(self, followed: "_Followed", made: List[torch.Tensor]) -> None:
        """Sets the heads to zero where they are. Throws RuntimeError where another way led there than was recorded."""
        steps, spot = followed.steps, followed.spot
        if tuple(steps) != spot.steps[:len(steps)]:
            (name, shapes), (expected, expected_shapes) = steps[-1], spot.steps[len(steps) - 1]
            raise RuntimeError(f"{followed.run[0]} calls {name} where it called {expected} when it was recorded: it does "
                               "not run in the same way" if name != expected else
                               f"{followed.run[0]} computes {list(shapes[0])}, and was recorded with "
                               f"{list(expected_shapes[0])}: record this model with an input of this size, and give one "
                               "picture at a time")
        if followed.is_there():
            self.attended = _clear(made[spot.output], spot.index[followed.heads])
            self.reached.add(followed.run)

    def _begin_apart(self, module: nn.Module) -> None:
        """Begins another pass where a module runs more often than in the one that was recorded."""
        if self.ran.get(id(module), 0) >= self.runs.get(self.names.get(id(module), ""), 1):
            self.ran = {}
            self.tape.forget_from(0)

    def _notice_moves(self, call: Call) -> None:
        pass

    def _conclude(self, frame: Frame, output: Any) -> None:
        if any(frame.products != spot.products for spot, _ in self.spots.get((frame.name, frame.times), [])):
            self.others.add(frame.name)
        if not self.frames:
            self.followed = []
            self.tape.forget_from(0)


class _Followed:
    """Heads of a module's run on the way from their product to where they are silenced."""

    def __init__(self, run: Tuple[str, int], spot: Spot, heads: List[int], product: Call) -> None:
        self.run, self.spot, self.heads = run, spot, heads
        self.steps = [step_of(product)]
        self._made = {id(output): output for output in product.outputs}

    def comes_by(self, call: Call) -> bool:
        """Returns whether a call is given something that comes of the product; what it makes then does so, too."""
        if not any(id(given) in self._made for given in call.inputs):
            return False
        self._made.update((id(output), output) for output in call.outputs)
        return True

    def is_there(self) -> bool:
        return len(self.steps) == len(self.spot.steps)


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
    """Does the same as silenced(), and yields what does it."""
    require_module(model)
    if recorded.pictures > 1:
        raise ValueError(f"the recording is of {recorded.pictures} pictures, and where the heads of all but the first are "
                         "is not known: record one picture, and run the model on one")
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
    if silencer.others:
        raise RuntimeError(f"{', '.join(sorted(silencer.others))} computed another number of products than when it was "
                           "recorded, so that it is not known which of them has the heads that should be silenced")
    missed = sorted(name for name, _ in set(spots) - silencer.reached)
    if missed:
        raise RuntimeError(f"the model did not come by {', '.join(missed)}, whose heads should be silenced")
