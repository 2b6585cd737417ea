"""Determinants, inverses, solvers and decompositions of matrices, in floats of at least 32 bits, as in NumPy.

A matrix that can't be inverted or decomposed shows in numbers that are not finite: the plan has to run, which raises.
Signs of eigenvectors, singular vectors and of orthonormal columns are as the library of the machine chooses them.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from ....base.dtypes import DType
from ....ir import records
from ....ir.graph import Node
from ....ir.op import lowers
from ....ops.linalg.matrix_functions import PADE, THETA
from ..lowering import Lowering
from ..supported import ENGINE
from ..values import Lowered
from .arrays import array, dtype_of
from .products import EXACT


def _inexact(x: Lowered) -> Lowered:
    """A matrix of floats or complex numbers."""
    return array(x) if x.dtype.kind in "fc" else array(x).astype(np.float64)


def _finite(here: Lowering, x: Lowered) -> Lowered:
    """A result, which is that of the plan only if it is finite."""
    here.fails(~jnp.isfinite(x))
    return x


@lowers(ENGINE, records.det)
def _det(here: Lowering, node: Node, x: Lowered) -> Lowered:
    return jnp.linalg.det(_inexact(x))


@lowers(ENGINE, records.slogdet)
def _slogdet(here: Lowering, node: Node, x: Lowered) -> tuple[Lowered, Lowered]:
    sign, logarithm = jnp.linalg.slogdet(_inexact(x))
    return sign, logarithm


@lowers(ENGINE, records.inv)
def _inv(here: Lowering, node: Node, x: Lowered) -> Lowered:
    x = _inexact(x)
    return _finite(here, jnp.linalg.inv(x)) if x.size else x


@lowers(ENGINE, records.solve)
def _solve(here: Lowering, node: Node, a: Lowered, b: Lowered) -> Lowered:
    a, b = _inexact(a), _inexact(b)
    shape = (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *b.shape[-2:])
    return _finite(here, jnp.linalg.solve(a, b)) if 0 not in shape else jnp.zeros(shape, a.dtype)


@lowers(ENGINE, records.triangular_solve)
def _triangular_solve(here: Lowering, node: Node, a: Lowered, b: Lowered, lower: bool = True) -> Lowered:
    a, b = _inexact(a), _inexact(b)
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = jnp.broadcast_to(a, (*batch, *a.shape[-2:])), jnp.broadcast_to(b, (*batch, *b.shape[-2:]))
    return _finite(here, lax.linalg.triangular_solve(a, b, left_side=True, lower=lower)) if b.size else b


@lowers(ENGINE, records.pinv)
def _pinv(here: Lowering, node: Node, x: Lowered, rcond: float | None = None, steps: float | None = None) -> Lowered:
    x = _inexact(x)
    if steps is not None:
        rcond = steps * max(x.shape[-2:]) * float(np.finfo(dtype_of(node)).eps)
    return _finite(here, jnp.linalg.pinv(x, 1e-15 if rcond is None else rcond))


@lowers(ENGINE, records.cholesky)
def _cholesky(here: Lowering, node: Node, x: Lowered) -> Lowered:
    return _finite(here, lax.linalg.cholesky(_inexact(x), symmetrize_input=False))


@lowers(ENGINE, records.eigh)
def _eigh(here: Lowering, node: Node, x: Lowered) -> tuple[Lowered, Lowered]:
    vectors, values = lax.linalg.eigh(_inexact(x), lower=True, symmetrize_input=False)
    return _finite(here, values), vectors


@lowers(ENGINE, records.qr)
def _qr(here: Lowering, node: Node, x: Lowered, full: bool = False) -> tuple[Lowered, Lowered]:
    q, r = jnp.linalg.qr(_inexact(x), "complete" if full else "reduced")
    return q, r


@lowers(ENGINE, records.svd)
def _svd(here: Lowering, node: Node, x: Lowered, full: bool = False) -> tuple[Lowered, ...]:
    u, values, adjoint = jnp.linalg.svd(_inexact(x), full_matrices=full)
    return _finite(here, values), u, jnp.swapaxes(adjoint.conj(), -1, -2)


@lowers(ENGINE, records.lu)
def _lu(here: Lowering, node: Node, x: Lowered, dtype: DType | None = None) -> tuple[Lowered, Lowered]:
    factors, _, order = lax.linalg.lu(_inexact(x))
    here.fails((jnp.diagonal(factors, 0, -2, -1) == 0) | ~jnp.isfinite(factors).all(-1))
    return factors, order.astype(dtype_of(node, 1))


# Functions of matrices, in 64 bits


def _wide(x: Lowered) -> Lowered:
    x = _inexact(x)
    return x.astype(np.result_type(x.dtype, np.float64))


@lowers(ENGINE, records.expm)
def _expm(here: Lowering, node: Node, x: Lowered) -> Lowered:
    """As the plan (N. Higham, 2005); JAX's own is exact to eight digits only."""
    a = _wide(x)
    if not x.size:
        return a.astype(dtype_of(node))
    norm = jnp.abs(a).sum(-2).max()
    times = jnp.clip(jnp.ceil(jnp.log2(norm / THETA)), 0, 1100).astype(np.int32)
    a = a / 2.0**times
    powers = [jnp.broadcast_to(jnp.eye(a.shape[-1], dtype=a.dtype), a.shape), _product(a, a)]
    for _ in range(5):
        powers.append(_product(powers[-1], powers[1]))
    even = sum(c * p for c, p in zip(PADE[0::2], powers, strict=True))
    odd = _product(a, sum(c * p for c, p in zip(PADE[1::2], powers, strict=True)))
    result = jnp.linalg.solve(even - odd, even + odd)
    result = lax.fori_loop(0, times, lambda _, root: _product(root, root), result)
    return _finite(here, result).astype(dtype_of(node))


def _product(x: Lowered, y: Lowered) -> Lowered:
    return jnp.matmul(x, y, precision=EXACT)


@lowers(ENGINE, records.sqrtm)
def _sqrtm(here: Lowering, node: Node, x: Lowered) -> Lowered:
    """The iteration of E. Denman & A. Beavers (1976); where it does not end, the plan says so."""
    root = _wide(x)
    one = jnp.broadcast_to(jnp.eye(x.shape[-1], dtype=root.dtype), root.shape)

    def goes_on(state: tuple[Lowered, ...]) -> Lowered:
        return (state[3] > 1e-14) & (state[0] < 100)

    def step(state: tuple[Lowered, ...]) -> tuple[Lowered, ...]:
        count, root, inverse, _ = state
        new = (root + jnp.linalg.inv(inverse)) / 2
        moved = jnp.abs(new - root).max(initial=0) / jnp.abs(new).max(initial=np.finfo(np.float64).tiny)
        return count + 1, new, (inverse + jnp.linalg.inv(root)) / 2, moved

    if not x.size:
        return root.astype(dtype_of(node))
    _, root, _, moved = lax.while_loop(goes_on, step, (0, root, one, jnp.float64(1)))
    here.fails(~(moved <= 1e-14))
    return _finite(here, root).astype(dtype_of(node))
