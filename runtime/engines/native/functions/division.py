"""Division and remainders, as NumPy defines them. What it warns of is left to the plan."""

from __future__ import annotations

import math
import struct

import numpy as np

from ....base.dtypes import DType, bool_, float64
from ..emit.emitter import Emitter, NotLowered, literal, type_of
from ..foreign.machine import fuses
from . import Format, unless_far


def divide(e: Emitter, t: DType, x: str, y: str) -> str:
    return e.binary("fdiv", t, x, y)


def reciprocal(e: Emitter, t: DType, x: str) -> str:
    if t.kind == "f":
        return divide(e, t, literal(1, t), x)
    return _truncated(e, t, literal(1, t), x)[0]


def known_integer(register: str) -> int | None:
    """The integer that a register is a literal of."""
    try:
        return int(register)
    except ValueError:
        return None


def _divisor(e: Emitter, t: DType, x: str, y: str) -> str:
    """A divisor that does no harm; fails for 0, and for the quotient that does not fit."""
    known = known_integer(y)
    if known is not None and known != 0 and known != -1:
        return y
    bad = e.compare("eq", t, y, "0")
    if t.kind == "i":
        lowest = e.compare("eq", t, x, literal(np.iinfo(t.numpy).min, t))
        bad = e.either(bad, e.let(f"and i1 {lowest}, {e.compare('eq', t, y, '-1')}"))
    e.fail_if(bad)
    return e.select(bad, t, "1", y)


def _truncated(e: Emitter, t: DType, x: str, y: str) -> tuple[str, str]:
    """Quotient (towards zero) and divisor."""
    if t.kind not in "iu":
        raise NotLowered(f"division of {t.name}")
    y = _divisor(e, t, x, y)
    return e.binary("sdiv" if t.kind == "i" else "udiv", t, x, y), y


def _power_of_two(t: DType, y: str) -> int | None:
    """The exponent when a divisor is a positive power of two."""
    known = known_integer(y)
    if known is None or known <= 0 or known & (known - 1):
        return None
    return known.bit_length() - 1


def floor_divide(e: Emitter, t: DType, x: str, y: str) -> str:
    if t.kind == "f":
        return _float_division(e, t, x, y)[0]
    shift = _power_of_two(t, y)
    if shift is not None and t.kind == "i":
        return e.binary("ashr", t, x, str(shift))
    quotient, y = _truncated(e, t, x, y)
    if t.kind == "u":
        return quotient
    rest = e.arithmetic("sub", t, x, e.arithmetic("mul", t, quotient, y))
    wrong = e.let(f"zext i1 {_signs_differ(e, t, rest, y)} to {type_of(t)}")
    return e.arithmetic("sub", t, quotient, wrong)


def _signs_differ(e: Emitter, t: DType, rest: str, y: str) -> str:
    known = known_integer(y)
    if known is not None and known > 0:
        return e.compare("lt", t, rest, "0")
    unlike = e.compare("lt", t, e.binary("xor", t, rest, y), "0")
    return e.let(f"and i1 {unlike}, {e.compare('ne', t, rest, '0')}")


def remainder(e: Emitter, t: DType, x: str, y: str) -> str:
    if t.kind == "f":
        return _float_division(e, t, x, y)[1]
    shift = _power_of_two(t, y)
    if shift is not None and t.kind == "i":
        return e.binary("and", t, x, str((1 << shift) - 1))
    rest, y = _rest(e, t, x, y)
    if t.kind == "u":
        return rest
    return e.select(_signs_differ(e, t, rest, y), t, e.arithmetic("add", t, rest, y), rest)


def _rest(e: Emitter, t: DType, x: str, y: str) -> tuple[str, str]:
    if t.kind not in "iu":
        raise NotLowered(f"division of {t.name}")
    y = _divisor(e, t, x, y)
    return e.binary("srem" if t.kind == "i" else "urem", t, x, y), y


def fmod(e: Emitter, t: DType, x: str, y: str) -> str:
    return _float_rest(e, t, x, y) if t.kind == "f" else _rest(e, t, x, y)[0]


def truncatediv(e: Emitter, t: DType, x: str, y: str) -> str:
    return _truncated(e, t, x, y)[0]


def _known_float(register: str) -> float | None:
    """The number that a register of floats is a literal of."""
    return struct.unpack(">d", bytes.fromhex(register[2:]))[0] if register.startswith("0x") else None


def _float_rest(e: Emitter, t: DType, x: str, y: str) -> str:
    """The remainder with the sign of `x`: exactly ``x - q*y``; by the C library where the quotient has many digits."""
    f = Format(e, t)
    known = _known_float(y)
    if known is not None and abs(known) >= 1 and math.frexp(known)[0] in (0.5, -0.5):  # all of this is exact
        quotient = e.intrinsic("trunc", t, f.mul(x, f.number(1 / known)))
        return f.with_sign(f.sub(x, f.mul(quotient, y)), x)
    if f.single:  # the product is exact in float64
        w = f.wide()
        a, b = e.cast(x, t, float64), e.cast(y, t, float64)
        quotient = e.intrinsic("trunc", float64, w.div(a, b))
        rest = e.cast(w.sub(a, w.mul(quotient, b)), float64, t)
        quotient, limit = e.cast(w.at_most(w.size(quotient), 1e30), float64, t), 2.0**28
    elif fuses():
        quotient = e.intrinsic("trunc", t, f.div(x, y))
        rest = f.fused(f.negative(quotient), y, x)
        # the quotient may have been rounded to the next integer
        past = e.compare("ne", bool_, f.compare("lt", rest, 0.0), f.compare("lt", x, 0.0))
        past = f.both(past, e.compare("ne", t, rest, f.number(0.0)))
        back = f.with_sign(f.size(y), x)
        rest = f.choose(past, f.add(rest, back), rest)
        quotient, limit = f.at_most(f.size(quotient), 1e300), 2.0**51
    else:
        return e.libm("fmod", t, x, y)
    rest = f.choose(e.compare("lt", t, f.size(x), f.size(y)), x, f.with_sign(rest, x))
    return unless_far(e, "fmod", t, quotient, limit, [x, y], rest)


def _float_division(e: Emitter, t: DType, x: str, y: str) -> tuple[str, str]:
    """Quotient rounded down and remainder, by the algorithm of Python's (and NumPy's) ``divmod`` of floats."""
    zero, one = literal(0, t), literal(1, t)
    rest = _float_rest(e, t, x, y)
    plain = divide(e, t, x, y)
    quotient = divide(e, t, e.arithmetic("sub", t, x, rest), y)
    unlike = e.let(f"xor i1 {e.compare('lt', t, y, zero)}, {e.compare('lt', t, rest, zero)}")
    some = e.compare("ne", t, rest, zero)  # of NaN too
    wrong = e.let(f"and i1 {unlike}, {some}")
    moved = e.select(wrong, t, e.arithmetic("add", t, rest, y), rest)
    result = e.select(some, t, moved, e.intrinsic("copysign", t, zero, y))
    quotient = e.select(wrong, t, e.arithmetic("sub", t, quotient, one), quotient)
    down = e.intrinsic("floor", t, quotient)
    far = e.compare("gt", t, e.arithmetic("sub", t, quotient, down), literal(0.5, t))
    down = e.select(far, t, e.arithmetic("add", t, down, one), down)
    down = e.select(e.compare("ne", t, quotient, zero), t, down, e.intrinsic("copysign", t, zero, plain))
    nothing = e.compare("eq", t, y, zero)
    return e.select(nothing, t, plain, down), e.select(nothing, t, rest, result)
