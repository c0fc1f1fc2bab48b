"""Tells when a model is another one than it was, since it trains while the window looks at it."""

from __future__ import annotations

import contextlib
import functools
import sys
from typing import Dict, Iterator, List, Tuple

import torch
from torch import nn

from .tape import version

_SAMPLED = 64  # numbers of each tensor


@functools.lru_cache(maxsize=None)
def _steps() -> Dict[str, int]:
    """Returns how many steps optimizers of this process have made since this was asked first, where this torch
    tells."""
    counted = {"steps": 0}
    register = getattr(sys.modules.get("torch.optim.optimizer"), "register_optimizer_step_post_hook", None)
    if register is not None:
        register(lambda *_: counted.update(steps=counted["steps"] + 1))
    return counted


class State:
    """Tells when a model's weights are others, or when it was put into training or evaluation mode."""

    def __init__(self, model: nn.Module) -> None:
        self._model = model
        self._memory: List[int] = []
        self._samples: Dict[Tuple[torch.device, torch.dtype], List[torch.Tensor]] = {}

    def now(self) -> bytes:
        tensors = [*self._model.parameters(), *self._model.buffers()]
        memory = [tensor.data_ptr() for tensor in tensors]
        if memory != self._memory:  # else samples of tensors are views of what these have now
            self._memory, self._samples = memory, _samples_of(tensors)
        versions = [version(tensor) for tensor in tensors]
        said = repr((memory, versions, [module.training for module in self._model.modules()], _steps())).encode()
        return said + b"".join(self._sampled())

    def _sampled(self) -> Iterator[bytes]:
        """Yields some numbers of each tensor, since fused optimizers, and who writes to `data`, leave versions as
        they are."""
        for some in self._samples.values():  # at once: of each tensor alone it would take milliseconds
            with contextlib.suppress(RuntimeError, NotImplementedError):  # of types that are not joined, such as quantized
                yield torch.cat(some).float().cpu().numpy().tobytes()


def _samples_of(tensors: List[torch.Tensor]) -> Dict[Tuple[torch.device, torch.dtype], List[torch.Tensor]]:
    """Returns views of some numbers of each tensor, in the order of memory, by device and type."""
    samples: Dict[Tuple[torch.device, torch.dtype], List[torch.Tensor]] = {}
    for tensor in tensors:
        with contextlib.suppress(RuntimeError, NotImplementedError):  # of a sparse one
            seen = torch.view_as_real(tensor.detach()) if tensor.is_complex() else tensor.detach()
            extent = 1 + sum((size - 1) * stride for size, stride in zip(seen.shape, seen.stride()))
            step = max(1, extent // _SAMPLED)
            if seen.numel() > 0:
                sample = seen.as_strided((1 + (extent - 1) // step,), (step,))
                samples.setdefault((seen.device, seen.dtype), []).append(sample)
    return samples
