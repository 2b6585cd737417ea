"""Gradients of the matrix decompositions that give more than one factor."""

from __future__ import annotations

from typing import Any

from ...ir.op import OPS
from ...tensors.likes import TensorLike
from ...tensors.tensor import Tensor
from ..elementwise.elementwise import cast, real
from ..elementwise.math import divide_no_nan, square
from ..infer import require
from ..shape.joining import concat
from ..shape.shape import expand_dims, matrix_transpose
from .bands import band_part
from .diagonals import diag, diag_part, set_diag


def inverse_differences(values: TensorLike) -> Any:
    """`1 / (values[j] - values[i])`, and 0 where they are equal."""
    return divide_no_nan(1.0, expand_dims(values, -2) - expand_dims(values, -1))


def eigh_gradient(g: Any, out: Any, x: Tensor) -> tuple[Any]:
    """M. Giles, "Collected matrix derivative results" (2008), 3.1; only the lower triangle is looked at."""
    (g_values, g_vectors), (values, vectors) = g, out
    adjoint = matrix_transpose(vectors, conjugate=True)
    turn = cast(inverse_differences(values), x.dtype) * (adjoint @ g_vectors)
    whole = vectors @ (diag(cast(g_values, x.dtype)) + turn) @ adjoint
    lower = band_part(whole + matrix_transpose(whole, conjugate=True), -1, 0)
    return (set_diag(lower, diag_part(lower) * 0.5),)


def qr_gradient(g: Any, out: Any, x: Any, full: bool) -> Any:
    """As in TensorFlow: the wide case is a square one, with the columns to the right as products."""
    (gq, gr), (q, r) = g, out
    shape = x.static_shape
    require(shape is not None and None not in shape[-2:], "the gradient of qr needs the size of the matrices")
    assert shape is not None
    m, n = shape[-2:]
    require(not full or m <= n, "the gradient of qr with full_matrices needs at least as many columns as rows")
    if m >= n:
        return _deep_qr_gradient(gq, gr, q, r)
    right, g_right = x[..., m:], gr[..., m:]
    left = _deep_qr_gradient(gq + right @ matrix_transpose(g_right, conjugate=True), gr[..., :m], q, r[..., :m])
    return concat([left, q @ g_right], -1)


def _deep_qr_gradient(gq: Tensor, gr: Tensor, q: Tensor, r: Tensor) -> Any:
    """S. Walter & L. Lehmann, "Algorithmic differentiation of linear algebra functions" (2010)."""
    def over_adjoint(a: TensorLike) -> Any:
        """`a @ inv(adjoint(r))`."""
        solved = OPS["triangular_solve"](r, matrix_transpose(a, conjugate=True), lower=False)
        return matrix_transpose(solved, conjugate=True)

    inner, outer = matrix_transpose(q, conjugate=True) @ gq, r @ matrix_transpose(gr, conjugate=True)
    skew = inner - matrix_transpose(inner, conjugate=True) + outer - matrix_transpose(outer, conjugate=True)
    result = q @ (gr + over_adjoint(band_part(skew, -1, 0))) + over_adjoint(gq - q @ inner)
    if q.dtype.is_complex:
        phases = diag(diag_part(outer - matrix_transpose(inner, conjugate=True)))
        phases = phases - cast(real(phases), q.dtype)
        result = result + over_adjoint(q @ matrix_transpose(phases, conjugate=True))
    return result


def svd_gradient(g: Any, out: Any, x: Tensor, full: bool) -> Any:
    """J. Townsend, "Differentiating the singular value decomposition" (2016); for complex numbers Z. Wan & S. Zhang."""
    (gs, gu, gv), (values, u, v) = g, out
    shape = x.static_shape
    square_one = shape is not None and None not in shape[-2:] and shape[-1] == shape[-2]
    require(not full or square_one, "the gradient of svd with full_matrices needs square matrices")
    u_adjoint, v_adjoint = (matrix_transpose(a, conjugate=True) for a in (u, v))
    sizes = expand_dims(cast(values, x.dtype), -2)
    inverse = expand_dims(cast(divide_no_nan(1.0, values), x.dtype), -2)
    factors = cast(inverse_differences(square(values)), x.dtype)
    turn_u, turn_v = u_adjoint @ gu, v_adjoint @ gv
    left = factors * (turn_u - matrix_transpose(turn_u, conjugate=True)) * sizes
    right = factors * (turn_v - matrix_transpose(turn_v, conjugate=True)) * matrix_transpose(sizes)
    middle = left + right + diag(cast(gs, x.dtype))
    if x.dtype.is_complex:
        phases = diag(diag_part(turn_v))
        middle = middle + (matrix_transpose(phases, conjugate=True) - phases) * inverse * 0.5
    result = u @ middle @ v_adjoint
    result = result + ((gu - u @ turn_u) * inverse) @ v_adjoint
    return result + (u * inverse) @ matrix_transpose(gv - v @ turn_v, conjugate=True)
