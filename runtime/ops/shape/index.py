"""Indexing: `x[key]` and its functional counterpart `set_item`, with constant and dynamic parts, as in NumPy.

A key becomes an attribute, a tuple of parts, and the tensors in it become inputs:

- `("index", 3)` for an int, `("newaxis",)`, `("ellipsis",)`,
- `("slice", start, stop, step)`, where each is an int, ``None`` or `("input", k)`,
- `("input", k)` for the k-th tensor: an index, an array of indices or a boolean mask.

Indices from `-n` up to, without, `n` are valid, as in Python; any other raises `IndexOutOfRangeError`. Slices never do.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from autograph.errors import IndexOutOfRangeError, InvalidArgumentError, InvalidIndexError, InvalidTypeError

from ...base import shapes
from ...base.dtypes import DType
from ...base.shapes import Shape
from ...ir import totality
from ...ir.kinds import kinds
from ...ir.op import FUNCTIONS, Op, Type, op, type_of
from ...ir.shape_chains import whole
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import TensorLike
from ...tensors.tensor import EagerTensor, Tensor
from ..declare import sum_to
from ..elementwise.elementwise import cast
from ..infer import exactly, require, require_kind, text
from ..kernels import samples as s
from .create import zeros_like
from .known import known_array

__all__ = ["get_item", "set_item"]

Key = tuple[tuple[Any, ...], ...]


# From Python's key to an attribute and inputs, and back.


def encode(key: object) -> tuple[Key, list[Any]]:
    """A Python key as an attribute and the tensors that it refers to."""
    inputs: list[Any] = []
    parts = key if isinstance(key, tuple) else (key,)
    return tuple([_encode_part(part, inputs) for part in parts]), inputs


def _encode_part(part: Any, inputs: list[Any]) -> tuple[Any, ...]:
    kind = type(part)
    if kind is int:
        return ("index", part)
    if kind is slice:
        return ("slice", *(_bound(end, inputs) for end in (part.start, part.stop, part.step)))
    if part is None:
        return ("newaxis",)
    if part is Ellipsis:
        return ("ellipsis",)
    if kind in (bool, np.bool_):
        raise InvalidArgumentError("a single bool is no index; use tf.where or tf.boolean_mask")
    if isinstance(part, np.integer):
        return ("index", int(part))
    if isinstance(part, float | str | bytes):
        wanted = "an integer, a slice, None, ... or a tensor of integers or booleans"
        raise InvalidIndexError(f"an index is {wanted}, not {part!r}")
    tensor = _index_tensor(part)
    if isinstance(tensor, EagerTensor) and tensor.ndim == 0 and tensor.dtype.is_integer:
        return ("index", int(tensor))
    inputs.append(tensor)
    return ("input", len(inputs) - 1)


def _index_tensor(part: object) -> Any:
    tensor = part if isinstance(part, Tensor) else convert_to_tensor(np.zeros(0,
        np.int64) if type(part) is list and not part else part)
    if tensor.dtype.kind not in "iub":
        raise InvalidTypeError(f"an index is made of integers or booleans, not of {tensor.dtype.name}")
    return tensor


def _bound(value: Any, inputs: list[Any]) -> Any:
    if value is None or type(value) is int:
        return value
    if isinstance(value, Tensor) and not isinstance(value, EagerTensor):
        require(value.dtype.is_integer, f"the ends of a slice are integers, not {value.dtype.name}")
        known = known_array(value)
        if known is not None and known.ndim == 0:
            return int(known)
        inputs.append(value)
        return ("input", len(inputs) - 1)
    return value.__index__()


@lru_cache(maxsize=1024)
def _constant_key(key: Key) -> tuple[Any, ...]:
    return tuple(_decode(part, ()) for part in key)


def _decode(part: tuple[Any, ...], inputs: Any) -> Any:
    kind = part[0]
    if kind == "index":
        return part[1]
    if kind == "slice":
        return slice(*(int(inputs[end[1]]) if type(end) is tuple else end for end in part[1:]))
    if kind == "input":
        value = inputs[part[1]]
        return int(value) if value.ndim == 0 and value.dtype.kind != "b" else value
    return None if kind == "newaxis" else Ellipsis


def numpy_key(x: Any, key: Key, inputs: Any) -> tuple[Any, ...]:
    """The key that NumPy takes to index `x`."""
    if not inputs:
        return _constant_key(key)
    for i in inputs:
        if i.dtype == bool and not i.size:  # NumPy takes an empty mask for any dimensions
            shape_of_item(x.shape, key, tuple(map(type_of, inputs)))
    return tuple([_decode(part, inputs) for part in key])


# Inference.


def shape_of_item(shape: Shape, key: Key, inputs: tuple[Type, ...]) -> Shape:
    """The shape of `x[key]` for `x` of a shape; raises where a constant part can't fit."""
    for part in key:
        _check_inputs(part, inputs)
    if any(t.shape is None for part in key if part[0] == "input" for t in [inputs[part[1]]]):
        return None
    used = sum(_axes_used(part, inputs) for part in key)
    if shape is None:
        return None
    if used > len(shape):
        error = InvalidIndexError if shape == () else IndexOutOfRangeError
        raise error(f"too many indices: {used} for a tensor of shape {text(shape)}")
    if ("ellipsis",) not in key:
        key = (*key, ("ellipsis",))
    if key.count(("ellipsis",)) > 1:
        raise InvalidArgumentError("an index can have a single ellipsis ('...')")
    return _walk(shape, key, inputs, len(shape) - used)


