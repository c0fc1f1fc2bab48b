"""Records the attention of any PyTorch model into one file that Softscope opens like a model.

    from softscope_record import recording

    with recording(model, "rec.npz", picture=picture):
        model(x)

    softscope -m rec.npz

Hooked are timm's attention (fused attention is switched off for the while), Hugging Face's (eager for the while),
torch.nn.MultiheadAttention, and modules named by `patterns` that return their attention. Where queries and keys explain
the attention that the module computed, these are recorded, which takes n x d numbers; where they do not (relative
positions, masks, attention over channels), the attention itself is. From a forward() of one's own:

    record_attention("blocks.0.attn", q=q, k=k, kernel="linear")

which does nothing while nothing records. Of a batch the first picture is kept. The file holds no weights. Needs NumPy
and torch (1.13 or later) and nothing else; copy it to wherever it is needed. Softscope's docs/recordings.md describes
the file.

Attention that is read off a module is verified: attention times values must be what the module handed to its last
projection, or returned. Where it is not (linear attention, rotary positions, windows of the picture), the layer is left
out, and the console and the file say which and why. What record_attention() is given is verified where `v` and `output`
stand beside it; what a module named by `patterns` returns cannot be, and the file's note says so.

Tokens are taken to lie row by row in the picture, behind the model's own: the hooks do not see how they came there. Of a
model that puts its class token last or between the patches, or that turns, picks or drops tokens, give grid=(0, 0), or use
the package `softscope`, which follows them.
"""

from __future__ import annotations

import errno
import fnmatch
import json
import math
import os
import re
import shutil
import struct
import sys
import threading
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any, Callable, ContextManager, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np
import torch
from torch import nn

__all__ = ["record_attention", "recording"]

# How far attention times values may be from what the module computed, as a fraction of the largest value: half
# precision's rounding.
TOLERANCE = 2e-3
# How far computed attention may be from what its queries and keys say, as a fraction of each row's largest entry.
SAME = 1e-4

_running: List["_Recording"] = []


@contextmanager
def recording(model: nn.Module, path: str, *, picture: Any = None, mean: Optional[Sequence[float]] = None,
              std: Optional[Sequence[float]] = None, classes: Optional[Sequence[str]] = None,
              patterns: Sequence[str] = (), grid: Optional[Sequence[int]] = None,
              prefix: Optional[int] = None) -> Iterator[None]:
    """Records what `model` attends to in its one pass within the block, and writes it to `path` (.npz or .safetensors)
    at its end.

    picture:   what the model sees, uint8 [H, W, 3] or anything that NumPy reads so (a PIL picture); scaled and cropped
               as for the model, at any resolution. Without it, and with `mean` and `std`, the model's input is kept.
    classes:   names of the logits.
    patterns:  names of modules (`*` as in fnmatch) that return attention [batch, heads, queries, keys], alone or in a
               tuple: a softmax module, for example.
    grid:      height and width of the patches, and `prefix` the number of tokens before them, where neither the model
               (timm's do) nor a square tells.
    """
    if not path.endswith((".npz", ".safetensors")):
        raise ValueError(f"{path}: a recording is a .npz or a .safetensors file")
    if not os.path.isdir(os.path.dirname(os.path.realpath(path))):
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", os.path.dirname(os.path.realpath(path)))
    if isinstance(model, torch.jit.ScriptModule):
        raise ValueError("the model is scripted or traced, which no hook sees into: give the module it was made of")
    records = _Recording(grid, prefix)
    records.set_picture(picture)
    _running.append(records)
    try:
        with ExitStack() as hooks:
            _run_uncompiled(model, hooks)
            _begin(model, records, hooks)
            _hook(model, patterns, records, hooks)
            _keep_ends(model, records, mean, std, classes is not None, hooks)
            _notice_others(model, records, hooks)
            yield
    finally:
        _running.remove(records)
    if classes is not None and not records.has_logits:
        raise ValueError("classes are names of logits, and the model returned none")
    if classes is not None and "logits" in records.entries:
        records.entries["classes"] = np.array([str(name) for name in classes])
    records.write(path)


def _begin(model: nn.Module, records: _Recording, hooks: ExitStack) -> None:
    """Allows one pass, since the file has one picture and one set of logits; keeps what its layers ask for."""
    def begin(_module: nn.Module, inputs: Any) -> None:
        if records.began:
            raise RuntimeError("the model runs a second time within one recording: record one pass in each block")
        records.began = True
        records.trains = any(module.training for module in model.modules())
        if inputs and isinstance(inputs[0], torch.Tensor) and inputs[0].dim() == 4:
            records.input_size = (inputs[0].shape[2], inputs[0].shape[3])
    hooks.callback(model.register_forward_pre_hook(begin).remove)


