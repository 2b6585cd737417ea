"""TensorArray, eager and in graphs: what TensorFlow's gives, and its gradients."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import FailedPreconditionError, InvalidArgumentError, OutOfRangeError

from ..gradient.gradient_ways import check, difference, ways


def in_both_modes(function: Any, *arguments: Any) -> list[Any]:
    """What a function gives eagerly and as a graph."""
    return [function(*arguments), tf.function(function)(*arguments)]


def test_elements_are_stacked_in_order() -> None:
    def squares(n: Any) -> Any:
        array = tf.TensorArray(tf.int32, size=n)
        for i in tf.range(n):
            array = array.write(i, i * i)
        return array.stack(), array.size()

    for stacked, size in in_both_modes(squares, tf.constant(4)):
        np.testing.assert_array_equal(stacked, [0, 1, 4, 9])
        assert int(size) == 4


def test_a_dynamic_array_grows_in_a_staged_condition() -> None:
    def even(n: Any) -> Any:
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        i = 0
        while i < n:
            if i % 2 == 0:
                array = array.write(array.size(), tf.cast(i, tf.float32) * tf.ones([2]))
            i += 1
        return array.stack(), array.gather([2, 0]), array.read(1), array.concat()

    for stacked, some, second, joined in in_both_modes(even, tf.constant(5)):
        np.testing.assert_array_equal(stacked, [[0, 0], [2, 2], [4, 4]])
        np.testing.assert_array_equal(some, [[4, 4], [0, 0]])
        np.testing.assert_array_equal(second, [2, 2])
        np.testing.assert_array_equal(joined, [0, 0, 2, 2, 4, 4])


def test_what_was_not_written_is_zero() -> None:
    array = tf.TensorArray(tf.float32, size=3).write(1, [1.0, 2.0])
    np.testing.assert_array_equal(array.stack(), [[0, 0], [1, 2], [0, 0]])
    np.testing.assert_array_equal(array.read(0), [0, 0])
    assert tf.TensorArray(tf.string, size=1, element_shape=()).read(0).numpy() == b""
    with pytest.raises(InvalidArgumentError, match="never written"):
        tf.TensorArray(tf.float32, size=1).stack()


def test_writing_leaves_the_old_array_alone() -> None:
    empty = tf.TensorArray(tf.int32, size=2)
    first, second = empty.write(0, 1), empty.write(0, 2)
    assert (int(first.read(0)), int(second.read(0))) == (1, 2)


def test_unstack_scatter_split_concat() -> None:
    array = tf.TensorArray(tf.int32, size=3).unstack([1, 2, 3])
    np.testing.assert_array_equal(array.stack(), [1, 2, 3])
    assert array.stack().shape == (3,)
    scattered = tf.TensorArray(tf.int32, size=4).scatter([1, 3], [7, 8])
    np.testing.assert_array_equal(scattered.stack(), [0, 7, 0, 8])
    pieces = tf.TensorArray(tf.float32, size=2, infer_shape=False).split([1.0, 2.0, 3.0], [1, 2])
    np.testing.assert_array_equal(pieces.read(1), [2, 3])
    np.testing.assert_array_equal(pieces.concat(), [1, 2, 3])


@pytest.mark.parametrize("index", [2, -1])
def test_an_index_outside_is_refused(index: int) -> None:
    def write(i: Any) -> Any:
        return tf.TensorArray(tf.float32, size=2).write(i, 1.0).stack()

    for run in (write, tf.function(write)):
        with pytest.raises(OutOfRangeError, match="TensorArray|array size"):
            run(tf.constant(index))


def test_elements_of_another_type_are_refused() -> None:
    array = tf.TensorArray(tf.float32, size=2).write(0, [1.0, 2.0])
    with pytest.raises(InvalidArgumentError, match=r"Incompatible shape for value \(\(1,\)\), expected \(\(2,\)\)"):
        array.write(1, [1.0])
    with pytest.raises(InvalidArgumentError, match="dtype is float32 but Op is trying to write dtype int32"):
        array.write(1, tf.constant([1, 2]))
    with pytest.raises(ValueError, match="Size must be declared"):
        tf.TensorArray(tf.float32)


def test_gradients_go_through_arrays() -> None:
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            array = tf.TensorArray(tf.float32, size=3)
            total = 0.0
            for i in tf.range(3):
                total += x[i] * x[i]
                array = array.write(i, total)
            y = tf.reduce_sum(array.stack())
        return tape.gradient(y, x)

    for gradient in in_both_modes(slope, tf.constant([1.0, 2.0, 3.0])):
        np.testing.assert_allclose(gradient, [6, 8, 6])


@pytest.mark.parametrize("dynamic", [False, True])
def test_gradients_of_reads_and_gathers(dynamic: bool) -> None:
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            array = tf.TensorArray(tf.float32, size=0 if dynamic else 3, dynamic_size=dynamic)
            array = array.write(0, x[0]).write(1, x[1] * x[1]).write(2, x[2])
            y = array.read(1) * array.read(1) * 3.0 + array.read(2) + tf.reduce_sum(array.gather([0, 1]))
        return tape.gradient(y, x)

    for gradient in in_both_modes(slope, tf.constant([1.0, 2.0, 3.0])):
        np.testing.assert_allclose(gradient, [1, 100, 1])


def recurrence(x: Any) -> Any:
    """Reads what earlier turns wrote, and writes some elements twice."""
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[])
    array = array.write(0, x).write(1, x * x)
    for i in tf.range(2, 6):
        array = array.write(i, array.read(i - 1) * x + array.read(i - 2))
        if i % 2 == 0:
            array = array.write(i, tf.sin(array.read(i)))
    return tf.reduce_sum(array.stack()) + array.read(5)


def grown_in_a_branch(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[]).write(0, x)
    before = tf.reduce_sum(array.stack())
    if x > 0:
        array = array.write(3, x * x)
    return before * 2.0 + tf.reduce_sum(array.stack() * 3.0) * array.read(0)


@pytest.mark.parametrize("function", [recurrence, grown_in_a_branch])
@ways
def test_gradients_of_arrays_that_grow(way: Any, function: Any) -> None:
    def slope(x: float) -> Any:
        with tf.GradientTape() as tape:
            x = tf.constant(x, tf.float32)
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x).numpy()

    found = way(tf.function(function), np.float32(0.7))
    check(found[0], function(tf.constant(0.7)))
    check(found[1], slope(0.7))
    np.testing.assert_allclose(found[2], 2 * slope(0.7) * difference(slope, 0.7, 1e-3), rtol=1e-2)


@pytest.mark.parametrize("dynamic", [False, True])
def test_gradients_of_arrays_take_work_and_memory_in_proportion(dynamic: bool) -> None:
    @tf.function(input_signature=[tf.TensorSpec((None,), tf.float32)])
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            count = tf.shape(x)[0]
            given = tf.TensorArray(tf.float32, size=count).unstack(x)
            array = tf.TensorArray(tf.float32, size=0 if dynamic else count, dynamic_size=dynamic, element_shape=[])
            array = array.write(0, x[0])
            for i in tf.range(1, count):
                array = array.write(i, array.read(i - 1) + given.read(i))
            y = tf.reduce_sum(array.stack())
        return tape.gradient(y, x)

    peaks = []
    for n in (250, 1000):
        x = tf.ones(n)
        np.testing.assert_allclose(slope(x), np.arange(n, 0, -1))
        tracemalloc.start()
        slope(x)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 6 * peaks[0]  # 16 times as much if each turn kept the array as it was


def dropped_write(n: Any) -> Any:
    array = tf.TensorArray(tf.int32, size=n, element_shape=())
    for i in tf.range(n):
        array.write(i, i * i)
    return array.stack()


def dropped_by_a_caller(n: Any) -> Any:
    def written(array: Any) -> Any:
        return array.write(0, n)

    array = tf.TensorArray(tf.int32, size=n)
    written(array)
    return array.write(1, n)


def dropped_unstack(n: Any) -> Any:
    array = tf.TensorArray(tf.int32, size=n)
    array.unstack([1, 2, 3])
    return array.read(0)


def dropped_beside_one_that_is_kept(n: Any) -> Any:
    array = tf.TensorArray(tf.int32, size=n)
    for i in tf.range(n):
        if i % 2 == 0:
            array = array.write(i, i)
        array.write(i, i * i)
    return array.stack()


DROPPED = [dropped_write, dropped_by_a_caller, dropped_unstack, dropped_beside_one_that_is_kept]


@pytest.mark.parametrize("function", DROPPED)
@pytest.mark.parametrize("staged", [False, True])
def test_an_array_whose_change_was_dropped_is_not_used_as_if_it_were_changed(function: Any, staged: bool) -> None:
    with pytest.raises(FailedPreconditionError, match="a change of it that was dropped"):
        (tf.function(function) if staged else function)(tf.constant(3))


def test_versions_of_an_array_that_are_kept_or_used_leave_the_array_usable() -> None:
    def versions(n: Any) -> Any:
        array = tf.TensorArray(tf.int32, size=3, element_shape=())
        first, second = array.write(0, n), array.write(1, n)
        array.write(2, n).stack()
        array.size()
        if n > 100:
            array = array.write(0, n)
            raise ValueError("too large")
        return array.stack() + first.stack() + second.stack()

    for result in in_both_modes(versions, tf.constant(3)):
        np.testing.assert_array_equal(result, [3, 3, 0])


def test_an_array_that_a_failed_trace_leaves_goes_quietly_when_the_interpreter_ends() -> None:
    program = """
import autograph as tf
kept = []
@tf.function
def f(n):
    array = tf.TensorArray(tf.int32, 0, dynamic_size=True).write(0, n)
    kept.append(array)
    array = array.write(1, n)
    raise ValueError("a mistake")
f(tf.constant(3))
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert found.stderr.splitlines()[-1] == "ValueError: a mistake"
    assert "ignored" not in found.stderr
