"""Determinants, inverses, solvers and decompositions of matrices: the second half of `tf.linalg`."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError, NoGradientError

from ...base.dtypes import Array
from ...base.shapes import broadcast, is_compatible
from ...ir.kinds import BOOL, NUMBER, kinds, optional
from ...ir.op import Op, Type, op, type_of
from ...tensors.likes import TensorLike
from ...tensors.promotion import together
from ...tensors.tensor import Tensor
from ..declare import holomorphic, sum_to
from ..elementwise.elementwise import cast, complex, conj, imag
from ..infer import at_least, merge_dims, require, text
from ..kernels import samples as s
from ..shape.create import eye
from ..shape.shape import expand_dims, matrix_transpose
from .bands import band_part
from .checks import guarded, inexact, square_matrix
from .diagonals import diag_part, set_diag
from .factor_gradients import eigh_gradient, qr_gradient, svd_gradient

SINGULAR = "the matrix can't be inverted"


def squares() -> list[Any]:
    a = np.array([[4.0, 1.0], [1.0, 3.0]], np.float32)
    return [s.sample(a), s.sample(np.stack([a, 2 * a]).astype(np.float64)), s.sample([[2, 1], [1, 3]]),
            s.sample(np.zeros((0, 2, 2), np.float32)),
            s.sample(a.astype(np.complex64))]  # fmt: skip


def _symmetric() -> list[Any]:
    return squares()


def infer_square(x: Type, **_: object) -> Type:
    square_matrix(x.shape)
    shape = x.shape
    if shape is not None:
        n = shape[-1] if shape[-2] is None else shape[-2]
        shape = (*shape[:-2], n, n)
    return Type(inexact(x.dtype), shape)


def _infer_scalar(x: Type) -> Type:
    square_matrix(x.shape)
    return Type(inexact(x.dtype), None if x.shape is None else x.shape[:-2])


def _det_gradient(g: Tensor, out: Tensor, x: Tensor) -> tuple[Any]:
    return (_column(g * out) * matrix_transpose(inv(x)),)


def _column(x: Tensor) -> Any:
    return expand_dims(expand_dims(x, -1), -1)


def _slogdet_gradient(g: Tensor, out: Tensor, x: Tensor) -> Any:
    """The logarithm follows the real part of `trace(inv(x) @ dx)`, the angle of a complex sign the imaginary part."""
    weight = cast(g[1], x.dtype)
    if x.dtype.is_complex:
        turn = imag(g[0] * conj(out[0]))
        weight = weight + complex(turn * 0, turn)
    return _column(weight) * matrix_transpose(inv(x), conjugate=True)


det_op = op("det", infer=_infer_scalar, numpy=np.linalg.det, samples=squares, gradient=holomorphic(_det_gradient),
    doc="The determinant.",
            numpy_names=("linalg.det",))  # fmt: skip
slogdet_op = op(
    "slogdet", samples=squares, numpy=lambda x: tuple(np.linalg.slogdet(x)), numpy_names=("linalg.slogdet",),
    infer=lambda x: (_infer_scalar(x), Type(_infer_scalar(x).dtype.real_dtype, _infer_scalar(x).shape)),
    gradient=lambda g, out, x: (_slogdet_gradient(g, out, x),),
    doc="The sign and the logarithm of the absolute value of the determinant.")  # fmt: skip
inv_op = op(
    "inv", infer=infer_square, numpy=guarded(np.linalg.inv, SINGULAR), samples=squares, numpy_names=("linalg.inv",),
    gradient=lambda g, out, x: (-(matrix_transpose(out, conjugate=True) @ g @ matrix_transpose(out, conjugate=True)),),
    doc="The inverse matrix.", raises=(InvalidArgumentError,))  # fmt: skip


def det(input: TensorLike, name: str | None = None) -> Tensor:
    """The determinants of square matrices: `[..., n, n]` gives `[...]`, of dtype float64 for integers.

    Raises `InvalidArgumentError` for matrices that are not square, and for float16 and strings.
    """
    return det_op(input, name=name)


def slogdet(input: TensorLike, name: str | None = None) -> Any:
    """The sign and the logarithm of the absolute value of the determinant of square matrices.

    `[..., n, n]` gives two tensors `[...]`; the sign has the dtype of the matrices (float64 for integers), the
    logarithm is real. Raises `InvalidArgumentError` for matrices that are not square, and for float16 and strings.
    """
    return slogdet_op(input, name=name)


def inv(input: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverse of square matrices, or of their conjugate transposes: the same shape, float64 for integers.

    Raises `InvalidArgumentError` when there is none, for matrices that are not square, and for float16 and strings.
    """
    return inv_op(matrix_transpose(input, conjugate=True) if adjoint else input, name=name)


