"""Which token of which picture stands at each place of a tensor, where a model puts its tokens or its pictures into
another order between its modules."""

from __future__ import annotations

import math
import weakref
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import torch
from torch import nn

from .order import joined_axis, places_of
from .tape import Call, Tape, axis_of_channels, with_tensors

_PERMUTES = ("permute", "transpose", "swapaxes", "swapdims", "movedim", "moveaxis", "t", "__get__")
_RESHAPES = ("reshape", "view", "reshape_as", "view_as", "flatten", "unflatten", "squeeze", "unsqueeze", "contiguous",
             "clone", "detach", "to", "float", "half", "expand")
_PICKS = ("__getitem__", "narrow", "select", "unbind", "chunk", "split", "tensor_split", "flip", "fliplr", "flipud",
          "rot90", "roll", "index_select")
_PRODUCTS = ("matmul", "__matmul__", "bmm", "einsum")
# Functions that put rows elsewhere as other numbers say.
_SORTING = ("gather", "take_along_dim", "sort", "scatter", "index_copy", "index_put", "embedding", "masked_select")


class _Numbers(NamedTuple):
    """The tokens of a tensor by their numbers in the tensor that they come of, [..., 1, ...] at the axis of channels;
    -1 is none of these."""
    root: int  # the tensor that they come of
    shape: Tuple[int, ...]  # of the root, but for its channels
    each: torch.Tensor


class _Known(NamedTuple):
    """A tensor of tokens, which stand in the order in which the model has them where there are no numbers."""
    tensor: Any  # a reference
    axis: int  # of channels
    numbers: Optional[_Numbers] = None
    is_lost: bool = False  # whether they were in another order and could not be followed further

    def is_moved(self) -> bool:
        return self.is_lost or self.numbers is not None

    def fits(self, made: torch.Tensor) -> bool:
        """Returns whether a tensor has as many tokens along each axis."""
        given = self.tensor()
        if given is None or given.dim() != made.dim():
            return False
        before, behind = slice(self.axis), slice(self.axis + 1, None)
        return given.shape[before] == made.shape[before] and given.shape[behind] == made.shape[behind]

    def is_like(self, other: "_Known") -> bool:
        """Returns whether the tokens of another tensor stand in the same order."""
        if self.axis != other.axis or self.is_lost or other.is_lost or self.numbers is None or other.numbers is None:
            return self.axis == other.axis and not self.is_moved() and not other.is_moved()
        return self.numbers.shape == other.numbers.shape and torch.equal(self.numbers.each, other.numbers.each)


class Order(NamedTuple):
    """How the tokens stand that a module is given."""
    is_other_picture: bool  # in the first one's place
    is_turned: bool  # in another order than the model had them in


