"""Models that stay connected to the window: it asks, and the process answers."""

from __future__ import annotations

import atexit
import contextlib
import functools
import inspect
import math
import operator
import os
import re
import socket
import subprocess
import sys
import threading
import time
import weakref
from typing import Any, Callable, Dict, List, Optional, Tuple, TypeVar

import numpy as np
import torch
from torch import nn

from .arguments import require_module
from .frames import PROTOCOL, Gone, connect_to, receive, send, socket_file
from .jacobian import buffers_kept
from .picture import input_of, pixels_of, upright
from .program import find_program
from .reach import Blocks
from .record import record
from .recorded import Layer, Recording, note_of
from .scores import logits_of, scores_in
from .seen import describe, seen_region
from .silence import silencing
from .state import State

_START = 60.0  # seconds that a window has to start
_Answer = TypeVar("_Answer", bound=Callable[..., Any])
_answering = threading.RLock()  # one model runs at a time, since two windows may ask the same one


def _one_at_a_time(answer: _Answer) -> _Answer:
    @functools.wraps(answer)
    def locked(*args: Any) -> Any:
        with _answering:
            return answer(*args)
    return locked  # type: ignore[return-value]


class Live:
    """A model that a window shows. It answers on a thread of its own, until close() or the end of the process: the
    model should not be trained or run elsewhere while a picture is being looked at."""

    def __init__(self, model: nn.Module, name: str, options: Dict[str, Any], address: str) -> None:
        self.model = model
        self.name = name
        self._options = options
        self._address = address
        self._channel: Any = None
        self._thread: Optional[threading.Thread] = None
        self._known: Tuple[bytes, Optional[Recording]] = (b"", None)
        self._blocks: Tuple[bytes, Optional[Blocks]] = (b"", None)
        self._state = State(model)
        self._regions: Dict[Tuple[int, int], List[float]] = {}

    @property
    def is_open(self) -> bool:
        """True while the window is connected."""
        return self._thread is not None and self._thread.is_alive()

    def wait(self) -> None:
        """Returns when the window is closed."""
        while self._thread is not None and self._thread.is_alive():
            self._thread.join(0.5)  # so that Ctrl+C is heard

    def close(self) -> None:
        """Disconnects; the window keeps what was answered last."""
        if self._channel is not None:
            with contextlib.suppress(OSError):
                self._channel.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits for questions
            self._channel.close()
            if self._thread is not None and self._thread is not threading.current_thread():
                self._thread.join(5)

    def __enter__(self) -> "Live":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Live: {self.name}, {'connected' if self.is_open else 'not connected'}"

    def _connect(self, pixels: Optional[np.ndarray], title: str) -> None:
        recording = self._answer(pixels) if pixels is not None else None
        channel, token = connect_to(self._address)
        try:
            hello = _hello(self.model, self.name, token, recording, self._options.get("classes"))
            hello["picture"] = pixels is not None
            _greet(channel, hello)
            if pixels is not None:
                send(channel, {"type": "picture", "height": pixels.shape[0], "width": pixels.shape[1], "name": title},
                     pixels.tobytes())
        except BaseException:
            channel.close()
            raise
        self._channel = channel
        self._thread = threading.Thread(target=self._serve, name=f"softscope {self.name}", daemon=True)
        self._thread.start()
        _connected.add(self)

    def _serve(self) -> None:
        try:
            while True:
                message, payload = receive(self._channel)
                if message.get("type") != "run":
                    continue
                try:
                    pixels = np.frombuffer(payload, np.uint8).reshape(message["height"], message["width"], 3)
                    if message.get("silenced"):
                        answer, data = self._without(pixels, message["silenced"])
                    elif message.get("reach"):
                        answer, data = self._reach(pixels, message["reach"])
                    else:
                        recording = self._answer(pixels)
                        answer, data = {"region": self._region_of(recording, pixels)}, recording.to_bytes()
                except Exception as error:  # pylint: disable=broad-except
                    answer, data = {"error": _line(error)}, b""
                try:
                    send(self._channel, {"type": "answer", "id": message["id"], **answer}, data)
                except ValueError as error:  # too large
                    send(self._channel, {"type": "answer", "id": message["id"], "error": _line(error)})
        except (Gone, KeyError):
            pass
        finally:
            self._channel.close()

    def _input(self, pixels: np.ndarray) -> torch.Tensor:
        picture: Any = pixels
        if self._options.get("transform") is not None:
            from PIL import Image  # pylint: disable=import-outside-toplevel
            picture = Image.fromarray(pixels)
        given = {name: self._options.get(name) for name in ("transform", "mean", "std", "size")}
        return input_of(self.model, picture, **given)[0]

    @_one_at_a_time
    def _without(self, pixels: np.ndarray, heads: Dict[str, List[int]]) -> Tuple[Dict[str, Any], bytes]:
        """Returns the logits without some heads, and how much these add, as the message and the numbers behind it."""
        others = {name: value for name, value in self._options.items() if name in self._inputs()}
        recording = self._answer(pixels)
        layer = next((each for each in recording.recorded() if list(heads) == [each.name]), None)
        blocks, ends, added = self._blocks_of(pixels), [], None
        with buffers_kept(self.model), contextlib.ExitStack() as stack:
            with contextlib.suppress(ValueError, AttributeError):  # of a layer without a block the logits alone are told
                if layer is not None:
                    added = blocks.addition(layer)
                    ends = stack.enter_context(blocks.watching(layer))
            silencer = stack.enter_context(silencing(self.model, recording, heads))
            made = self.model(self._input(pixels), **others)
        scores = scores_in(made) if "logits" in recording.entries else None
        if scores is None:
            raise RuntimeError("the model returns no logits")
        logits = logits_of(scores, recording.function)
        answer: Dict[str, Any] = {"logits": logits.numel()}
        if added is not None and layer is not None and len(ends) == 1:
            whole, residual = added
            answer["added"] = {"attention": silencer.attended, "projected": float((whole - ends[0]).float().norm()),
                               "residual": residual, "output": float(whole.float().norm())}
            if layer.beside_size is not None and len(heads[layer.name]) == len(layer.heads):
                answer["added"]["beside"] = layer.beside_size * silencer.attended
            answer["added"] = {name: size for name, size in answer["added"].items() if math.isfinite(size)}
            if not {"attention", "projected", "residual", "output"} <= set(answer["added"]):
                del answer["added"]
        return answer, np.ascontiguousarray(logits.numpy()).tobytes()

    def _blocks_of(self, pixels: np.ndarray) -> Blocks:
        recording = self._answer(pixels)
        if self._blocks[0] != self._known[0] or self._blocks[1] is None:
            others = {name: value for name, value in self._options.items() if name in self._inputs()}
            self._blocks = self._known[0], Blocks(self.model, recording, self._input(pixels), others)
        return self._blocks[1]  # type: ignore[return-value]

    @_one_at_a_time
    def _reach(self, pixels: np.ndarray, asked: Dict[str, Any]) -> Tuple[Dict[str, Any], bytes]:
        """Returns what reaches a token, as the message and the numbers behind it."""
        blocks = self._blocks_of(pixels)
        with buffers_kept(self.model):
            found = blocks.reach(asked["layer"], asked["token"], asked["from"], asked["behind"], asked["gradient"],
                                 asked["directions"])
        return {"reach": list(found.values.shape), "channels": found.channels,
                "directions": found.directions}, found.values.tobytes()

    def _inputs(self) -> List[str]:
        """Returns the options that are the model's own."""
        known = inspect.signature(record).parameters
        return [name for name in self._options if name not in known]

    def _region(self, height: int, width: int) -> List[float]:
        if (height, width) not in self._regions:
            self._regions[height, width] = seen_region(self._input, height, width)
        return self._regions[height, width]

    def _region_of(self, recording: Recording, pixels: np.ndarray) -> List[float]:
        """Returns the part of a picture on which the model's patches lie, which may leave over the input's last
        pixels."""
        left, top, width, height = self._region(*pixels.shape[:2])
        return [left, top, width * recording.covered[1], height * recording.covered[0]]

    @_one_at_a_time
    def _answer(self, pixels: np.ndarray) -> Recording:
        key = repr(pixels.shape).encode() + pixels.tobytes() + self._state.now()
        if self._known[0] != key or self._known[1] is None:
            others = {name: value for name, value in self._options.items()
                      if name not in ("transform", "mean", "std", "size", "quiet")}
            with buffers_kept(self.model):
                recording = record(self.model, self._input(pixels), quiet=True, **others)
            if not recording.recorded():
                raise RuntimeError(_nothing_in(recording))
            self._known = key, recording
        return self._known[1]  # type: ignore[return-value]


