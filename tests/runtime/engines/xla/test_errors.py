"""Errors of XLA programs: the plan raises them, with the user's line, and what was assigned before stays."""

from __future__ import annotations

import traceback
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError, OutOfRangeError
from tests.runtime.engines.xla.common import region_of

count = tf.Variable(0)


def asserted(x: Any) -> Any:
    for i in tf.range(5):
        count.assign_add(1)
        x = x * 2.0
        assert x < 100.0, f"{x} in turn {i}"  # here
    return x


def raised(x: Any) -> Any:
    while True:
        count.assign_add(1)
        x = x * 2.0
        if x > 100.0:
            raise KeyError("too large", x)  # here
        if x < 0.0:
            break
    return x


def outside(x: Any) -> Any:
    numbers = tf.range(10)
    count.assign_add(1)
    return numbers[tf.cast(x, tf.int32)]  # here


def of_a_list(x: Any) -> Any:
    rows = []
    for i in tf.range(tf.cast(x, tf.int32) % 7 + 1):
        rows.append(i)
    count.assign_add(1)
    return rows[tf.cast(x, tf.int32)]  # here


def checked(x: Any) -> Any:
    count.assign_add(1)
    tf.debugging.assert_less(x, 10.0, message="of x")  # here
    return x + 1.0


def numerics(x: Any) -> Any:
    count.assign_add(1)
    return tf.debugging.check_numerics(tf.math.log(10.0 - x), "the logarithm")  # here


@pytest.mark.parametrize("function, good, bad, kind, changes", [
    (asserted, 1.0, 30.0, AssertionError, 2), (raised, -1.0, 30.0, KeyError, 2),
    (outside, 3.0, 10.0, OutOfRangeError, 1),
    (outside, -10.0, -11.0, OutOfRangeError, 1), (of_a_list, 2.0, 30.0, IndexError, 1),
    (checked, 9.0, 10.0, InvalidArgumentError, 1), (numerics, 9.0, 11.0, InvalidArgumentError, 1),
])  # fmt: skip
def test_errors(function: Any, good: float, bad: float, kind: Any, changes: int) -> None:
    region = region_of(function, tf.TensorSpec([], tf.float32))
    region.run(np.float32(good))
    assert region.is_compiled
    count.assign(0)
    with pytest.raises(kind) as caught:
        region.run(np.float32(bad))
    assert traceback.extract_tb(caught.value.__traceback__)[-1].line.endswith("# here")
    assert count.numpy() == changes


def test_a_division_of_integers_by_zero_is_as_in_the_plan() -> None:
    region = region_of(lambda x, y: x // y, *[tf.TensorSpec([None], tf.int32)] * 2)
    x, y = np.int32([7, 8]), np.int32([2, 3])
    assert region.run(x, y)[0].tolist() == [3, 2] and region.is_compiled
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert region.run(x, np.int32([2, 0]))[0].tolist() == [3, 0]


def test_where_memory_runs_out_the_plan_says_so() -> None:
    region = region_of(lambda x: tf.broadcast_to(x, [1 << 45]) + x, tf.TensorSpec([], tf.float32))
    with pytest.raises(MemoryError, match="Unable to allocate"):
        region.run(np.float32(1.0))
    assert region.failures == 1


def test_arguments_that_never_fit_are_left_to_the_plan() -> None:
    region = region_of(lambda x, y: x + y, *[tf.TensorSpec([None], tf.float32)] * 2)
    for _ in range(2):
        with pytest.raises(InvalidArgumentError, match=r"\(2,\) \(3,\)"):
            region.run(np.zeros(2, np.float32), np.zeros(3, np.float32))


def test_a_turn_after_one_that_has_failed_may_not_end_if_a_loop_in_it_does_not() -> None:
    def function(x: Any) -> Any:
        for _ in tf.range(4):
            assert x < 3.0, "too large"
            y = x
            while y != 3.0:
                y += 1.0
            x += y - 2.0
        return x

    with pytest.raises(AssertionError, match="too large"):
        tf.function(function, jit_compile=True)(tf.constant(2.0))
    with pytest.raises(AssertionError, match="too large"):
        region_of(function, tf.constant(0.0)).run(np.array(2, np.float32))


def test_a_loop_of_a_known_number_of_turns_goes_on_after_a_failure_and_raises_the_first() -> None:
    def function(x: Any) -> Any:
        for i in tf.range(6):
            count.assign_add(1)
            assert x != 3, f"turn {i}"
            assert x != 4, "a later turn"
            x += 1
        return x

    count.assign(0)
    with pytest.raises(AssertionError, match="^turn 2$"):
        tf.function(function, jit_compile=True)(tf.constant(1))
    assert count.numpy() == 3
