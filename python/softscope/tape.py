"""What a module calls while it runs: torch's functions with what they were given and what they returned."""

from __future__ import annotations

import inspect
import re
import threading
import types
import weakref
from contextlib import ExitStack, contextmanager
from typing import Any, Callable, ContextManager, Dict, Iterator, List, Optional, Set, Tuple

import torch
from torch import nn

PRODUCTS = ("matmul", "__matmul__", "__rmatmul__", "bmm", "mm", "einsum", "baddbmm", "addmm",
            "scaled_dot_product_attention")
ADDING = ("baddbmm", "addmm")  # products of their second and third tensors, to which the first is added
NORMALISERS = ("softmax", "sigmoid")
# Where these begin, the attention is over: the projection, and what is not linear in values.
ENDS = ("linear", "linear_dynamic", "layer_norm", "rms_norm", "group_norm", "batch_norm", "instance_norm", "softmax",
        "gelu", "relu", "silu", "hardswish", "hardtanh", "relu6", "sigmoid", "tanh", "elu", "leaky_relu", "conv1d",
        "conv2d", "conv3d")
# Functions that leave the last axis what it is, such as behind a batch norm of all tokens in one axis.
_KEEP_LAST = ("reshape", "view", "reshape_as", "view_as", "contiguous", "clone", "dropout", "add", "__add__", "mul",
              "__mul__", "gelu", "relu", "silu", "hardswish")

# Functions that multiply tokens by tokens in a way that is not looked into.
_UNREAD = re.compile("attention|sparse.*mm|tensordot|^inner$|vecdot|bilinear|multi_dot|chain_matmul|addbmm")

# Functions that are others by another name.
_SAME_AS = {"linalg_matmul": "matmul"}

_of_hooks = inspect.signature(nn.Module.register_forward_pre_hook).parameters
# What a pre-hook is registered with so that it is given arguments by name, where this torch can.
SEES_NAMED: Dict[str, Any] = {"with_kwargs": True} if "with_kwargs" in _of_hooks else {}
# And so that it runs before those that others have registered, which may change what the module is given.
FIRST: Dict[str, Any] = {"prepend": True} if "prepend" in _of_hooks else {}


def hook_on(module: nn.Module, kind: str, hook: Callable[..., Any], hooks: ExitStack, **options: Any) -> None:
    """Registers a "forward" or a "forward_pre" hook until `hooks` are removed: what removes it is there before it,
    since an exception of the keyboard's may come between any two steps."""
    def take_off() -> None:
        kept = getattr(module, f"_{kind}_hooks")
        for number in [number for number, other in list(kept.items()) if other is hook]:
            del kept[number]
            for others in (f"_{kind}_hooks_with_kwargs", f"_{kind}_hooks_always_called"):
                getattr(module, others, {}).pop(number, None)
    hooks.callback(take_off)
    getattr(module, f"register_{kind}_hook")(hook, **options)


