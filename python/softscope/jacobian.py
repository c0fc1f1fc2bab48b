"""What reaches a token: norms of a module's Jacobian, for modules that mix tokens with a matrix or without one."""

from __future__ import annotations

import math
import warnings
from contextlib import ExitStack, contextmanager
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, TypeVar

import numpy as np
import torch
from torch import nn

from .picture import input_of
from .tape import SEES_NAMED, hook_on, on_this_thread, plain_name, tensors_in

_AT_ONCE = 16  # directions that one backward pass follows

_Answer = TypeVar("_Answer")
_End = Tuple[torch.Tensor, nn.Module]


class JacobianRow:
    """The norms of a module's Jacobian for one token of its output. `norms` [tokens] are the Frobenius norms of that
    of the output at `query` with respect to each token of the input, `error` is the standard error of each, zero where
    the norms are exact, and `directions` is how many were followed."""

    def __init__(self, norms: np.ndarray, error: np.ndarray, directions: int) -> None:
        self.norms = norms
        self.error = error
        self.directions = directions

    def __repr__(self) -> str:
        worst = float((self.error / np.maximum(self.norms, 1e-30)).max())
        return f"Jacobian norms of {len(self.norms)} tokens by {self.directions} directions, error at most {worst:.0%}"


def jacobian(model: nn.Module, picture: Any, query: int, layer: Optional[str] = None, *, directions: int = 12,
             transform: Optional[Callable[[Any], torch.Tensor]] = None, mean: Optional[Sequence[float]] = None,
             std: Optional[Sequence[float]] = None, size: Any = None, seed: int = 0,
             channels_last: Optional[bool] = None, **inputs: Any) -> JacobianRow:
    """Measures the Jacobian norms of a module for one token of its output.

    query:      that token, counted from 0 with those before the patches.
    layer:      the module's name, such as "blocks.3" or "blocks.3.attn"; its first input and its output are taken for
                tokens [1, n, channels], or for a map, whose tokens are counted row by row. Without one, from what the
                first module with tokens is given to what the last one returns: all layers but for the patch embedding,
                the head, and a pool of all tokens into one.
    channels_last: True if maps are [1, height, width, channels], False for [1, channels, height, width]; by default the
                sizes of the module's layers tell.
    directions: one product of a vector with the Jacobian each. With as many as the output has channels the norms are
                exact; fewer give an unbiased estimate of their squares. `seed` draws others.
    picture, transform, mean, std, size: as record()'s.
    """
    tensor, _ = input_of(model, picture, transform, mean, std, size)

    def measure() -> JacobianRow:
        with buffers_kept(model), ExitStack() as hooks, torch.enable_grad():
            (begin, first), (end, last) = _tokens_at(model, layer, tensor, inputs, hooks)
            are_last = [has_channels_last(module, model, tokens) if channels_last is None else channels_last
                        for tokens, module in ((begin, first), (end, last))]
            return _row(as_tokens(end, are_last[1]), begin, are_last[0], query, directions, seed)
    return despite_overwriting(measure)


def despite_overwriting(measure: Callable[[], _Answer]) -> _Answer:
    """Returns what `measure` returns, which runs modules and differentiates. Where they overwrite what the derivative
    needs, such as a residual stream to which each block adds in place, it is asked again with copies of that."""
    try:
        return measure()
    except RuntimeError as error:
        if "modified by an inplace operation" not in str(error):
            raise
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor.detach().clone(), lambda tensor: tensor):
        return measure()