def _check_inputs(part: tuple[Any, ...], inputs: tuple[Type, ...]) -> None:
    if part[0] == "input":
        require_kind(inputs[part[1]], "iub", "an index")
    elif part[0] == "slice":
        for end in part[1:]:
            if type(end) is tuple:
                require_kind(inputs[end[1]], "iu", "the end of a slice")
                exactly(inputs[end[1]].shape, 0, "the end of a slice")


def _walk(shape: tuple[Any, ...], key: Key, inputs: tuple[Type, ...], skipped: int) -> Shape:
    arrays = [inputs[p[1]] for p in key if p[0] == "input" and (inputs[p[1]].shape or inputs[p[1]].dtype.is_bool)]
    result: list[int | None] = []
    joined: Shape = ()
    first, last, apart, axis = None, False, False, 0
    for part in key:
        kind = part[0]
        advanced = bool(arrays) and kind in ("index", "input")
        if advanced:
            apart = apart or (first is not None and not last)
            first = len(result) if first is None else first
        last = advanced
        if kind == "ellipsis":
            result += shape[axis : axis + skipped]
            axis += skipped
        elif kind == "newaxis":
            result.append(1)
        elif kind == "slice":
            result.append(_slice_length(shape[axis], part))
            axis += 1
        elif kind == "index":
            _check_index(part[1], shape, axis)
            axis += 1
        else:
            index = inputs[part[1]]
            joined = shapes.broadcast(joined, _index_shape(index, shape[axis : axis + len(index.shape or ())]))
            axis += _axes_used(part, inputs)
        if kind == "ellipsis" and skipped == 0 and part is key[-1]:
            last = advanced
    place = 0 if apart or first is None else first
    assert joined is not None
    return (*result[:place], *joined, *result[place:])


def _axes_used(part: tuple[Any, ...], inputs: tuple[Type, ...]) -> int:
    if part[0] == "input":
        index = inputs[part[1]]
        return len(index.shape or ()) if index.dtype.is_bool else 1
    return int(part[0] in ("index", "slice"))


def _index_shape(index: Type, dims: tuple[Any, ...]) -> Shape:
    """The shape that an index array contributes: its own, or one unknown dimension for a mask."""
    if not index.dtype.is_bool:
        return index.shape
    fits = all(a is None or b is None or a == b for a, b in zip(index.shape or (), dims, strict=True))
    if not fits:
        raise InvalidArgumentError(f"a mask of shape {text(index.shape)} does not fit dimensions {text(dims)}")
    return (None,)


def _check_index(index: int, shape: tuple[Any, ...], axis: int) -> None:
    n = shape[axis]
    if n is not None and not -n <= index < n:
        raise IndexOutOfRangeError(f"index {index} is out of bounds for axis {axis} with size {n}")


def _slice_length(n: int | None, part: tuple[Any, ...]) -> int | None:
    ends = part[1:]
    if any(type(end) is tuple for end in ends):
        return None
    require(ends[2] != 0, "the step of a slice can't be 0")
    if n is None:
        return 0 if ends[1] == 0 and (ends[2] is None or ends[2] > 0) else None
    return len(range(*slice(*ends).indices(n)))


def _infer_get_item(x: Type, *inputs: Type, key: Key) -> Type:
    return Type(x.dtype, shape_of_item(x.shape, key, inputs))


def _infer_set_item(x: Type, value: Type, *inputs: Type, key: Key) -> Type:
    place = shape_of_item(x.shape, key, inputs)
    if place is not None and value.shape is not None:
        joint = shapes.broadcast(place, value.shape)
        fits = len(value.shape) <= len(place) and shapes.is_compatible(joint, place)
        require(fits, f"a value of shape {text(value.shape)} does not fit into {text(place)}")
    text_or_list = value.dtype.kind in "SV" or x.dtype.kind in "SV"
    if value.dtype is not x.dtype and (text_or_list or not _may_store(value.dtype.numpy, x.dtype.numpy)):
        raise _can_not_hold(x.dtype, value.dtype)
    return x