def record_attention(layer: str, *, attn: Any = None, q: Any = None, k: Any = None, v: Any = None, left: Any = None,
                     middle: Any = None, right: Any = None, kernel: Optional[str] = None,
                     scale: Optional[float] = None, grid: Optional[Sequence[int]] = None,
                     prefix: Optional[int] = None, mechanism: Optional[str] = None, output: Any = None) -> None:
    """Records one layer's attention, of the first picture: [batch, heads, ...] or [heads, ...].

    Give `attn` [queries, keys]; or `left` [queries, r], `right` [keys, r] and perhaps `middle` [r, r]; or `q` and `k`
    [n, d] with `kernel` ("softmax", the default, "gaussian" or "linear") and `scale` (d ** -0.5 by default). With `v`
    [keys, d] and `output` [queries, d], what the layer made of v, the layer is recorded only if attention times v is
    that output; without them the file says that it was not verified. Does nothing outside of recording(), and in other
    models and threads than the one that is recorded.
    """
    given = {"attn": attn, "q": q, "k": k, "v": v, "left": left, "middle": middle, "right": right}
    for records in [each for each in _running if each.thread == threading.get_ident() and each.inside]:
        try:
            if v is not None and output is not None:
                _verify_given(given, kernel, scale, output)
        except _Unverified as reason:
            records.refuse(layer, str(reason))
            continue
        except Exception as error:  # pylint: disable=broad-except
            records.refuse(layer, f"what record_attention() was given does not fit together ({error})"[:300])
            continue
        if v is None or output is None:
            records.unverified.append(layer)
        records.add(layer, grid=grid, prefix=prefix, kernel=kernel, scale=scale, mechanism=mechanism, **given)


class _Recording:
    """The entries of the file, in the order in which layers run."""

    def __init__(self, grid: Optional[Sequence[int]], prefix: Optional[int]) -> None:
        self.entries: Dict[str, np.ndarray] = {}
        self.layers: List[str] = []
        self.refused: Dict[str, str] = {}
        self.unverified: List[str] = []
        self.thread = threading.get_ident()
        self.inside: List[nn.Module] = []  # modules of the model that run now
        self.remarks: List[str] = []  # what else is not recorded
        self.has_logits = False
        self.batch: Optional[int] = None
        self.began = False
        self.trains = False
        self.input_size: Optional[Tuple[int, int]] = None
        self.grid = grid
        self.prefix = prefix

    def set_picture(self, picture: Any) -> None:
        if picture is None:
            return
        pixels = np.asarray(picture)
        if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3:
            raise ValueError(f"picture is {pixels.dtype} {list(pixels.shape)}, and should be uint8 [height, width, 3]")
        self.entries["picture"] = pixels

    def add(self, layer: str, *, grid: Optional[Sequence[int]], prefix: Optional[int], kernel: Optional[str],
            scale: Optional[float], mechanism: Optional[str], **tensors: Any) -> None:
        grid = self.grid if grid is None else grid
        prefix = self.prefix if prefix is None else prefix
        misfit = _misfit_of(mechanism, grid, prefix, tensors)
        if misfit is not None:
            self.unverified = [other for other in self.unverified if other != layer or layer in self.layers]
            self.refuse(layer, misfit)
            return
        name = layer
        count = 1
        while name in self.layers:  # shared weights, or a second pass
            count += 1
            name = f"{layer}.{count}"
        self.layers.append(name)
        for part, tensor in tensors.items():
            if tensor is not None:
                self.entries[f"{name}/{part}"] = _first_picture(tensor)
        for part, text in (("kernel", kernel), ("mechanism", mechanism)):
            if text is not None:
                self.entries[f"{name}/{part}"] = np.array(text)
        if scale is not None:
            self.entries[f"{name}/scale"] = np.array(float(scale))
        if grid is not None:
            self.entries[f"{name}/grid"] = np.array(grid, dtype=np.int64)
        if prefix is not None and (grid is None or any(grid)):
            self.entries[f"{name}/prefix"] = np.array(prefix, dtype=np.int64)

    def check_rows(self, rows: int) -> None:
        """Throws _Unverified unless a module attends over whole pictures: windows stand in the batch, too."""
        if rows != (1 if self.batch is None else self.batch):
            raise _Unverified(f"it attends within parts of the picture: {rows} for {self.batch or 1}")

    def refuse(self, layer: str, reason: str) -> None:
        if layer not in self.layers:
            self.refused.setdefault(layer, reason)

    def refusals(self) -> List[str]:
        """A line for each layer, or one for all whose reasons differ in numbers alone."""
        alike: Dict[str, List[str]] = {}
        for layer, reason in self.refused.items():
            alike.setdefault(re.sub(r"[0-9][0-9.e+-]*", "#", reason), []).append(layer)
        lines = []
        for layers in alike.values():
            others = f" and {len(layers) - 1} more up to {layers[-1]}" if len(layers) > 1 else ""
            lines.append(f"{layers[0]}{others}: {self.refused[layers[0]]}")
        return lines

    def write(self, path: str) -> None:
        refusals = self.refusals()
        for line in refusals + self.remarks:
            print(f"softscope_record: not recorded: {line}", file=sys.stderr)
        if not self.layers:
            reason = f" ({refusals[0]})" if refusals else ": no module of timm's, Hugging Face's or torch's kind ran"
            raise RuntimeError(f"nothing was recorded{reason}; name modules that return attention with patterns=, or "
                               "call record_attention() in forward()")
        if refusals:
            self.entries["refused"] = np.array([f"{layer}: {reason}" for layer, reason in self.refused.items()])
        notes = []
        if refusals:
            notes.append(f"{len(self.refused)} of {len(self.layers) + len(self.refused)} layers not recorded")
        if self.unverified:
            notes.append(f"{len(self.unverified)} of {len(self.layers)} layers not verified")
        if notes:
            self.entries["note"] = np.array("; ".join(notes))
        self.entries["layers"] = np.array(self.layers)
        if os.path.exists(path) and not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, "is write-protected", path)
        path = os.path.realpath(path)  # a link stays one
        temporary = f"{path}.part"
        try:
            with open(temporary, "wb") as file:
                if os.path.exists(path):
                    shutil.copymode(path, temporary)
                if path.endswith(".npz"):
                    (np.savez if _is_large(self.entries) else np.savez_compressed)(file, **self.entries)
                else:
                    _write_safetensors(file, self.entries)
            os.replace(temporary, path)
        finally:
            if os.path.exists(temporary):
                os.remove(temporary)


