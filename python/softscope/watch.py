"""Follows a model's modules while they run, and asks of each what attention it computed."""

from __future__ import annotations

import re
import types
from contextlib import ExitStack
from typing import Any, Callable, Dict, List, NamedTuple, Optional

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from .find import Spot, Verified, find_attention
from .maps import Refused
from .tape import Tape, tensors_in

_HEADS = ("num_heads", "num_attention_heads", "n_heads", "heads", "nhead", "n_head")
_MOVES = ("roll", "pad")
_PICKS = ("gather", "index_select", "take_along_dim", "masked_select", "flip")


def number_of(module: nn.Module, names: Any) -> Optional[Any]:
    for name in names:
        value = getattr(module, name, None)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0:
            return value
    return None


def looks_like_attention(module: nn.Module) -> bool:
    def has(name: str) -> bool:
        return isinstance(getattr(module, name, None), nn.Module)
    return isinstance(module, nn.MultiheadAttention) or (number_of(module, _HEADS) is not None and (
        has("qkv") or has("to_qkv") or (has("query") and has("key")) or (has("q_proj") and has("k_proj")) or
        (has("q") and (has("k") or has("kv")))))


def _looking_through(function: Callable[..., Any]) -> Callable[..., Any]:
    """torch's multi-head attention without its question whether somebody watches, so that what it calls is seen."""
    known = {**function.__globals__, "has_torch_function": lambda *_: False}
    copy = types.FunctionType(function.__code__, known, function.__name__, function.__defaults__, function.__closure__)
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


_multi_head = nn.functional.multi_head_attention_forward
_multi_head_seen = _looking_through(_multi_head)


class Frame:
    """A module while it runs."""

    def __init__(self, name: str, module: nn.Module, place: int) -> None:
        self.name = name
        self.module = module
        self.place = place  # on the tape
        self.begin = 0  # the number of calls before it
        self.times = 1  # that the module has run, this one included
        self.claims: List[Any] = []
        self.moved = False  # tokens were rolled or padded before a module in it


class Place(NamedTuple):
    """Where a layer's attention was computed: the module, how many times it had run, and the place in it."""
    module: str
    times: int
    spot: Optional[Spot]


