"""The model's input while it runs: how many pictures it is, and which tensors are still the picture."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import torch
from torch import nn

from .follow import batches_in
from .order import PICKS, ROLLS, has_indices, is_picture, pads, resizes
from .stem import Stem, see_tokens
from .tape import Call, Tape, leading_to, tensors_in


class Given:
    """Keeps what the first module that was given tensors was given, which is the model but where hooks do not see
    these. `records` is told how large the picture is, and that tokens do not lie on all of it."""

    def __init__(self, tape: Tape, records: Any) -> None:
        self.tape = tape
        self.records = records
        self.forget()

    def forget(self) -> None:
        """Forgets everything before another pass."""
        self.tensors: List[torch.Tensor] = []
        self.pictures: Optional[int] = None
        self.frames = 1  # of each picture, which is a video then
        self.picture: Optional[torch.Tensor] = None
        self.shown: Dict[int, torch.Tensor] = {}  # tensors of nothing but the picture's pixels
        self.covered: Optional[Tuple[float, float]] = None  # what of the height and width is in patches
        self.has_attended = False
        self.stem = Stem()

    def begin_attention(self, inputs: List[List[torch.Tensor]]) -> None:
        """Finds where the tokens of the first attention lie, by what the modules around it are given, the outermost
        first."""
        stem, self.stem = self.stem, Stem()
        self.has_attended = True
        if self.picture is None or self.frames > 1:
            return
        made = {id(output) for each in stem.calls for output in each.outputs}
        for tensor in [tensor for tensors in inputs for tensor in tensors]:
            if id(tensor) in made and id(tensor) not in self.shown and tensor.dim() in (3, 4) and \
                    batches_in(tensor, self.pictures or 1):
                seen = see_tokens(stem.calls, self.picture, tensor, self.pictures or 1)
                if seen is not None:
                    self.records.see(seen, tensor.dim() == 3)
                return

    def take(self, inputs: Any, named: Any) -> None:
        """Takes for the model's input what a module is given, if nothing is known of it yet."""
        tensors = [tensor for tensor in tensors_in((inputs, named or {})) if tensor.dim() > 1]
        if self.tensors or not tensors:
            return
        self.tensors = tensors
        pictures = {id(tensor): tensor for tensor in tensors if is_picture(tensor)}
        wide = [tensor for tensor in tensors if tensor.is_floating_point() and tensor.dim() > 2]
        first = next(iter([*pictures.values(), *wide, *tensors]))
        is_list = bool(inputs) and isinstance(inputs[0], (list, tuple)) and first.dim() == 3
        self.pictures = len(inputs[0]) if is_list else int(first.shape[0])
        if first.dim() > 4:  # [batch, frames, channels, ...] or [batch, channels, frames, ...]
            self.frames = int(first.shape[2] if first.shape[1] == 3 else first.shape[1])
        # Layers of one picture would be laid over another, and those of a video over its first frame.
        self.records.reordered = len(pictures) > 1 or first.dim() > 4
        for tensor in tensors:
            self.tape.weights.pop(id(tensor), None)  # which a module may hold
        self.shown = pictures
        if pictures:
            self._see(first)

    def take_batch(self, module: nn.Module, tensors: List[torch.Tensor]) -> None:
        """Takes the number of pictures from torch's multi-head attention where that is given the model's input, whose
        first axis may be tokens."""
        if self.picture is None and isinstance(module, nn.MultiheadAttention) and tensors and \
                any(tensors[0] is known for known in self.tensors):
            is_alone = tensors[0].dim() == 2
            self.pictures = 1 if is_alone else int(tensors[0].shape[0 if module.batch_first else 1])

    def find(self, module: nn.Module, tensors: List[torch.Tensor]) -> None:
        """Finds the picture in what a module with weights is given, where the model was given it in another form, such
        as with its channels last: before any attention, whose heads may be as many as a picture has channels."""
        if self.picture is not None or self.has_attended or self.frames > 1 or next(module.parameters(), None) is None:
            return
        for tensor in tensors:
            is_alone = len(self.tensors) == 1 and self.tensors[0].dim() == 3 and len(tensor) == 1 and \
                tensor.numel() == self.tensors[0].numel()
            if is_picture(tensor) and (is_alone or len(tensor) == self.pictures) and self._is_input(tensor):
                self.pictures = 1 if is_alone else self.pictures
                self.shown = {id(tensor): tensor}
                self._see(tensor)
                return

    def _is_input(self, tensor: torch.Tensor) -> bool:
        """Returns whether the tape shows that a tensor comes from the model's input without weights."""
        leading = leading_to(self.tape.calls, [tensor])
        met = [tensor] + [each for call in self.tape.calls if call.index in leading for each in call.inputs]
        return any(each is known for each in met for known in self.tensors) and \
            not any(isinstance(each, nn.Parameter) for each in met)

    def _see(self, picture: torch.Tensor) -> None:
        self.picture = picture
        self.records.input_size = tuple(picture.shape[2:])

    def notice(self, call: Call, name: str, picture: torch.Tensor, embeds: bool) -> None:
        """Keeps what is still the picture; where it was cut, padded or moved, tokens do not lie on all of it as it was
        given. A patch embedding may pad it to whole patches, which `embeds` says."""
        made = [output for output in call.outputs if is_picture(output)]
        self.shown.update((id(output), output) for output in made)
        if not made:
            self._notice_patches(call, picture)
            return
        other_size = made[0].shape[2:] != picture.shape[2:]
        if resizes(name):
            if other_size:
                self.records.input_size = tuple(made[0].shape[2:])
            return
        steps = picture.stride()[2:]
        turned = made[0].stride()[2:] == steps[::-1] != steps  # a view with rows for columns
        moved = turned or name in PICKS or name in ROLLS or (name == "__getitem__" and has_indices(call.args[1]))
        if moved or ((other_size or (name == "pad" and pads(call, last_counts=True))) and not embeds):
            self.records.reordered = True

    def _notice_patches(self, call: Call, picture: torch.Tensor) -> None:
        """Notices pixels at the right and at the bottom that are in no patch."""
        if call.name == "unfold" and any(_left_by_unfold(call, picture)):
            self.records.reordered = True
        if call.name != "conv2d" or picture.dim() != 4:
            return
        kernel, stride = call.inputs[1].shape[2:], _pair(call, 3, "stride", 1)
        sizes = list(zip(picture.shape[2:], _reached(call, picture)))
        # Small convolutions that overlap leave a pixel here and there, and say nothing of the patches behind them.
        is_left = [reach < size and (side <= step or size - reach > 1)
                   for (size, reach), side, step in zip(sizes, kernel, stride)]
        height, width = (reach / size if left else 1.0 for (size, reach), left in zip(sizes, is_left))
        if self.covered not in (None, (height, width)):
            self.records.reordered = True  # patches of several kinds, which lie on several parts
        self.covered = (height, width)
        if any(is_left):
            self.records.covered = (height, width)
            if all(side <= step for side, step in zip(kernel, stride)):
                self.records.input_size = tuple(reach if left else size for (size, reach), left in zip(sizes, is_left))

    def take_alone(self, call: Call) -> None:
        """Notices a convolution of [channels, height, width], which is of one picture."""
        if call.name == "conv2d" and call.inputs[0].dim() == 3 and any(call.inputs[0] is known for known in self.tensors):
            self.pictures = 1


