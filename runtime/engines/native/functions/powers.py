"""Powers and roots of any numbers."""

from __future__ import annotations

import math

from ....base.dtypes import DType, float32, float64
from ..emit.emitter import Emitter
from ..foreign.machine import fuses
from .exponentials import exp2_series
from .formats import Format
from .logarithms import parts
from .sharing import shared

__all__ = ["cbrt", "hypot", "power"]

# 2/log(2) and 1/3 in two parts, for float32 (True) and float64.
_TWO_BY_LN2 = {True: (2.885390043258667, 3.8519260e-08), False: (2.8853900817779268, 4.0710547481862066e-17)}
_THIRD = {True: (0.3333333432674408, -9.934107e-09), False: (1 / 3, 1.850371707708594e-17)}
# The cube root from 1 to 2, to 2**-19: interpolated at Chebyshev nodes.
_CBRT = (0.005072953325277491, -0.04831832068166114, 0.19665479701360078, -0.4602977267696209, 0.8317431442479309,
         0.47514693623890253)  # fmt: skip


@shared
def power(e: Emitter, dtype: DType, x: str, y: str) -> str:
    """``2**(y * log2(abs(x)))``, the logarithm in two parts; by the C library where that would be slow."""
    if not fuses():
        return e.libm("pow", dtype, x, y)
    f = Format(e, dtype)
    size = f.size(x)
    found = f.where(size, "eq", 1.0, 1.0, _power(f, size, y))
    half = f.mul(y, f.number(0.5))
    whole = e.compare("eq", dtype, e.intrinsic("trunc", dtype, y), y)
    odd = f.both(whole, e.compare("ne", dtype, e.intrinsic("trunc", dtype, half), half))
    found = f.choose(odd, f.with_sign(found, x), found)
    below = f.both(f.compare("lt", x, 0.0), f.compare("gt", x, -math.inf))
    broken = f.both(below, e.compare("ne", dtype, e.intrinsic("trunc", dtype, y), y))
    broken = e.either(broken, e.let(f"fcmp uno {f.kind} {x}, {y}"))
    found = f.choose(broken, f.number(math.nan), found)
    return f.where(y, "eq", 0.0, 1.0, f.where(x, "eq", 1.0, 1.0, found))


def _of_logarithm(f: Format, x: str, result: str) -> str:
    """log2(x) where `x` is 0 or infinite."""
    return f.where(x, "eq", 0.0, -math.inf, f.where(x, "eq", math.inf, math.inf, result))


def _power(f: Format, x: str, y: str) -> str:
    limit = 160.0 if f.single else 1100.0
    high, low = _log2(f, x)
    high = _of_logarithm(f, x, high)
    exponent = f.mul(high, y)
    rest = f.mul_add(low, y, f.fused(high, y, f.negative(exponent)))
    rest = f.choose(f.compare("lt", f.size(exponent), limit), rest, f.number(0.0))
    exponent = f.clamped(exponent, -limit, limit)
    k, bits = f.nearest(exponent)
    return f.scaled(f.polynomial(f.add(f.sub(exponent, k), rest), exp2_series(7 if f.single else 13)), bits)


def _log2(f: Format, x: str) -> tuple[str, str]:
    """The logarithm in two parts that have about 12 bits more together than one.

    ``log(m) = 2*s * (1 + z/3 + z²/5 + ...)`` with ``s = (m-1)/(m+1)`` and ``z = s²``: the products are computed with
    what their rounding leaves out (T. J. Dekker, "A floating-point technique for extending the available precision",
    1971).
    """
    k, t = parts(f, x)
    two = f.number(2.0)
    divisor = f.add(t, two)
    inverse = f.div(f.number(1.0), divisor)
    s = f.mul(t, inverse)
    lost = f.sub(t, f.sub(divisor, two))
    s_low = f.mul(f.sub(f.fused(f.negative(s), divisor, t), f.mul(s, lost)), inverse)
    z, z_low = f.mul(s, s), f.mul(f.mul(s, s_low), two)
    z_low = f.add(f.fused(s, s, f.negative(z)), z_low)
    # z/3 and the rest of the series
    third, third_low = (f.number(each) for each in _THIRD[f.single])
    first = f.mul(z, third)
    first_low = f.fused(z, third, f.negative(first))
    first_low = f.mul_add(z_low, third, f.mul_add(z, third_low, first_low))
    rest = f.mul(f.mul(z, z), f.polynomial(z, [1 / (2 * i + 1) for i in range(5 if f.single else 12, 1, -1)]))
    w, w_low = _sum(f, first, rest)
    w_low = f.add(w_low, first_low)
    # times s, plus s
    q = f.mul(s, w)
    q_low = f.mul_add(s_low, w, f.mul_add(s, w_low, f.fused(s, w, f.negative(q))))
    h, h_low = _sum(f, s, q)
    h_low = f.add(h_low, f.add(s_low, q_low))
    # times 2/log(2), plus k
    c, c_low = (f.number(each) for each in _TWO_BY_LN2[f.single])
    g = f.mul(h, c)
    g_low = f.mul_add(h_low, c, f.mul_add(h, c_low, f.fused(h, c, f.negative(g))))
    high, low = _sum(f, k, g)
    return high, f.add(low, g_low)


