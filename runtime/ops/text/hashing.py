"""Strings as numbers of buckets: `tf.strings.to_hash_bucket_fast` and `to_hash_bucket_strong`.

The fast function is FarmHash's ``Fingerprint64`` (Pike, 2014), the strong one SipHash-2-4 (Aumasson & Bernstein, 2012):
those of TensorFlow, so that what was hashed there is found here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ...base.dtypes import int64
from ...ir.kinds import INT, kinds, tuple_of
from ...ir.op import NOT_DIFFERENTIABLE, Type, op
from ...tensors.likes import TensorLike
from ..infer import require, require_kind
from ..kernels import samples as s
from .strings import each

__all__ = ["to_hash_bucket_fast", "to_hash_bucket_strong"]

_MASK = (1 << 64) - 1
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F


def _word(text: bytes, at: int, size: int = 8) -> int:
    """The number that some bytes write, in little-endian order; negative places count from the end."""
    start = at if at >= 0 else len(text) + at
    return int.from_bytes(text[start : start + size], "little")


def _rotated(value: int, count: int) -> int:
    """The 64 bits of a number moved to the right, in a circle."""
    value &= _MASK
    return (value >> count | value << (64 - count)) & _MASK


def _mixed(value: int) -> int:
    value &= _MASK
    return value ^ value >> 47


def _of_two(u: int, v: int, factor: int) -> int:
    a = _mixed(((u ^ v) & _MASK) * factor)
    return _mixed(((v ^ a) & _MASK) * factor) * factor & _MASK


def fingerprint64(text: bytes) -> int:
    """FarmHash's number of a string, of 64 bits."""
    size = len(text)
    if size > 64:
        return _of_long(text)
    if size > 32:
        return _of_33_to_64(text)
    if size > 16:
        return _of_17_to_32(text)
    return _of_short(text)


def _of_short(text: bytes) -> int:
    size = len(text)
    factor = _K2 + size * 2
    if size >= 8:
        a, b = _word(text, 0) + _K2, _word(text, -8)
        return _of_two(_rotated(b, 37) * factor + a, (_rotated(a, 25) + b) * factor, factor)
    if size >= 4:
        return _of_two(size + (_word(text, 0, 4) << 3), _word(text, -4, 4), factor)
    if size:
        y, z = text[0] + (text[size >> 1] << 8), size + (text[-1] << 2)
        return _mixed((y * _K2 ^ z * _K0) & _MASK) * _K2 & _MASK
    return _K2


def _of_17_to_32(text: bytes) -> int:
    factor = _K2 + len(text) * 2
    a, b, c, d = _word(text, 0) * _K1, _word(text, 8), _word(text, -8) * factor, _word(text, -16) * _K2
    return _of_two(_rotated(a + b, 43) + _rotated(c, 30) + d, a + _rotated(b + _K2, 18) + c, factor)


def _of_33_to_64(text: bytes) -> int:
    factor = _K2 + len(text) * 2
    a, b, c, d = _word(text, 0) * _K2, _word(text, 8), _word(text, -8) * factor, _word(text, -16) * _K2
    y = _rotated(a + b, 43) + _rotated(c, 30) + d
    z = _of_two(y, a + _rotated(b + _K2, 18) + c, factor)
    e, f = _word(text, 16) * factor, _word(text, 24)
    g, h = (y + _word(text, -32)) * factor, (z + _word(text, -24)) * factor
    return _of_two(_rotated(e + f, 43) + _rotated(g, 30) + h, e + _rotated(f + a, 18) + g, factor)


