"""Uniform random numbers of a seed: bit for bit those of NumPy, so that a program draws what the plan draws.

NumPy hashes the seed to a key, with which Philox scrambles the numbers 1, 2, … to four numbers of 64 bits each. Other
distributions are drawn by rejection, one number after the other, which only the plan does; so are integers of less than
32 bits.

M. O'Neill, "Developing a seed_seq alternative" (2015); J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"
(2011); D. Lemire, "Fast random integer generation in an interval" (2019).
"""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from ....base.dtypes import DType
from ....ir import records
from ....ir.graph import Node
from ....ir.op import lowers
from ..lowering import Lowering
from ..supported import ENGINE
from ..values import Lowered
from .arrays import array, dims_of, refuse

_HALF = 0xFFFFFFFF
_STEPS = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)
"""What is added to the key each time."""


# From the seed to a key


class _Hash:
    """A hash of numbers of 32 bits whose constant changes each time."""

    def __init__(self, start: int, factor: int) -> None:
        self.constant, self.factor = start, factor

    def __call__(self, x: Lowered) -> Lowered:
        x = x ^ np.uint32(self.constant)
        self.constant = self.constant * self.factor & _HALF
        x = x * np.uint32(self.constant)
        return x ^ (x >> np.uint32(16))


def _mixed(x: Lowered, y: Lowered) -> Lowered:
    result = x * np.uint32(0xCA01F9DD) - y * np.uint32(0x4973F715)
    return result ^ (result >> np.uint32(16))


def _words(seed: Lowered) -> list[Lowered]:
    """The two integers as four numbers of 32 bits: the upper half of one is left out where it is zero."""
    whole = seed.astype(np.uint64)
    low, high = (whole & np.uint64(_HALF)).astype(np.uint32), (whole >> np.uint64(32)).astype(np.uint32)
    zero = jnp.zeros((), np.uint32)
    long = high[0] != 0
    return [low[0], jnp.where(long, high[0], low[1]), jnp.where(long, low[1], high[1]), jnp.where(long, high[1], zero)]


def _key(seed: Lowered) -> tuple[Lowered, Lowered]:
    """The key of Philox, two numbers of 64 bits."""
    first = _Hash(0x43B0D7E5, 0x931E8875)
    pool = [first(word) for word in _words(seed)]
    for source in range(4):
        for target in range(4):
            if source != target:
                pool[target] = _mixed(pool[target], first(pool[source]))
    last = _Hash(0x8B51F9DD, 0x58F38DED)
    parts = [last(word).astype(np.uint64) for word in pool]
    return parts[0] | parts[1] << np.uint64(32), parts[2] | parts[3] << np.uint64(32)


# From a key to numbers


def _product(x: Lowered, factor: int) -> tuple[Lowered, Lowered]:
    """The upper and the lower half of a product of numbers of 64 bits, made of products of their halves."""
    half, shift = np.uint64(_HALF), np.uint64(32)
    a, b, c, d = x >> shift, x & half, np.uint64(factor >> 32), np.uint64(factor & _HALF)
    middle = a * d + (b * d >> shift)
    other = b * c + (middle & half)
    return a * c + (middle >> shift) + (other >> shift), x * np.uint64(factor)


def _numbers(seed: Lowered, count: int) -> Lowered:
    """So many numbers of 64 bits."""
    keys = _key(seed)
    blocks = jnp.arange(1, -(-count // 4) + 1, dtype=np.uint64)
    x = [blocks, *[jnp.zeros_like(blocks)] * 3]
    for turn in range(10):
        first, second = (key + np.uint64(turn * step % 2**64) for key, step in zip(keys, _STEPS, strict=True))
        (high, low), (high_2, low_2) = _product(x[0], 0xD2E7470EE14C6C93), _product(x[2], 0xCA5A826395121157)
        x = [high_2 ^ x[1] ^ first, low_2, high ^ x[3] ^ second, low]
    return jnp.stack(x, axis=1).reshape(-1)[:count]


def _halves(seed: Lowered, count: int) -> Lowered:
    """So many numbers of 32 bits: the lower half of each of those of 64 bits, then the upper one."""
    whole = _numbers(seed, -(-count // 2))
    return jnp.stack([whole & np.uint64(_HALF), whole >> np.uint64(32)], axis=1).reshape(-1)[:count]


def _unit(seed: Lowered, count: int, dtype: Any) -> Lowered:
    """Floats from 0 up to, without, 1."""
    if dtype == np.float64:
        return (_numbers(seed, count) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return (_halves(seed, count) >> np.uint64(8)).astype(np.float32) * np.float32(2.0**-24)


def _integers(here: Lowering, seed: Lowered, count: int, size: int) -> Lowered:
    """So many of the first ``size`` integers. A number that would be drawn again makes the plan run."""
    small = size <= 2**32
    drawn = _halves(seed, count) if small else _numbers(seed, count)
    if size in (2**32, 2**64):
        return drawn
    if small:
        product = drawn * np.uint64(size)
        here.fails((product & np.uint64(_HALF)) < np.uint64(2**32 % size))
        return product >> np.uint64(32)
    high, low = _product(drawn, size)
    here.fails(low < np.uint64(2**64 % size))
    return high


@lowers(ENGINE, records.stateless_random_uniform)
def _stateless_uniform(
    here: Lowering, node: Node, seed: Lowered, low: Lowered, high: Lowered, *dims: Lowered, shape: Any, dtype: DType
) -> Lowered:
    shape = dims_of(here, dims, shape, "the shape")
    here.fails(seed.shape != (2,) or np.broadcast_shapes(shape, low.shape, high.shape) != shape)
    here.fails(min(shape, default=0) < 0)
    count = math.prod(shape)
    if dtype.kind in "iu":
        if dtype.numpy.itemsize < 4 or low.ndim or high.ndim:
            refuse("random integers of less than 32 bits, or between bounds of their own", node)
        least, end = (int(here.static(each, "a bound of random integers")) for each in (low, high))
        here.fails(least >= end)
        drawn = _integers(here, array(seed), count, end - least) if end - least > 1 else jnp.zeros(count, np.uint64)
        return (drawn + np.uint64(least % 2**64)).astype(dtype.numpy).reshape(shape)
    low, high = array(low), array(high)
    values = _unit(array(seed), count, np.float64 if dtype.numpy == np.float64 else np.float32).reshape(shape)
    scaled = values * (high - low)
    scaled = jnp.where(jnp.isnan(scaled), jnp.nan, scaled)  # so that the sum is rounded by itself
    return jnp.minimum(scaled + low, jnp.nextafter(high, low)).astype(dtype.numpy)
