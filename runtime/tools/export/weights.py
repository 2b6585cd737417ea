"""Weights as files: named arrays in one safetensors file.

The file is plain safetensors, which other libraries read too. Strings and complex numbers, which safetensors does not
hold everywhere, are encoded: ``__metadata__`` then has the key ``"autograph"`` with this JSON text

    {"version": 1, "encoded": {<name>: {"dtype": "string", "shape": [2]}, <name>: {"dtype": "complex64", ...}}}

A complex tensor is stored as floats with one more dimension of length 2 (real part, imaginary part). A string tensor
is stored as one row of bytes: the length of every string, in row-major order, as little-endian 64-bit integers, then
the strings themselves.
"""

from __future__ import annotations

import contextlib
import math
import os
import secrets
import stat
from collections.abc import Mapping
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError, MissingExtraError, MissingFileError, SavedFileError

from ...base.dtypes import as_dtype, complex64, complex128, from_numpy, string, variant
from ...tensors import trace
from ...tensors.convert import convert_to_tensor
from ...tensors.tensor import EagerTensor
from . import strict_json
from .file_errors import damaged_error, newer_version_error

__all__ = ["load_tensors", "save_tensors"]

VERSION = 1
_KEY = "autograph"
_RESERVED = "__metadata__"
_STORED = {
    "BOOL": np.bool_, "I8": np.int8, "I16": np.int16, "I32": np.int32, "I64": np.int64, "U8": np.uint8,
    "U16": np.uint16, "U32": np.uint32, "U64": np.uint64, "F16": np.float16, "F32": np.float32, "F64": np.float64,
    "C64": np.complex64,
}  # fmt: skip
_PARTS = {"complex64": np.float32, "complex128": np.float64}


def save_tensors(path: str | os.PathLike[str], tensors: Mapping[str, Any]) -> None:
    """Write arrays, tensors or variables under their names into one file; a file of that name is replaced at once.

    Until everything is written, the old file stays as it is. Raises `MissingExtraError` without the library
    safetensors, `InvalidArgumentError` for names that are no strings and for what is no tensor, `OSError`.
    """
    replace_file(path, content_of(tensors))


def content_of(tensors: Mapping[str, Any]) -> bytes:
    """What `save_tensors` writes."""
    library = _library()
    stored: dict[str, np.ndarray[Any, Any]] = {}
    encoded: dict[str, Any] = {}
    for name, value in tensors.items():
        if not isinstance(name, str) or name == _RESERVED or not _is_text(name):
            raise InvalidArgumentError(f"{name!r} can't be the name of a saved tensor")
        array = _array_of(value)
        stored[name] = _encoded(array)
        if array.dtype.kind in "Oc":
            encoded[name] = {"dtype": from_numpy(array.dtype).name, "shape": list(array.shape)}
    metadata = None
    if encoded:
        metadata = {_KEY: strict_json.dumps({"version": VERSION, "encoded": dict(sorted(encoded.items()))}).decode()}
    data: bytes = library.numpy.save(dict(sorted(stored.items())), metadata)
    return data


def load_tensors(path: str | os.PathLike[str]) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of a file by name, in alphabetical order, writable; strings are object arrays of ``bytes``.

    Raises `SavedFileError` (an `OSError`) for a file that is missing, damaged or of a newer version, and
    `MissingExtraError` without the library safetensors.
    """
    _library()
    return tensors_of(read_file(path), os.fspath(path))


def tensors_of(data: bytes, name: str) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of a file with some content, as `load_tensors`."""
    library = _library()
    encoded = _encodings(data, name)
    try:
        parts = dict(library.deserialize(data))
    except Exception as error:
        raise damaged_error(f"{name} is no safetensors file: {error}") from None
    if unknown := sorted(encoded.keys() - parts.keys()):
        raise damaged_error(f"{name} describes the tensor {unknown[0]!r}, which it does not hold")
    result = {}
    for key in sorted(parts):
        try:
            stored = _stored_array(parts[key])
            result[key] = stored if key not in encoded else _decoded(stored, encoded[key])
        except (ValueError, TypeError, KeyError, OverflowError, MemoryError) as error:
            raise damaged_error(f"the tensor {key!r} of {name} is damaged: {error}") from None
    return result


def _library() -> Any:
    try:
        import safetensors
        import safetensors.numpy
    except ImportError:
        raise MissingExtraError(
            "files with weights need the library safetensors, which is not installed",
            remedy='pip install "autograph-py[saved]"',
        ) from None
    return safetensors


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


# Arrays as safetensors has them


def _array_of(value: object) -> np.ndarray[Any, Any]:
    with trace.building(None):
        tensor = convert_to_tensor(value)
        assert tensor.dtype is not variant, "only graphs have lists of tensors"
        array = tensor.numpy() if isinstance(tensor, EagerTensor) else np.asarray(tensor)  # which refuses graph tensors
    # `numpy()` gives a single string as bytes.
    return np.asarray(array, dtype=np.object_ if tensor.dtype is string else None)


