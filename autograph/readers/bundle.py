"""TensorFlow's checkpoints: a file of keys in the format of LevelDB's tables, and files with the arrays."""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np

from autograph.errors import SavedFileError
from autograph.runtime.base.crc32c import masked

from .messages import Message, decode
from .tensors import dtype_of, shape_of

__all__ = ["Bundle"]

_MAGIC = 0xDB4775248B80FB57
_FOOTER = 48


class Bundle:
    """A checkpoint: arrays by key, read when they are asked for."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._entries = {key.decode(): decode("Entry", value) for key, value in _rows(prefix + ".index") if key}
        self._shards = len([name for name in os.listdir(os.path.dirname(prefix) or ".") if ".data-" in name])

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def array(self, key: str) -> np.ndarray[Any, Any]:
        """The array of a key; of text it has objects, which are bytes. Raises `SavedFileError` where it is damaged."""
        if key not in self._entries:
            raise SavedFileError(f"the checkpoint {self._prefix} has no {key!r}")
        entry = self._entries[key]
        dtype, data, shape = dtype_of(entry.type), self._bytes(key, entry), shape_of(entry.shape)
        if dtype.kind == "S":
            return _texts(data, shape)
        if len(data) != dtype.numpy.itemsize * math.prod(n or 0 for n in shape or ()):
            raise _damaged(self._prefix, key)
        return np.frombuffer(data, dtype.numpy.newbyteorder("<")).astype(dtype.numpy).reshape(shape)

    def _bytes(self, key: str, entry: Message) -> bytes:
        path = f"{self._prefix}.data-{entry.shard:05}-of-{self._shards:05}"
        with open(path, "rb") as file:
            file.seek(entry.offset)
            data = file.read(entry.size)
        if len(data) != entry.size or (dtype_of(entry.type).kind != "S" and masked(data) != entry.checksum):
            raise _damaged(self._prefix, key)
        return data


def _damaged(prefix: str, key: str) -> SavedFileError:
    return SavedFileError(f"the checkpoint {prefix} is damaged: {key!r} does not fit its checksum or its shape")


def _texts(data: bytes, shape: Any) -> np.ndarray[Any, Any]:
    """Strings: the lengths of all, a checksum of these, and the texts."""
    count, at, sizes = int(np.prod(shape, dtype=np.int64)), 0, []
    for _ in range(count):
        size, at = _varint(data, at)
        sizes.append(size)
    at += 4
    found = np.empty(count, object)
    for i, size in enumerate(sizes):
        found[i], at = data[at : at + size], at + size
    return found.reshape(shape)


def _rows(path: str) -> Iterator[tuple[bytes, bytes]]:
    """The keys and values of a table."""
    with open(path, "rb") as file:
        data = file.read()
    if len(data) < _FOOTER or struct.unpack("<Q", data[-8:])[0] != _MAGIC:
        raise SavedFileError(f"{path} is no index of a checkpoint of TensorFlow")
    try:
        at = len(data) - _FOOTER
        for _ in range(2):  # the block that tells of others comes first
            _, at = _varint(data, at)
        place, at = _varint(data, at)
        size, at = _varint(data, at)
        for _, handle in _block(data, place, size, path):
            place, at = _varint(handle, 0)
            yield from _block(data, place, _varint(handle, at)[0], path)
    except (IndexError, struct.error):
        raise SavedFileError(f"{path} is damaged") from None


def _block(data: bytes, place: int, size: int, path: str) -> Iterator[tuple[bytes, bytes]]:
    """The rows of a block, of which each key begins as the one before does."""
    if data[place + size] != 0:
        raise SavedFileError(f"{path} is compressed, which checkpoints of TensorFlow are not")
    checksum = struct.unpack("<I", data[place + size + 1 : place + size + 5])[0]
    if masked(data[place : place + size + 1]) != checksum:
        raise SavedFileError(f"{path} is damaged: a checksum does not fit")
    block = data[place : place + size]
    end = size - 4 - 4 * struct.unpack("<I", block[-4:])[0]
    at, key = 0, b""
    while at < end:
        shared, at = _varint(block, at)
        rest, at = _varint(block, at)
        length, at = _varint(block, at)
        key = key[:shared] + block[at : at + rest]
        at += rest
        yield key, block[at : at + length]
        at += length


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at
