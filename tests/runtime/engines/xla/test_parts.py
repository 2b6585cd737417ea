"""What only Python can do, in loops and branches: the graph is cut around it, in its order; nothing runs twice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.config import settings
from autograph.errors import UnimplementedError


@pytest.fixture(autouse=True)
def engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "engine", "xla")


def report_of(function: Any, *arguments: Any) -> str:
    """What runs where, once all has been compiled."""
    report: str = function.get_concrete_function(*arguments).compiled
    return report


def settle(x: Any) -> Any:
    for _ in tf.range(100):
        x = x * 0.5 + tf.sin(x)
    return x


def test_a_loop_that_prints_runs_through_numpy_and_what_is_in_it_through_xla(capfd: Any) -> None:
    count = tf.Variable(0)

    @tf.function
    def train(x: Any) -> Any:
        for i in tf.range(3):
            x = settle(x)
            count.assign_add(1)
            tf.print("turn", i, count)
        return x

    x = tf.constant([1.0, 2.0])
    expected = x
    for _ in range(3):
        for _ in range(100):
            expected = expected * 0.5 + tf.sin(expected)
    np.testing.assert_allclose(train(x), expected, rtol=1e-5)
    assert capfd.readouterr().err == "turn 0 1\nturn 1 2\nturn 2 3\n"
    first, second = report_of(train, x).splitlines()
    assert first.startswith("while runs through NumPy: the op 'print' has no form in XLA")
    assert second.endswith("are an XLA program")


def test_python_functions_in_branches_of_loops() -> None:
    seen: list[float] = []

    def note(value: Any) -> Any:
        seen.append(float(value))
        return value + 1

    @tf.function
    def f(x: Any) -> Any:
        for i in tf.range(4):
            x = tf.reduce_max(settle(tf.fill([3], x)))
            if i % 2 == 1:
                x = tf.py_function(note, [x], tf.float32)
        return x

    result = f(tf.constant(1.0))
    assert len(seen) == 2 and float(result) == seen[1] + 1
    report = report_of(f, tf.constant(1.0))
    assert "while runs through NumPy: the op 'py_function' has no form in XLA" in report
    assert "are an XLA program" in report


def test_summaries_in_loops(tmp_path: Any) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))

    @tf.function
    def f(x: Any) -> Any:
        with writer.as_default():
            for i in tf.range(3):
                x = settle(x)
                tf.summary.scalar("x", x, step=tf.cast(i, tf.int64))
        return x

    f(tf.constant(1.0))
    writer.flush()
    assert list(tmp_path.iterdir())
    assert "while runs through NumPy: the op 'write_summary' has no form in XLA" in report_of(f, tf.constant(1.0))


def test_stateful_random_numbers_in_loops_are_those_of_numpy() -> None:
    @tf.function
    def f(x: Any) -> Any:
        for _ in tf.range(3):
            x = settle(x) + tf.random.normal([2])
        return x

    tf.random.set_seed(1)
    got = f(tf.constant([1.0, 2.0]))
    tf.random.set_seed(1)
    np.testing.assert_allclose(
        got, tf.function(f.python_function, jit_compile=False)(tf.constant([1.0, 2.0])), rtol=1e-5
    )
    assert "are an XLA program" in report_of(f, tf.constant([1.0, 2.0]))


def test_lists_of_lists_and_recursion_run_through_numpy_by_name() -> None:
    @tf.function
    def rows(n: Any) -> Any:
        found = []
        for i in tf.range(n):
            row = []
            for j in tf.range(i):
                row.append(i * j)
            found.append(row)
        return sum([sum(row) for row in found])

    @tf.function
    def factorial(n: Any) -> Any:
        return tf.constant(1) if n <= 1 else n * factorial(n - 1)

    assert int(rows(tf.constant(4))) == 11
    assert "a list of lists" in report_of(rows, tf.constant(4))
    assert int(factorial(tf.constant(5))) == 120
    assert "runs through NumPy: a function that calls itself" in report_of(factorial, tf.constant(5))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: tf.print("now", x), "the op 'print' has no form in XLA"),
        (lambda x: tf.py_function(abs, [x], tf.float32), "the op 'py_function' has no form in XLA"),
        (lambda x: tf.random.normal([2]), "the op 'random_normal' has no form in XLA"),
    ],
)
def test_demanded_whole_it_is_refused_by_name(call: Any, text: str) -> None:
    @tf.function(jit_compile=True)
    def f(x: Any) -> Any:
        for _ in tf.range(3):
            call(x)
            x = x + 1.0
        return x

    with pytest.raises(UnimplementedError, match=f"the graph can't become an XLA program: {text}"):
        f(tf.constant(1.0))