# Solving.


def _infer_solve(a: Type, b: Type, **_: object) -> Type:
    square_matrix(a.shape)
    at_least(b.shape, 2, "the right side")
    dtype = inexact(a.dtype)
    if a.shape is None or b.shape is None:
        return Type(dtype, None)
    require(is_compatible(a.shape[-1:], b.shape[-2:-1]),
        f"a matrix {text(a.shape)} and a right side {text(b.shape)} do not fit")
    batch = broadcast(a.shape[:-2], b.shape[:-2])
    assert batch is not None
    return Type(dtype, (*batch, merge_dims(a.shape[-1], b.shape[-2]), b.shape[-1]))


def _solve_samples() -> list[Any]:
    b = np.array([[1.0], [2.0]], np.float32)
    return [*(s.sample(x[0], b) for x, _ in squares()[:2]), s.sample([[2, 0], [1, 3]], [[1, 2], [3, 4]]),
            s.sample(np.eye(2)[None], np.ones((3, 2, 0)))]


def _solve_gradient(g: Tensor, out: Tensor, a: Tensor, b: Tensor) -> tuple[Any, Any]:
    back = solve_op(matrix_transpose(a, conjugate=True), g)
    return sum_to(-(back @ matrix_transpose(out, conjugate=True)), a), sum_to(back, b)


solve_op: Op = op("solve", infer=_infer_solve, numpy=guarded(np.linalg.solve, SINGULAR), promote=0,
    samples=_solve_samples,
              gradient=_solve_gradient, doc="The solution of a system of linear equations.",
              raises=(InvalidArgumentError,))  # fmt: skip


def _triangular(a: Array, b: Array, lower: bool = True) -> Any:
    return np.linalg.solve(np.tril(a) if lower else np.triu(a), b)


def _triangular_gradient(g: Tensor, out: Tensor, a: Tensor, b: Tensor, lower: bool = True) -> tuple[Any, Any]:
    back = triangular_solve_op(matrix_transpose(a, conjugate=True), g, lower=not lower)
    whole = -(back @ matrix_transpose(out, conjugate=True))
    return sum_to(band_part(whole, -1, 0) if lower else band_part(whole, 0, -1), a), sum_to(back, b)


triangular_solve_op: Op = op(
    "triangular_solve", infer=_infer_solve, numpy=guarded(_triangular, SINGULAR), promote=0,
    gradient=_triangular_gradient,
    samples=lambda: [*_solve_samples(), s.sample([[2.0, 1.0], [0.0, 1.0]], [[1.0], [2.0]], lower=False)],
    raises=(InvalidArgumentError,),
    doc="The solution of a triangular system; the other triangle is not looked at.", attributes=kinds("", lower=BOOL),
)  # fmt: skip


