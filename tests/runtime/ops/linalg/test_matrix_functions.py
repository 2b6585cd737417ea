"""Functions of matrices, eigenvalues and the triangular decomposition: what defines them, and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError

random = np.random.default_rng(0)


def taylor(x: Any) -> Any:
    """The exponential by its definition, for matrices of small norm."""
    total = term = np.broadcast_to(np.eye(x.shape[-1]), x.shape)
    for k in range(1, 40):
        term = term @ x / k
        total = total + term
    return total


@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 4), (1, 1), (0, 2, 2)])
@pytest.mark.parametrize("dtype, digits", [("float32", 1e-5), ("float64", 1e-12), ("complex128", 1e-12)])
def test_exponential(shape: Any, dtype: str, digits: float) -> None:
    x = random.standard_normal(shape).astype(dtype)
    for way in (tf.linalg.expm, tf.function(tf.linalg.expm)):
        y = way(tf.constant(x))
        assert y.dtype.name == dtype
        np.testing.assert_allclose(y, taylor(x), rtol=digits, atol=digits)


def test_exponential_of_large_matrices() -> None:
    turn = np.array([[0.0, -100.0], [100.0, 0.0]])
    expected = [[np.cos(100), -np.sin(100)], [np.sin(100), np.cos(100)]]
    np.testing.assert_allclose(tf.linalg.expm(turn), expected, atol=1e-11)
    np.testing.assert_allclose(tf.linalg.expm([[1, 0], [0, 2]]), np.diag(np.exp([1, 2])))
    assert np.isnan(tf.linalg.expm([[np.inf, 0.0], [0.0, 1.0]])).all()


@pytest.mark.parametrize("dtype, digits", [("float32", 1e-5), ("float64", 1e-11), ("complex128", 1e-11)])
def test_square_root(dtype: str, digits: float) -> None:
    x = random.standard_normal((2, 3, 3))
    x = (x @ np.swapaxes(x, -1, -2) + 0.3 * x + np.eye(3)).astype(dtype)
    if dtype == "complex128":
        x = x * np.exp(2j)
    root = np.asarray(tf.linalg.sqrtm(x))
    assert root.dtype == dtype
    np.testing.assert_allclose(root @ root, x, rtol=digits, atol=digits)
    assert (np.linalg.eigvals(root).real > 0).all()


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32"])
def test_eigenvalues_and_eigenvectors(dtype: str) -> None:
    x = (3 * random.standard_normal((2, 3, 3))).astype(dtype)
    values, vectors = tf.function(tf.linalg.eig)(tf.constant(x))
    wide = "complex64" if dtype in ("float32", "complex64") else "complex128"
    assert values.dtype.name == vectors.dtype.name == wide
    values, vectors = np.asarray(values), np.asarray(vectors)
    np.testing.assert_allclose(x @ vectors, vectors * values[:, None], atol=1e-4)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=-2), 1, rtol=1e-5)
    np.testing.assert_allclose(tf.linalg.eigvals(x), values)


def test_gradients_of_eigenvectors() -> None:
    """Of something that does not depend on their phases."""
    x = np.array([[0.0, 2.0, 1.0], [-1.0, 1.0, 0.5], [0.3, -2.0, 2.0]])
    weights = np.arange(9.0).reshape(3, 3)

    def total(x: Any) -> Any:
        values, vectors = tf.linalg.eig(x)
        order = tf.argsort(tf.math.imag(values))
        sizes = tf.abs(tf.gather(vectors, order, axis=1)) ** 2
        return tf.reduce_sum(sizes * weights) + tf.reduce_sum(tf.abs(values) ** 2)

    for way in (total, tf.function(total)):
        tensor = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(tensor)
            y = way(tensor)
        slopes = np.zeros((3, 3))
        for place in np.ndindex(3, 3):
            step = np.zeros((3, 3))
            step[place] = 1e-6
            slopes[place] = (float(total(x + step)) - float(total(x - step))) / 2e-6
        np.testing.assert_allclose(tape.gradient(y, tensor), slopes, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128", "int32"])
@pytest.mark.parametrize("shape", [(4, 4), (2, 3, 3, 3), (0, 2, 2)])
def test_triangular_decomposition(shape: Any, dtype: str) -> None:
    x = (9 * random.standard_normal(shape)).astype(dtype)
    for way in (tf.linalg.lu, tf.function(tf.linalg.lu)):
        lu, p = (np.asarray(part) for part in way(tf.constant(x)))
        assert lu.dtype == ("float64" if dtype == "int32" else dtype) and p.dtype == "int32" and p.shape == shape[:-1]
        lower, upper = np.tril(lu, -1) + np.eye(shape[-1]), np.triu(lu)
        np.testing.assert_allclose(lower @ upper, np.take_along_axis(x, p[..., None], -2), rtol=1e-4, atol=1e-4)
        assert (np.abs(lower) <= 1 + 1e-6).all()
    assert tf.linalg.lu(x, tf.int64).p.dtype == tf.int64


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize(
    "name, value, text",
    [
        ("expm", np.ones((2, 3)), "square"), ("expm", np.ones(3), "rank at least 2"),
        ("expm", np.ones((2, 2), np.float16), "float16"),
        ("sqrtm", -np.eye(2), "square root"), ("sqrtm", np.zeros((2, 2)), "square root"),
        ("lu", np.ones((2, 2)), "can't be inverted"), ("lu", np.ones((2, 3)), "square"),
        ("eig", np.full((2, 2), np.nan), "eigenvalues"), ("eigvals", np.ones((2, 3)), "square"),
    ],
)  # fmt: skip
def test_what_does_not_fit(name: str, value: Any, text: str, staged: bool) -> None:
    function = getattr(tf.linalg, name)
    with pytest.raises(InvalidArgumentError, match=text):
        (tf.function(function) if staged else function)(tf.constant(value))
