"""After an error all is as before: variables, objects, traces, and what the thread knows."""

from __future__ import annotations

from typing import Any

import pytest

import autograph as tf
from autograph.operators.staging.heap import state
from autograph.runtime.tensors import trace


class Model:
    def __init__(self) -> None:
        self.value = 1
        self.history = [1]
        self.table = {"a": 1}

    def step(self, x: Any, fail: bool) -> Any:
        if x > 0:
            self.value = x
            self.history[0] = x
            self.table["b"] = x
            if fail:
                raise_now()
        return self.value


def raise_now() -> None:
    raise_now.nothing  # type: ignore[attr-defined]  # noqa: B018


def nothing_is_open() -> bool:
    return trace.current_graph() is None and not state.stack()


def test_objects_are_as_before_a_failed_trace() -> None:
    model = Model()
    with pytest.raises(AttributeError):
        tf.function(model.step)(tf.constant(1), True)
    assert (model.value, model.history, model.table) == (1, [1], {"a": 1})
    assert nothing_is_open()


def test_variables_are_as_before_a_failed_trace() -> None:
    count = 0

    def f(x: Any) -> Any:
        nonlocal count
        while x > 0:
            count = count + x
            x = x - 1
            if x > 5:
                x = "text"
        return x

    with pytest.raises(tf.errors.BranchMismatchError):
        tf.function(f)(tf.constant(3))
    assert count == 0
    assert nothing_is_open()


def test_a_failed_trace_is_no_trace() -> None:
    failing = True

    @tf.function
    def f(x: Any) -> Any:
        if failing:
            raise_now()
        return x + 1

    for _ in range(2):
        with pytest.raises(AttributeError):
            f(tf.constant(1))
    assert f.experimental_get_tracing_count() == 0
    failing = False
    assert f(tf.constant(1)).numpy() == 2
    assert f.experimental_get_tracing_count() == 1


def test_a_failed_run_leaves_the_trace() -> None:
    @tf.function
    def f(x: Any, i: Any) -> Any:
        return x[i]

    with pytest.raises(tf.errors.OutOfRangeError):
        f(tf.constant([1, 2]), tf.constant(2))
    assert f(tf.constant([1, 2]), tf.constant(1)).numpy() == 2
    assert f.experimental_get_tracing_count() == 1


def test_a_trace_that_fails_inside_another_leaves_that_one_as_it_was() -> None:
    @tf.function
    def inner(x: Any) -> Any:
        y = x * 2
        return tf.reshape(y, [7])

    @tf.function
    def outer(x: Any) -> Any:
        try:
            return inner(x)
        except ValueError:
            return x + 1

    x = tf.constant([1, 2])
    assert outer(x).numpy().tolist() == [2, 3]
    assert nothing_is_open()
    names = [node.name for node in outer.get_concrete_function(x).graph.nodes]
    assert not [name for name in names if "reshape" in name.lower() or "mul" in name]


def test_what_can_not_be_converted_is_not_half_converted() -> None:
    def f(x: Any) -> Any:
        ag__ = x
        return ag__

    before = f.__code__, dict(f.__dict__)
    for _ in range(2):
        with pytest.raises(tf.errors.UnsupportedConstructError, match="reserved"):
            tf.autograph.to_graph(f)
    assert (f.__code__, f.__dict__) == before
    assert f(3) == 3
