"""Records what a model attends to while it runs."""

from __future__ import annotations

import fnmatch
import os
import sys
import threading
from contextlib import ExitStack, contextmanager
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Set

import numpy as np
import torch
from torch import nn

from .arguments import patterns_of, require_lists, require_module, require_scale
from .claims import Claim, misnamed, verify_claim
from .file import check_place, printable
from .maps import Map, Refused, first_picture
from .numbering import Order
from .order import is_picture
from .padding import drop_padding
from .picture import input_of, pixels_of
from .places import misfit_of
from .placing import MIXED, Laid, Placing
from .progress import ProgressLine
from .recorded import Layer, Recording
from .scores import kind_of, logits_of, scores_in
from .tape import FIRST, hook_on, tensors_in
from .uncompiled import run_uncompiled
from .verified import Place, Verified
from .watch import SECOND_PASS, Frame, Watch

_running: List["_Records"] = []


class _Records(Placing):
    """Fills a Recording as layers run."""

    def __init__(self, model: nn.Module, grid: Optional[Sequence[int]], prefix: Optional[int]) -> None:
        super().__init__(model)
        self.recording = Recording()
        self.progress = ProgressLine(False)
        self.grid = grid
        self.prefix = prefix
        self.trouble: Optional[str] = None
        self.watch: Optional[Watch] = None
        self.given: Optional[torch.Tensor] = None  # what record() gives the model
        self.thread = threading.get_ident()
        self.has_logits = False
        self.names_classes = False  # the caller says that the output is scores of classes
        self.unsorted: List[str] = []  # layers whose rows and columns stand as they were computed
        self.unplaced: List[str] = []  # layers of windows that tell no grid
        self.settled: Set[str] = set()  # modules of which something was said, perhaps by another name

    def told(self) -> List[str]:
        return [layer.name for layer in self.recording.layers] + sorted(self.settled)

    def _unused(self, layer: str) -> str:
        layer = name = printable(layer)
        count = 1
        while any(known.name == name for known in self.recording.layers):  # shared weights, or a second pass
            count += 1
            name = f"{layer}.{count}"
        return name

    def refuse(self, layer: str, kind: str, reason: str) -> None:
        said = f"{kind}: {reason}" if kind else reason
        self.recording.layers.append(Layer(self._unused(layer), None, None, said[:400]))
        if self.watch is not None:
            self.recording.layers[-1].order = self.watch.tape.products - 0.5

    def remark(self, said: str) -> None:
        self.recording.remarks.append(said)

    def add(self, layer: str, map_: Map, error: Optional[float], mechanism: Optional[str] = None,
            grid: Optional[Sequence[int]] = None, prefix: Optional[int] = None, behind: int = 0,
            is_foreign: bool = False) -> bool:
        """Records a layer, or refuses it where what the caller says of it cannot be, and returns whether it was
        recorded. The last `behind` keys are the module's own, and `is_foreign` says that some rows or columns are no
        patches."""
        _, queries, keys = map_.shape()
        grid = self.grid if grid is None else grid
        prefix = self.prefix if prefix is None else prefix
        misfit = misfit_of(grid, prefix, queries, keys) or misnamed(mechanism)
        if misfit is not None:
            self.refuse(layer, "", misfit)
            return False
        name = self._unused(layer)
        self.recording.layers.append(Layer(name, Map({part: tensor.detach().cpu() for part, tensor in
                                                      map_.parts.items()}, map_.kernel, map_.scale), error, None))
        entries = self.recording.entries
        laid = Laid(grid, prefix) if grid is not None or prefix is not None else self.lay(map_, behind, is_foreign)
        self.recording.layers[-1].guesses_grid = laid.is_guess
        has_places = laid.grid is None or any(laid.grid)
        said = {"grid": laid.grid, "prefix": laid.prefix if has_places else None,
                "suffix": laid.suffix if has_places and laid.suffix else None}
        entries.update({f"{name}/{part}": np.array(value, dtype=np.int64) for part, value in said.items()
                        if value is not None})
        if mechanism is not None:
            entries[f"{name}/mechanism"] = np.array(mechanism)
        return True

    def settle(self, frame: Frame, kind: str, verified: List[Verified], refused: List[Refused], order: Order,
               place: float) -> None:
        """Records what a module was seen to compute, by the names that record_attention() gave where it did. `order` is
        that of its tokens, and `place` its place among all products of the pass."""
        known = len(self.recording.layers)
        self.turned = order.is_turned
        try:
            self._settle(frame, kind, verified, refused, MIXED if order.is_other_picture else self.mixed)
        finally:
            self.turned = False
            for layer in self.recording.layers[known:]:
                layer.order = place

    def _settle(self, frame: Frame, kind: str, verified: List[Verified], refused: List[Refused],
                mixed: Optional[str]) -> None:
        layer, claims = frame.name, frame.claims
        if mixed is not None and (verified or claims):
            verified, refused, claims = [], [*refused, Refused(mixed, 12)], []
        claimed: List[Verified] = []
        if claims or verified or refused:
            self.settled.add(layer)
        for claim in claims:
            try:
                error = verify_claim(claim, verified, bool(verified))
                if self.add(claim.layer, claim.map, error, claim.mechanism, claim.grid, claim.prefix):
                    self.recording.layers[-1].beside = str(verified[0].beside) if len(verified) == 1 and \
                        verified[0].beside is not None else None
                claimed += verified
            except Refused as reason:
                self.refuse(claim.layer, "", str(reason))
        if claims and (claimed or not verified):
            return
        for index, found in enumerate(verified):
            if not self.add(layer if len(verified) == 1 else f"{layer}.{index}", found.map, found.error, grid=found.grid,
                            behind=found.behind, is_foreign=found.is_foreign):
                continue
            self.recording.layers[-1].place = Place(frame.name, frame.times, found.spot)
            self.unsorted += [self.recording.layers[-1].name] if found.is_unsorted else []
            grid = self.recording.entries.get(f"{self.recording.layers[-1].name}/grid")
            if "rows" in found.map.parts and grid is not None and not grid.any():
                self.unplaced.append(self.recording.layers[-1].name)
            self.recording.layers[-1].beside = None if found.beside is None else str(found.beside)
            self.recording.layers[-1].beside_size = None if found.beside is None else found.beside.size
        if refused:
            name = layer if not verified else f"{layer}.{len(verified)}"
            self.refuse(name, kind, str(max(refused, key=lambda reason: reason.rank)))

    def is_on_its_thread(self) -> bool:
        """Returns whether the recording began on the thread that asks: others may run the model meanwhile."""
        return self.thread == threading.get_ident()

    def listens(self) -> bool:
        """Returns whether the model runs on this thread, and not another one."""
        return self.is_on_its_thread() and self.watch is not None and bool(self.watch.frames)

    def claim(self, claim: Claim) -> None:
        if self.listens() and self.watch is not None:
            self.watch.frames[-1].claims.append(claim)


