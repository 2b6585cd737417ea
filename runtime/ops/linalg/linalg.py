"""Linear algebra: products, decompositions, solvers. The last two axes are matrices, the others batches.

Dtypes as NumPy's: float32, float64 and complex stay, integers give float64 (but products of integers stay integers).
A matrix that can't be inverted or decomposed raises `InvalidArgumentError`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...base import threads
from ...base.dtypes import Array
from ...base.shapes import Shape, broadcast, merge
from ...ir import totality, work
from ...ir.kinds import kinds
from ...ir.op import Op, Type, op
from ...tensors.likes import DTypeLike, TensorLike
from ...tensors.promotion import together
from ...tensors.tensor import Tensor
from ..declare import holomorphic, sum_to
from ..elementwise.elementwise import cast, conj
from ..infer import at_least, axes_of, require, require_kind, text, ufunc_dtype, whole
from ..kernels import samples as s
from ..shape.create import range as range_
from ..shape.shape import broadcast_to, expand_dims, matrix_transpose, reshape, shape, squeeze, transpose
from .bands import band_part
from .decompose import cholesky, det, eigh, eigvalsh, inv, lstsq, pinv, qr, slogdet, solve, svd, triangular_solve

__all__ = [
    "adjoint", "band_part", "cholesky", "cross", "det", "dot", "eigh", "eigvalsh", "einsum", "inv", "lstsq", "matmul",
    "matvec", "outer", "pinv", "qr", "slogdet", "solve", "svd", "tensordot", "triangular_solve",
]  # fmt: skip


def _x(*shape: int, dtype: DTypeLike = np.float32) -> Any:
    return (np.arange(int(np.prod(shape))) % 5 - 1.5).reshape(shape).astype(dtype)


# Products.


def _infer_matmul(x: Type, y: Type) -> Type:
    require_kind(x, "iufc", "the first factor")
    require_kind(y, "iufc", "the second factor")
    dtype = ufunc_dtype(np.matmul, x.dtype, y.dtype)
    at_least(x.shape, 1, "the first factor")
    at_least(y.shape, 1, "the second factor")
    if x.shape is None or y.shape is None:
        return Type(dtype, None)
    inner = (x.shape[-1], y.shape[0] if len(y.shape) == 1 else y.shape[-2])
    fits = None in inner or inner[0] == inner[1]
    require(fits, f"can't multiply shapes {text(x.shape)} and {text(y.shape)}: {inner[0]} is not {inner[1]}")
    batch = broadcast(x.shape[:-2], y.shape[:-2])
    assert batch is not None
    return Type(dtype, batch + x.shape[-2:-1] * (len(x.shape) > 1) + y.shape[-1:] * (len(y.shape) > 1))


def _matmul_gradient(g: Any, out: Tensor, x: Any, y: Any) -> tuple[Any, Any]:
    require(x.ndim is not None and y.ndim is not None, "the gradient of matmul needs the ranks of the factors")
    a = expand_dims(x, 0) if x.ndim == 1 else x
    b = expand_dims(y, 1) if y.ndim == 1 else y
    g = expand_dims(g, -2 if y.ndim > 1 else -1) if x.ndim == 1 else g
    g = expand_dims(g, -1) if y.ndim == 1 else g
    if x.dtype.is_complex:
        a, b = conj(a), conj(b)
    return (
        lambda: reshape_like(sum_to(g @ matrix_transpose(b), a), x),
        lambda: reshape_like(sum_to(matrix_transpose(a) @ g, b), y),
    )


def reshape_like(value: Any, like: Any) -> Any:
    """`value` in the shape of `like`; itself where the ranks are the same."""
    if value.ndim == like.ndim:
        return value
    known = like.static_shape
    return reshape(value, known if known is not None and None not in known else shape(like))


def _product_expression(x: Type, y: Type) -> str | None:
    """Only of products that are known to be so small that they take one thread anyway."""
    if x.shape is None or y.shape is None or None in (*x.shape[-2:], *y.shape[-1:]):
        return None
    return "{} @ {}" if threads.is_small(x.shape, y.shape) else None  # type: ignore[arg-type]


matmul_op = op(
    "matmul", infer=_infer_matmul, numpy=threads.matmul, fresh=True, promote=0, numeric=True, gradient=_matmul_gradient,
    numpy_names=("matmul",),
    samples=lambda: [s.sample(_x(2, 3), _x(3, 4)), s.sample(_x(5, 2, 3), _x(3, 4)), s.sample(_x(3), _x(3, 2)),
                     s.sample(_x(2, 3), _x(3)), s.sample(_x(3), _x(3)),
                     s.sample(_x(0, 3), _x(3, 2)), s.sample(_x(2, 0), _x(0, 2)), s.sample([[1, 2]], [[3], [4]]),
                     s.sample(_x(2, 2), _x(2, 2, dtype=np.float64)),
                     s.sample(s.COMPLEX.reshape(2, 2), s.COMPLEX.reshape(2, 2)), s.sample(_x(2, 1, 2, 2), _x(3, 2, 2))],
    expression=_product_expression,
    doc="The matrix product; leading axes broadcast, a vector is a row on the left and a column on the right.",
    total=totality.together, products=work.inner, native=True, tensorflow_name="MatMul",
)  # fmt: skip


def matmul(
    a: TensorLike, b: TensorLike, transpose_a: bool = False, transpose_b: bool = False, adjoint_a: bool = False,
    adjoint_b: bool = False, a_is_sparse: bool = False, b_is_sparse: bool = False, output_type: DTypeLike | None = None,
    grad_a: bool = False, grad_b: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The matrix product of `a` and `b`, each transposed, or conjugated and transposed, first if asked.

    `[..., n, m]` and `[..., m, p]` give `[..., n, p]` of the common dtype; leading axes broadcast. Vectors are taken as
    in NumPy (TensorFlow refuses them). Raises `InvalidArgumentError` for inner dimensions that differ, leading ones
    that don't broadcast, and a factor that is to be transposed as well as conjugated. With an `output_type` the factors
    are cast to it first. `a_is_sparse`, `b_is_sparse`, `grad_a` and `grad_b`, hints of TensorFlow's, change nothing.
    """
    if output_type is not None:
        a, b = cast(a, output_type), cast(b, output_type)
    require(not ((transpose_a and adjoint_a) or (transpose_b and adjoint_b)),
        "only one of transpose and adjoint can be set")
    if transpose_a or adjoint_a or transpose_b or adjoint_b:
        a, b = together(a, b)
    if transpose_a or adjoint_a:
        a = matrix_transpose(a, conjugate=adjoint_a)
    if transpose_b or adjoint_b:
        b = matrix_transpose(b, conjugate=adjoint_b)
    return matmul_op(a, b, name=name)