def _tokens_at(model: nn.Module, layer: Optional[str], tensor: torch.Tensor, inputs: Any,
               hooks: ExitStack) -> Tuple["_End", "_End"]:
    """Returns input and output of the module in a forward pass that keeps what leads from one to the other, each with
    the module that it was seen at."""
    modules = {plain_name(name): module for name, module in model.named_modules()}
    if layer is not None and layer not in modules:
        raise KeyError(f"no module {layer!r}; there are {', '.join(name for name in modules if name.count('.') < 2)}")
    ends: List[_End] = []
    begins: List[_End] = []
    runs: List[nn.Module] = []

    def begin(module: nn.Module, given: Any, named: Any = {}) -> Any:  # pylint: disable=dangerous-default-value
        key = None if given else next((name for name, value in named.items() if is_tokens(value)), None)
        tokens = given[0] if given else named.get(key)
        is_picture = layer is None and isinstance(tokens, torch.Tensor) and any(
            tokens.shape == each.shape for each in tensors_in(tensor))
        if begins or is_picture or not is_tokens(tokens):
            return None
        if layer is None:  # the tokens themselves, which may pass by the first module as well
            if not tokens.requires_grad:
                tokens.requires_grad_()
                hooks.callback(tokens.requires_grad_, False)
            begins.append((tokens, module))
            return None
        leaf = tokens.detach().clone().requires_grad_()
        begins.append((leaf, module))
        copy = leaf.clone()  # a module may write to what it is given, and not to a leaf
        if not SEES_NAMED:
            return (copy, *given[1:])
        return ((copy, *given[1:]), named) if given else (given, {**named, key: copy})

    def end(module: nn.Module, _given: Any, made: Any) -> None:
        runs.append(module)
        made = made[0] if isinstance(made, (tuple, list)) else getattr(made, "last_hidden_state", made)
        is_pooled = bool(ends) and is_tokens(made) and _has_one(made) and not _has_one(ends[-1][0])
        if begins and is_tokens(made) and made.requires_grad and not is_pooled:
            ends.append((made.clone(), module))  # what is returned may be written to behind it

    watched = [modules[layer]] if layer is not None else \
        [module for name, module in modules.items() if name and "patch_embed" not in name]
    frozen(model, hooks)
    for module in watched:
        hook_on(module, "forward_pre", on_this_thread(begin), hooks, **SEES_NAMED)
        hook_on(module, "forward", on_this_thread(end), hooks)
    model(tensor, **inputs)
    if layer is not None and len(runs) > 1:
        raise ValueError(f"{layer} ran {len(runs)} times, and not once: whose Jacobian it should be is not known")
    if not begins or not ends:
        raise ValueError(f"{layer or type(model).__name__} is given no tokens, or returns none: [1, n, channels], or a "
                         "map, of one picture")
    return begins[0], ends[-1]


