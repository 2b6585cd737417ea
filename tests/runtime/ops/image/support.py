"""Two small images, and the check of what a function of `tf.image` makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph as tf

FLOATS = np.float32(
    [[[0, 0.25, 1], [0.5, 0.5, 0.5], [0.9, 0.2, 0.4]], [[0.1, 0.6, 0.3], [1, 0.75, 0], [0.2, 0.3, 0.8]]]
)
BYTES = np.uint8(
    [[[0, 64, 255], [128, 128, 128], [230, 51, 102]], [[26, 153, 77], [255, 191, 0], [51, 77, 204]]]
)  # fmt: skip


def check_values(expression: str, dtype: str, shape: tuple[int, ...], elements: list[float]) -> None:
    """Checks what an expression of the images gives, eagerly and in graphs, of known and of unknown shapes."""

    def compute(floats: Any, bytes: Any) -> Any:
        return eval(expression, {"image": tf.image, "tf": tf, "floats": floats, "bytes": bytes})

    unknown = [tf.TensorSpec([None] * 3, tf.float32), tf.TensorSpec([None] * 3, tf.uint8)]
    ways = compute, tf.function(compute), tf.function(compute, input_signature=unknown)
    for way in ways:
        found = way(tf.constant(FLOATS), tf.constant(BYTES))
        assert found.dtype.name == dtype and tuple(found.shape) == shape
        np.testing.assert_allclose(found.numpy().reshape(-1), elements, rtol=1e-5, atol=2e-5)
