"""The elementwise ops: by jax.numpy's function of NumPy's name, in the dtype in which NumPy computes.

XLA calculates what NumPy does, but for the last digits of floats: it takes denormal numbers for zeros, may join a
product and a sum to one operation that rounds once, and has functions of its own for `exp` and the like.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from ....base.dtypes import DType
from ....ir import records
from ....ir.graph import Node
from ....ir.op import OPS, lowers
from ..lowering import Lowering
from ..supported import ENGINE
from ..values import Lowered, is_known
from .arrays import array, dtype_of, quotient, refuse, working

_UFUNCS = """
    conjugate negative absolute sign square sqrt cbrt add subtract multiply maximum minimum fmax fmin gcd lcm
    exp exp2 expm1 log log2 log10 log1p logaddexp sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh
    arctanh arctan2 hypot deg2rad rad2deg floor ceil trunc rint nextafter copysign heaviside isnan isinf isfinite
    signbit equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor logical_not
    bitwise_and bitwise_or bitwise_xor invert left_shift right_shift
    """
Function = Callable[..., Lowered]


def _ufunc(ufunc: np.ufunc) -> Function:
    function = getattr(jnp, ufunc.__name__)
    wide = ufunc not in (np.nextafter, np.copysign, np.signbit)  # these look at bits

    def lower(here: Lowering, node: Node, *values: Lowered) -> Lowered:
        *loop, result = ufunc.resolve_dtypes((*[np.dtype(x.dtype) for x in values], None))
        inputs = [array(x).astype(working(t) if wide else t) for x, t in zip(values, loop, strict=True)]
        return function(*inputs).astype(result)

    return lower


for _name in _UFUNCS.split():
    lowers(ENGINE, OPS[_name])(_ufunc(OPS[_name].numpy))  # type: ignore[arg-type]


def _in_floats(function: Callable[..., Lowered], *names: str) -> None:
    """Registers ops that are computed in the floating dtype of their result."""

    def lower(here: Lowering, node: Node, *values: Lowered) -> Lowered:
        wide = working(dtype_of(node))
        return function(*[array(x).astype(wide) for x in values]).astype(dtype_of(node))

    lowers(ENGINE, *[OPS[name] for name in names])(lower)


_in_floats(quotient, "divide")
_in_floats(lambda x: 1 / jnp.sqrt(x), "rsqrt")
_in_floats(lambda x: jnp.logaddexp(x, jnp.zeros((), x.dtype)), "softplus")
_in_floats(lambda x: 1 / (1 + jnp.exp(-x)), "sigmoid")


# Division, which integers may not be able to do


def _integers(here: Lowering, x: Lowered, y: Lowered) -> list[Lowered]:
    """Integers as they can be divided; where they can't, or the quotient is too large, the plan runs, and warns.

    A divisor that is known needs no check while the program runs.
    """
    here.warns(y == 0)
    if x.dtype.kind == "i" and not (is_known(y) and (y != -1).all()):
        here.warns((x == np.iinfo(x.dtype).min) & (y == -1))
    return jnp.broadcast_arrays(x, y if is_known(y) else jnp.where(y == 0, jnp.ones((), y.dtype), y))


def _division(floats: Callable[..., Lowered], integers: Callable[..., Lowered], *names: str) -> None:
    """Registers a division, by what it means for floats and for integers."""

    def lower(here: Lowering, node: Node, x: Lowered, y: Lowered) -> Lowered:
        dtype = dtype_of(node)
        wide = working(dtype)
        x, y = array(x).astype(wide), y.astype(wide)
        if wide.kind == "f":
            return floats(*jnp.broadcast_arrays(x, y)).astype(dtype)
        result = integers(*_integers(here, x, y)).astype(dtype)
        return result if is_known(y) else jnp.where(y == 0, jnp.zeros((), dtype), result)

    lowers(ENGINE, *[OPS[name] for name in names])(lower)


def _remainder(x: Lowered, y: Lowered) -> Lowered:
    """The remainder with the sign of the divisor, also where it is zero."""
    rest = lax.rem(x, y)
    moved = jnp.where((rest < 0) != (y < 0), rest + y, rest)
    return jnp.where(rest == 0, jnp.copysign(jnp.zeros((), x.dtype), y), moved)


def _floor_divide(x: Lowered, y: Lowered) -> Lowered:
    """As NumPy does it: by way of the remainder, so that the quotient is rounded from a number that is nearly whole."""
    rest = lax.rem(x, y)
    quotient = (x - rest) / y
    quotient = jnp.where((rest != 0) & ((y < 0) != (rest < 0)), quotient - 1, quotient)
    down = jnp.floor(quotient)
    down = jnp.where(quotient - down > 0.5, down + 1, down)
    zero = jnp.copysign(jnp.zeros((), x.dtype), x / y)
    return jnp.where(y == 0, x / y, jnp.where(quotient == 0, zero, down))


_division(_floor_divide, jnp.floor_divide, "floor_divide")
_division(_remainder, jnp.remainder, "remainder")
_division(lax.rem, lax.rem, "fmod")


@lowers(ENGINE, records.truncatediv)
def _truncatediv(here: Lowering, node: Node, x: Lowered, y: Lowered) -> Lowered:
    dtype = dtype_of(node)
    x, y = array(x).astype(dtype), y.astype(dtype)
    if dtype.kind in "iu":
        return jnp.where(y == 0, jnp.zeros((), dtype), lax.div(*_integers(here, x, y)))
    exact = quotient(x.astype(working(dtype)), y.astype(working(dtype)))
    limits = np.finfo(dtype)  # XLA would leave out that the quotient becomes one of 16 bits first
    return jnp.trunc(lax.reduce_precision(exact, limits.nexp, limits.nmant)).astype(dtype)


@lowers(ENGINE, records.reciprocal)
def _reciprocal(here: Lowering, node: Node, x: Lowered) -> Lowered:
    dtype = dtype_of(node)
    x = array(x).astype(working(dtype))
    if dtype.kind in "fc":
        return (1 / x).astype(dtype)
    here.fails(x == 0)
    return lax.div(*_integers(here, jnp.ones_like(x), x))


@lowers(ENGINE, records.power)
def _power(here: Lowering, node: Node, x: Lowered, y: Lowered) -> Lowered:
    dtype = dtype_of(node)
    x, y = array(x).astype(working(dtype)), y.astype(working(dtype))
    if dtype.kind == "i":
        here.fails(y < 0)
        if is_known(y) and y.size == 1:
            return jnp.broadcast_to(lax.integer_pow(x, int(y.item())), np.broadcast_shapes(x.shape, y.shape))
        y = jnp.maximum(y, 0)
    return jnp.power(x, y).astype(dtype)


def _unless_zero(function: Callable[..., Lowered], tested: int, *names: str) -> None:
    """Registers ops that give zero where an input is."""

    def lower(x: Lowered, y: Lowered) -> Lowered:
        zero = (x, y)[tested] == 0
        return jnp.where(zero, jnp.zeros((), x.dtype), function(x, jnp.where(zero, jnp.ones((), y.dtype), y)))

    _in_floats(lower, *names)


_unless_zero(quotient, 1, "divide_no_nan")
_unless_zero(lambda x, y: x * y, 1, "multiply_no_nan")
_unless_zero(lambda x, y: x * jnp.log(y), 0, "xlogy")
_unless_zero(lambda x, y: x * jnp.log1p(y), 0, "xlog1py")
_unless_zero(quotient, 0, "xdivy")


# What is made of others


@lowers(ENGINE, records.squared_difference)
def _squared_difference(here: Lowering, node: Node, x: Lowered, y: Lowered) -> Lowered:
    difference = array(x).astype(dtype_of(node)) - array(y).astype(dtype_of(node))
    return difference * difference


@lowers(ENGINE, records.relu)
def _relu(here: Lowering, node: Node, x: Lowered) -> Lowered:
    return jnp.maximum(array(x), jnp.zeros((), x.dtype))


@lowers(ENGINE, records.clip)
def _clip(here: Lowering, node: Node, x: Lowered, low: Lowered, high: Lowered) -> Lowered:
    return jnp.minimum(jnp.maximum(array(x), array(low)), array(high))


@lowers(ENGINE, records.add_n)
def _add_n(here: Lowering, node: Node, first: Lowered, *others: Lowered) -> Lowered:
    total = array(first)
    for x in others:
        total = total + array(x)
    return total


@lowers(ENGINE, records.round)
def _round(here: Lowering, node: Node, x: Lowered, decimals: int = 0) -> Lowered:
    x = array(x).astype(dtype_of(node))
    if x.dtype.kind == "c":
        return lax.complex(_rounded(x.real, decimals), _rounded(x.imag, decimals))
    if x.dtype.kind == "f":
        return _rounded(x, decimals)
    return x if decimals >= 0 else refuse("integers rounded to tens", node)


def _rounded(x: Lowered, decimals: int) -> Lowered:
    """Floats rounded as NumPy does: a power of ten is exact, its inverse is not."""
    wide = x.astype(working(np.dtype(x.dtype)))
    if decimals == 0:
        return jnp.rint(wide).astype(x.dtype)
    scale = jnp.asarray(10.0 ** abs(decimals), wide.dtype)
    if decimals > 0:
        return quotient(jnp.rint(wide * scale), scale).astype(x.dtype)
    return (jnp.rint(quotient(wide, scale)) * scale).astype(x.dtype)


@lowers(ENGINE, records.where)
def _where(here: Lowering, node: Node, condition: Lowered, x: Lowered, y: Lowered) -> Lowered:
    return jnp.where(array(condition) != 0, array(x), array(y))


@lowers(ENGINE, records.isclose)
def _isclose(
    here: Lowering, node: Node, x: Lowered, y: Lowered, rtol: float, atol: float, equal_nan: bool
) -> Lowered:  # fmt: skip
    return jnp.isclose(array(x), array(y), rtol=rtol, atol=atol, equal_nan=equal_nan)


@lowers(ENGINE, records.identity, records.stop_gradient)
def _identity(here: Lowering, node: Node, x: Lowered) -> Lowered:
    return x


# Complex numbers


@lowers(ENGINE, records.real)
def _real(here: Lowering, node: Node, x: Lowered) -> Lowered:
    return array(x).real


@lowers(ENGINE, records.imag)
def _imag(here: Lowering, node: Node, x: Lowered) -> Lowered:
    return array(x).imag


@lowers(ENGINE, records.angle)
def _angle(here: Lowering, node: Node, x: Lowered) -> Lowered:
    x = array(x)
    wide = working(dtype_of(node))
    return jnp.arctan2(x.imag.astype(wide), x.real.astype(wide)).astype(dtype_of(node))


@lowers(ENGINE, records.complex)
def _complex(here: Lowering, node: Node, real: Lowered, imag: Lowered) -> Lowered:
    return lax.complex(*jnp.broadcast_arrays(array(real), array(imag)))


# Conversion


@lowers(ENGINE, records.cast)
def _cast(here: Lowering, node: Node, x: Lowered, dtype: DType) -> Lowered:
    x, target = array(x), dtype.numpy
    if x.dtype.kind == "c" and target.kind not in "cb":
        x = x.real
    if x.dtype.kind == "f" and target.kind in "iu":
        return _to_integers(here, x, target)
    return (x != 0) if target.kind == "b" else x.astype(target)


def _to_integers(here: Lowering, x: Lowered, target: np.dtype[Any]) -> Lowered:
    """Floats cut off. The plan has to run where one does not fit; negative numbers that wrap around do."""
    limits = np.iinfo(target)
    low, high = limits.min, limits.max + 1
    if target.kind == "u":
        low, high = -(2**63), 2**64 if target.itemsize == 8 else 2**63
    whole = jnp.trunc(x.astype(np.float64))
    here.fails(~((whole >= float(low)) & (whole < float(high))))
    if target == np.uint64:
        large = whole >= 2.0**63
        wrapped = jnp.where(large, 0, whole).astype(np.int64).astype(target)
        return jnp.where(large, jnp.where(large, whole, 0).astype(target), wrapped)
    return whole.astype(np.int64 if target.kind == "u" else target).astype(target)


@lowers(ENGINE, records.bitcast)
def _bitcast(here: Lowering, node: Node, x: Lowered, dtype: DType) -> Lowered:
    if "c" in (x.dtype.kind, dtype.kind):
        refuse("the bits of complex numbers", node)
    return lax.bitcast_convert_type(array(x), dtype.numpy)
