"""`tf.train.Example` and what it is made of: the messages of TensorFlow's example.proto and feature.proto.

>>> example = Example(features=Features(feature={"age": Feature(int64_list=Int64List(value=[7]))}))
>>> Example.FromString(example.SerializeToString()).features.feature["age"].int64_list.value
[7]
"""

from __future__ import annotations

from typing import ClassVar

from .protocol import ManyMessages, Message, MessageMap, OneMessage, byte_strings, floats, integers

__all__ = [
    "BytesList", "Example", "Feature", "FeatureList", "FeatureLists", "Features", "FloatList", "Int64List",
    "SequenceExample",
]  # fmt: skip


class BytesList(Message):
    """Strings of bytes: ``value``."""

    FIELDS: ClassVar = {"value": (1, byte_strings)}
    __slots__ = ()


class FloatList(Message):
    """Numbers of 32 bits: ``value``."""

    FIELDS: ClassVar = {"value": (1, floats)}
    __slots__ = ()


class Int64List(Message):
    """Whole numbers: ``value``."""

    FIELDS: ClassVar = {"value": (1, integers)}
    __slots__ = ()


class Feature(Message):
    """One of ``bytes_list``, ``float_list``, ``int64_list``."""

    FIELDS: ClassVar = {"bytes_list": (1, OneMessage(BytesList)), "float_list": (2, OneMessage(FloatList)),
                        "int64_list": (3, OneMessage(Int64List))}  # fmt: skip
    IS_UNION = True
    __slots__ = ()


class Features(Message):
    """Features by name: ``feature``."""

    FIELDS: ClassVar = {"feature": (1, MessageMap(Feature))}
    __slots__ = ()


class FeatureList(Message):
    """Features in order: ``feature``."""

    FIELDS: ClassVar = {"feature": (1, ManyMessages(Feature))}
    __slots__ = ()


class FeatureLists(Message):
    """Lists of features by name: ``feature_list``."""

    FIELDS: ClassVar = {"feature_list": (1, MessageMap(FeatureList))}
    __slots__ = ()


class Example(Message):
    """What a program learns from: ``features``."""

    FIELDS: ClassVar = {"features": (1, OneMessage(Features))}
    __slots__ = ()


class SequenceExample(Message):
    """A sequence to learn from: its ``context``, and ``feature_lists`` with features for each of its steps."""

    FIELDS: ClassVar = {"context": (1, OneMessage(Features)), "feature_lists": (2, OneMessage(FeatureLists))}
    __slots__ = ()