def _looking_through(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns torch's multi-head attention without its question whether somebody watches, so that what it calls is
    seen."""
    known = {**function.__globals__, "has_torch_function": lambda *_: False}
    copy = types.FunctionType(function.__code__, known, function.__name__, function.__defaults__, function.__closure__)
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


MULTI_HEAD = nn.functional.multi_head_attention_forward
multi_head_seen = _looking_through(MULTI_HEAD)


def axis_of_channels(function: str) -> Optional[int]:
    """Returns the axis that a function of weights mixes or normalises, or scales, by the function's name."""
    if function.startswith("conv") and function[-2].isdigit():
        return -1 - int(function[-2])
    if function.startswith(("batch_norm", "group_norm", "instance_norm")):
        return 1
    return -1 if function.startswith("linear") or function in ("layer_norm", "rms_norm") else None


def operator_of(function: Any) -> Optional[str]:
    """Returns the name of an operator that was registered with torch.library, and nothing for torch's own
    functions."""
    # An overload has a schema, and all overloads together have a qualified name.
    name = getattr(getattr(function, "_schema", None), "name", None) or getattr(function, "_qualified_op_name", None)
    return None if not isinstance(name, str) or name.split("::")[0] in ("aten", "prim", "prims") else name


def plain_name(name: str) -> str:
    """Returns a module's name without what torch.compile() puts into it."""
    return re.sub(r"(^|\.)_orig_mod(?=\.|$)", "", name).lstrip(".")


class ForAll:
    """Something that holds for all threads of the process while anybody is within: the first to come begins it, and
    the last to leave ends it."""

    def __init__(self, begin: Callable[[], ContextManager[Any]]) -> None:
        self._begin = begin
        self._lock = threading.Lock()
        self._inside = 0
        self._held: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._held = self._begin()
                self._held.__enter__()
            self._inside += 1

    def __exit__(self, *error: Any) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._held.__exit__(*error)


def on_this_thread(hook: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a hook that does nothing where another thread runs the model meanwhile."""
    thread = threading.get_ident()
    return lambda *given: hook(*given) if threading.get_ident() == thread else None


@contextmanager
def _seen_subscripts() -> Iterator[None]:
    """Makes tuples of subscripts, which say the same, within the block: before PyTorch 2.0, subscripts by one tensor,
    slice or number pass by whoever watches, and others do not."""
    names = () if int(torch.__version__.split(".")[0]) > 1 else ("__getitem__", "__setitem__")
    for name in names:
        def subscript(self: torch.Tensor, key: Any, *value: Any, plain: Any = getattr(torch.Tensor, name)) -> Any:
            alone = key[0] if isinstance(key, tuple) and len(key) == 1 else key
            said = key if isinstance(alone, (tuple, list)) else (alone, ...) if hasattr(alone, "ndim") else (alone,)
            return plain(self, said, *value)
        subscript.__name__ = name
        setattr(torch.Tensor, name, subscript)
    try:
        yield
    finally:
        for name in names:
            delattr(torch.Tensor, name)  # which the class that it is made of has


subscripts_seen = ForAll(_seen_subscripts)


def tensors_in(value: Any, found: Optional[List[torch.Tensor]] = None) -> List[torch.Tensor]:
    found = [] if found is None else found
    if isinstance(value, torch.Tensor):
        found.append(value)
    elif isinstance(value, (tuple, list)):
        for part in value:
            tensors_in(part, found)
    elif isinstance(value, dict):
        for part in value.values():
            tensors_in(part, found)
    return found


def _tensors_held(values: List[Any]) -> List[torch.Tensor]:
    """Returns the tensors of a module's attributes, and of plain objects among these."""
    plain = [value for value in values if hasattr(value, "__dict__") and not isinstance(
        value, (nn.Module, torch.Tensor, type, types.ModuleType, types.FunctionType, types.MethodType))]
    return tensors_in(values) + tensors_in([list(vars(value).values()) for value in plain])


def with_tensors(value: Any, replacements: Iterator[torch.Tensor]) -> Any:
    """Returns the same structure with other tensors, in the order of tensors_in()."""
    if isinstance(value, torch.Tensor):
        return next(replacements)
    if isinstance(value, (tuple, list)):
        parts = [with_tensors(part, replacements) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, dict):
        return {name: with_tensors(part, replacements) for name, part in value.items()}
    return value


def version(tensor: torch.Tensor) -> int:
    return -1 if tensor.is_inference() else int(tensor._version)  # pylint: disable=protected-access


def storage_of(tensor: torch.Tensor) -> Any:
    """Returns the memory that a tensor and its views have in common, or None where it has none."""
    try:
        storage = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()
        return (tensor.device, storage.data_ptr()) if storage.data_ptr() else None
    except (RuntimeError, NotImplementedError):
        return None


def _autocast_of(device: str) -> Tuple[bool, Optional[torch.dtype]]:
    """Returns whether products on a device are rounded now, and to what."""
    try:
        if hasattr(torch, "get_autocast_dtype"):
            return torch.is_autocast_enabled(device), torch.get_autocast_dtype(device)
        if device == "cpu":
            return torch.is_autocast_cpu_enabled(), torch.get_autocast_cpu_dtype()
        return torch.is_autocast_enabled(), torch.get_autocast_gpu_dtype()
    except (RuntimeError, TypeError):  # this torch knows no autocast there
        return False, None


class Call:
    """One call of a function. Tensors are held, so that their identities stay theirs."""

    def __init__(self, index: int, function: Any, name: str, args: Any, kwargs: Any, result: Any,
                 before: Optional[List[int]] = None) -> None:
        self.index = index
        self.function = function
        self.name = name
        self.args = args
        self.kwargs = kwargs
        self.inputs = tensors_in((args, kwargs))
        self.outputs = tensors_in(result)
        self.autocast = {device: _autocast_of(device) for device in {tensor.device.type for tensor in self.inputs}}
        self.versions = [version(tensor) for tensor in self.inputs]
        self.in_place = bool(self.inputs) and (name == "__setitem__" or (
            any(self.inputs[0] is output for output in self.outputs) and
            (name.startswith("__i") or (name.endswith("_") and not name.endswith("__")))))
        if self.in_place and not self.outputs:
            self.outputs = [self.inputs[0]]
        # Places of the inputs that it writes to, such as the running statistics of a normalisation.
        self.written = {place for place, (old, new) in enumerate(zip(before or [], self.versions)) if old != new}
        if self.in_place:
            self.written.add(0)
        if "batch_norm" in name or "instance_norm" in name:  # of tensors of inference mode no versions are known
            self.written |= set(range(1, len(self.inputs)))
        if not self.outputs:  # an operator that returns nothing, and writes into what it is given
            self.outputs = [self.inputs[place] for place in sorted(self.written)]
        self.moves = False  # tokens to other places
        self.is_product = False
        self.product = 0  # the number of products before it
        self.is_settled = False  # a product that a module inside has spoken of
        self.unread: Optional[str] = None  # the name of a function that may mix tokens, and is not looked into
        self.left: Any = None  # the module that ran a product, and could not explain it, with its reasons

    @contextmanager
    def as_it_ran(self) -> Iterator[None]:
        """Sets autocast within the block to what it was for the call, which its module may have switched."""
        with ExitStack() as stack:
            for device, (enabled, dtype) in self.autocast.items():
                now = _autocast_of(device)
                if now[0] != enabled or (enabled and now[1] != dtype):
                    stack.enter_context(torch.autocast(device, dtype=dtype, enabled=enabled, cache_enabled=False))
            yield


class Tape:
    """The calls of the modules that run now."""

    def __init__(self, model: nn.Module) -> None:
        self.calls: List[Call] = []
        # The call that made each tensor: one that returns its input, as contiguous() may, did not make it.
        self.makers: Dict[int, Call] = {}
        self._channels: Dict[int, Tuple[Any, int]] = {}  # of tensors, by references, the axis of channels
        self._met: Dict[int, Any] = {}  # references to tensors of this pass, which do not keep them
        self.count = 0
        self.products = 0  # among these calls
        self.made = 0  # numbers that these calls made
        self.weights: Dict[int, torch.Tensor] = {}  # held, so that their identities stay theirs
        self.constants: Dict[int, torch.Tensor] = {}  # made of weights alone, or of nothing
        self.filled: Dict[int, torch.Tensor] = {}  # that were written to through a view of theirs
        self.know_weights(model)

    def know_weights(self, model: nn.Module) -> None:
        """Takes for weights what the model's modules have now, as torch.func.functional_call() may have put it there."""
        for module in model.modules():
            for tensor in (*module.parameters(recurse=False), *module.buffers(recurse=False),
                           *_tensors_held(list(vars(module).values()))):
                self.weights[id(tensor)] = tensor

    def is_data(self, tensor: torch.Tensor) -> bool:
        """Returns whether it comes from the model's input, as far as is known."""
        return id(tensor) not in self.weights and id(tensor) not in self.constants and \
            not isinstance(tensor, nn.Parameter)

    def note(self, function: Any, args: Any, kwargs: Any, result: Any, before: Optional[List[int]] = None) -> None:
        """Notes a call. `before` is the versions that the call's inputs had before it."""
        name = getattr(function, "__name__", str(function)).split(".")[0]  # aten's overloads are "softmax.int"
        name = _SAME_AS.get(name, name)
        if name == "__get__" and not tensors_in(result):
            return
        call = Call(self.count, function, name, args, kwargs, result, before)
        if not call.outputs:
            return
        self.count += 1
        self.made += sum(output.numel() for output in call.outputs)
        data = any(self.is_data(tensor) for tensor in call.inputs)
        if data and call.in_place:
            self._note_write(call)
        for output in call.outputs:
            if data:
                self.constants.pop(id(output), None)
            elif id(output) not in self.weights:
                self.constants[id(output)] = output
        factors = call.inputs[1:3] if name in (*ADDING, "scaled_dot_product_attention") else call.inputs[:2]
        # A factor of two axes beside one with more has no axis for pictures: it is weights that no module holds.
        has_pictures = [tensor.dim() > 2 for tensor in factors]
        call.is_product = name in PRODUCTS and len(factors) == 2 and has_pictures[0] == has_pictures[1] and all(
            self.is_data(tensor) and tensor.dim() > 1 for tensor in factors)
        call.unread = None if call.is_product else self._unread_name(call)
        call.product = self.products
        self.products += call.is_product
        self.calls.append(call)
        axis = axis_of_channels(name)
        axis = self._kept_channels(call) if axis is None else axis
        if axis is not None:
            self._channels[id(call.outputs[0])] = weakref.ref(call.outputs[0]), axis
        self.makers.update((id(output), call) for output in call.outputs
                           if all(output is not given for given in call.inputs))

    def _unread_name(self, call: Call) -> Optional[str]:
        """Returns the name of a function that is given several tensors of data, or one of three in one, and may
        attend."""
        operator = operator_of(call.function)
        if operator is None and _UNREAD.search(call.name.rstrip("_")) is None:
            return None
        data = [given for place, given in enumerate(call.inputs) if place not in call.written and
                given.is_floating_point() and given.dim() > 1 and self.is_data(given)]
        made = sum(output.numel() for output in call.outputs)
        is_packed = operator is not None and any(given.numel() >= 3 * made for given in data)
        return (operator or call.name.strip("_")) if len(data) > 1 or is_packed else None

    def attends_to_own(self, call: Call) -> bool:
        """Returns whether a call multiplies values of the model's own, which are made of weights alone, by
        attention."""
        if call.name == "scaled_dot_product_attention":
            return not call.is_product
        if call.name not in PRODUCTS or call.is_product or len(call.inputs) < 2 or self.is_data(call.inputs[-1]):
            return False
        maker = self.makers.get(id(call.inputs[-2]))
        for _ in range(6):  # dropout and views
            if maker is None or not maker.inputs or maker.name.rstrip("_") == "softmax":
                break
            maker = self.makers.get(id(maker.inputs[0]))
        return maker is not None and maker.name.rstrip("_") == "softmax"

    def meet(self, tensors: List[torch.Tensor]) -> None:
        """Keeps references to tensors, by which they are known again for as long as there are any."""
        for tensor in tensors:
            if id(tensor) not in self._met or self._met[id(tensor)]() is not tensor:
                self._met[id(tensor)] = weakref.ref(tensor)

    def has_met(self, tensor: torch.Tensor) -> bool:
        known = self._met.get(id(tensor))
        return known is not None and known() is tensor

    def channels_of(self, tensor: torch.Tensor) -> Optional[int]:
        """Returns the axis of channels of what a function of weights made, whose call may be forgotten, or None for
        others."""
        known = self._channels.get(id(tensor))
        return known[1] % tensor.dim() if known is not None and known[0]() is tensor else None

    def _kept_channels(self, call: Call) -> Optional[int]:
        """Returns the last axis, where a call leaves what a function of weights made its channels there, or None for
        others."""
        if call.name not in _KEEP_LAST or not call.inputs or not call.outputs:
            return None
        given, made = call.inputs[0], call.outputs[0]
        is_kept = self.channels_of(given) == given.dim() - 1 and made.dim() > 0 and made.shape[-1] == given.shape[-1]
        return -1 if is_kept else None

    def _note_write(self, call: Call) -> None:
        """Knows that what shares the memory of a tensor that data are written to is data as well, such as the whole of
        a view."""
        written = call.inputs[0]
        made = self.makers.get(id(written))
        while made is not None and made.inputs and storage_of(made.inputs[0]) == storage_of(written):  # it is a view
            written = made.inputs[0]
            self.filled[id(written)] = written
            made = self.makers.get(id(written))
        if self.is_data(call.inputs[0]):
            return
        memory = storage_of(call.inputs[0])
        for known in (self.constants, self.weights):
            for tensor in [] if memory is None else [each for each in known.values() if storage_of(each) == memory]:
                del known[id(tensor)]

    def forget_from(self, place: int) -> None:
        for call in self.calls[place:]:
            for output in call.outputs:
                if self.makers.get(id(output)) is call:
                    del self.makers[id(output)]
                if place == 0:
                    self.constants.pop(id(output), None)
                    self.filled.pop(id(output), None)
        del self.calls[place:]


Step = Tuple[str, Tuple[Tuple[int, ...], ...]]


def step_of(call: Call) -> Step:
    """Returns what a call is known again by in another run: its function and the shapes of what it makes."""
    return call.name, tuple(tuple(output.shape) for output in call.outputs)


def steps_between(calls: List[Call], first: Call, last: Call) -> Tuple[Step, ...]:
    """Returns the steps of a call, and of the calls up to `last` that are given something that comes of it."""
    live = {id(output) for output in first.outputs}
    steps = [step_of(first)]
    for call in calls:
        if first.index < call.index <= last.index and any(id(given) in live for given in call.inputs):
            live.update(id(output) for output in call.outputs)
            steps.append(step_of(call))
    return tuple(steps)


def leading_to(calls: List[Call], tensors: List[torch.Tensor]) -> Set[int]:
    """Returns indices of the calls that the tensors come from."""
    wanted = {id(tensor) for tensor in tensors}
    found = set()
    for call in reversed(calls):
        if any(id(output) in wanted for output in call.outputs):
            found.add(call.index)
            wanted.update(id(tensor) for tensor in call.inputs)
    return found
