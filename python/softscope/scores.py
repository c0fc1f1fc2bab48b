"""Which of a model's outputs are scores of classes, and not features."""

from __future__ import annotations

import re
import weakref
from typing import Any, Dict, Optional

import torch
from torch import nn

from .tape import Call, Tape

# Functions behind a classifier that leave its scores some.
_BEHIND = ("softmax", "log_softmax", "sigmoid", "reshape", "view", "flatten", "squeeze", "unsqueeze", "__getitem__",
           "select", "index_select", "narrow", "__setitem__", "index_fill", "masked_fill", "clamp", "float", "double",
           "half", "to", "type", "contiguous", "clone", "detach", "dropout", "mul", "__mul__", "__rmul__", "div",
           "__truediv__", "true_divide", "mean", "max", "amax", "logsumexp", "stack", "avg_pool1d", "avg_pool2d",
           "adaptive_avg_pool1d", "adaptive_avg_pool2d", "add", "__add__", "__radd__", "sub", "__sub__")
_SUMS = ("add", "__add__", "__radd__", "sub", "__sub__")
# SqueezeNet has these modules behind its classifier, and others have them behind any convolution.
_ACTIVATIONS = ("relu", "relu6", "hardswish")
_CLASSIFIER = re.compile("(^|[._])(heads?|fc|cls|classif[a-z]*|logits?)([._0-9]|$)")


def logits_of(output: Any) -> Optional[torch.Tensor]:
    """Of the first picture [classes], where a model's output may have any."""
    logits = output.get("logits") if isinstance(output, dict) else getattr(output, "logits", output)
    if isinstance(logits, torch.Tensor) and logits.dim() == 2:
        return logits[0].detach().float().cpu()
    return None


class Scores:
    """Knows the tensors that a linear layer or a convolution has made, with nothing behind it that would make features
    of them: another layer, a normalisation, or a residual."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._known: Dict[int, Any] = {}

    def follow(self, call: Call, module: str) -> None:
        """Is told of a call that was noted, and of the name of the module that made it."""
        if not call.outputs or not call.inputs:
            return
        name = call.name if call.name.startswith("__") else call.name.rstrip("_")
        made = call.outputs[0]
        if name.startswith(("linear", "conv1d", "conv2d")):
            is_known = self._tape.is_data(call.inputs[0])
        elif name == "addmm":
            is_known = not call.is_product and len(call.inputs) == 3 and self._tape.is_data(call.inputs[1])
        else:
            is_behind = name in _BEHIND or (name in _ACTIVATIONS and _CLASSIFIER.search(module) is not None)
            is_residual = name in _SUMS and made.dim() != 2
            data = [given for given in call.inputs if given.is_floating_point() and self._tape.is_data(given)]
            is_known = is_behind and not is_residual and bool(data) and all(map(self._has, data))
        if is_known:
            self._known[id(made)] = weakref.ref(made)
        else:
            self._known.pop(id(made), None)

    def are_in(self, model: nn.Module, output: Any) -> bool:
        """Whether a model's output is known to have scores of classes: it names them, or a classifier makes them."""
        if not isinstance(output, torch.Tensor):
            return True
        try:
            classes = getattr(model, "num_classes", None)
        except Exception:  # pylint: disable=broad-except
            classes = None  # of a property that fails
        return not (isinstance(classes, int) and classes == 0) and self._has(output)

    def _has(self, tensor: torch.Tensor) -> bool:
        known = self._known.get(id(tensor))
        return known is not None and known() is tensor
