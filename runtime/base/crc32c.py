"""The check sum CRC-32C (Castagnoli), plain and masked as TFRecord files have it.

A sum is linear in the bits of the data. So NumPy finds the sums of many pieces of one length side by side, from a table
of what each byte at each place of a piece gives; and two sums are joined by the table of what so many bytes more make
of the first, as in zlib's `crc32_combine`.

>>> hex(crc32c(b"123456789"))
'0xe3069283'
"""

from __future__ import annotations

from functools import cache

import numpy as np

from .dtypes import Array

__all__ = ["crc32c", "masked"]

_POLYNOMIAL = 0x82F63B78
_PIECE = 256
_SHORT = 200
"""The length up to which bytes are taken one by one."""
_AT_ONCE = 256
"""How many pieces are taken at a time, so that all that is made of them stays in the cache of a processor."""


def _table() -> list[int]:
    found = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (_POLYNOMIAL if byte & 1 else 0)
        found.append(byte)
    return found


_TABLE = _table()
_ARRAY = np.array(_TABLE, np.uint32)


def crc32c(data: bytes) -> int:
    """The check sum of bytes, of 32 bits (RFC 3720, B.4)."""
    if len(data) > _SHORT:
        return _long(data)
    state = 0xFFFFFFFF
    for byte in data:
        state = state >> 8 ^ _TABLE[(state ^ byte) & 255]
    return state ^ 0xFFFFFFFF


def _long(data: bytes) -> int:
    count = -(-len(data) // _PIECE)
    pieces = np.zeros(count * _PIECE, np.uint8)  # zeros in front leave a state of zero as it is
    start = len(pieces) - len(data)
    pieces[start:] = np.frombuffer(data, np.uint8)
    pieces[start : start + 4] ^= 0xFF  # instead of the state to begin with
    rows = pieces.reshape(count, _PIECE)
    states = np.concatenate([_sums(rows[i : i + _AT_ONCE]) for i in range(0, count, _AT_ONCE)])
    length = _PIECE
    while len(states) > 1:
        if len(states) % 2:
            states = np.concatenate([np.zeros(1, np.uint32), states])
        states = _moved(states[::2], length) ^ states[1::2]
        length *= 2
    return int(states[0]) ^ 0xFFFFFFFF


def _sums(pieces: Array) -> Array:
    """The states after pieces (n, _PIECE), from zero."""
    places = np.arange(0, 256 * _PIECE, 256, dtype=np.int32)
    found: Array = np.bitwise_xor.reduce(_by_place().take(pieces + places), axis=1)
    return found


@cache
def _by_place() -> Array:
    """(_PIECE * 256,): the state after a piece of zeros but for one byte, by its place and value."""
    rows = [_ARRAY]
    for _ in range(_PIECE - 1):
        rows.append(rows[-1] >> np.uint32(8) ^ _ARRAY[rows[-1] & 255])
    return np.concatenate(rows[::-1])


def _moved(states: Array, length: int) -> Array:
    """What so many bytes of zeros, a power of two, make of states."""
    tables = _zeros(length)
    moved = tables[0][states & 255]
    for place in (1, 2, 3):
        moved = moved ^ tables[place][states >> np.uint32(8 * place) & 255]
    return moved


@cache
def _zeros(length: int) -> Array:
    """(4, 256): what zeros make of a state of one byte, at each of its four places."""
    if length == 1:
        states = np.arange(256, dtype=np.uint32) << (8 * np.arange(4, dtype=np.uint32))[:, None]
        return states >> np.uint32(8) ^ _ARRAY[states & 255]
    half = _zeros(length // 2)
    return _moved(half.reshape(-1), length // 2).reshape(4, 256)


def masked(data: bytes) -> int:
    """The check sum as TFRecord files have it: turned and moved, so that sums of sums are none that occur."""
    found = crc32c(data)
    return ((found >> 15 | found << 17) + 0xA282EAD8) & 0xFFFFFFFF
