"""Which parts of a graph become machine code, and what users see of it."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import UnimplementedError
from autograph.runtime.engines.native import NATIVE
from tests.runtime.engines.native.common import at_once as at_once
from tests.runtime.engines.native.common import needs_llvm

pytestmark = [needs_llvm, pytest.mark.usefixtures("at_once")]


def test_a_loop_beside_what_has_no_code(capsys: Any) -> None:
    @tf.function
    def f(n, name):
        m = n
        while m < 100:
            m = m * 2
        print_name = name + "!"
        for i in tf.range(3):
            m += i
        return m, print_name, n

    m, name, n = f(tf.constant(3), tf.constant("a"))
    assert (int(m), name.numpy(), int(n)) == (195, b"a!", 3)
    text = f.get_concrete_function(tf.constant(3), tf.constant("a")).compiled
    assert text.count("are machine code") == 2 and "values of dtype string" in text and "line " in text


def test_effects_keep_their_order(capsys: Any) -> None:
    @tf.function
    def f(n):
        total = n
        while total < 20:
            total += 3
        tf.print("total", total, output_stream=sys.stdout)
        for i in tf.range(2):
            tf.print("turn", i, output_stream=sys.stdout)
            total += i
        return total

    assert f(tf.constant(1)) == 23
    assert capsys.readouterr().out == "total 22\nturn 0\nturn 1\n"


def test_errors_from_a_part_have_the_users_line() -> None:
    @tf.function
    def f(x, name):
        total = x[0]
        i = 0
        while total < 100:
            total += x[i]  # here
            i += 1
        return total, name + "!"

    with pytest.raises(IndexError) as caught:
        f(tf.constant([1, 2]), tf.constant("a"))
    assert "# here" in str(caught.value)


def test_code_that_is_demanded() -> None:
    @tf.function(jit_compile=True)
    def f(x):
        return x * 2

    f(tf.constant(3))
    assert "are machine code" in f.get_concrete_function(tf.constant(3)).compiled

    @tf.function(jit_compile=True)
    def g(name):
        return name + "!"  # here

    with pytest.raises(UnimplementedError, match="values of dtype string") as caught:
        g(tf.constant("a"))
    assert "# here" in str(caught.value)


def test_code_that_is_refused() -> None:
    @tf.function(jit_compile=False)
    def f(n):
        while n < 100:
            n = n * 2
        return n

    assert f(tf.constant(3)) == 192
    assert type(f.get_concrete_function(tf.constant(3)).plan).__name__ == "Plan"


def test_a_gradient_through_a_loop() -> None:
    @tf.function
    def f(x):
        y = x
        for _ in tf.range(3):
            y = y * x
        return y

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert float(y) == 16 and float(tape.gradient(y, x)) == 32


def test_long_graphs_are_cut_into_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NATIVE, "most_nodes", 10)

    @tf.function
    def f(x):
        for i in range(12):
            x = x * 2.0 + x[::-1] * i
        return x

    x = np.arange(5.0)
    expected = x
    for i in range(12):
        expected = expected * 2.0 + expected[::-1] * i
    np.testing.assert_array_equal(f(tf.constant(x)), expected)
    assert f.get_concrete_function(tf.constant(x)).compiled.count("are machine code") > 3


def test_numbers_that_depend_on_shapes() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
    def f(x):
        y = tf.reshape(x, [tf.shape(x)[1], tf.shape(x)[0]])
        for i in tf.range(tf.shape(y)[0]):
            y = y + tf.cast(i, tf.float32)
        return y

    for shape in ((2, 3), (4, 5)):
        x = np.ones(shape, np.float32)
        np.testing.assert_array_equal(f(x), np.ones(shape[::-1]) + sum(range(shape[1])))
