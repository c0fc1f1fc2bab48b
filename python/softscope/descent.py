"""Which tensors have tokens that come of the picture's patches, and not of latent vectors, object queries or text."""

from __future__ import annotations

import weakref
from typing import Any, Dict, Iterable, List

import torch

from .beside import SCALINGS, SUMS
from .order import is_picture
from .tape import ADDING, PRODUCTS, Call, Tape, storage_of


# Functions in which a tensor of fewer numbers changes all of the others' tokens, which stay what they are.
_ARITHMETIC = (*SUMS, *SCALINGS, "where", "lerp", "addcmul", "addcdiv")


class Descent:
    """Follows tokens from what is made of the picture on. What a product makes has the tokens of one of its factors, and
    comes of patches where both do; else a sum does with what has all of its tokens."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self.forget()

    def forget(self) -> None:
        """Forgets everything before another pass."""
        self._known: Dict[int, Any] = {}
        self._has_picture = False
        self._is_sure = True

    def lose(self) -> None:
        """Notes that some tensor was made by a function that is not seen, so that nothing is certain any more."""
        self._is_sure = False

    def follow(self, call: Call, shown: Dict[int, torch.Tensor]) -> None:
        """Follows a call that was noted; `shown` has the tensors that are nothing but the picture."""
        self._has_picture = self._has_picture or bool(shown)
        if any(id(given) in shown for given in call.inputs):
            self._add(output for output in call.outputs if not is_picture(output))
        elif self._are_of_patches(call):
            self._add(call.outputs)
            if call.in_place:
                self._add(self._wholes_of(call.inputs[0]))
        else:
            for output in call.outputs:
                self._known.pop(id(output), None)

    def follow_unseen(self, given: List[torch.Tensor], made: List[torch.Tensor]) -> None:
        """Follows what a module was given to what it returned, which functions that are not seen may have made."""
        if any(map(self._has, given)):
            self._add(output for output in made if not self._tape.has_met(output))

    def denies(self, tensor: torch.Tensor) -> bool:
        """Returns whether a tensor's tokens are known not to come from patches."""
        return self._has_picture and self._is_sure and self._tape.has_met(tensor) and not self._has(tensor)

    def _are_of_patches(self, call: Call) -> bool:
        if not any(map(self._has, call.inputs)):
            return False
        if call.name in PRODUCTS or call.name == "scaled_dot_product_attention":
            factors = call.inputs[1:3] if call.name in ADDING else call.inputs[:2]
            return all(self._has(factor) for factor in factors if factor.dim() > 2 or self._tape.is_data(factor))
        if call.name.strip("_") not in _ARITHMETIC:
            return True
        count = max((output.numel() for output in call.outputs), default=0)
        whole = [self._has(given) for given in call.inputs if given.numel() >= count]
        others = [given for given in call.inputs if not self._has(given) and given.numel() == count]
        return any(whole) or not others

    def _wholes_of(self, tensor: torch.Tensor) -> Iterable[torch.Tensor]:
        """Yields what a tensor that was written to is a view of."""
        maker = self._tape.makers.get(id(tensor))
        while maker is not None and maker.inputs and storage_of(maker.inputs[0]) == storage_of(tensor) is not None:
            yield maker.inputs[0]
            maker = self._tape.makers.get(id(maker.inputs[0]))

    def _add(self, tensors: Iterable[torch.Tensor]) -> None:
        self._known.update((id(tensor), weakref.ref(tensor)) for tensor in tensors)

    def _has(self, tensor: torch.Tensor) -> bool:
        known = self._known.get(id(tensor))
        return known is not None and known() is tensor