def _of_32(text: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    first, second, third, last = (_word(text, at + 8 * number) for number in range(4))
    a += first
    b = _rotated(b + a + last, 21)
    whole = a + second + third
    return (whole + last) & _MASK, (b + _rotated(whole, 44) + a) & _MASK


_State = tuple[int, int, int, tuple[int, int], tuple[int, int]]


def _round(text: bytes, at: int, state: _State, factor: int, final: int = 1) -> _State:
    x, y, z, v, w = state
    x = _rotated(x + y + v[0] + _word(text, at + 8), 37) * factor
    y = _rotated(y + v[1] + _word(text, at + 48), 42) * factor
    x = (x ^ w[1] * final) & _MASK
    y = (y + v[0] * final + _word(text, at + 40)) & _MASK
    z = _rotated(z + w[0], 33) * factor & _MASK
    v = _of_32(text, at, v[1] * factor, x + w[0])
    w = _of_32(text, at + 32, z + w[1], y + _word(text, at + 16))
    return z, y, x, v, w


def _of_long(text: bytes) -> int:
    y = 81 * _K1 + 113
    state: _State = 81 * _K2 + _word(text, 0), y & _MASK, _mixed(y * _K2 + 113) * _K2 & _MASK, (0, 0), (0, 0)
    rest = (len(text) - 1) & 63
    for at in range(0, len(text) - 1 - rest, 64):
        state = _round(text, at, state, _K1)
    x, y, z, v, w = state
    factor = _K1 + ((z & 0xFF) << 1)
    first = v[0] + w[0] + rest
    x, y, z, v, w = _round(text, len(text) - 64, (x, y, z, (first, v[1]), (w[0] + rest + first, w[1])), factor, 9)
    return _of_two(
        _of_two(v[0], w[0], factor) + _mixed(y) * _K0 + z, _of_two(v[1], w[1], factor) + x, factor
    )  # fmt: skip


def siphash(text: bytes, key: Sequence[int]) -> int:
    """SipHash-2-4's number of a string, of 64 bits, for a key of two numbers."""
    first, second = (part & _MASK for part in key)
    state = [
        first ^ 0x736F6D6570736575, second ^ 0x646F72616E646F6D,
        first ^ 0x6C7967656E657261, second ^ 0x7465646279746573,
    ]  # fmt: skip
    padded = text + bytes(7 - len(text) % 8) + bytes([len(text) & 0xFF])
    for at in range(0, len(padded), 8):
        word = _word(padded, at)
        state[3] ^= word
        _sip_rounds(state, 2)
        state[0] ^= word
    state[2] ^= 0xFF
    _sip_rounds(state, 4)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _sip_rounds(state: list[int], count: int) -> None:
    a, b, c, d = state
    for _ in range(count):
        a, c = a + b & _MASK, c + d & _MASK
        b, d = _rotated(b, 51) ^ a, _rotated(d, 48) ^ c
        a, c = _rotated(a, 32) + d & _MASK, c + b & _MASK
        b, d = _rotated(b, 47) ^ c, _rotated(d, 43) ^ a
        c = _rotated(c, 32)
    state[:] = a, b, c, d


def _infer(x: Type, buckets: int, key: tuple[int, ...] = ()) -> Type:
    require_kind(x, "S")
    return Type(int64, x.shape)


def _kernel(x: Any, buckets: int, key: tuple[int, ...] = ()) -> Any:
    hashed = partial(siphash, key=key) if key else fingerprint64
    return each(lambda value: hashed(value) % buckets, x, dtype=np.int64)


hash_op = op(
    "string_hash", gradient=NOT_DIFFERENTIABLE, infer=_infer, numpy=_kernel,
    samples=lambda: [s.sample(["a", "", "a longer text than sixteen"], buckets=7), s.sample("a", buckets=9, key=(1, 2)),
                     s.sample(np.empty((0, 2), object), buckets=3)],
    doc="The number of a bucket for each string.", attributes=kinds("", buckets=lambda value: INT(value) and value > 0,
                     key=lambda value: tuple_of(INT)(value) and len(value) in (0, 2)),
)  # fmt: skip


def to_hash_bucket_fast(input: TensorLike, num_buckets: int, name: str | None = None) -> Any:
    """A number (int64) from 0 to ``num_buckets - 1`` for each string, always the same one: FarmHash's.

    The shape stays. Raises `InvalidArgumentError` for less than one bucket and for other dtypes.
    """
    require(num_buckets >= 1, f"num_buckets must be at least 1, not {num_buckets}")
    return hash_op(input, buckets=int(num_buckets), name=name)


def to_hash_bucket_strong(input: TensorLike, num_buckets: int, key: Sequence[int], name: str | None = None) -> Any:
    """A number (int64) from 0 to ``num_buckets - 1`` for each string, which nobody foresees without the ``key``.

    ``key``: two integers, for SipHash. The shape stays. Raises `InvalidArgumentError` for less than one bucket, another
    key and other dtypes.
    """
    require(num_buckets >= 1, f"num_buckets must be at least 1, not {num_buckets}")
    require(len(key) == 2, f"the key has two numbers, not {len(key)}")
    return hash_op(input, buckets=int(num_buckets), key=tuple(int(part) for part in key), name=name)
