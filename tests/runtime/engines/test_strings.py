"""Strings that kernels return in a tuple."""

from __future__ import annotations

import autograph as tf


def test_a_python_function_may_give_one_string() -> None:
    @tf.function
    def name(x: object) -> object:
        return tf.py_function(lambda value: "a", [x], tf.string)

    assert name(tf.constant(1)).numpy() == b"a"
