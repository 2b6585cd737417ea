"""Elementary functions written in branch-free IR, so that LLVM can vectorise loops that call them.

========  =================================================================  ==========================
function  method                                                             error (ulps), at most
========  =================================================================  ==========================
exp       ``2**k * exp(r)`` with ``|r| <= log(2)/2`` and the Taylor series   2 (float32), 2 (float64)
log       ``k*log(2) + log(m)`` with ``sqrt(1/2) <= m < sqrt(2)``, by the    2 (float32), 2 (float64)
          series of ``log((1+s)/(1-s))``
tanh      ``e / (e + 2)`` with ``e = exp(2*x) - 1``, by the same reduction   4 (float32), 4 (float64)
          as exp
========  =================================================================  ==========================

The bounds are tested against float64 and long double. The reductions are those of W. J. Cody and W. Waite, "Software
Manual for the Elementary Functions" (1980): the logarithm of 2 in two parts, the first of which is exact when it is
multiplied with an exponent. All other functions are calls of the C library's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...dtypes import DType, float32, int32, int64
from .emitter import Emitter, type_of

_LN2 = {True: (0.693359375, -2.12194440054690583e-4), False: (6.93147180369123816490e-01, 1.90821492927058770002e-10)}
_MANTISSA = {True: 23, False: 52}
_BIAS = {True: 127, False: 1023}


class _Format:
    """The layout of a floating-point type, and shorthands for arithmetic in it."""

    def __init__(self, e: Emitter, dtype: DType) -> None:
        self.e, self.dtype = e, dtype
        self.single = dtype is float32
        self.integer = int32 if self.single else int64
        self.mantissa, self.bias = _MANTISSA[self.single], _BIAS[self.single]

    def number(self, value: float) -> str:
        import numpy as np

        return self.e.number(np.float32(value) if self.single else value, self.dtype)

    def add(self, x: str, y: str) -> str:
        return self.e.arithmetic("add", self.dtype, x, y)

    def sub(self, x: str, y: str) -> str:
        return self.e.arithmetic("sub", self.dtype, x, y)

    def mul(self, x: str, y: str) -> str:
        return self.e.arithmetic("mul", self.dtype, x, y)

    def div(self, x: str, y: str) -> str:
        return self.e.binary("fdiv", self.dtype, x, y)

    def mul_add(self, x: str, y: str, z: str) -> str:
        return self.e.intrinsic("fmuladd", self.dtype, x, y, z)

    def polynomial(self, x: str, coefficients: Sequence[float]) -> str:
        """Horner's scheme; the highest power first."""
        total = self.number(coefficients[0])
        for coefficient in coefficients[1:]:
            total = self.mul_add(total, x, self.number(coefficient))
        return total

    def power_of_two(self, k: str) -> str:
        """``2**k`` for an integer register of normal exponents."""
        e, kind = self.e, type_of(self.integer)
        bits = e.let(f"shl {kind} {e.let(f'add {kind} {k}, {self.bias}')}, {self.mantissa}")
        return e.let(f"bitcast {kind} {bits} to {type_of(self.dtype)}")


def _reduced(f: _Format, x: str) -> tuple[str, str]:
    """``k`` (an integer register) and ``r`` with ``x = k * log(2) + r``."""
    e = f.e
    k = e.intrinsic("rint", f.dtype, f.mul(x, f.number(1 / math.log(2))))
    high, low = _LN2[f.single]
    r = f.mul_add(k, f.number(-low), f.mul_add(k, f.number(-high), x))
    return e.let(f"fptosi {type_of(f.dtype)} {k} to {type_of(f.integer)}"), r


def _clamped(f: _Format, x: str, low: float, high: float) -> str:
    """`x` within limits; NaN becomes the lower one."""
    e = f.e
    x = e.select(e.compare("ge", f.dtype, x, f.number(low)), f.dtype, x, f.number(low))
    return e.select(e.compare("le", f.dtype, x, f.number(high)), f.dtype, x, f.number(high))


