"""Follows a model's modules while they run, and asks of each what attention it computed."""

from __future__ import annotations

import re
import threading
from contextlib import ExitStack, contextmanager
from typing import Any, Dict, Iterator, List, Optional, Set

import torch
from torch import nn

from .find import Found, find_attention
from .follow import Work, counted_by
from .maps import Refused
from .modules import HEADS, has_weights, looks_like_attention, multiplies, number_of
from .noticing import Noticing
from .replay import draws
from .running import Frame, Left, Waiting
from .tape import (FIRST, MULTI_HEAD, NORMALISERS, SEES_NAMED, Call, hook_on, leading_to, multi_head_seen, plain_name,
                   subscripts_seen, tensors_in, version)
from .verified import Verified
from .verify import Unseen, verify_windows

SECOND_PASS = "the model runs a second time within one recording: record one pass in each block"
UNREAD = "may mix tokens there, which is not looked into: say what it is with softscope.record_attention()"
_looking = threading.local()  # how many recordings look at what they saw, each of which others do not see
_MOST_AROUND = 3  # modules around attention within windows that may put its tokens back in place


@contextmanager
def _unseen() -> Iterator[None]:
    """Hides what is called within the block from every recording on this thread, such as one around it of the same
    model."""
    _looking.depth = getattr(_looking, "depth", 0) + 1
    try:
        yield
    finally:
        _looking.depth -= 1


