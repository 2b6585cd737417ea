"""Random numbers that are the same, bit for bit, wherever they are computed: by NumPy, or by XLA on any device.

Elementary functions differ from library to library, and compilers make one rounding of a product and a sum. So what is
not integers here is made of sums, products, quotients and square roots of float64 alone, of which IEEE 754 says what
they are; `Math.rounded` keeps a product from the sum that it goes into; no number is so small as to be denormal; and
series do for the elementary functions, to within some units in the last place.

Which bits become which number is TensorFlow's choice: integers and uniform floats are TensorFlow's numbers, and normal
ones are, but for rounding.

G. Box, M. Muller, "A note on the generation of random normal deviates" (1958).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .philox import Words

__all__ = ["NUMPY", "RESERVED", "Math", "Rounded", "gumbel", "normals", "per_block", "raw", "truncated", "uniforms"]

_LEAST = 1.0e-7
"""The least uniform number that TensorFlow takes the logarithm of."""
_MOST = 2.0
"""Truncated normal numbers are smaller than this."""
RESERVED = 64
"""Blocks that TensorFlow keeps for each truncated normal number."""
_FRACTION_BITS = {"float16": 10, "float32": 23, "float64": 52}
_LOG_TERMS, _TURN_TERMS = 11, 9


Rounded = Callable[[Any], Any]
"""Gives a product that is not fused with a sum."""


class Math(NamedTuple):
    """What computes.

    Attributes
    ----------
    xp: NumPy or jax.numpy.
    stored: gives the arrays that a function gives, which are to be joined: computed once.
    """

    xp: Any
    rounded: Rounded
    stored: Callable[[Callable[[], list[Any]]], list[Any]]


NUMPY = Math(np, lambda x: x, lambda make: make())


def per_block(dtype: np.dtype[Any]) -> int:
    """How many numbers of a dtype a block gives: those of 64 bits take two of its numbers."""
    return 2 if dtype.itemsize == 8 else 4


def raw(math: Math, words: Words, wide: bool) -> Any:
    """The numbers of blocks in a row, of 32 or 64 bits, as uint64."""
    if wide:
        words = words[0] | words[1] << 32, words[2] | words[3] << 32
    return _joined(math, lambda: list(words))


def _joined(math: Math, make: Callable[[], list[Any]]) -> Any:
    """The first numbers of some arrays, then the second ones, and so on."""
    return math.xp.stack(math.stored(make), axis=1).reshape(-1)


def uniforms(math: Math, words: Words, dtype: np.dtype[Any]) -> Any:
    """Floats from 0 up to, without, 1."""
    bits = _FRACTION_BITS[dtype.name]
    if dtype.itemsize == 8:
        fractions = raw(math, [words[1], words[0], words[3], words[2]], True)
    else:
        fractions = raw(math, words, False)
    fractions = fractions & (1 << bits) - 1
    return (fractions.astype(np.int64).astype(np.float64) * 2.0**-bits).astype(dtype)


# Normal numbers


def _series(math: Math, x: Any, factors: Sequence[float]) -> Any:
    """A polynomial, by W. Horner's scheme, of which the last factor is that of the highest power."""
    result = x * factors[-1]
    for factor in factors[-2:0:-1]:
        result = math.rounded(result) + factor
        result = result * x
    return math.rounded(result) + factors[0]


def _log(math: Math, x: Any) -> Any:
    """The natural logarithm of floats that are normal and above zero: x = 2**n * m, and log(m) by a series of atanh."""
    bits = x.view(np.int64)
    shifted = bits + (0x3FF0000000000000 - 0x3FE6A09E667F3BCD)  # so that m is from sqrt(1/2) up to sqrt(2)
    exponent = (shifted >> 52) - 1023
    m = (bits - (exponent << 52)).view(np.float64)
    y = (m - 1) / (m + 1)
    terms = _series(math, math.rounded(y * y), [2 / (2 * i + 1) for i in range(_LOG_TERMS)])
    return math.rounded(exponent.astype(np.float64) * _LN2) + math.rounded(terms * y)


_LN2 = math.log(2)


def _on_circle(math: Math, turns: Any) -> tuple[Any, Any]:
    """Sine and cosine of turns, in units of 2**-52 of a whole one: to the next quarter, and by series from there."""
    quarter = (turns + (1 << 49)) >> 50
    angle = math.rounded((turns - (quarter << 50)).astype(np.float64) * (2.0**-51 * np.pi))
    square = math.rounded(angle * angle)
    sine = _series(math, square, _ALTERNATING[1]) * angle
    cosine = _series(math, square, _ALTERNATING[0])
    is_odd = quarter & 1 == 1
    one, other = math.xp.where(is_odd, cosine, sine), math.xp.where(is_odd, sine, cosine)
    return (math.xp.where(quarter & 2 == 2, -one, one), math.xp.where((quarter + 1) & 2 == 2, -other, other))


_ALTERNATING = [[(-1) ** i / math.factorial(2 * i + odd) for i in range(_TURN_TERMS)] for odd in (0, 1)]


def _pair(math: Math, first: Any, second: Any, bits: int) -> tuple[Any, Any]:
    """Two normal numbers, of two fractions of so many bits."""
    length = (first & (1 << bits) - 1).astype(np.int64).astype(np.float64) * 2.0**-bits
    length = math.xp.sqrt(_log(math, math.xp.maximum(length, _LEAST)) * -2.0)
    sine, cosine = _on_circle(math, (second & (1 << bits) - 1).astype(np.int64) << (52 - bits))
    return sine * length, cosine * length


def _normal_parts(math: Math, words: Words, wide: bool) -> list[Any]:
    """The normal numbers of blocks, of float32 or float64: the first of each, then the second of each, and so on."""
    a, b, c, d = words
    if wide:
        return list(_pair(math, a << 32 | b, c << 32 | d, 52))
    return [math.rounded(x.astype(np.float32)) for x in (*_pair(math, a, b, 23), *_pair(math, c, d, 23))]


def normals(math: Math, words: Words, dtype: np.dtype[Any]) -> Any:
    """Normally distributed numbers."""
    return _joined(math, lambda: _normal_parts(math, words, dtype.itemsize == 8)).astype(dtype)


def truncated(math: Math, words: Words, found: Any, count: Any) -> tuple[Any, Any]:
    """Fill up rows of normal numbers that are small enough, of float32 or float64.

    Each row has a block of its own, of which it takes, in their order, the numbers that it still lacks. ``count``: how
    many each row has, an int32.
    """
    places = np.arange(found.shape[1], dtype=np.int32)
    for part in _normal_parts(math, words, found.dtype.itemsize == 8):
        fits = abs(part) < _MOST
        found = math.xp.where(fits[:, None] & (places == count[:, None]), part[:, None], found)
        count = count + fits.astype(np.int32)
    return found, count


# Choices


def gumbel(math: Math, words: Words) -> Any:
    """Noise of the standard Gumbel distribution, of float64: the largest of logits plus noise is a fair choice."""
    odd = raw(math, words, True) >> 12 << 1 | 1  # so that the fraction is neither 0 nor 1
    return -_log(math, -_log(math, odd.astype(np.int64).astype(np.float64) * 2.0**-53))