def _may_store(value: Any, x: Any) -> bool:
    return np.can_cast(value, x, "same_kind")


def _can_not_hold(x: DType, value: DType) -> InvalidArgumentError:
    remedy = f"store tf.cast(value, tf.{x.name})"
    if "S" not in (x.kind, value.kind):
        remedy += f", or make the tensor one of {value.name} first: x = tf.cast(x, tf.{value.name})"
    return InvalidArgumentError(f"a tensor of dtype {x.name} can't hold {value.name} values", remedy=remedy)


# Kernels.


def _get_item(x: Any, *inputs: Tensor, key: Key) -> Any:
    try:
        return x[numpy_key(x, key, inputs)]
    except IndexError as error:
        raise IndexOutOfRangeError(str(error)) from None


def set_item_in_place(x: Any, value: object, *inputs: object, key: Key) -> Any:
    """Store into `x` itself: what `set_item` does to a copy. For executors that know that nobody else sees `x`."""
    x = writable(x)
    try:
        x[numpy_key(x, key, inputs)] = value
    except IndexError as error:
        raise IndexOutOfRangeError(str(error)) from None
    return x


def writable(x: TensorLike) -> Any:
    """`x`, or a copy where NumPy allows no stores: scalars, and views that repeat elements."""
    return x if type(x) is np.ndarray and x.flags.writeable else np.array(x)


def _set_item(x: Any, value: Any, *inputs: Tensor, key: Key) -> Any:
    assert _may_store(value.dtype, x.dtype), "inference has refused it"
    return set_item_in_place(np.array(x), value, *inputs, key=key)


def _get_gradient(g: Tensor, out: Tensor, x: Tensor, *inputs: Tensor, key: Key) -> tuple[Any, ...]:
    return add_at_op(zeros_like(x), g, *inputs, key=key), *(None for _ in inputs)


def _set_gradient(g: Tensor, out: Tensor, x: Tensor, value: Tensor, *inputs: Tensor, key: Key) -> tuple[Any, ...]:
    given = sum_to(get_item_op(g, *inputs, key=key), value)  # first, so that `g` may be stored into: loops stay linear
    return set_item_op(g, zeros_like(value), *inputs, key=key), given, *(None for _ in inputs)


def _add_gradient(g: Tensor, out: Tensor, x: Tensor, value: Tensor, *inputs: Tensor, key: Key) -> tuple[Any, ...]:
    return g, sum_to(get_item_op(g, *inputs, key=key), value), *(None for _ in inputs)


def _infer_add_at(x: Type, value: Type, *inputs: Type, key: Key) -> Type:
    require_kind(x, "biufc", "what is added to")
    return _infer_set_item(x, value, *inputs, key=key)


def _add_in_place(x: Any, value: Any, *inputs: object, key: Key) -> Any:
    x = writable(x)
    place = numpy_key(x, key, inputs)
    np.add.at(x, place, np.broadcast_to(value, x[place].shape))  # NumPy itself does not check the shape in all cases
    return x


def _get_is_fresh(x: Type, *inputs: Type, key: Key) -> bool:
    """Whether NumPy copies: for index arrays and masks, and for single elements, which are scalars."""
    if any(part[0] == "input" and inputs[part[1]].shape not in ((), None) for part in key):
        return True
    single = all(part[0] in ("index", "input") for part in key)
    return single and x.shape is not None and len(x.shape) == len(key)


_X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
_I = ("input", 0)
_ALL = ("slice", None, None, None)


def _get_samples() -> list[Any]:
    mask = np.array([[True, False, True], [False, True, False]])
    return [
        s.sample(_X, key=(("index", 1),)), s.sample(_X, key=(("index", -1), _ALL, ("index", 2))), s.sample(_X, key=()),
        s.sample(_X, key=(("slice", None, None, -1), ("ellipsis",), ("slice", 1, None, 2))),
        s.sample(_X, key=(("newaxis",), ("ellipsis",), ("index", 0))),
        s.sample(_X, 1, key=(_I,)), s.sample(_X, -1, 2, key=(_I, ("slice", ("input", 1), None, None))),
        s.sample(_X, [1, 0, 1], key=(_I,)),
        s.sample(_X, [0, 2], key=(_ALL, _I)), s.sample(_X, [[0], [1]], [1, 2], key=(_I, ("input", 1))),
        s.sample(_X, mask, key=(_I,)),
        s.sample(_X, [0, 2], key=(("index", 0), _ALL, _I)), s.sample(_X, [0, 2], key=(("index", 0), _I)),
        s.sample(_X, mask[0], key=(_ALL, _I)),
        s.sample(_X[:0], key=(_ALL, ("index", 0))), s.sample(["a", "b"], 1, key=(_I,)),
        s.sample(_X, [0, 1], 1, key=(("newaxis",), _I, ("input", 1))),
        s.sample(_X, 0, [1, 2], key=(_I, ("ellipsis",), ("input", 1))), s.sample(_X, np.zeros(0, np.int64), key=(_I,)),
        s.sample([1, 2, 3], key=(("slice", 0, 0, None),)),
    ]  # fmt: skip