def _taylor(f: _Format) -> list[float]:
    """The coefficients of ``exp(r)``, the highest power first."""
    return [1 / math.factorial(i) for i in range(7 if f.single else 13, -1, -1)]


def exp(e: Emitter, dtype: DType, x: str) -> str:
    f = _Format(e, dtype)
    low, high = (-104.0, 89.0) if f.single else (-746.0, 710.0)
    k, r = _reduced(f, _clamped(f, x, low, high))
    kind = type_of(f.integer)
    half = e.let(f"ashr {kind} {k}, 1")  # in two steps, for results that are subnormal or infinite
    rest = e.let(f"sub {kind} {k}, {half}")
    result = f.mul(f.mul(f.polynomial(r, _taylor(f)), f.power_of_two(half)), f.power_of_two(rest))
    return e.select(e.is_nan(dtype, x), dtype, x, result)


def tanh(e: Emitter, dtype: DType, x: str) -> str:
    f = _Format(e, dtype)
    size = e.intrinsic("fabs", dtype, x)
    limit = f.number(10.0 if f.single else 22.0)
    bounded = e.select(e.compare("lt", dtype, size, limit), dtype, size, limit)
    k, r = _reduced(f, f.add(bounded, bounded))
    power = f.power_of_two(k)
    series = f.mul(r, f.polynomial(r, _taylor(f)[:-1]))  # exp(r) - 1
    less_one = f.mul_add(power, series, f.sub(power, f.number(1.0)))
    result = e.intrinsic("copysign", dtype, f.div(less_one, f.add(less_one, f.number(2.0))), x)
    return e.select(e.is_nan(dtype, x), dtype, x, result)


def log(e: Emitter, dtype: DType, x: str) -> str:
    f = _Format(e, dtype)
    kind, real = type_of(f.integer), type_of(dtype)
    tiny = e.compare("lt", dtype, x, f.number(2.0 ** (1 - f.bias)))
    scaled = e.select(tiny, dtype, f.mul(x, f.number(2.0**f.mantissa * 4)), x)
    bits = e.let(f"bitcast {real} {scaled} to {kind}")
    # the exponent that leaves a mantissa from sqrt(1/2) on
    offset = _bits_of_root_half(f)
    shifted = e.let(f"sub {kind} {bits}, {offset}")
    k = e.let(f"ashr {kind} {shifted}, {f.mantissa}")
    mantissa = e.let(f"sub {kind} {bits}, {e.let(f'shl {kind} {k}, {f.mantissa}')}")
    m = e.let(f"bitcast {kind} {mantissa} to {real}")
    k = e.let(f"sub {kind} {k}, {e.select(tiny, f.integer, str(f.mantissa + 2), '0')}")
    exponent = e.let(f"sitofp {kind} {k} to {real}")
    t = f.sub(m, f.number(1.0))
    s = f.div(t, f.add(t, f.number(2.0)))
    square = f.mul(s, s)
    # log(1+t) = t - t²/2 + s * (t²/2 + R), where R is the rest of the series of 2*atanh(s)
    rest = f.mul(square, f.polynomial(square, [2 / (2 * i + 1) for i in range(5 if f.single else 11, 0, -1)]))
    half = f.mul(f.mul(t, t), f.number(0.5))
    high, low = _LN2[f.single]
    correction = f.mul_add(s, f.add(half, rest), f.mul(exponent, f.number(low)))
    result = f.mul_add(exponent, f.number(high), f.sub(t, f.sub(half, correction)))
    result = e.select(e.compare("eq", dtype, x, f.number(0.0)), dtype, f.number(-math.inf), result)
    result = e.select(e.compare("lt", dtype, x, f.number(0.0)), dtype, f.number(math.nan), result)
    same = e.either(e.is_nan(dtype, x), e.compare("eq", dtype, x, f.number(math.inf)))
    return e.select(same, dtype, x, result)


def _bits_of_root_half(f: _Format) -> int:
    import numpy as np

    if f.single:
        return int(np.float32(math.sqrt(0.5)).view(np.int32))
    return int(np.float64(math.sqrt(0.5)).view(np.int64))
