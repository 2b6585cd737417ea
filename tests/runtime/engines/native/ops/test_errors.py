"""Checks and errors in machine code: what the plan raises, at once, with the values at hand and the user's line."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.runtime.engines.native import NATIVE
from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.engines.region import Region
from tests.runtime.engines.native.common import needs_llvm

pytestmark = needs_llvm


def with_values(x, n):
    total = x * 0
    for i in tf.range(n):
        assert total < 50.0, ("too large", total, i)
        total += x
    return total


def with_text(x, n):
    total = x * 0
    for _ in tf.range(n):
        assert total < 50.0, f"too large: {total}"
        total += x
    return total


def raised(x, n):
    total = x * 0
    for i in tf.range(n):
        if total > 50.0:
            raise ValueError(f"{total} in turn {i}")
        total += x
    return total


def nested(x, n):
    total = x * 0
    while total > -1.0:
        if total > 50.0:
            if total > 51.0:
                raise KeyError(total)
            raise ValueError("not so large")
        total += x
    return total


def relation(x, n):
    total = x * 0
    for _ in tf.range(n):
        tf.debugging.assert_less(total, 50.0, message="of a sum")
        total += x
    return total


def relation_of_arrays(x, n):
    totals = tf.stack([x * 0, x])
    for _ in tf.range(n):
        totals = tf.concat([totals[1:], totals[:1] + x], 0)
        tf.debugging.assert_less(totals, [50.0, 60.0])
    return totals


def with_data(x, n):
    total = x * 0
    for i in tf.range(n):
        tf.debugging.Assert(total < 50.0, ["the sum is", total, "in turn", i])
        total += x
    return total


def numerics(x, n):
    y = tf.stack([x, x * 0])
    for _ in tf.range(n):
        y = tf.debugging.check_numerics(tf.where(y > 50.0, np.nan, y + x), "of a sum")
    return y


def always(x, n):
    while x > 0.0:
        raise ValueError(f"{x} is positive")
    return x


PROGRAMS = [with_values, with_text, raised, nested, relation, relation_of_arrays, with_data, numerics, always]


def region_of(function: Callable[..., Any]) -> Region:
    scalars = tf.TensorSpec([], tf.float64), tf.TensorSpec([], tf.int32)
    return Region(tf.function(function).get_concrete_function(*scalars).optimized_graph, NATIVE, demanded=True)


def told(run: Callable[..., Any], *arguments: Any) -> tuple[Any, ...]:
    """What a run raises: the class, the text, the arguments, and the traceback's lines of this file."""
    with pytest.raises(Exception) as caught:  # noqa: PT011  (the same as the plan's)
        run(*arguments)
    lines = [each.lineno for each in traceback.extract_tb(caught.value.__traceback__) if each.filename == __file__]
    return type(caught.value), str(caught.value), repr(caught.value.args), lines[1:]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_code_raises_what_the_plan_raises(program: Callable[..., Any]) -> None:
    found = region_of(program)
    arguments = np.array(3.7), np.array(100, np.int32)
    expected = told(Plan(found.graph).run, *arguments)
    assert expected[-1]
    for _ in range(20):  # it does not give up, and nothing runs twice
        assert told(found.run, *arguments) == expected
    assert found.is_compiled and not found.failures
    quiet = (np.array(0.01), np.array(5, np.int32)) if program not in (nested, always) else None
    if quiet is not None:
        for want, got in zip(Plan(found.graph).run(*quiet), found.run(*quiet), strict=True):
            np.testing.assert_array_equal(want, got)


def test_shapes_that_code_is_made_for_are_checked_once() -> None:
    def f(x):
        total = 0.0
        for _ in tf.range(10):
            tf.debugging.assert_shapes([(x, (3, "N"))])
            tf.debugging.assert_rank_in(x, [2])
            total += tf.reduce_sum(x)
        return total

    spec = tf.TensorSpec([None, None], tf.float64)
    found = Region(tf.function(f).get_concrete_function(spec).optimized_graph, NATIVE, demanded=True)
    assert found.run(np.ones((3, 2)))[0] == 60.0
    assert found.is_compiled and not found.failures
    assert told(found.run, np.ones((2, 2))) == told(Plan(found.graph).run, np.ones((2, 2)))


def test_what_was_assigned_before_an_error_stays() -> None:
    def f(v):
        @tf.function
        def step(x):
            for _ in tf.range(100):
                v.assign_add(x)
                assert v < 50.0, f"{v.read_value()} is too large"
            return x

        return step

    one, other = tf.Variable(0.0), tf.Variable(0.0)
    step = f(one)
    found = Region(step.get_concrete_function(tf.constant(3.5)).optimized_graph, NATIVE, demanded=True)
    plan = Plan(f(other).get_concrete_function(tf.constant(3.5)).optimized_graph)
    x = np.array(3.5, np.float32)
    assert told(found.run, x)[:2] == told(plan.run, x)[:2]
    assert one.numpy() == other.numpy() == 52.5


def test_values_that_are_large_are_left_to_the_plan() -> None:
    def f(x):
        for _ in tf.range(3):
            x = tf.debugging.check_numerics(tf.cumsum(x), "of sums")
        return x

    x = np.full(1000, 1.0)
    spec = tf.TensorSpec([1000], tf.float64)
    found = Region(tf.function(f).get_concrete_function(spec).optimized_graph, NATIVE, demanded=True)
    np.testing.assert_array_equal(found.run(x)[0], np.cumsum(np.cumsum(np.cumsum(x))))
    x[3] = np.nan
    assert told(found.run, x) == told(Plan(found.graph).run, x)
    assert found.failures == 1