@contextmanager
def _watching(model: nn.Module, patterns: Sequence[str], records: _Records, mean: Optional[Sequence[float]],
              std: Optional[Sequence[float]]) -> Iterator[None]:
    require_module(model)
    if isinstance(model, torch.jit.ScriptModule):
        raise ValueError("the model is scripted or traced, which nothing sees into: give the module it was made of")
    watch = records.watch = Watch(model, records)
    _running.append(records)
    try:
        with ExitStack() as hooks:
            run_uncompiled(model, hooks)
            drop_padding(model, hooks)
            for name, module in model.named_modules():
                if not hasattr(nn.functional, "scaled_dot_product_attention") and hasattr(module, "fused_attn"):
                    _set_for_the_while(module, "fused_attn", False, hooks)
                if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns_of(patterns)):
                    hook_on(module, "forward", _claiming(name, records), hooks)
            begin = [lambda: _require_one_pass(model, records, hooks),
                     lambda: watch.start(hooks), lambda: _keep_ends(model, records, mean, std, hooks)]
            for start in reversed(begin) if FIRST else begin:  # what is registered last then runs first
                start()
            yield
    finally:
        _running.remove(records)
        records.progress.clear()
    watch.finish()
    for what, layers, reason in (
            ("order", records.unsorted, "its module puts them in another one, in which not all could be followed, so that "
             "rows and columns stand as they were computed"),
            ("places", records.unplaced, "its windows tell no grid, as where they are tokens that follow one another; "
             "give grid= where these stand row by row")):
        if layers:
            others = " and others" if len(layers) > 4 else ""
            records.remark(f"the {what} of tokens in {', '.join(layers[:4])}{others}: {reason}")
    records.recording.layers.sort(key=lambda layer: layer.order)
    records.recording.runs = watch.runs()
    records.recording.pictures = watch.given.pictures or 1
    _say_region(records)