class Watch(TorchFunctionMode):
    """`records` is told of what was verified (add), and of what was not (refuse)."""

    def __init__(self, model: nn.Module, records: Any) -> None:
        super().__init__()
        self.model = model
        self.records = records
        self.tape = Tape(model)
        self.frames: List[Frame] = []
        self.pictures: Optional[int] = None
        self.paused = False
        self.ran: Dict[int, int] = {}  # times of each module in this pass
        self.names = {id(module): name.replace("_orig_mod.", "") or type(module).__name__
                      for name, module in model.named_modules()}

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if not self.frames or self.paused:
            return func(*args, **kwargs)
        if func is _multi_head:
            with self:
                return _multi_head_seen(*args, **kwargs)
        result = func(*args, **kwargs)
        try:
            self.tape.note(func, args, kwargs, result)
            self._notice_moves(func, args, kwargs)
        except Exception as error:  # pylint: disable=broad-except
            self.records.trouble = f"{getattr(func, '__name__', func)} could not be followed ({str(error)[:150]})"
        return result

    def _notice_moves(self, func: Any, args: Any, kwargs: Any) -> None:
        name = getattr(func, "__name__", "")
        moved = args[0] if args and isinstance(args[0], torch.Tensor) else None
        if moved is not None and moved.dim() > 2 and moved.is_floating_point() and self.tape.is_data(moved):
            picks = name == "__getitem__" and any(index.dim() > 0 for index in tensors_in(args[1:]))
            self.records.reordered = self.records.reordered or picks or name in _PICKS
        if name not in _MOVES or len(self.frames) < 2 or moved is None or not self.tape.is_data(moved):
            return
        padding = args[1] if len(args) > 1 else kwargs.get("pad", ())
        if name != "pad" or (len(padding) > 2 and any(padding)):
            self.frames[-1].moved = True

    def start(self, hooks: ExitStack) -> None:
        for module in self.model.modules():
            if isinstance(module, torch.jit.ScriptModule):
                continue
            hooks.callback(module.register_forward_pre_hook(self._enter).remove)
            hooks.callback(module.register_forward_hook(self._leave).remove)
        hooks.enter_context(self)

    def _enter(self, module: nn.Module, inputs: Any) -> None:
        if self.paused:
            return
        try:
            if module is self.model:
                self.frames = []
                self.ran = {}
                self.tape.forget_from(0)
                self.pictures = None
                self.records.reordered = False
            self.ran[id(module)] = self.ran.get(id(module), 0) + 1
            for tensor in tensors_in(inputs)[:1] if self.pictures is None else ():
                self.pictures = tensor.shape[0] if tensor.dim() != 3 or tensor.shape[0] != 3 else 1
            frame = Frame(self.names.get(id(module), type(module).__name__), module, len(self.tape.calls))
            frame.begin = self.tape.count
            frame.times = self.ran[id(module)]
            self.frames.append(frame)
        except Exception as error:  # pylint: disable=broad-except
            self.records.trouble = str(error)[:200]

    def _leave(self, module: nn.Module, _inputs: Any, output: Any) -> None:
        if self.paused or all(frame.module is not module for frame in self.frames):
            return
        while self.frames[-1].module is not module:  # an exception left these
            self.frames.pop()
        frame = self.frames.pop()
        self.paused = True
        try:
            with torch.no_grad():
                self._conclude(frame, output)
        except Exception as error:  # pylint: disable=broad-except
            self.records.refuse(frame.name, type(module).__name__, f"looking at it failed ({str(error)[:200]})")
        finally:
            self.paused = False

    def _conclude(self, frame: Frame, output: Any) -> None:
        """Records or refuses what a module computed, or leaves it to the module around it."""
        calls = self.tape.calls[frame.place:]
        products = [call for call in calls if call.is_product]
        has_weights = next(frame.module.parameters(), None) is not None
        if self.frames and not has_weights and (products or any(call.is_product for call in self.tape.calls)):
            self.frames[-1].claims.extend(frame.claims)
            return
        verified: List[Verified] = []
        refused: List[Refused] = []
        if products:
            verified, refused = find_attention(self.tape, calls, tensors_in(output), self.pictures or 1,
                                               number_of(frame.module, _HEADS),
                                               number_of(frame.module, ("scale", "scaling")))
            alone = len(products) == 1 and products[0].name != "scaled_dot_product_attention"
            if not verified and alone and self.frames and not looks_like_attention(frame.module):
                self.frames[-1].claims.extend(frame.claims)
                return  # scores, whose values the module around it has
        kind = type(frame.module).__name__
        moved = frame.moved or any(outer.moved for outer in self.frames)
        if moved and verified:
            refused = [Refused("it or the module around it rolls or pads its tokens (windows), so that they are not in "
                               "their places", 9)]
            verified = []
        verified = [found._replace(spot=None if found.spot is None else
                                   found.spot._replace(call=found.spot.call - frame.begin)) for found in verified]
        self.records.settle(frame, kind, verified, refused)
        # The calls before a product may be part of attention that the module around this one goes on with.
        if products or not any(call.is_product for call in self.tape.calls[:frame.place]):
            self.tape.forget_from(frame.place)

    def finish(self) -> None:
        """Refuses what looks like attention, and of which nothing was seen."""
        self.frames = []
        self.tape.forget_from(0)
        for name, module in reversed(list(self.model.named_modules())):  # the innermost speaks for those around it
            told = self.records.told()
            layer = name.replace("_orig_mod.", "") or type(module).__name__
            named = re.search("attention|attn", type(module).__name__, re.IGNORECASE) is not None
            attends = looks_like_attention(module) or (named and next(module.parameters(), None) is not None)
            if not attends or any(
                    other == layer or other.startswith(f"{layer}.") or layer.startswith(f"{other}.") for other in told):
                continue
            ran = id(module) in self.ran
            scripted = isinstance(module, torch.jit.ScriptModule)
            self.records.refuse(layer, type(module).__name__, "it is scripted, and no attention of it could be seen"
                                if scripted else self.records.trouble or
                                "no product of attention and values could be seen in it" if ran else "it did not run")
