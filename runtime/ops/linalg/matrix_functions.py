"""Functions of matrices (exponential, square root), eigenvalues of any matrix, and the triangular decomposition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base.dtypes import Array, DType, as_dtype, complex64, complex128, float32, int32
from ...ir.kinds import kinds
from ...ir.op import Op, Type, op, type_of
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import TensorLike
from ...tensors.promotion import together
from ...tensors.tensor import Tensor
from ..elementwise.elementwise import cast, conj, real
from ..infer import require
from ..kernels import samples as s
from ..shape.create import eye, ones_like, zeros_like
from ..shape.gather import gather
from ..shape.joining import concat
from ..shape.shape import expand_dims, matrix_transpose, shape
from ..shape.sort import argsort
from .bands import band_part
from .checks import guarded
from .decompose import SINGULAR, infer_square, solve_op, squares, triangular_solve_op
from .diagonals import diag, diag_part, set_diag
from .factor_gradients import inverse_differences

__all__ = ["eig", "eigvals", "expm", "logm", "lu", "lu_matrix_inverse", "lu_reconstruct", "lu_solve", "sqrtm"]


def _checked(kernel: Callable[..., Any], message: str) -> Callable[..., Any]:
    """The kernel, with errors for matrices that are not square and for dtypes, and for what NumPy can't do."""

    def check(x: TensorLike, **attributes: object) -> Any:
        infer_square(type_of(x))
        return kernel(x, **attributes)

    return guarded(check, message)


# Functions of matrices.


def _block_gradient(record: Callable[[], Op]) -> Callable[..., Any]:
    """The adjoint derivative: `f([[a, e], [0, a]])` has the derivative of `f` at `a` in the direction `e` at its right.

    N. Higham, "Functions of Matrices" (2008), theorem 3.6.
    """

    def gradient(g: Tensor, out: Tensor, x: Tensor) -> tuple[Any]:
        adjoint = matrix_transpose(x, conjugate=True)
        block = concat([concat([adjoint, g], -1), concat([zeros_like(x), adjoint], -1)], -2)
        n: Any = x.static_shape[-1] if x.static_shape is not None else None
        n = shape(x)[-1] if n is None else n
        return (record()(block)[..., :n, n:],)

    return gradient


# The coefficients of the diagonal Padé approximant of degree 13, which is exact to 64 bits up to a norm of THETA.
PADE = [64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600,
         670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1]  # fmt: skip
THETA = 5.371920351148152


def _expm(x: Array) -> Any:
    """N. Higham, "The scaling and squaring method for the matrix exponential revisited" (2005)."""
    dtype = np.result_type(x.dtype, np.float32) if x.dtype.kind in "fc" else np.dtype(np.float64)
    if x.size == 0:
        return x.astype(dtype)
    a = x.astype(np.result_type(dtype, np.float64))
    norm = np.abs(a).sum(-2).max(initial=0.0)
    if not np.isfinite(norm):
        return np.full(x.shape, np.nan, dtype)
    times = max(0, int(np.ceil(np.log2(norm / THETA)))) if norm else 0
    a = a / 2.0**times
    powers = [np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), a.shape), a @ a]
    for _ in range(5):
        powers.append(powers[-1] @ powers[1])
    even = sum(c * p for c, p in zip(PADE[0::2], powers, strict=True))
    odd = a @ sum(c * p for c, p in zip(PADE[1::2], powers, strict=True))
    result = np.linalg.solve(even - odd, even + odd)
    for _ in range(times):
        result = result @ result
    return result.astype(dtype)


def _sqrtm(x: Array) -> Any:
    """The iteration of E. Denman & A. Beavers (1976), in 64 bits."""
    dtype = x.dtype if x.dtype.kind in "fc" else np.dtype(np.float64)
    root = x.astype(np.result_type(dtype, np.float64))
    inverse = np.broadcast_to(np.eye(x.shape[-1], dtype=root.dtype), root.shape)
    with np.errstate(all="ignore"):
        for _ in range(100):
            last = root
            root, inverse = (root + np.linalg.inv(inverse)) / 2, (inverse + np.linalg.inv(root)) / 2
            if np.abs(root - last).max(initial=0) <= 1e-14 * np.abs(root).max(initial=0):
                return root.astype(dtype)
    raise InvalidArgumentError("the matrix has no square root of its own dtype that is found by iteration: it is "
                               "singular, or has negative eigenvalues")  # fmt: skip


