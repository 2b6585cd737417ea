"""Logarithms and inverse hyperbolic functions, by ``log(x) = k*log(2) + log(m)`` with ``sqrt(1/2) <= m < sqrt(2)``."""

from __future__ import annotations

import math

import numpy as np

from ....base.dtypes import DType
from ..emit.emitter import Emitter
from .exponentials import LN2, exp
from .formats import Format
from .sharing import shared

__all__ = ["arccosh", "arcsinh", "arctanh", "log", "log1p", "log1p_of_exp", "log2", "log10", "logaddexp", "parts"]

# (log(1+t) - t + t²/2) / t³, interpolated at Chebyshev nodes.
_SINGLE = (0.06971611471, -0.1147973385, 0.1168541992, -0.1242568733, 0.1424905765, -0.1666780232, 0.2000071575,
           -0.2499999696, 0.3333333118)  # fmt: skip
# In two parts for float32 (True) and float64.
_INVERSE_LN2 = {True: (1.4423828125, 0.00031222839606925845), False: (1.4426946640014648, 3.768874985636099e-07)}
_INVERSE_LN10 = {True: (0.4342041015625, 9.038033749675378e-05), False: (0.4342944622039795, 1.9699272335463627e-08)}
_LOG10_OF_2 = {True: (0.301025390625, 4.605039066518657e-06), False: (0.30102999566395283, 2.8363394551044964e-14)}


def parts(f: Format, x: str, subnormal: bool = True) -> tuple[str, str]:
    """``k`` (a float) and ``m - 1`` with ``x = 2**k * m``. ``subnormal``: whether `x` may be."""
    e = f.e
    if subnormal:
        tiny = f.compare("lt", x, 2.0 ** (1 - f.bias))
        x = f.choose(tiny, f.mul(x, f.number(2.0**f.mantissa * 4)), x)
    bits = f.bits(x)
    root = np.float32(math.sqrt(0.5)).view(np.int32) if f.single else np.float64(math.sqrt(0.5)).view(np.int64)
    k = f.whole("ashr", f.whole("sub", bits, int(root)), f.mantissa)
    m = f.of_bits(f.whole("sub", bits, f.whole("shl", k, f.mantissa)))
    if subnormal:
        k = f.whole("sub", k, e.select(tiny, f.integer, str(f.mantissa + 2), "0"))
    return f.of_integer(k), f.sub(m, f.number(1.0))


def _series(f: Format, t: str) -> tuple[str, str]:
    """``h`` and ``c`` with ``log(1+t) = t - (h - c)``, where ``h = t²/2``.

    For float32 ``c = t³ * P(t)``. For float64 ``c = s*(h + R)``, with ``s = t/(2+t)`` and the series ``R`` of
    ``2*atanh(s)`` without its first term.
    """
    square = f.mul(t, t)
    half = f.mul(square, f.number(0.5))
    if f.single:
        return half, f.mul(f.mul(t, square), f.polynomial(t, _SINGLE))
    s = f.div(t, f.add(t, f.number(2.0)))
    z = f.mul(s, s)
    rest = f.mul(z, f.polynomial(z, [2 / (2 * i + 1) for i in range(11, 0, -1)]))
    return half, f.mul(s, f.add(half, rest))


def _of_all(f: Format, x: str, edge: float, result: str) -> str:
    """The logarithm of `x` where it is at the edge of the domain, or outside, or no finite number."""
    result = f.where(x, "eq", edge, -math.inf, result)
    return f.unless_same(x, f.where(x, "lt", edge, math.nan, result))


@shared
def log(e: Emitter, dtype: DType, x: str) -> str:
    f = Format(e, dtype)
    return _of_all(f, x, 0.0, _log(f, *parts(f, x)))


def _log(f: Format, k: str, t: str, more: str | None = None) -> str:
    """``k * log(2) + log(1 + t) + more``"""
    half, correction = _series(f, t)
    high, low = LN2[f.single]
    correction = f.mul_add(k, f.number(low), correction)
    if more is not None:
        correction = f.add(correction, more)
    return f.mul_add(k, f.number(high), f.sub(t, f.sub(half, correction)))


def _log1p(f: Format, x: str, add: str | None = None) -> str:
    """``log(1 + x)`` for ``x > -1``, plus a number: the logarithm of the rounded sum, and what rounding left out."""
    one = f.number(1.0)
    sum = f.add(x, one)
    back = f.sub(sum, one)
    lost = f.add(f.sub(one, f.sub(sum, back)), f.sub(x, back))
    more = f.div(lost, sum)
    return _log(f, *parts(f, sum, subnormal=False), more if add is None else f.add(more, add))


