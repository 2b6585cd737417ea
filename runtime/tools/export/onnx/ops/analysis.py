"""Exponentials, logarithms, trigonometry: by ONNX's operators where runtimes are exact, and else made of others.

What runtimes lack in float64 is made of what they have. What is made of others is computed in float64 for shorter
floats, so that nothing is lost that the last digit would show.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from .....base.dtypes import float32, float64
from .....ir.graph import Node
from .....ir.op import OPS, lowers
from ..lowering import Lowering
from ..supported import ENGINE
from ..values import Value
from .elementwise import dtype_of, filled, in_result_dtype, is_nan, with_sign

Function = Callable[..., Value]


def _operator(kind: str) -> Function:
    return lambda x: x.here.add(kind, x)


for _kind in ("Sqrt", "Exp", "Log", "Sin", "Cos", "Tanh"):
    in_result_dtype(_operator(_kind), _kind.lower())
_exp, _log, _sqrt, _sin, _cos = map(_operator, ("Exp", "Log", "Sqrt", "Sin", "Cos"))

in_result_dtype(lambda x: 1 / _sqrt(x), "rsqrt")
in_result_dtype(lambda x: 1 / (1 + _exp(-x)), "sigmoid")  # runtimes' Sigmoid is 0 below -18
in_result_dtype(lambda x: x * (math.pi / 180), "deg2rad")
in_result_dtype(lambda x: x * (180 / math.pi), "rad2deg")


def in_double(function: Function, *names: str) -> None:
    """Registers ops that are computed in float64."""

    def lower(here: Lowering, node: Node, *values: Value) -> Value:
        return function(*[x.cast(float64) for x in values]).cast(dtype_of(node))

    lowers(ENGINE, *[OPS[name] for name in names])(lower)


def _with_operator(kind: str, function: Function, name: str) -> None:
    """Registers an op that is an operator for short floats, and a function of others for float64."""

    def lower(x: Value) -> Value:
        return function(x) if x.dtype is float64 else x.here.add(kind, x)

    in_result_dtype(lower, name)


# Exponentials and logarithms


def log1p(x: Value) -> Value:
    """By the logarithm of 1 + x as it is rounded, and how far that is from 1 (W. Kahan, in HP's calculators)."""
    here = x.here
    above = 1 + x
    far = above - 1
    exact = _log(above) * (x / here.where(far.equals(0), 1, far))
    return here.where(far.equals(0), x, here.where(_is_infinite(x), _log(above), exact))


def _expm1(x: Value) -> Value:
    here = x.here
    power = _exp(x)
    above, root = power - 1, _log(power)
    inner = here.where(root.equals(0) | _is_infinite(root), 1, root)
    exact = here.where(root.equals(0), x, above * (x / inner))
    return here.where(_is_infinite(root), above, exact)


def _is_infinite(x: Value) -> Value:
    return x.here.add("IsInf", x)


def _exp2(x: Value) -> Value:
    return x.here.add("Pow", x.here.constant(2, x.dtype), x)


def _logarithm(base: float) -> Function:
    return lambda x: _log(x) / math.log(base)


def _logaddexp(x: Value, y: Value) -> Value:
    here = x.here
    top = here.add("Max", x, y)
    return here.where(x.equals(y), x + math.log(2), top + log1p(_exp(-abs(x - y))))


def _cbrt(x: Value) -> Value:
    """The power, and a step of Newton's method."""
    here = x.here
    size = abs(x)
    root = here.add("Pow", size, here.constant(1 / 3, x.dtype))
    plain = size.equals(0) | _is_infinite(size)
    safe = here.where(plain, 1, root)
    better = safe - (safe * safe * safe - here.where(plain, 1, size)) / (3 * safe * safe)
    return here.where(is_nan(x), x, with_sign(here.where(plain, root, better), x))


def logaddexp(x: Value, y: Value) -> Value:
    """The logarithm of a sum of exponentials, in the dtype of the logarithms."""
    return _logaddexp(x.cast(float64), y.cast(float64)).cast(x.dtype)


in_double(log1p, "log1p")
in_double(_expm1, "expm1")
in_double(_exp2, "exp2")
in_double(_logarithm(2), "log2")
in_double(_logarithm(10), "log10")
in_double(_logaddexp, "logaddexp")
in_double(lambda x: _logaddexp(x, filled(x, 0)), "softplus")
in_double(lambda x, y: x.here.where(x.equals(0), 0, x * log1p(y)), "xlog1py")
in_double(_cbrt, "cbrt")


def _hypot(x: Value, y: Value) -> Value:
    here = x.here
    x, y = abs(x), abs(y)
    large, small = here.add("Max", x, y), here.add("Min", x, y)
    ratio = small / here.where(large.equals(0), 1, large)
    length = here.where(large.equals(0), 0, large * _sqrt(1 + ratio * ratio))
    return here.where(_is_infinite(x) | _is_infinite(y), math.inf, length)


in_double(_hypot, "hypot")

# Trigonometric functions


def _tan(x: Value) -> Value:
    return _sin(x) / _cos(x)


def _arctan(x: Value) -> Value:
    """Nearly the angle in float32, and the small angle that is left by the tangent of a difference."""
    here = x.here
    bounded = here.where(_is_infinite(x), with_sign(filled(x, 1e300), x), x)
    near = here.add("Atan", bounded.cast(float32)).cast(float64)
    sine, cosine = _sin(near), _cos(near)
    return near + (bounded * cosine - sine) / (cosine + bounded * sine)


def _arcsin(x: Value) -> Value:
    return _arctan(x / _sqrt((1 - x) * (1 + x)))


def _arccos(x: Value) -> Value:
    return 2 * _arctan(_sqrt((1 - x) / (1 + x)))


def _arctan2(y: Value, x: Value) -> Value:
    """Of the quotient, in the half of the plane in which the point lies."""
    here = x.here
    infinite = _is_infinite(x) & _is_infinite(y)
    zero = x.equals(0) & y.equals(0)
    ratio = here.where(infinite | zero, with_sign(filled(x, 1), y), abs(y) / abs(x))
    ratio = here.where(zero, 0, abs(ratio))
    angle = _arctan(ratio)
    negative = (x < 0) | (x.equals(0) & (1 / x < 0))
    angle = here.where(negative, math.pi - angle, angle)
    return here.where(is_nan(x) | is_nan(y), x + y, with_sign(angle, y))


_with_operator("Tan", _tan, "tan")
_with_operator("Asin", _arcsin, "arcsin")
_with_operator("Acos", _arccos, "arccos")
_with_operator("Atan", _arctan, "arctan")
in_double(_arctan2, "arctan2")

# Hyperbolic functions


def _sinh(x: Value) -> Value:
    size = abs(x)
    half = _expm1(size)
    small = (half + half / (half + 1)) / 2
    large = _exp(size / 2)
    return with_sign(x.here.where(size > 700, large / 2 * large, small), x)


def _cosh(x: Value) -> Value:
    half = _exp(abs(x) / 2)
    return half / 2 * half + 1 / half / 2 / half


def _arcsinh(x: Value) -> Value:
    here = x.here
    size = abs(x)
    bounded = here.where(size > 1e150, 1, size)
    square = bounded * bounded
    near = log1p(bounded + square / (1 + _sqrt(1 + square)))
    return with_sign(here.where(size > 1e150, _log(size) + math.log(2), near), x)


def _arccosh(x: Value) -> Value:
    here = x.here
    above = here.where(x > 1e150, 1, x - 1)
    near = log1p(above + _sqrt(above * (above + 2)))
    return here.where(x < 1, math.nan, here.where(x > 1e150, _log(x) + math.log(2), near))


def _arctanh(x: Value) -> Value:
    size = abs(x)
    return with_sign(log1p(2 * size / (1 - size)) / 2, x)


in_double(_sinh, "sinh")
in_double(_cosh, "cosh")
in_double(_arcsinh, "arcsinh")
in_double(_arccosh, "arccosh")
in_double(_arctanh, "arctanh")