def _say_region(records: _Records) -> None:
    """Says on which part of the picture patches lie that leave pixels of it over."""
    entries, covered = records.recording.entries, records.covered
    if covered is None:
        return
    records.recording.covered = (covered[0], covered[1])
    if "picture" in entries or "input" in entries:
        height, width = entries["picture"].shape[:2] if "picture" in entries else entries["input"].shape[1:]
        entries["region"] = np.array([0, 0, covered[1] * width, covered[0] * height])


def _require_one_pass(model: nn.Module, records: _Records, hooks: ExitStack) -> None:
    """Throws RuntimeError where a second pass begins, since the file has one input and one set of logits, with which
    layers of another pass would be shown."""
    passes: List[nn.Module] = []

    def begin(module: nn.Module, inputs: Any) -> None:
        if not records.is_on_its_thread():
            return
        if any(_is_transformed(given) for given in tensors_in(inputs)):
            raise RuntimeError("the model runs within a transform of torch.func, such as vmap, whose tensors have no "
                               "values: record a call outside of it")
        if passes or records.told():
            raise RuntimeError(SECOND_PASS)
        passes.append(module)
    hook_on(model, "forward_pre", begin, hooks, **FIRST)


def _is_transformed(tensor: torch.Tensor) -> bool:
    functions = getattr(torch._C, "_functorch", None)  # pylint: disable=protected-access
    wrapped = getattr(functions, "is_functorch_wrapped_tensor", None)
    return wrapped is not None and wrapped(tensor)


def _set_for_the_while(owner: Any, name: str, value: Any, hooks: ExitStack) -> None:
    hooks.callback(setattr, owner, name, getattr(owner, name))
    setattr(owner, name, value)


def _claiming(name: str, records: _Records) -> Callable[..., None]:
    def claim(_module: nn.Module, _inputs: Any, output: Any) -> None:
        if not records.is_on_its_thread():
            return
        parts = output if isinstance(output, (tuple, list)) else (output,)
        attention = next((part for part in parts if isinstance(part, torch.Tensor) and part.dim() == 4), None)
        if attention is None:
            records.refuse(name, "", "was named by a pattern, but returns no [batch, heads, queries, keys]")
            return
        records.claim(Claim(name, Map({"attn": first_picture(attention)}), None, None, None, None, None))
    return claim