def _is_large(entries: Dict[str, np.ndarray]) -> bool:
    """Whether a compressed file might be refused for what it unpacks to: more than 24 MB as float32, or a picture of
    more than 8 MB."""
    size = sum(max(values.nbytes, 4 * values.size) for values in entries.values())
    return size > 24 << 20 or ("picture" in entries and entries["picture"].nbytes > 8 << 20)


def _misfit_of(mechanism: Optional[str], grid: Optional[Sequence[int]], prefix: Optional[int],
               tensors: Dict[str, Any]) -> Optional[str]:
    """Why Softscope would refuse what was said of a layer; nothing where it would not."""
    if mechanism is not None and (not 0 < len(str(mechanism).encode()) <= 60 or
                                  any(ord(letter) < 32 for letter in str(mechanism))):
        return f"mechanism={mechanism!r} is no name of 60 bytes at most, in one line"
    if grid is None and prefix is None:
        return None
    shapes = {part: np.shape(tensor) for part, tensor in tensors.items() if tensor is not None}
    queries, keys = (shapes["attn"][-2:] if "attn" in shapes else
                     [shapes[part][-2] for part in (("left", "right") if "left" in shapes else ("q", "k"))])
    before = int(prefix or 0)
    sides = list(grid) if grid is not None else []
    if not grid or not any(sides):
        squares = [math.isqrt(max(0, count - before)) ** 2 + before == count for count in (queries, keys)]
        return None if grid is not None or (squares[1] and (queries == 1 or squares[0])) else \
            f"prefix={before} of {keys} tokens leaves no square: give grid=, too"
    if len(sides) not in (2, 4) or any(side != int(side) or not 0 <= side <= 8192 for side in sides) or before < 0:
        return f"grid={sides} after {before} tokens should be height and width, or the queries' and then the keys'"
    of_queries, of_keys = (side[0] * side[1] for side in (sides[:2], sides[-2:]))
    for count, places, what in ((queries, of_queries, "queries"), (keys, of_keys, "keys")):
        fits = places == 0 or (count >= places if prefix is None else count == places + before)
        asks_alone = what == "queries" and len(sides) == 2 and queries < keys and queries <= max(1, before)
        if not fits and not asks_alone:
            return f"grid={sides} and prefix={prefix} do not fit its {count} {what}"
    return None


