"""Incomplete gamma and beta functions, zeta, inverses of error functions, logit, scaled Bessel functions."""

from __future__ import annotations

import math as _math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...base.dtypes import bool_
from ...base.shapes import broadcast
from ...ir import records, totality
from ...ir.graph import Node, Value
from ...ir.identities import Make, Result
from ...ir.op import OPS, Op, Type, op
from ...ir.work import Work
from ...tensors.likes import TensorLike
from ...tensors.tensor import Tensor
from ...tensors.trace import apply
from ..declare import Function, binary, no_gradient, sum_to, unary
from ..infer import float_dtype, reals_to_float, require_kind
from ..kernels import incomplete, special
from ..kernels import samples as s
from .math import digamma, exp, lgamma, log, sign, square, xlog1py, xlogy

__all__ = ["bessel_i0e", "bessel_i1e", "betainc", "erfcinv", "igamma", "igammac", "logit", "ndtri", "zeta"]


def _infer(*types: Type) -> Type:
    """Shapes broadcast; floats, and float64 for integers."""
    for type_ in types:
        require_kind(type_, "iuf")
    return Type(float_dtype(types[0].dtype), broadcast(*[type_.shape for type_ in types]))


def _positive_pairs() -> list[Any]:
    a, x = np.array([0.5, 1.0, 2.5, 30.0, 150.0]), np.array([0.25, 3.0, 2.5, 35.0, 140.0])
    return [s.sample(a, x), s.sample(a.astype(np.float32), np.float32(2)), s.sample(a[:2, None], x[None, :3]),
            s.sample(np.array([0.0, -1.0, 1.0, np.nan, 1.0]), np.array([1.0, 1.0, 0.0, 1.0, np.inf])),
            s.sample(a[:0], x[:0]), s.sample(2, 3)]  # fmt: skip


# The incomplete gamma functions.


def _gamma_density(a: Tensor, x: Tensor) -> Any:
    return exp(xlogy(a - 1, x) - x - lgamma(a))


igamma: Function = binary(
    "igamma", incomplete.igamma,
    "The regularised lower incomplete gamma function: the integral of `t**(a - 1) exp(-t) / gamma(a)` from 0 to `x`.",
    _positive_pairs, lambda g, out, a, x: (
        lambda: sum_to(g * apply(_GRAD_A, a, x), a), lambda: sum_to(g * _gamma_density(a, x), x)
    ), infer=_infer, parameters="a x", public="math.igamma",
)  # fmt: skip
igammac: Function = binary(
    "igammac", incomplete.igammac, "The regularised upper incomplete gamma function, `1 - igamma(a, x)`.",
    _positive_pairs, lambda g, out, a, x: (
        lambda: sum_to(-g * apply(_GRAD_A, a, x), a), lambda: sum_to(-g * _gamma_density(a, x), x)
    ), infer=_infer, parameters="a x", public="math.igammac",
)  # fmt: skip
_GRAD_A: Op = op(
    "igamma_grad_a", infer=_infer, numpy=incomplete.igamma_grad_a, promote=0, samples=_positive_pairs,
    gradient=lambda g, out, a, x: (
        lambda: no_gradient("igamma", "its second derivative by `a` is not defined here"),
        lambda: sum_to(g * _gamma_density(a, x) * (log(x) - digamma(a)), x),
    ),
    doc="The derivative of `igamma` by `a`.", total=totality.elementwise,
)  # fmt: skip


# The incomplete beta function.


def _triples() -> list[Any]:
    a, b, x = np.array([0.5, 2.0, 30.0]), np.array([1.5, 2.0, 8.0]), np.array([0.25, 0.5, 0.8])
    return [s.sample(a, b, x), s.sample(a.astype(np.float32), np.float32(2), np.float32(0.3)),
            s.sample(np.array([1.0, 1.0, -1.0, 1.0]), np.ones(4), np.array([0.0, 1.0, 0.5, 2.0])),
            s.sample(a[:0], b[:0], x[:0])]  # fmt: skip


def _betainc_gradient(g: Tensor, out: Tensor, a: Tensor, b: Tensor, x: Tensor) -> tuple[Any, ...]:
    def refused() -> Any:
        return no_gradient("betainc", "only the derivative by `x` is defined; wrap the others in tf.stop_gradient")

    def slope() -> Any:
        logarithm = xlogy(a - 1, x) + xlog1py(b - 1, -x) - (lgamma(a) + lgamma(b) - lgamma(a + b))
        return sum_to(g * exp(logarithm), x)

    return refused, refused, slope


