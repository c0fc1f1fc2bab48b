"""Blocks of a model that stays connected: what reaches a token behind one, and what its attention adds to the tokens."""

from __future__ import annotations

import re
from contextlib import ExitStack, contextmanager
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np
import torch
from torch import nn

from .jacobian import as_tokens, despite_overwriting, frozen, has_channels_last, is_tokens, squared_norms
from .maps import distance
from .uncompiled import run_uncompiled
from .recorded import Layer, Recording
from .tape import SEES_NAMED, hook_on, on_this_thread, plain_name, tensors_in, with_tensors

_SAME = 1e-3  # what a block gives when it is run again may differ by this part of its largest value


class Reached(NamedTuple):
    """What reaches a token: `values` of each token before the block, or of each pixel of the input [height, width],
    with the channels of the token that was asked about, and the number of directions that were followed."""
    values: np.ndarray
    channels: int
    directions: int


class _Kept(NamedTuple):
    """What a block was given, and what it returned."""
    args: Tuple[Any, ...]
    kwargs: Dict[str, Any]
    output: torch.Tensor


class Blocks:
    """The blocks of a model on one input. What each was given is kept, so that a question costs one block."""

    def __init__(self, model: nn.Module, recorded: Recording, tensor: torch.Tensor, inputs: Dict[str, Any]) -> None:
        self.model = model
        self.recorded = recorded
        self.tensor = tensor
        self.inputs = inputs
        self.modules = {plain_name(name): module for name, module in model.named_modules()}
        self.kept: Dict[str, _Kept] = {}
        self.added: Dict[str, Tuple[torch.Tensor, float]] = {}
        self.last: Optional[Tuple[Tuple[str, str], torch.Tensor, torch.Tensor]] = None  # what was differentiated last

    def reach(self, layer: str, token: int, source: str, behind: str, gradient: str, directions: int) -> Reached:
        """Measures what reaches a token of a layer. Throws ValueError that says why a layer has no answer."""
        known = next((each for each in self.recorded.recorded() if each.name == layer), None)
        if known is None or known.place is None or known.map is None:
            raise ValueError(f"there is no layer {layer}")
        block = self._block_of(known)
        inner = self._attention_in(block, known.place.module) if behind == "attention" else block
        if gradient not in ("jacobian", "positive") or source not in ("tokens", "pixels"):
            raise ValueError("it knows jacobian and positive, from tokens or pixels")

        def measure() -> Reached:
            try:
                return self._measured(known, block, inner, (token, source, gradient, directions))
            except RuntimeError:
                self.last = None  # its graph is of no use
                raise
        return despite_overwriting(measure)

    def _measured(self, known: Layer, block: str, inner: str, asked: Tuple[int, str, str, int]) -> Reached:
        token, source, gradient, directions = asked
        with ExitStack() as hooks, torch.enable_grad():
            run_uncompiled(self.model, hooks)
            frozen(self.model, hooks)
            begin, end = self._of_block(block, inner, hooks) if source == "tokens" else self._of_all(inner, hooks)
            tokens = as_tokens(end, self._is_last(inner, end))
            queries = known.map.shape()[1]  # type: ignore[union-attr]
            if len(tokens) != queries:
                raise ValueError(f"{inner} returns {len(tokens)} tokens, and the attention of {known.name} has {queries} "
                                 "queries")
            if not 0 <= token < queries:
                raise ValueError(f"token {token} of {queries}")
            channels = tokens.shape[1]
            is_last = source == "tokens" and self._is_last(block, begin)
            if gradient == "positive":
                (found,) = torch.autograd.grad(tokens[token].relu().sum(), begin, retain_graph=True,
                                               allow_unused=True)
                values = torch.zeros(len(as_tokens(begin, is_last))) if found is None else \
                    as_tokens(found, is_last).float().clamp_min(0).sum(-1)
                directions = 1
            else:
                directions = max(1, min(directions, channels))
                values = squared_norms(begin, is_last, tokens[token], directions, 0).mean(0)
        values = values.detach().cpu().numpy()
        if source == "pixels":
            height, width = (round(part * size) for part, size in zip(self.recorded.covered, begin.shape[2:]))
            values = values.reshape(begin.shape[2:])[:height, :width]  # of the pixels that are in patches
        return Reached(np.ascontiguousarray(values, dtype=np.float32), channels, directions)

    def addition(self, layer: Layer) -> Tuple[torch.Tensor, float]:
        """Returns what the attention module around a layer returns, and the norm of the tokens before the block.
        Throws ValueError."""
        if not self.added:
            self._keep_additions()
        if layer.name not in self.added:
            raise ValueError(f"what {layer.name} adds is not known")
        return self.added[layer.name]

    @contextmanager
    def watching(self, layer: Layer) -> Iterator[List[torch.Tensor]]:
        """Within the block, keeps what the attention module around a layer returns."""
        with ExitStack() as hooks:
            yield self._watch(self._attention_in(self._block_of(layer), layer.place.module), hooks)

    def _keep_additions(self) -> None:
        given: Dict[str, float] = {}
        made: Dict[str, List[torch.Tensor]] = {}
        with ExitStack() as hooks, torch.no_grad():
            run_uncompiled(self.model, hooks)
            for layer in self.recorded.recorded():
                try:
                    block = self._block_of(layer)
                    inner = self._attention_in(block, layer.place.module)
                except (ValueError, AttributeError):
                    continue

                def begin(_module: nn.Module, args: Any, kwargs: Any = None, name: str = layer.name) -> None:
                    tokens = next((value for value in (*args, *(kwargs or {}).values()) if is_tokens(value)), None)
                    if tokens is not None:  # a block may write to what it is given
                        given[name] = float(tokens.float().norm())
                hook_on(self.modules[block], "forward_pre", on_this_thread(begin), hooks, **SEES_NAMED)
                made[layer.name] = self._watch(inner, hooks)
            self.model(self.tensor, **self.inputs)
        for name, ends in made.items():
            if len(ends) == 1 and isinstance(ends[0], torch.Tensor) and name in given:
                self.added[name] = ends[0], given[name]

    def _is_last(self, name: str, tensor: torch.Tensor) -> bool:
        return has_channels_last(self.modules[name], self.model, tensor)

    def _block_of(self, layer: Layer) -> str:
        """Returns the module around a layer that stands in a list of modules, and has no other layer in it."""
        name = layer.place.module
        while "." in name:
            name = name.rpartition(".")[0]
            around = self.modules.get(name.rpartition(".")[0])
            if isinstance(around, (nn.ModuleList, nn.Sequential, nn.ModuleDict)) and "." in name:
                break
        else:
            raise ValueError(f"no block could be found around {layer.name}: a module in a list of modules")
        others = {each.place.module for each in self.recorded.recorded()
                  if each.place is not None and each.place.module != layer.place.module}
        if any(other.startswith(f"{name}.") for other in others):
            raise ValueError(f"{name}, the block around {layer.name}, holds other layers as well")
        return name

    def _attention_in(self, block: str, name: str) -> str:
        """Returns the outermost module named as attention between the block and what computed it, which has its
        projection."""
        inner = name
        while name.rpartition(".")[0] != block:
            name = name.rpartition(".")[0]
            if re.search("attention|attn", type(self.modules[name]).__name__, re.IGNORECASE):
                inner = name
        return name if re.search("attention|attn", type(self.modules[name]).__name__, re.IGNORECASE) else inner

    def _of_block(self, block: str, inner: str, hooks: ExitStack) -> Tuple[torch.Tensor, torch.Tensor]:
        """Returns the tokens before a block and what a module in it made of them, ready to be differentiated."""
        if self.last is None or self.last[0] != (block, inner):
            self.last = None
            self.last = ((block, inner), *self._run_block(block, inner, hooks))
        return self.last[1:]

    def _run_block(self, block: str, inner: str, hooks: ExitStack) -> Tuple[torch.Tensor, torch.Tensor]:
        if block not in self.kept:
            self._keep(block)
        kept = self.kept[block]
        begin, args, kwargs = _differentiable(*_copied((kept.args, kept.kwargs)))
        ends = self._watch(inner, hooks)
        output = _first(self.modules[block](*args, **kwargs))
        if not isinstance(output, torch.Tensor) or output.shape != kept.output.shape or \
                not distance(output.detach(), kept.output) <= _SAME:
            raise ValueError(f"{block} gives something else when it is run again alone")
        return begin, _one_of(ends, inner)

    def _of_all(self, inner: str, hooks: ExitStack) -> Tuple[torch.Tensor, torch.Tensor]:
        begin = self.tensor.detach().clone().requires_grad_()
        ends = self._watch(inner, hooks)
        self.model(begin.clone(), **self.inputs)
        return begin, _one_of(ends, inner)

    def _watch(self, name: str, hooks: ExitStack) -> List[torch.Tensor]:
        ends: List[torch.Tensor] = []

        def end(_module: nn.Module, _given: Any, made: Any) -> None:
            ends.append(_copied(_first(made)))  # a block may write to it, as by y += x
        hook_on(self.modules[name], "forward", on_this_thread(end), hooks)
        return ends

    def _keep(self, name: str) -> None:
        """Runs the model, and keeps what a block and those like it were given."""
        runs: Dict[str, int] = {}
        with ExitStack() as hooks, torch.no_grad():
            for each in {name} | self._all_blocks():
                def begin(_module: nn.Module, args: Any, kwargs: Any = None, each: str = each) -> None:
                    self.kept[each] = _Kept(*_copied((args, kwargs or {})), torch.empty(0))

                def end(_module: nn.Module, _given: Any, made: Any, each: str = each) -> None:
                    runs[each] = runs.get(each, 0) + 1
                    self.kept[each] = self.kept[each]._replace(output=_copied(_first(made)))
                hook_on(self.modules[each], "forward_pre", on_this_thread(begin), hooks, **SEES_NAMED)
                hook_on(self.modules[each], "forward", on_this_thread(end), hooks)
            self.model(self.tensor, **self.inputs)
        if runs.get(name, 0) != 1:
            self.kept.pop(name, None)
            raise ValueError(f"{name} ran {runs.get(name, 0)} times, and not once")

    def _all_blocks(self) -> set:
        found = set()
        for layer in self.recorded.recorded():
            try:
                found.add(self._block_of(layer))
            except (ValueError, AttributeError):
                continue
        return found


def _first(made: Any) -> Any:
    return made[0] if isinstance(made, (tuple, list)) and made else getattr(made, "last_hidden_state", made)


def _copied(value: Any) -> Any:
    """Returns arguments with copies of their tensors, which stay in their graph."""
    return with_tensors(value, iter([tensor.clone() for tensor in tensors_in(value)]))


def _one_of(ends: List[Any], name: str) -> torch.Tensor:
    if len(ends) != 1 or not is_tokens(ends[0]) or not ends[0].requires_grad:
        raise ValueError(f"{name} returns no tokens that depend on what is asked about, or ran more than once")
    return ends[0]


def _differentiable(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Tuple[torch.Tensor, Tuple[Any, ...], Dict[str, Any]]:
    """Returns the first tokens among arguments as a leaf, with the arguments that hold a copy of it, to which a block
    may write."""
    for place, value in enumerate(args):
        if is_tokens(value):
            begin = value.detach().clone().requires_grad_()
            return begin, (*args[:place], begin.clone(), *args[place + 1:]), kwargs
    for name, value in kwargs.items():
        if is_tokens(value):
            begin = value.detach().clone().requires_grad_()
            return begin, args, {**kwargs, name: begin.clone()}
    raise ValueError("the block is given no tokens of one picture")
