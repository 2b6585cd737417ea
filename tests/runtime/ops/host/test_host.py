"""print, raise, assert and Python functions as nodes."""

from __future__ import annotations

import collections
import io
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError
from autograph.runtime.ops.host.host import assert_node, raise_node

Pair = collections.namedtuple("Pair", "a b")


def c(value: Any, dtype: Any = None) -> Any:
    return tf.constant(value, dtype)


# Taken from TensorFlow 2.21.
PRINTED: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
    ((1, 1.0, c(1.0), c(2.5), "Step", c([1, 2, 3])), {}, "1 1.0 1 2.5 Step [1 2 3]\n"),
    ((c(range(10)), c([[1.5, 2], [3, 4]]), c("a"), c(["a", "b"])), {},
     '[0 1 2 ... 7 8 9] [[1.5 2]\n [3 4]] "a" ["a" "b"]\n'),
    ((c(np.arange(100).reshape(10, 10)),), {"summarize": 1}, "[[0 ... 9]\n ...\n [90 ... 99]]\n"),
    (({"a": c(1), "b": [c(2.5), "x"]}, (1, 2), [c(True)], None, True, c([True, False])), {},
     "{'a': 1, 'b': [2.5, 'x']} (1, 2) [1] None True [1 0]\n"),
    ((c(1 / 3), c(1e10), c(1e-7), c(1 / 3, tf.float64), c(123456789.0), c(float("nan")), c(float("-inf"))), {},
     "0.333333343 1e+10 1e-07 0.33333333333333331 123456792 nan -inf\n"),
    ((c([1 / 3, 1e10, 2]), 0.1, 1e22), {}, "[0.333333343 1e+10 2] 0.1 1e+22\n"),
    (("a", "b"), {"sep": "|", "end": "!\n"}, "a|b!\n"),
    ((c(range(10)),), {"summarize": -1}, "[0 1 2 3 4 5 6 7 8 9]\n"),
    ((c(range(10)),), {"summarize": 2}, "[0 1 ... 8 9]\n"),
    ((c([], tf.float32), c(1, tf.uint8), c(1.5, tf.float16)), {}, "[] 1 1.5\n"),
    (((c(1),), {"k": (1, "s")}, "x", ["x"], b"bytes"), {}, "(1,) {'k': (1, 's')} x ['x'] b'bytes'\n"),
    ((), {}, "\n"),
    ((Pair(c(1), 2),), {}, "Pair(a=1, b=2)\n"),
    ((c(np.arange(8).reshape(2, 2, 2)),), {}, "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]\n"),
    ((c("alone"),), {}, "alone\n"),
]  # fmt: skip


