"""`print` of a graph tensor while tracing: a warning, once for a line, that it shows no value."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import autograph as tf
from autograph.operators.staging.outside.effects import TracedPrintWarning


def found(function: Any, *arguments: Any) -> list[Any]:
    """The warnings of a call, as Python shows them: each once for a line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        function(*arguments)
    assert all(each.category is TracedPrintWarning for each in caught)
    return caught


@pytest.mark.parametrize("shown", [lambda x: x, lambda x: [x], lambda x: {"a": x}, lambda x: f"{x}", lambda x: x + 1])
def test_graph_tensors(shown: Any) -> None:
    @tf.function
    def f(x: Any) -> Any:
        print("x:", shown(x))
        return x

    (warning,) = found(f, tf.constant(1))
    assert "tf.print() does" in str(warning.message)
    assert warning.filename == __file__
    assert warning.lineno == f.python_function.__code__.co_firstlineno + 2


def test_once_for_a_line() -> None:
    @tf.function
    def f(x: Any) -> Any:
        for i in range(3):
            print(x, i)
        for i in tf.range(3):
            print(i)
        return x

    assert len(found(lambda: [f(tf.constant(each)) for each in (1, 2, 1.5)])) == 2


@pytest.mark.parametrize("shown", [lambda x: "tracing", lambda x: x.shape, lambda x: x.dtype, lambda x: [1, None]])
def test_what_is_known_while_tracing(shown: Any) -> None:
    @tf.function
    def f(x: Any) -> Any:
        print(shown(x))
        return x

    assert not found(f, tf.constant(1))


def test_outside_of_traces() -> None:
    def f(x: Any) -> Any:
        print(x)
        return x

    assert not found(f, tf.constant(1))
    assert not found(tf.autograph.to_graph(f), tf.constant(1))
    traced = tf.function(lambda x: tf.print(x))
    assert not found(traced, tf.constant(1))