def _keep_ends(model: nn.Module, records: _Records, mean: Optional[Sequence[float]], std: Optional[Sequence[float]],
               hooks: ExitStack) -> None:
    """Keeps the model's input, where that can be shown, and its logits."""
    entries = records.recording.entries

    def begin(module: nn.Module, inputs: Any) -> None:
        if not records.is_on_its_thread():
            return
        image = inputs[0] if inputs else None
        if module is model and not FIRST and isinstance(records.given, torch.Tensor) and isinstance(image, torch.Tensor):
            # By a hook of somebody else's, which runs before this one.
            records.prepared = records.prepared or not _are_same(image, records.given)
        picture = None if records.watch is None else records.watch.given.picture
        if picture is None or "input_size" in entries:
            return
        entries["input_size"] = np.array(picture.shape[2:], dtype=np.int64)
        if mean is not None and std is not None and len(mean) == len(std) == 3 and "picture" not in entries:
            entries["input"] = picture[0].detach().float().cpu().numpy().copy()
            entries["mean"] = np.array(mean, dtype=np.float32)
            entries["std"] = np.array(std, dtype=np.float32)

    def end(_module: nn.Module, _inputs: Any, output: Any) -> None:
        if not records.is_on_its_thread() or records.watch is None:
            return
        scores = scores_in(output)
        if scores is None:
            records.remark(f"the logits: the model returns {kind_of(output)}, where a tensor [pictures, classes] is taken "
                           "for scores, or what is named logits")
        if scores is None or scores.numel() == 0:
            return
        known, pictures = records.watch.scores, records.watch.given.pictures or 1
        if not records.names_classes and not known.are_in(model, output):
            records.remark(f"the output: whether its {scores.shape[1]} numbers are scores of classes or features is not "
                           "known; where they are scores, name them with classes=")
            return
        records.has_logits = True
        if len(scores) != pictures:
            records.remark(f"the logits: the output has {len(scores)} rows of {scores.shape[1]} numbers for {pictures} "
                           f"picture{'s' * (pictures > 1)}, of which none is known to be the first one's scores")
            return
        function = records.recording.function = known.function_of(scores)
        logits = logits_of(scores, function)
        if not bool(torch.isfinite(logits).all()):
            records.remark("the logits: some of them are not finite")
            return
        entries["logits"] = logits.numpy()
        if function == "sigmoid":
            records.remark("the probabilities that the model returns: each class has its own, of a sigmoid; the logits are "
                           "what that was given, and their softmax is none of the model's")

    for module in model.modules():
        if not isinstance(module, torch.jit.ScriptModule):
            hook_on(module, "forward_pre", begin, hooks, **FIRST)
    hook_on(model, "forward", end, hooks)


def _are_same(made: torch.Tensor, given: torch.Tensor) -> bool:
    return made is given or (made.shape == given.shape and
                             torch.equal(made.detach().float().cpu(), given.detach().float().cpu()))


def record(model: nn.Module, picture: Any = None, *, transform: Optional[Callable[[Any], torch.Tensor]] = None,
           mean: Optional[Sequence[float]] = None, std: Optional[Sequence[float]] = None,
           size: Any = None, classes: Optional[Sequence[str]] = None, patterns: Sequence[str] = (),
           grid: Optional[Sequence[int]] = None, prefix: Optional[int] = None, quiet: bool = False,
           **inputs: Any) -> Recording:
    """Runs the model on one picture and returns what it attended to, each layer verified or refused with its reason.

    picture:   a tensor, which is the model's input [1, 3, H, W] or [3, H, W], or any other that it takes, or a list or a
               dict of some; or a PIL picture, a path of one, or uint8 [H, W, 3], which needs `transform` (the model's
               own), or `mean`, `std` and `size` (a side, or height and width). With a tensor, `mean` and `std` let the
               recording show it.
    classes:   names of the logits. They also say that a model's output is scores of classes, which else is told by the
               name that it gives them, or by the classifier that makes them.
    patterns:  names of modules (`*` as in fnmatch) that return attention [batch, heads, queries, keys].
    grid:      height and width of the patches, and `prefix` the number of tokens before them, where neither the model
               (timm's do) nor a square tells.
    quiet:     True prints nothing of layers that are refused or have something beside their attention.
    inputs:    what else the model's forward() is given, or all of it, by name, without `picture`.
    """
    require_lists(classes, grid)
    is_named = bool(inputs) and (picture is None or (isinstance(picture, (dict, list, tuple)) and not picture))
    tensor, pixels = (None, None) if is_named else input_of(model, picture, transform, mean, std, size)
    records = _Records(model, grid, prefix)
    records.names_classes = classes is not None
    records.given = tensor
    records.progress = ProgressLine(not quiet)
    records.prepared = sum(is_picture(given) and given is not tensor for given in tensors_in(inputs)) > is_named
    if pixels is not None:
        records.recording.entries["picture"] = pixels
    with torch.no_grad(), _watching(model, patterns, records, mean, std):
        model(*([] if is_named else [tensor]), **inputs)
    _name_classes(records, classes)
    if not quiet:
        _say(records.recording)
    return records.recording


