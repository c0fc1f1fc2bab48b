"""Notices, of each function that a model calls, what it does to tokens and to the picture."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Set

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from .descent import Descent
from .given import Given
from .modules import has_weights, looks_like_attention
from .numbering import Numbering
from .order import (PICKS, PUTS, ROLLS, Written, has_channels_second, has_indices, joined_axis, note_written, pads,
                    parts_joined, reorders, span_of)
from .running import Frame
from .scores import Scores
from .tape import Call, Tape


class Noticing(TorchFunctionMode):
    """Notices what a model's calls do to tokens, and tells `records` of those that do not stand in their places. Who
    watches tells it of the calls, and of the modules that run, which are `frames`."""

    def __init__(self, model: nn.Module, records: Any) -> None:
        super().__init__()
        self.model = model
        self.records = records
        self.tape = Tape(model)
        self.frames: List[Frame] = []
        self.given = Given(self.tape, records)
        self.numbering = Numbering(self.tape)
        self.scores = Scores(self.tape)
        self.descent = Descent(self.tape)
        self.owning: Set[int] = set()  # modules that attend to values of the model's own
        self.unseen: Dict[str, nn.Module] = {}  # that go on with what no function made that could be seen
        self.scoring: Dict[str, nn.Module] = {}  # that normalise scores of their tokens
        self.multiplying: Dict[str, nn.Module] = {}  # that multiply what comes from the input by another such
        self.unread: Dict[str, str] = {}  # functions that modules call and that may attend, of which no factor is known

    def _notice_moves(self, call: Call) -> None:
        """Notices tokens that were picked, reordered, rolled or padded, and what was done to the picture."""
        frame, name = self.frames[-1], call.name if call.name.startswith("__") else call.name.rstrip("_")
        self.numbering.follow(call, self.given.pictures or 1)
        self.scores.follow(call, frame.name, self.given.pictures or 1)
        self.descent.follow(call, self.given.shown)
        if not self.given.has_attended:
            self.given.stem.add(call)
        if self.tape.attends_to_own(call):
            self.owning.add(id(frame.module))
        if call.is_product:
            around = self._frame_with_weights()
            around.attends = True
            self.multiplying.setdefault(around.name, around.module)
            if not self.given.has_attended:
                self.given.begin_attention([each.inputs for each in self.frames[1:]])
            for each in self.frames:
                each.has_products = True
        data = [given for given in call.inputs if given.is_floating_point() and given.dim() > 1 and
                self.tape.is_data(given)]
        if not data:
            return
        self._notice_scores(call)
        if call.unread is not None:
            self.unread.setdefault(self._frame_with_weights().name, call.unread)
        self.given.take_alone(call)
        if any(id(given) in self.given.shown for given in data):
            self.given.notice(call, name, data[0], self._embeds(frame))
            return
        if (name == "__setitem__" and not has_indices(call.args[1])) or call.name == "copy_":
            note_written(self.tape.makers, call, frame.written)
            return
        for given in call.inputs:
            self._notice_filled(id(given))
        picked = name in PICKS or (name == "__getitem__" and data[0] is call.args[0] and has_indices(call.args[1]))
        put = (name in PUTS or (name == "__setitem__" and has_indices(call.args[1]))) and \
            any(given is not call.inputs[0] for given in data)
        multiplied = name in ("matmul", "__matmul__", "__rmatmul__", "bmm", "mm", "einsum") and \
            any(reorders(given, made) for given in data for made in call.outputs)  # by a permutation's matrix
        source = parts_joined(self.tape.makers, call)
        joined = source is not None and reorders(source, call.outputs[0])
        stacked = joined and name in ("stack", "dstack")
        if (picked or put or multiplied or joined or name in ROLLS) and \
                self.numbering.moves_pictures(call, self.given.pictures or 1):
            return
        if picked or put or multiplied or stacked:
            self.records.reordered = True
        if name in ROLLS or (joined and not stacked):
            call.moves = frame.moved = frame.rolled = True
        elif name == "pad" and pads(call, last_counts=False):
            call.moves = frame.moved = True
            frame.padded.append(call.outputs[0].numel())
        self._notice_ends(call, source)

    def _notice_filled(self, tensor: int) -> None:
        """Notices where tokens stand in a tensor that was filled slice by slice, once it is read."""
        for frame in self.frames:
            written = frame.written.get(tensor)
            if written is None:
                continue
            frame.written = {view: other for view, other in frame.written.items() if other is not written}
            if written.is_moved():
                frame.moved = frame.rolled = True
                for call in written.calls:
                    call.moves = True
            elif written.sources:
                self._notice_ends_of(written)

    def _notice_ends_of(self, written: Written) -> None:
        """Does the same as _notice_ends() for a tensor that was filled slice by slice."""
        whole, sources = written.whole, [each for each in written.sources.values() if self.tape.is_data(each)]
        sizes = [each.numel() for each in sources]
        if not sources or whole.dim() not in (2, 3) or max(sizes) >= whole.numel() or \
                (sum(sizes) == whole.numel() and sizes.count(max(sizes)) > 1):
            return  # all of it, or parts of what is known
        source = sources[sizes.index(max(sizes))]
        span = span_of(source, whole)
        if source.shape[-1] != whole.shape[-1]:
            self.records.suffixes[int(whole.shape[-1])] = None  # channels, or tokens that are not known as such
        elif span is None or (len(sources) > 1 and span[1] != 1):
            self.records.suffixes.update((size, None) for size in whole.shape[:-1])
        else:
            self.records.suffixes[span[0]] = span[1]

    def _embeds(self, frame: Frame) -> bool:
        """Returns whether a module may be a patch embedding: it has weights, and no attention in it."""
        module = frame.module
        return module is not self.model and has_weights(module) and \
            not any(looks_like_attention(inner) for inner in module.modules())

    def _notice_ends(self, call: Call, source: Optional[torch.Tensor]) -> None:
        """Notices how many tokens of the model's own stand behind the others: of as many tokens, these are the last.
        `source` is the tensor whose parts are joined, if they are one's."""
        axis, made = joined_axis(call), call.outputs[0]
        if axis is None or made.dim() not in (2, 3):
            return
        are_data = [self.tape.is_data(part) for part in call.inputs]
        counts = [int(part.shape[axis]) if part.dim() == made.dim() else 1 for part in call.inputs]
        if all(are_data) and (source is not None or counts.count(max(counts)) > 1):
            return  # parts of what is known
        # The patches are most of the tokens that are data; others may have been split off, and be joined again.
        patches = max(range(len(counts)), key=lambda part: counts[part] * are_data[part])
        behind, known = sum(counts[patches + 1:]), self.records.suffixes.get(sum(counts), 0)
        is_known = not any(are_data[patches + 1:]) or behind in (1, known)
        is_map = made.dim() == 3 and has_channels_second(self.tape.makers, call.inputs[patches])
        if is_map and axis == 1:
            return
        if axis == made.dim() - 1 and not is_map:
            if all(are_data) or behind == 0:
                return
            is_known = False  # channels, or tokens of which it is not known that they are
        self.records.suffixes[sum(counts)] = behind if is_known else None

    def _frame_with_weights(self) -> Frame:
        return next((each for each in reversed(self.frames) if has_weights(each.module)), self.frames[-1])

    def _notice_scores(self, call: Call) -> None:
        """Notices the module that makes weights of as many keys as it is given tokens."""
        if call.name.rstrip("_") != "softmax" or call.inputs[0].dim() < 3:
            return
        frame = self._frame_with_weights()
        axis = call.kwargs.get("dim", call.args[1] if len(call.args) > 1 else -1)
        keys = int(call.inputs[0].shape[axis]) if isinstance(axis, int) else 1
        counts = {count for given in frame.inputs if given.dim() > 2 and given.is_floating_point()
                  for count in (*given.shape[1:-1], given.shape[2:].numel())}
        if keys > 1 and keys in counts:
            self.scoring.setdefault(frame.name, frame.module)

    def _notice_unseen(self, call: Call) -> None:
        """Notices the module that goes on with something that no function which can be seen has made."""
        if any(tensor.dim() > 2 and tensor.is_floating_point() and self.tape.is_data(tensor) and
               not self.tape.has_met(tensor) for tensor in call.inputs):
            self.descent.lose()
            self.unseen.setdefault(self.frames[-1].name, self.frames[-1].module)
