"""The array API standard on tensors: NumPy is their namespace, and its functions agree with NumPy on arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError

X = np.array([[1.0, 2, 3], [4, 5, 7]], np.float32)
M = np.array([[2.0, 1], [1, 3]])
I = np.array([2, 0, 2])  # noqa: E741

EXPRESSIONS = [
    "xp.astype(x, np.int32)", "xp.matrix_transpose(x)", "xp.linalg.matrix_transpose(x)", "xp.linalg.matmul(x, x.T)",
    "xp.linalg.outer(i, i)", "xp.linalg.cross(x, x[::-1])", "xp.linalg.cross(x.T, x.T[:, ::-1], axis=0)",
    "xp.linalg.diagonal(x)", "xp.linalg.diagonal(x, offset=1)", "xp.linalg.trace(m)", "xp.linalg.svdvals(m)",
    "xp.linalg.vector_norm(x)", "xp.linalg.vector_norm(x, axis=1, keepdims=True)",
    "xp.linalg.vector_norm(x, axis=(0, 1))",
    "xp.linalg.vector_norm(x, axis=0, ord=1)", "xp.diff(x)", "xp.diff(x, n=2)", "xp.diff(x, axis=0)",
    "xp.diff(i, n=0)", "xp.unique_values(i)", "xp.permute_dims(x, (1, 0))", "xp.concat([x, x])", "xp.pow(x, x)",
    "xp.positive(x)", "xp.vecdot(x, x)", "xp.linalg.vecdot(x, x[:1] * 1j)", "xp.vecdot(x, x, axis=0)",
    "xp.tensordot(x, x)", "xp.linalg.tensordot(x, x.T, axes=1)", "xp.linalg.eigvalsh(m)", "xp.linalg.matrix_norm(x)",
    "xp.linalg.matrix_norm(x, ord=1, keepdims=True)", "xp.linalg.matrix_power(m, 5)", "xp.linalg.matrix_power(m, 0)",
    "xp.linalg.matrix_power(m, -2)", "xp.broadcast_arrays(x, x[:, :1])[1]", "xp.broadcast_arrays(i, x)[0]",
    "xp.sum(x)", "x.mT", "x.conj()", "x.conjugate()", "x.T", "x.flatten()", "x.mean(axis=0)",
]  # fmt: skip
LATER = ["xp.cumulative_sum(x, axis=0)", "xp.cumulative_prod(i)", "xp.unstack(x)[1]", "xp.unstack(x, axis=1)[2]"]


def value(expression: str, x: Any, m: Any, i: Any) -> Any:
    return eval(expression, {"np": np, "xp": x.__array_namespace__(), "x": x, "m": m, "i": i})


@pytest.mark.parametrize("expression", [*EXPRESSIONS, *(LATER if hasattr(np, "cumulative_sum") else [])])
def test_functions_are_numpys(expression: str) -> None:
    expected = value(expression, X, M, I)
    tensors = [tf.constant(a) for a in (X, M, I)]
    for result in (value(expression, *tensors), tf.function(value, autograph=False)(expression, *tensors)):
        assert tf.is_tensor(result)
        assert result.dtype == expected.dtype and result.shape == expected.shape
        np.testing.assert_allclose(result, expected, rtol=1e-6)


def test_sizes_are_numbers() -> None:
    x = tf.constant(X)
    assert x.itemsize == 4 and int(x.nbytes) == X.nbytes


@pytest.mark.parametrize("expression", ["xp.diff(x, axis=2)", "xp.linalg.outer(x, x)", "xp.diff(x > 1)", "i.mT"])
def test_what_does_not_fit_is_refused(expression: str) -> None:
    tensors = [tf.constant(a) for a in (X, M, I)]
    for function in (value, tf.function(value, autograph=False)):
        with pytest.raises(InvalidArgumentError):
            function(expression, *tensors)
