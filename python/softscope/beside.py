"""What a module adds to attention times values before it goes on, such as a convolution of the values."""

from __future__ import annotations

import math
from typing import Dict, List, NamedTuple, Optional, Tuple

import torch

from .follow import batches_in, noise_for, run_with
from .maps import Refused
from .tape import ADDING, ENDS, NORMALISERS, Call, Tape, leading_to
from .values import fused_argument

SUMS = ("add", "radd", "iadd", "sub", "rsub", "isub")
_FEW = 9  # tokens, of which any convolution reaches all
# Functions that move numbers to other places and leave them as they are.
_VIEWS = ("__getitem__", "reshape", "view", "reshape_as", "view_as", "transpose", "permute", "flatten", "unflatten",
          "contiguous", "squeeze", "unsqueeze", "unbind", "chunk", "split", "movedim", "swapaxes", "swapdims", "to",
          "float", "type_as", "__get__")
SCALINGS = ("mul", "rmul", "div", "truediv", "imul", "itruediv", "multiply", "divide")
_JOINS = ("cat", "stack", "pad", "expand", "clone", "copy")
# Functions of each number by itself, and normalisations, beside which a convolution is all that mixes tokens.
_OF_EACH = tuple(name for name in ENDS if not name.startswith(("conv", "linear")) and name not in NORMALISERS) + \
    ("dropout", "neg", "rsqrt")


class Beside(NamedTuple):
    """A term that stands beside attention times values. `what` names it as part of a sentence, and `size` is its norm
    as a fraction of that of attention times values; `size` is None for a gate alone, by which the norm becomes `scale`
    times as large."""
    what: str
    size: Optional[float]
    scale: float = 1.0

    def __str__(self) -> str:
        if self.size is None:
            return self.what if not math.isfinite(self.scale) else \
                f"{self.what}, which makes attention times values {self.scale:.2g} times as large"
        if not math.isfinite(self.size):
            return f"{self.what}, where attention times values is zero"
        return f"{self.what}, {self.size:.2g} times as large as attention times values"


class Sum(NamedTuple):
    """A call behind a product that adds something to what came of it."""
    call: Call
    attended: torch.Tensor
    term: torch.Tensor


def sums_behind(calls: List[Call], product: Call, end: int) -> List[Sum]:
    """Returns all calls behind a product that add something, or none where what was added is multiplied by tokens
    afterwards, and is another term by then."""
    live = {id(output) for output in product.outputs}
    found = []
    if product.name in ADDING and all(product.inputs[0] is not factor for factor in product.inputs[1:]) and \
            _is_added(product):
        found.append(Sum(product, product.outputs[0], product.inputs[0]))
    for call in calls:
        if not product.index < call.index < end or not any(id(given) in live for given in call.inputs):
            continue
        attended = [given for given in call.inputs if id(given) in live]
        others = [given for given in call.inputs if id(given) not in live]
        term = _term_of(call, others)
        if len(attended) == 1 and term is not None:
            found.append(Sum(call, attended[0], term))
        elif found and call.is_product:
            return []
        live.update(id(output) for output in call.outputs)
    return found


def _term_of(call: Call, others: List[torch.Tensor]) -> Optional[torch.Tensor]:
    """Returns what a call adds of the tensors that do not come of a product, or None for calls that add nothing of
    them."""
    name = call.name.strip("_")
    if name in SUMS and len(others) == 1:
        return others[0]
    if name in ("addcmul", "addcdiv") and any(call.inputs[0] is other for other in others):
        return call.inputs[0]
    if name != "lerp":
        return None
    return next((other for other in others if any(other is end for end in call.inputs[:2])), None)


def _is_added(product: Call) -> bool:
    """Returns whether a product adds its first tensor, which `beta` may forbid."""
    return product.kwargs.get("beta", 1) != 0 and bool((product.inputs[0] != 0).any())


def name_of(sums: List[Sum], tape: Tape, calls: List[Call], product: Call,
            given: List[torch.Tensor]) -> Optional[str]:
    """Names the added terms by what they are computed of, as part of a sentence, or returns None where one cannot be
    named. `given` is the module's inputs."""
    names = [_name_of(each, tape, calls, product, given) for each in sums]
    if not names or None in names:
        return None
    return " and ".join(dict.fromkeys(name for name in names if name is not None))


def _name_of(added: Sum, tape: Tape, calls: List[Call], product: Call, given: List[torch.Tensor]) -> Optional[str]:
    if not tape.is_data(added.term):
        return "positions or other weights"
    before = [call for call in calls if call.index < added.call.index]
    shared = leading_to([call for call in calls if call.index <= product.index], product.inputs)
    leading = leading_to(before, [added.term])
    own = [call for call in before if call.index in leading and call.index not in shared and
           any(tape.is_data(tensor) for tensor in call.inputs)]
    if any(id(tensor) in tape.filled for tensor in [added.term] + [given for call in own for given in call.inputs]):
        return None  # of something that was written to by another name, of which nothing is known
    known = [output for call in before for output in call.outputs] + given + product.inputs + \
        [tensor for call in before if call.index in shared for tensor in call.inputs]
    known_ids = {id(tensor) for tensor in known}
    if any(tape.is_data(tensor) and id(tensor) not in known_ids for call in own for tensor in call.inputs):
        return None  # of something that a module in this one computed, of which nothing is known any more
    names = [call.name.strip("_") for call in own]
    if any(call.is_product for call in own) or any(name in NORMALISERS for name in names):
        return None  # another attention, perhaps, beside which the first is half of the truth
    is_local = all(_is_local(call, tape) and (not call.name.startswith("conv") or _is_convolution(call, tape, before, given))
                   for call in own)
    if any(name.startswith("conv") for name in names):
        return "a convolution" if is_local else None
    if any("pool" in name for name in names):
        return "pooled tokens" if is_local else None
    roots = Roots(before)
    root = roots.of(added.term)
    return next((what for what, factor in _factors(calls, product) if roots.of(factor) is root), None)


