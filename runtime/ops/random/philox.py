"""Philox4x32-10, the random bits of stateless functions and of `Generator`: TensorFlow's, number for number.

A key scrambles a counter to a block of four numbers of 32 bits; the next counter gives the next block. The source is
the same for Python's integers and for arrays of uint64, NumPy's and JAX's: nothing overflows, and whoever runs it gets
the same bits.

J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

__all__ = ["State", "Words", "block", "blocks", "state_of_seed"]

_LOW = 0xFFFFFFFF
_FACTORS = (0xD2511F53, 0xCD9E8D57)
_STEPS = (0x9E3779B9, 0xBB67AE85)
"""What is added to both halves of the key after each round."""
_SEED_KEY = 0x02461E293EC8F720
"""The key that scrambles a seed, in TensorFlow."""
_FEW = 8

Words = Sequence[Any]
"""The four numbers of each block: below 2**32, as uint64, in four arrays."""


class State(NamedTuple):
    """Where numbers begin: a counter of 128 bits in two words, and a key of 64 bits; integers, or uint64 scalars."""

    low: Any
    high: Any
    key: Any


def block(low: Any, high: Any, key: Any) -> tuple[Any, Any, Any, Any]:
    """The block of a counter, or the blocks of an array of counters."""
    a, b, c, d = low & _LOW, low >> 32, high & _LOW, high >> 32
    first, second = key & _LOW, key >> 32
    for _ in range(10):
        left, right = a * _FACTORS[0], c * _FACTORS[1]
        a, b, c, d = right >> 32 ^ b ^ first, right & _LOW, left >> 32 ^ d ^ second, left & _LOW
        first, second = first + _STEPS[0] & _LOW, second + _STEPS[1] & _LOW
    return a, b, c, d


def blocks(state: State, places: Any) -> Words:
    """The blocks at some places, an array of uint64, counted from the state."""
    low = places + state.low
    high = (low < places).astype(np.uint64) + state.high  # what is carried over
    if isinstance(places, np.ndarray) and len(places) <= _FEW:  # calls of NumPy would take longer
        found = [block(a, b, state.key) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
        return list(np.array(found, np.uint64).reshape(-1, 4).T)
    return block(low, high, state.key)


def state_of_seed(first: Any, second: Any) -> State:
    """The state for a seed, the two's complement of two integers of 64 bits."""
    a, b, c, d = block(first, second, _SEED_KEY)
    return State(a * 0, c | d << 32, a | b << 32)