@shared
def log1p(e: Emitter, dtype: DType, x: str) -> str:
    f = Format(e, dtype)
    return _of_all(f, x, -1.0, f.unless_tiny(x, _log1p(f, x)))


def _of_base(f: Format, x: str, inverse: tuple[float, float], log_of_2: tuple[float, float]) -> str:
    """The logarithm to a base, with ``1/log(base)`` and ``log2`` to that base in two parts each.

    The first parts have few bits, so that products with them are exact.
    """
    k, t = parts(f, x)
    half, correction = _series(f, t)
    high = f.cut(f.sub(t, half), 12 if f.single else 32)
    low = f.add(f.sub(f.sub(t, high), half), correction)
    first = f.mul(high, f.number(inverse[0]))
    rest = f.mul_add(f.add(low, high), f.number(inverse[1]), f.mul(low, f.number(inverse[0])))
    if log_of_2[1]:
        rest = f.mul_add(k, f.number(log_of_2[1]), rest)
    exponent = f.mul(k, f.number(log_of_2[0]))
    sum_ = f.add(exponent, first)
    return _of_all(f, x, 0.0, f.add(sum_, f.add(rest, f.add(f.sub(exponent, sum_), first))))


@shared
def log2(e: Emitter, dtype: DType, x: str) -> str:
    f = Format(e, dtype)
    return _of_base(f, x, _INVERSE_LN2[f.single], (1.0, 0.0))


@shared
def log10(e: Emitter, dtype: DType, x: str) -> str:
    f = Format(e, dtype)
    return _of_base(f, x, _INVERSE_LN10[f.single], _LOG10_OF_2[f.single])


@shared
def log1p_of_exp(e: Emitter, dtype: DType, x: str) -> str:
    """``log(1 + exp(x))`` for ``x <= 0``; some number for NaN."""
    f = Format(e, dtype)
    small = exp(e, dtype, x)
    sum = f.add(small, f.number(1.0))
    lost = f.sub(small, f.sub(sum, f.number(1.0)))
    return _log(f, *parts(f, sum, subnormal=False), f.div(lost, sum))


@shared
def logaddexp(e: Emitter, dtype: DType, x: str, y: str) -> str:
    f = Format(e, dtype)
    gap = f.sub(x, y)
    rest = log1p_of_exp(e, dtype, f.negative(f.size(gap)))
    larger = f.choose(e.compare("gt", dtype, x, y), x, y)
    even = f.add(x, f.number(math.log(2)))  # of infinities too
    result = f.choose(e.compare("eq", dtype, x, y), even, f.add(larger, rest))
    return f.choose(e.let(f"fcmp uno {f.kind} {x}, {y}"), gap, result)


def _doubled(f: Format, size: str, small: str) -> str:
    """``log1p(small)``, or ``log(2 * size)`` where the size is so large that it would be the same, or too large."""
    large = f.compare("gt", size, 2.0 ** (f.mantissa + 3))
    of_2 = f.choose(large, f.number(math.log(2)), f.number(0.0))
    return _log1p(f, f.choose(large, size, small), of_2)


@shared
def arcsinh(e: Emitter, dtype: DType, x: str) -> str:
    """``log(x + sqrt(x² + 1))``"""
    f = Format(e, dtype)
    size, one = f.size(x), f.number(1.0)
    square = f.mul(size, size)
    small = f.add(size, f.div(square, f.add(f.sqrt(f.add(square, one)), one)))
    result = f.with_sign(_doubled(f, size, small), x)
    return f.unless_tiny(x, f.choose(f.compare("eq", size, math.inf), x, result))


@shared
def arccosh(e: Emitter, dtype: DType, x: str) -> str:
    """``log(x + sqrt(x² - 1))``"""
    f = Format(e, dtype)
    t = f.sub(x, f.number(1.0))
    small = f.add(t, f.sqrt(f.mul(t, f.add(t, f.number(2.0)))))
    return f.unless_same(x, f.where(x, "lt", 1.0, math.nan, _doubled(f, x, small)))


@shared
def arctanh(e: Emitter, dtype: DType, x: str) -> str:
    """``log1p(2*x / (1-x)) / 2``"""
    f = Format(e, dtype)
    size = f.size(x)
    argument = f.div(f.add(size, size), f.sub(f.number(1.0), size))
    result = f.mul(_of_all(f, argument, -1.0, _log1p(f, argument)), f.number(0.5))
    return f.unless_tiny(x, f.with_sign(result, x))
