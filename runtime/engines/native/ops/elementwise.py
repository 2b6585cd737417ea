"""The elementwise ops in machine code: one entry of `FORMS` each, which their records get.

An entry is ``(loop, rule)``. ``loop`` says in which dtype NumPy computes: a ufunc, of which the inputs' dtypes choose
the loop, or a function of the inputs' dtypes. ``rule(e, t, x, y, ...)`` writes instructions with an `Emitter` for
inputs that have been cast to that dtype `t`, and returns the register of the result, of the dtype that inference says.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....base.dtypes import DType, bool_
from ....ir import records
from ....ir.op import OPS, Op
from .. import functions
from ..emit.emitter import Emitter, NotLowered, literal, type_of
from ..emit.forms import Elementwise, Rule, loop_types
from ..functions.division import divide, floor_divide, fmod, known_integer, reciprocal, remainder, truncatediv
from ..supported import ENGINE


def _floating(*dtypes: DType) -> tuple[DType, ...]:
    """The loop of ``exp`` for all inputs."""
    target = loop_types(np.exp, dtypes[0])[0]
    return (target,) * (len(dtypes) + 1)


def _same(*dtypes: DType) -> tuple[DType, ...]:
    return (*dtypes, dtypes[0])


# Arithmetic


def _arithmetic(which: str, for_bool: str | None) -> Rule:
    def rule(e: Emitter, t: DType, x: str, y: str) -> str:
        if t.kind == "b":
            if for_bool is None:
                raise NotLowered(f"{which} of booleans")
            return e.binary(for_bool, t, x, y)
        return e.arithmetic(which, t, x, y)

    return rule


def negative(e: Emitter, t: DType, x: str) -> str:
    return e.let(f"fneg {type_of(t)} {x}") if t.kind == "f" else e.arithmetic("sub", t, "0", x)


def absolute(e: Emitter, t: DType, x: str) -> str:
    if t.kind == "f":
        return e.intrinsic("fabs", t, x)
    if t.kind in "ub":
        return x
    return e.select(e.compare("lt", t, x, "0"), t, negative(e, t, x), x)


def sign(e: Emitter, t: DType, x: str) -> str:
    if t.kind == "b":
        raise NotLowered("sign of booleans")
    zero, one = literal(0, t), literal(1, t)
    result = e.select(e.compare("gt", t, x, zero), t, one, zero)
    if t.kind != "u":
        result = e.select(e.compare("lt", t, x, zero), t, literal(-1, t), result)
    return e.select(e.is_nan(t, x), t, x, result) if t.kind == "f" else result


def square(e: Emitter, t: DType, x: str) -> str:
    return e.binary("and", t, x, x) if t.kind == "b" else e.arithmetic("mul", t, x, x)


def rsqrt(e: Emitter, t: DType, x: str) -> str:
    return divide(e, t, literal(1, t), e.intrinsic("sqrt", t, x))


def power(e: Emitter, t: DType, x: str, y: str) -> str:
    if t.kind == "f":
        return _float_power(e, t, x, y)
    if t.kind == "b":
        raise NotLowered("power of booleans")
    return _integer_power(e, t, x, y)


def _float_power(e: Emitter, t: DType, x: str, y: str) -> str:
    """By few multiplications, or a root, where the exponent is known to need no more."""
    f = functions.Format(e, t)
    exponent = next((k for k in (-2.0, -1.0, -0.5, 0.5, 1.0, 2.0, 3.0, 4.0) if y == f.number(k)), None)
    if exponent is None:
        return functions.exp2(e, t, y) if x == f.number(2.0) else functions.power(e, t, x, y)
    if exponent == 0.5:  # NumPy has the root for such exponents, also of minus infinity
        return f.sqrt(x)
    if exponent == -0.5:
        x = f.where(x, "eq", -math.inf, math.inf, f.add(f.sqrt(x), f.number(0.0)))
    if exponent < 0:
        x = f.div(f.number(1.0), x)
    result = f.mul(x, x) if abs(exponent) > 1 else x
    return f.mul(result, x if exponent == 3.0 else result) if exponent > 2 else result


def _integer_power(e: Emitter, t: DType, x: str, y: str) -> str:
    """Repeated squaring with a fixed number of steps for a known exponent; fails for negative ones, which raise."""
    known = known_integer(y)
    if known is None or known < 0 or known > 64:
        raise NotLowered("power of integers with an exponent that is no small constant")
    result, base = literal(1, t), x
    while known:
        if known & 1:
            result = e.arithmetic("mul", t, result, base)
        known >>= 1
        if known:
            base = e.arithmetic("mul", t, base, base)
    return result


# Order


def _extreme(which: str, for_bool: str, of_numbers: bool = False) -> Rule:
    """The first number where it wins or is NaN, else the second; ``of_numbers``: a NaN only if both are."""

    def rule(e: Emitter, t: DType, x: str, y: str) -> str:
        if t.kind == "b":
            return e.binary(for_bool, t, x, y)
        return e.select(e.either(e.compare(which, t, x, y), e.is_nan(t, y if of_numbers else x)), t, x, y)

    return rule


def _comparison(which: str) -> Rule:
    return lambda e, t, x, y: e.compare(which, t, x, y)


maximum, minimum = _extreme("gt", "or"), _extreme("lt", "and")


def relu(e: Emitter, t: DType, x: str) -> str:
    return maximum(e, t, x, literal(0, t))


# Logic and bits


def _truth(e: Emitter, t: DType, x: str) -> str:
    return e.cast(x, t, bool_)


def _logic(instruction: str) -> Rule:
    return lambda e, t, x, y: e.let(f"{instruction} i1 {_truth(e, t, x)}, {_truth(e, t, y)}")


def logical_not(e: Emitter, t: DType, x: str) -> str:
    return e.let(f"xor i1 {_truth(e, t, x)}, true")


def _bits(instruction: str) -> Rule:
    return lambda e, t, x, y: e.binary(instruction, t, x, y)


def invert(e: Emitter, t: DType, x: str) -> str:
    return e.binary("xor", t, x, "true" if t.kind == "b" else "-1")


def _shift(instruction: str) -> Rule:
    """A shift by more than there are bits, or by a negative number, leaves nothing (of negative numbers -1)."""

    def rule(e: Emitter, t: DType, x: str, y: str) -> str:
        if t.kind == "b":
            raise NotLowered("shifts of booleans")
        kind, bits = type_of(t), t.numpy.itemsize * 8
        small = e.let(f"icmp ult {kind} {y}, {bits}")
        if instruction == "left":
            return e.select(small, t, e.binary("shl", t, x, y), "0")
        if t.kind == "u":
            return e.select(small, t, e.binary("lshr", t, x, y), "0")
        return e.select(small, t, e.binary("ashr", t, x, y), e.binary("ashr", t, x, str(bits - 1)))

    return rule


# Rounding and structure


def _rounding(intrinsic: str) -> Rule:
    return lambda e, t, x: e.intrinsic(intrinsic, t, x) if t.kind == "f" else x


def isnan(e: Emitter, t: DType, x: str) -> str:
    return e.is_nan(t, x)


def _size_compare(which: str, for_integers: str) -> Rule:
    def rule(e: Emitter, t: DType, x: str) -> str:
        if t.kind != "f":
            return for_integers
        return e.compare(which, t, e.intrinsic("fabs", t, x), literal(math.inf, t))

    return rule


def signbit(e: Emitter, t: DType, x: str) -> str:
    if t.kind != "f":
        raise NotLowered("signbit of integers")
    return e.compare("lt", t, e.intrinsic("copysign", t, literal(1, t), x), literal(0, t))


def copysign(e: Emitter, t: DType, x: str, y: str) -> str:
    return e.intrinsic("copysign", t, x, y)


def nextafter(e: Emitter, t: DType, x: str, y: str) -> str:
    """Numbers of one sign are ordered as the integers are that have their bits."""
    f = functions.Format(e, t)
    zero = f.compare("eq", x, 0.0)
    first = f.with_sign(f.number(np.finfo(t.numpy).smallest_subnormal), y)
    outwards = e.compare("eq", bool_, e.compare("lt", t, x, y), f.compare("gt", x, 0.0))
    moved = f.of_bits(f.whole("add", f.bits(x), e.select(outwards, f.integer, "1", "-1")))
    result = f.choose(e.compare("eq", t, x, y), y, f.choose(zero, first, moved))
    return f.choose(e.let(f"fcmp uno {f.kind} {x}, {y}"), f.add(x, y), result)


# Analysis


def sigmoid(e: Emitter, t: DType, x: str) -> str:
    one = literal(1, t)
    return divide(e, t, one, e.arithmetic("add", t, one, functions.exp(e, t, negative(e, t, x))))


def logit(e: Emitter, t: DType, x: str) -> str:
    f = functions.Format(e, t)
    rest = f.sub(f.number(1.0), x)
    far = functions.log(e, t, f.div(x, rest))
    near = functions.log1p(e, t, f.div(f.sub(f.add(x, x), f.number(1.0)), rest))
    return f.choose(f.compare("lt", x, 0.25), far, near)


def softplus(e: Emitter, t: DType, x: str) -> str:
    return functions.logaddexp(e, t, x, literal(0, t))


def _unless_zero(rule: Rule, tested: int) -> Rule:
    """Zero where an input is."""

    def guarded(e: Emitter, t: DType, x: str, y: str) -> str:
        zero = literal(0, t)
        return e.select(e.compare("eq", t, (x, y)[tested], zero), t, zero, rule(e, t, x, y))

    return guarded


def squared_difference(e: Emitter, t: DType, x: str, y: str) -> str:
    return square(e, t, e.arithmetic("sub", t, x, y))


def clip(e: Emitter, t: DType, x: str, low: str, high: str) -> str:
    return minimum(e, t, maximum(e, t, x, low), high)


def sigmoid_cross_entropy(e: Emitter, t: DType, labels: str, logits: str) -> str:
    size = negative(e, t, e.intrinsic("fabs", t, logits))
    tail = functions.log1p_of_exp(e, t, size)
    product = e.arithmetic("mul", t, logits, labels)
    return e.arithmetic("add", t, e.arithmetic("sub", t, relu(e, t, logits), product), tail)


_multiply = _arithmetic("mul", "and")
FORMS: dict[Op, tuple[Any, Rule]] = {
    records.add: (np.add, _arithmetic("add", "or")),
    records.subtract: (np.subtract, _arithmetic("sub", None)),
    records.multiply: (np.multiply, _multiply),
    records.divide: (np.divide, divide),
    records.negative: (np.negative, negative),
    records.absolute: (np.absolute, absolute),
    records.sign: (np.sign, sign),
    records.square: (np.square, square),
    records.sqrt: (np.sqrt, lambda e, t, x: e.intrinsic("sqrt", t, x)),
    records.rsqrt: (_floating, rsqrt),
    records.reciprocal: (np.reciprocal, reciprocal),
    records.floor_divide: (np.floor_divide, floor_divide),
    records.remainder: (np.remainder, remainder),
    records.fmod: (np.fmod, fmod),
    records.truncatediv: (np.floor_divide, truncatediv),
    records.power: (np.power, power),
    records.squared_difference: (np.subtract, squared_difference),
    records.divide_no_nan: (np.divide, _unless_zero(divide, 1)),
    records.multiply_no_nan: (np.multiply, _unless_zero(_multiply, 1)),
    records.xlogy: (_floating, _unless_zero(lambda e, t, x, y: e.arithmetic("mul", t, x, functions.log(e, t, y)), 0)),
    records.xlog1py: (
        _floating,
        _unless_zero(lambda e, t, x, y: e.arithmetic("mul", t, x, functions.log1p(e, t, y)), 0),
    ),
    records.xdivy: (np.divide, _unless_zero(divide, 0)),
    records.maximum: (np.maximum, maximum),
    records.minimum: (np.minimum, minimum),
    records.fmax: (np.fmax, _extreme("gt", "or", of_numbers=True)),
    records.fmin: (np.fmin, _extreme("lt", "and", of_numbers=True)),
    records.equal: (np.equal, _comparison("eq")),
    records.not_equal: (np.not_equal, _comparison("ne")),
    records.less: (np.less, _comparison("lt")),
    records.less_equal: (np.less_equal, _comparison("le")),
    records.greater: (np.greater, _comparison("gt")),
    records.greater_equal: (np.greater_equal, _comparison("ge")),
    records.logical_and: (np.logical_and, _logic("and")),
    records.logical_or: (np.logical_or, _logic("or")),
    records.logical_xor: (np.logical_xor, _logic("xor")),
    records.logical_not: (np.logical_not, logical_not),
    records.bitwise_and: (np.bitwise_and, _bits("and")),
    records.bitwise_or: (np.bitwise_or, _bits("or")),
    records.bitwise_xor: (np.bitwise_xor, _bits("xor")),
    records.invert: (np.invert, invert),
    records.left_shift: (np.left_shift, _shift("left")),
    records.right_shift: (np.right_shift, _shift("right")),
    records.floor: (np.floor, _rounding("floor")),
    records.ceil: (np.ceil, _rounding("ceil")),
    records.trunc: (np.trunc, _rounding("trunc")),
    records.rint: (np.rint, _rounding("rint")),
    records.isnan: (np.isnan, isnan),
    records.isinf: (np.isinf, _size_compare("eq", "false")),
    records.isfinite: (np.isfinite, _size_compare("lt", "true")),
    records.signbit: (np.signbit, signbit),
    records.copysign: (np.copysign, copysign),
    records.relu: (np.positive, relu),
    records.sigmoid: (_floating, sigmoid),
    records.logit: (_floating, logit),
    records.softplus: (_floating, softplus),
    records.logaddexp: (np.logaddexp, functions.logaddexp),
    records.clip: (_same, clip),
    records.sigmoid_cross_entropy: (_same, sigmoid_cross_entropy),
    records.deg2rad: (np.deg2rad, lambda e, t, x: e.arithmetic("mul", t, x, literal(t.numpy.type(math.pi / 180), t))),
    records.rad2deg: (np.rad2deg, lambda e, t, x: e.arithmetic("mul", t, x, literal(t.numpy.type(180 / math.pi), t))),
    records.erf: (_floating, functions.erf),
    records.erfc: (_floating, functions.erfc),
    records.nextafter: (np.nextafter, nextafter),
    records.identity: (_same, lambda e, t, x: x),
    records.stop_gradient: (_same, lambda e, t, x: x),
}
for _ufunc in (
    np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.sin, np.cos, np.tan, np.arcsin, np.arccos,
    np.arctan, np.arctan2, np.sinh, np.cosh, np.tanh, np.arcsinh, np.arccosh, np.arctanh, np.hypot, np.cbrt,
):  # fmt: skip
    FORMS[OPS[_ufunc.__name__]] = (_ufunc, getattr(functions, _ufunc.__name__))
for _op, _form in FORMS.items():
    _op.lowerings[ENGINE] = Elementwise(*_form)
