"""NumPy's functions and ufuncs on tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import StagedValueError

from ..graphs import INT, graph_of, run

ARRAY = np.array([[1.0, 4.0], [9.0, 16.0]])

MAPPED: list[Callable[[Any], Any]] = [
    lambda x: np.add(x, 1), lambda x: np.sqrt(x), lambda x: np.maximum(x, 5),
    lambda x: np.negative(x), lambda x: np.tanh(x),
    lambda x: np.less(x, 5), lambda x: np.matmul(x, x),
    lambda x: ARRAY + x, lambda x: ARRAY @ x, lambda x: np.float64(2) * x,
    lambda x: np.divmod(x, 3.0)[0],
]  # fmt: skip


@pytest.mark.parametrize("function", MAPPED)
def test_ufuncs_become_ops(function: Callable[[Any], Any]) -> None:
    expected = function(ARRAY)
    eager = function(tf.constant(ARRAY))
    assert isinstance(eager, tf.Tensor)
    np.testing.assert_allclose(eager.numpy(), expected)
    traced = tf.function(function, autograph=False)
    np.testing.assert_allclose(traced(tf.constant(ARRAY)).numpy(), expected)


UNMAPPED: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: np.fft.fft(x), "np.fft.fft"), (lambda x: np.linalg.cond(x), "np.linalg.cond"),
    (lambda x: np.add.at(np.zeros(2), [0], x), "np.add.at"), (lambda x: np.frexp(x), "np.frexp"),
    (lambda x: np.save("never", x), "np.save"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "name"), UNMAPPED)
def test_unmapped_functions_are_refused_by_name(function: Callable[[Any], Any], name: str) -> None:
    with tf.Graph().as_default():
        x = tf.constant(ARRAY) + 0
        with pytest.raises(StagedValueError) as caught:
            function(x)
    assert name in str(caught.value) and "numpy_function" in str(caught.value) and caught.value.file == __file__


def test_unmapped_functions_work_on_values() -> None:
    x = tf.constant(ARRAY)
    np.testing.assert_array_equal(np.fft.fft(x), np.fft.fft(ARRAY))
    np.testing.assert_array_equal(np.linalg.cond(x), np.linalg.cond(ARRAY))


def test_out_is_refused() -> None:
    target = np.zeros((2, 2))
    with pytest.raises(StagedValueError, match="out="):
        np.add(tf.constant(ARRAY), 1, out=target)
    with tf.Graph().as_default():
        x = tf.constant(ARRAY) + 0
        with pytest.raises(StagedValueError, match="out="):
            target += x
        with pytest.raises(StagedValueError):
            np.full_like(target, x[0, 0])
        with pytest.raises(StagedValueError):
            np.copyto(target, x)
    assert not target.any()


def test_arrays_meet_graph_tensors_on_either_side() -> None:
    graph = graph_of(lambda x: [np.array([1, 2]) + x, x - np.array([1, 2]), np.array([1, 2]) < x], INT)
    assert run(graph, 2) == [[3, 4], [1, 0], [True, False]]
