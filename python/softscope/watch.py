"""Follows a model's modules while they run, and asks of each what attention it computed."""

from __future__ import annotations

import re
import types
from contextlib import ExitStack
from typing import Any, Callable, Dict, List, NamedTuple, Optional

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from .find import Found, Spot, Verified, find_attention, verify_windows
from .maps import Refused
from .tape import Tape, tensors_in
from .windows import Windows

_HEADS = ("num_heads", "num_attention_heads", "n_heads", "heads", "nhead", "n_head")
_MOVES = ("roll", "pad")
_MOST_AROUND = 3  # modules around attention within windows that may put its tokens back in place
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


def _has_indices(key: Any) -> bool:
    """Whether a subscript picks by numbers or by a mask, and not by slices and single places alone."""
    return any(isinstance(part, (list, range)) or getattr(part, "ndim", 0) > 0
               for part in (key if isinstance(key, tuple) else (key,)))


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
        self.inputs: List[torch.Tensor] = []
        self.waiting: List[Waiting] = []
        self.reordered = False  # tokens were picked or reordered before it


class Waiting(NamedTuple):
    """Attention within windows, until a module around it tells where its tokens lie."""
    frame: "Frame"  # of the module that computed it
    windows: Windows
    around: int  # modules around it that were asked


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
        self.attends: Dict[int, bool] = {}  # modules with attention not far below
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
            picks = name == "__getitem__" and _has_indices(args[1])
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
            frame.inputs = tensors_in(inputs)
            frame.reordered = self.records.reordered
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
        self._place_windows(frame, calls)
        products = [call for call in calls if call.is_product and not call.is_settled]
        has_weights = next(frame.module.parameters(), None) is not None
        if self.frames and not has_weights and (products or any(call.is_product for call in self.tape.calls)):
            self.frames[-1].claims.extend(frame.claims)
            return
        found = Found([], [], [])
        if products:
            found = find_attention(self.tape, calls, tensors_in(output), self.pictures or 1,
                                               number_of(frame.module, _HEADS),
                                               number_of(frame.module, ("scale", "scaling")))
            alone = len(products) == 1 and products[0].name != "scaled_dot_product_attention"
            nothing = not found.verified and not found.apart
            if nothing and alone and self.frames and not looks_like_attention(frame.module):
                self.frames[-1].claims.extend(frame.claims)
                return  # scores, whose values the module around it has
        moved = frame.moved or any(outer.moved for outer in self.frames)
        apart = found.apart + [one.windows for one in found.verified if moved and one.windows is not None]
        if not apart or frame.claims:
            refused = found.refused + [windows.reason for windows in apart]
            self._settle(frame, [] if moved else found.verified, refused)
        else:
            for call in products:
                call.is_settled = True
            frame.waiting += [Waiting(frame, windows, 0) for windows in apart]
            self._place_windows(frame, calls)
        self._forget(frame, calls)
        if frame.waiting and self.frames:
            self.frames[-1].waiting += frame.waiting

    def _forget(self, frame: Frame, calls: List[Any]) -> None:
        """Forgets a module's calls once no module around it can need them."""
        if frame.waiting:
            return
        has_products = any(call.is_product for call in calls)
        # The calls before a product may be part of attention that the module around this one goes on with, and tell the
        # places of tokens.
        is_before = any(call.is_product for call in self.tape.calls[:frame.place]) or \
            any(self._attends(outer.module) for outer in self.frames[-_MOST_AROUND:])
        if has_products or not is_before:
            self.tape.forget_from(frame.place)

    def _attends(self, module: nn.Module) -> bool:
        """Whether a module has attention in it, not far below."""
        if id(module) not in self.attends:
            above = -1 if module is self.model else self.names.get(id(module), "").count(".")
            depth = above + _MOST_AROUND + 1
            self.attends[id(module)] = any(
                looks_like_attention(inner) and self.names.get(id(inner), "").count(".") < depth
                for inner in module.modules() if inner is not module)
        return self.attends[id(module)]

    def _place_windows(self, frame: Frame, calls: List[Any]) -> None:
        """Puts attention within windows in its place, where a module's own calls tell it; else it waits for the module
        around it, and is refused behind the last."""
        waiting, frame.waiting = frame.waiting, []
        for one in waiting:
            try:
                if any(outer.moved for outer in self.frames):
                    raise Refused("a module around it rolls or pads its tokens", 8)
                found = verify_windows(one.windows, calls, frame.inputs, self.pictures or 1, self.records.input_size)
                grid = None if frame.reordered else found.grid
                self._settle(one.frame, [found._replace(grid=grid)], [])
            except Refused:
                if self.frames and one.around < _MOST_AROUND:
                    frame.waiting.append(one._replace(around=one.around + 1))
                else:
                    self._settle(one.frame, [], [one.windows.reason])

    def _settle(self, frame: Frame, verified: List[Verified], refused: List[Refused]) -> None:
        verified = [found._replace(spot=None if found.spot is None else
                                   found.spot._replace(call=found.spot.call - frame.begin)) for found in verified]
        self.records.settle(frame, type(frame.module).__name__, verified, refused)

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