def solve(matrix: TensorLike, rhs: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The `x` with `matrix @ x == rhs`, a matrix of columns: `[..., n, n]` and `[..., n, k]` give `[..., n, k]`.

    The dtype is the common one, float64 for integers. Raises `InvalidArgumentError` for a matrix that is singular or
    not square, a `rhs` that does not fit, and float16; `InvalidTypeError` for dtypes that have nothing in common.
    """
    matrix, rhs = together(matrix, rhs)
    return solve_op(matrix_transpose(matrix, conjugate=True) if adjoint else matrix, rhs, name=name)


def triangular_solve(
    matrix: TensorLike, rhs: TensorLike, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """The `x` with `matrix @ x == rhs` for a triangular matrix, of which the other triangle is ignored.

    Shapes, dtypes and errors are those of `solve`.
    """
    matrix, rhs = together(matrix, rhs)
    if adjoint:
        return triangular_solve_op(matrix_transpose(matrix, conjugate=True), rhs, lower=not lower, name=name)
    return triangular_solve_op(matrix, rhs, lower=lower, name=name)


def lstsq(
    matrix: TensorLike, rhs: TensorLike, l2_regularizer: float = 0.0, fast: bool = True, name: str | None = None
) -> Any:
    """The `x` that makes `matrix @ x - rhs` smallest in squares, for each column; `fast` is without meaning here.

    `[..., n, m]` and `[..., n, k]` give `[..., m, k]` of the common dtype, float64 for integers. Raises
    `InvalidArgumentError` when the sizes `n` differ, and for float16.
    """
    matrix, rhs = together(matrix, rhs)
    if l2_regularizer == 0.0:
        return pinv(matrix) @ rhs

    adjoint = matrix_transpose(matrix, conjugate=True)
    square = adjoint @ matrix
    n: Any = None if square.static_shape is None else square.static_shape[-1]
    require(n is not None, "lstsq with a regularizer needs the number of columns")
    return solve_op(square + eye(n, dtype=square.dtype) * l2_regularizer, adjoint @ rhs, name=name)


def _infer_pinv(x: Type, rcond: float | None = None, steps: float | None = None) -> Type:
    at_least(x.shape, 2, "a matrix")
    return Type(inexact(x.dtype), None if x.shape is None else (*x.shape[:-2], x.shape[-1], x.shape[-2]))


def _pinv(x: Array, rcond: float | None = None, steps: float | None = None) -> Any:
    if steps is not None:
        dtype = inexact(type_of(x).dtype).numpy
        rcond = steps * max(x.shape[-2:]) * float(np.finfo(dtype).eps)
    return np.linalg.pinv(x, rcond)


def _pinv_gradient(g: Tensor, out: Tensor, x: Tensor, rcond: float | None = None) -> Any:
    """G. Golub & V. Pereyra (1973), equation 4.12, transposed: for a rank that stays, and nothing cut off."""
    if rcond is not None:
        raise NoGradientError("pinv with an rcond has no gradient: leave rcond out, or use svd")
    adjoint, back = matrix_transpose(out, conjugate=True), matrix_transpose(g, conjugate=True)
    middle = back - x @ (out @ back)
    others = back - (back @ out) @ x
    return middle @ out @ adjoint - adjoint @ g @ adjoint + adjoint @ out @ others


_TALL = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]], np.float32)
pinv_op = op("pinv", infer=_infer_pinv, numpy=_pinv, numpy_names=("linalg.pinv",),
             gradient=lambda g, out, x, rcond=None, **_: (_pinv_gradient(g, out, x, rcond),),
             samples=lambda: [s.sample(_TALL), s.sample([[1, 2], [3, 4]]),
                              s.sample(np.stack([_TALL, _TALL]).astype(np.float64)), s.sample(_TALL, steps=10.0)],
             raises=(InvalidArgumentError,),
             doc="The Moore-Penrose pseudo-inverse: singular values up to `rcond` times the largest one count as "
                 "zero, or up to `steps` times the larger dimension and the precision of the dtype.",
                 attributes=kinds("", rcond=optional(NUMBER), steps=optional(NUMBER)))  # fmt: skip


def pinv(a: TensorLike, rcond: float | None = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The Moore-Penrose pseudo-inverse of matrices: `[..., n, m]` gives `[..., m, n]`, float64 for integers.

    Singular values up to `rcond` (a Python number) times the largest one count as zero; left out, it is TensorFlow's:
    `10 * max(n, m)` times the distance of 1 to the next number of the dtype. `validate_args` changes nothing: what
    does not fit is always refused.
    Raises `InvalidArgumentError` for a vector, for NaN, and for float16 and strings.
    """
    if rcond is None:
        return pinv_op(a, steps=10.0, name=name)
    return pinv_op(a, rcond=float(rcond), name=name)


# Decompositions.


def _cholesky_gradient(g: Tensor, out: Tensor, x: Tensor) -> tuple[Any]:
    """I. Murray, "Differentiation of the Cholesky decomposition" (2016), equation 8."""
    adjoint = matrix_transpose(out, conjugate=True)
    middle = band_part(adjoint @ g, -1, 0)
    middle = set_diag(middle, diag_part(middle) * 0.5)
    inverse = inv(out)
    whole = matrix_transpose(inverse, conjugate=True) @ middle @ inverse
    return ((whole + matrix_transpose(whole, conjugate=True)) * 0.5,)


cholesky_op = op("cholesky", infer=infer_square,
    numpy=guarded(np.linalg.cholesky, "the Cholesky decomposition failed"),
                 samples=_symmetric, gradient=_cholesky_gradient, numpy_names=("linalg.cholesky",),
                 doc="The lower triangular factor of a positive definite matrix.",
                 raises=(InvalidArgumentError,))  # fmt: skip


def cholesky(input: TensorLike, name: str | None = None) -> Tensor:
    """The lower triangular `l` with `l @ adjoint(l) == input`: the same shape, float64 for integers.

    Raises `InvalidArgumentError` unless the matrices are square and positive definite, and for float16 and strings.
    """
    return cholesky_op(input, name=name)


def _infer_eigh(x: Type) -> tuple[Type, Type]:
    vectors = infer_square(x)
    values = None if vectors.shape is None else vectors.shape[:-1]
    return Type(vectors.dtype.real_dtype, values), vectors


eigh_op = op("eigh", infer=_infer_eigh, numpy=guarded(lambda x: tuple(np.linalg.eigh(x)),
    "the eigenvalues did not converge"), gradient=eigh_gradient,
             samples=_symmetric, numpy_names=("linalg.eigh",),
             doc="The eigenvalues of a self-adjoint matrix, ascending, and its eigenvectors as columns.")  # fmt: skip


def eigh(tensor: TensorLike, name: str | None = None) -> Any:
    """The eigenvalues, ascending, and eigenvectors (columns) of self-adjoint matrices (the lower triangle).

    `[..., n, n]` gives real `[..., n]` and `[..., n, n]`, float64 for integers. Raises `InvalidArgumentError` for
    matrices that are not square, and for float16 and strings.
    """
    return eigh_op(tensor, name=name)


def eigvalsh(tensor: TensorLike, name: str | None = None) -> Tensor:
    """The eigenvalues of self-adjoint matrices, ascending: `[..., n, n]` gives real `[..., n]`; raises as `eigh`."""
    return eigh_op(tensor, name=name)[0]


def _infer_qr(x: Type, full: bool = False) -> tuple[Type, Type]:
    at_least(x.shape, 2, "a matrix")
    dtype = inexact(x.dtype)
    if x.shape is None:
        return Type(dtype, None), Type(dtype, None)
    rows, columns = x.shape[-2:]
    inner = rows if full else _smaller(rows, columns)
    return Type(dtype, (*x.shape[:-2], rows, inner)), Type(dtype, (*x.shape[:-2], inner, columns))


def _smaller(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else min(a, b)


qr_op = op(
    "qr", infer=_infer_qr, numpy=lambda x, full=False: tuple(np.linalg.qr(x, "complete" if full else "reduced")),
    gradient=lambda g, out, x, full=False: (qr_gradient(g, out, x, full),),
    samples=lambda: [s.sample(_TALL), s.sample(_TALL.T, full=True), s.sample(_TALL, full=True),
                     s.sample([[1, 2], [3, 4]]), s.sample(_TALL[None])],
    doc="The factors of a matrix: orthonormal columns, and an upper triangle.", attributes=kinds("full"),
)  # fmt: skip


def qr(input: TensorLike, full_matrices: bool = False, name: str | None = None) -> Any:
    """`q`, with orthonormal columns, and an upper triangular `r` with `q @ r == input`.

    `[..., n, m]` gives `[..., n, k]` and `[..., k, m]`, where `k` is the smaller of `n` and `m`, or `n` for
    `full_matrices`; float64 for integers. Raises `InvalidArgumentError` for a vector, and for float16 and strings.
    """
    return qr_op(input, full=full_matrices, name=name)


def _infer_svd(x: Type, full: bool = False) -> tuple[Type, ...]:
    at_least(x.shape, 2, "a matrix")
    dtype = inexact(x.dtype)
    if x.shape is None:
        return Type(dtype.real_dtype, None), Type(dtype, None), Type(dtype, None)
    batch, (rows, columns) = x.shape[:-2], x.shape[-2:]
    n = _smaller(rows, columns)
    return (Type(dtype.real_dtype, (*batch, n)), Type(dtype, (*batch, rows, rows if full else n)),
            Type(dtype, (*batch, columns, columns if full else n)))  # fmt: skip


def _svd(x: Array, full: bool = False) -> tuple[Any, ...]:
    u, values, adjoint = np.linalg.svd(x, full_matrices=full)
    return values, u, np.swapaxes(adjoint.conj(), -1, -2)


svd_op = op("svd", infer=_infer_svd, numpy=guarded(_svd, "the singular values did not converge"),
            gradient=lambda g, out, x, full=False: (svd_gradient(g, out, x, full),),
            samples=lambda: [s.sample(_TALL), s.sample(_TALL.T, full=True), s.sample([[1, 2], [3, 4]]),
                             s.sample(_TALL[None].astype(np.complex64))],
            raises=(InvalidArgumentError,),
            doc="Singular values, descending, and left and right singular vectors as columns.",
            attributes=kinds("full"))  # fmt: skip


def svd(tensor: TensorLike, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """`s, u, v` with `u @ diag(s) @ adjoint(v) == tensor`, as TensorFlow orders them; only `s` without `compute_uv`.

    `[..., n, m]` gives real `[..., k]`, `[..., n, k]` and `[..., m, k]`, where `k` is the smaller of `n` and `m`; with
    `full_matrices` `u` and `v` are square. Integers give float64. Raises `InvalidArgumentError` for a vector, for NaN,
    and for float16 and strings.
    """
    parts = svd_op(tensor, full=full_matrices, name=name)
    return parts if compute_uv else parts[0]
