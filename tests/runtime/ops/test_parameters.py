"""Parameters of public functions that TensorFlow's have: values are those that TensorFlow 2.21 returned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError

from ..values import check_value, evaluate, numbers

VALUES: list[tuple[str, Any]] = [
    ("tf.linalg.diag([[0, 8, 9], [1, 2, 3], [4, 5, 0]], k=(-1, 1))", [[1, 8, 0], [4, 2, 9], [0, 5, 3]]),
    ("tf.linalg.diag([[8, 9, 0], [1, 2, 3], [0, 4, 5]], k=(-1, 1), align='LEFT_RIGHT')",
     [[1, 8, 0], [4, 2, 9], [0, 5, 3]]),
    ("tf.linalg.diag([1, 2], num_rows=3, padding_value=9)", [[1, 9], [9, 2], [9, 9]]),
    ("tf.linalg.diag([1, 2], k=1, num_cols=3)", [[0, 1, 0], [0, 0, 2]]),
    ("tf.linalg.diag([1, 2], k=-1)", [[0, 0, 0], [1, 0, 0], [0, 2, 0]]),
    ("tf.linalg.diag_part(numbers(3, 4), k=(-1, 1))", [[1, 6, 11], [0, 5, 10], [4, 9, 0]]),
    ("tf.linalg.diag_part(numbers(3, 4), k=(1, 2), padding_value=-1)", [[-1, 2, 7], [1, 6, 11]]),
    ("tf.linalg.set_diag(np.zeros((3, 4), np.int32), [[1, 2, 3], [4, 5, 6], [7, 8, 9]], k=(-1, 1))",
     [[4, 1, 0, 0], [7, 5, 2, 0], [0, 8, 6, 3]]),
    ("tf.math.bincount([[1, 2], [2, 2]], axis=-1)", [[0, 1, 1], [0, 0, 2]]),
    ("tf.math.bincount([[1, 2], [2, 2]], axis=0)", [0, 1, 3]),
    ("tf.math.bincount([[1, 2], [2, 2]], axis=-1, binary_output=True)", [[0, 1, 1], [0, 0, 1]]),
    ("tf.math.bincount([[1, 2], [2, 5]], axis=-1, maxlength=3)", [[0, 1, 1], [0, 0, 1]]),
    ("tf.math.bincount([[1, 2], [2, 2]], weights=[[1.0, 2], [3, 4]], axis=-1)", [[0, 1, 2], [0, 0, 7]]),
    ("tf.math.bincount([1, 2, 2], minlength=5, maxlength=2)", [0, 1]),
    ("tf.math.confusion_matrix([0, 2], [1, 1])", [[0, 1, 0], [0, 0, 0], [0, 1, 0]]),
    ("tf.nn.bias_add(np.zeros((1, 2, 3), np.float32), [1.0, 2.0], data_format='NC..')", [[[1, 1, 1], [2, 2, 2]]]),
    ("tf.matmul(np.int8([[1, 2]]), np.int8([[30], [60]]), output_type=tf.int32)", [[150]]),
    ("tf.linalg.pinv([[1.0, 0], [0, 1e-9]], rcond=1e-12)", [[1, 0], [0, 1e9]]),
    ("tf.linalg.pinv([[1.0, 0], [0, 1e-9]])", [[1, 0], [0, 0]]),
    ("tf.strings.regex_replace('ab', '(a)(b)', r'\\2\\1')", b"ba"),
]  # fmt: skip


@pytest.mark.parametrize("expression, value", VALUES, ids=[expression for expression, _ in VALUES])
def test_values_are_tensorflows(expression: str, value: Any) -> None:
    check_value(expression, value, rtol=1e-6)


@pytest.mark.parametrize(
    "expression",
    [
        "tf.linalg.diag([[1, 2, 3], [4, 5, 6]], k=(-1, 1))", "tf.linalg.diag([1, 2], num_rows=1)",
        "tf.linalg.diag([1, 2], num_rows=3, num_cols=4)", "tf.linalg.diag_part(np.eye(3), k=(1, 4))",
        "tf.linalg.diag_part(np.eye(3), k=(1, 0))", "tf.linalg.diag_part(np.eye(3), k=(0, 1), align='UP_DOWN')",
        "tf.linalg.set_diag(np.eye(3), np.ones((2, 3)), k=(-1, 1))", "tf.linalg.set_diag(np.eye(2), np.ones(3))",
        "tf.math.bincount([1], axis=1)", "tf.math.bincount([[1, -2]], axis=-1)",
        "tf.math.bincount([1], weights=[1.0], binary_output=True)", "tf.nn.bias_add([1.0], [1.0])",
        "tf.nn.bias_add([[1.0]], [1.0, 2])", "tf.nn.bias_add([[1.0]], [1.0], data_format='C')",
        "tf.one_hot([0], -1)", "tf.one_hot([0], 1.5)", "tf.eye(-2)", "tf.eye(2.5)", "tf.expand_dims([1], 1.5)",
        "tf.expand_dims([1], 'a')", "tf.dynamic_partition([1, 2], [0, 5], 2)", "tf.pad([1, 2], [1, 1])",
        "tf.pad([1, 2], [[1, 1, 1]])", "tf.pad([1, 2], [[-1, 1]])", "tf.size([1], out_type='string')",
        "tf.shape([1], out_type='float32')", "tf.strings.regex_replace('a', '(a)', r'\\2')",
        "tf.strings.regex_replace('a', '(a)', r'\\q')", "tf.linalg.matrix_transpose([1, 2])",
        "tf.linalg.adjoint([1.0, 2])", "tf.matmul([1.0, 2], [[1.0], [2]], transpose_a=True)",
        "tf.matmul([['a']], [['b']])",
        "np.swapaxes(tf.constant([1, 2]), 0, 3)", "tf.linalg.cross([True] * 3, [False] * 3)",
        "tf.random.categorical([1.0, 2.0], 2)", "tf.random.uniform((-1,))",
        "tf.tensor_scatter_nd_sub([True, False], [[0]], [True])", "tf.argsort(1)", "tf.unique([[1, 2]])",
        "tf.strings.reduce_join([1, 2])", "tf.reduce_sum(['a'])", "tf.reduce_max([1j])",
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(expression: str) -> None:
    def compute() -> Any:
        return evaluate(expression)

    for function in (compute, tf.function(compute, autograph=False)):
        with pytest.raises(InvalidArgumentError):
            function()


def test_bands_of_diagonals_have_gradients() -> None:
    x = tf.constant(numbers(3, 4).astype(np.float32))
    with tf.GradientTape() as tape:
        tape.watch(x)
        band = tf.linalg.diag_part(x, k=(-1, 1), padding_value=5.0)
        y = tf.reduce_sum(tf.linalg.set_diag(x * x, band, k=(-1, 1)))
    expected = np.where(np.triu(np.tril(np.ones((3, 4)), 1), -1), 1, 2 * x.numpy())
    np.testing.assert_array_equal(tape.gradient(y, x), expected)