def _encoded(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if array.dtype.kind == "O":
        strings = [bytes(item) for item in array.ravel()]
        lengths = np.array([len(item) for item in strings], "<i8").tobytes()
        return np.frombuffer(lengths + b"".join(strings), np.uint8)
    if array.dtype.kind == "c":
        return np.stack([array.real, array.imag], axis=-1)
    return array.copy(order="C")


def _stored_array(part: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    dtype = _STORED.get(part["dtype"])
    if dtype is None:
        raise ValueError(f"no tensor has the element type {part['dtype']}")
    array = np.frombuffer(bytearray(part["data"]), np.dtype(dtype).newbyteorder("<")).reshape(part["shape"])
    if dtype is np.bool_ and array.view(np.uint8).max(initial=0) > 1:
        raise ValueError("a bool is neither 0 nor 1")
    return array.astype(dtype, copy=False)


def _decoded(stored: np.ndarray[Any, Any], encoding: dict[str, Any]) -> np.ndarray[Any, Any]:
    shape = tuple(encoding["shape"])
    dtype = as_dtype(encoding["dtype"])
    if dtype is not string:
        if stored.dtype != _PARTS[dtype.name] or stored.shape != (*shape, 2):
            raise ValueError(f"{dtype.name} values are stored as {stored.dtype} of shape {stored.shape}")
        return np.ascontiguousarray(stored).view(dtype.numpy).reshape(shape)
    count = math.prod(shape)
    if stored.dtype != np.uint8 or stored.ndim != 1 or stored.size < 8 * count:
        raise ValueError("strings are not stored as bytes")
    ends = [int(length) for length in stored[: 8 * count].view("<i8")]
    if any(length < 0 for length in ends) or sum(ends) != stored.size - 8 * count:
        raise ValueError("the lengths of strings don't fit")
    data = stored[8 * count :].tobytes()
    array = np.empty(count, np.object_)
    start = 0
    for i, length in enumerate(ends):
        array[i] = data[start : start + length]
        start += length
    return array.reshape(shape)


def _encodings(data: bytes, name: str) -> dict[str, Any]:
    """What the header says about encoded tensors, after a strict look at the header."""
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or length > len(data) - 8:
        raise damaged_error(f"{name} is no safetensors file: it is too short")
    header = strict_json.loads(data[8 : 8 + length], name)
    metadata = header.get(_RESERVED) if isinstance(header, dict) else None
    text = metadata.get(_KEY) if isinstance(metadata, dict) else None
    if not isinstance(text, str):
        return {}
    content = strict_json.loads(text.encode(), name)
    version = content.get("version") if isinstance(content, dict) else None
    if type(version) is int and version > VERSION:
        raise newer_version_error(name, version, VERSION)
    encoded = content.get("encoded") if isinstance(content, dict) else None
    if version != VERSION or type(version) is not int or not isinstance(encoded, dict):
        raise damaged_error(f"the metadata of {name} is damaged")
    for key, encoding in encoded.items():
        if not _is_encoding(encoding):
            raise damaged_error(f"{name} does not say how the tensor {key!r} is encoded")
    return encoded


def _is_encoding(value: object) -> bool:
    if not isinstance(value, dict) or value.keys() != {"dtype", "shape"}:
        return False
    if value["dtype"] not in (string.name, complex64.name, complex128.name) or not isinstance(value["shape"], list):
        return False
    return all(type(n) is int and 0 <= n < 2**63 for n in value["shape"])


# Files


def read_file(path: str | os.PathLike[str], follow_links: bool = True) -> bytes:
    """The content of a regular file; `SavedFileError` when it can't be read."""
    if not follow_links and os.path.islink(path):
        raise SavedFileError(
            f"{os.fspath(path)} is a link, which may lead out of the folder", remedy="copy the file itself"
        )
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise SavedFileError(f"{os.fspath(path)} is no regular file", remedy="copy what it gives into a file")
            return file.read()
    except SavedFileError:
        raise
    except (OSError, ValueError, MemoryError) as error:
        kind = MissingFileError if isinstance(error, FileNotFoundError) else SavedFileError
        raise kind(f"{os.fspath(path)} can't be read: {error}") from None


def _open_at_once(path: str, flags: int) -> int:
    """Open a file; do not wait for the other end of a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def replace_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file as a whole or not at all: under another name first, then renamed. Raises `OSError`."""
    path = os.path.realpath(path)
    temporary = f"{path}.{secrets.token_hex(8)}.partial"
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        _keep_names(os.path.dirname(path))
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _keep_names(folder: str) -> None:
    """Have a power cut not undo that a file in a folder got its name, where the system can promise that."""
    if os.name != "posix":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some file systems can't
            os.fsync(number)
    finally:
        os.close(number)
