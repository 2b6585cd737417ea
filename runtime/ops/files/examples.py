"""Messages of `tf.train.Example` in strings, as tensors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from autograph.errors import InvalidArgumentError, UnimplementedError

from ...base import wire
from ...base.dtypes import Array, DType, as_dtype, float32, int64, string
from ...base.shapes import TensorShape
from ...ir.graph import Type
from ...ir.kinds import BOOL, INT, TEXT, kinds, tuple_of
from ...ir.op import NOT_DIFFERENTIABLE, op
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import DTypeLike, ShapeLike, TensorLike
from ..infer import exactly, require, require_kind
from ..shape.shape import reshape
from .files import scalar, texts

__all__ = [
    "FixedLenFeature", "FixedLenSequenceFeature", "VarLenFeature", "Wanted", "defaults_of", "feature_values",
    "features_of", "is_wanted",
    "parse_example", "parse_single_example", "read_feature", "stacked", "wanted_feature",
]  # fmt: skip


class FixedLenFeature(NamedTuple):
    """A feature of a known shape; ``default_value`` is that of examples without it, which else are refused."""

    shape: ShapeLike
    dtype: DTypeLike
    default_value: Any = None


class FixedLenSequenceFeature(NamedTuple):
    """A feature of any number of parts of a known shape; those of a batch are filled up to one length.

    ``default_value`` fills up: zero or an empty string when left out. ``allow_missing`` must be true.
    """

    shape: ShapeLike
    dtype: DTypeLike
    allow_missing: bool = False
    default_value: Any = None


class VarLenFeature(NamedTuple):
    """A feature of any number of values: a sparse tensor in TensorFlow, which is not here.

    Parsing refuses it; ``FixedLenSequenceFeature([], dtype, allow_missing=True)`` gives the same values.
    """

    dtype: DTypeLike


class Wanted(NamedTuple):
    """A feature that is read; it is an attribute of nodes as a plain tuple."""

    key: str
    dtype: DType
    shape: tuple[int, ...]
    is_sequence: bool
    has_default: bool


def is_wanted(value: object) -> bool:
    """Whether an attribute describes a feature."""
    if type(value) is not tuple or len(value) != len(Wanted._fields):
        return False
    key, dtype, shape, is_sequence, has_default = value
    is_shape = tuple_of(INT)(shape) and min(shape, default=0) >= 0
    return TEXT(key) and dtype in _TYPES.values() and is_shape and BOOL(is_sequence) and BOOL(has_default)


def defaults_of(features: tuple[Any, ...]) -> int:
    """How many features have a default."""
    return sum(Wanted(*each).has_default for each in features)


_TYPES = {1: string, 2: float32, 3: int64}
"""The dtypes by the numbers of the fields of a Feature."""


def feature_values(feature: bytes) -> tuple[DType | None, Array]:
    """The dtype and the values of a message Feature; None where it has none."""
    dtype, found = None, np.zeros(0, np.float32)
    for field, _, content in wire.fields(feature):
        if field in _TYPES and isinstance(content, bytes):
            dtype = _TYPES[field]
            found = _list(content, dtype)
    return dtype, found


def _list(content: bytes, dtype: DType) -> Array:
    parts = [(kind, value) for field, kind, value in wire.fields(content) if field == 1]
    if dtype is string:
        return texts([value for _, value in parts])
    if dtype is int64:
        found = [np.array([value], np.uint64).view(np.int64) if kind == wire.VARINT else wire.unpacked(value)  # type: ignore[arg-type]
                 for kind, value in parts]  # fmt: skip
        return np.concatenate([np.zeros(0, np.int64), *found])
    data = b"".join([value for _, value in parts if isinstance(value, bytes)])
    return np.frombuffer(data, "<f4").astype(np.float32)


def features_of(example: bytes, place: int = 1) -> dict[str, bytes]:
    """The messages Feature by name, of a message Example; or those of another map, of the field ``place``."""
    found = {}
    for number, _, features in wire.fields(example):
        for field, _, entry in wire.fields(features) if number == place and isinstance(features, bytes) else ():
            if field == 1 and isinstance(entry, bytes):
                parts = {field: part for field, _, part in wire.fields(entry) if isinstance(part, bytes)}
                found[parts.get(1, b"").decode("utf-8", "replace")] = parts.get(2, b"")
    return found


def read_feature(features: dict[str, bytes], wanted: Wanted, default: Any) -> Array:
    """A feature of an example, in its shape."""
    dtype, values = feature_values(features.get(wanted.key, b""))
    if dtype is None and wanted.is_sequence:
        return np.empty((0, *wanted.shape), wanted.dtype.numpy)
    if dtype is None:
        require(
            default is not None,
            f"Feature: {wanted.key} (data type: {wanted.dtype.name}) is required but could not be found.",
        )
        return np.asarray(default, wanted.dtype.numpy)  # fmt: skip
    require(dtype is wanted.dtype, f"Key: {wanted.key}.  Data types don't match. Expected type: {wanted.dtype.name}, "
            f"but the feature is {dtype.name}")  # fmt: skip
    size = math.prod(wanted.shape)
    fits = len(values) == size or (wanted.is_sequence and size and len(values) % size == 0)
    require(fits, f"Key: {wanted.key}.  Number of {dtype.name} values != expected.  Values size: {len(values)} but "
            f"output shape: {list(wanted.shape)}")  # fmt: skip
    return values.reshape((-1, *wanted.shape) if wanted.is_sequence else wanted.shape)


def stacked(parts: list[Array], wanted: Wanted, default: Any) -> Array:
    """The features of a batch; sequences are filled up."""
    if not wanted.is_sequence:
        made = np.empty((len(parts), *wanted.shape), wanted.dtype.numpy)
    else:
        fill = default if default is not None else b"" if wanted.dtype is string else 0
        longest = max(map(len, parts), default=0)
        made = np.full((len(parts), longest, *wanted.shape), fill, wanted.dtype.numpy)
    for row, part in zip(made, parts, strict=True) if made.ndim > 1 else ():
        row[: len(part)] = part
    if made.ndim == 1:
        made[:] = [part[()] for part in parts]
    return made


def _infer(serialized: Type, *defaults: Type, features: tuple[Any, ...], is_batch: bool) -> tuple[Type, ...]:
    require_kind(serialized, "S", "an example")
    exactly(serialized.shape, 1 if is_batch else 0, "the examples")
    start = (None if serialized.shape is None else serialized.shape[0],) if is_batch else ()
    wanted = [Wanted(*each) for each in features]
    return tuple(Type(each.dtype, (*start, *([None] if each.is_sequence else []), *each.shape)) for each in wanted)


def _parse(serialized: Any, *defaults: Any, features: tuple[Any, ...], is_batch: bool) -> tuple[Array, ...]:
    given = iter(defaults)
    wanted = [Wanted(*each) for each in features]
    known = [next(given) if each.has_default else None for each in wanted]
    examples = [features_of(each) for each in (serialized.tolist() if is_batch else [scalar(serialized)])]
    found = []
    for each, default in zip(wanted, known, strict=True):
        parts = [read_feature(example, each, default) for example in examples]
        found.append(stacked(parts, each, default) if is_batch else parts[0])
    return tuple(found)


_SAMPLE = b"".join(
    [
        wire.message(1, wire.message(1, wire.message(1, key) + wire.message(2, value)))
        for key, value in (
            (b"a", wire.message(3, wire.message(1, wire.packed([5])))),
            (b"b", wire.message(1, wire.message(1, b"x") + wire.message(1, b"yz"))),
        )
    ]
)
_WANTED = (("a", int64, (), False, False), ("b", string, (), True, False), ("c", float32, (2,), False, True))
PARSE_EXAMPLE = op("parse_example", gradient=NOT_DIFFERENTIABLE, infer=_infer, numpy=_parse,
                   samples=lambda: [((np.array(_SAMPLE, object), np.ones(2, np.float32)),
                                     {"features": _WANTED, "is_batch": False}),
                                    ((texts([_SAMPLE, _SAMPLE]), np.ones(2, np.float32)),
                                     {"features": _WANTED, "is_batch": True})],
                   raises=(InvalidArgumentError,), attributes=kinds("", features=tuple_of(is_wanted), is_batch=BOOL),
                   fits=lambda count, attributes, outputs: count == 1 + defaults_of(attributes["features"]),
                   doc="The features of examples.")  # fmt: skip


def wanted_feature(key: str, feature: object) -> tuple[Wanted, Any]:
    """What is read for a feature, and its default."""
    if isinstance(feature, VarLenFeature):
        raise UnimplementedError(
            f"feature {key!r} is a VarLenFeature: a sparse tensor, and autograph has none",
            remedy=f"tf.io.FixedLenSequenceFeature([], {as_dtype(feature.dtype)!r}, allow_missing=True) gives the same "
            "values, filled up to one length in a batch",
        )
    require(isinstance(feature, (FixedLenFeature, FixedLenSequenceFeature)), f"Invalid feature {key}:{feature}.")
    assert isinstance(feature, (FixedLenFeature, FixedLenSequenceFeature))
    dtype = as_dtype(feature.dtype)
    require(dtype in _TYPES.values(), f"feature {key!r} can't be {dtype.name}: features are float32, int64 or string")
    shape = TensorShape(feature.shape)
    require(shape.is_fully_defined(), f"the shape {shape} of feature {key!r} is not known. Consider using "
            "FixedLenSequenceFeature.")  # fmt: skip
    is_sequence = isinstance(feature, FixedLenSequenceFeature)
    require(not isinstance(feature, FixedLenSequenceFeature) or feature.allow_missing,
            "Unsupported: FixedLenSequenceFeature requires allow_missing to be True.")  # fmt: skip
    dims = tuple([size or 0 for size in shape.as_list()])
    default = feature.default_value
    if default is not None:
        default = reshape(convert_to_tensor(default, dtype), () if is_sequence else dims)
    return Wanted(key, dtype, dims, is_sequence, default is not None), default


def _parsed(serialized: object, features: Mapping[str, Any], is_batch: bool, name: str | None) -> dict[str, Any]:
    require(isinstance(features, Mapping) and len(features) > 0, "Missing: features was None or empty.")
    wanted, defaults = zip(*[wanted_feature(key, features[key]) for key in sorted(features)], strict=True)
    made = PARSE_EXAMPLE(serialized, *[each for each in defaults if each is not None],
                         features=tuple(map(tuple, wanted)), is_batch=is_batch, name=name)  # fmt: skip
    return {each.key: tensor for each, tensor in zip(wanted, made, strict=True)}


def parse_single_example(
    serialized: TensorLike, features: Mapping[str, Any], example_names: object = None, name: str | None = None
) -> dict[str, Any]:
    """The features of one `tf.train.Example` in a string, by name.

    Each is a tensor of float32, int64 or string, in the shape that ``features`` say by `FixedLenFeature` and
    `FixedLenSequenceFeature`, with an axis more of the latter. Raises `InvalidArgumentError` for a damaged string, for
    features that are missing, of another type or number; `UnimplementedError` for `VarLenFeature`.
    """
    return _parsed(serialized, features, False, name)


def parse_example(
    serialized: TensorLike | Sequence[bytes], features: Mapping[str, Any], example_names: object = None,
    name: str | None = None
) -> dict[str, Any]:  # fmt: skip
    """The features of (n,) strings, by name: as `parse_single_example`, with a first axis of n."""
    tensor = convert_to_tensor(serialized)
    return _parsed(tensor, features, tensor.static_shape != (), name)
