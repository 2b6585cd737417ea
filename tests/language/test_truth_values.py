"""Arithmetic of truth values: Python's are numbers, also where only the graph knows them; bool tensors are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError

REFUSED: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y, "/": lambda x, y: x / y,
    "//": lambda x, y: x // y, "%": lambda x, y: x % y, "**": lambda x, y: x**y, "@": lambda x, y: x @ y,
    "<<": lambda x, y: x << y, ">>": lambda x, y: x >> y, "neg": lambda x, y: -x, "pos": lambda x, y: +x,
    "abs": lambda x, y: abs(x), "divmod": divmod, "True +": lambda x, y: True + x, "* True": lambda x, y: x * True,
    "array +": lambda x, y: np.array([True, False]) + x, "+ array": lambda x, y: x + np.array([True, False]),
    "+=": lambda x, y: sum([x, y], x), "tf.add": tf.add, "tf.subtract": tf.subtract, "tf.multiply": tf.multiply,
    "tf.divide": tf.divide, "tf.pow": tf.pow, "tf.add_n": lambda x, y: tf.add_n([x, y]),
    "tf.abs": lambda x, y: tf.abs(x),
    "tf.square": lambda x, y: tf.square(x), "np.add": np.add, "np.multiply": np.multiply,
    "tf.bitwise.left_shift": tf.bitwise.left_shift, "tf.math.divide_no_nan": tf.math.divide_no_nan,
    "tf.tensordot": lambda x, y: tf.tensordot(x, y, 1), "tf.einsum": lambda x, y: tf.einsum("i,i", x, y),
    "reduce_sum": lambda x, y: tf.reduce_sum(x), "reduce_mean": lambda x, y: tf.reduce_mean(x),
    "reduce_prod": lambda x, y: tf.reduce_prod(x), "scatter": lambda x, y: tf.tensor_scatter_nd_add(x, [[0]], [True]),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_bool_tensors_are_refused(name: str) -> None:
    function = REFUSED[name]
    x, y = tf.constant([True, False]), tf.constant([True, True])
    for refuse in (function, tf.function(lambda x, y: function(x, y))):
        with pytest.raises(InvalidArgumentError, match=r"(?s)dtype bool.*tf\.cast\(x, tf\.int32\)"):
            refuse(x, y)


def test_assigning_sums_to_bool_variables_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="can't have dtype bool"):
        tf.Variable([True]).assign_add([True])


def test_what_bool_tensors_do() -> None:
    x, y = tf.constant([True, False]), tf.constant([True, True])
    assert ((x & y) | (x ^ y)).dtype is tf.bool and (~x).numpy().tolist() == [False, True]
    assert (1 + x).numpy().tolist() == [2, 1] and (x * 2.5).numpy().tolist() == [2.5, 0]
    assert (tf.constant([1.0, 2.0]) * x).numpy().tolist() == [1, 0]
    assert (x + np.array([1, 2])).numpy().tolist() == [2, 2]
    assert np.sum(x).numpy() == 1 and np.mean(x).numpy() == 0.5 and sum(x).numpy() == 1
    assert tf.math.count_nonzero(x).numpy() == 1


OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    **{name: REFUSED[name] for name in ("+", "-", "*", "**", "<<", ">>", "neg", "pos", "abs", "True +", "* True")},
    "/": lambda x, y: x / True, "//": lambda x, y: x // True, "%": lambda x, y: y % True,
    "divmod": lambda x, y: divmod(y, True), "~": lambda x, y: ~x, "&": lambda x, y: x & y, "|": lambda x, y: x | y,
    "^": lambda x, y: x ^ y, "max": max, "sum": lambda x, y: sum([x, y, True]), "* 1.5": lambda x, y: x * 1.5,
    "+ 1": lambda x, y: x + 1, "x + x + y": lambda x, y: x + x + y, "- -": lambda x, y: -x - y,
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:Bitwise inversion:DeprecationWarning")
@pytest.mark.parametrize("name", OPERATIONS)
def test_pythons_bools_that_only_the_graph_knows_are_numbers(name: str) -> None:
    operation = OPERATIONS[name]


    def plain(n: int) -> Any:
        return operation(n - 1 > 0, n - 1 > 2)

    def by_number(n: Any) -> Any:
        for i in range(n):
            result = operation(i > 0, i > 2)
        return result

    for n in (1, 3, 4):
        expected, found = plain(n), tf.function(by_number)(tf.constant(n))
        for one, other in zip(tf.nest.flatten(expected), tf.nest.flatten(found), strict=True):
            assert other.numpy() == one
            assert {"b": bool, "i": int, "f": float}[other.numpy().dtype.kind] is type(one)


def test_counts() -> None:
    def count(values: Any, limit: Any) -> Any:
        found = 0
        for value in values:
            found += value > limit
        return found, sum(value > limit for value in values), sum([value > limit for value in values])

    values = tf.constant([3, 1, 4, 1, 5])
    assert [each.numpy() for each in tf.function(count)(values, tf.constant(2))] == [3, 3, 3]
