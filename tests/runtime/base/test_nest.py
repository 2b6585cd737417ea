"""Structures of tensors."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any, NamedTuple

import pytest

import autograph as tf
from autograph.runtime.base import nest


class Point(NamedTuple):
    x: Any
    y: Any


@dataclasses.dataclass
class Box:
    low: Any
    high: Any


@dataclasses.dataclass(frozen=True)
class Fixed:
    value: Any


STRUCTURES = [
    (3, [3]),
    (None, [None]),
    ([], []),
    ([1, (2, {"b": 3, "a": 4})], [1, 2, 4, 3]),
    (Point(1, [2, 3]), [1, 2, 3]),
    (Box(Point(1, 2), None), [1, 2, None]),
    (Fixed((1,)), [1]),
    (collections.OrderedDict(z=1, a=2), [2, 1]),
    ("text", ["text"]),
]


@pytest.mark.parametrize(("structure", "leaves"), STRUCTURES)
def test_flatten_and_pack(structure: Any, leaves: list[Any]) -> None:
    assert nest.flatten(structure) == leaves
    packed = nest.pack_sequence_as(structure, leaves)
    assert packed == structure and type(packed) is type(structure)


def test_order_of_keys_survives() -> None:
    assert list(nest.pack_sequence_as({"b": 1, "a": 2}, [10, 20])) == ["b", "a"]
    counted = nest.map_structure(lambda x: x + 1, collections.defaultdict(list, a=1))
    assert counted["a"] == 2 and counted["new"] == []


def test_map_structure() -> None:
    assert tf.nest.map_structure(lambda x, y: x + y, [1, {"a": 2}], [10, {"a": 20}]) == [11, {"a": 22}]
    with pytest.raises(ValueError, match="same nested structure"):
        tf.nest.map_structure(lambda x, y: x, [1, 2], [1])
    with pytest.raises(TypeError, match="same sequence type"):
        tf.nest.map_structure(lambda x, y: x, [1], (1,))


def test_wrong_number_of_leaves() -> None:
    for leaves in ([1], [1, 2, 3]):
        with pytest.raises(ValueError, match="2 leaves"):
            nest.pack_sequence_as([0, 0], leaves)


def test_keys_that_cannot_be_sorted() -> None:
    with pytest.raises(TypeError, match="sorted"):
        nest.flatten({1: 2, "a": 3})


def test_paths() -> None:
    assert list(nest.flatten_with_path({"a": [1, Point(2, 3)]})) == [
        (("a", 0), 1),
        (("a", 1, "x"), 2),
        (("a", 1, "y"), 3),
    ]
