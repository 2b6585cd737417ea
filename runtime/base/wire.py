"""The wire format of protocol buffers: keys, numbers and pieces of bytes, see https://protobuf.dev/programming-guides/encoding.

>>> data = message(1, b"abc") + number(2, -1)
>>> [(field, value) for field, _, value in fields(data)]
[(1, b'abc'), (2, 18446744073709551615)]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from autograph.errors import InvalidArgumentError

from .dtypes import Array

__all__ = ["VARINT", "fields", "message", "number", "packed", "signed", "unpacked", "varint"]

VARINT, _BYTES = 0, 2
_FIXED = {1: 8, 5: 4}
_LONGEST = 10
"""The bytes of a number of 64 bits, seven of which each has."""


def _damaged() -> InvalidArgumentError:
    return InvalidArgumentError("the bytes are no message of a protocol buffer, or a damaged one")


def varint(value: int) -> bytes:
    """A number of 64 bits; negative ones are those that have the same bits."""
    value &= 2**64 - 1
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)


def number(field: int, value: int) -> bytes:
    """A field that is a whole number."""
    return varint(field << 3 | VARINT) + varint(value)


def message(field: int, content: bytes) -> bytes:
    """A field that is bytes, a text, another message, or packed numbers."""
    return varint(field << 3 | _BYTES) + varint(len(content)) + content


def packed(values: Iterable[int]) -> bytes:
    """Whole numbers, one after the other."""
    return b"".join(map(varint, values))


def _read(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for i, byte in enumerate(data[at : at + _LONGEST]):
        value |= (byte & 127) << 7 * i
        if byte < 128:
            return value & 2**64 - 1, at + i + 1
    raise _damaged()


def fields(data: bytes) -> Iterator[tuple[int, int, int | bytes]]:
    """The fields of a message: each one's number, its wire type, and an integer (of `VARINT`) or bytes.

    Raises `InvalidArgumentError` for what is no message.
    """
    at = 0
    while at < len(data):
        key, at = _read(data, at)
        field, kind = key >> 3, key & 7
        if kind == VARINT:
            value, at = _read(data, at)
            yield field, kind, value
            continue
        size, at = _read(data, at) if kind == _BYTES else (_FIXED.get(kind, len(data)), at)
        if at + size > len(data) or field == 0:
            raise _damaged()
        yield field, kind, data[at : at + size]
        at += size


def signed(value: int) -> int:
    """The number of 64 bits as one with a sign."""
    return value - 2**64 if value >= 2**63 else value


def unpacked(data: bytes) -> Array:
    """Packed whole numbers, (n,) int64. Raises `InvalidArgumentError` for a number that does not end."""
    parts = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(parts < 128)
    if not len(parts):
        return np.zeros(0, np.int64)
    starts = np.concatenate([[0], ends[:-1] + 1])
    if not len(ends) or ends[-1] != len(parts) - 1 or (ends - starts).max() >= _LONGEST:
        raise _damaged()
    places = np.arange(len(parts)) - np.repeat(starts, ends - starts + 1)
    shifted = (parts & 127).astype(np.uint64) << (7 * places).astype(np.uint64)
    return np.add.reduceat(shifted, starts).view(np.int64)