betainc_op: Op = op(
    "betainc", infer=_infer, numpy=incomplete.betainc, promote=0, gradient=_betainc_gradient, samples=_triples,
    doc="The regularised incomplete beta function.", total=totality.elementwise,
)


def betainc(a: TensorLike, b: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The regularised incomplete beta function: the integral of `t**(a-1) (1-t)**(b-1) / beta(a, b)` from 0 to `x`.

    The shapes broadcast, the dtypes are promoted; integers give float64. NaN where `a` or `b` is not positive or `x` is
    not from 0 to 1. Differentiable by `x`. Raises `InvalidArgumentError` for shapes that don't broadcast and for dtypes
    that are not real.
    """
    return betainc_op(a, b, x, name=name)


# The zeta function.

zeta: Function = binary(
    "zeta", incomplete.zeta, "The zeta function of Hurwitz: the sum of `(q + k) ** -x` for k from 0.",
    lambda: [s.sample(np.array([1.5, 2.0, 4.0, 30.0]), np.array([0.5, 1.0, 20.0, 3.5])),
             s.sample(np.float32(2), np.array([0.5, 1.5], np.float32)), s.sample(np.ones(0), np.ones(0)),
             s.sample(np.array([1.0, 2.0, 0.5]), np.array([1.0, 0.0, 1.0]))],
    lambda g, out, x, q: (
        lambda: no_gradient("zeta", "only the derivative by `q` is defined; wrap `x` in tf.stop_gradient"),
        lambda: sum_to(-g * x * zeta(x + 1, q), q),
    ), infer=_infer, parameters="x q", public="math.zeta",
)  # fmt: skip


# Inverses of error functions.

erfcinv: Function = unary(
    "erfcinv", incomplete.erfcinv, "The inverse of `erfc`, for numbers from 0 to 2.",
    lambda: [*s.unit_interval(), s.sample([0.0, 1.0, 2.0, 1.5, 1e-30, 3.0])],
    lambda g, out, x: g * (-_math.sqrt(_math.pi) / 2) * exp(square(out)), infer=reals_to_float, public="math.erfcinv",
)  # fmt: skip
ndtri: Function = unary(
    "ndtri", incomplete.ndtri, "The quantile of the standard normal distribution, for probabilities from 0 to 1.",
    lambda: [*s.unit_interval(), s.sample([0.0, 1.0, 0.5, 1e-30, -1.0])],
    lambda g, out, x: g * _math.sqrt(2 * _math.pi) * exp(square(out) / 2), infer=reals_to_float, public="math.ndtri",
)  # fmt: skip


def _certain(node: Node, inputs: Sequence[Value], make: Make) -> Result:
    """``logit`` of a bool that has been cast: what is certain has infinite odds."""
    inner, dtype = inputs[0].node, node.outputs[0].type.dtype.numpy
    if inner.op is not records.cast or inner.inputs[0].type.dtype is not bool_:
        return None
    return make(records.where, inner.inputs[0], np.array(np.inf, dtype), np.array(-np.inf, dtype))


logit: Function = unary(
    "logit", special.logit, "The logarithm of the odds `x / (1 - x)`, the inverse of `sigmoid`; NaN outside 0 to 1.",
    lambda: [*s.unit_interval(), s.sample([0.0, 1.0, 0.5, 1e-30, 0.999999, -1.0, 2.0, np.inf, np.nan])],
    lambda g, out, x: g / (x * (1 - x)), infer=reals_to_float, work=Work.LONG, native=True,
    identities=(_certain,), public="math.logit",
)  # fmt: skip


# Bessel functions without their growth.


def _i1e_slope(x: Tensor, out: Tensor) -> Any:
    zero = OPS["equal"](x, 0)
    safe = OPS["where"](zero, 1, x)
    return OPS["where"](zero, 0.5, bessel_i0e(x) - out * (sign(x) + 1 / safe))


bessel_i0e: Function = unary(
    "bessel_i0e", incomplete.bessel_i0e, "`exp(-abs(x)) * bessel_i0(x)`.", s.floats,
    lambda g, out, x: g * (bessel_i1e(x) - sign(x) * out), infer=reals_to_float, public="math.bessel_i0e",
)
bessel_i1e: Function = unary(
    "bessel_i1e", incomplete.bessel_i1e, "`exp(-abs(x)) * bessel_i1(x)`.", s.floats,
    lambda g, out, x: g * _i1e_slope(x, out), infer=reals_to_float, public="math.bessel_i1e",
)
