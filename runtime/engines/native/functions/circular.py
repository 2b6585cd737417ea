"""Sine, cosine, tangent and their inverses."""

from __future__ import annotations

import math

from ....base.dtypes import DType, float64, int64
from ..emit.emitter import Emitter
from .formats import Format
from .library import unless_far
from .sharing import shared

__all__ = ["arccos", "arcsin", "arctan", "arctan2", "cos", "sin", "tan"]

# pi/2 in parts: the first two have 33 bits each, so that products with less than 2**20 are exact.
_HALF_PI = float.fromhex("0x1.921fb544p+0"), float.fromhex("0x1.0b4611a6p-34"), float.fromhex("0x1.3198a2e037073p-69")
_FAR = 1e6
# pi/2 as it is rounded, and what is missing.
_RIGHT = {True: (1.5707963705062866, -4.371139000186241e-08), False: (math.pi / 2, 6.123233995736766e-17)}
# arctan(x) = x + x * z * P(z), z = x², up to tan(pi/8); arcsin(x) likewise, up to 1/2: interpolated at Chebyshev nodes.
_ARCTAN = {
    True: (-0.06026207948, 0.1056979111, -0.1423952761, 0.1999818277, -0.3333330689),
    False: (-0.01780477396050943, 0.03796469507021349, -0.05035080589113427, 0.05846873503411509, -0.06662951162727927,
            0.07692045274291998, -0.09090896805912162, 0.11111110744810647, -0.14285714279248055, 0.19999999999940868,
            -0.3333333333333312),
}  # fmt: skip
_ARCSIN = {
    True: (0.0336908472, 0.01714923836, 0.03110066274, 0.04459940153, 0.07500094543, 0.1666666634),
    False: (0.028757851367421566, -0.014851887071247204, 0.01740087944269402, 0.005457506718640358,
            0.01032281435018578, 0.011479177415184906, 0.013971212973552933, 0.017352392720869973,
            0.02237217294214989, 0.030381944138531247, 0.04464285714635543, 0.07499999999998433, 0.16666666666666669),
}  # fmt: skip


def _reduced(f: Format, x: str) -> tuple[str, str]:
    """The rest of ``x / (pi/2)``, times pi/2, and the quotient, an integer whose lowest bits are right."""
    wide = f.wide()
    k, quotient = wide.nearest(f.e.cast(x, f.dtype, float64), 2 / math.pi)
    rest = f.e.cast(x, f.dtype, float64)
    for part in _HALF_PI:
        rest = wide.mul_add(k, wide.number(-part), rest)
    return f.e.cast(rest, float64, f.dtype), f.e.cast(quotient, int64, f.integer)


def _sin_and_cos(f: Format, r: str) -> tuple[str, str]:
    """Both, by their Taylor series, for up to pi/4."""
    z = f.mul(r, r)
    terms = 4 if f.single else 8
    sin = [(-1) ** i / math.factorial(2 * i + 1) for i in range(terms, 0, -1)]
    cos = [(-1) ** i / math.factorial(2 * i) for i in range(terms + 1, 1, -1)]
    first = f.mul_add(z, f.number(-0.5), f.number(1.0))
    return f.mul_add(f.mul(r, z), f.polynomial(z, sin), r), f.mul_add(f.mul(z, z), f.polynomial(z, cos), first)


def _is_odd(f: Format, k: str) -> str:
    return f.e.compare("ne", f.integer, f.whole("and", k, 1), "0")


def _signed(f: Format, x: str, k: str) -> str:
    """Minus `x` where `k` has the bit of value 2."""
    sign = f.whole("shl", f.whole("and", k, 2), f.mantissa + (7 if f.single else 10))
    return f.of_bits(f.whole("xor", f.bits(x), sign))


@shared
def sin(e: Emitter, dtype: DType, x: str) -> str:
    f = Format(e, dtype)
    r, k = _reduced(f, x)
    sine, cosine = _sin_and_cos(f, r)
    result = _signed(f, f.choose(_is_odd(f, k), cosine, sine), k)
    return unless_far(e, "sin", dtype, x, _FAR, [x], f.unless_tiny(x, result))


@shared
def cos(e: Emitter, dtype: DType, x: str) -> str:
    f = Format(e, dtype)
    r, k = _reduced(f, x)
    sine, cosine = _sin_and_cos(f, r)
    result = _signed(f, f.choose(_is_odd(f, k), sine, cosine), f.whole("add", k, 1))
    return unless_far(e, "cos", dtype, x, _FAR, [x], result)