def _is_local(call: Call, tape: Tape) -> bool:
    """Returns whether a call mixes no tokens, but for a convolution or for pooling."""
    name = call.name.strip("_")
    data = [tensor for tensor in call.inputs if tape.is_data(tensor)]
    if name in SCALINGS or name in SUMS:
        return all(tensor.shape == data[0].shape for tensor in data)
    return name.startswith("conv") or "pool" in name or name in _OF_EACH or name in _JOINS or name in _VIEWS or \
        call.name in _VIEWS


def _is_convolution(call: Call, tape: Tape, calls: List[Call], given: List[torch.Tensor]) -> bool:
    """Returns whether a convolution's weights are the model's and mix tokens that lie near one another: those that
    take tokens for channels, or reach from each token to all others, mix all of them. `given` is the module's
    inputs."""
    data, weights, name = call.inputs[0], call.inputs[1], call.name.rstrip("_")
    if tape.is_data(weights):
        return False
    if not name[-2].isdigit():
        return True
    axes, place = int(name[-2]), 7 if "transpose" in name else 5
    said = call.kwargs.get("dilation", call.args[place] if len(call.args) > place else 1)
    dilation = [said] * axes if isinstance(said, int) else [*said] * (axes // len(said))
    sizes = data.shape[-axes:]
    reaches = [(side - 1) * step // 2 for side, step in zip(weights.shape[-axes:], dilation)]
    if sizes.numel() > _FEW and all(reach >= size - 1 for reach, size in zip(reaches, sizes)):
        return False
    for batch in [batch for tensor in given if tensor.dim() > 0 for batch in batches_in(tensor, len(tensor))]:
        rows = batch.rows(batch.tensor).clone()
        place = len(rows) // len(batch.tensor) // 2
        rows[place] += batch.rows(noise_for(batch.tensor, 7))[place]
        try:
            made = run_with(calls, batch.tensor, batch.like(rows), 0, call.index).get(id(data))
        except (Refused, RuntimeError):
            continue
        far = (data if made is None else made).float() - data.float()
        if float(far.abs().max()) > 0:
            far = (far.abs() > 1e-3 * far.abs().max()).movedim(-1 - axes, 0).flatten(1)
            return float(far.any(1).float().mean()) >= float(far[:, far.any(0)].any(0).sum()) / sizes.numel()
    channels = tape.channels_of(data)
    return channels is None or channels == data.dim() - 1 - axes


def _factors(calls: List[Call], product: Call) -> List[Tuple[str, torch.Tensor]]:
    """Returns queries, keys and values, as far as products tell them apart."""
    if product.name == "scaled_dot_product_attention":
        return [(f"the {what}", fused_argument(product, name)) for what, name in
                (("queries", "query"), ("keys", "key"), ("values", "value"))]  # type: ignore[misc]
    mixing = leading_to([call for call in calls if call.index < product.index], product.inputs[:1])
    scores = next((call for call in reversed(calls) if call.index in mixing and call.is_product), None)
    factors = [("the values", product.inputs[1])]
    return ([] if scores is None else list(zip(("the queries", "the keys"), scores.inputs[:2]))) + factors


class Roots:
    """Finds the tensors that others are views or multiples of."""

    def __init__(self, calls: List[Call]) -> None:
        # A call that returns its input, as contiguous() may, did not make it.
        self._makers: Dict[int, Call] = {id(output): call for call in calls for output in call.outputs
                                         if call.name not in _VIEWS or all(output is not given for given in call.inputs)}

    def of(self, tensor: torch.Tensor) -> torch.Tensor:
        for _ in range(len(self._makers)):
            call = self._makers.get(id(tensor))
            name = "" if call is None else call.name.strip("_")
            scales = name in SCALINGS and call is not None and len(call.inputs) == 1
            views = call is not None and bool(call.inputs) and (call.name in _VIEWS or name in _VIEWS)
            # Queries, keys and values are parts of one tensor, and not alike.
            if call is None or not (views or scales) or len(call.outputs) > 1 or call.name == "__getitem__":
                break
            tensor = call.inputs[0]
        return tensor


def size_of(term: torch.Tensor, target: torch.Tensor) -> float:
    """Returns the term's norm as a fraction of the norm of what it is added to."""
    attended = float((target.float() - term.float()).norm())
    return float(term.float().norm()) / attended if attended > 0 else float("inf")
