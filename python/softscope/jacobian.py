"""What reaches a token: norms of a module's Jacobian, for modules that mix tokens with a matrix or without one."""

from __future__ import annotations

import math
from contextlib import ExitStack
from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np
import torch
from torch import nn

from .picture import input_of


# Since PyTorch 2.0 hooks see arguments that are given by name.
_SEES_NAMED = {"with_kwargs": True} if hasattr(nn.Module, "_call_impl") and int(torch.__version__.split(".")[0]) > 1 \
    else {}


class JacobianRow:
    """norms [tokens]: the Frobenius norm of the Jacobian of the module's output at `query` with respect to each token
    of its input; error: the standard error of each norm, zero where the norms are exact; directions: how many."""

    def __init__(self, norms: np.ndarray, error: np.ndarray, directions: int) -> None:
        self.norms = norms
        self.error = error
        self.directions = directions

    def __repr__(self) -> str:
        worst = float((self.error / np.maximum(self.norms, 1e-30)).max())
        return f"Jacobian norms of {len(self.norms)} tokens by {self.directions} directions, error at most {worst:.0%}"


def jacobian(model: nn.Module, picture: Any, query: int, layer: Optional[str] = None, *, directions: int = 16,
             transform: Optional[Callable[[Any], torch.Tensor]] = None, mean: Optional[Sequence[float]] = None,
             std: Optional[Sequence[float]] = None, size: Any = None, seed: int = 0, **inputs: Any) -> JacobianRow:
    """The Jacobian norms of a module for one token of its output.

    layer:      the module's name, such as "blocks.3" or "blocks.3.attn"; its first input and its output are taken for
                tokens [1, n, channels] or for a map [1, channels, height, width], whose tokens are counted row by row.
                Without one, from what the first module with tokens is given to what the last one returns: all layers
                but for the patch embedding and the head.
    directions: one product of a vector with the Jacobian each. With as many as the output has channels the norms are
                exact; fewer give an unbiased estimate of their squares.
    """
    tensor, _ = input_of(model, picture, transform, mean, std, size)
    begin, end = _tokens_at(model, layer, tensor, inputs)
    return _row(begin, end, query, directions, seed)


def _tokens_at(model: nn.Module, layer: Optional[str], tensor: torch.Tensor,
               inputs: Any) -> Tuple[torch.Tensor, torch.Tensor]:
    """Input and output of the module in a forward pass that keeps what leads from one to the other."""
    modules = dict(model.named_modules())
    if layer is not None and layer not in modules:
        raise KeyError(f"no module {layer!r}; there are {', '.join(name for name in modules if name.count('.') < 2)}")
    ends: List[torch.Tensor] = []
    begins: List[torch.Tensor] = []

    def begin(_module: nn.Module, given: Any, named: Any = {}) -> Any:  # pylint: disable=dangerous-default-value
        key = None if given else next((name for name, value in named.items() if _is_tokens(value)), None)
        tokens = given[0] if given else named.get(key)
        is_picture = layer is None and isinstance(tokens, torch.Tensor) and tokens.shape == tensor.shape
        if begins or is_picture or not _is_tokens(tokens):
            return None
        begins.append(tokens.detach().requires_grad_())
        if not _SEES_NAMED:
            return (begins[0], *given[1:])
        return ((begins[0], *given[1:]), named) if given else (given, {**named, key: begins[0]})

    def end(_module: nn.Module, _given: Any, made: Any) -> None:
        made = made[0] if isinstance(made, (tuple, list)) else getattr(made, "last_hidden_state", made)
        if begins and _is_tokens(made) and made.requires_grad:
            ends.append(made)

    watched = [modules[layer]] if layer is not None else \
        [module for name, module in modules.items() if name and "patch_embed" not in name]
    with ExitStack() as hooks, torch.enable_grad():
        for module in watched:
            hooks.callback(module.register_forward_pre_hook(begin, **_SEES_NAMED).remove)
            hooks.callback(module.register_forward_hook(end).remove)
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.requires_grad_(False)
                hooks.callback(parameter.requires_grad_, True)
        model(tensor, **inputs)
    if not begins or not ends:
        raise ValueError(f"{layer or type(model).__name__} is given no tokens, or returns none: [1, n, channels] or "
                         "[1, channels, height, width], of one picture")
    return begins[0], ends[-1]


def _is_tokens(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point() and value.dim() in (3, 4) and \
        value.shape[0] == 1


def _as_tokens(values: torch.Tensor) -> torch.Tensor:
    """[n, channels]"""
    return values[0] if values.dim() == 3 else values[0].flatten(1).transpose(0, 1)


def _row(begin: torch.Tensor, end: torch.Tensor, query: int, directions: int, seed: int) -> JacobianRow:
    tokens = _as_tokens(end)
    count, channels = tokens.shape
    if directions < 1:
        raise ValueError(f"directions is {directions}, and should be at least 1")
    if not 0 <= query < count:
        raise IndexError(f"token {query} of {count}")
    directions = min(directions, channels)
    frame = _frame(directions, channels, seed).to(tokens.device, tokens.dtype)
    squares = []
    for direction in frame:
        (gradient,) = torch.autograd.grad(tokens[query] @ direction, begin, retain_graph=True, allow_unused=True)
        squares.append(torch.zeros(len(_as_tokens(begin))) if gradient is None else
                       _as_tokens(gradient).float().square().sum(-1).cpu())
    each = torch.stack(squares).double() * channels  # [directions, tokens], each an estimate of the squared norm
    square = each.mean(0)
    # Directions are drawn without replacement, as it were: all of them leave no error.
    spread = each.std(0, unbiased=directions > 1) * math.sqrt((1 / directions) * (1 - directions / channels))
    if directions == 1 and channels > 1:
        spread = torch.full_like(square, math.inf)  # one direction does not tell its error
    norms = square.sqrt()
    return JacobianRow(norms.numpy(), (spread / (2 * norms).clamp_min(1e-30)).numpy(), directions)


def _frame(directions: int, channels: int, seed: int) -> torch.Tensor:
    """Orthonormal directions at random [directions, channels]."""
    random = torch.Generator().manual_seed(seed)
    square, upper = torch.linalg.qr(torch.randn(channels, channels, generator=random, dtype=torch.float64))
    return (square * torch.sign(torch.diagonal(upper)))[:, :directions].T