def matvec(
    a: TensorLike, b: TensorLike, transpose_a: bool = False, adjoint_a: bool = False, a_is_sparse: bool = False,
    b_is_sparse: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The products of matrices `[..., n, m]` and vectors `[..., m]`: `[..., n]`, of the common dtype.

    Raises `InvalidArgumentError` when the sizes `m` differ.
    """
    a, b = together(a, b)
    return squeeze(matmul(a, expand_dims(b, -1), transpose_a=transpose_a, adjoint_a=adjoint_a, name=name), -1)


def adjoint(matrix: TensorLike, name: str | None = None) -> Tensor:
    """The conjugate transpose of the last two axes: `[..., n, m]` gives `[..., m, n]` of the same dtype.

    Raises `InvalidArgumentError` for strings.
    """
    return matrix_transpose(matrix, conjugate=True)


def dot(a: Any, b: Any) -> Any:
    """NumPy's `dot`: the sum over the last axis of `a` and the last but one of `b` (the only one of a vector).

    The result has the other axes, those of `a` first, and the common dtype; a scalar multiplies. Raises
    `InvalidArgumentError` when the sizes of the summed axes differ.
    """
    a, b = together(a, b)
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    if b.ndim is None or b.ndim <= 2:
        return matmul_op(a, b)
    return tensordot(a, b, ((-1,), (-2,)))


def axes_to_sum(a: Shape, b: Shape, axes: int | Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes of both factors that `tensordot` sums over, in pairs."""
    require(a is not None and b is not None, "tensordot needs tensors whose ranks are known")
    assert a is not None and b is not None
    if isinstance(axes, int):
        require(0 <= axes <= min(len(a), len(b)), f"can't sum over {axes} axes of {text(a)} and {text(b)}")
        return tuple(range(len(a) - axes, len(a))), tuple(range(axes))
    left, right = ((x,) if isinstance(x, int) else tuple(x) for x in axes)
    require(len(left) == len(right), f"the axes {left} and {right} do not pair up")
    axes_of(left, len(a)), axes_of(right, len(b))
    return tuple(i % len(a) for i in left), tuple(i % len(b) for i in right)


def _infer_tensordot(a: Type, b: Type, axes: int | Sequence[int]) -> Type:
    require_kind(a, "iufc", "the first factor")
    require_kind(b, "iufc", "the second factor")
    dtype = ufunc_dtype(np.matmul, a.dtype, b.dtype)
    if a.shape is None or b.shape is None:
        return Type(dtype, None)
    left, right = axes_to_sum(a.shape, b.shape, axes)
    merge(tuple(a.shape[i] for i in left), tuple(b.shape[i] for i in right))
    free = [n for i, n in enumerate(a.shape) if i not in left] + [n for i, n in enumerate(b.shape) if i not in right]
    return Type(dtype, tuple(free))


def _tensordot_gradient(g: Any, out: Tensor, a: Any, b: Any, axes: Any) -> tuple[Any, Any]:
    left, right = axes_to_sum(a.static_shape, b.static_shape, axes)
    free_a = [i for i in range(a.ndim) if i not in left]
    free_b = [i for i in range(b.ndim) if i not in right]
    to_a = tensordot(g, b, (tuple(range(len(free_a), g.ndim)), tuple(free_b)))
    to_b = tensordot(a, g, (tuple(free_a), tuple(range(len(free_a)))))
    order_a = free_a + [left[right.index(i)] for i in sorted(right)]
    order_b = [right[left.index(i)] for i in sorted(left)] + free_b
    return transpose(to_a, np.argsort(order_a).tolist()), transpose(to_b, np.argsort(order_b).tolist())


def _tensordot(a: Array, b: Array, axes: Any) -> Any:
    summed = math.prod(a.shape[axis] for axis in (range(-axes, 0) if isinstance(axes, int) else axes[0]))
    with threads.few_threads(a.size * (b.size // max(summed, 1))):
        return np.tensordot(a, b, axes)


tensordot_op: Op = op(
    "tensordot", infer=_infer_tensordot, numpy=_tensordot, promote=0, numeric=True,
    gradient=holomorphic(_tensordot_gradient),
    samples=lambda: [s.sample(_x(2, 3), _x(3, 4), axes=1), s.sample(_x(2, 3), _x(2, 4), axes=((0,), (0,))),
                     s.sample([1, 2], [3, 4], axes=1),
                     s.sample(_x(2), _x(3), axes=0), s.sample(_x(2, 3, 4), _x(4, 3), axes=((1, 2), (1, 0))),
                     s.sample(_x(0, 2), _x(2, 1), axes=1)],
    doc="The sum of products over pairs of axes.", attributes=kinds("axes"), native=True,
    products=lambda inputs, outputs, _: math.isqrt(math.prod(map(work.size, [*inputs, *outputs]))),
)  # fmt: skip


def tensordot(a: TensorLike, b: TensorLike, axes: object, name: str | None = None) -> Tensor:
    """The sum of products over axes: the last and first `axes` ones for a number, or a pair of lists of axes.

    The result has the other axes, those of `a` first, and the common dtype. Raises `InvalidArgumentError` for axes that
    do not exist, do not pair up or differ in size.
    """
    if not isinstance(axes, int):
        pair = axes if isinstance(axes, (tuple, list)) else np.asarray(axes).tolist()
        require(isinstance(pair, (tuple, list)) and len(pair) == 2, f"axes is a number or a pair of them, not {axes!r}")
        left, right = ((x,) if isinstance(x, int) else tuple(whole(i) for i in x) for x in pair)
        axes = (left, right)
    return tensordot_op(a, b, axes=axes, name=name)


def outer(a: TensorLike, b: TensorLike) -> Any:
    """The product of every element of `a` with every element of `b`, a matrix; both are flattened.

    Sizes `n` and `m` give `[n, m]` of the common dtype. Raises `InvalidArgumentError` for strings.
    """
    a, b = together(a, b)
    return reshape(a, (-1, 1)) * reshape(b, (1, -1))


def cross(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """The cross product of vectors of three elements, the last axis; the other axes broadcast.

    The result has the common dtype. Raises `InvalidArgumentError` for vectors of another length.
    """
    return cross_op(a, b, name=name)


def _infer_cross(a: Type, b: Type) -> Type:
    require_kind(a, "iufc", "the first factor")
    require_kind(b, "iufc", "the second factor")
    shape = broadcast(a.shape, b.shape)
    for x in (a, b):
        fits = x.shape is None or (len(x.shape) > 0 and x.shape[-1] in (3, None))
        require(fits, f"cross needs vectors of three elements, not {text(x.shape)}")
    return Type(ufunc_dtype(np.multiply, a.dtype, b.dtype), None if shape is None else (*shape[:-1], 3))


cross_op: Op = op("cross", infer=_infer_cross, numpy=np.cross, lenient=True, promote=0,
              gradient=holomorphic(lambda g, out, a, b: (
                  sum_to(cross_op(b, g), a), sum_to(cross_op(g, a), b))),
              samples=lambda: [s.sample(_x(3), _x(3) + 1), s.sample(_x(2, 3), _x(3)), s.sample([1, 2, 3], [3, 2, 1])],
              doc="The cross product of vectors of three elements.")  # fmt: skip


def _equation(equation: str, ranks: Sequence[int | None]) -> tuple[list[str], str]:
    """The operands' and the result's subscripts, without spaces; the result's as NumPy finds it when not given."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    operands = left.split(",")
    require(len(operands) == len(ranks), f"the equation {equation!r} is for {len(operands)} tensors, not {len(ranks)}")
    if not arrow:
        letters = [c for c in left if c.isalpha()]
        right = ("..." if "..." in left else "") + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    return operands, right


def _infer_einsum(*types: Type, equation: str) -> Type:
    for factor in types:
        require_kind(factor, "iufc", "a factor")
    operands, result = _equation(equation, [None if t.shape is None else len(t.shape) for t in types])
    dtype = ufunc_dtype(np.multiply, *(types[0].dtype,) * 2)
    sizes: dict[str, int | None] = {}
    dots: Shape = ()
    for subscripts, type_ in zip(operands, types, strict=True):
        if type_.shape is None:
            dots = None
            continue
        shape, names = type_.shape, subscripts.replace("...", ".")
        extra = len(shape) - len(names.replace(".", ""))
        require(extra == 0 or (extra > 0 and "." in names), f"the subscripts {subscripts!r} do not fit {text(shape)}")
        start = names.find(".")
        if start >= 0:
            dots = broadcast(dots, shape[start : start + extra])
            shape = shape[:start] + shape[start + extra :]
        for name, n in zip(names.replace(".", ""), shape, strict=True):
            known = sizes.get(name)
            require(None in (n, known) or n == known or 1 in (n, known),
                f"the sizes {known} and {n} of {name!r} differ")
            sizes[name] = n if known in (None, 1) else known
    if "..." in result and dots is None:
        return Type(dtype, None)
    shown = [dots if c == "." else (sizes.get(c),) for c in result.replace("...", ".")]
    return Type(dtype, tuple(n for part in shown for n in part or ()))


def _einsum(*arrays: Array, equation: str) -> Any:
    sizes: dict[str, int] = {}
    for names, array in zip(equation.partition("->")[0].replace(" ", "").split(","), arrays, strict=True):
        front, dots, behind = names.partition("...")
        sizes |= dict(zip(front, array.shape, strict=False))
        sizes |= dict(zip(behind[::-1], array.shape[::-1], strict=False))
        if dots:
            between = math.prod(array.shape[len(front) : array.ndim - len(behind)])
            sizes[dots] = max(between, sizes.get(dots, 1))
    with threads.few_threads(math.prod(sizes.values())):
        return np.asarray(np.einsum(equation, *arrays, optimize=len(arrays) > 1))


def _einsum_products(inputs: Sequence[Shape], _: object, attributes: Mapping[str, Any]) -> int:
    """As many as if all axes stood around one product; those of an ellipsis are not counted."""
    sizes: dict[str, int] = {}
    factors = attributes["equation"].partition("->")[0].replace(" ", "").split(",")
    for names, dims in zip(factors, inputs, strict=True):
        if dims is not None and "." not in names:
            sizes.update((name, n) for name, n in zip(names, dims, strict=True) if n is not None)
    return math.prod(sizes.values())


def _einsum_gradient(g: Tensor, out: Tensor, *inputs: Tensor, equation: str) -> tuple[Any, ...]:
    """Each factor's gradient is an einsum of the others, spread over axes that were summed alone and on diagonals."""
    operands, result = subscripts(equation, [x.ndim for x in inputs])
    grads = []
    for i, x in enumerate(inputs):
        others = [j for j in range(len(inputs)) if j != i]
        terms = [(operands[j], conj(inputs[j]) if x.dtype.is_complex else inputs[j]) for j in others]
        grads.append(_factor_gradient([(result, g), *terms], operands[i], x))
    return tuple(grads)


def subscripts(equation: str, ranks: Sequence[int | None]) -> tuple[list[str], str]:
    """The subscripts of an `einsum` of tensors of some ranks, with letters in place of every ellipsis."""
    operands, result = _equation(equation, ranks)
    if "..." not in equation:
        return operands, result
    require(None not in ranks, "the gradient of this einsum needs the tensors' ranks")
    unused = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in equation]
    counts = [(rank or 0) - len(names.replace("...", "")) for names, rank in zip(operands, ranks, strict=True)]
    dots = "".join(unused[: max(n for n, names in zip(counts, operands, strict=True) if "..." in names)])
    operands = [names.replace("...", dots[len(dots) - n :]) for names, n in zip(operands, counts, strict=True)]
    return operands, result.replace("...", dots)


def _factor_gradient(terms: list[tuple[str, Any]], own: str, x: Tensor) -> Any:
    unused = [c for c in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
              if c not in own and all(c not in names for names, _ in terms)]  # fmt: skip
    target = ""
    for axis, letter in enumerate(own):
        if letter in target:  # a diagonal: zero elsewhere
            numbers, fresh = range_(shape(x)[axis]), unused.pop()
            terms = [*terms, (letter + fresh, cast(expand_dims(numbers, 1) == numbers, x.dtype))]
            letter = fresh
        target += letter
    present = "".join([c for c in target if any(c in names for names, _ in terms)])
    back = einsum_op(*[value for _, value in terms], equation=",".join(n for n, _ in terms) + "->" + present)
    for axis, letter in enumerate(target):
        if letter not in present:  # summed alone: every element counts the same
            back = expand_dims(back, axis)
    known = x.static_shape
    if len(present) < len(target):
        dims = [shape(back)[i] if c in present else shape(x)[i] for i, c in enumerate(target)]
        back = broadcast_to(back, known if known is not None and None not in known else dims)
    return sum_to(back, x)


einsum_op: Op = op(
    "einsum", infer=_infer_einsum, numpy=_einsum, lenient=True, promote=0, numeric=True, gradient=_einsum_gradient,
    samples=lambda: [s.sample(_x(2, 3), _x(3, 4), equation="ij,jk->ik"), s.sample(_x(3, 3), equation="ii->i"),
                     s.sample(_x(3, 3), equation="ii"),
                     s.sample(_x(5, 2, 3), _x(5, 3, 2), equation="bij,bjk->bik"),
                     s.sample(_x(4, 2, 3), _x(3), equation="...j,j->..."),
                     s.sample([1, 2], [3, 4], equation="i,j"),
                     s.sample(_x(2, 3), _x(0, 3), _x(2), equation="ij,kj,i->k"), s.sample(_x(2, 3), equation="ij->ji")],
    doc="Sums of products over named axes, in Einstein's notation.", attributes=kinds("equation"), native=True,
    products=_einsum_products,
)  # fmt: skip


def einsum(equation: str, *inputs: TensorLike, name: str | None = None, **_: object) -> Tensor:
    """Sums of products in Einstein's notation: `einsum("ij,jk->ik", a, b)` is the matrix product.

    The result has the dtype common to the inputs. Raises `InvalidArgumentError` for an equation for another number of
    inputs or other ranks, and for sizes of one letter that differ.
    """
    return einsum_op(*inputs, equation=equation, name=name)