@contextmanager
def recording(model: nn.Module, path: str, *, picture: Any = None, mean: Optional[Sequence[float]] = None,
              std: Optional[Sequence[float]] = None, classes: Optional[Sequence[str]] = None,
              patterns: Sequence[str] = (), grid: Optional[Sequence[int]] = None,
              prefix: Optional[int] = None) -> Iterator[Recording]:
    """Records the model's one pass within the block and writes `path` (.npz or .safetensors) at its end; arguments are
    record()'s, but for `picture`: what the model sees, uint8 [H, W, 3] or anything that NumPy reads so."""
    check_place(os.fspath(path))
    require_lists(classes, grid)
    require_scale(mean, std)
    records = _Records(model, grid, prefix)
    records.names_classes = classes is not None
    records.progress = ProgressLine(True)
    if picture is not None:
        records.recording.entries["picture"] = pixels_of(picture)
    with _watching(model, patterns, records, mean, std):
        yield records.recording
    _name_classes(records, classes)
    _say(records.recording)
    records.recording.save(path)


def _name_classes(records: _Records, classes: Optional[Sequence[str]]) -> None:
    if classes is None:
        return
    if not records.has_logits:
        raise ValueError("classes are names of logits, and the model returned none")
    if "logits" in records.recording.entries:
        names, count = [str(name) for name in classes], len(records.recording.entries["logits"])
        if len(names) != count:
            raise ValueError(f"classes has {len(names)} names, and the model returned {count} logits")
        records.recording.entries["classes"] = np.array(names)


def _say(recorded: Recording) -> None:
    if not recorded.layers and not any(line.startswith("attention") for line in recorded.remarks):
        print("softscope: not recorded: nothing, since no attention was seen, nor a module that looks like it; "
              "softscope.jacobian() measures what mixes the tokens of any module", file=sys.stderr)
    for line in recorded.refusals() + recorded.remarks:
        print(f"softscope: not recorded: {line}", file=sys.stderr)
    for line in recorded.additions():
        print(f"softscope: beside attention: {line}", file=sys.stderr)


def record_attention(layer: str, *, attn: Any = None, q: Any = None, k: Any = None, v: Any = None, left: Any = None,
                     middle: Any = None, right: Any = None, kernel: Optional[str] = None,
                     scale: Optional[float] = None, grid: Optional[Sequence[int]] = None,
                     prefix: Optional[int] = None, mechanism: Optional[str] = None, output: Any = None) -> None:
    """Says in a forward() what a layer's attention is, of the first picture: [batch, heads, ...] or [heads, ...].

    Give `attn` [queries, keys]; or `left` [queries, r], `right` [keys, r] and perhaps `middle` [r, r]; or `q` and `k`
    [n, d] with `kernel` ("softmax", the default, "gaussian" or "linear") and `scale` (d ** -0.5 by default). It is
    verified with `v` [keys, d] and `output` [queries, d] where they are given, else by what the calling module is seen
    to compute; where neither can be, the file says that it was not verified. `mechanism` is its name in titles, of 60
    bytes at most. Does nothing while nothing records, and in other models and threads than the one that is recorded.
    """
    given: Dict[str, Any] = {"attn": attn, "left": left, "middle": middle, "right": right, "q": q, "k": k}
    for records in [each for each in _running if each.listens()]:
        try:
            map_ = Map({name: first_picture(value) for name, value in given.items()}, kernel, scale)
            claim = Claim(layer, map_, first_picture(v), first_picture(output), mechanism, grid, prefix)
            records.claim(claim)
        except Exception as error:  # pylint: disable=broad-except
            records.refuse(layer, "", f"what record_attention() was given does not fit together ({error})")