# N. Higham, "Functions of Matrices" (2008), 11.4 and 11.5.
_CLOSE_TO_ONE = 0.1


def _logm(x: Array) -> Any:
    """Square roots until the matrix is near the identity, then the partial fractions of the Padé approximant.

    Where a complex matrix has no square root that is found by iteration, through its eigenvectors.
    """
    dtype = x.dtype if x.dtype.kind in "fc" else np.dtype(np.float64)
    root = x.astype(np.result_type(dtype, np.float64))
    one = np.eye(x.shape[-1], dtype=root.dtype)
    times = 0
    try:
        while root.size and np.linalg.norm(root - one, axis=(-2, -1)).max() > _CLOSE_TO_ONE:
            root, times = _sqrtm(root), times + 1
    except (InvalidArgumentError, np.linalg.LinAlgError):
        if dtype.kind != "c":
            raise InvalidArgumentError(
                "the matrix has no real logarithm that is found by square roots: it is singular, or has negative "
                "eigenvalues; cast it to complex128"
            ) from None
        values, vectors = np.linalg.eig(x.astype(np.complex128))
        if (values == 0).any() or np.linalg.cond(vectors).max() > 1e10:
            raise InvalidArgumentError("the matrix has no logarithm, or none that is found") from None
        return ((vectors * np.log(values)[..., None, :]) @ np.linalg.inv(vectors)).astype(dtype)
    nodes, weights = np.polynomial.legendre.leggauss(10)
    rest = root - one
    total = np.zeros_like(rest)
    for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
        total = total + weight * np.linalg.solve(one + node * rest, rest)
    return (total * 2.0**times).astype(dtype)


_ROOTS = [np.array([[4.0, 1.0], [1.0, 3.0]], np.float32),
          np.array([[[5.0, 2.0], [-1.0, 1.0]], [[1.0, 3.0], [0.0, 9.0]]])]  # fmt: skip

expm_op: Op = op(
    "expm", infer=infer_square, numpy=_checked(_expm, "the exponential of the matrix is not finite"), fresh=True,
    gradient=_block_gradient(lambda: expm_op),
    samples=lambda: [*squares(), s.sample(np.array([[0.0, 9.0], [-9.0, 0.3]]))], raises=(InvalidArgumentError,),
    doc="The exponential of a matrix.",
)  # fmt: skip
sqrtm_op: Op = op(
    "sqrtm", infer=infer_square, numpy=_checked(_sqrtm, "the matrix has no square root"), fresh=True,
    gradient=_block_gradient(lambda: sqrtm_op),
    samples=lambda: [*(s.sample(x) for x in _ROOTS), *squares()], raises=(InvalidArgumentError,),
    doc="The principal square root of a matrix.",
)  # fmt: skip


logm_op: Op = op(
    "logm", infer=infer_square, numpy=_checked(_logm, "the matrix has no logarithm"), fresh=True,
    gradient=_block_gradient(lambda: logm_op),
    samples=lambda: [*(s.sample(x) for x in _ROOTS), *squares(),
                     s.sample(np.array([[1.0 + 1j, 2.0], [0.5, 4.0 - 1j]]))],
    raises=(InvalidArgumentError,), doc="The principal logarithm of a matrix.",
)  # fmt: skip


def expm(input: TensorLike, name: str | None = None) -> Tensor:
    """The exponential of square matrices, `sum of input ** k / k!`: the same shape, float64 for integers.

    Raises `InvalidArgumentError` for matrices that are not square, and for float16 and strings.
    """
    return expm_op(input, name=name)


def logm(input: TensorLike, name: str | None = None) -> Tensor:
    """The principal logarithm of square matrices, `expm(x) == input`: the same shape, float64 for integers.

    Raises `InvalidArgumentError` for matrices that are singular or not square, for real ones with negative eigenvalues,
    and for float16 and strings.
    """
    return logm_op(input, name=name)


def sqrtm(input: TensorLike, name: str | None = None) -> Tensor:
    """The principal square root of square matrices, `x @ x == input`: the same shape, float64 for integers.

    Raises `InvalidArgumentError` for matrices that are singular, not square or have negative eigenvalues (real ones),
    and for float16 and strings.
    """
    return sqrtm_op(input, name=name)