class Numbering:
    """Follows tokens through the functions that put them elsewhere, and those that leave them where they are. Of what
    it cannot follow it says nothing."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self.forget()

    def forget(self) -> None:
        """Forgets everything before another pass."""
        self._known: Dict[int, _Known] = {}
        self._roots: Dict[int, Any] = {}

    def follow(self, call: Call, pictures: int) -> None:
        """Follows a call that was noted."""
        try:
            self._follow(call, pictures)
        except Exception:  # pylint: disable=broad-except
            for output in call.outputs:  # of a function that is called in a way that is not known
                self._known.pop(id(output), None)

    def _follow(self, call: Call, pictures: int) -> None:
        name = call.name if call.name.startswith("__") else call.name.rstrip("_")
        if not call.inputs or not call.outputs:
            return
        axis, known = axis_of_channels(name), [self._of(tensor) for tensor in call.inputs]
        first, is_joined = known[0], name == "stack" or joined_axis(call) is not None
        if axis is not None:
            self._follow_weights(call, axis)
        elif call.is_product or (name in _SORTING and pictures == 1):
            self._drop(call, known)
        elif name in _SORTING or (name in _PRODUCTS and pictures > 1):
            self._follow_rows(call, known)
        elif first is None and name in _PICKS and pictures > 1:
            self._begin(call, pictures)
        elif not any(known):
            return
        elif call.in_place and name in (*_PERMUTES, *_RESHAPES):  # of a tensor that others may have numbers of
            self._drop(call, known)
            if not any(each is not None and each.is_moved() for each in known):
                self._known.pop(id(call.outputs[0]), None)
        elif is_joined:
            self._join(call, known)
        elif first is not None and name in _PERMUTES:
            self._permute(call, first)
        elif first is not None and name in _PICKS:
            self._pick(call, first)
        elif first is not None and name in _RESHAPES:
            self._reshape(call, first)
        elif first is not None and name == "pad":
            self._pad(call, first)
        elif first is not None and name in _PRODUCTS:  # by weights
            self._follow_rows_of_weights(call, known)
        else:
            self._follow_same(call, known)

    def order_of(self, tensors: List[torch.Tensor], pictures: int) -> Order:
        """Returns how the tokens of tensors stand that a module is given: without places where these cannot be looked
        at."""
        try:
            return self._order_of(tensors, pictures)
        except Exception:  # pylint: disable=broad-except
            return Order(False, True)

    def _order_of(self, tensors: List[torch.Tensor], pictures: int) -> Order:
        is_other = is_turned = False
        for known in [known for known in map(self._of, tensors) if known is not None and known.numbers is not None]:
            numbers, given = known.numbers, known.tensor()
            each = numbers.each.reshape(-1)
            if pictures > 1 and given.dim() == 3 and given.shape[1] == pictures != given.shape[0]:
                each = numbers.each[:, 0].reshape(-1)
            elif each.numel() % pictures == 0:
                each = each[:each.numel() // pictures]
            seen = each[each >= 0]
            is_other = is_other or bool((_pictures_of(seen[:1], numbers.shape, pictures) != 0).any())
            is_turned = is_turned or bool((seen[1:] < seen[:-1]).any())
        return Order(is_other, is_turned)

    def moves_pictures(self, call: Call, pictures: int) -> bool:
        """Returns whether a call puts pictures elsewhere, and the tokens of each are in their order before it and
        behind it."""
        known = [self._of(tensor) for tensor in (*call.inputs[:1], *call.outputs[:1])]
        if pictures == 1 or any(each is None or each.is_lost for each in known):
            return False
        numbers = [each.numbers for each in known if each is not None and each.numbers is not None]
        return bool(numbers) and all(_are_pictures(each, pictures) for each in numbers)

    def leave(self, given: List[torch.Tensor], made: List[torch.Tensor], attends: bool) -> None:
        """Gives what a module returns the order of what it was given where nothing is known of it, or where it attends,
        since its tokens are followed through it in another way."""
        try:
            self._leave(given, made, attends)
        except Exception:  # pylint: disable=broad-except
            for output in made:  # such as a nested tensor, which has no shape
                self._known.pop(id(output), None)

    def _leave(self, given: List[torch.Tensor], made: List[torch.Tensor], attends: bool) -> None:
        for output in [output for output in made if output.is_floating_point() and output.dim() > 1]:
            known = self._of(output)
            if known is not None and not known.is_lost and not attends:
                continue
            sources = [each for each in map(self._of, given) if each is not None]
            like = next((each for each in sources if each.fits(output)), None)
            if like is not None:
                self._put(output, like)
            elif known is not None:
                self._set(output, known.axis, None, any(each.is_moved() for each in sources))

    def _of(self, tensor: torch.Tensor) -> Optional[_Known]:
        known = self._known.get(id(tensor))
        return known if known is not None and known.tensor() is tensor else None

    def _set(self, tensor: torch.Tensor, axis: int, numbers: Optional[_Numbers] = None, is_lost: bool = False) -> None:
        if numbers is not None and tuple(numbers.each.shape[:1]) == numbers.shape[:1]:  # of all pictures
            each = numbers.each[numbers.each >= 0]
            numbers = numbers if bool((each[1:] <= each[:-1]).any()) else None
        self._known[id(tensor)] = _Known(weakref.ref(tensor), axis, numbers, is_lost)

    def _put(self, tensor: torch.Tensor, known: _Known) -> None:
        self._set(tensor, known.axis, known.numbers, known.is_lost)

    def _drop(self, call: Call, known: Sequence[Optional[_Known]]) -> None:
        """Notes that it is not known what moved tokens became."""
        if any(each is not None and each.is_moved() for each in known):
            for output in call.outputs:
                self._set(output, max(0, output.dim() - 1), None, True)

    def _numbers_of(self, known: _Known, tensor: torch.Tensor) -> _Numbers:
        if known.numbers is not None:
            return known.numbers
        reference, root = self._roots.get(id(tensor), (None, 0))
        if reference is None or reference() is not tensor:
            root = len(self._roots) + 1
            self._roots[id(tensor)] = weakref.ref(tensor), root
        sizes = [*tensor.shape]
        sizes[known.axis] = 1
        return _Numbers(root, tuple(sizes), torch.arange(torch.Size(sizes).numel()).reshape(sizes))

    def _follow_weights(self, call: Call, axis: int) -> None:
        given, made = call.inputs[0], call.outputs[0]
        if not self._tape.is_data(given) or given.dim() < -axis or made.dim() < -axis:
            return
        known, axis = self._of(given), axis % given.dim()
        if known is None or (known.axis != axis and not known.is_moved()):
            self._set(given, axis)
            known = self._known[id(given)]
        if known.axis == axis and known.fits(made):
            self._put(made, known)
        elif known.is_moved():
            self._drop(call, [known])
        else:
            self._set(made, axis % made.dim())

    def _follow_same(self, call: Call, known: List[Optional[_Known]]) -> None:
        """Follows functions that leave each token where it is, if what they make has as many."""
        some = [each for each in known if each is not None]
        unknown = [given for given, each in zip(call.inputs, known) if each is None and given.dim() > 1 and
                   given.is_floating_point() and self._tape.is_data(given)]
        for output in call.outputs:
            fit = [each for each in some if each.fits(output)]
            if not any(each.is_moved() for each in some):
                if fit:
                    self._put(output, fit[0])
            elif len(fit) < len(some) or any(given.shape == output.shape for given in unknown) or \
                    not all(fit[0].is_like(each) for each in fit):
                self._set(output, max(0, output.dim() - 1), None, True)
            else:
                self._put(output, fit[0])

    def _permute(self, call: Call, known: _Known) -> None:
        given, steps = call.inputs[0], [1]
        for size in given.shape:
            steps.append(2 * steps[-1] * max(1, int(size)) + 1)  # all different, so that each axis is known again
        turned = _made(call, [torch.empty_strided(given.shape, steps[1:], device="meta")])
        axes = [axis for axis, step in enumerate(turned[0].stride()) if step == steps[1 + known.axis]] if turned else []
        parts = _made(call, [self._numbers_of(known, given).each]) if len(axes) == 1 and not known.is_lost else []
        if len(parts) != 1:
            self._drop(call, [known])
        else:
            self._set(call.outputs[0], axes[0], self._numbers_of(known, given)._replace(each=parts[0]))

    def _pick(self, call: Call, known: _Known) -> None:
        """Follows functions that take some tokens, or put them elsewhere, with all of their channels."""
        given = call.inputs[0]
        numbers = self._numbers_of(known, given)
        parts = [] if known.is_lost else _made(call, [numbers.each, *(each.cpu() for each in call.inputs[1:])])
        for place, output in enumerate(call.outputs):
            # From behind where channels are last, since axes may be taken away before them.
            axis = known.axis - given.dim() + output.dim() if known.axis == given.dim() - 1 else known.axis
            sizes = list(output.shape)
            if not 0 <= axis < output.dim() or sizes[axis] != given.shape[known.axis]:
                self._drop(call, [known])
                return
            sizes[axis] = 1
            if len(parts) != len(call.outputs) or list(parts[place].shape) != sizes:
                self._drop(call, [known])
                return
            self._set(output, axis, numbers._replace(each=parts[place]))

    def _reshape(self, call: Call, known: _Known) -> None:
        given, output = call.inputs[0], call.outputs[0]
        before, channels = given.shape[:known.axis].numel(), given.shape[known.axis]
        axes = [axis for axis, size in enumerate(output.shape) if size == channels and
                output.shape[:axis].numel() == before]
        if not axes or output.numel() != given.numel() or known.is_lost:
            self._drop(call, [known])
            return
        axis = axes[-1] if known.axis == given.dim() - 1 else axes[0]
        sizes, numbers = [*output.shape[:axis], 1, *output.shape[axis + 1:]], known.numbers
        self._set(output, axis, None if numbers is None else numbers._replace(each=numbers.each.reshape(sizes)))

    def _pad(self, call: Call, known: _Known) -> None:
        given, made = call.inputs[0], call.outputs[0]
        padding = call.kwargs.get("pad", call.args[1] if len(call.args) > 1 else ())
        if known.is_lost or made.shape[known.axis] != given.shape[known.axis]:
            self._drop(call, [known])
        else:
            numbers = self._numbers_of(known, given)
            self._set(made, known.axis, numbers._replace(each=nn.functional.pad(numbers.each, list(padding), value=-1)))

    def _join(self, call: Call, known: List[Optional[_Known]]) -> None:
        made, axis = call.outputs[0], joined_axis(call)
        some = [each for each in known if each is not None]
        moved = next((each for each in some if each.numbers is not None), None)
        if moved is None or moved.numbers is None:
            if any(each.is_lost for each in some):
                self._drop(call, some)
            elif axis is not None and all(each.axis == some[0].axis != axis for each in some):
                self._set(made, some[0].axis)
            return
        parts = []
        for each, given in zip(known, call.inputs):
            sizes = [*given.shape[:moved.axis], 1, *given.shape[moved.axis + 1:]]
            if each is None and not self._tape.is_data(given) and given.dim() > moved.axis:
                parts.append(torch.full(sizes, -1))
            elif each is not None and each.axis == moved.axis != axis and each.numbers is not None and \
                    each.numbers.root == moved.numbers.root:
                parts.append(each.numbers.each)
            else:
                self._drop(call, some)
                return
        joined = _made(call, parts)
        axis = moved.axis + made.dim() - call.inputs[0].dim()
        if len(joined) != 1 or list(joined[0].shape) != [*made.shape[:axis], 1, *made.shape[axis + 1:]]:
            self._drop(call, some)
        else:
            self._set(made, axis, moved.numbers._replace(each=joined[0]))

    def _begin(self, call: Call, pictures: int) -> None:
        """Follows what is not known as tokens, as if its last axis were channels: its pictures may be put elsewhere."""
        given = call.inputs[0]
        if given.dim() > 1 and given.is_floating_point() and pictures in given.shape[:2] and self._tape.is_data(given):
            self._set(given, given.dim() - 1)
            self._pick(call, self._known[id(given)])

    def _follow_rows(self, call: Call, known: List[Optional[_Known]]) -> None:
        """Follows functions that put rows elsewhere as other numbers say, such as a product with a permutation's
        matrix."""
        made = call.outputs[0]
        for given, each in zip(call.inputs, known):
            if not given.is_floating_point() or given.dim() < 2 or not self._tape.is_data(given) or \
                    (each is not None and (each.is_lost or each.axis != given.dim() - 1)):
                continue
            places = places_of(given, made)
            if places is not None:
                numbers = self._numbers_of(each or _Known(None, given.dim() - 1), given)
                moved = torch.where(places < 0, places, numbers.each.reshape(-1)[places.clamp_min(0)])
                self._set(made, made.dim() - 1, numbers._replace(each=moved.reshape(*made.shape[:-1], 1)))
                return
        self._follow_rows_of_weights(call, known)

    def _follow_rows_of_weights(self, call: Call, known: List[Optional[_Known]]) -> None:
        first, given, made = known[0], call.inputs[0], call.outputs[0]
        if first is not None and call.name != "einsum" and first.axis == given.dim() - 1 and first.fits(made):
            self._put(made, first)
        else:
            self._drop(call, known)


def _pictures_of(tokens: torch.Tensor, shape: Sequence[int], pictures: int) -> torch.Tensor:
    """Returns the pictures of tokens, by their numbers in a tensor of this shape, whose second axis may be
    pictures."""
    has_pictures_second = len(shape) > 2 and shape[1] == pictures != shape[0]
    behind = math.prod(shape[2:]) if has_pictures_second else max(1, math.prod(shape) // pictures)
    return torch.div(tokens, behind, rounding_mode="floor") % pictures


def _are_pictures(numbers: _Numbers, pictures: int) -> bool:
    """Returns whether each picture's tokens stand behind one another as they did."""
    each, count = numbers.each.reshape(-1), torch.Size(numbers.shape).numel() // pictures
    return numbers.shape[0] == pictures and each.numel() % count == 0 and \
        bool((each % count == torch.arange(each.numel()) % count).all())


def _made(call: Call, tensors: List[torch.Tensor]) -> List[torch.Tensor]:
    """Returns what a call makes of other tensors, or nothing where it cannot."""
    try:
        args, kwargs = with_tensors((call.args, call.kwargs), iter(tensors))
        made = call.function(*args, **kwargs)
    except (RuntimeError, IndexError, TypeError, ValueError, StopIteration, NotImplementedError):
        return []
    return [made] if isinstance(made, torch.Tensor) else [part for part in made or () if isinstance(part, torch.Tensor)]
