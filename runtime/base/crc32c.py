"""The check sum CRC-32C (Castagnoli), plain and masked as TFRecord files have it.

Long data are cut into many pieces of one length, whose sums NumPy finds side by side; two sums are joined by the
table of what so many bytes more make of a sum, as in zlib's `crc32_combine`.

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
"""The bytes of a piece; data of fewer than four are taken byte by byte."""


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
    whole = len(data) // _PIECE if len(data) >= 4 * _PIECE else 0
    state = 0xFFFFFFFF
    if whole:
        whole = 1 << whole.bit_length() - 1  # pieces are joined in pairs
        state = _of_pieces(data[: whole * _PIECE], whole)
    rest = data[whole * _PIECE :]
    if len(rest) >= 4 * _PIECE:  # the next power of two
        return _joined_sum(state ^ 0xFFFFFFFF, crc32c(rest), len(rest))
    for byte in rest:
        state = state >> 8 ^ _TABLE[(state ^ byte) & 255]
    return state ^ 0xFFFFFFFF


def _of_pieces(data: bytes, count: int) -> int:
    """The state after data of ``count`` pieces, a power of two."""
    columns = np.ascontiguousarray(np.frombuffer(data, np.uint8).reshape(count, _PIECE).T)
    states = np.zeros(count, np.uint32)
    states[0] = 0xFFFFFFFF
    for column in columns:
        states = states >> np.uint32(8) ^ _ARRAY[(states ^ column) & 255]
    length = _PIECE
    while len(states) > 1:
        states = _moved(states[::2], length) ^ states[1::2]
        length *= 2
    return int(states[0])


def _joined_sum(first: int, second: int, length: int) -> int:
    """The sum of data and other data behind, of some length, from their sums."""
    state = np.array([first], np.uint32)
    for power in range(length.bit_length()):
        if length >> power & 1:
            state = _moved(state, 1 << power)
    return int(state[0]) ^ second


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