def _first_picture(tensor: Any) -> np.ndarray:
    if isinstance(tensor, torch.Tensor):
        tensor = tensor.detach().cpu()
        tensor = (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()
    values = np.asarray(tensor)
    return np.ascontiguousarray(values[0] if values.ndim == 4 else values)


def _write_safetensors(file: Any, entries: Dict[str, np.ndarray]) -> None:
    names = {"float16": "F16", "float32": "F32", "float64": "F64", "int64": "I64", "uint8": "U8"}
    header: Dict[str, Any] = {"__metadata__": {}}
    chunks: List[bytes] = []
    offset = 0
    for name, values in entries.items():
        if values.dtype.kind == "U":
            header["__metadata__"][name] = str(values) if values.ndim == 0 else json.dumps(values.tolist())
            continue
        data = values.tobytes()
        header[name] = {"dtype": names[str(values.dtype)], "shape": list(values.shape),
                        "data_offsets": [offset, offset + len(data)]}
        chunks.append(data)
        offset += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    file.write(struct.pack("<Q", len(text)) + text)
    for data in chunks:
        file.write(data)


# --- Hooks -----------------------------------------------------------------------------------------------------------

def _hook(model: nn.Module, patterns: Sequence[str], records: _Recording, hooks: ExitStack) -> None:
    for name, module in model.named_modules():
        layer = name or type(module).__name__
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns):
            _hook_named(layer, module, records, hooks)
        elif isinstance(module, nn.MultiheadAttention):
            _hook_torch(layer, model, module, records, hooks)
        elif isinstance(module, nn.TransformerEncoderLayer):
            # Its fast path would pass by the attention module.
            _set_for_the_while(module, "activation_relu_or_gelu", 0, hooks)
        elif _is_linear(module, "qkv") and hasattr(module, "num_heads"):
            _set_for_the_while(module, "fused_attn", False, hooks)
            _ProjectedAttention(layer, model, module, ("qkv",), module.num_heads, records).hook(hooks)
        else:
            _hook_hugging_face(layer, model, module, records, hooks)


def _is_linear(module: nn.Module, name: str) -> bool:
    return isinstance(getattr(module, name, None), nn.Module)


def _hook_hugging_face(layer: str, model: nn.Module, module: nn.Module, records: _Recording, hooks: ExitStack) -> None:
    heads = getattr(module, "num_attention_heads", getattr(module, "num_heads", None))
    for pair in (("query", "key", "value"), ("q_proj", "k_proj", "v_proj")):
        if isinstance(heads, int) and all(_is_linear(module, part) for part in pair):
            for owner in (module, model):
                config = getattr(owner, "config", None)
                if config is not None:
                    _set_for_the_while(config, "_attn_implementation", "eager", hooks)
            _ProjectedAttention(layer, model, module, pair, heads, records).hook(hooks)
            return


def _run_uncompiled(model: nn.Module, hooks: ExitStack) -> None:
    """Compiled code passes hooks by, or breaks on them."""
    if hasattr(getattr(torch, "compiler", None), "set_stance"):
        hooks.enter_context(torch.compiler.set_stance("force_eager"))
    elif any(hasattr(module, "_orig_mod") for module in model.modules()):
        raise ValueError("the model is compiled, and this torch cannot run it uncompiled: give model._orig_mod")


def _set_for_the_while(owner: Any, name: str, value: Any, hooks: ExitStack) -> None:
    if not hasattr(owner, name):
        return
    before = getattr(owner, name)
    setattr(owner, name, value)
    hooks.callback(setattr, owner, name, before)


