"""Special functions: by JAX's own. Those that JAX has in a few digits only are computed in 64 bits."""

from __future__ import annotations

import math
from collections.abc import Callable

import jax.numpy as jnp
import jax.scipy.special as jsp
import numpy as np
from jax import lax

from ....ir import records
from ....ir.graph import Node
from ....ir.op import Op, lowers
from ....ops.kernels.special import BERNOULLI
from ..lowering import Lowering
from ..supported import ENGINE
from ..values import Lowered
from .arrays import array, dtype_of, working


def _special(record: Op, function: Callable[..., Lowered], in_64_bits: bool = False) -> None:
    def lower(here: Lowering, node: Node, *values: Lowered) -> Lowered:
        wide = np.float64 if in_64_bits else working(dtype_of(node))
        return function(*jnp.broadcast_arrays(*[array(x).astype(wide) for x in values])).astype(dtype_of(node))

    lowers(ENGINE, record)(lower)


_special(records.erf, jsp.erf)
_special(records.erfc, jsp.erfc)
_special(records.erfinv, jsp.erfinv, in_64_bits=True)
_special(records.erfcinv, lambda x: -jsp.ndtri(x / 2) / math.sqrt(2), in_64_bits=True)
_special(records.ndtri, jsp.ndtri, in_64_bits=True)
_special(records.lgamma, jsp.gammaln, in_64_bits=True)
_special(records.digamma, lambda x: jnp.where(_is_pole(x), jnp.nan, jsp.digamma(x)), in_64_bits=True)
_special(records.igamma, jsp.gammainc, in_64_bits=True)
_special(records.igammac, jsp.gammaincc, in_64_bits=True)
_special(records.betainc, jsp.betainc, in_64_bits=True)
_special(records.sinc, lambda x: jnp.where(jnp.isinf(x), jnp.nan, jnp.sinc(x)))  # which is 0 in some versions of JAX
_special(records.i0, jsp.i0, in_64_bits=True)
_special(records.i1, jsp.i1, in_64_bits=True)
_special(records.bessel_i0e, jsp.i0e, in_64_bits=True)
_special(records.bessel_i1e, jsp.i1e, in_64_bits=True)


def _logit(x: Lowered) -> Lowered:
    """The logarithm of the odds; from 1/4 on by what these are above 1, which is exact near 1/2."""
    return jnp.where(x < 0.25, jnp.log(x / (1 - x)), jnp.log1p((2 * x - 1) / (1 - x)))


_special(records.logit, _logit, in_64_bits=True)


def _igamma_grad_a(a: Lowered, x: Lowered) -> Lowered:
    """The derivative is zero where the function is 0 or 1 for all numbers nearby, which JAX takes for no number."""
    flat = (a == 0) & (x > 0) | (a > 0) & ((x == 0) | jnp.isposinf(x)) | jnp.isposinf(a) & (x >= 0) & jnp.isfinite(x)
    return jnp.where(flat, 0.0, lax.igamma_grad_a(a, x))


_special(records.igamma_grad_a, _igamma_grad_a, in_64_bits=True)


# The zeta function of Hurwitz, which JAX has for positive numbers only


def _power(z: Lowered, s: Lowered) -> Lowered:
    """``z ** -s`` where ``s`` is whole or ``z`` is positive."""
    size = jnp.abs(z) ** -s
    return jnp.where((z < 0) & (s % 2 != 0), -size, size)


def _zeta(s: Lowered, q: Lowered) -> Lowered:
    """The sum of ``(q + k) ** -s``: up to numbers of 20 as it is, then by Euler's and Maclaurin's formula."""
    enough = jnp.clip(s, 20, 1000)

    def step(state: tuple[Lowered, Lowered]) -> tuple[Lowered, Lowered]:
        total, z = state
        low = z < enough
        return total + jnp.where(low, _power(z, s), 0.0), jnp.where(low, z + 1, z)

    total, z = lax.while_loop(lambda state: jnp.any(state[1] < enough), step, (jnp.zeros_like(q), q))
    total = total + z ** (1 - s) / (s - 1) + 0.5 * z**-s
    factor = s
    for k, coefficient in enumerate(BERNOULLI):
        total = total + coefficient * factor * z ** (-s - 2 * k - 1)
        factor = factor * (s + 2 * k + 1) * (s + 2 * k + 2)
    return total


_FURTHEST = -10_000
"""Below, the sum would have too many terms: there is no number, as in the plan."""


def _is_pole(q: Lowered) -> Lowered:
    return (q <= 0) & (q == jnp.floor(q))


def _zeta_everywhere(x: Lowered, q: Lowered) -> Lowered:
    pole = _is_pole(q)
    bad = (x < 1) | ((q < 0) & ~pole & (x != jnp.floor(x))) | (q < _FURTHEST) | jnp.isnan(x) | jnp.isnan(q)
    total = _zeta(jnp.where(bad | (x == 1) | jnp.isinf(x), 2.0, x), jnp.where(bad | pole, 1.0, q))
    total = jnp.where(jnp.isinf(x), jnp.where(q > 1, 0.0, jnp.where(q == 1, 1.0, jnp.inf)), total)
    return jnp.where(bad, jnp.nan, jnp.where(pole | (x == 1), jnp.inf, total))


_special(records.zeta, _zeta_everywhere, in_64_bits=True)


@lowers(ENGINE, records.polygamma)
def _polygamma(here: Lowering, node: Node, x: Lowered, order: int) -> Lowered:
    """Through the zeta function (Abramowitz & Stegun, 6.4.10)."""
    wide = array(x).astype(np.float64)
    pole, bad = _is_pole(wide), jnp.isnan(wide) | (wide < _FURTHEST)
    total = _zeta(jnp.float64(order + 1), jnp.where(pole | bad, 1.0, wide))
    below = jnp.signbit(wide) & (wide == 0) & (order % 2 == 0)
    total = jnp.where(bad, jnp.nan, jnp.where(pole, jnp.where(below, -jnp.inf, jnp.inf), total))
    return ((-1) ** (order + 1) * math.factorial(order) * total).astype(dtype_of(node))