class Watch(Noticing):
    """Watches a model run, and tells `records` of what was verified (add), and of what was not (refuse)."""

    def __init__(self, model: nn.Module, records: Any) -> None:
        super().__init__(model, records)
        self.thread = threading.get_ident()  # others may run the model meanwhile
        self.paused = False
        self.ran: Dict[int, int] = {}  # times of each module in this pass
        self.elsewhere: Set[int] = set()  # modules that another thread ran within the pass
        self.multiplied: Set[int] = set()  # modules with products of tokens, in them or in modules in them
        self.apart: List[int] = []  # modules that ran without the model around them
        self.attends: Dict[int, bool] = {}  # modules with attention not far below
        self.within = False  # a function of torch's, which runs modules by itself, such as a backward pass
        self.draws_on = {each.device for each in model.parameters() if each.device.type == "cuda"}
        self.names = {id(module): plain_name(name) or type(module).__name__
                      for name, module in model.named_modules()}

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if not self.frames or self.paused or getattr(_looking, "depth", 0):
            return self._call(func, args, kwargs)
        if func is MULTI_HEAD:
            with self:
                return multi_head_seen(*args, **kwargs)
        before = [version(tensor) for tensor in tensors_in((args, kwargs))]
        result = self._call(func, args, kwargs)
        try:
            count = self.tape.count
            with _unseen():
                self.tape.note(func, args, kwargs, result, before)
                if self.tape.count > count:
                    self._notice_unseen(self.tape.calls[-1])
                    self.tape.meet(self.tape.calls[-1].outputs)
                    self._notice_moves(self.tape.calls[-1])
        except Exception as error:  # pylint: disable=broad-except
            self.records.trouble = f"{getattr(func, '__name__', func)} could not be followed ({str(error)[:150]})"
        return result

    def _call(self, func: Any, args: Any, kwargs: Any) -> Any:
        within, self.within = self.within, True
        try:
            return func(*args, **kwargs)
        finally:
            self.within = within

    def start(self, hooks: ExitStack) -> None:
        hooks.enter_context(subscripts_seen)
        enter, leave = self._enter, self._leave
        for module in self.model.modules():
            if isinstance(module, torch.jit.ScriptModule):
                continue
            hook_on(module, "forward_pre", enter, hooks, **SEES_NAMED, **FIRST)
            hook_on(module, "forward", leave, hooks)
        hooks.enter_context(self)

    def _enter(self, module: nn.Module, inputs: Any, named: Any = None) -> None:
        if self.thread != threading.get_ident() and self.frames:
            self.elsewhere.add(id(module))
        if self.paused or self.within or self.thread != threading.get_ident():
            return
        if not self.frames and module is not self.model:
            self._begin_apart(module)
        try:
            if module is self.model:
                self.frames = []
                self.ran = {}
                self.tape.forget_from(0)
                self.tape.know_weights(self.model)
                self.records.reordered = False
                self.records.suffixes = {}
                self.given.forget()
                self.numbering.forget()
                self.descent.forget()
            self.ran[id(module)] = self.ran.get(id(module), 0) + 1
            frame = Frame(self.names.get(id(module), type(module).__name__), module, len(self.tape.calls))
            frame.begin = self.tape.products
            frame.times = self.ran[id(module)]
            frame.inputs = tensors_in((inputs, named or {}))
            self.tape.meet(frame.inputs)
            self.given.take(inputs, named)
            self.given.take_batch(module, frame.inputs)
            self.given.find(module, frame.inputs)
            frame.reordered = self.records.reordered
            with _unseen():
                frame.order = self.numbering.order_of(frame.inputs, self.given.pictures or 1)
            self.frames.append(frame)
        except Exception as error:  # pylint: disable=broad-except
            self.records.trouble = str(error)[:200]

    def _begin_apart(self, module: nn.Module) -> None:
        """Notes a module that runs without the model around it. Throws RuntimeError where a second pass begins: with
        the first module of these again, or behind a pass of the model with one that has layers."""
        name = self.names.get(id(module), "")
        if id(self.model) in self.ran:
            told = self.records.told() if id(module) in self.ran else []
            if any(layer == name or layer.startswith(f"{name}.") for layer in told):
                raise RuntimeError(SECOND_PASS)
        elif self.apart[:1] == [id(module)] and len(set(self.apart)) > 1:
            raise RuntimeError(SECOND_PASS)
        self.apart.append(id(module))

    def _leave(self, module: nn.Module, _inputs: Any, output: Any) -> None:
        is_known = any(frame.module is module for frame in self.frames)
        if self.paused or self.thread != threading.get_ident() or not is_known:
            return
        left = []
        while self.frames[-1].module is not module:  # an exception left these
            left.append(self.frames.pop())
        frame = self.frames.pop()
        frame.products = self.tape.products - frame.begin
        if frame.has_products:
            self.multiplied.add(id(module))
        if left:
            frame.failed = left[-1].place
            frame.moved = frame.moved or any(each.moved for each in left)
        self.paused = True
        try:
            self._hand_on_moves(frame, output)
            self.descent.follow_unseen(frame.inputs, tensors_in(output))
            with _unseen():
                self.numbering.leave(frame.inputs, tensors_in(output), frame.attends)
            for lost in (lost for each in left for lost in each.waiting):
                self._settle(lost.frame, [], [lost.windows.reason], None, lost.windows.product.product)
            drawn = frame.has_products and any(draws(call) for call in self.tape.calls)
            with torch.no_grad(), _unseen(), self._same_random_numbers(drawn):
                self._conclude(frame, output)
        except Exception as error:  # pylint: disable=broad-except
            self.records.refuse(frame.name, type(module).__name__, f"looking at it failed ({str(error)[:200]})")
        finally:
            self.paused = False

    def _hand_on_moves(self, frame: Frame, output: Any) -> None:
        """Hands on what a module without attention moved to those behind it, and what it padded where it returns
        that."""
        self.frames.append(frame)
        for tensor in list(frame.written):
            self._notice_filled(tensor)
        self.frames.pop()
        if not self.frames or frame.has_products:
            return
        around, sizes = self.frames[-1], [made.numel() for made in tensors_in(output)]
        kept = [size for size in frame.padded if size in sizes]
        around.padded += kept
        around.rolled = around.rolled or frame.rolled
        around.moved = around.moved or frame.rolled
        around.padded_within = around.padded_within or bool(kept)

    @contextmanager
    def _same_random_numbers(self, wanted: bool) -> Iterator[None]:
        """Leaves torch's random numbers as they were before the block. They are all threads', so that nothing is done
        where nothing is drawn."""
        if not wanted:
            yield
            return
        state = torch.get_rng_state()
        others = [(device, torch.cuda.get_rng_state(device)) for device in self.draws_on]
        try:
            yield
        finally:
            torch.set_rng_state(state)
            for device, drawn in others:
                torch.cuda.set_rng_state(drawn, device)

    def _conclude(self, frame: Frame, output: Any) -> None:
        """Records or refuses what a module computed, or leaves it to the module around it."""
        self.records.progress.show(f"recording {frame.name}, module {len(self.ran)} of {len(self.names)}")
        if frame.failed is not None:
            self._give_up(frame)
        calls = self.tape.calls[frame.place:]
        self._place_windows(frame, calls)
        products = [call for call in calls if call.is_product and not call.is_settled]
        if self.frames and not has_weights(frame.module) and (products or any(call.is_product for call in self.tape.calls)):
            self.frames[-1].claims.extend(frame.claims)
            return
        found = Found([], [], [])
        if products:
            found = self._find(frame, calls, output)
            alone = len(products) == 1 and products[0].name != "scaled_dot_product_attention"
            nothing = not found.verified and not found.apart
            is_unseen = any(isinstance(reason, Unseen) for reason in found.refused)
            if nothing and alone and self.frames and not looks_like_attention(frame.module) and not is_unseen:
                self.frames[-1].claims.extend(frame.claims)
                products[0].left = products[0].left or Left(frame, found.refused)
                return  # scores, perhaps, whose values the module around it has
            if found.refused and not looks_like_attention(frame.module):
                found = self._refuse_left(frame, calls, output, found)
        moved = frame.moved or any(outer.moved for outer in self.frames)
        apart = found.apart + [one.windows for one in found.verified if moved and one.windows is not None]
        if not apart or frame.claims:
            refused = found.refused + [windows.reason for windows in apart]
            if moved and any(one.windows is None for one in found.verified):
                refused.append(Refused("it or the module around it rolls or pads its tokens, so that they are not in their "
                                       "places", 9))
            self._settle(frame, [] if moved else found.verified, refused)
        else:
            kept = [] if moved else found.verified
            if kept or found.refused:
                self._settle(frame, kept, found.refused)
            for call in products:
                call.is_settled = True
            frame.waiting += [Waiting(frame, windows, 0, Work(self.tape.made)) for windows in apart]
            self._place_windows(frame, calls)
        self._forget(frame, calls)
        if frame.waiting and self.frames:
            self.frames[-1].waiting += frame.waiting

    def _refuse_left(self, frame: Frame, calls: List[Call], output: Any, found: Found) -> Found:
        """Refuses products that modules within this one left to it, and that no attention of it has to do with, under
        the names of those modules. Returns what is found of the others."""
        products = [call for call in calls if call.is_product and not call.is_settled]
        own = leading_to(calls, [given for call in products if call.left is None for given in call.inputs])
        left = [call for call in products if call.left is not None and not call.left.frame.claims and
                call.index not in own and call.index not in found.explained]
        for call in left:
            call.is_settled = True
            self._settle(call.left.frame, [], call.left.refused or found.refused, None, call.product)
        if not left:
            return found
        return self._find(frame, calls, output) if len(left) < len(products) else Found([], [], [])

    def _find(self, frame: Frame, calls: List[Call], output: Any) -> Found:
        def find(pictures: int) -> Found:
            return find_attention(self.tape, calls, frame.inputs, tensors_in(output), pictures,
                                  number_of(frame.module, HEADS), number_of(frame.module, ("scale", "scaling")),
                                  self.descent)
        pictures = self.given.pictures or 1
        found = find(pictures)
        if self.given.frames > 1 and not found.verified and any(
                len(windows.sets) == pictures * self.given.frames for windows in found.apart):
            of_frames = find(pictures * self.given.frames)  # of which the first one's is recorded
            return of_frames if of_frames.verified else found
        return found

    def _give_up(self, frame: Frame) -> None:
        """Refuses what was computed since a module in this one failed: whose result was thrown away is not known."""
        dropped = [call for call in self.tape.calls[frame.failed:] if call.is_product and not call.is_settled]
        for call in dropped:
            call.is_settled = True
        if dropped:
            self._settle(frame, [], [Refused("a module in it failed, and what it went on with is not known", 11)])

    def _forget(self, frame: Frame, calls: List[Any]) -> None:
        """Forgets a module's calls once no module around it can need them."""
        if frame.waiting:
            return
        has_products = any(call.is_product for call in calls)
        # A softmax may be a module, and what comes behind it, whose product the module around it has.
        if self.frames and not has_products and not has_weights(frame.module) and any(
                call.name.rstrip("_") in NORMALISERS for call in self.tape.calls):
            return
        # The calls before a product may be part of attention that the module around this one goes on with, and tell the
        # places of tokens.
        is_before = self._is_part(frame) or any(call.is_product for call in self.tape.calls[:frame.place]) or \
            any(self._attends(outer.module) for outer in self.frames[-_MOST_AROUND:])
        if has_products or not is_before:
            self.tape.forget_from(frame.place)

    def _is_part(self, frame: Frame) -> bool:
        """Returns whether a module is a layer of the one around it, which goes on with what it computes: a chain of
        layers does not."""
        around = self.frames[-1].module if self.frames else self.model
        return around is not self.model and not isinstance(around, nn.Sequential) and \
            next(frame.module.children(), None) is None

    def _attends(self, module: nn.Module) -> bool:
        """Returns whether a module has attention in it, not far below."""
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
                if any(outer.moved or outer.padded_within for outer in self.frames):
                    raise Refused("a module around it rolls or pads its tokens", 8)
                with counted_by(one.work):
                    found = verify_windows(one.windows, calls, frame.inputs, self.given.pictures or 1,
                                           self.records.input_size)
                grid = None if frame.reordered or frame.order.is_turned else found.grid
                self._settle(one.frame, [found._replace(grid=grid)], [], frame, one.windows.product.product)
            except Exception as error:  # pylint: disable=broad-except
                reason = error if isinstance(error, Refused) else \
                    Refused(f"it could not be run again ({str(error)[:150]})", 0)
                if reason.rank > one.windows.reason.rank:
                    self._settle(one.frame, [], [reason], None, one.windows.product.product)
                elif self.frames and one.around < _MOST_AROUND:
                    frame.waiting.append(one._replace(around=one.around + 1))
                else:
                    self._settle(one.frame, [], [one.windows.reason], None, one.windows.product.product)

    def _settle(self, frame: Frame, verified: List[Verified], refused: List[Refused], around: Optional[Frame] = None,
                product: Optional[int] = None) -> None:
        """Tells the records what a module computed. `around` is the module by whose tokens the attention is known, if
        that is not the one that computed it, and `product` the number of its product, if that was before those of
        modules that have been settled."""
        spots = [found.spot.product for found in verified if found.spot is not None]
        at = product if product is not None else spots[0] if spots else self.tape.products - 0.5
        verified = [found._replace(spot=None if found.spot is None else
                                   found.spot._replace(product=found.spot.product - frame.begin, products=frame.products))
                    for found in verified]
        self.records.settle(frame, type(frame.module).__name__, verified, refused, (around or frame).order, at)

    def runs(self) -> Dict[str, int]:
        """Returns how often each module ran in the last pass, by its name."""
        return {self.names[module]: times for module, times in self.ran.items() if module in self.names}

    def finish(self) -> None:
        """Refuses what looks like attention, and of which nothing was seen."""
        self.frames = []
        self.tape.forget_from(0)
        self.numbering.forget()
        within = {id(inner) for module in self.model.modules() if isinstance(module, torch.jit.ScriptModule)
                  for inner in module.modules() if inner is not module}
        for name, module in reversed(list(self.model.named_modules())):  # the innermost speaks for those around it
            layer = plain_name(name) or type(module).__name__
            scripted = isinstance(module, torch.jit.ScriptModule) and id(module) not in within
            named = re.search("attention|attn", type(module).__name__, re.IGNORECASE) is not None
            attends = looks_like_attention(module) or (named and has_weights(module))
            # A module that ran, and had no product in it, is not explained by attention of the module around it.
            alone = looks_like_attention(module) and id(module) in self.ran and id(module) not in self.multiplied
            if not (attends or (scripted and multiplies(module))) or self._is_told(layer, alone):
                continue
            self.records.refuse(layer, type(module).__name__, "it is scripted, and no attention of it could be seen"
                                if scripted else self._reason_for(module))
        self._remark_unseen()

    def _remark_unseen(self) -> None:
        """Names the modules of which nothing was said, and that may attend all the same, each with the first reason."""
        unseen = [name for name, module in self.unseen.items()
                  if not any(isinstance(inner, torch.jit.ScriptModule) for inner in module.children())]
        functions = ", ".join(sorted(set(self.unread.values())))
        reasons = [
            ("that was computed unseen in", unseen, "by a scripted function, a kernel of its own or "
             "flex_attention: say what it is with softscope.record_attention()"),
            ("of", list(self.unread), f"{functions} {UNREAD}"),
            ("of", list(self.scoring),
             "scores were normalised there, and no product of these and values could be seen")]
        said: Set[str] = set()
        for begin, names, reason in reasons:
            names = [name for name in names if name not in said and not self._is_told(name)]
            said.update(names)
            self._remark(begin, names, reason)
        if not said and not self.records.told():
            self._remark("of", list(self.multiplying), "two things that come from the input were multiplied there, and "
                         "no product of attention and values could be seen")

    def _remark(self, begin: str, names: List[str], reason: str) -> None:
        if names:
            self.records.remark(f"attention, if there is any, {begin} {', '.join(names[:4])}"
                                f"{' and others' if len(names) > 4 else ''}: {reason}")

    def _reason_for(self, module: nn.Module) -> str:
        """Returns why nothing was seen of a module that looks like attention."""
        if id(module) in self.owning and self.records.trouble is None:
            return "its keys and values are the model's own, made of weights, and no tokens of the picture"
        function = self.unread.get(self.names.get(id(module), ""))
        if function is not None:
            return f"{function} {UNREAD}"
        if id(module) in self.ran:
            return self.records.trouble or "no product of attention and values could be seen in it"
        if id(module) in self.elsewhere:
            return "another thread ran it, of which nothing is seen"
        if id(self.model) not in self.ran:
            return "it did not run"
        return "it did not run, or its forward() was called by itself, and not the module"

    def _is_told(self, layer: str, alone: bool = False) -> bool:
        """Returns whether something was said of a module or of one in it, or, but where it stands alone, of one around
        it."""
        return any(other == layer or other.startswith(f"{layer}.") or (not alone and layer.startswith(f"{other}."))
                   for other in self.records.told())