class _ProjectedAttention:
    """A module that projects its tokens to queries and keys, by one linear layer or by two."""

    def __init__(self, layer: str, model: nn.Module, module: nn.Module, projections: Tuple[str, ...], heads: int,
                 records: _Recording) -> None:
        self.layer = layer
        self.model = model
        self.module = module
        self.projections = projections
        self.heads = heads
        self.records = records
        self.projected: Dict[str, torch.Tensor] = {}
        self.attention: Optional[torch.Tensor] = None
        self.combined: Optional[torch.Tensor] = None  # what the last projection is given
        self.rows = 0  # of the batch: more than pictures where the module attends within windows

    def hook(self, hooks: ExitStack) -> None:
        for name in self.projections:
            handle = getattr(self.module, name).register_forward_hook(self._keep(name))
            hooks.callback(handle.remove)
        # Attention goes through a dropout of its own once it is normalised, also where nothing is dropped.
        for name, child in self.module.named_children():
            if "drop" in name:
                hooks.callback(child.register_forward_pre_hook(self._keep_attention).remove)
        for name in ("proj", "out_proj", "o_proj", "projection"):
            child = getattr(self.module, name, None)
            if isinstance(child, nn.Module):
                hooks.callback(child.register_forward_pre_hook(self._keep_combined).remove)
        hooks.callback(self.module.register_forward_hook(self._record).remove)

    def _keep_combined(self, _module: nn.Module, inputs: Any) -> None:
        if inputs and isinstance(inputs[0], torch.Tensor):
            self.combined = inputs[0][:1].detach()

    def _keep(self, name: str) -> Callable[..., None]:
        def keep(_module: nn.Module, _inputs: Any, output: Any) -> None:
            if isinstance(output, torch.Tensor):
                self.projected[name] = output[:1].detach()
                self.rows = output.shape[0]
        return keep

    def _keep_attention(self, _module: nn.Module, inputs: Any) -> None:
        candidate = inputs[0] if inputs else None
        if isinstance(candidate, torch.Tensor) and candidate.dim() == 4 and self.attention is None:
            self.attention = candidate[:1].detach()

    def _tokens(self) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Queries, keys and values [1, heads, n, d], the first two normalised where the module does so."""
        if self.projections == ("qkv",):
            joined = self.projected["qkv"]
            q, k, v = joined.reshape(1, joined.shape[1], 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        else:
            q, k, v = (self.projected[name].reshape(1, self.projected[name].shape[1], self.heads, -1).transpose(1, 2)
                       for name in self.projections)
        for name in ("q_norm", "k_norm"):
            norm = getattr(self.module, name, None)
            if isinstance(norm, nn.Module):
                q, k = (norm(q), k) if name == "q_norm" else (q, norm(k))
        return q, k, v

    def _scale(self, dimensions: int) -> float:
        for name in ("scale", "scaling"):
            value = getattr(self.module, name, None)
            if isinstance(value, (int, float)):
                return float(value)
        return dimensions ** -0.5

    def _record(self, _module: nn.Module, _inputs: Any, output: Any) -> None:
        attention, combined, projected = self.attention, self.combined, self.projected
        self.attention, self.combined, self.projected = None, None, {}
        returned = _attention_in(output) if isinstance(output, tuple) else None
        try:
            missing = [name for name in self.projections if name not in projected]
            if missing:
                raise _Unverified(f"its {missing[0]} did not run")
            self.records.check_rows(self.rows)
            if combined is None:
                first = output[0] if isinstance(output, tuple) and output else output
                combined = first[:1].detach() if isinstance(first, torch.Tensor) else None
            self.projected = projected
            with torch.no_grad():
                q, k, v = self._tokens()
                grid = _grid_of(self.model, q.shape[2], self.records.input_size)
                _record_tokens(self.layer, q, k, self._scale(q.shape[-1]), attention if attention is not None
                               else returned, grid, self.records, (v, combined))
        except _Unverified as reason:
            self.records.refuse(self.layer, str(reason))
        except Exception as error:  # pylint: disable=broad-except
            # A hook that raised would end the user's own forward pass.
            self.records.refuse(self.layer, f"its queries, keys and values are not laid out as expected ({error})"[:300])
        self.projected = {}


class _Unverified(Exception):
    """Says why a layer's attention is not known to be what the module computed."""


def _record_tokens(layer: str, q: torch.Tensor, k: torch.Tensor, scale: float, attention: Optional[torch.Tensor],
                   grid: Tuple[Optional[Sequence[int]], Optional[int]], records: _Recording,
                   product: Optional[Tuple[torch.Tensor, Optional[torch.Tensor]]] = None) -> None:
    """Queries and keys where these explain the attention that was computed, or that itself.

    With `product`, values and what the module made of them, both are compared first; throws _Unverified.
    """
    tensors: Dict[str, Any] = {"q": q, "k": k}
    parts: Dict[str, Any] = {"kernel": "softmax", "scale": scale}
    over_tokens = True
    if attention is not None and not _explains(q, k, scale, attention):
        if records.trains and bool((attention == 0).any()):
            raise _Unverified("it has zeros, as where attention is dropped at random in train mode: call model.eval()")
        over_tokens = attention.shape[-2:] == (q.shape[2], k.shape[2])
        tensors = {"attn": attention[:1]}
        parts = {"kernel": None, "scale": None}
        grid = grid if over_tokens else ([0, 0], None)
    if product is not None:
        softmax = _softmax_of(q, k, scale)
        _verify(tensors["attn"] if "attn" in tensors else softmax, *product, over_tokens=over_tokens)
    records.add(layer, grid=grid[0], prefix=grid[1], mechanism=None, **parts, **tensors)


