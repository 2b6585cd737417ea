"""Arithmetic, comparisons, logic and bits, element by element.

Results are NumPy's: integers wrap around, what is divided by zero is 0, a NaN in a maximum stays one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .....base.dtypes import DType, bool_, float64, int64, string
from .....ir import records
from .....ir.graph import Node
from .....ir.op import OPS, lowers
from ..lowering import Lowering, NotExported
from ..supported import ENGINE
from ..values import Value

Function = Callable[..., Value]


def dtype_of(node: Node) -> DType:
    """The dtype of what a node gives."""
    return node.outputs[0].type.dtype


def in_result_dtype(function: Function, *names: str) -> None:
    """Registers ops that are computed in the dtype of their result."""

    def lower(here: Lowering, node: Node, *values: Value) -> Value:
        dtype = dtype_of(node)
        return function(*[convert(x, dtype) for x in values])

    lowers(ENGINE, *[OPS[name] for name in names])(lower)


def convert(x: Value, dtype: DType) -> Value:
    """The elements in another dtype; to which booleans and integers convert without a loss."""
    if string in (x.dtype, dtype) and x.dtype is not dtype:
        raise NotExported(f"it makes {dtype.name} of {x.dtype.name}")
    return x.cast(dtype)


def _strings_refused(x: Value) -> Value:
    if x.dtype is string:
        raise NotExported("ONNX's operators on text are few", "work on the text before the model")
    return x


# Arithmetic


def _add(x: Value, y: Value) -> Value:
    if x.dtype is bool_:
        return x | y
    return _strings_refused(x) + y


def _multiply(x: Value, y: Value) -> Value:
    return x & y if x.dtype is bool_ else x * y


in_result_dtype(_add, "add")
in_result_dtype(lambda x, y: x - y, "subtract")
in_result_dtype(_multiply, "multiply")
in_result_dtype(lambda x, y: x / y, "divide")
in_result_dtype(lambda x, y: (x - y) * (x - y), "squared_difference")
in_result_dtype(lambda x: x * x, "square")


def _negative(x: Value) -> Value:
    return x.here.constant(0, x.dtype) - x if x.dtype.kind == "u" else -x


in_result_dtype(_negative, "negative")


@lowers(ENGINE, records.add_n)
def _add_n(here: Lowering, node: Node, first: Value, *others: Value) -> Value:
    total = first
    for x in others:
        total = _add(total, x)
    return total


@lowers(ENGINE, records.absolute, records.sign)
def _absolute(here: Lowering, node: Node, x: Value) -> Value:
    if node.op is records.absolute:
        return x if x.dtype.kind in "bu" else abs(x)
    sign = here.add("Sign", x)
    return here.where(is_nan(x), x, sign) if x.dtype.is_floating else sign


@lowers(ENGINE, records.identity, records.stop_gradient, records.conjugate, records.real)
def _identity(here: Lowering, node: Node, x: Value) -> Value:
    return x


@lowers(ENGINE, records.imag)
def _imag(here: Lowering, node: Node, x: Value) -> Value:
    return filled(x, 0)


@lowers(ENGINE, records.angle)
def _angle(here: Lowering, node: Node, x: Value) -> Value:
    x = x.cast(dtype_of(node))
    return here.where(is_nan(x), x, here.where(is_negative(x), np.pi, here.constant(0, x.dtype)))


def filled(x: Value, number: Any, dtype: DType | None = None) -> Value:
    """A number in the shape of a value."""
    return x.here.add("Expand", x.here.constant(number, dtype or x.dtype), x.here.add("Shape", x))


# Order


def is_nan(x: Value) -> Value:
    """Whether elements are NaN, of any dtype."""
    return x.here.add("IsNaN", x) if x.dtype.is_floating else filled(x, False, bool_)


def larger(x: Value, y: Value) -> Value:
    """The larger one, or NaN."""
    return x.here.add("Max", x, y) if x.dtype is not bool_ else x | y


def smaller(x: Value, y: Value) -> Value:
    """The smaller one, or NaN."""
    return x.here.add("Min", x, y) if x.dtype is not bool_ else x & y


def _forgiving(function: Function) -> Function:
    def chosen(x: Value, y: Value) -> Value:
        if not x.dtype.is_floating:
            return function(x, y)
        return x.here.where(is_nan(x), y, x.here.where(is_nan(y), x, function(x, y)))

    return chosen


in_result_dtype(larger, "maximum")
in_result_dtype(smaller, "minimum")
in_result_dtype(_forgiving(larger), "fmax")
in_result_dtype(_forgiving(smaller), "fmin")
in_result_dtype(lambda x, low, high: smaller(larger(x, low), high), "clip")


def _relu(x: Value) -> Value:
    if x.dtype is bool_:
        return x
    return x.here.add("Relu", x) if x.dtype.is_floating else larger(x, x.here.constant(0, x.dtype))


in_result_dtype(_relu, "relu")


def _comparison(function: Function, *names: str) -> None:
    """Registers comparisons, in the dtype to which NumPy brings both sides."""

    def lower(here: Lowering, node: Node, x: Value, y: Value) -> Value:
        return function(_strings_refused(x), y)

    lowers(ENGINE, *[OPS[name] for name in names])(lower)


_comparison(lambda x, y: x < y, "less")
_comparison(lambda x, y: x <= y, "less_equal")
_comparison(lambda x, y: x > y, "greater")
_comparison(lambda x, y: x >= y, "greater_equal")


@lowers(ENGINE, records.equal, records.not_equal)
def _equal(here: Lowering, node: Node, x: Value, y: Value) -> Value:
    result = x.equals(y)
    return result if node.op is records.equal else ~result


@lowers(ENGINE, records.where)
def _where(here: Lowering, node: Node, condition: Value, x: Value, y: Value) -> Value:
    return here.where(truth(condition), x, y)


def truth(x: Value) -> Value:
    """Whether elements are other than zero; NaN is."""
    return x if x.dtype is bool_ else ~x.equals(0)


@lowers(ENGINE, records.isnan)
def _is_nan(here: Lowering, node: Node, x: Value) -> Value:
    return is_nan(x)


@lowers(ENGINE, records.isinf)
def _is_inf(here: Lowering, node: Node, x: Value) -> Value:
    return here.add("IsInf", x) if x.dtype.is_floating else filled(x, False, bool_)


@lowers(ENGINE, records.isfinite)
def _is_finite(here: Lowering, node: Node, x: Value) -> Value:
    return (x - x).equals(0) if x.dtype.is_floating else filled(x, True, bool_)


# Signs


def is_negative(x: Value) -> Value:
    """Whether the sign is negative, also of -0.0; that of NaN counts as positive."""
    if not x.dtype.is_floating:
        return x < 0 if x.dtype.kind == "i" else filled(x, False, bool_)
    return (x < 0) | (x.equals(0) & (1 / x < 0))


def with_sign(x: Value, y: Value) -> Value:
    """The size of one number with the sign of another."""
    size = abs(x)
    return x.here.where(is_negative(y), -size, size)


in_result_dtype(with_sign, "copysign")


@lowers(ENGINE, records.signbit)
def _signbit(here: Lowering, node: Node, x: Value) -> Value:
    return is_negative(x)


def _heaviside(x: Value, y: Value) -> Value:
    here = x.here
    step = here.where(x < 0, 0, here.where(x > 0, 1, filled(x, 1)))
    return here.where(is_nan(x), x, here.where(x.equals(0), y, step))


in_result_dtype(_heaviside, "heaviside")

# Rounding


def trunc(x: Value) -> Value:
    """Rounded towards zero; -0.0 of what is above -1."""
    down = x.here.add("Floor", abs(x))
    return with_sign(down, x)


def _rounding(function: Function, *names: str) -> None:
    """Registers roundings: those of whole numbers change nothing but the dtype."""

    def lower(here: Lowering, node: Node, x: Value) -> Value:
        whole = x.dtype.kind in "iub"
        x = x.cast(dtype_of(node))
        return x if whole else function(x)

    lowers(ENGINE, *[OPS[name] for name in names])(lower)


_rounding(lambda x: x.here.add("Floor", x), "floor")
_rounding(lambda x: x.here.add("Ceil", x), "ceil")
_rounding(lambda x: x.here.add("Round", x), "rint")
_rounding(trunc, "trunc")


@lowers(ENGINE, records.round)
def _round(here: Lowering, node: Node, x: Value, decimals: int = 0) -> Value:
    dtype = dtype_of(node)
    if dtype.is_integer:
        if decimals >= 0:
            return x
        if dtype.size == 8:
            raise NotExported("it rounds integers of 64 bits to tens", "cast to a float, or to int32")
        tens = 10.0**-decimals
        return _cast(here, node, here.add("Round", x.cast(float64) / tens) * tens, dtype)
    x = x.cast(dtype)
    if decimals == 0:
        return here.add("Round", x)
    scale = 10.0 ** abs(decimals)
    return here.add("Round", x * scale) / scale if decimals > 0 else here.add("Round", x / scale) * scale


# Logic and bits


def _logic(kind: str, name: str) -> None:
    def lower(here: Lowering, node: Node, x: Value, y: Value) -> Value:
        return here.add(kind, truth(x), truth(y))

    lowers(ENGINE, OPS[name])(lower)


def _bits(kind: str, logical: str, name: str) -> None:
    def lower(x: Value, y: Value) -> Value:
        return x.here.add(logical if x.dtype is bool_ else kind, x, y)

    in_result_dtype(lower, name)


for _kind, _name in (("And", "and"), ("Or", "or"), ("Xor", "xor")):
    _logic(_kind, f"logical_{_name}")
    _bits(f"Bitwise{_kind}", _kind, f"bitwise_{_name}")


@lowers(ENGINE, records.logical_not)
def _logical_not(here: Lowering, node: Node, x: Value) -> Value:
    return ~truth(x)


@lowers(ENGINE, records.invert)
def _invert(here: Lowering, node: Node, x: Value) -> Value:
    return ~x if x.dtype is bool_ else here.add("BitwiseNot", x)


# Conversion


@lowers(ENGINE, records.cast)
def _cast(here: Lowering, node: Node, x: Value, dtype: DType) -> Value:
    if dtype is bool_:
        return truth(x)
    if not x.dtype.is_floating or not dtype.is_integer:
        return x.cast(dtype)
    if dtype.name == "uint64":
        raise NotExported("it makes uint64 of floats", "cast to int64, or to a float")
    # What does not fit wraps around by way of the widest integers, which also have what there is of a NaN.
    return x.cast(float64).cast(int64).cast(dtype)


@lowers(ENGINE, records.isclose)
def _isclose(here: Lowering, node: Node, x: Value, y: Value, rtol: float, atol: float, equal_nan: bool) -> Value:
    dtype = x.dtype if x.dtype.is_floating else float64
    x, y = x.cast(dtype), y.cast(dtype)
    near = abs(x - y) <= here.constant(atol, dtype) + abs(y) * rtol
    close = (near & (y - y).equals(0)) | x.equals(y)
    return close | (is_nan(x) & is_nan(y)) if equal_nan else close
