"""`tf.debugging`: checks of values, shapes and types, eagerly and in graphs; the op that makes the first NaN."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograph as tf

check = tf.debugging


@pytest.fixture(autouse=True)
def off_again() -> Iterator[None]:
    yield
    tf.debugging.disable_check_numerics()


def both(function: Callable[..., Any], *arguments: Any) -> Iterator[Callable[[], Any]]:
    """Calls of a function on tensors: eager, in a graph, and in a graph that does not know the shapes."""
    tensors = [tf.constant(each) for each in arguments]
    specs = [tf.TensorSpec(None, each.dtype) for each in tensors]
    yield lambda: function(*tensors)
    yield lambda: tf.function(function)(*tensors)
    yield lambda: tf.function(function).get_concrete_function(*specs)(*tensors)


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("assert_equal", ([1, 2], [1, 2]), ([1, 2], [1, 3])),
        ("assert_equal", ([[1, 1]], 1), ([[1, 2]], 1)),
        ("assert_none_equal", ([1, 2], [2, 1]), ([1, 2], [2, 2])),
        ("assert_less", ([1, 2], [2, 3]), ([1, 3], [2, 3])),
        ("assert_less_equal", ([1, 3], [2, 3]), ([1, 4], [2, 3])),
        ("assert_greater", ([3], [2]), ([3], [3])),
        ("assert_greater_equal", ([3], [3]), ([2], [3])),
        ("assert_near", ([1.0], [1.0000005]), ([1.0], [1.1])),
        ("assert_positive", ([1, 2],), ([1, 0],)),
        ("assert_negative", ([-1.0],), ([0.0],)),
        ("assert_non_negative", ([0],), ([-1],)),
        ("assert_non_positive", ([0],), ([1],)),
    ],
)
def test_values(name: str, good: tuple[Any, ...], bad: tuple[Any, ...]) -> None:
    function = getattr(check, name)

    def checked(*tensors: Any) -> Any:
        function(*tensors, message="the message")
        return tensors[0]

    for call in both(checked, *good):
        call()
    for call in both(checked, *bad):
        with pytest.raises(tf.errors.InvalidArgumentError, match="^the message\n"):
            call()


def test_the_text() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        check.assert_equal([1, 2, 3, 4, 5], [1, 0, 3, 0, 0], summarize=2)
    assert str(caught.value).splitlines()[:12] == [
        "Condition x == y did not hold.", "Indices of first 2 different values:", "[[1]", " [3]]",
        "Corresponding x values:", "[2 4]", "Corresponding y values:", "[0 0]",
        "First 2 elements of x:", "[1 2]", "First 2 elements of y:", "[1 0]",
    ]  # fmt: skip


def test_they_run_in_the_order_of_the_program(capfd: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def function(x: Any) -> Any:
        tf.print("before")
        if x > 0:
            check.assert_less(x, 5)
        tf.print("after")
        return x

    function(tf.constant(-1))
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        function(tf.constant(7))
    assert capfd.readouterr().err.split() == ["before", "after", "before"]
    assert caught.value.file == __file__


@pytest.mark.parametrize(
    ("function", "good", "bad"),
    [
        (lambda x: check.assert_rank(x, 2), [[1]], [1]),
        (lambda x: check.assert_rank_at_least(x, 1), [[1]], 1),
        (lambda x: check.assert_rank_in(x, (0, 2)), [[1]], [1]),
        (lambda x: check.assert_scalar(x), 1, [1]),
        (lambda x: check.assert_shapes([(x, ("N", "N"))]), [[1, 2], [3, 4]], [[1, 2]]),
        (lambda x: check.assert_shapes([(x, (2, None))]), [[1], [2]], [[1]]),
        (lambda x: check.assert_shapes([(x, (..., 3))]), [[1, 2, 3]], [[1, 2]]),
        (lambda x: check.assert_shapes([(x, (3, ...))]), [[1], [2], [3]], [[1]]),
        (lambda x: check.assert_shapes([(x, ("N",)), (x, ("M",)), (x, ("N",))]), [1, 2], [[1]]),
    ],
)
def test_shapes(function: Callable[[Any], Any], good: Any, bad: Any) -> None:
    def checked(x: Any) -> Any:
        function(x)
        return x

    for call in both(checked, good):
        call()
    for call in both(checked, bad):
        with pytest.raises(ValueError):
            call()


def test_types() -> None:
    check.assert_type(tf.constant(1), tf.int32)
    check.assert_integer([1, 2])
    assert check.assert_same_float_dtype([tf.constant(1.0), tf.constant(2.0)]) == tf.float32
    assert check.is_numeric_tensor(tf.constant(1)) and not check.is_numeric_tensor(tf.constant("a"))
    assert not check.is_numeric_tensor(1)
    check.assert_proper_iterable([1])
    with pytest.raises(TypeError, match="must be of type tf.float32; got tf.int32"):
        check.assert_type(tf.constant(1), tf.float32)
    with pytest.raises(TypeError, match="integer type"):
        check.assert_integer(1.0)
    with pytest.raises(ValueError, match="same type"):
        check.assert_same_float_dtype([tf.constant(1.0), tf.constant(2.0, tf.float64)])
    for wrong in (tf.constant([1]), 5, "text"):
        with pytest.raises(TypeError, match="iterable"):
            check.assert_proper_iterable(wrong)


def test_assert_and_check_numerics() -> None:
    check.Assert(tf.constant([True, True]), [1])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Summarized data: \n\[1 2 3 ... 3 4 5\]|\[1 2 3"):
        tf.function(lambda c: tf.Assert(c, [tf.constant([1, 2, 3, 4, 5])]))(tf.constant(False))
    x = tf.constant([1.0, 2.0])
    assert check.check_numerics(x, "here").numpy().tolist() == [1.0, 2.0]
    for call in both(lambda x: check.check_numerics(x, "here"), [1.0, np.nan, np.inf]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="here : Tensor had Inf and NaN values"):
            call()
    with pytest.raises(TypeError):
        check.check_numerics(tf.constant(1), "here")


def divide(x: Any, y: Any) -> Any:
    total = x
    for i in tf.range(3):
        total = total + x / (y - tf.cast(i, y.dtype))  # the line
    return tf.sqrt(total * total)


def line_of(text: str) -> int:
    with open(__file__, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if text in line and "line_of" not in line)


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_the_first_nan_is_found(wrap: Any) -> None:
    function = wrap(divide)
    x, y = tf.constant([1.0, 2.0]), tf.constant(2.0)
    assert not np.isfinite(function(x, y)).any()
    check.enable_check_numerics()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Detected Infinity or NaN") as caught:
        function(x, y)
    assert "in output 0: 0 NaN, 2 Inf, 0 -Inf among 2 elements" in str(caught.value)
    assert str(caught.value).startswith("divide: ")
    frames = []
    traceback = caught.tb
    while traceback is not None:
        frames.append(traceback.tb_lineno)
        traceback = traceback.tb_next
    assert line_of("# the line") in frames
    assert np.isfinite(function(x, tf.constant(7.0))).all()
    check.disable_check_numerics()
    assert not np.isfinite(function(x, y)).any()


def test_inputs_are_not_at_fault() -> None:
    check.enable_check_numerics()
    assert np.isinf(tf.function(lambda x: x + 1)(tf.constant(np.inf)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="log"):
        tf.function(lambda: tf.math.log(tf.constant(-1.0)))()  # the optimiser may not fold it


def test_gradients_are_checked() -> None:
    @tf.function
    def loss(x: Any) -> Any:
        return tf.reduce_sum(tf.sqrt(x))

    def gradient() -> Any:
        x = tf.constant([0.0, 1.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loss(x)
        return tape.gradient(y, x)

    assert np.isinf(gradient().numpy()[0])
    check.enable_check_numerics()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Detected Infinity"):
        gradient()


def test_tensorflows_errors() -> None:
    error = tf.errors.OutOfRangeError(None, None, "the end")
    assert error.message == str(error) == "the end" and error.error_code == tf.errors.OUT_OF_RANGE == 11
    with pytest.raises(tf.errors.OpError, match="gone") as caught:
        raise tf.errors.NotFoundError(None, "operation", "gone")
    assert caught.value.op == "operation" and caught.value.error_code == tf.errors.NOT_FOUND == 5
    codes = [value.error_code for value in vars(tf.errors).values() if isinstance(value, type)]
    assert set(range(1, 17)) <= set(codes)
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(lambda x: bool(x), autograph=False)(tf.constant(1))
    kept = []
    tf.function(kept.append, autograph=False)(tf.constant(1))
    with pytest.raises(tf.errors.InaccessibleTensorError):
        kept[0] + 1


def test_tracebacks_are_filtered_unless_told_otherwise() -> None:
    def files() -> set[str]:
        try:
            tf.function(lambda x: tf.reshape(x, [3]))(tf.ones(2))
        except ValueError as error:
            return {frame.filename for frame in traceback.extract_tb(error.__traceback__)}
        return set()

    assert tf.debugging.is_traceback_filtering_enabled() and files() == {__file__}
    tf.debugging.disable_traceback_filtering()
    try:
        assert not tf.debugging.is_traceback_filtering_enabled() and len(files()) > 1
    finally:
        tf.debugging.enable_traceback_filtering()
    assert files() == {__file__}