def _pair(call: Call, place: int, name: str, usual: int) -> Tuple[int, int]:
    """Returns an argument that is a number, or one for height and one for width, as two numbers."""
    said = call.kwargs.get(name, call.args[place] if len(call.args) > place else usual)
    pair = (said, said) if isinstance(said, int) else tuple(said)
    return (int(pair[0]), int(pair[-1]))


def _reached(call: Call, picture: torch.Tensor) -> List[int]:
    """Returns how many rows and columns of pixels a convolution's patches reach."""
    said = call.kwargs.get("padding", call.args[4] if len(call.args) > 4 else 0)
    padding = (0, 0) if isinstance(said, str) else _pair(call, 4, "padding", 0)
    if said == "same":
        return list(picture.shape[2:])
    stride, dilation = _pair(call, 3, "stride", 1), _pair(call, 5, "dilation", 1)
    counts, kernel = call.outputs[0].shape[2:], call.inputs[1].shape[2:]
    # Patches that are as large as a step at least: a convolution of single pixels passes over what another one sees.
    extents = [max(dilation[axis] * (kernel[axis] - 1) + 1, stride[axis]) for axis in (0, 1)]
    return [(counts[axis] - 1) * stride[axis] + extents[axis] - padding[axis] for axis in (0, 1)]


def _left_by_unfold(call: Call, picture: torch.Tensor) -> List[bool]:
    """Returns whether patches that are cut out without weights leave pixels over, along each axis."""
    if call.outputs[0].dim() == picture.dim() + 1:  # Tensor.unfold(), along one axis
        axis, size, step = (call.kwargs.get(name, call.args[place] if len(call.args) > place else 1)
                            for place, name in ((1, "dimension"), (2, "size"), (3, "step")))
        return [(picture.shape[axis] - size) % step > 0]
    kernel, dilation = _pair(call, 1, "kernel_size", 1), _pair(call, 2, "dilation", 1)
    padding, stride = _pair(call, 3, "padding", 0), _pair(call, 4, "stride", 1)
    return [(side + padding[axis] - dilation[axis] * (kernel[axis] - 1) - 1) % stride[axis] > padding[axis]
            for axis, side in enumerate(picture.shape[2:])]
