"""Functions that are a few ops: TensorFlow's values, eagerly and in a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf

ONE_TO_THREE = np.arange(1, 4)
# (function, tensors, the rest of the arguments, TensorFlow's result)
CASES: list[tuple[str, list[Any], dict[str, Any], Any]] = [
    ("truediv", [7, 2], {}, np.float64(3.5)),
    ("realdiv", [7.0, 2.0], {}, 3.5),
    ("scalar_mul", [2.0, [1.0, 2.0]], {}, [2, 4]),
    ("clip_by_norm", [[3.0, 4.0]], {"clip_norm": 1.0}, [0.6, 0.8]),
    ("clip_by_norm", [[[3.0, 4.0], [0.0, 0.0]]], {"clip_norm": 1.0, "axes": 1}, [[0.6, 0.8], [0, 0]]),
    ("linalg.logdet", [[[2.0, 0.0], [0.0, 3.0]]], {}, 1.7917595),
    ("linalg.tensor_diag", [[1, 2]], {}, [[1, 0], [0, 2]]),
    ("linalg.tensor_diag_part", [np.arange(16).reshape(2, 2, 2, 2)], {}, [[0, 5], [10, 15]]),
    ("linalg.normalize", [[3.0, 4.0]], {}, ([0.6, 0.8], [5])),
    ("math.reciprocal_no_nan", [[0.0, 2.0]], {}, [0, 0.5]),
    ("math.is_strictly_increasing", [[1, 2, 2]], {}, False),
    ("math.is_non_decreasing", [[1, 2, 2]], {}, True),
    ("math.is_non_decreasing", [[[1, 2], [1, 2]]], {}, False),
    ("math.is_non_decreasing", [[1]], {}, True),
    ("math.lbeta", [[1.0, 2.0, 3.0]], {}, -4.0943446),
    ("unravel_index", [[5, 7], [3, 4]], {}, [[1, 1], [1, 3]]),
    ("unravel_index", [5, [3, 4]], {}, [1, 1]),
    ("dynamic_partition", [ONE_TO_THREE, [0, 1, 0]], {"num_partitions": 3}, ([1, 3], [2], [])),
    ("nn.crelu", [[1.0, -2.0]], {}, [1, 0, 0, 2]),
    ("nn.embedding_lookup", [[[3.0, 4.0], [1.0, 0.0]], [0, 1, 0]], {}, [[3, 4], [1, 0], [3, 4]]),
    ("nn.embedding_lookup", [[[3.0, 4.0], [1.0, 0.0]], [0]], {"max_norm": 1.0}, [[0.6, 0.8]]),
    ("nn.weighted_cross_entropy_with_logits", [[1.0, 0.0], [2.0, -3.0], 3.0], {}, [0.380784, 0.04858735]),
]


@pytest.mark.parametrize("name, tensors, options, expected", CASES, ids=lambda x: x if isinstance(x, str) else "")
def test_values_are_tensorflows(name: str, tensors: list[Any], options: dict[str, Any], expected: Any) -> None:
    function: Any = tf
    for part in name.split("."):
        function = getattr(function, part)

    def call(*arguments: Any) -> Any:
        return function(*arguments, **options)

    arguments = [tf.constant(each) for each in tensors]
    expected = expected if isinstance(expected, tuple) else (expected,)
    for result in (call(*arguments), tf.function(call)(*arguments)):
        results = result if isinstance(result, (tuple, list)) else [result]
        for value, wanted in zip(results, expected, strict=True):
            np.testing.assert_allclose(value.numpy(), wanted, rtol=1e-5)


def test_sums_and_polynomials() -> None:
    assert tf.math.accumulate_n([1, 2]).numpy() == 3
    assert tf.math.polyval([1.0, 2.0, 3.0], 2.0).numpy() == 11 and tf.math.polyval([], 2.0).numpy() == 0


def test_clipping_by_the_norm_of_all() -> None:
    parts, length = tf.clip_by_global_norm([tf.constant([3.0]), None, tf.constant([4.0])], 1.0)
    assert parts[1] is None and length.numpy() == 5
    np.testing.assert_allclose([parts[0].numpy()[0], parts[2].numpy()[0]], [0.6, 0.8], rtol=1e-6)
    parts, length = tf.clip_by_global_norm([tf.constant([np.inf]), tf.constant([4.0])], 1.0)
    assert np.isinf(length.numpy()) and np.isnan(parts[0].numpy()[0]) and np.isnan(parts[1].numpy()[0])
    slices = tf.IndexedSlices(tf.constant([[3.0, 4.0]]), tf.constant([1]), tf.constant([2, 2]))
    (clipped,), length = tf.clip_by_global_norm([slices], 1.0)
    np.testing.assert_allclose(clipped.values.numpy(), [[0.6, 0.8]], rtol=1e-6)


def test_the_gradient_at_a_norm_of_zero_is_a_number() -> None:
    x = tf.constant([0.0, 0.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.clip_by_norm(x, 1.0)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), [1, 1])


def test_what_a_tensor_is() -> None:
    assert tf.is_tensor(tf.constant(1)) and tf.is_tensor(tf.Variable(1.0))
    assert not tf.is_tensor(1) and not tf.is_tensor(np.zeros(1))
    assert [each.numpy() for each in tf.identity_n([1, 2.5])] == [1, 2.5]
