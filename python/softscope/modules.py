"""What modules look like before they run: whether they have attention, how many heads, and weights."""

from __future__ import annotations

import re
from typing import Any, Optional

import torch
from torch import nn

HEADS = ("num_heads", "num_attention_heads", "n_heads", "heads", "nhead", "n_head")


def number_of(module: nn.Module, names: Any) -> Optional[Any]:
    for name in names:
        value = getattr(module, name, None)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0:
            return value
    return None


def looks_like_attention(module: nn.Module) -> bool:
    def has(name: str) -> bool:
        return isinstance(getattr(module, name, None), nn.Module)
    return isinstance(module, nn.MultiheadAttention) or (number_of(module, HEADS) is not None and (
        has("qkv") or has("to_qkv") or (has("query") and has("key")) or (has("q_proj") and has("k_proj")) or
        (has("q") and (has("k") or has("kv")))))


def has_weights(module: nn.Module) -> bool:
    """Returns whether a module has weights in it, which quantized ones do not call parameters."""
    return next(module.parameters(), None) is not None or \
        any(hasattr(inner, "_packed_params") for inner in module.modules())


def multiplies(module: torch.jit.ScriptModule) -> bool:
    """Returns whether a scripted module may have attention: a product that is not by weights alone, as far as its code
    says."""
    try:
        return re.search("aten::(b?mm|matmul|baddbmm|einsum|_?softmax|scaled_dot_product_attention)\\b",
                         str(module.inlined_graph)) is not None
    except (RuntimeError, AttributeError):  # it has no forward()
        return False
