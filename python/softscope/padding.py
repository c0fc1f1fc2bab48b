"""What torch's encoder makes of padding, which it drops on its fast path and not where somebody watches."""

from __future__ import annotations

import inspect
from contextlib import ExitStack
from typing import Any, Optional

import torch
from torch import nn


def drop_padding(model: nn.Module, hooks: ExitStack) -> None:
    """Makes torch's encoders give for padding tokens what they give when nobody watches, until the hooks are taken off."""
    for module in model.modules():
        if isinstance(module, nn.TransformerEncoder) and type(module).forward is nn.TransformerEncoder.forward and \
                "forward" not in vars(module) and len(module.layers) > 0:
            module.forward = _dropping(module)  # type: ignore[method-assign]
            hooks.callback(module.__dict__.pop, "forward", None)


def _dropping(encoder: nn.TransformerEncoder) -> Any:
    forward = encoder.forward
    is_cut = "src.size()" not in inspect.getsource(nn.TransformerEncoder.forward)  # to the longest picture's tokens

    def run(src: torch.Tensor, mask: Optional[torch.Tensor] = None,
            src_key_padding_mask: Optional[torch.Tensor] = None, **others: Any) -> torch.Tensor:
        if not _drops(encoder, src, mask, src_key_padding_mask):
            return forward(src, mask=mask, src_key_padding_mask=src_key_padding_mask, **others)
        kept = src_key_padding_mask.logical_not()  # type: ignore[union-attr]

        def clear(_module: nn.Module, _given: Any, made: torch.Tensor) -> torch.Tensor:
            made = made.masked_fill(~kept.unsqueeze(-1), 0.0)
            return made[:, :int(kept.sum(1).max())] if is_cut else made
        hook = encoder.layers[-1].register_forward_hook(clear)
        try:
            return forward(src, mask=mask, src_key_padding_mask=src_key_padding_mask, **others)
        finally:
            hook.remove()
    return run


def _drops(encoder: nn.TransformerEncoder, src: torch.Tensor, mask: Optional[torch.Tensor],
           padding: Optional[torch.Tensor]) -> bool:
    """Returns whether the encoder takes its fast path for padding, as its forward() asks."""
    first: Any = encoder.layers[0]
    if padding is None or mask is not None or first.training or src.dim() != 3 or torch.is_autocast_enabled() or \
            src.device.type not in ("cpu", "cuda") or not _is_fast(encoder, first):
        return False
    fast = getattr(getattr(torch.backends, "mha", None), "get_fastpath_enabled", None)
    if fast is not None and not fast():
        return False
    tensors = [src, *first.self_attn.parameters(), *(weight for each in (first.norm1, first.norm2, first.linear1, first.linear2)
                                                     for weight in each.parameters())]
    if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors):
        return False
    return not getattr(encoder, "mask_check", True) or \
        bool(torch._nested_tensor_from_mask_left_aligned(src, padding.logical_not()))  # pylint: disable=protected-access


def _is_fast(encoder: nn.TransformerEncoder, first: Any) -> bool:
    """Returns what later versions of torch decide when an encoder is made: whether it may take its fast path."""
    if hasattr(encoder, "use_nested_tensor"):
        return bool(encoder.use_nested_tensor)
    attends = getattr(first, "self_attn", None)
    return bool(encoder.enable_nested_tensor) and isinstance(first, nn.TransformerEncoderLayer) and \
        not first.norm_first and attends.batch_first and attends._qkv_same_embed_dim and \
        bool(first.activation_relu_or_gelu) and first.norm1.eps == first.norm2.eps and attends.num_heads % 2 == 0
