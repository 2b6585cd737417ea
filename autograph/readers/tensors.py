"""Types, shapes, tensors and structures of TensorFlow's messages."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any

import numpy as np

from autograph.errors import SavedFileError, UnimplementedError
from autograph.runtime.base import dtypes
from autograph.runtime.base.dtypes import DType
from autograph.runtime.base.shapes import Shape
from autograph.runtime.tensors.spec import TensorSpec

from .messages import Message

__all__ = ["array_of", "dtype_of", "shape_of", "structure_of"]

_TYPES = {
    1: dtypes.float32, 2: dtypes.float64, 3: dtypes.int32, 4: dtypes.uint8, 5: dtypes.int16, 6: dtypes.int8,
    7: dtypes.string, 8: dtypes.complex64, 9: dtypes.int64, 10: dtypes.bool_, 17: dtypes.uint16, 18: dtypes.complex128,
    19: dtypes.float16, 21: dtypes.variant, 22: dtypes.uint32, 23: dtypes.uint64,
}  # fmt: skip
_MOST = 1 << 29
"""A file has no more than two gigabytes."""
_NAMES = {14: "bfloat16", 11: "qint8", 12: "quint8", 13: "qint32", 20: "resource"}
_VALUES = {
    dtypes.float32: "floats", dtypes.float64: "doubles", dtypes.int64: "longs", dtypes.bool_: "bools",
    dtypes.uint32: "unsigned", dtypes.uint64: "unsigned_longs", dtypes.complex64: "complexes",
    dtypes.complex128: "wide_complexes", dtypes.float16: "halves", dtypes.string: "strings",
}  # fmt: skip


def dtype_of(number: int) -> DType:
    """The dtype of a number. Raises `UnimplementedError` for one that there is not here."""
    found = _TYPES.get(number)
    if found is None:
        raise UnimplementedError(f"the dtype {_NAMES.get(number, number)} of TensorFlow is not here")
    return found


def shape_of(shape: Message | None) -> Shape:
    if shape is None or shape.unknown:
        return () if shape is None else None
    return tuple(None if dim.size < 0 else dim.size for dim in shape.dims)


def array_of(tensor: Message) -> np.ndarray[Any, Any]:
    """A tensor's array; of text it has objects, which are bytes. Values that are left out are as the last one."""
    dtype, shape = dtype_of(tensor.type), shape_of(tensor.shape)
    assert shape is not None
    count = math.prod(n or 0 for n in shape)
    if count > _MOST:
        raise SavedFileError(f"a constant of the graph has {count} elements")
    if tensor.content:
        return np.frombuffer(tensor.content, dtype.numpy).reshape(shape)
    values = getattr(tensor, _VALUES.get(dtype, "ints"))
    if dtype is dtypes.string:
        found = np.empty(count, object)
        found[:] = [*values, *[values[-1] if values else b""] * (count - len(values))]
        return found.reshape(shape)
    if dtype is dtypes.float16:
        flat = np.asarray(values, np.uint16).view(np.float16)
    elif dtype.is_complex:
        flat = np.asarray(values, dtype.numpy.type(0).real.dtype).view(dtype.numpy)
    else:
        flat = np.asarray(values).astype(dtype.numpy) if values else np.zeros(0, dtype.numpy)
    if len(flat) < count:
        flat = np.concatenate([flat, np.full(count - len(flat), flat[-1] if len(flat) else 0, dtype.numpy)])
    return flat.reshape(shape)


def structure_of(value: Message) -> Any:
    """Lists, tuples and dicts with a `TensorSpec` for each tensor, and values of Python."""
    (kind,) = value.given or {"none"}
    if kind in ("tensor", "bounded"):
        spec = getattr(value, kind)
        return TensorSpec(shape_of(spec.shape), dtype_of(spec.type), spec.name or None)
    if kind in ("list", "tuple"):
        items = [structure_of(each) for each in getattr(value, kind).values]
        return items if kind == "list" else tuple(items)
    if kind == "dict":
        return {key: structure_of(each) for key, each in value.dict.values.items()}
    if kind == "named":
        pairs = value.named.pairs
        kind_of = namedtuple(value.named.name or "Fields", [pair.key for pair in pairs], rename=True)  # type: ignore[misc]
        return kind_of(*[structure_of(pair.value) for pair in pairs])
    if kind == "other":
        raise UnimplementedError(f"arguments and results of kind {value.other.kind or 'another'} are not read")
    if kind == "type":
        return dtype_of(value.type)
    if kind == "shape":
        return shape_of(value.shape)
    return None if kind == "none" else getattr(value, kind)
