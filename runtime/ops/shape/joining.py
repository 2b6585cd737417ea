"""Joining, cutting and repeating tensors: concat, stack, split, tile, repeat, pad."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base.dtypes import Array, float32
from ...base.shapes import Shape, merge
from ...base.shapes import size as known_size
from ...ir import totality
from ...ir.identities import alone
from ...ir.kinds import kinds
from ...ir.op import FUNCTIONS, OPS, Type, op
from ...ir.raising import counts
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import DTypeLike, TensorLike
from ...tensors.tensor import EagerTensor, Tensor
from ..elementwise.elementwise import cast
from ..infer import at_least, axis_of, exactly, product, require, require_kind, text, total, whole
from ..kernels import samples as s
from .create import range as range_
from .create import zeros, zeros_like
from .dims import as_dims
from .index import add_at_op, slice_along
from .known import known_array
from .shape import moveaxis, reshape, shape, size

__all__ = ["concat", "pad", "repeat", "split", "stack", "tile", "unstack"]


def _x(*shape: int, dtype: DTypeLike = np.float32) -> Any:
    return np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)


# concat and stack


def _infer_concat(*types: Type, axis: int) -> Type:
    known = [t.shape for t in types if t.shape is not None]
    if not known:
        return Type(types[0].dtype, None)
    at_least(known[0], 1, "what is joined")
    place = axis_of(axis, len(known[0]))
    others: Shape = None
    for each in known:
        if len(each) != len(known[0]):
            raise InvalidArgumentError(f"can't join shapes of different rank: {', '.join(_distinct(known))}")
        try:
            others = merge(others, (*each[:place], None, *each[place + 1 :]))
        except InvalidArgumentError:
            raise InvalidArgumentError(f"can't join along axis {axis}: {' and '.join(_distinct(known))}") from None
    assert others is not None
    joined = None if len(known) < len(types) else total(shape[place] for shape in known)
    return Type(types[0].dtype, (*others[:place], joined, *others[place + 1 :]))


def _distinct(shapes: Iterable[Shape]) -> list[str]:
    return list(dict.fromkeys(map(text, shapes)))


def _concat_gradient(g: Tensor, out: Tensor, *inputs: Tensor, axis: int) -> tuple[Any, ...]:
    grads, start = [], 0
    for x in inputs:
        known = None if x.static_shape is None else x.static_shape[axis]
        length: Any = shape(x)[axis] if known is None else known
        grads.append(slice_along(g, start, length, axis))
        start = start + length
    return tuple(grads)


concat_op = op(
    "concat", infer=_infer_concat, numpy=lambda *xs, axis: np.concatenate(xs, axis), promote=0,
    gradient=_concat_gradient,
    samples=lambda: [
        s.sample(_x(2, 3), _x(1, 3), axis=0), s.sample(_x(2, 3), _x(2, 0), axis=-1), s.sample(_x(2), axis=0),
        s.sample(["a"], ["b"], axis=0),
        s.sample([1, 2], np.array([3], np.int64), axis=0), s.sample([1], [2.5], axis=0), s.sample(_x(0), _x(0), axis=0),
    ],
    doc="The tensors joined along an axis.", total=totality.together, native=True, tensorflow_name="ConcatV2",
    identities=(alone,), attributes=kinds("axis"),
    moves=True,
)  # fmt: skip


def concat(values: TensorLike, axis: int, name: str = "concat") -> Tensor:
    """The tensors of a list joined along `axis`. All other dimensions must be equal; dtypes promote.

    Raises `InvalidArgumentError` for other shapes and no tensor, `InvalidTypeError` for dtypes without a common one.
    """
    if not isinstance(values, list | tuple):
        return convert_to_tensor(values)
    require(len(values) > 0, "concat needs at least one tensor")
    return concat_op(*values, axis=whole(axis), name=name)


def _infer_stack(*types: Type, axis: int) -> Type:
    shape: Shape = None
    for type_ in types:
        try:
            shape = merge(shape, type_.shape)
        except InvalidArgumentError:
            shown = ", ".join(_distinct(t.shape for t in types))
            raise InvalidArgumentError(f"can't stack tensors of different shapes: {shown}") from None
    if shape is None:
        return Type(types[0].dtype, None)
    place = axis_of(axis, len(shape) + 1)
    return Type(types[0].dtype, (*shape[:place], len(types), *shape[place:]))


stack_op = op(
    "stack", infer=_infer_stack, numpy=lambda *xs, axis: np.stack([np.asarray(x) for x in xs], axis), promote=0,
    gradient=lambda g, out, *inputs, axis: tuple(unstack(g, num=len(inputs), axis=axis)),
    samples=lambda: [s.sample(1, 2, axis=0), s.sample(_x(2), _x(2), axis=1), s.sample(_x(2, 0), axis=-1),
                     s.sample("a", "b", axis=0),
                     s.sample(1, 2.5, axis=0), s.sample(_x(2, 3), _x(2, 3), axis=-2)],
    doc="Tensors of one shape along a new axis.", total=totality.together, native=True, tensorflow_name="Pack",
    attributes=kinds("axis"),
    moves=True,
)  # fmt: skip


def stack(values: TensorLike, axis: int = 0, name: str = "stack") -> Tensor:
    """The tensors of a list, all of one shape, along a new `axis`; dtypes promote. Of nothing: an empty vector.

    What is a tensor already (a staged list becomes one) holds its items along the first axis, which moves to `axis`.
    Raises `InvalidArgumentError` for shapes that differ, `InvalidTypeError` for dtypes without a common one.
    """
    if not isinstance(values, list | tuple):
        tensor = convert_to_tensor(values)
        require(tensor.static_shape != (), "can't stack a scalar: give a list of tensors")
        return tensor if axis == 0 else moveaxis(tensor, 0, whole(axis))
    if not values:
        return zeros((0,), float32)
    return stack_op(*values, axis=whole(axis), name=name)


# unstack and split


def _infer_unstack(x: Type, num: int, axis: int) -> tuple[Type, ...]:
    if x.shape is None:
        return (Type(x.dtype, None),) * num
    place = axis_of(axis, len(x.shape))
    require(x.shape[place] in (None, num), f"can't unstack {text(x.shape)} into {num} along axis {axis}")
    return (Type(x.dtype, x.shape[:place] + x.shape[place + 1 :]),) * num


def _unstack(x: Array, num: int, axis: int) -> tuple[Any, ...]:
    require(x.shape[axis] == num, f"can't unstack {text(x.shape)} into {num} along axis {axis}")
    moved = np.moveaxis(x, axis, 0)
    return tuple(moved[i, ...] for i in range(num))


unstack_op = op(
    "unstack", infer=_infer_unstack, numpy=_unstack,
    gradient=lambda g, out, x, num, axis: (stack(list(g), axis),),
    samples=lambda: [s.sample(_x(2, 3), num=2, axis=0), s.sample(_x(2, 3), num=3, axis=-1),
                     s.sample(_x(0, 3), num=0, axis=0),
                     s.sample(_x(2), num=2, axis=0), s.sample(["a", "b"], num=2, axis=0)],
    doc="The slices along an axis, as separate tensors.", native=True, tensorflow_name="Unpack",
    attributes=kinds("num axis"), fits=lambda count, attributes, outputs: attributes["num"] == outputs,
    moves=True,
)  # fmt: skip


def unstack(value: TensorLike, num: int | None = None, axis: int = 0, name: str = "unstack") -> list[Tensor]:
    """The slices of `value` along `axis`, as a list. `num` is needed only where the dimension is not known.

    The dtype stays. Raises `InvalidArgumentError` when `num` is missing or wrong, or the axis out of bounds.
    """
    tensor = convert_to_tensor(value)
    shape = tensor.static_shape
    if num is None:
        known = None if shape is None else shape[axis_of(axis, len(shape))]
        if known is None:
            raise InvalidArgumentError(f"can't unstack {text(shape)} along axis {axis} of unknown size; give num")
        num = known
    return list(unstack_op(tensor, num=int(num), axis=whole(axis), name=name))


def _infer_split(x: Type, sizes: Any, axis: int) -> tuple[Type, ...]:
    if isinstance(sizes, int):
        return _infer_equal_split(x, sizes, axis)
    if x.shape is None:
        return (Type(x.dtype, None),) * len(sizes)
    place = axis_of(axis, len(x.shape))
    filled = _fill_in(sizes, x.shape[place])
    return tuple(Type(x.dtype, (*x.shape[:place], n, *x.shape[place + 1 :])) for n in filled)


def _infer_equal_split(x: Type, number: int, axis: int) -> tuple[Type, ...]:
    if x.shape is None:
        return (Type(x.dtype, None),) * number
    place = axis_of(axis, len(x.shape))
    n = x.shape[place]
    require(n is None or n % number == 0, f"can't split a dimension of {n} into {number} equal parts")
    part = None if n is None else n // number
    return (Type(x.dtype, (*x.shape[:place], part, *x.shape[place + 1 :])),) * number


def _fill_in(sizes: Sequence[int], n: int | None) -> list[int | None]:
    """The sizes with the one that is -1 worked out."""
    given = sum(size for size in sizes if size >= 0)
    require(sizes.count(-1) <= 1, f"only one size can be -1, not as in {sizes}")
    fits = n is None or given == n or (-1 in sizes and given <= n)
    require(fits, f"the sizes {sizes} do not make up a dimension of {n}")
    return [size if size >= 0 else None if n is None else n - given for size in sizes]


def _split(x: Any, sizes: Any, axis: int) -> tuple[Any, ...]:
    if isinstance(sizes, int):
        require(x.shape[axis] % sizes == 0, f"can't split a dimension of {x.shape[axis]} into {sizes} equal parts")
        return tuple(np.split(x, sizes, axis))
    ends: Any = np.cumsum(np.asarray(_fill_in(sizes, x.shape[axis]), int))[:-1]
    return tuple(np.split(x, ends, axis))


split_op = op(
    "split", infer=_infer_split, numpy=_split, gradient=lambda g, out, x, sizes, axis: (concat(list(g), axis),),
    samples=lambda: [s.sample(_x(6), sizes=3, axis=0), s.sample(_x(2, 5), sizes=(1, -1), axis=1),
                     s.sample(_x(2, 5), sizes=(2, 0, 3), axis=-1),
                     s.sample(_x(0, 2), sizes=2, axis=0), s.sample(["a", "b"], sizes=2, axis=0)],
    doc="Parts along an axis: equal ones for a number, or of the given sizes (one may be -1).", native=True,
    attributes=kinds("sizes axis"),
    fits=lambda count, attributes, outputs: type(attributes["sizes"]) is tuple or attributes["sizes"] == outputs,
    moves=True,
)  # fmt: skip


def split(
    value: TensorLike, num_or_size_splits: Any, axis: int = 0, num: int | None = None, name: str = "split"
) -> list[Tensor]:
    """`value` cut along `axis` into a number of equal parts, or into parts of given sizes (one may be -1).

    The dtype stays. Raises `InvalidArgumentError` when the parts do not make up the dimension.
    """
    sizes = num_or_size_splits
    if isinstance(sizes, EagerTensor | np.ndarray):
        sizes = np.asarray(sizes).tolist()
    sizes = tuple(int(n) for n in sizes) if isinstance(sizes, list | tuple) else int(sizes)
    require(sizes != 0, "can't split into no parts")
    return list(split_op(value, sizes=sizes, axis=whole(axis), name=name))


# tile and repeat


def _infer_tile(x: Type, *_: Type, multiples: Shape) -> Type:
    if x.shape is None or multiples is None:
        return Type(x.dtype, None if x.shape is None else (None,) * len(x.shape))
    require(len(x.shape) == len(multiples),
        f"multiples {multiples} must have one number for each axis of {text(x.shape)}")
    sizes = (0 if 0 in (n, m) else None if n is None or m is None else n * m for n,
        m in zip(x.shape, multiples, strict=True))
    return Type(x.dtype, tuple(sizes))


def _tile(x: Array, *dynamic: Array, multiples: Any) -> Any:
    counts = tuple(dynamic[0].tolist()) if dynamic else multiples
    require(len(counts) == x.ndim, f"multiples {counts} must have one number for each axis of {text(x.shape)}")
    return np.tile(x, counts)


def _tile_gradient(g: Tensor, out: Tensor, x: Any, *dynamic: object, multiples: Shape) -> tuple[Any, ...]:
    rank = x.ndim
    require(rank is not None, "the gradient of tile needs the tensor's rank")
    counts = [dynamic[0][i] if dynamic else multiples[i] for i in range(rank)]  # type: ignore[index]
    dims = [part for i in range(rank) for part in (counts[i], shape(x)[i])]
    parts = reshape(g, dims) if rank else g
    return OPS["sum"](parts, axis=tuple(range(0, 2 * rank, 2))), *(None for _ in dynamic)


tile_op = op(
    "tile", infer=_infer_tile, numpy=_tile, gradient=_tile_gradient,
    samples=lambda: [s.sample(_x(2, 3), multiples=(2, 1)), s.sample(_x(3), multiples=(0,)),
                     s.sample(_x(), multiples=()),
                     s.sample(_x(2), [3], multiples=(None,)), s.sample(["a"], multiples=(2,)),
                     s.sample(_x(0, 2), [2, 2], multiples=None)],
    raises=counts,
    doc="The tensor repeated as a whole, so many times along each axis.", native=True, attributes=kinds("multiples"),
)  # fmt: skip


def tile(input: TensorLike, multiples: object, name: str | None = None) -> Tensor:
    """`input` repeated `multiples[i]` times along each axis `i` (ints, scalar tensors, or an integer tensor).

    The dtype stays. Raises `InvalidArgumentError` unless there is one number, not negative, for each axis.
    """
    hint, inputs = as_dims(multiples)
    return tile_op(input, *inputs, multiples=hint, name=name)


def _infer_repeat(x: Type, repeats: Type, axis: int | None = None, count: int | None = None,
                  length: int | None = None) -> Type:  # fmt: skip
    require_kind(repeats, "iu", "repeats")
    if axis is None:
        return Type(x.dtype, (length if count is None else product((known_size(x.shape), count)),))
    if x.shape is None:
        return Type(x.dtype, None)
    place = axis_of(axis, len(x.shape))
    n = x.shape[place]
    after = length if count is None else product((n, count))
    if repeats.shape is not None and len(repeats.shape) == 1 and None not in (n, repeats.shape[0]):
        require(repeats.shape[0] in (1, n), f"{repeats.shape[0]} repeats for a dimension of {n}")
    return Type(x.dtype, (*x.shape[:place], after, *x.shape[place + 1 :]))


def _repeat_gradient(g: Tensor, x: Tensor, repeats: Tensor, axis: int | None) -> Any:
    places = repeat_op(range_(size(x) if axis is None else shape(x)[axis]), repeats, axis=0)
    if axis is None:
        total = add_at_op(zeros_like(reshape(x, (-1,))), g, places, key=(("input", 0),))
        return reshape(total, shape(x) if x.static_shape is None or None in x.static_shape else x.static_shape)
    whole: Any = ("slice", None, None, None)
    before = (whole,) * axis if axis >= 0 else (("ellipsis",),)
    after = (whole,) * (-axis - 1) if axis < 0 else ()
    return add_at_op(zeros_like(x), g, places, key=(*before, ("input", 0), *after))


repeat_op = op(
    "repeat", infer=_infer_repeat,
    numpy=lambda x, repeats, axis=None, **_: np.repeat(x, repeats.astype(np.int64), axis),
    gradient=lambda g, out, x, repeats, axis=None, **_: (_repeat_gradient(g, x, repeats, axis), None),
    samples=lambda: [s.sample([1, 2], [2, 3], axis=0), s.sample(_x(2, 2), 2, axis=1, count=2), s.sample(_x(2, 2), 2),
                     s.sample(5, 3, count=3),
                     s.sample(_x(0, 2), 2, axis=0), s.sample(["a", "b"], [0, 1], axis=-1),
                     s.sample(_x(2, 2), [2], axis=0), s.sample([1, 2], [2, 3], length=5)],
    raises=counts,
    doc="Each element (or slice along an axis) repeated. `count` is the number, when it is one and known; `length`, of "
    "several, what they make together.",
    attributes=kinds("axis count length"),
)  # fmt: skip


def repeat(input: TensorLike, repeats: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """Each element of `input` repeated `repeats` times: one number, or one for each slice along `axis`.

    Without `axis` the input is flattened first; the dtype stays. Raises `InvalidArgumentError` when `repeats` has
    another length, is negative or no integer.
    """
    known = np.asarray(repeats) if isinstance(repeats, int) else known_array(convert_to_tensor(repeats))
    attributes: dict[str, Any] = {"axis": None if axis is None else whole(axis), "count": None}
    if known is not None and known.dtype.kind in "iu" and known.ndim <= 1 and (known >= 0).all():
        attributes.update({"count": known.item()} if known.size == 1 else {"length": int(known.sum())})
    return repeat_op(input, repeats, name=name, **attributes)


# pad


def _infer_pad(x: Type, fill: Type, *_: Type, paddings: Any, mode: str) -> Type:
    exactly(fill.shape, 0, "constant_values")
    if x.shape is None or paddings is None:
        return Type(x.dtype, None if x.shape is None else (None,) * len(x.shape))
    require(len(paddings) == len(x.shape), f"paddings {paddings} must have one pair for each axis of {text(x.shape)}")
    return Type(x.dtype, tuple(total((n, *pair)) for n, pair in zip(x.shape, paddings, strict=True)))


def _pad(x: Array, fill: Array, *dynamic: Array, paddings: Any, mode: str) -> Any:
    pairs = dynamic[0].tolist() if dynamic else paddings
    require(len(pairs) == x.ndim, f"paddings {pairs} must have one pair for each axis of {text(x.shape)}")
    if mode == "constant":
        shape = tuple(n + before + after for n, (before, after) in zip(x.shape, pairs, strict=True))
        result = np.full(shape, fill, x.dtype)
        result[tuple(slice(before, before + n) for n, (before, _) in zip(x.shape, pairs, strict=True))] = x
        return result
    for n, pair in zip(x.shape, pairs, strict=True):
        require(max(pair) <= n - (mode == "reflect"),
            f"paddings {pairs} are too large for mode {mode} and shape {text(x.shape)}")
    return np.pad(x, pairs, mode)  # type: ignore[call-overload]


def _pad_gradient(
    g: Tensor, out: Tensor, x: Tensor, fill: Tensor, *dynamic: Tensor, paddings: Any, mode: str
) -> tuple[Any, ...]:
    none = (None for _ in dynamic)
    if mode != "constant":
        return _mirrored_gradient(g, x, dynamic, paddings, mode), None, *none
    begin = dynamic[0][:, 0] if dynamic else [pair[0] for pair in paddings]
    inner = FUNCTIONS["slice"](g, begin, shape(x))
    return inner, OPS["sum"](g) - OPS["sum"](inner), *none


def _mirrored_gradient(g: Tensor, x: Any, dynamic: tuple[Any, ...], paddings: Any, mode: str) -> Any:
    """Every element of the result is one of `x`: those places along each axis, found by padding the numbers of them."""
    rank = x.ndim
    require(rank is not None, "the gradient of pad needs the tensor's rank")
    places = []
    for i in range(rank):
        own = dynamic[0][i : i + 1] if dynamic else [paddings[i]]
        numbers = pad(range_(shape(x)[i]), own, mode)
        places.append(reshape(numbers, [-1 if j == i else 1 for j in range(rank)]))
    return add_at_op(zeros_like(x), g, *places, key=tuple([("input", i) for i in range(rank)])) if rank else g


pad_op = op(
    "pad", infer=_infer_pad, numpy=_pad, gradient=_pad_gradient,
    samples=lambda: [
        s.sample(_x(2, 3), 0.0, paddings=((1, 0), (0, 2)), mode="constant"),
        s.sample([1, 2], 5, paddings=((1, 1),), mode="constant"),
        s.sample(_x(3), 0.0, paddings=((1, 2),), mode="reflect"),
        s.sample(_x(3), 0.0, paddings=((3, 1),), mode="symmetric"),
        s.sample(_x(0), 0.0, paddings=((1, 1),), mode="constant"),
        s.sample([1, 2], 0, [[1, 2]], paddings=None, mode="constant"),
    ],
    raises=counts,
    doc="The tensor with a margin along each axis. A third input, if any, gives the margins.", native=True,
    attributes=kinds("paddings mode"),
)  # fmt: skip


def pad(
    tensor: TensorLike, paddings: object, mode: str = "CONSTANT", constant_values: TensorLike = 0,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """`tensor` with `paddings[i] = [before, after]` more elements along each axis `i`.

    The mode is CONSTANT (filled with `constant_values`), REFLECT (mirrored without the edge) or SYMMETRIC (with it).
    The dtype stays. Raises `InvalidArgumentError` for another mode, another number of pairs, or too much to mirror.
    """
    tensor = convert_to_tensor(tensor)
    require(mode.lower() in ("constant", "reflect", "symmetric"), f"pad has no mode {mode!r}")
    strings = tensor.dtype.name == "string" and not constant_values
    fill = zeros((), tensor.dtype) if strings else cast(constant_values, tensor.dtype)
    pairs = convert_to_tensor(paddings)
    array = known_array(pairs)
    if array is not None and (isinstance(pairs, EagerTensor) or (array >= 0).all()):
        wanted = "paddings must be pairs of integers, one for each axis"
        require(pairs.dtype.is_integer and pairs.ndim == 2 and pairs.shape[1] == 2, wanted)
        known = tuple((int(before), int(after)) for before, after in array)
        require(all(min(pair) >= 0 for pair in known), f"paddings can't be negative: {known}")
        return pad_op(tensor, fill, paddings=known, mode=mode.lower(), name=name)
    return pad_op(tensor, fill, pairs, paddings=None, mode=mode.lower(), name=name)