# Eigenvalues.


def _complex(dtype: DType) -> DType:
    return complex64 if dtype in (float32, complex64) else complex128


def _infer_eig(x: Type) -> tuple[Type, Type]:
    vectors = infer_square(x)
    dtype = _complex(vectors.dtype)
    return Type(dtype, None if vectors.shape is None else vectors.shape[:-1]), Type(dtype, vectors.shape)


def _eig(x: Array) -> tuple[Any, Any]:
    dtype = np.complex64 if x.dtype in (np.float32, np.complex64) else np.complex128
    values, vectors = np.linalg.eig(x)
    return values.astype(dtype), vectors.astype(dtype)


def _eig_gradient(g: Any, out: Any, x: Tensor) -> tuple[Any]:
    """C. Boeddeker et al., "On the computation of complex-valued gradients" (2017), equations 4.77 and 4.82.

    Eigenvectors have the norm one; a loss must not depend on their phases, which are arbitrary.
    """
    (g_values, g_vectors), (values, vectors) = g, out
    adjoint = matrix_transpose(vectors, conjugate=True)
    turn = adjoint @ g_vectors
    lengths = expand_dims(cast(real(diag_part(turn)), turn.dtype), -2)
    middle = diag(g_values) + conj(inverse_differences(values)) * (turn - (adjoint @ vectors) * lengths)
    result = solve_op(adjoint, middle @ adjoint)
    return (cast(result if x.dtype.is_complex else real(result), x.dtype),)


eig_op = op(
    "eig", infer=_infer_eig, numpy=_checked(_eig, "the eigenvalues did not converge"), gradient=_eig_gradient,
    samples=lambda: [*squares(), s.sample([[0.0, 1.0], [-1.0, 0.0]])],
    raises=(InvalidArgumentError,), doc="The eigenvalues of a matrix, complex, and its eigenvectors as columns.",
)  # fmt: skip


def eig(tensor: TensorLike, name: str | None = None) -> Any:
    """The eigenvalues, in no order, and eigenvectors (columns of norm one) of square matrices, both complex.

    `[..., n, n]` gives `[..., n]` and `[..., n, n]`, complex64 for float32, else complex128. Raises
    `InvalidArgumentError` for matrices that are not square, NaN, and for float16 and strings.
    """
    return eig_op(tensor, name=name)


def eigvals(tensor: TensorLike, name: str | None = None) -> Tensor:
    """The eigenvalues of square matrices: `[..., n, n]` gives complex `[..., n]`; raises as `eig`."""
    return eig_op(tensor, name=name)[0]


# The triangular decomposition.


class Lu(NamedTuple):
    """A lower triangle with ones on its diagonal, which are left out, below an upper one; and the order of the rows."""

    lu: Any
    p: Any


def _infer_lu(x: Type, dtype: DType = int32) -> tuple[Type, Type]:
    factors = infer_square(x)
    return factors, Type(dtype, None if factors.shape is None else factors.shape[:-1])


def _lu(x: Array, dtype: DType = int32) -> tuple[Any, Any]:
    """Elimination with partial pivoting, for all matrices of the batch at once."""
    shape, n = x.shape, x.shape[-1]
    a = x.astype(x.dtype if x.dtype.kind in "fc" else np.float64).reshape(-1, n, n)
    order = np.tile(np.arange(n, dtype=dtype.numpy), (len(a), 1))
    batch = np.arange(len(a))
    for k in range(n):
        pivot = k + np.abs(a[:, k:, k]).argmax(1)
        for rows in (a, order):
            rows[batch, k], rows[batch, pivot] = rows[batch, pivot], rows[batch, k]
        if not a[:, k, k].all():
            raise InvalidArgumentError(SINGULAR)
        a[:, k + 1 :, k] /= a[:, k, k, None]
        a[:, k + 1 :, k + 1 :] -= a[:, k + 1 :, k, None] * a[:, k, None, k + 1 :]
    return a.reshape(shape), order.reshape(shape[:-1])


