"""Runs compiled models uncompiled, since compiled code passes by whoever watches."""

from __future__ import annotations

from contextlib import ExitStack

import torch
from torch import nn

from .tape import ForAll

# PyTorch has one stance for all threads.
_uncompiled = ForAll(lambda: torch.compiler.set_stance("force_eager"))


def run_uncompiled(model: nn.Module, hooks: ExitStack) -> None:
    """Runs a compiled model uncompiled until the hooks are removed, on all threads. Throws ValueError where this torch
    cannot."""
    if hasattr(getattr(torch, "compiler", None), "set_stance"):
        hooks.enter_context(_uncompiled)
    elif any(hasattr(module, "_orig_mod") for module in model.modules()):
        raise ValueError("the model is compiled, and this torch cannot run it uncompiled: give model._orig_mod")
