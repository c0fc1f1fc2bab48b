"""Which of a model's outputs are scores of classes, and not features."""

from __future__ import annotations

import re
import weakref
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import torch
from torch import nn

from .beside import SCALINGS
from .tape import Call, Tape

# Functions behind a classifier that leave its scores some.
_BEHIND = ("softmax", "log_softmax", "sigmoid", "reshape", "view", "flatten", "squeeze", "unsqueeze", "__getitem__",
           "select", "index_select", "narrow", "__setitem__", "index_fill", "masked_fill", "clamp", "float", "double",
           "half", "to", "type", "contiguous", "clone", "detach", "dropout", "mul", "__mul__", "__rmul__", "div",
           "__truediv__", "true_divide", "mean", "max", "amax", "logsumexp", "stack", "avg_pool1d", "avg_pool2d",
           "adaptive_avg_pool1d", "adaptive_avg_pool2d", "add", "__add__", "__radd__", "sub", "__sub__")
_PROBABILITIES = ("softmax", "sigmoid")
_LOGARITHMS = ("log_softmax", "logsumexp")
_SUMS = ("add", "__add__", "__radd__", "sub", "__sub__")
# SqueezeNet has these modules behind its classifier, and others have them behind any convolution.
_ACTIVATIONS = ("relu", "relu6", "hardswish")
_CLASSIFIER = re.compile("(^|[._])(heads?|fc|cls|classif[a-z]*|logits?)([._0-9]|$)")
# Functions that take scores of one picture, or of several in another order, from those of all.
_PICKS = ("__getitem__", "select", "index_select", "narrow", "stack")
_LARGEST_LOGIT = 16.0  # which a sigmoid's float32 still tells from others


def scores_in(output: Any) -> Optional[torch.Tensor]:
    """Returns the scores of all pictures [pictures, classes], or None where a model's output has none."""
    scores = output.get("logits") if isinstance(output, dict) else getattr(output, "logits", output)
    return scores if isinstance(scores, torch.Tensor) and scores.dim() == 2 else None


def kind_of(output: Any) -> str:
    """Returns what a model returned that has no scores, as part of a sentence."""
    if isinstance(output, torch.Tensor):
        return f"a tensor of {output.dim()} ax{'is' if output.dim() == 1 else 'es'}"
    named = output.get("logits") if isinstance(output, dict) else getattr(output, "logits", None)
    if isinstance(named, torch.Tensor):
        return f"logits of {named.dim()} ax{'is' if named.dim() == 1 else 'es'}"
    name = type(output).__name__
    return "nothing" if output is None else f"a{'n' * (name[:1].lower() in 'aeiou')} {name} without logits"


class _Known(NamedTuple):
    tensor: Any  # a reference
    function: Optional[str]  # that made probabilities of them
    is_first: Optional[bool] = None  # picture's, if they are one's alone


class Scores:
    """Knows the tensors that a linear layer or a convolution has made, with nothing behind it that would make features
    of them: another layer, a normalisation, or a residual."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._known: Dict[int, _Known] = {}

    def follow(self, call: Call, module: str, pictures: int) -> None:
        """Follows a call that was noted; `module` names the one that made it."""
        if not call.outputs or not call.inputs:
            return
        name = call.name if call.name.startswith("__") else call.name.rstrip("_")
        made, function, is_first = call.outputs[0], None, None
        if name.startswith(("linear", "conv1d", "conv2d")):
            is_known = self._tape.is_data(call.inputs[0])
        elif name == "addmm":
            is_known = not call.is_product and len(call.inputs) == 3 and self._tape.is_data(call.inputs[1])
        else:
            is_behind = name in _BEHIND or (name in _ACTIVATIONS and _CLASSIFIER.search(module) is not None)
            is_residual = name in _SUMS and made.dim() != 2
            data = [given for given in call.inputs if given.is_floating_point() and self._tape.is_data(given)]
            parts = [self._of(given) for given in data]
            is_known = is_behind and not is_residual and bool(data) and None not in parts
            if is_known:
                known = [part for part in parts if part is not None]
                is_known = name.strip("_") not in SCALINGS or len(data) == 1  # a product of scores is none
                function = name if name in _PROBABILITIES else None if name in _LOGARITHMS else known[0].function
                is_same, is_first = _pictures_of(name, call, data, known, pictures)
                is_known = is_known and is_same
        if is_known:
            self._known[id(made)] = _Known(weakref.ref(made), function, is_first)
        else:
            self._known.pop(id(made), None)

    def are_in(self, model: nn.Module, output: Any) -> bool:
        """Returns whether a model's output is known to have scores of classes: it names them, or a classifier makes
        them."""
        if not isinstance(output, torch.Tensor):
            return True
        try:
            classes = getattr(model, "num_classes", None)
        except Exception:  # pylint: disable=broad-except
            classes = None  # of a property that fails
        return not (isinstance(classes, int) and classes == 0) and self._of(output) is not None

    def function_of(self, scores: torch.Tensor) -> Optional[str]:
        """Returns the function that made probabilities of scores last, softmax or sigmoid, or None where none did."""
        known, first = self._of(scores), scores[0].float()
        if known is None or known.function is None or not bool(((first >= 0) & (first <= 1)).all()):
            return None
        is_softmax = known.function == "softmax"
        return known.function if not is_softmax or abs(float(first.sum()) - 1) < 0.01 else None

    def _of(self, tensor: torch.Tensor) -> Optional[_Known]:
        known = self._known.get(id(tensor))
        return known if known is not None and known.tensor() is tensor else None


def _pictures_of(name: str, call: Call, data: List[torch.Tensor], known: List[_Known],
                 pictures: int) -> Tuple[bool, Optional[bool]]:
    """Returns whether what a call makes of scores is still all pictures' in their order, or one's, and whether that is
    the first one then."""
    made, given, is_first = call.outputs[0], data[0], known[0].is_first
    if pictures == 1 or name not in (*_PICKS, "mean"):
        return True, is_first
    if name == "stack" and is_first is not None:
        return is_first, None if made.dim() == 2 else is_first
    if name == "stack" or given.shape[:1] != (pictures,) or is_first is not None:
        return True, is_first
    if made.dim() < given.dim() and made.shape[:1] != (pictures,):
        return made.dim() == given.dim() - 1, bool(made.shape == given.shape[1:] and torch.equal(made, given[0]))
    if made.shape[:1] != (pictures,):
        return False, None
    is_same = name == "mean" or bool(torch.isin(made[0].detach(), given[0].detach()).all())
    return is_same, None


def logits_of(scores: torch.Tensor, function: Optional[str]) -> torch.Tensor:
    """Returns the logits of the first picture [classes], which are what a softmax or a sigmoid made its probabilities
    of, where one made them."""
    first = scores[0].detach().float().cpu()
    if function == "softmax":
        return first.clamp_min(torch.finfo(torch.float32).tiny).log()
    if function == "sigmoid":
        return first.double().logit().clamp(-_LARGEST_LOGIT, _LARGEST_LOGIT).float()
    return first
