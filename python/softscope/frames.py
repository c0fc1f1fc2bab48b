"""Messages between a Python process and the window; docs/live.md describes them."""

from __future__ import annotations

import json
import os
import socket
import struct
import tempfile
from typing import Any, Dict, Optional, Tuple

PROTOCOL = 1
_MAGIC = b"SSL1"
_LONGEST_JSON = 1 << 20
_LARGEST_PAYLOAD = 1 << 30
PATIENCE = 10.0  # seconds for each next piece of a message that has begun


class Gone(ConnectionError):
    """Raised if the window is gone."""


def socket_file() -> str:
    """Returns the socket file on which this user's window listens."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    folder = os.path.join(runtime, "softscope") if runtime.startswith("/") else \
        os.path.join(tempfile.gettempdir(), f"softscope-{os.geteuid()}")
    return os.path.join(folder, "window.socket")


def connect_to(address: str) -> Tuple[socket.socket, str]:
    """Returns the socket and the token of `HOST:PORT/TOKEN`, or of a socket file."""
    if address.startswith("/"):
        channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        channel.setblocking(False)  # a window that hangs would let it wait for ever
        try:
            channel.connect(address)
            channel.setblocking(True)
            _check_owner(channel, address)
        except BlockingIOError as error:
            channel.close()
            raise RuntimeError(f"the window that listens at {address} does not answer: it hangs, or is stopped") from error
        except OSError:
            channel.close()
            raise
        return channel, ""
    place, _, token = address.partition("/")
    host, _, port = place.rpartition(":")
    if not host or not port.isdigit() or not token:
        raise ValueError(f"{address!r} is not HOST:PORT/TOKEN, as softscope --listen prints it, nor a socket's path")
    return socket.create_connection((host, int(port)), PATIENCE), token


def _check_owner(channel: socket.socket, address: str) -> None:
    """Throws where a window is another user's, to which no picture or attention may go."""
    if not hasattr(socket, "SO_PEERCRED"):
        return
    _, user, _ = struct.unpack("3i", channel.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    if user not in (os.geteuid(), 0):
        raise PermissionError(f"{address} is listened on by another user")


def send(channel: socket.socket, message: Dict[str, Any], payload: bytes = b"") -> None:
    """Sends a message. Throws Gone, and ValueError for what no message can have."""
    text = json.dumps(message, allow_nan=False).encode()
    if len(text) > _LONGEST_JSON or len(payload) > _LARGEST_PAYLOAD:
        raise ValueError(f"a message of {len(text)} + {len(payload)} bytes is more than the window takes "
                         f"({_LONGEST_JSON} + {_LARGEST_PAYLOAD}): names of classes and layers are in the first part, "
                         "attention and pictures in the second")
    try:
        for part in (_MAGIC + struct.pack("<IQ", len(text), len(payload)) + text, payload):
            _send_all(channel, memoryview(part))
    except OSError as error:
        raise Gone(str(error)) from error


def _send_all(channel: socket.socket, data: memoryview) -> None:
    """Waits for each next piece, where sendall() has one time for all of them."""
    while len(data) > 0:
        channel.settimeout(PATIENCE)
        data = data[channel.send(data[:1 << 20]):]


def receive(channel: socket.socket, patience: Optional[float] = None) -> Tuple[Dict[str, Any], bytes]:
    """Returns the next message, and waits for its beginning for `patience` seconds, or for ever. Throws Gone."""
    head = _exactly(channel, 16, patience)
    length, size = struct.unpack("<IQ", head[4:])
    if head[:4] != _MAGIC or length > _LONGEST_JSON or size > _LARGEST_PAYLOAD:
        raise Gone("the other side does not speak Softscope's protocol")
    text = _exactly(channel, length, PATIENCE)
    payload = _exactly(channel, size, PATIENCE)
    try:
        message = json.loads(text)
    except ValueError as error:
        raise Gone("the other side sent no JSON") from error
    if not isinstance(message, dict):
        raise Gone("the other side sent no message")
    return message, payload


def _exactly(channel: socket.socket, size: int, patience: Optional[float]) -> bytes:
    parts = bytearray()
    try:
        while len(parts) < size:
            channel.settimeout(patience if not parts else PATIENCE)
            part = channel.recv(min(size - len(parts), 1 << 20))
            if not part:
                raise Gone("the connection was closed")
            parts += part
    except OSError as error:
        raise Gone(str(error)) from error
    return bytes(parts)
