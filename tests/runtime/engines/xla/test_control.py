"""Loops, branches and calls as XLA programs: the same as in the plan."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import UnimplementedError
from autograph.runtime.engines.xla.program import _Program
from tests.runtime.engines.xla.common import agree, region_of


def newton(x: Any) -> Any:
    while abs(x * x - 2.0) > 1e-4:
        x = x - (x * x - 2.0) / (2.0 * x)
    return x


def collatz(n: Any) -> Any:
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def nested(x: Any, n: Any) -> Any:
    total = x * 0
    for i in tf.range(n):
        for j in tf.range(i):
            if j > 2 and i % 2 == 0:
                total += x * tf.cast(j, tf.float32)
            elif j == 1:
                continue
            else:
                total -= x
        if total > 100.0:
            break
    return total, i


def rotated(a: Any, b: Any, n: Any) -> Any:
    for _ in tf.range(n):
        a, b = b, a + b
    return a, b


def stores(x: Any) -> Any:
    for i in tf.range(4):
        x[i % 3] = x[i] + 1
    return x


def by_rows(x: Any) -> Any:
    total = x[0] * 0
    for row in x:
        total = total * 2 + row
    return total


@pytest.mark.parametrize("function, arguments", [
    (newton, [np.float64(1.0)]), (collatz, [np.int32(27)]), (collatz, [np.int64(1)]),
    (nested, [np.float32(2.0), np.int32(9)]), (rotated, [np.int32(0), np.int32(1), np.int32(30)]),
    (stores, [np.arange(4)]), (by_rows, [np.arange(6.0).reshape(3, 2)]),
])  # fmt: skip
def test_programs(function: Any, arguments: list[Any]) -> None:
    agree(function, *arguments, close=1e-12 if arguments[0].dtype == np.float64 else 0)


def test_a_gradient_through_a_loop() -> None:
    def slope(x: Any, n: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for i in tf.range(n):
                y = y * x if i % 2 == 0 else tf.sin(y)
        return tape.gradient(y, x)

    agree(slope, np.float64(1.25), np.int32(7), close=1e-12)


def test_a_function_that_is_called_and_a_gradient_of_its_own() -> None:
    @tf.custom_gradient
    def half(x: Any) -> Any:
        return x * 0.5, lambda g: g * 10.0

    @tf.function
    def inner(x: Any) -> Any:
        return half(x) + 1.0

    def outer(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = inner(x) * inner(x)
        return y, tape.gradient(y, x)

    agree(outer, np.float32(3.0))


def test_a_recursion_is_refused() -> None:
    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def factorial(n: Any) -> Any:
        return n * factorial(n - 1) if n > 1 else 1

    with pytest.raises(UnimplementedError, match="a function that calls itself"):
        region_of(lambda n: factorial(n) + 1, tf.constant(5))


def test_a_variable_of_a_loop_that_changes_its_shape_is_refused() -> None:
    def growing(x: Any, n: Any) -> Any:
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            x = tf.concat([x, x], 0)
        return x

    region = region_of(growing, tf.TensorSpec([2], tf.float32), tf.TensorSpec([], tf.int32))
    with pytest.raises(UnimplementedError, match=r"changes its shape(.|\n)*in growing"):
        region.run(np.zeros(2, np.float32), np.int32(3))


def long(x: Any, n: Any) -> Any:
    for _ in tf.range(n):
        x = x * 1.0000001 + 1.0
    return x


def long_inside(x: Any, n: Any) -> Any:
    for _ in tf.range(2):
        for _ in tf.range(n):
            x = x * 1.0000001 + 1.0
    return x


@pytest.mark.parametrize("function", [long, long_inside])
def test_ctrl_c_ends_a_loop(function: Any) -> None:
    region = region_of(function, tf.constant(1.0), tf.constant(1))
    region.run(np.float32(1.0), np.int32(3))
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        region.run(np.float32(1.0), np.int32(2_000_000_000))
    assert region.run(np.float32(1.0), np.int32(0))[0] == 1.0


@pytest.mark.parametrize(("is_on_cpu", "most", "least"), [(True, 0, 0), (False, 3, 2)])
def test_loops_with_costly_turns_ask_python_as_often_in_time(
    is_on_cpu: bool, most: int, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A turn on an accelerator takes some 15 us whatever it does: it asks each 10,000 turns."""
    asked: list[None] = []
    monkeypatch.setattr(_Program, "_is_on_cpu", is_on_cpu)
    monkeypatch.setattr(_Program, "_is_to_stop", lambda self: bool(asked.append(None)))
    region = region_of(long, tf.constant(1.0), tf.constant(1))
    region.run(np.float32(1.0), np.int32(25_000))
    assert least <= len(asked) <= most
