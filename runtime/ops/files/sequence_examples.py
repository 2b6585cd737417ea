"""Messages of `tf.train.SequenceExample` in strings, as tensors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base import wire
from ...base.dtypes import Array, int64, string
from ...ir.graph import Type
from ...ir.kinds import BOOL, kinds, tuple_of
from ...ir.op import NOT_DIFFERENTIABLE, op
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import TensorLike
from ..infer import exactly, require, require_kind
from .examples import (
    FixedLenSequenceFeature,
    Wanted,
    defaults_of,
    feature_values,
    features_of,
    is_wanted,
    read_feature,
    stacked,
    wanted_feature,
)
from .files import scalar, texts

__all__ = ["parse_sequence_example", "parse_single_sequence_example"]


def _infer(serialized: Type, *defaults: Type, context: tuple[Any, ...], lists: tuple[Any, ...],
           is_batch: bool) -> tuple[Type, ...]:  # fmt: skip
    require_kind(serialized, "S", "an example")
    exactly(serialized.shape, 1 if is_batch else 0, "the examples")
    start = (None if serialized.shape is None else serialized.shape[0],) if is_batch else ()
    wanted, rows = [Wanted(*each) for each in context], [Wanted(*each) for each in lists]
    return (
        *[Type(each.dtype, (*start, *([None] if each.is_sequence else []), *each.shape)) for each in wanted],
        *[Type(each.dtype, (*start, None, *each.shape)) for each in rows],
        *[Type(int64, start) for _ in rows],
    )


def _parse(serialized: Any, *defaults: Any, context: tuple[Any, ...], lists: tuple[Any, ...],
           is_batch: bool) -> tuple[Any, ...]:  # fmt: skip
    given = iter(defaults)
    examples = serialized.tolist() if is_batch else [scalar(serialized)]
    found: list[Any] = []
    for each in [Wanted(*each) for each in context]:
        default = next(given) if each.has_default else None
        parts = [read_feature(features_of(example), each, default) for example in examples]
        found.append(stacked(parts, each, default) if is_batch else parts[0])
    lengths = []
    for each in [Wanted(*each) for each in lists]:
        parts = [_rows(features_of(example, 2), each) for example in examples]
        found.append(stacked(parts, each, None) if is_batch else parts[0])
        counts = np.array([len(part) for part in parts], np.int64)
        lengths.append(counts if is_batch else counts[0])
    return (*found, *lengths)


def _rows(lists: dict[str, bytes], wanted: Wanted) -> Array:
    """A list of features, (n, ...); ``has_default`` says that a missing one is empty."""
    require(
        wanted.has_default or wanted.key in lists, f"Feature list: {wanted.key} is required but could not be found."
    )
    rows: list[Array] = []
    size = math.prod(wanted.shape)
    for field, _, feature in wire.fields(lists.get(wanted.key, b"")):
        if field == 1 and isinstance(feature, bytes):
            dtype, values = feature_values(feature)
            require(dtype is wanted.dtype and len(values) == size, f"Feature list: {wanted.key}, index: {len(rows)}. "
                    f"Expected {size} values of {wanted.dtype.name}, but there are {len(values)} of "
                    f"{None if dtype is None else dtype.name}")  # fmt: skip
            rows.append(values.reshape(wanted.shape))
    made = np.empty((len(rows), *wanted.shape), wanted.dtype.numpy)
    for i, row in enumerate(rows):
        made[i, ...] = row
    return made


def _entry(key: bytes, value: bytes) -> bytes:
    return wire.message(1, wire.message(1, key) + wire.message(2, value))


_NUMBER = wire.message(3, wire.message(1, wire.packed([5])))
_SAMPLE = wire.message(1, _entry(b"a", _NUMBER)) + wire.message(
    2, _entry(b"b", wire.message(1, wire.message(1, wire.message(1, b"x"))) * 2)
)
_WANTED = {"context": (("a", int64, (), False, False),),
           "lists": (("b", string, (), True, False), ("c", int64, (2,), True, True))}  # fmt: skip
PARSE_SEQUENCE_EXAMPLE = op(
    "parse_sequence_example", gradient=NOT_DIFFERENTIABLE, infer=_infer, numpy=_parse,
    samples=lambda: [((np.array(_SAMPLE, object),), {**_WANTED, "is_batch": False}),
                     ((texts([_SAMPLE, _SAMPLE]),), {**_WANTED, "is_batch": True})],
    raises=(InvalidArgumentError,),
    attributes=kinds("", context=tuple_of(is_wanted), lists=tuple_of(is_wanted), is_batch=BOOL),
    fits=lambda count, attributes, outputs: count == 1 + defaults_of(attributes["context"]),
    doc="The context of sequences, the lists of their features, and how long these are.",
)  # fmt: skip


def _wanted_list(key: str, feature: object) -> Wanted:
    """What is read for a list of features; its ``has_default`` is whether it may be missing."""
    is_known = isinstance(feature, FixedLenSequenceFeature)
    require(is_known, f"the feature list {key!r} is described by a FixedLenSequenceFeature, not by {feature}")
    assert isinstance(feature, FixedLenSequenceFeature)
    described = feature._replace(allow_missing=True, default_value=None)
    return wanted_feature(key, described)[0]._replace(has_default=feature.allow_missing)


def _parsed(serialized: object, context: Mapping[str, Any] | None, sequences: Mapping[str, Any] | None, is_batch: bool,
            name: str | None) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:  # fmt: skip
    require(bool(context or sequences),
            "Both context_features and sequence_features are None, but at least one should have values.")  # fmt: skip
    known = [wanted_feature(key, (context or {})[key]) for key in sorted(context or {})]
    lists = [_wanted_list(key, (sequences or {})[key]) for key in sorted(sequences or {})]
    made = PARSE_SEQUENCE_EXAMPLE(
        serialized, *[default for _, default in known if default is not None],
        context=tuple(tuple(wanted) for wanted, _ in known), lists=tuple(map(tuple, lists)),
        is_batch=is_batch, name=name,
    )  # fmt: skip
    names = [each.key for each in lists]
    ends = (len(known), len(known) + len(lists))
    return (
        {wanted.key: tensor for (wanted, _), tensor in zip(known, made, strict=False)},
        dict(zip(names, made[ends[0] : ends[1]], strict=True)),
        dict(zip(names, made[ends[1] :], strict=True)),
    )


def parse_single_sequence_example(
    serialized: TensorLike, context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None, example_name: object = None, name: str | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:  # fmt: skip
    """The context of one `tf.train.SequenceExample` in a string, and its lists of features (n, ...), by name.

    ``context_features`` describes as in `parse_single_example`, and so are errors; ``sequence_features`` by
    `FixedLenSequenceFeature`, whose ``allow_missing`` makes a list that is missing an empty one.
    """
    return _parsed(serialized, context_features, sequence_features, False, name)[:2]


def parse_sequence_example(
    serialized: TensorLike | Sequence[bytes], context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None, example_names: object = None, name: str | None = None
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:  # fmt: skip
    """The same of (b,) strings: the context (b, ...), lists (b, longest, ...), filled up, and their lengths (b,)."""
    return _parsed(convert_to_tensor(serialized), context_features, sequence_features, True, name)
