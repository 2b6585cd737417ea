"""Tensors as strings and back: the messages of TensorFlow's tensor.proto."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base import wire
from ...base.dtypes import Array, DType, as_dtype, float32, int32, string
from ...ir.graph import Type
from ...ir.kinds import kinds
from ...ir.op import NOT_DIFFERENTIABLE, op
from ...tensors.likes import DTypeLike, TensorLike
from ..infer import exactly, require, require_kind
from ..kernels import samples as s
from .files import scalar

if TYPE_CHECKING:
    from ...tensors.tensor import Tensor

__all__ = ["parse_tensor", "serialize_tensor"]

_NUMBERS = {
    "float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "string": 7, "complex64": 8,
    "int64": 9, "bool": 10, "uint16": 17, "complex128": 18, "float16": 19, "uint32": 22, "uint64": 23,
}  # fmt: skip
"""TensorFlow's numbers of element types (types.proto)."""
_DTYPE, _SHAPE, _CONTENT, _STRINGS = 1, 2, 4, 8
_FIXED: dict[int, np.dtype[Any]] = {5: np.dtype("<f4"), 6: np.dtype("<f8"), 9: np.dtype("<c8"), 12: np.dtype("<c16")}
"""The fields of floats and complex numbers."""
_VARINTS = (7, 10, 11, 13, 16, 17)
"""Those of whole numbers, of booleans, and of the bits of numbers of 16 bits."""


def _serialized(x: Any) -> Any:
    array = np.asarray(x)
    shape = b"".join([wire.message(2, wire.number(1, size) if size else b"") for size in array.shape])
    if array.dtype == object:
        content = b"".join([wire.message(_STRINGS, text) for text in array.reshape(-1)])
    else:
        data = array.astype(array.dtype.newbyteorder("<")).tobytes()
        content = wire.message(_CONTENT, data) if data else b""
    kind = _NUMBERS["string" if array.dtype == object else array.dtype.name]
    return np.array(wire.number(_DTYPE, kind) + wire.message(_SHAPE, shape) + content, object)


def _infer_serialize(x: Type) -> Type:
    require_kind(x, "biufcS")
    return Type(string, ())


SERIALIZE = op("serialize_tensor", gradient=NOT_DIFFERENTIABLE, infer=_infer_serialize, numpy=_serialized,
               samples=lambda: [s.sample([[1.0, 2.0]]), s.sample(3), s.sample(["a", "bc"]), s.sample([True]),
                                s.sample(np.zeros((0, 2), np.float64))],
               doc="A tensor as one string, a message of TensorFlow's tensor.proto.")  # fmt: skip


def serialize_tensor(tensor: TensorLike, name: str | None = None) -> Tensor:
    """A tensor as one string, which `parse_tensor` and TensorFlow read."""
    return SERIALIZE(tensor, name=name)


def _infer_parse(x: Type, dtype: DType) -> Type:
    require_kind(x, "S")
    exactly(x.shape, 0, "the string")
    require(dtype.name in _NUMBERS, f"no string holds a tensor of {dtype.name}")
    return Type(dtype, None)


def _parsed(x: Array, dtype: DType) -> Array:
    data = scalar(x)
    kind, shape, parts = 0, (), []  # type: tuple[int, tuple[int, ...], list[tuple[int, int, Any]]]
    for field, wire_type, value in wire.fields(data):
        if field == _DTYPE and isinstance(value, int):
            kind = value
        elif field == _SHAPE and isinstance(value, bytes):
            shape = tuple(_sizes(value))
        else:
            parts.append((field, wire_type, value))
    if kind != _NUMBERS[dtype.name]:
        given = next((name for name, each in _NUMBERS.items() if each == kind), f"number {kind}")
        raise InvalidArgumentError(f"Type mismatch between parsed tensor ({given}) and dtype ({dtype.name})")
    return _filled(parts, math.prod(shape), dtype).reshape(shape)


def _sizes(data: bytes) -> Iterator[int]:
    for field, _, value in wire.fields(data):
        if field == 2 and isinstance(value, bytes):
            size = next((wire.signed(size) for _, _, size in wire.fields(value) if isinstance(size, int)), 0)
            require(size >= 0, "Can't parse serialized tensor: a dimension is negative")
            yield size


def _filled(parts: list[tuple[int, int, Any]], count: int, dtype: DType) -> Array:
    """The elements; where there are fewer, the last is that of all others."""
    own = np.dtype(dtype.numpy)
    found = [_elements(field, kind, value, own) for field, kind, value in parts]
    elements = np.concatenate([np.zeros(0, own), *[each for each in found if each is not None]])
    require(len(elements) <= count, "Can't parse serialized tensor: it has another size than its data")
    if len(elements) == count:
        return elements
    require(count <= 1 << 27, "Can't parse serialized tensor: its size is not that of its data")
    last = elements[-1:] if len(elements) else (np.array([b""], object) if dtype is string else np.zeros(1, own))
    return np.concatenate([elements, np.repeat(last, count - len(elements))])


def _elements(field: int, wire_type: int, value: Any, own: np.dtype[Any]) -> Array | None:
    if field == _STRINGS and own.kind == "O":
        made = np.empty(1, object)
        made[0] = value
        return made
    if own.kind == "O" or field in (3, _STRINGS):
        return None
    if field == _CONTENT or field in _FIXED:
        kept = np.dtype(own.newbyteorder("<")) if field == _CONTENT else _FIXED[field]
        require(len(value) % kept.itemsize == 0, "Can't parse serialized tensor: its data are damaged")
        return np.frombuffer(value, kept).astype(own)
    if field in _VARINTS:
        numbers = np.array([value], np.uint64).view(np.int64) if wire_type == wire.VARINT else wire.unpacked(value)
        return numbers.astype(np.uint16).view(own) if own.name == "float16" else numbers.astype(own)
    return None


PARSE = op("parse_tensor", gradient=NOT_DIFFERENTIABLE, infer=_infer_parse, numpy=_parsed,
           samples=lambda: [((_serialized(np.ones((1, 2), np.float32)),), {"dtype": float32}),
                            ((_serialized(np.int32(3)),), {"dtype": int32}),
                            ((_serialized(np.array([b"a", b"bc"], object)),), {"dtype": string})],
           raises=(InvalidArgumentError,), doc="The tensor that a string holds.",
           attributes=kinds("dtype"))  # fmt: skip


def parse_tensor(serialized: TensorLike, out_type: DTypeLike, name: str | None = None) -> Tensor:
    """The tensor that a string of `serialize_tensor`, or of TensorFlow's, holds; its shape is unknown in a graph.

    Raises `InvalidArgumentError` for a damaged string and for a tensor of another dtype than ``out_type``.
    """
    return PARSE(serialized, dtype=as_dtype(out_type), name=name)
