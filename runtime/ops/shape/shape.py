"""The shape of tensors: reshape, transpose, concat, split, pad and their like.

Where TensorFlow lets a shape be a tensor, so does this: the part of it that is known while tracing becomes the static
shape of the result, and the rest is an input of the node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base.dtypes import Array, DType, as_dtype, int32
from ...base.shapes import Shape, is_compatible
from ...base.shapes import broadcast as broadcast_shapes
from ...ir import totality
from ...ir.kinds import kinds
from ...ir.op import NOT_DIFFERENTIABLE, Op, Type, op
from ...ir.raising import counts
from ...ir.shape_chains import (
    ensured,
    known_shape,
    reshape_of_reshape,
    same_shape,
    squeeze_of_expand,
    transposes,
)
from ...ir.work import Work
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import DTypeLike, ShapeLike, TensorLike
from ...tensors.tensor import Tensor
from ..declare import sum_to
from ..elementwise.elementwise import conj
from ..infer import at_least, axes_of, axis_of, product, require, require_kind, text, whole
from ..kernels import samples as s
from .dims import as_dims, dims_of

__all__ = [
    "broadcast_to", "ensure_shape", "expand_dims", "matrix_transpose", "moveaxis", "rank", "reshape", "reverse",
    "roll", "shape", "shape_n", "size", "squeeze", "swapaxes", "transpose",
]  # fmt: skip

Axes = int | Sequence[int] | None


def _x(*shape: int, dtype: DTypeLike = np.float32) -> Any:
    return np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)


# reshape


def _infer_reshape(x: Type, *_: Type, shape: Shape) -> Type:
    if shape is None:
        return Type(x.dtype, None)
    unknown = shape.count(-1)
    require(unknown <= 1, f"only one dimension can be -1, not as in {text(shape)}")
    before = None if x.shape is None else product(x.shape)
    unfit = f"a tensor of shape {text(x.shape)} has {before} elements, and does not reshape to {text(shape)}"
    rest = product(n for n in shape if n != -1)
    if not unknown:
        require(before is None or rest is None or before == rest, unfit)
        return Type(x.dtype, shape)
    fits = before is None or rest is None or (before % rest == 0 if rest else before == 0)
    require(fits, unfit)
    guess = None if before is None or not rest else before // rest
    return Type(x.dtype, tuple(guess if n == -1 else n for n in shape))


def _reshape(x: Array, *dims: Any, shape: Any) -> Any:
    wanted = dims[0] if dims else shape
    try:
        return x.reshape(wanted)
    except ValueError:
        wanted = tuple(map(int, wanted))
        unclear = not x.size and -1 in wanted and 0 in wanted
        raise InvalidArgumentError(
            f"a tensor of shape {text(x.shape)} has {x.size} elements, and does not reshape to {text(wanted)}"
            f"{': without elements, any dimension fits in place of -1' if unclear else ''}",
            remedy="write the dimension in place of -1" if unclear else None,
        ) from None


reshape_op = op(
    "reshape", infer=_infer_reshape, numpy=_reshape,
    gradient=lambda g, out, x, *dims, shape: (reshape(g, _shape_like(x)), *(None for _ in dims)),
    samples=lambda: [
        s.sample(_x(2, 3), shape=(3, 2)), s.sample(_x(2, 3), shape=(-1,)), s.sample(_x(), shape=(1, 1)),
        s.sample(_x(1), shape=()),
        s.sample(_x(0, 3), shape=(3, 0)), s.sample(_x(2, 3), [3, -1], shape=(3, None)),
        s.sample(["a", "b"], shape=(2, 1)),
        s.sample(_x(2, 3), [6], shape=None),
    ],
    raises=counts,
    doc="The same elements in another shape; one dimension may be -1. A second input, if any, is the shape.",
    total=totality.target, work=Work.LITTLE, view=True, native=True, chains=(same_shape, reshape_of_reshape),
    attributes=kinds("shape"),
)  # fmt: skip


def _shape_like(x: Tensor) -> Any:
    known = x.static_shape
    return known if known is not None and None not in known else shape(x)


def reshape(tensor: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """The elements of `tensor` in row order, in another shape; one dimension may be -1 and is then worked out.

    `shape` is a list of ints and scalar tensors, or an integer tensor. Raises `InvalidArgumentError` when the number of
    elements does not fit.
    """
    hint, inputs = as_dims(shape, least=-1)
    return reshape_op(tensor, *inputs, shape=hint, name=name)


# expand_dims, squeeze


def _infer_expand(x: Type, axis: int) -> Type:
    if x.shape is None:
        return x
    axis = axis_of(axis, len(x.shape) + 1)
    return Type(x.dtype, (*x.shape[:axis], 1, *x.shape[axis:]))


expand_dims_op = op(
    "expand_dims", infer=_infer_expand, numpy=np.expand_dims, gradient=lambda g, out, x, axis: (squeeze(g, axis),),
    samples=lambda: [s.sample(_x(2, 3), axis=i) for i in (0, 1, -1, -3)] + [s.sample("a", axis=0)],
    doc="The tensor with a new dimension of one at `axis`.", total=totality.ranked,
    work=Work.LITTLE, view=True, native=True, attributes=kinds("axis"),
)  # fmt: skip


def expand_dims(input: TensorLike, axis: int, name: str | None = None) -> Tensor:
    """`input` with a new dimension of one before `axis` (counted from the end of the result when negative).

    The dtype stays. Raises `InvalidArgumentError` for an axis out of bounds of the result.
    """
    return expand_dims_op(input, axis=whole(axis), name=name)


def _infer_squeeze(x: Type, axis: int | Sequence[int] | None = None) -> Type:
    if x.shape is None or (axis is None and None in x.shape):
        return Type(x.dtype, None)
    if axis is None:
        return Type(x.dtype, tuple(n for n in x.shape if n != 1))
    axes = axes_of(axis, len(x.shape))
    for a in axes:
        require(x.shape[a] in (1, None), f"can not squeeze dimension {a} of {text(x.shape)}: it is not 1")
    return Type(x.dtype, tuple(n for i, n in enumerate(x.shape) if i not in axes))


squeeze_op = op(
    "squeeze", infer=_infer_squeeze, numpy=lambda x, axis=None: x.squeeze(axis),
    gradient=lambda g, out, x, axis=None: (reshape(g, _shape_like(x)),),
    samples=lambda: [s.sample(_x(1, 2, 1)), s.sample(_x(1, 2, 1), axis=0), s.sample(_x(1, 2, 1), axis=(0, -1)),
                     s.sample(_x())],
    doc="The tensor without its dimensions of one, or without those given.", total=totality.fixed,
    work=Work.LITTLE, view=True, native=True, chains=(same_shape, squeeze_of_expand), attributes=kinds("axis"),
)  # fmt: skip


def squeeze(input: TensorLike, axis: Axes = None, name: str | None = None) -> Tensor:
    """`input`, of any dtype, without its dimensions of one, or without those in `axis`.

    Raises `InvalidArgumentError` when a dimension in `axis` is not one, or there is no such dimension.
    """
    if isinstance(axis, list | tuple):
        axis = tuple(int(a) for a in axis) or None
    return squeeze_op(input, axis=axis, name=name)


# transpose


def _infer_transpose(x: Type, perm: Any = None) -> Type:
    if x.shape is None:
        return Type(x.dtype, None if perm is None else (None,) * len(perm))
    if perm is None:
        return Type(x.dtype, x.shape[::-1])
    order = [axis_of(a, len(x.shape)) for a in perm]
    require(sorted(order) == list(range(len(x.shape))), f"{perm} is not a permutation of the axes of {text(x.shape)}")
    return Type(x.dtype, tuple(x.shape[a] for a in order))


def _transpose_gradient(g: Tensor, out: Tensor, x: Tensor, perm: Any = None) -> tuple[Any]:
    if perm is None:
        return (transpose_op(g, perm=None),)
    return (transpose_op(g, perm=tuple(int(i) for i in np.argsort([p % len(perm) for p in perm]))),)


transpose_op = op(
    "transpose", infer=_infer_transpose, numpy=lambda x, perm=None: x.transpose(perm), gradient=_transpose_gradient,
    samples=lambda: [s.sample(_x(2, 3, 4)), s.sample(_x(2, 3, 4), perm=(2, 0, 1)), s.sample(_x()), s.sample(_x(0, 2)),
                     s.sample(_x(2, 3), perm=(-1, 0))],
    doc="The axes in another order; reversed when none is given.", total=totality.ranked,
    work=Work.LITTLE, view=True, native=True, chains=(transposes,), attributes=kinds("perm"),
)  # fmt: skip


def transpose(
    a: TensorLike, perm: Sequence[int] | None = None, conjugate: bool = False, name: str = "transpose"
) -> Tensor:
    """`a`, of any dtype, with its axes in the order `perm` (reversed when ``None``), and conjugated if asked.

    Raises `InvalidArgumentError` when `perm` is no permutation of the axes.
    """
    result = transpose_op(a, perm=None if perm is None else tuple(int(p) for p in perm), name=name)
    return conj(result) if conjugate else result


def moveaxis(a: TensorLike, source: int | Sequence[int], destination: int | Sequence[int]) -> Any:
    """`a`, of any dtype, with the axes `source` moved to the places `destination`; the others keep their order.

    Raises `InvalidArgumentError` for an axis out of bounds or an unknown rank, `ValueError` for lengths that differ.
    """
    tensor = convert_to_tensor(a)
    n = _known_rank(tensor, "moveaxis")
    sources = [axis_of(i, n) for i in ([source] if isinstance(source, int) else source)]
    targets = [axis_of(i, n) for i in ([destination] if isinstance(destination, int) else destination)]
    order = [i for i in range(n) if i not in sources]
    for target, origin in sorted(zip(targets, sources, strict=True)):
        order.insert(target, origin)
    return transpose_op(tensor, perm=tuple(order))


def swapaxes(a: TensorLike, axis1: int, axis2: int) -> Any:
    """`a`, of any dtype, with two axes exchanged. Raises `InvalidArgumentError` for one that `a` does not have."""
    tensor = convert_to_tensor(a)
    order = list(range(_known_rank(tensor, "swapaxes")))
    first, second = axis_of(whole(axis1), len(order)), axis_of(whole(axis2), len(order))
    order[first], order[second] = second, first
    return transpose_op(tensor, perm=tuple(order))


def matrix_transpose(a: TensorLike, name: str = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """`a`, of any dtype, with its last two axes exchanged, conjugated if asked.

    Raises `InvalidArgumentError` below rank 2.
    """
    a = convert_to_tensor(a)
    at_least(a.static_shape, 2, "the matrix")
    result = swapaxes(a, -1, -2)
    return conj(result) if conjugate else result


def _known_rank(tensor: Tensor, function: str) -> int:
    if tensor.ndim is None:
        raise InvalidArgumentError(f"{function} needs a tensor whose rank is known")
    return tensor.ndim


# broadcast_to, ensure_shape


def _infer_broadcast_to(x: Type, *_: Type, shape: Shape) -> Type:
    if shape is not None:
        joint = broadcast_shapes(x.shape, shape)
        require(joint is None or is_compatible(joint, shape), f"{text(x.shape)} does not broadcast to {text(shape)}")
    return Type(x.dtype, shape)


broadcast_to_op = op(
    "broadcast_to", infer=_infer_broadcast_to, numpy=lambda x, *dims,
    shape: np.broadcast_to(x, tuple(dims[0]) if dims else shape),
    gradient=lambda g, out, x, *dims, shape: (sum_to(g, x), *(None for _ in dims)),
    samples=lambda: [s.sample(_x(3), shape=(2, 3)), s.sample(_x(), shape=(2, 0)),
                     s.sample(_x(2, 1), [2, 4], shape=(2, None)),
                     s.sample(_x(1), [3], shape=None)],
    raises=counts, doc="The tensor broadcast to a shape.", total=totality.target, native=True, chains=(same_shape,),
    attributes=kinds("shape"),
)  # fmt: skip


def broadcast_to(input: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """`input`, of any dtype, broadcast to `shape`: a list of ints and scalar tensors, or an integer tensor.

    Raises `InvalidArgumentError` when it does not broadcast to it.
    """
    hint, inputs = as_dims(shape)
    return broadcast_to_op(input, *inputs, shape=hint, name=name)


def _infer_ensure(x: Type, shape: Shape) -> Type:
    require(is_compatible(x.shape, shape), f"the shape {text(x.shape)} is not compatible with {text(shape)}")
    if x.shape is None or shape is None:
        return Type(x.dtype, shape if x.shape is None else x.shape)
    return Type(x.dtype, tuple(b if a is None else a for a, b in zip(x.shape, shape, strict=True)))


def _ensure(x: Array, shape: Shape) -> Any:
    require(is_compatible(x.shape, shape), f"the shape {text(x.shape)} is not compatible with {text(shape)}")
    return x


ensure_shape_op = op(
    "ensure_shape", infer=_infer_ensure, numpy=_ensure, gradient=lambda g, out, x, shape: (g,),
    samples=lambda: [s.sample(_x(2, 3), shape=(2, None)), s.sample(_x(2), shape=None), s.sample(_x(0), shape=(0,))],
    doc="The tensor itself, known to have the shape; an error at run time if it has not.", native=True,
    chains=(ensured,), attributes=kinds("shape"),
)  # fmt: skip


def ensure_shape(x: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """`x`, of any dtype, itself, from here on known to have `shape` (``None`` for any dimension).

    Raises `InvalidArgumentError` when it has not: while tracing where that is known, else when the graph runs.
    """
    return ensure_shape_op(x, shape=dims_of(shape), name=name)


# reverse, roll


def _infer_axes(x: Type, axis: int | Sequence[int], **_: object) -> Type:
    if x.shape is not None:
        axes_of(axis, len(x.shape))
    return x


reverse_op: Op = op(
    "flip", infer=_infer_axes, numpy=np.flip, gradient=lambda g, out, x, axis: (reverse_op(g, axis=axis),),
    samples=lambda: [s.sample(_x(2, 3), axis=(0,)), s.sample(_x(2, 3), axis=(0, -1)), s.sample(_x(0, 3), axis=(1,)),
                     s.sample(_x(2), axis=()), s.sample(["a", "b"], axis=(0,)), s.sample(_x(2, 2), axis=None)],
    doc="The elements in reverse order along axes.", total=totality.ranked,
    view=True, native=True, tensorflow_name="ReverseV2", attributes=kinds("axis"),
)  # fmt: skip


def reverse(tensor: TensorLike, axis: Sequence[int], name: str | None = None) -> Tensor:
    """`tensor`, of any dtype, in reverse order along each axis in `axis`.

    Raises `InvalidArgumentError` for an axis out of bounds or given twice.
    """
    return reverse_op(tensor, axis=tuple(int(a) for a in np.atleast_1d(axis)), name=name)


def _infer_roll(x: Type, shift: Type, axis: int | Sequence[int]) -> Type:
    require_kind(shift, "iu", "shift")
    if isinstance(axis, tuple) and x.shape is not None:
        for one in axis:
            axis_of(one, len(x.shape))
        return x
    return x if isinstance(axis, tuple) else _infer_axes(x, axis)


roll_op: Op = op(
    "roll", infer=_infer_roll,
    numpy=lambda x, shift, axis: np.roll(x, _shift(shift), axis),
    gradient=lambda g, out, x, shift, axis: (roll_op(g, -shift, axis=axis), None),
    samples=lambda: [s.sample(_x(5), 2, axis=0), s.sample(_x(2, 3), [1, -1], axis=(0, 1)),
                     s.sample(_x(0, 3), 1, axis=1),
                     s.sample(_x(4), -7, axis=-1), s.sample(_x(2, 2), 1, axis=None)],
    doc="The elements moved round along an axis by `shift`.", attributes=kinds("axis"),
)  # fmt: skip


def _shift(shift: Tensor) -> Any:
    return int(shift) if np.ndim(shift) == 0 else tuple(shift.tolist())


def roll(input: TensorLike, shift: TensorLike, axis: Axes, name: str | None = None) -> Tensor:
    """`input` with its elements moved by `shift` along `axis`; what leaves at the end comes in at the front.

    Shape and dtype stay. Raises `InvalidArgumentError` for an axis out of bounds, and when `shift` and `axis` differ in
    length.
    """
    axis = tuple(int(a) for a in axis) if isinstance(axis, list | tuple) else axis
    return roll_op(input, shift, axis=axis, name=name)


# shape, size, rank


def _infer_shape(x: Type, dtype: DType = int32) -> Type:
    return Type(dtype, (None if x.shape is None else len(x.shape),))


def _count(name: str, kernel: Callable[[Any], Any], doc: str) -> Any:
    return op(
        name, gradient=NOT_DIFFERENTIABLE,
        infer=lambda x, dtype=int32: Type(dtype, ()), numpy=lambda x, dtype=int32: dtype.numpy.type(kernel(x)),
        doc=doc, total=totality.always, native=True, chains=(known_shape,), attributes=kinds("dtype"),
        of_shape=True,
        samples=lambda: [s.sample(_x(2, 3)), s.sample(_x()), s.sample(_x(0, 2), dtype=as_dtype("int64")),
                         s.sample(["a"])],
    )  # fmt: skip


shape_op = op(
    "shape", gradient=NOT_DIFFERENTIABLE,
    infer=_infer_shape, numpy=lambda x, dtype=int32: np.array(np.shape(x), dtype.numpy),
    samples=lambda: [s.sample(_x(2, 3)), s.sample(_x()), s.sample(_x(0, 2), dtype=as_dtype("int64")), s.sample(["a"])],
    doc="The dimensions of the tensor, as a vector.", total=totality.always, work=Work.LITTLE, native=True,
    chains=(known_shape,), attributes=kinds("dtype"),
    of_shape=True,
)  # fmt: skip
size_op = _count("size", np.size, "The number of elements.")
rank_op = _count("rank", np.ndim, "The number of dimensions.")


def shape(input: Any, out_type: Any = int32, name: str | None = None) -> Tensor:
    """The shape of `input` as a vector of `out_type`. Raises `InvalidArgumentError` when that is no integer dtype."""
    return shape_op(input, dtype=_integer_dtype(out_type), name=name)


def _integer_dtype(value: object) -> DType:
    dtype = as_dtype(value)
    require(dtype.is_integer, f"sizes are integers: out_type can't be {dtype.name}")
    return dtype


def shape_n(input: Sequence[Any], out_type: DTypeLike = int32, name: str | None = None) -> list[Tensor]:
    """The shapes of several tensors, as a list of vectors of `out_type`; errors as for `shape`."""
    return [shape(x, out_type, name) for x in input]


def size(input: object, out_type: Any = int32, name: str | None = None) -> Tensor:
    """The number of elements of `input`, a scalar of `out_type`; errors as for `shape`."""
    return size_op(input, dtype=_integer_dtype(out_type), name=name)


def rank(input: TensorLike, name: str | None = None) -> Tensor:
    """The number of dimensions of `input`, an int32 scalar."""
    return rank_op(input, name=name)