_connected: Any = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """Lets threads finish their answers: one that torch runs on while Python ends takes the process down."""
    for connection in list(_connected):
        connection.close()


def connect(address: str, model: nn.Module, picture: Any = None, *, name: Optional[str] = None,
            **options: Any) -> Live:
    """Connects a model to the window that listens at `address`, as `softscope --listen` prints it.

    `picture` is opened there; without one the model looks at the picture that is open. `name` stands for the model in the
    window, by default what timm or its class calls it. Options are record()'s, with
    `transform`, or `mean`, `std` and `size`, by which every picture becomes the model's input.
    """
    require_module(model)
    if isinstance(picture, torch.Tensor):
        raise ValueError("a live model is given pictures, not tensors: with transform=, or mean=, std= and size=")
    if options.get("transform") is None and any(options.get(each) is None for each in ("mean", "std", "size")):
        raise ValueError("pictures need transform=, or mean=, std= and size=")
    live = Live(model, _name_of(model, name), options, address)
    pixels, title = _pixels(picture)
    try:
        live._region(*(pixels.shape[:2] if pixels is not None else (480, 640)))  # pylint: disable=protected-access
    except ValueError as error:
        raise ValueError(describe(error)) from error
    live._connect(pixels, title)  # pylint: disable=protected-access
    return live


