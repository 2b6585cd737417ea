"""Lists and arrays of tensors as XLA programs: memory whose size is known, or guessed until it is enough."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.config import settings
from autograph.errors import UnimplementedError
from autograph.runtime.ops.lists import arrays, lists
from tests.runtime.engines.xla.common import agree, region_of


def squares(x: Any) -> Any:
    rows = []
    for i in tf.range(5):
        rows.append(x * tf.cast(i, tf.float32))
    return tf.stack(rows)


def some(x: Any, n: Any) -> Any:
    rows = []
    for i in tf.range(n):
        if i % 3 != 0:
            rows.append(x * tf.cast(i, tf.float32))
    return tf.stack(rows)


def of_two_loops(x: Any, n: Any) -> Any:
    rows = [x]
    for _ in tf.range(3):
        for _ in tf.range(2):
            x = x + x
            rows.append(x)
    while n > 0:
        rows.append(x - tf.cast(n, tf.float32))
        n -= 1
    rows[1] = x
    return tf.stack(rows), len(rows), rows[-1]


def as_a_stack(n: Any) -> Any:
    numbers, total = [n], 0
    while len(numbers) > 0:
        last = numbers.pop()
        total += last
        if last > 3:
            numbers.append(last // 2)
            numbers.append(last - 3)
    return total


def array(x: Any, n: Any) -> Any:
    rows = tf.TensorArray(tf.float32, size=4)
    for i in tf.range(4):
        if i != 2:
            rows = rows.write(i, x * tf.cast(i + n, tf.float32))
    return rows.stack(), rows.read(1)


def grown(x: Any, n: Any) -> Any:
    rows = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in tf.range(n):
        rows = rows.write(i, x * tf.cast(i, tf.float32))
    return rows.stack()


def slope(x: Any, n: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        rows = tf.TensorArray(tf.float32, size=5)
        for i in tf.range(5):
            x2 = x * x
            rows = rows.write(i, x2 * tf.cast(i + n, tf.float32))
        y = tf.reduce_sum(rows.stack())
    return tape.gradient(y, x)


def emptied(x: Any, n: Any) -> Any:
    """What gradients do: elements are taken out, and there are zeros in their places."""
    rows = lists.from_tensor_op(tf.stack([x, x + 1.0, x + 2.0, x + 3.0]))
    for _ in tf.range(n):
        rows, last = lists.pop_op(rows, dtype=tf.float32, shape=(2,))
        x = x + last
    if n > 1:
        rows = arrays.add_at_op(rows, 3, x)
    return lists.stack_like_op(rows, tf.zeros([5, 2])), x


X = np.float32([1.0, -2.0])


@pytest.mark.parametrize("function, arguments", [
    (squares, [X]), (some, [X, np.int32(10)]), (some, [X, np.int32(500)]),
    (of_two_loops, [X, np.int32(5)]), (of_two_loops, [X, np.int32(200)]), (as_a_stack, [np.int32(40)]),
    (array, [X, np.int32(3)]), (grown, [X, np.int32(7)]), (grown, [X, np.int32(100)]), (slope, [X, np.int32(3)]),
    *[(emptied, [X, np.int32(n)]) for n in range(4)],
])  # fmt: skip
def test_programs(function: Any, arguments: list[Any]) -> None:
    agree(function, *arguments, close=1e-6)


def test_what_follows_a_list_of_unknown_length_is_a_program_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "engine", "xla")

    def total(x: Any, n: Any) -> Any:
        rows = some(x, n)
        for _ in tf.range(2):
            rows = rows * 2.0
        return tf.reduce_sum(rows)

    f = tf.function(total)
    for n in (4, 9):
        expected = sum(i for i in range(n) if i % 3 != 0) * 4 * -1.0
        assert f(tf.constant(X), tf.constant(n)).numpy() == expected
    report = f.get_concrete_function(tf.constant(X), tf.constant(4)).compiled
    assert "not an XLA program together: an array whose length depends on values" in report
    assert report.count(" are an XLA program") == 2


def test_elements_of_different_shapes_are_refused() -> None:
    def ragged(x: Any, n: Any) -> Any:
        rows = [x]
        for _ in tf.range(n):
            rows.append(x[:1])
        return rows[0]

    with pytest.raises(UnimplementedError, match="tensors of different shapes"):
        region_of(ragged, X, np.int32(2)).run(X, np.int32(2))
