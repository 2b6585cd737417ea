"""A `raise` that no tensor decides about, after something that is staged: Python's order of events holds."""

from __future__ import annotations

from typing import Any

import pytest

import autograph as tf


@tf.function
def checked(x: Any, mode: str) -> Any:
    tf.print("checking", x)
    if x < 0:
        raise ValueError(f"{x} is negative")
    if mode == "half":
        return x // 2
    raise KeyError(mode)


def test_a_staged_raise_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        with pytest.raises(ValueError, match="-3 is negative") as caught:
            checked(tf.constant(-3), "double")
        assert caught.value.__context__ is None
        with pytest.raises(KeyError, match="double"):
            checked(tf.constant(3), "double")
    assert capsys.readouterr().err == "checking -3\nchecking 3\n" * 2
    assert int(checked(tf.constant(6), "half")) == 3


def test_an_assert_comes_first() -> None:
    @tf.function
    def f(x: Any) -> Any:
        assert x > 0, "not positive"
        raise TypeError("always")

    with pytest.raises(AssertionError, match="not positive"):
        f(tf.constant(-1))
    with pytest.raises(TypeError, match="always") as caught:
        f(tf.constant(1))
    assert caught.traceback[-1].name == "f"


def test_variables_are_written_before() -> None:
    count = tf.Variable(0)

    @tf.function
    def f(x: Any) -> Any:
        count.assign_add(x)
        assert not isinstance(x, tf.Tensor), "a tensor"

    with pytest.raises(AssertionError, match="a tensor"):
        f(tf.constant(2))
    assert int(count) == 2


def test_the_next_call_traces_anew() -> None:
    ready = False

    @tf.function
    def f(x: Any) -> Any:
        assert x > 0
        if not ready:
            raise RuntimeError("not ready")
        return x * 2

    with pytest.raises(RuntimeError, match="not ready"):
        f(tf.constant(2))
    ready = True
    assert int(f(tf.constant(2))) == 4


def test_refusals_run_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def f(x: Any) -> Any:
        tf.print("hello")
        return {x: 1}

    with pytest.raises(tf.errors.AutographError):
        f(tf.constant(2))
    assert capsys.readouterr().err == ""


class Counter:
    count = 0


TOTAL = 0


def test_what_python_has_written_before_stays_written() -> None:
    numbers, table, counter = [0], {"n": 0}, Counter()

    @tf.function
    def f(x: Any) -> Any:
        global TOTAL
        numbers[0] += 1
        table["n"] += 1
        counter.count += 1
        TOTAL += 1
        if numbers[0] == 1:
            raise RuntimeError("the first time")
        return x

    with pytest.raises(RuntimeError, match="the first time"):
        f(tf.constant(7))
    assert (numbers, table, counter.count, TOTAL) == ([1], {"n": 1}, 1, 1)
    assert int(f(tf.constant(7))) == 7
    assert (numbers, table, counter.count, TOTAL) == ([2], {"n": 2}, 2, 2)


def test_an_error_of_python_comes_after_what_is_staged_before(capsys: pytest.CaptureFixture[str]) -> None:
    count = tf.Variable(0)

    @tf.function
    def f(x: Any) -> Any:
        tf.print("before", x)
        count.assign_add(x)
        assert x > 0, "not positive"
        return x + missing  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(AssertionError, match="not positive"):
        f(tf.constant(-1))
    for _ in range(2):
        with pytest.raises(NameError, match="missing") as caught:
            f(tf.constant(2))
        assert [entry.name for entry in caught.traceback][-1] == "f"
        assert caught.value.__context__ is None
    assert capsys.readouterr().err == "before -1\nbefore 2\nbefore 2\n"
    assert int(count) == 3
    with pytest.raises(NameError):  # nobody has called it
        f.get_concrete_function(tf.constant(2))
    assert int(count) == 3


def test_what_the_caller_does_not_get_is_not_run(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def f(x: Any) -> Any:
        tf.print("hello")
        return object()

    with pytest.raises(TypeError):
        f(tf.constant(1))
    assert not capsys.readouterr().err