def _set_samples() -> list[Any]:
    return [
        s.sample(_X, 1.0, key=(("index", 1),)), s.sample(_X, [[1.0], [2.0], [3.0]], 0, key=(_I,)),
        s.sample(_X, np.zeros((2, 2, 4), np.float32), [0, 2], key=(_ALL, _I)),
        s.sample([1, 2, 3], 9, -1, key=(_I,)), s.sample([1, 2, 3], 9, 1, key=(("slice", _I, None, None),)),
        s.sample(_X[:0], 1.0, key=(_ALL,)),
        s.sample([1.0, 2.0], np.float64(5), key=(("index", 0),)), s.sample(_X, 0.0, [True, False], key=(_I,)),
        s.sample(["a", "b"], "c", key=(("index", 0),)),
    ]  # fmt: skip


get_item_op: Op = op("get_item", infer=_infer_get_item, numpy=_get_item, gradient=_get_gradient, samples=_get_samples,
                 fresh=_get_is_fresh, raises=lambda inputs, attributes: (IndexOutOfRangeError,),
                 doc="`x[key]`; the inputs after `x` are the tensors in the key.",
                 accumulate=lambda total, g, x, *places, key: add_at_op(total, g, *places, key=key),
                 total=totality.item, view=True, native=True, chains=(whole,), attributes=kinds("key"))  # fmt: skip
set_item_op: Op = op("set_item", infer=_infer_set_item, numpy=_set_item, gradient=_set_gradient, samples=_set_samples,
                 in_place=set_item_in_place,
                 doc="A copy of `x` in which `x[key]` is the value; the other inputs are the key's.",
                 raises=(InvalidArgumentError, IndexOutOfRangeError), native=True, attributes=kinds("key"))  # fmt: skip
add_at_op: Op = op("add_at", infer=_infer_add_at, in_place=_add_in_place,
                   numpy=lambda x, *inputs, key: _add_in_place(np.array(x), *inputs, key=key),
                   samples=lambda: [x for x in _set_samples() if x[0][0].dtype != object],
                   gradient=_add_gradient,
                   raises=(InvalidArgumentError, IndexOutOfRangeError),
                   doc="A copy of `x` with the value added at `x[key]`, as often as an index repeats.",
                   native=True, attributes=kinds("key"))  # fmt: skip


@FUNCTIONS.give
def get_item(x: TensorLike, key: object, name: str | None = None) -> Any:
    """`x[key]` with NumPy's meaning and shapes, and the dtype of `x`; any part of the key may be a tensor.

    Raises `IndexOutOfRangeError` for an index out of range: while tracing where it is known, else when the graph runs;
    `InvalidTypeError` for an index of another type, `InvalidArgumentError` for a single bool or a step of 0.
    """
    attribute, inputs = encode(key)
    return get_item_op(x, *inputs, key=attribute, name=name)


getitem = get_item


def set_item(x: TensorLike, key: object, value: Any, name: str | None = None) -> Any:
    """A tensor like `x` in which `x[key]` is `value`, which broadcasts; `x` itself stays as it is.

    Shape and dtype stay. Raises `IndexOutOfRangeError` for an index out of range, `InvalidTypeError` for one of another
    type, `InvalidArgumentError` for a value that does not fit, or whose dtype would lose more than precision.
    """
    tensor = convert_to_tensor(x)
    if not isinstance(value, Tensor | np.ndarray | np.generic) and not hasattr(type(value), "__tensor__"):
        value = _in_dtype(value, tensor)
    attribute, inputs = encode(key)
    return set_item_op(tensor, value, *inputs, key=attribute, name=name)


def _in_dtype(value: object, tensor: Tensor) -> Any:
    """A Python value in the dtype of the tensor it is stored into."""
    stored = convert_to_tensor(value, dtype_hint=tensor.dtype)
    same_kind = stored.dtype is not tensor.dtype and "biufc".find(stored.dtype.kind) <= "biufc".find(tensor.dtype.kind)
    return cast(stored, tensor.dtype) if same_kind else stored


def slice_along(x: TensorLike, start: TensorLike, length: Any, axis: int) -> Any:
    """The `length` slices of `x` along one axis from `start`."""
    stop = start + length
    before = (np.s_[:],) * axis if axis >= 0 else (Ellipsis,)
    after = (np.s_[:],) * (-axis - 1) if axis < 0 else ()
    return get_item(x, (*before, np.s_[start:stop], *after))
