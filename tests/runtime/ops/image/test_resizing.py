"""`tf.image.resize` and its like: TensorFlow's values, eagerly and in graphs, of known and of unknown shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError

from .support import FLOATS, check_values

# What TensorFlow 2.21 gave: (expression, dtype, shape, elements).
AS_TENSORFLOW: list[tuple[str, str, tuple[int, ...], list[float]]] = [
    ("image.resize(bytes, [3, 2])", "float32", (3, 2, 3),
     [32, 80, 223.25, 204.5, 70.25, 108.5, 57.625, 121.25, 140.5, 153.25, 87.875, 130.75, 83.25, 162.5, 57.75,
      102, 105.5, 153]),
    ("image.resize(floats, (1, 5), method='nearest')", "float32", (1, 5, 3),
     [0.1, 0.6, 0.3, 0.1, 0.6, 0.3, 1, 0.75, 0, 0.2, 0.3, 0.8, 0.2, 0.3, 0.8]),
    ("image.resize(bytes, [1, 2], method='nearest')", "uint8", (1, 2, 3), [26, 153, 77, 51, 77, 204]),
    ("image.resize(floats[..., :1], [4, 4], method='bicubic')", "float32", (4, 4, 1),
     [-0.033099, 0.246941, 0.677304, 0.988191, -0.009733, 0.375398, 0.700984, 0.76291, 0.036599, 0.630121,
      0.74794, 0.316194, 0.059965, 0.758579, 0.77162, 0.090913]),
    ("image.resize(floats[..., :1], [3, 4], method='area')", "float32", (3, 4, 1),
     [0, 0.333333, 0.633333, 0.9, 0.05, 0.516667, 0.683333, 0.55, 0.1, 0.7, 0.733333, 0.2]),
    ("image.resize(floats[..., :1], [3, 4], method='lanczos3')", "float32", (3, 4, 1),
     [-0.032053, 0.174378, 0.728633, 1.015775, -0.004253, 0.487435, 0.764751, 0.520018, 0.023547, 0.800491,
      0.800869, 0.024261]),
    ("image.resize(floats[..., :1], [3, 4], method='lanczos5', antialias=True)", "float32", (3, 4, 1),
     [-0.016306, 0.127949, 0.758023, 1.021726, -0.003251, 0.479465, 0.788259, 0.505479, 0.009804, 0.830981,
      0.818495, -0.010767]),
    ("image.resize(floats[..., :1], [1, 2], method='gaussian', antialias=True)", "float32", (1, 2, 1),
     [0.332679, 0.604654]),
    ("image.resize(floats[..., :1], [1, 2], method='mitchellcubic', antialias=True)", "float32", (1, 2, 1),
     [0.321458, 0.630583]),
    ("image.resize(floats[..., :1], [1, 2], method='bicubic', antialias=True)", "float32", (1, 2, 1),
     [0.30297, 0.648074]),
    ("image.resize(floats[..., :1], [1, 2], antialias=True)", "float32", (1, 2, 1), [0.3125, 0.625]),
    ("image.resize(floats[..., :1], [6, 4], preserve_aspect_ratio=True)", "float32", (3, 4, 1),
     [0, 0.3125, 0.65, 0.9, 0.05, 0.4875, 0.675, 0.55, 0.1, 0.6625, 0.7, 0.2]),
    ("image.resize_with_pad(floats[..., :1], 4, 3)", "float32", (4, 3, 1),
     [0, 0, 0, 0, 0.5, 0.9, 0.1, 1, 0.2, 0, 0, 0]),
    ("image.resize_with_pad(floats[..., :1], 2, 6, method='nearest')", "float32", (2, 6, 1),
     [0, 0, 0.5, 0.9, 0, 0, 0, 0.1, 1, 0.2, 0, 0]),
    ("image.extract_patches(floats[None, :, :, :1], [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], 'VALID')",
     "float32", (1, 1, 2, 4),
     [0, 0.5, 0.1, 1, 0.5, 0.9, 1, 0.2]),
    ("image.extract_patches(bytes[None, :, :, :1], [1, 2, 3, 1], [1, 1, 2, 1], [1, 1, 2, 1], 'SAME')",
     "uint8", (1, 2, 2, 6),
     [0, 0, 230, 0, 26, 51, 0, 230, 0, 26, 51, 0, 0, 26, 51, 0, 0, 0, 26, 51, 0, 0, 0, 0]),
]  # fmt: skip
METHODS = sorted(value for name, value in vars(tf.image.ResizeMethod).items() if name.isupper())


@pytest.mark.parametrize("expression, dtype, shape, elements", AS_TENSORFLOW, ids=[case[0] for case in AS_TENSORFLOW])
def test_values_are_tensorflows(expression: str, dtype: str, shape: tuple[int, ...], elements: list[float]) -> None:
    check_values(expression, dtype, shape, elements)


@pytest.mark.parametrize("antialias", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_sizes_that_only_a_run_knows_give_the_same(method: str, antialias: bool) -> None:
    images = np.random.default_rng(0).random((2, 12, 9, 2), np.float32)

    @tf.function(input_signature=[tf.TensorSpec([None] * 4), tf.TensorSpec([2], tf.int32)])
    def resized(images: Any, size: Any) -> Any:
        return tf.image.resize(images, size, method=method, antialias=antialias)

    for size in ([5, 4], [12, 9], [17, 30]):
        wanted = tf.image.resize(images, size, method=method, antialias=antialias)
        assert wanted.shape == [2, *size, 2] and wanted.dtype == tf.float32
        np.testing.assert_allclose(resized(images, size), wanted, rtol=1e-5, atol=1e-6)
        one_by_one = [tf.image.resize(image, size, method=method, antialias=antialias) for image in images]
        np.testing.assert_allclose(tf.stack(one_by_one), wanted, rtol=1e-6)
    flat = tf.image.resize(np.full((5, 6, 1), 7, np.uint8), (9, 2), method=method, antialias=antialias)
    np.testing.assert_allclose(flat, np.full((9, 2, 1), 7), rtol=1e-6)


def test_a_known_size_is_known_in_the_graph() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, None, None, 3], tf.uint8)])
    def resized(images: Any) -> Any:
        return tf.image.resize(images, (32, 16)), tf.image.resize_with_pad(images, 8, 9)

    first, second = resized.get_concrete_function().structured_outputs
    assert first.shape.as_list() == [None, 32, 16, 3] and second.shape.as_list() == [None, 8, 9, 3]


@pytest.mark.parametrize("method", METHODS)
def test_gradients_say_how_much_each_pixel_counts(method: str) -> None:
    image = tf.constant(FLOATS)
    with tf.GradientTape() as tape:
        tape.watch(image)
        total = tf.reduce_sum(tf.image.resize(image, (4, 5), method=method))
    gradient = tape.gradient(total, image)
    np.testing.assert_allclose(tf.reduce_sum(gradient), 4 * 5 * 3, rtol=1e-5)
    np.testing.assert_allclose(tf.reduce_sum(gradient * image), total, rtol=1e-5)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda image: tf.image.resize(image[0], (2, 2)), "rank 3 or 4"),
        (lambda image: tf.image.resize(image, (2, 2, 2)), "a height and a width, not 3"),
        (lambda image: tf.image.resize(image, 2), "a height and a width, not of shape"),
        (lambda image: tf.image.resize(image, (0, 2)), "new height and width above 0"),
        (lambda image: tf.image.resize(image[:0], (2, 2)), "height and width above 0"),
        (lambda image: tf.image.resize(image, (2, 2), method="cubic"), "method is one of"),
        (lambda image: tf.image.resize_with_pad(image, 2, 0), "target_width must be above 0"),
        (lambda image: tf.image.extract_patches(image, [1, 2, 2, 1], [1] * 4, [1] * 4, "SAME"), "must have rank 4"),
        (lambda image: tf.image.extract_patches(image[None], [1, 9, 2, 1], [1] * 4, [1] * 4, "VALID"), "hold a window"),
        (lambda image: tf.image.extract_patches(image[None], [2, 2], [1] * 4, [1] * 4, "VALID"), "sizes is"),
        (lambda image: tf.image.extract_patches(image[None], [1] * 4, [1] * 4, [1] * 4, "FULL"), "VALID or SAME"),
    ],
)
def test_what_does_not_fit_is_refused(call: Any, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        call(tf.constant(FLOATS))
    with pytest.raises(InvalidArgumentError, match=message):
        tf.function(call)(tf.constant(FLOATS))
