"""What counts as the same: attributes and constants that differ in type or in one bit are not."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.runtime.base.dtypes import float32
from autograph.runtime.ir.graph import Type
from autograph.runtime.ir.op import OPS
from autograph.runtime.optimize import optimize
from autograph.runtime.optimize.sharing import constant_key, exact

from ..graphs import graph_of

DIFFERENT = [0, 0.0, -0.0, False, None, "0", (0,), (0.0,), (-0.0,), (False,), {"a": 0}, {"a": -0.0}, tf.int32, tf.int64]


@pytest.mark.parametrize(("a", "b"), list(itertools.combinations(DIFFERENT, 2)), ids=repr)
def test_different_attributes(a: Any, b: Any) -> None:
    assert exact(a) != exact(b)


@pytest.mark.parametrize("value", [*DIFFERENT, float("nan"), (1, ("x", None))], ids=repr)
def test_equal_attributes(value: Any) -> None:
    assert exact(value) == exact(value) and hash(exact(value)) == hash(exact(value))


def test_constants() -> None:
    arrays = [
        np.array(0.0), np.array(-0.0), np.array(0), np.array(0, np.int32), np.array([0]), np.array([[0]]),
        np.array(False), np.array(0.0, np.float32), np.array(b"a", object), np.array(b"a", object), np.arange(1000),
        np.arange(1000),
    ]  # fmt: skip
    keys = [constant_key(array) for array in arrays]
    assert len(set(keys)) == len(keys)
    assert keys == [constant_key(array) for array in arrays]
    assert constant_key(np.array(7.5)) == constant_key(np.array(7.5))


def test_an_attribute_of_another_sign_is_another_node() -> None:
    isclose = OPS["isclose"]

    def function(x: Any) -> list[Any]:
        attributes = {"rtol": 0.0, "equal_nan": False}
        return [isclose(x, x, atol=atol, **attributes) for atol in (0.0, -0.0, 0.0, 0)]

    graph = optimize(graph_of(function, Type(float32, (2,)))).graph
    assert [node.op.name for node in graph.nodes].count("isclose") == 3


def test_lists_are_not_shared() -> None:
    """Pushing on one version of a list twice would copy it."""

    def function(x: Any) -> list[Any]:
        lists = [OPS["list_push"](OPS["list_new"](), x) for _ in range(2)]
        return [OPS["list_length"](OPS["list_push"](each, x)) for each in lists]

    graph = optimize(graph_of(function, Type(float32, ()))).graph
    assert [node.op.name for node in graph.nodes].count("list_push") == 4
