"""Reads and writes the entries of a recording; docs/recordings.md describes them."""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import struct
import zipfile
from typing import Any, Dict, List

import numpy as np

_TYPES = {"float16": "F16", "float32": "F32", "float64": "F64", "int64": "I64", "int32": "I32", "int16": "I16",
          "int8": "I8", "uint8": "U8", "bool": "BOOL"}


def check_name(path: str) -> None:
    if not str(path).endswith((".npz", ".safetensors")):
        raise ValueError(f"{path}: a recording is a .npz or a .safetensors file")


def check_place(path: str) -> None:
    """Throws ValueError and OSError where no recording can be written."""
    check_name(path)
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", folder)
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, "is a folder", path)
    if os.path.exists(path) and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "is write-protected", path)
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, "nothing can be written into the folder", folder)


def printable(text: str) -> str:
    """Writes out a text's control characters, which a terminal would obey and no file's names can have."""
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)


def write_entries(path: str, entries: Dict[str, np.ndarray]) -> None:
    """Writes all of the file or nothing. One that is replaced hands its permissions on, and a link stays one."""
    check_place(path)
    path = os.path.realpath(path)
    temporary = f"{path}.part"
    try:
        with open(temporary, "wb") as file:
            if os.path.exists(path):
                shutil.copymode(path, temporary)
            if path.endswith(".npz"):
                (np.savez if _is_large(entries) else np.savez_compressed)(file, **entries)
            else:
                _write_safetensors(file, entries)
        os.replace(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


def _is_large(entries: Dict[str, np.ndarray]) -> bool:
    """Returns whether a compressed file might be refused for what it unpacks to: more than 24 MB as float32, or a
    picture of more than 8 MB."""
    size = sum(max(values.nbytes, 4 * values.size) for values in entries.values())
    return size > 24 << 20 or ("picture" in entries and entries["picture"].nbytes > 8 << 20)


def read_entries(path: str) -> Dict[str, np.ndarray]:
    """Reads the entries of a recording. Throws OSError where it cannot be opened, and ValueError where it is no
    recording."""
    check_name(path)
    try:
        return _entries_in(path)
    except (EOFError, KeyError, TypeError, ValueError, struct.error, zipfile.BadZipFile) as error:
        raise ValueError(f"{path}: is empty, damaged, or no recording") from error


def _entries_in(path: str) -> Dict[str, np.ndarray]:
    if path.endswith(".npz"):
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    names = {name: type_ for type_, name in _TYPES.items()}
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        if length > os.path.getsize(path):
            raise ValueError("its header is longer than the file")
        header = json.loads(file.read(length))
        if not isinstance(header, dict):
            raise ValueError("its header names no tensors")
        data = file.read()
    entries: Dict[str, np.ndarray] = {}
    for name, text in header.pop("__metadata__", {}).items():
        is_list = text.startswith("[") and name in ("layers", "refused", "classes")
        entries[name] = np.array(json.loads(text) if is_list else text)
    for name, described in header.items():
        begin, end = described["data_offsets"]
        entries[name] = np.frombuffer(data[begin:end], names[described["dtype"]]).reshape(described["shape"])
    return entries


def safetensors_bytes(entries: Dict[str, np.ndarray]) -> bytes:
    memory = io.BytesIO()
    _write_safetensors(memory, entries)
    return memory.getvalue()


def _write_safetensors(file: Any, entries: Dict[str, np.ndarray]) -> None:
    header: Dict[str, Any] = {"__metadata__": {}}
    chunks: List[bytes] = []
    offset = 0
    for name, values in entries.items():
        if values.dtype.kind == "U":
            header["__metadata__"][name] = str(values) if values.ndim == 0 else json.dumps(values.tolist())
            continue
        if str(values.dtype) not in _TYPES:
            raise ValueError(f"{name} is {values.dtype}, which a .safetensors file cannot have: convert it, or save a "
                             ".npz file")
        data = values.tobytes()
        header[name] = {"dtype": _TYPES[str(values.dtype)], "shape": list(values.shape),
                        "data_offsets": [offset, offset + len(data)]}
        chunks.append(data)
        offset += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    file.write(struct.pack("<Q", len(text)) + text)
    for data in chunks:
        file.write(data)