def _lu_gradient(g: Any, out: Any, x: Tensor, dtype: DType = int32) -> tuple[Any]:
    """F. de Hoog, R. Anderssen & M. Lukas, "Differentiation of matrix functionals using factorization" (2011)."""
    factors, order = out
    lower, upper = _unit_lower(factors), band_part(factors, 0, -1)
    below = band_part(matrix_transpose(lower, conjugate=True) @ _strictly_lower(g[0]), -1, 0)
    above = band_part(band_part(g[0], 0, -1) @ matrix_transpose(upper, conjugate=True), 0, -1)
    middle = _strictly_lower(below) + above
    left = triangular_solve_op(matrix_transpose(lower, conjugate=True), middle, lower=False)
    # `left @ inv(adjoint(upper))`, transposed twice.
    solved = triangular_solve_op(upper, matrix_transpose(left, conjugate=True), lower=False)
    whole = matrix_transpose(solved, conjugate=True)
    return (gather(whole, argsort(order), axis=-2, batch_dims=len(x.shape) - 2),)


def _strictly_lower(x: Tensor) -> Any:
    return x - band_part(x, 0, -1)


def _unit_lower(factors: Any) -> Any:
    return set_diag(band_part(factors, -1, 0), ones_like(diag_part(factors)))


lu_op = op(
    "lu", infer=_infer_lu, numpy=_checked(_lu, SINGULAR), gradient=_lu_gradient, fresh=True,
    samples=lambda: [*squares(), s.sample([[0.5, 2.0, 1.0], [1.0, -1.0, 0.0], [4.0, 2.0, 3.0]]),
                     s.sample(np.array([[[0.0, 1.0], [2.0, 1.0]], [[3.0, 1.0], [1.0, 2.0]]]), dtype=as_dtype("int64"))],
    raises=(InvalidArgumentError,),
    doc="The triangular factors of a matrix with its rows in another order, in one matrix, and that order.",
    attributes=kinds("dtype"),
)  # fmt: skip


def lu(input: TensorLike, output_idx_type: object = int32, name: str | None = None) -> Lu:
    """`lu, p` with `input[p] == l @ u`: the lower triangle `l`, with ones on its diagonal, and the upper triangle `u`.

    `[..., n, n]` gives both triangles in one `[..., n, n]`, float64 for integers, and `[..., n]` of `output_idx_type`.
    Raises `InvalidArgumentError` for matrices that are singular or not square, and for float16 and strings.
    """
    return Lu(*lu_op(input, dtype=as_dtype(output_idx_type), name=name))


def lu_reconstruct(lower_upper: object, perm: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The matrices that `lu` has taken apart. Raises `InvalidArgumentError` for matrices that are not square."""
    factors, order = _factors(lower_upper, perm)
    product = _unit_lower(factors) @ band_part(factors, 0, -1)
    return gather(product, argsort(order), axis=-2, batch_dims=len(order.static_shape) - 1, name=name)


def lu_solve(
    lower_upper: Any, perm: Any, rhs: TensorLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The `x` with `matrix @ x == rhs` for the matrix that `lu` has taken apart.

    `rhs` is `[..., n, m]` with the batches of the matrix; so is the result. Raises `InvalidArgumentError` for matrices
    that are not square, and for shapes that do not fit.
    """
    factors, order = _factors(lower_upper, perm)
    factors, rhs = together(factors, rhs)
    given = gather(rhs, order, axis=-2, batch_dims=len(order.static_shape) - 1)
    middle = triangular_solve_op(_unit_lower(factors), given, lower=True)
    return triangular_solve_op(factors, middle, lower=False, name=name)


def lu_matrix_inverse(lower_upper: object, perm: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The inverse of the matrix that `lu` has taken apart; raises as `lu_solve`."""
    factors, order = _factors(lower_upper, perm)
    n = factors.static_shape[-1]
    require(n is not None, "lu_matrix_inverse needs to know the size of the matrix")
    return lu_solve(factors, order, zeros_like(factors) + eye(n, dtype=factors.dtype), name=name)


def _factors(lower_upper: object, perm: int | Sequence[int]) -> tuple[Any, Any]:
    factors, order = convert_to_tensor(lower_upper), convert_to_tensor(perm)
    infer_square(Type(factors.dtype, factors.static_shape))
    require(order.static_shape is not None, "the rank of the permutation must be known")
    return factors, order