def show_live(model: nn.Module, picture: Any, name: Optional[str], wait: Optional[bool],
              options: Dict[str, Any]) -> Live:
    """Connects to the window that runs, or to one that it starts."""
    live = connect(_window_address(), model, picture, name=name, **options)
    if wait if wait is not None else not _is_interactive():
        live.wait()
    return live


_windows: List["subprocess.Popen[Any]"] = []  # that were started here; they outlive this process


def _window_address() -> str:
    address = socket_file()
    if _answers(address):
        return address
    process = subprocess.Popen([find_program(), "--listen", "local"], start_new_session=True)
    _windows.append(process)
    deadline = time.monotonic() + _START
    while time.monotonic() < deadline:
        if _answers(address):
            return address
        if process.poll() is not None:
            raise RuntimeError(f"the window ended at once, with {process.returncode}")
        time.sleep(0.05)
    raise RuntimeError(f"the window does not listen at {address}; is it an older version?")


def _answers(address: str) -> bool:
    try:
        channel, _ = connect_to(address)
    except OSError:
        return False
    channel.close()
    return True


def _is_interactive() -> bool:
    return hasattr(sys, "ps1") or "get_ipython" in vars(__import__("builtins")) or bool(sys.flags.interactive)


def _greet(channel: Any, hello: Dict[str, Any]) -> None:
    send(channel, {"type": "hello", "protocol": PROTOCOL, **hello})
    answer, _ = receive(channel, 10)
    if answer.get("type") != "welcome":
        channel.close()
        raise ConnectionError(f"the window refused: {answer.get('reason', 'without a reason')}")


def _hello(model: nn.Module, name: str, token: str, recording: Optional[Recording],
           classes: Any) -> Dict[str, Any]:
    hello: Dict[str, Any] = {"name": name, "token": token, "variant": type(model).__name__[:60]}
    if recording is not None:
        hello["layers"] = [{"name": layer.name, "mechanism": _mechanism_of(layer), "heads": len(layer.heads)}
                           for layer in recording.recorded()]
        hello["mechanism"] = hello["layers"][-1]["mechanism"]
        leaves_grid = any(f"{layer.name}/grid" not in recording.entries for layer in recording.recorded())
        notes = [note_of(recording), "grid guessed" if leaves_grid else ""]  # as the program says of the same file
        if any(notes):
            hello["note"] = _line("; ".join(note for note in notes if note))
        hello["refused"] = [_line(f"{layer}: {reason}") for layer, reason in recording.refused.items()]
    if classes is not None:
        hello["classes"] = [_line(str(each)) for each in classes]
    return hello


def _mechanism_of(layer: Layer) -> str:
    """Names the mechanism of a layer as the window names it for the same recording."""
    map_ = layer.map
    return "recorded" if map_ is None or "q" not in map_.parts else map_.kernel or "softmax"