def _verify(attention: torch.Tensor, values: torch.Tensor, combined: Optional[torch.Tensor], *,
            over_tokens: bool) -> None:
    """Throws _Unverified unless attention [1, heads, n, m] times values is what the module made of them."""
    if combined is None:
        raise _Unverified("there is nothing to compare its attention with: it has no last projection and returns no "
                          "tensor")
    product, summed = None, 2
    if over_tokens and attention.shape[-1] == values.shape[2] and attention.shape[1] == values.shape[1]:
        product = _product(attention, values).transpose(1, 2)
    elif not over_tokens and attention.shape[-2:] == (values.shape[-1], values.shape[-1]):
        product, summed = _product(attention, values.transpose(-1, -2)).permute(0, 3, 1, 2), 3
    if product is None or product.numel() != combined.numel():
        raise _Unverified("softmax of its queries and keys times values is not what it computed")
    _compare(product.reshape(combined.shape), combined, values, summed)


def _compare(product: torch.Tensor, combined: torch.Tensor, values: torch.Tensor, summed: int) -> None:
    """Throws _Unverified unless attention times `values`, over their dimension `summed`, is what was computed."""
    tolerance = 10 * TOLERANCE if combined.dtype == torch.bfloat16 else TOLERANCE
    product = product if product.dtype == torch.float64 else product.float()
    distance = float((product - combined).abs().max())
    largest = float(combined.float().abs().max())
    values = values.float()
    # Rows that sum to one give the same product whatever they are, as far as values are the same.
    spread = float((values - values.mean(summed, keepdim=True)).abs().max())
    if not math.isfinite(distance) or not distance <= tolerance * largest:
        raise _Unverified(f"attention times values is off what it computed by {distance / max(largest, 1e-30):.2g} of "
                          "the largest value")
    if largest == 0 or not distance <= tolerance * spread or spread < 1e-5 * float(values.abs().max()):
        raise _Unverified("its values are too much alike to tell by them what it attends to")


def _verify_given(given: Dict[str, Any], kernel: Optional[str], scale: Optional[float], output: Any) -> None:
    """Throws _Unverified unless what record_attention() was given makes `output` [heads, n, d] of v."""
    heads = {name: torch.as_tensor(value).detach().cpu().float() for name, value in (*given.items(), ("output", output))
             if value is not None}
    heads = {name: value[:1] if value.dim() == 4 else value[None] for name, value in heads.items()}
    if "attn" in heads:
        attention = heads["attn"]
    elif "left" in heads:
        left = _product(heads["left"], heads["middle"]) if "middle" in heads else heads["left"]
        attention = _product(left, heads["right"].transpose(-1, -2))
    else:
        q, k = heads["q"], heads["k"]
        scale = q.shape[-1] ** -0.5 if scale is None else float(scale)
        products = scale * _product(q, k.transpose(-1, -2))
        if kernel == "gaussian":
            lengths = [scale * (tokens * tokens).sum(-1) for tokens in (q, k)]
            attention = (products - lengths[0][..., None] / 2 - lengths[1][..., None, :] / 2).exp()
        else:
            attention = products if kernel == "linear" else products.softmax(-1)
    _verify(attention, heads["v"], heads["output"].transpose(1, 2), over_tokens=True)


def _notice_others(model: nn.Module, records: _Recording, hooks: ExitStack) -> None:
    """Names modules with heads that ran and were not read, and keeps the number of pictures."""
    def count(_module: nn.Module, inputs: Any) -> None:
        # The model itself may be given its picture by name, which hooks do not show; its patch embedding is not.
        if records.batch is None and inputs and isinstance(inputs[0], torch.Tensor) and inputs[0].dim() == 4:
            records.batch = inputs[0].shape[0]

    def enter(module: nn.Module, _inputs: Any) -> None:
        if threading.get_ident() == records.thread:
            records.inside.append(module)

    def leave(module: nn.Module, _inputs: Any, _output: Any) -> None:
        if module in records.inside and threading.get_ident() == records.thread:
            while records.inside.pop() is not module:
                pass  # an exception left these

    for module in model.modules():
        if not isinstance(module, torch.jit.ScriptModule):
            for hook in (count, enter):
                hooks.callback(module.register_forward_pre_hook(hook).remove)
            hooks.callback(module.register_forward_hook(leave).remove)

    def notice(layer: str) -> Callable[..., None]:
        def noticed(_module: nn.Module, _inputs: Any, _output: Any) -> None:
            parts = [name for name in (*records.layers, *records.refused)
                     if name.startswith(f"{layer}.") or layer.startswith(f"{name}.")]
            if not parts:
                records.refuse(layer, "it has heads, but not queries, keys and values by names that are read here")
        return noticed

    for name, module in model.named_modules():
        heads = getattr(module, "num_attention_heads", getattr(module, "num_heads", None))
        if isinstance(heads, int) and any(isinstance(child, nn.Linear) for child in module.children()):
            hooks.callback(module.register_forward_hook(notice(name or type(module).__name__)).remove)