@shared
def tan(e: Emitter, dtype: DType, x: str) -> str:
    f = Format(e, dtype)
    r, k = _reduced(f, x)
    sine, cosine = _sin_and_cos(f, r)
    odd = _is_odd(f, k)
    result = f.div(f.choose(odd, f.negative(cosine), sine), f.choose(odd, sine, cosine))
    return unless_far(e, "tan", dtype, x, _FAR, [x], f.unless_tiny(x, result))


def _arctan(f: Format, x: str) -> str:
    """For ``x >= 0``: ``pi/4 + arctan((x-1)/(x+1))`` above tan(pi/8), ``pi/2 - arctan(1/x)`` above tan(3*pi/8)."""
    one, zero = f.number(1.0), f.number(0.0)
    middle, large = f.compare("gt", x, math.sqrt(2) - 1), f.compare("gt", x, math.sqrt(2) + 1)
    above = f.choose(large, f.number(-1.0), f.choose(middle, f.sub(x, one), x))
    r = f.div(above, f.choose(large, x, f.choose(middle, f.add(x, one), one)))
    right, rest = _RIGHT[f.single]
    start = f.choose(large, f.number(right), f.choose(middle, f.number(right / 2), zero))
    lost = f.choose(large, f.number(rest), f.choose(middle, f.number(rest / 2), zero))
    z = f.mul(r, r)
    return f.add(start, f.add(r, f.mul_add(f.mul(r, z), f.polynomial(z, _ARCTAN[f.single]), lost)))


@shared
def arctan(e: Emitter, dtype: DType, x: str) -> str:
    f = Format(e, dtype)
    return f.with_sign(_arctan(f, f.size(x)), x)


@shared
def arctan2(e: Emitter, dtype: DType, y: str, x: str) -> str:
    f = Format(e, dtype)
    across, up = f.size(x), f.size(y)
    steep = e.compare("gt", dtype, up, across)
    less, more = f.choose(steep, across, up), f.choose(steep, up, across)
    quotient = f.choose(e.compare("eq", dtype, less, more), f.number(1.0), f.div(less, more))  # of infinities too
    angle = _arctan(f, f.where(more, "eq", 0.0, 0.0, quotient))
    right, rest = _RIGHT[f.single]
    angle = f.choose(steep, f.add(f.sub(f.number(right), angle), f.number(rest)), angle)
    back = f.add(f.sub(f.number(2 * right), angle), f.number(2 * rest))
    left = e.compare("lt", f.integer, f.bits(x), "0")
    result = f.with_sign(f.choose(left, back, angle), y)
    return f.choose(e.let(f"fcmp uno {f.kind} {x}, {y}"), f.add(x, y), result)


def _arcsin_parts(f: Format, size: str) -> tuple[str, str, str]:
    """Whether ``size > 1/2``; ``t``, which is the size, or then ``sqrt((1-size)/2)``; and ``arcsin(t) - t``."""
    large = f.compare("gt", size, 0.5)
    half = f.mul(f.sub(f.number(1.0), size), f.number(0.5))
    z = f.choose(large, half, f.mul(size, size))
    t = f.choose(large, f.sqrt(half), size)
    return large, t, f.mul(f.mul(t, z), f.polynomial(z, _ARCSIN[f.single]))


@shared
def arcsin(e: Emitter, dtype: DType, x: str) -> str:
    f = Format(e, dtype)
    large, t, rest = _arcsin_parts(f, f.size(x))
    right, lost = _RIGHT[f.single]
    two = f.number(-2.0)
    high = f.add(f.mul_add(t, two, f.number(right)), f.mul_add(rest, two, f.number(lost)))
    return f.with_sign(f.choose(large, high, f.add(t, rest)), x)


@shared
def arccos(e: Emitter, dtype: DType, x: str) -> str:
    f = Format(e, dtype)
    large, t, rest = _arcsin_parts(f, f.size(x))
    right, lost = _RIGHT[f.single]
    t, rest = f.with_sign(t, x), f.with_sign(rest, x)
    near = f.sub(f.number(right), f.sub(t, f.sub(f.number(lost), rest)))
    twice = f.add(f.add(t, t), f.add(rest, rest))
    behind = f.add(f.add(f.number(2 * right), twice), f.number(2 * lost))
    return f.choose(large, f.choose(f.compare("lt", x, 0.0), behind, twice), near)
