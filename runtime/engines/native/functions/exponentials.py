"""exp, exp2, expm1 and the hyperbolic functions, by ``exp(x) = 2**k * exp(r)`` with ``|r| <= log(2)/2``."""

from __future__ import annotations

import math

from ....base.dtypes import DType
from ..emit.emitter import Emitter
from .formats import Format
from .sharing import shared

__all__ = ["cosh", "exp", "exp2", "exp2_series", "exp_series", "expm1", "reduced", "sinh", "tanh"]

LN2 = {True: (0.693359375, -2.12194440054690583e-4), False: (6.93147180369123816490e-01, 1.90821492927058770002e-10)}
"""log(2) in two parts for float32 (True) and float64; the first is exact when it is multiplied with an exponent."""
# Where sinh and cosh overflow, and a little more.
_LARGE = {True: 89.5, False: 710.5}


def reduced(f: Format, x: str) -> tuple[str, str]:
    """``k`` (an integer register; see `Format.nearest`) and ``r`` with ``x = k * log(2) + r``."""
    k, bits = f.nearest(x, 1 / math.log(2))
    high, low = LN2[f.single]
    return bits, f.mul_add(k, f.number(-low), f.mul_add(k, f.number(-high), x))


def exp_series(f: Format) -> list[float]:
    """The coefficients of ``exp(r)``, the highest power first."""
    return [1 / math.factorial(i) for i in range(7 if f.single else 13, -1, -1)]


def exp2_series(degree: int) -> list[float]:
    """The coefficients of ``2**r``, the highest power first."""
    return [math.log(2) ** i / math.factorial(i) for i in range(degree, -1, -1)]


@shared
def exp(e: Emitter, dtype: DType, x: str) -> str:
    f = Format(e, dtype)
    k, r = reduced(f, f.clamped(x, -104.0, 89.0) if f.single else f.clamped(x, -746.0, 710.0))
    return f.choose(f.is_nan(x), x, f.scaled(f.polynomial(r, exp_series(f)), k))


@shared
def exp2(e: Emitter, dtype: DType, x: str) -> str:
    f = Format(e, dtype)
    bounded = f.clamped(x, -152.0, 129.0) if f.single else f.clamped(x, -1078.0, 1025.0)
    k, bits = f.nearest(bounded)
    result = f.scaled(f.polynomial(f.sub(bounded, k), exp2_series(7 if f.single else 13)), bits)
    return f.choose(f.is_nan(x), x, result)


def _quarter_less_one(f: Format, x: str) -> str:
    """``(exp(x) - 1) / 4``: so it does not overflow before what is made of it does."""
    k, r = reduced(f, x)
    power = f.power_of_two(f.whole("add", k, -2))
    series = f.mul_add(f.mul(r, r), f.polynomial(r, exp_series(f)[:-2]), r)  # exp(r) - 1
    return f.mul_add(power, series, f.sub(power, f.number(0.25)))


@shared
def expm1(e: Emitter, dtype: DType, x: str) -> str:
    f = Format(e, dtype)
    part = _quarter_less_one(f, f.clamped(x, -20.0 if f.single else -40.0, _LARGE[f.single]))
    return f.unless_tiny(x, f.mul(part, f.number(4.0)))


@shared
def tanh(e: Emitter, dtype: DType, x: str) -> str:
    f = Format(e, dtype)
    size = f.at_most(f.size(x), 10.0 if f.single else 22.0)
    part = _quarter_less_one(f, f.add(size, size))
    return f.unless_tiny(x, f.with_sign(f.div(part, f.add(part, f.number(0.5))), x))


@shared
def sinh(e: Emitter, dtype: DType, x: str) -> str:
    f = Format(e, dtype)
    part = _quarter_less_one(f, f.at_most(f.size(x), _LARGE[f.single]))
    inverse = f.div(part, f.mul_add(part, f.number(4.0), f.number(1.0)))  # (1 - exp(-x)) / 4
    return f.unless_tiny(x, f.with_sign(f.mul(f.add(part, inverse), f.number(2.0)), x))


@shared
def cosh(e: Emitter, dtype: DType, x: str) -> str:
    f = Format(e, dtype)
    k, r = reduced(f, f.at_most(f.size(x), _LARGE[f.single]))
    quarter = f.mul(f.polynomial(r, exp_series(f)), f.power_of_two(f.whole("add", k, -2)))
    inverse = f.div(f.number(0.125), quarter)  # exp(-x) / 2
    return f.choose(f.is_nan(x), x, f.mul_add(quarter, f.number(2.0), inverse))