def _sum(f: Format, x: str, y: str) -> tuple[str, str]:
    """``x + y`` and what rounding left out, for ``abs(x) >= abs(y)`` or ``x == 0``."""
    sum = f.add(x, y)
    return sum, f.add(f.sub(x, sum), y)


@shared
def cbrt(e: Emitter, dtype: DType, x: str) -> str:
    """``2**(k/3)`` times the root of the mantissa, by a polynomial and a step of Halley's method."""
    f = Format(e, dtype)
    size = f.size(x)
    tiny = f.compare("lt", size, 2.0 ** (1 - f.bias))
    steps = f.mantissa // 3 + 1
    bits = f.bits(f.choose(tiny, f.mul(size, f.number(8.0**steps)), size))
    k = f.whole("lshr", bits, f.mantissa)
    # the mantissa, as a number from 1 to 2
    m = f.of_bits(f.whole("add", f.whole("sub", bits, f.whole("shl", k, f.mantissa)), f.bias << f.mantissa))
    k = f.whole("add", k, 3 * 1024 - f.bias)
    third = f.whole("lshr", f.whole("mul", k, 21846), 16)  # k // 3
    left = f.whole("sub", k, f.whole("mul", third, 3))
    value = f.mul(m, f.power_of_two(left))
    one, two = e.compare("eq", f.integer, left, "1"), e.compare("eq", f.integer, left, "2")
    factor = f.choose(two, f.number(4 ** (1 / 3)), f.choose(one, f.number(2 ** (1 / 3)), f.number(1.0)))
    root = f.mul(f.polynomial(m, _CBRT), factor)
    cube = f.mul(f.mul(root, root), root)
    step = f.div(f.sub(value, cube), f.mul_add(cube, f.number(2.0), value))
    root = f.mul_add(root, step, root)
    exponent = f.whole("sub", third, e.select(tiny, f.integer, str(1024 + steps), "1024"))
    result = f.with_sign(f.mul(root, f.power_of_two(exponent)), x)
    zero = f.compare("eq", x, 0.0)
    return f.choose(e.either(zero, e.either(f.is_nan(x), f.compare("eq", size, math.inf))), x, result)


@shared
def hypot(e: Emitter, dtype: DType, x: str, y: str) -> str:
    """The root of the sum of squares: of float32 in float64, of float64 scaled so that nothing is lost."""
    f = Format(e, dtype)
    a, b = f.size(x), f.size(y)
    infinite = e.either(f.compare("eq", a, math.inf), f.compare("eq", b, math.inf))
    if f.single:
        w = f.wide()
        a, b = e.cast(a, float32, float64), e.cast(b, float32, float64)
        result = e.cast(w.sqrt(w.mul_add(a, a, w.mul(b, b))), float64, float32)
    else:
        more = f.choose(e.compare("gt", dtype, a, b), a, b)
        large, small = f.compare("gt", more, 2.0**500), f.compare("lt", more, 2.0**-500)
        down, up = f.number(2.0**-600), f.number(2.0**600)
        scale = f.choose(large, down, f.choose(small, up, f.number(1.0)))
        back = f.choose(large, up, f.choose(small, down, f.number(1.0)))
        a, b = f.mul(a, scale), f.mul(b, scale)
        result = f.mul(f.sqrt(f.mul_add(a, a, f.mul(b, b))), back)
    return f.choose(infinite, f.number(math.inf), result)