def is_tokens(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point() and value.dim() in (3, 4) and \
        value.shape[0] == 1


def _has_one(tokens: torch.Tensor) -> bool:
    """Returns whether there is one token, as behind a pool: wherever a map's channels are."""
    return any(math.prod(sizes) == 1 for sizes in
               ([tokens.shape[1:-1]] if tokens.dim() == 3 else [tokens.shape[1:3], tokens.shape[2:4]]))


def as_tokens(values: torch.Tensor, is_last: bool) -> torch.Tensor:
    """Returns [n, channels] of [1, n, channels]; or of [1, height, width, channels] where channels are last, and else
    of [1, channels, height, width]."""
    if values.dim() == 3:
        return values[0]
    return values[0].flatten(0, 1) if is_last else values[0].flatten(1).transpose(0, 1)


def has_channels_last(module: nn.Module, model: nn.Module, values: torch.Tensor) -> bool:
    """Returns whether a map's channels are its last axis, by the sizes that the module's layers take, or else the
    model's. Throws ValueError where they do not tell."""
    if values.dim() != 4:
        return False
    told = _told_by(module, values)
    if told is None and values.shape[1] != values.shape[3]:
        told = _told_by(model, values)
    if told is not None:
        return told
    raise ValueError(f"whether {list(values.shape)} is [1, channels, height, width] or [1, height, width, channels] "
                     "cannot be told by the sizes of layers: give channels_last=")


def _told_by(module: nn.Module, values: torch.Tensor) -> Optional[bool]:
    maps, vectors = set(), set()
    for inner in module.modules():
        if isinstance(inner, nn.Conv2d):
            maps |= {inner.in_channels, inner.out_channels}
        elif isinstance(inner, (nn.BatchNorm2d, nn.GroupNorm)):
            maps.add(getattr(inner, "num_features", None) or inner.num_channels)
        elif isinstance(inner, nn.Linear):
            vectors |= {inner.in_features, inner.out_features}
        elif isinstance(inner, nn.LayerNorm):
            vectors.add(inner.normalized_shape[-1])
    first, last = int(values.shape[1]), int(values.shape[3])
    # Modules may turn a map for their linear layers, or tokens for their convolutions.
    for of_first, of_last in ((maps, vectors), (maps | vectors, maps | vectors)):
        if (first in of_first) != (last in of_last):
            return last in of_last
    return None


@contextmanager
def buffers_kept(model: nn.Module) -> Iterator[None]:
    """Within the block modules in training mode have copies of their buffers, so that one picture leaves no trace in the
    running statistics of normalisations. Others have no statistics to keep, but perhaps tables that they fill once."""
    kept = [(module._buffers, name, buffer)  # pylint: disable=protected-access
            for module in model.modules() if module.training
            for name, buffer in module._buffers.items() if buffer is not None]  # pylint: disable=protected-access
    copies: Dict[int, torch.Tensor] = {}  # of a buffer that several modules have, one
    try:
        for buffers, name, buffer in kept:
            buffers[name] = copies.setdefault(id(buffer), buffer.detach().clone())
        yield
    finally:
        for buffers, name, buffer in kept:
            # One of another size is no statistic: a module has made it for inputs of this size.
            if name in buffers and buffers[name] is not None and buffers[name].shape == buffer.shape:
                buffers[name] = buffer


def frozen(model: nn.Module, hooks: ExitStack) -> None:
    """Spares the gradients of parameters within the block."""
    for parameter in model.parameters():
        if parameter.requires_grad:
            parameter.requires_grad_(False)
            hooks.callback(parameter.requires_grad_, True)


def squared_norms(begin: torch.Tensor, is_last: bool, token: torch.Tensor, directions: int, seed: int) -> torch.Tensor:
    """Estimates the squared norm of the Jacobian of a token [channels] with respect to each token of `begin`, once for
    each direction [directions, tokens]."""
    channels = len(token)
    frame = _frame(directions, channels, seed).to(token.device, token.dtype)
    squares = []
    for some in frame.split(_AT_ONCE):
        for gradient in _products(token, some, begin):
            squares.append(torch.zeros(len(as_tokens(begin, is_last))) if gradient is None else
                           as_tokens(gradient, is_last).float().square().sum(-1).cpu())
    return torch.stack(squares).double() * channels


def _products(token: torch.Tensor, directions: torch.Tensor, begin: torch.Tensor) -> Sequence[Optional[torch.Tensor]]:
    """Returns each direction times the Jacobian, all in one backward pass where every function in it can do that."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of functions that run once for each direction
        try:
            (found,) = torch.autograd.grad(token, begin, directions, retain_graph=True, allow_unused=True,
                                           is_grads_batched=True)
            return [None] * len(directions) if found is None else list(found)
        except (RuntimeError, NotImplementedError):
            return [torch.autograd.grad((token * direction).sum(), begin, retain_graph=True, allow_unused=True)[0]
                    for direction in directions]


def _row(tokens: torch.Tensor, begin: torch.Tensor, is_last: bool, query: int, directions: int,
         seed: int) -> JacobianRow:
    count, channels = tokens.shape
    if directions < 1:
        raise ValueError(f"directions is {directions}, and should be at least 1")
    if not 0 <= query < count:
        raise IndexError(f"token {query} of {count}")
    directions = min(directions, channels)
    each = squared_norms(begin, is_last, tokens[query], directions, seed)
    square = each.mean(0)
    # Directions are drawn without replacement, as it were: all of them leave no error.
    spread = each.std(0, unbiased=directions > 1) * math.sqrt((1 / directions) * (1 - directions / channels))
    if directions == 1 and channels > 1:
        spread = torch.full_like(square, math.inf)  # one direction does not tell its error
    norms = square.sqrt()
    return JacobianRow(norms.numpy(), (spread / (2 * norms).clamp_min(1e-30)).numpy(), directions)


def _frame(directions: int, channels: int, seed: int) -> torch.Tensor:
    """Returns orthonormal directions at random [directions, channels]."""
    random = torch.Generator().manual_seed(seed)
    columns, upper = torch.linalg.qr(torch.randn(channels, directions, generator=random, dtype=torch.float64))
    return (columns * torch.sign(torch.diagonal(upper))).T