def _explains(q: torch.Tensor, k: torch.Tensor, scale: float, attention: torch.Tensor) -> bool:
    if attention.shape[-2:] != (q.shape[2], k.shape[2]) or attention.shape[1] != q.shape[1]:
        return False
    softmax = _softmax_of(q, k, scale)
    # Row by row: beside a sharp head, what another one masks is small.
    far = (softmax - attention[:1].to(softmax.dtype)).abs()
    return bool((far <= SAME * softmax.amax(-1, keepdim=True)).all())


def _product(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """In float64 and without autocast: products of float32 may be rounded to half precision, or to the ten bits of TF32,
    as what they are compared with was."""
    try:
        uncast: ContextManager[Any] = torch.autocast(left.device.type, enabled=False)
    except (RuntimeError, ValueError):  # this torch knows no autocast there
        uncast = nullcontext()
    dtype = torch.float32 if left.device.type == "mps" else torch.float64
    with uncast:
        return left.to(dtype) @ right.to(dtype)


def _softmax_of(q: torch.Tensor, k: torch.Tensor, scale: float) -> torch.Tensor:
    return (scale * _product(q, k.transpose(-1, -2))).softmax(-1)


def _attention_in(output: Any) -> Optional[torch.Tensor]:
    """The first tensor [batch, heads, queries, keys] of what a module returns."""
    for part in output if isinstance(output, (tuple, list)) else (output,):
        if isinstance(part, torch.Tensor) and part.dim() == 4:
            return part[:1].detach()
    return None


def _grid_of(model: nn.Module, tokens: int, size: Optional[Tuple[int, int]]
             ) -> Tuple[Optional[Sequence[int]], Optional[int]]:
    """Grid and prefix as timm's models say it, if that fits the tokens and the input's size."""
    patches = getattr(model, "patch_embed", None)
    grid, patch = getattr(patches, "grid_size", None), getattr(patches, "patch_size", None)
    if grid is None:
        return None, None
    grids = [list(grid)] if size is None or grid[0] * size[1] == grid[1] * size[0] else []
    if size is not None and isinstance(patch, (tuple, list)):
        grids.append([size[0] // patch[0], size[1] // patch[1]])
    expected = getattr(model, "num_prefix_tokens", int(getattr(model, "cls_token", None) is not None))
    for each in grids:
        for prefix in (expected, 0):  # the class token may join the patches in later blocks only
            if each[0] * each[1] + prefix == tokens:
                return each, prefix
    return None, None


def _hook_named(layer: str, module: nn.Module, records: _Recording, hooks: ExitStack) -> None:
    def record(_module: nn.Module, _inputs: Any, output: Any) -> None:
        attention = _attention_in(output)
        if attention is None:
            records.refuse(layer, "was named by a pattern, but returns no [batch, heads, queries, keys]")
            return
        records.unverified.append(layer)
        records.add(layer, attn=attention, grid=None, prefix=None, kernel=None, scale=None, mechanism=None)
    hooks.callback(module.register_forward_hook(record).remove)


def _hook_torch(layer: str, model: nn.Module, module: nn.MultiheadAttention, records: _Recording,
                hooks: ExitStack) -> None:
    forward = module.forward

    def recorded(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, key_padding_mask: Any = None,
                 need_weights: bool = True, attn_mask: Any = None, average_attn_weights: bool = True,
                 **others: Any) -> Tuple[torch.Tensor, Optional[torch.Tensor]]:
        output, weights = forward(query, key, value, key_padding_mask=key_padding_mask, need_weights=True,
                                  attn_mask=attn_mask, average_attn_weights=False, **others)
        try:
            heads = weights if weights.dim() == 4 else weights[None]
            records.check_rows(len(heads))
            with torch.no_grad():
                q, k, v = _torch_tokens(module, query, key, value)
                if v.shape[2] != heads.shape[-1]:
                    raise _Unverified(f"it attends to {heads.shape[-1] - v.shape[2]} keys that are no tokens")
                first = output if output.dim() == 2 else output[0] if module.batch_first else output[:, 0]
                combined = _product(heads[:1], v).transpose(1, 2).flatten(2)[0].to(first.dtype)
                # The heads' product with the values is not visible, only the output of the last projection is.
                _compare(module.out_proj(combined), first, v, 2)
                grid = _grid_of(model, k.shape[2], records.input_size)
                _record_tokens(layer, q, k, q.shape[-1] ** -0.5, heads[:1].detach(), grid, records)
        except _Unverified as reason:
            records.refuse(layer, str(reason))
        except Exception as error:  # pylint: disable=broad-except
            records.refuse(layer, str(error)[:300])
        if not need_weights:
            return output, None
        return output, weights.mean(-3) if average_attn_weights else weights

    module.forward = recorded  # type: ignore[assignment]
    hooks.callback(module.__dict__.pop, "forward", None)


def _torch_tokens(module: nn.MultiheadAttention, *inputs: torch.Tensor) -> List[torch.Tensor]:
    """Queries, keys and values as torch's module multiplies them, [1, heads, n, d]."""
    if module.in_proj_weight is not None:
        weights = module.in_proj_weight.chunk(3)
    else:
        weights = (module.q_proj_weight, module.k_proj_weight, module.v_proj_weight)
    biases = (None, None, None) if module.in_proj_bias is None else module.in_proj_bias.chunk(3)
    projected = []
    for tokens, weight, shift in zip(inputs, weights, biases):
        first = tokens if tokens.dim() == 2 else tokens[0] if module.batch_first else tokens[:, 0]
        heads = nn.functional.linear(first, weight, shift).reshape(first.shape[0], module.num_heads, -1)
        projected.append(heads.transpose(0, 1)[None].detach())
    return projected


def _keep_ends(model: nn.Module, records: _Recording, mean: Optional[Sequence[float]],
               std: Optional[Sequence[float]], names_classes: bool, hooks: ExitStack) -> None:
    """Keeps the model's input, where that can be shown, and its logits, which its output is where `names_classes` says so, or
    a classifier made it."""
    last: List[Any] = []  # module with weights that ran, and its output

    def keep(_module: nn.Module, inputs: Any, output: Any) -> None:
        image = inputs[0] if inputs else None
        is_image = isinstance(image, torch.Tensor) and image.dim() == 4 and image.shape[1] == 3
        if is_image:
            records.entries["input_size"] = np.array(image.shape[2:], dtype=np.int64)
        if is_image and mean is not None and std is not None and "picture" not in records.entries:
            records.entries["input"] = _first_picture(image.float())
            records.entries["mean"] = np.array(mean, dtype=np.float32)
            records.entries["std"] = np.array(std, dtype=np.float32)
        logits = output.get("logits") if isinstance(output, dict) else getattr(output, "logits", output)
        if isinstance(output, torch.Tensor) and not names_classes and not _are_scores(model, last, output):
            return
        if isinstance(logits, torch.Tensor) and logits.dim() == 2:
            records.has_logits = True
            if is_image and len(logits) != len(image):
                records.remarks.append(f"the logits: the output has {len(logits)} rows for {len(image)} pictures, of which "
                                       "none is known to be the first one's")
            else:
                records.entries["logits"] = _before_probabilities(logits, last)[0].detach().float().cpu().numpy()
        if "logits" in records.entries and not np.isfinite(records.entries["logits"]).all():
            del records.entries["logits"]
            records.remarks.append("the logits: some of them are not finite")

    def notice(module: nn.Module, _inputs: Any, output: Any) -> None:
        last[:] = [(module, output)]
    for module in model.modules():
        weights = sum(1 for _ in module.parameters())
        is_innermost = weights > 0 and weights == sum(1 for _ in module.parameters(recurse=False))
        if is_innermost and not isinstance(module, torch.jit.ScriptModule):
            hooks.callback(module.register_forward_hook(notice).remove)
    hooks.callback(model.register_forward_hook(keep).remove)


def _before_probabilities(logits: torch.Tensor, last: List[Any]) -> torch.Tensor:
    """What a softmax or a sigmoid behind the last module with weights was given, where the output is what that made."""
    for _, made in last:
        if isinstance(made, torch.Tensor) and made.shape == logits.shape and any(
                torch.allclose(function(made.detach().float()), logits.detach().float(), atol=1e-6)
                for function in (lambda scores: scores.softmax(-1), torch.sigmoid)):
            return made
    return logits


def _are_scores(model: nn.Module, last: List[Any], output: torch.Tensor) -> bool:
    """Whether the last module with weights that ran is a classifier: else the output is features."""
    return getattr(model, "num_classes", None) != 0 and all(
        isinstance(module, (nn.Linear, nn.Conv1d, nn.Conv2d)) and isinstance(made, torch.Tensor) and
        output.shape[-1] in made.shape for module, made in last)