def _pixels(picture: Any) -> Tuple[Optional[np.ndarray], str]:
    if picture is None:
        return None, ""
    if isinstance(picture, (str, os.PathLike)):
        from PIL import Image  # pylint: disable=import-outside-toplevel
        path = os.fspath(picture)
        return pixels_of(upright(Image.open(path))), os.path.basename(path)
    return np.ascontiguousarray(pixels_of(picture)), str(getattr(picture, "filename", "") or "")


def _nothing_in(recording: Recording) -> str:
    refusals = recording.refusals()
    return "no layer's attention could be verified " + (f"({refusals[0]})" if refusals else
                                                        "(the model has none that could be seen)") + \
        "; softscope.jacobian() measures what mixes the tokens of any module"


def _name_of(model: nn.Module, name: Optional[str]) -> str:
    said = name or getattr(model, "default_cfg", {}).get("architecture") or type(model).__name__
    return re.sub(r"[\x00-\x1f\x7f/]", " ", str(said)).encode(errors="ignore")[:100].decode(errors="ignore").strip() or "model"


def _line(error: Any) -> str:
    said = str(error) or type(error).__name__
    if isinstance(error, Exception) and not isinstance(error, (RuntimeError, ValueError)):
        said = f"{type(error).__name__}: {said}"
    return re.sub(r"[\x00-\x1f\x7f]+", " ", said).encode(errors="ignore")[:390].decode(errors="ignore")


class _Series:
    """The connection of log(), which is made again where it broke."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.model: Optional[Callable[[], Optional[nn.Module]]] = None
        self.channel: Any = None
        self.complained = False

    def send(self, model: nn.Module, step: int, recording: Recording, address: Optional[str]) -> bool:
        try:
            if self.channel is not None:
                with contextlib.suppress(Gone):
                    send(self.channel, {"type": "step", "step": step}, recording.to_bytes())
                    return True
                self.channel.close()
                self.channel = None
            channel, token = connect_to(address or _window_address())
            _greet(channel, {"series": True, **_hello(model, self.name, token, None, None)})
            self.channel = channel
            send(channel, {"type": "step", "step": step}, recording.to_bytes())
            self.complained = False
            return True
        except (OSError, Gone, RuntimeError) as error:
            if self.channel is not None:
                self.channel.close()
            self.channel = None
            if not self.complained:
                print(f"softscope: step {step} of {self.name} was not shown ({_line(error)}); training goes on",
                      file=sys.stderr)
            self.complained = True
            return False


_series: Dict[str, _Series] = {}


def _series_of(model: nn.Module, name: Optional[str]) -> _Series:
    """Returns the series of a name; where none is given that of the model, and of no other that is called the same:
    one's steps would take the place of the other's."""
    said, count = _name_of(model, name), 1
    while True:
        known = _series.setdefault(said, _Series(said))
        if known.model is None:
            known.model = weakref.ref(model)
        if name is not None or known.model() is model:
            return known
        count += 1
        said = f"{_name_of(model, None)} {count}"


def log(model: nn.Module, picture: Any, *, step: int, name: Optional[str] = None, address: Optional[str] = None,
        **options: Any) -> bool:
    """Records a model in training and appends the recording to a series, over whose steps the window has a slider.

    step:    a whole number, where the training stands.
    name:    of the series, by default the model's, behind which a number tells models apart that are called the same.
    address: of a window that listens elsewhere, as connect() takes it; by default this user's window, which is started
             if there is none.

    It is recorded with `training` False in each of its modules, which is undone afterwards. Options are record()'s.
    Returns False, and says so once, where no window takes it: training goes on.
    """
    require_module(model)
    try:
        step = int(step) if isinstance(step, torch.Tensor) and step.numel() == 1 and not step.is_floating_point() \
            else operator.index(step)
    except TypeError as error:
        raise TypeError(f"step is {step!r}, and should be a whole number") from error
    if not 0 <= step <= 1 << 53:
        raise ValueError(f"step is {step}, and should be from 0 to 2**53")
    with _answering:
        modes = {module: module.training for module in model.modules()}
        try:
            for module in modes:
                module.training = False  # by eval() some modules do more, such as LoRA's, which merge their weights
            recording = record(model, picture, **{**options, "quiet": True})
        finally:
            for module, training in modes.items():
                module.training = training
    if not recording.recorded():
        raise RuntimeError(_nothing_in(recording))
    return _series_of(model, name).send(model, step, recording, address)
