"""Tracebacks: the user's lines alone, innermost last; debuggers stop on them."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import pytest

import autograph as tf
from autograph.config import settings

from .programs import PACKAGE


def frames(function: Callable[..., Any], *arguments: Any) -> list[str]:
    """The functions in the traceback of a call that fails, outermost first; autograph's are called `autograph`."""
    with pytest.raises(Exception) as info:  # noqa: PT011
        function(*arguments)
    entries = traceback.extract_tb(info.value.__traceback__)[1:]
    return ["autograph" if entry.filename.startswith(PACKAGE) else entry.name for entry in entries]


def helper(x: Any) -> Any:
    if x > 0:
        y = tf.matmul(x, x)
    return y


def caller(x: Any) -> Any:
    return helper(x)


def fails_at_once(x: Any) -> Any:
    raise ValueError(x)


def calls_fails_at_once(x: Any) -> Any:
    for _ in range(2):
        fails_at_once(x)


def test_traces() -> None:
    assert frames(tf.function(caller), tf.constant(1.0)) == ["caller", "helper", "helper"]


def test_concrete_functions() -> None:
    concrete = tf.function(lambda x, i: x[i]).get_concrete_function(
        tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32)
    )
    assert frames(concrete, tf.constant([1.0]), tf.constant(3)) == ["<lambda>"]
    assert frames(concrete, 1) == []


@pytest.mark.parametrize("convert", [tf.autograph.to_graph, tf.autograph.convert, tf.function])
def test_exceptions_of_python(convert: Callable[..., Any]) -> None:
    function = convert(calls_fails_at_once)
    assert [name for name in frames(function, 1) if name != "loop_body"][0] == "calls_fails_at_once"
    assert frames(function, 1)[-1] == "fails_at_once"
    assert "autograph" not in frames(function, 1)


def test_what_can_not_be_converted() -> None:
    namespace: dict[str, Any] = {}
    exec("def f(): pass", namespace)
    assert frames(tf.autograph.to_code, namespace["f"]) == []
    assert frames(tf.autograph.to_graph, namespace["f"]) == []


def test_all_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "full_traceback", True)
    assert "autograph" in frames(tf.function(caller), tf.constant(1.0))


def test_recursion_without_end_is_one_error() -> None:
    @tf.autograph.convert
    def endless(n: int) -> int:
        return endless(n + 1)

    with pytest.raises(RecursionError) as info:
        endless(0)
    assert info.value.__context__ is None


def test_contexts_stay() -> None:
    def f(x: Any) -> Any:
        try:
            fails_at_once(x)
        except ValueError as error:
            raise KeyError(x) from error

    with pytest.raises(KeyError) as info:
        tf.autograph.to_graph(f)(1)
    assert isinstance(info.value.__cause__, ValueError)


def test_a_running_graph_underlines_the_operation() -> None:
    def f(x: Any, i: Any) -> Any:
        y = x + 1
        return y[0] + y[i] * 2

    with pytest.raises(IndexError) as info:
        tf.function(f)(tf.constant([1]), tf.constant(2))
    entry = traceback.extract_tb(info.value.__traceback__)[-1]
    assert entry.line == "return y[0] + y[i] * 2"
    with open(__file__, encoding="utf-8") as file:
        line = file.readlines()[(entry.lineno or 0) - 1]
    assert line[entry.colno : entry.end_colno] == "y[i]"


def test_statements_over_several_lines_are_on_their_first_one() -> None:
    def asserts(x: Any) -> Any:
        assert x > 1, (
            "too small"
        )
        return x

    def raises(x: Any) -> Any:
        if x < 2:
            raise ValueError(
                "too small"
            )
        return x

    for function, line in ((asserts, 1), (raises, 2)):
        for form in (tf.function(function), tf.autograph.to_graph(function), function):
            with pytest.raises((AssertionError, ValueError)) as info:
                form(tf.constant(1))
            last = traceback.extract_tb(info.value.__traceback__)[-1]
            assert (last.lineno or 0) - function.__code__.co_firstlineno == line