@pytest.mark.parametrize(("values", "options", "text"), PRINTED)
def test_print_has_tensorflows_format(values: Any, options: Any, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    tf.print(*values, **options)
    tf.print(*values, output_stream=sys.stdout, **options)
    printed = capsys.readouterr()
    assert printed.err == text and printed.out == text

    @tf.function(autograph=False)
    def traced() -> None:
        tf.print(*values, output_stream=sys.stdout, **options)

    traced()
    traced()
    assert capsys.readouterr().out == text * 2


def test_print_elsewhere(tmp_path: Path) -> None:
    stream, logged = io.StringIO(), []
    tf.print("a", c(1), output_stream=stream)
    tf.print("b", c(2), output_stream=logged.append)
    tf.print("c", output_stream=f"file://{tmp_path / 'log'}")
    tf.print("d", output_stream=f"file://{tmp_path / 'log'}")
    assert stream.getvalue() == "a 1\n" and logged == ["b 2"] and (tmp_path / "log").read_text() == "c\nd\n"


class Trouble(Exception):
    def __init__(self, code: Any, *, detail: Any) -> None:
        super().__init__(f"code {code}")
        self.detail = detail


def test_raise_rebuilds_the_exception() -> None:
    @tf.function(autograph=False)
    def traced(x: Any) -> Any:
        error = Trouble(3, detail=[x, "kept"])
        error.__cause__ = KeyError("cause")
        raise_node(error)
        return x

    with pytest.raises(Trouble, match="^code 3$") as caught:
        traced(c(5))
    assert caught.value.detail[0].numpy() == 5 and caught.value.detail[1] == "kept"
    assert isinstance(caught.value.__cause__, KeyError)


def test_messages_may_be_string_tensors() -> None:
    @tf.function(autograph=False)
    def traced(text: Any) -> Any:
        assert_node(text == "fine", AssertionError("text: " + text))
        return text

    assert traced(c("fine")).numpy() == b"fine"
    with pytest.raises(AssertionError, match="^text: bad$"):
        traced(c("bad"))


def test_eagerly_they_act_at_once() -> None:
    assert_node(c([True, True]), AssertionError("no"))
    with pytest.raises(AssertionError, match="some"):
        assert_node(c([True, False]), AssertionError("some"))
    with pytest.raises(KeyError):
        raise_node(KeyError("k"))


def test_effects_keep_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function(autograph=False)
    def traced(x: Any) -> Any:
        tf.print("first", output_stream=sys.stdout)
        tf.py_function(lambda v: print("second", int(v)), [x], [])
        assert_node(x < 0, ValueError("third"))
        tf.print("never", output_stream=sys.stdout)
        return x

    with pytest.raises(ValueError, match="third"):
        traced(c(1))
    assert capsys.readouterr().out == "first\nsecond 1\n"


def test_py_function_gets_eager_tensors() -> None:
    seen = []

    def user(x: Any, y: Any) -> Any:
        seen.append(type(x).__name__)
        return x + y, "text"

    @tf.function(autograph=False)
    def traced(x: Any) -> Any:
        return tf.py_function(user, [x, 2], [tf.int32, tf.string])

    number, text = traced(c(1))
    assert number.numpy() == 3 and text.numpy() == b"text" and seen == ["EagerTensor"]
    assert tf.py_function(lambda x: x * 2.0, [c(1.5)], tf.float32).numpy() == 3.0


def test_numpy_function_gets_arrays_of_its_own() -> None:
    def user(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        x += 1
        return np.sort(x)

    @tf.function(autograph=False)
    def traced(x: Any) -> Any:
        return tf.numpy_function(user, [x], tf.int32)

    x = c([3, 1])
    assert traced(x).numpy().tolist() == [2, 4] and x.numpy().tolist() == [3, 1]


@pytest.mark.parametrize("function", [tf.py_function, tf.numpy_function])
@pytest.mark.parametrize("make", [lambda f: f, tf.function])
def test_a_list_or_tuple_holds_the_results_of_a_python_function(function: Any, make: Any) -> None:
    one = make(lambda: function(lambda x: [x + x], [c([1, 2])], tf.int32))()
    (listed,) = make(lambda: function(lambda x: (x + x,), [c([1, 2])], [tf.int32]))()
    assert one.numpy().tolist() == listed.numpy().tolist() == [2, 4]
    with pytest.raises(InvalidArgumentError, match="returned 3 values instead of 1.*") as caught:
        make(lambda: function(lambda: [1, 2, 3], [], tf.int32))()
    assert "np.array(values)" in str(caught.value)


def test_gradients_go_through_what_py_function_calls_eagerly() -> None:
    x = c(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(lambda v: v * v if v.numpy() > 0 else -v, [x], tf.float32) * x
    assert tape.gradient(y, x).numpy() == 27


def test_gradients_go_through_py_function_in_a_graph_which_calls_it_once() -> None:
    calls = []

    def user(v: Any, w: Any) -> Any:
        calls.append(float(v))
        return tf.sin(v) * w if v.numpy() > 0 else v * w

    def repeated(x: Any, n: int) -> Any:
        y = x
        for i in tf.range(n):
            y = tf.reshape(tf.py_function(user, [y, x], tf.float32), []) if i % 2 == 0 else y * y
        return y

    def slope(x: Any, n: int) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = repeated(x, n)
        return y, tape.gradient(y, x)

    for x in (c(0.7), c(-0.4)):
        calls.clear()
        expected = slope(x, 3)
        known = calls.copy()
        for run in (tf.function(slope), lambda x, n: outside(tf.function(repeated), x, n)):
            calls.clear()
            np.testing.assert_allclose(run(x, 3), expected, rtol=1e-6)
            np.testing.assert_allclose(calls, known, rtol=1e-6)


def outside(function: Any, x: Any, n: int) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x, n)
    return y, tape.gradient(y, x)


def test_gradients_of_any_order_go_through_py_function_in_a_graph() -> None:
    calls = []

    def user(x: Any, y: Any) -> Any:
        calls.append(1)
        return x**3 * y**2

    def third(x: Any, y: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch([x, y])
            with tf.GradientTape() as second:
                second.watch([x, y])
                with tf.GradientTape() as first:
                    first.watch(x)
                    z = tf.py_function(user, [x, y], tf.float32)
                along_x = first.gradient(z, x)
            along_both = second.gradient(along_x, y)
        return along_x, along_both, outer.gradient(along_both, [x, y])

    for run in (third, tf.function(third)):
        calls.clear()
        along_x, along_both, rest = run(c(2.0), c(3.0))
        assert [float(g) for g in (along_x, along_both, *rest)] == [108, 72, 72, 24]
        assert len(calls) == 1


@pytest.mark.parametrize("staged", [False, True])
def test_second_gradients_of_py_function_in_loops_and_branches(staged: bool) -> None:
    def second(function: Any, x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = function(x)
            g = inner.gradient(y, x)
        return g, outer.gradient(g, x)

    def through_python(x: Any) -> Any:
        for i in tf.range(4):
            if x < 1.5:
                x = tf.ensure_shape(tf.py_function(lambda v: tf.sin(v) * 2.0, [x], tf.float32), [])
        return x

    def in_ops(x: Any) -> Any:
        for _ in range(4):
            x = tf.sin(x) * 2.0 if x < 1.5 else x
        return x

    for x in (c(0.3), c(0.7)):
        expected = second(in_ops, x)
        function = tf.function(through_python)  # which the tapes follow as a whole
        run = tf.function(lambda x: second(through_python, x)) if staged else lambda x: second(function, x)  # noqa: B023
        np.testing.assert_allclose(run(x), expected, rtol=1e-5)


def test_python_functions_that_fail() -> None:
    def user(x: Any) -> Any:
        return {}["missing"]

    @tf.function(autograph=False)
    def traced(x: Any) -> Any:
        return tf.py_function(user, [x], tf.int32)

    with pytest.raises(KeyError, match="missing") as caught:
        traced(c(1))
    assert [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)][-2:] == ["traced", "user"]
    with pytest.raises(InvalidArgumentError, match="float64 instead of tf.float32"):
        tf.numpy_function(np.sqrt, [c(2.0, tf.float64)], tf.float32)
    with pytest.raises(InvalidArgumentError, match="1 values instead of 2"):
        tf.py_function(lambda: 1, [], [tf.int32, tf.int32])


def test_functions_of_pythons_are_decorated() -> None:
    @tf.py_function(Tout=[tf.float32, tf.int32])
    def both(x, i):
        assert isinstance(x, tf.Tensor) and not tf.is_symbolic_tensor(x)
        return x * 2.0, i

    @tf.numpy_function(Tout=tf.float64)
    def rounded(x):
        """Rounds."""
        return np.round(x)

    assert rounded.__doc__ == "Rounds."
    for run in (lambda f: f, tf.function):
        x, i = run(lambda a, b: both(a, b))(tf.constant(1.5), tf.constant(3))
        assert float(x) == 3 and int(i) == 3
        assert float(run(lambda a: rounded(a))(tf.constant(2.6, tf.float64))) == 3
