"""`tf.image`: TensorFlow's values, eagerly and in graphs, of known and of unknown shapes; what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError

from .support import BYTES, FLOATS, check_values

# What TensorFlow 2.21 gave: (expression, dtype, shape, elements).
AS_TENSORFLOW: list[tuple[str, str, tuple[int, ...], list[float]]] = [
    ("image.flip_left_right(bytes)", "uint8", (2, 3, 3),
     [230, 51, 102, 128, 128, 128, 0, 64, 255, 51, 77, 204, 255, 191, 0, 26, 153, 77]),
    ("image.flip_up_down(bytes)", "uint8", (2, 3, 3),
     [26, 153, 77, 255, 191, 0, 51, 77, 204, 0, 64, 255, 128, 128, 128, 230, 51, 102]),
    ("image.transpose(bytes)", "uint8", (3, 2, 3),
     [0, 64, 255, 26, 153, 77, 128, 128, 128, 255, 191, 0, 230, 51, 102, 51, 77, 204]),
    ("image.rot90(bytes)", "uint8", (3, 2, 3),
     [230, 51, 102, 51, 77, 204, 128, 128, 128, 255, 191, 0, 0, 64, 255, 26, 153, 77]),
    ("image.rot90(bytes, 2)", "uint8", (2, 3, 3),
     [51, 77, 204, 255, 191, 0, 26, 153, 77, 230, 51, 102, 128, 128, 128, 0, 64, 255]),
    ("image.rot90(bytes, -1)", "uint8", (3, 2, 3),
     [26, 153, 77, 0, 64, 255, 255, 191, 0, 128, 128, 128, 51, 77, 204, 230, 51, 102]),
    ("image.rot90(bytes, tf.cast(bytes[0, 0, 1], tf.int32) + 1)", "uint8", (3, 2, 3),
     [230, 51, 102, 51, 77, 204, 128, 128, 128, 255, 191, 0, 0, 64, 255, 26, 153, 77]),
    ("image.central_crop(bytes, 0.4)", "uint8", (2, 3, 3),
     [0, 64, 255, 128, 128, 128, 230, 51, 102, 26, 153, 77, 255, 191, 0, 51, 77, 204]),
    ("image.crop_to_bounding_box(bytes, 1, 0, 1, 2)", "uint8", (1, 2, 3), [26, 153, 77, 255, 191, 0]),
    ("image.pad_to_bounding_box(bytes, 0, 1, 2, 4)", "uint8", (2, 4, 3),
     [0, 0, 0, 0, 64, 255, 128, 128, 128, 230, 51, 102, 0, 0, 0, 26, 153, 77, 255, 191, 0, 51, 77, 204]),
    ("image.resize_with_crop_or_pad(bytes, 3, 2)", "uint8", (3, 2, 3),
     [0, 64, 255, 128, 128, 128, 26, 153, 77, 255, 191, 0, 0, 0, 0, 0, 0, 0]),
    ("image.convert_image_dtype(bytes, tf.float32)", "float32", (2, 3, 3),
     [0, 0.25098, 1, 0.501961, 0.501961, 0.501961, 0.901961, 0.2, 0.4, 0.101961, 0.6, 0.301961, 1, 0.74902, 0,
      0.2, 0.301961, 0.8]),
    ("image.convert_image_dtype(bytes, tf.int16)", "int16", (2, 3, 3),
     [0, 8192, 32640, 16384, 16384, 16384, 29440, 6528, 13056, 3328, 19584, 9856, 32640, 24448, 0, 6528, 9856,
      26112]),
    ("image.convert_image_dtype(floats * 2, tf.uint8, saturate=True)", "uint8", (2, 3, 3),
     [0, 127, 255, 255, 255, 255, 255, 102, 204, 51, 255, 153, 255, 255, 0, 102, 153, 255]),
    ("image.convert_image_dtype(floats * 2, tf.int32, saturate=True)", "int32", (2, 3, 3),
     [0, 1073741824, 2147483520, 2147483520, 2147483520, 2147483520, 2147483520, 858993472, 1717986944, 429496736,
      2147483520, 1288490240, 2147483520, 2147483520, 0, 858993472, 1288490240, 2147483520]),
    ("image.convert_image_dtype(floats, tf.int8)", "int8", (2, 3, 3),
     [0, 31, 127, 63, 63, 63, 114, 25, 51, 12, 76, 38, 127, 95, 0, 25, 38, 102]),
    ("image.adjust_brightness(bytes, 0.3)", "uint8", (2, 3, 3),
     [76, 140, 255, 204, 204, 204, 255, 127, 178, 102, 229, 153, 255, 255, 76, 127, 153, 255]),
    ("image.adjust_contrast(bytes, 1.5)", "uint8", (2, 3, 3),
     [0, 40, 255, 134, 136, 128, 255, 21, 89, 0, 174, 51, 255, 231, 0, 19, 60, 242]),
    ("image.adjust_contrast(floats, 0.5)", "float32", (2, 3, 3),
     [0.225, 0.341667, 0.75, 0.475, 0.466667, 0.5, 0.675, 0.316667, 0.45, 0.275, 0.516667, 0.4, 0.725, 0.591667,
      0.25, 0.325, 0.366667, 0.65]),
    ("image.adjust_gamma(bytes, 2.0, 1.1)", "uint8", (2, 3, 3),
     [0, 17, 255, 70, 70, 70, 228, 11, 44, 2, 101, 25, 255, 157, 0, 11, 25, 179]),
    ("image.adjust_hue(bytes, 0.3)", "uint8", (2, 3, 3),
     [255, 0, 115, 128, 128, 128, 138, 230, 51, 51, 26, 153, 0, 255, 140, 204, 51, 107]),
    ("image.adjust_hue(floats, -0.2)", "float32", (2, 3, 3),
     [0, 1, 0.55, 0.5, 0.5, 0.5, 0.56, 0.2, 0.9, 0.5, 0.6, 0.1, 1, 0, 0.45, 0.2, 0.8, 0.58]),
    ("image.adjust_saturation(bytes, 2.0)", "uint8", (2, 3, 3),
     [0, 64, 255, 128, 128, 128, 230, 0, 65, 0, 153, 61, 255, 191, 0, 0, 34, 204]),
    ("image.adjust_saturation(floats, 0.5)", "float32", (2, 3, 3),
     [0.5, 0.625, 1, 0.5, 0.5, 0.5, 0.9, 0.55, 0.65, 0.35, 0.6, 0.45, 1, 0.875, 0.5, 0.5, 0.55, 0.8]),
    ("image.per_image_standardization(bytes)", "float32", (2, 3, 3),
     [-1.466157, -0.669453, 1.708211, 0.127251, 0.127251, 0.127251, 1.396998, -0.831283, -0.19641, -1.142496,
      0.438464, -0.507622, 1.708211, 0.911507, -1.466157, -0.831283, -0.507622, 1.073337]),
    ("image.rgb_to_grayscale(bytes)", "uint8", (2, 3, 1), [66, 128, 110, 106, 188, 83]),
    ("image.grayscale_to_rgb(bytes[..., :1])", "uint8", (2, 3, 3),
     [0, 0, 0, 128, 128, 128, 230, 230, 230, 26, 26, 26, 255, 255, 255, 51, 51, 51]),
    ("image.rgb_to_hsv(floats)", "float32", (2, 3, 3),
     [0.625, 1, 1, 0, 0, 0.5, 0.952381, 0.777778, 0.9, 0.4, 0.833333, 0.6, 0.125, 1, 1, 0.638889, 0.75, 0.8]),
    ("image.hsv_to_rgb(floats)", "float32", (2, 3, 3),
     [1, 0.75, 0.75, 0.25, 0.5, 0.5, 0.4, 0.32, 0.368, 0.3, 0.228, 0.12, 0, 0, 0, 0.752, 0.8, 0.56]),
    ("image.rgb_to_yiq(floats)", "float32", (2, 3, 3),
     [0.26075, -0.389983, 0.180515, 0.5, 0, -1.8e-05, 0.4321, 0.352862, 0.210283, 0.4163, -0.201547, -0.199132,
      0.73925, 0.389983, -0.180552, 0.3271, -0.220262, 0.134439]),
    ("image.yiq_to_rgb(floats)", "float32", (2, 3, 3),
     [0.859821, -0.715207, 1.427546, 1.288406, 0.040391, 0.798745, 1.339527, 0.586716, 1.360344, 0.859839,
      -0.257369, -0.052775, 1.71699, 0.79599, 0.169945, 0.983456, -0.399367, 1.231362]),
    ("image.rgb_to_yuv(floats)", "float32", (2, 3, 3),
     [0.26075, 0.363793, -0.228752, 0.5, 0, 0, 0.4321, -0.015797, 0.410481, 0.4163, -0.057233, -0.277485, 0.73925,
      -0.363793, 0.228752, 0.3271, 0.232719, -0.111503]),
    ("image.yuv_to_rgb(floats)", "float32", (2, 3, 3),
     [1.139883, -0.679282, 0.508015, 1.069942, 0.012368, 1.516031, 1.355953, 0.588823, 1.306412, 0.441965,
      -0.310972, 1.319237, 1, 0.704018, 2.524046, 1.111906, -0.38289, 0.809619]),
    ("image.total_variation(floats)", "float32", (), [9.05]),
    ("image.image_gradients(floats[None])[0]", "float32", (1, 2, 3, 3),
     [0.1, 0.35, -0.7, 0.5, 0.25, -0.5, -0.7, 0.1, 0.4, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ("image.image_gradients(floats[None])[1]", "float32", (1, 2, 3, 3),
     [0.5, 0.25, -0.5, 0.4, -0.3, -0.1, 0, 0, 0, 0.9, 0.15, -0.3, -0.8, -0.45, 0.8, 0, 0, 0]),
    ("image.sobel_edges(floats[None, :, :, :1])", "float32", (1, 2, 3, 1, 2), [0, 0, 0, 2, 0, 0, 0, 0, 0, 2, 0, 0]),
    ("image.psnr(bytes, bytes[::-1], 255)", "float32", (), [6.885616]),
    ("image.ssim(bytes, bytes[:, ::-1], 255, filter_size=2)", "float32", (), [0.494958]),
    ("image.ssim(floats, floats[::-1], 1.0, filter_size=2, return_index_map=True)", "float32", (1, 2),
     [-0.062384, -0.149273]),
    ("image.stateless_random_flip_left_right(bytes, [1, 2])", "uint8", (2, 3, 3),
     [0, 64, 255, 128, 128, 128, 230, 51, 102, 26, 153, 77, 255, 191, 0, 51, 77, 204]),
    ("image.stateless_random_flip_up_down(tf.stack([bytes] * 3), [5, 7])[..., 0]", "uint8", (3, 2, 3),
     [0, 128, 230, 26, 255, 51, 0, 128, 230, 26, 255, 51, 26, 255, 51, 0, 128, 230]),
    ("image.stateless_random_brightness(bytes, 0.3, [1, 2])", "uint8", (2, 3, 3),
     [52, 116, 255, 180, 180, 180, 255, 103, 154, 78, 206, 129, 255, 244, 52, 103, 129, 255]),
    ("image.stateless_random_contrast(bytes, 0.5, 1.5, [1, 2])", "uint8", (2, 3, 3),
     [0, 48, 255, 132, 134, 128, 255, 30, 93, 0, 167, 59, 255, 219, 0, 29, 65, 230]),
    ("image.stateless_random_hue(bytes, 0.3, [1, 2])", "uint8", (2, 3, 3),
     [252, 0, 255, 128, 128, 128, 230, 222, 51, 26, 71, 153, 3, 255, 0, 204, 51, 193]),
    ("image.stateless_random_saturation(bytes, 0.5, 1.5, [1, 2])", "uint8", (2, 3, 3),
     [0, 64, 255, 128, 128, 128, 230, 0, 65, 0, 153, 61, 255, 191, 0, 0, 34, 204]),
    ("image.stateless_random_crop(bytes, [1, 2, 3], [1, 2])", "uint8", (1, 2, 3), [128, 128, 128, 230, 51, 102]),
]  # fmt: skip


@pytest.mark.parametrize("expression, dtype, shape, elements", AS_TENSORFLOW, ids=[case[0] for case in AS_TENSORFLOW])
def test_values_are_tensorflows(expression: str, dtype: str, shape: tuple[int, ...], elements: list[float]) -> None:
    check_values(expression, dtype, shape, elements)


def test_batches_are_their_images() -> None:
    batch = tf.constant(np.stack([FLOATS, FLOATS[::-1]]))
    for change in (
        tf.image.flip_left_right, tf.image.flip_up_down, tf.image.transpose, tf.image.rot90, tf.image.rgb_to_hsv,
        tf.image.per_image_standardization, tf.image.total_variation, lambda x: tf.image.rot90(x, tf.shape(x)[-1] + 4),
        lambda x: tf.image.central_crop(x, 0.4), lambda x: tf.image.resize_with_crop_or_pad(x, 3, 2),
        lambda x: tf.image.adjust_contrast(x, 2.0), lambda x: tf.image.adjust_hue(x, 0.1),
    ):  # fmt: skip
        one_by_one = [change(image).numpy() for image in batch]
        np.testing.assert_allclose(change(batch), np.stack(one_by_one), rtol=1e-6, atol=1e-6)


def test_sizes_that_only_a_run_knows() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, None, 3], tf.uint8), tf.TensorSpec([], tf.int32)])
    def cut(image: Any, size: Any) -> Any:
        padded = tf.image.resize_with_crop_or_pad(image, size, 2)
        return padded, tf.image.crop_to_bounding_box(image, size - 1, 0, 1, size), tf.image.central_crop(image, 0.5)

    padded, cropped, middle = cut(BYTES, 2)
    np.testing.assert_array_equal(padded, BYTES[:, :2])
    np.testing.assert_array_equal(cropped, BYTES[1:, :2])
    np.testing.assert_array_equal(middle, tf.image.central_crop(BYTES, 0.5))
    assert cut.get_concrete_function().structured_outputs[0].shape.as_list() == [None, 2, 3]
    with pytest.raises(InvalidArgumentError, match="target_height must be above 0"):
        cut(BYTES, 0)


def test_gradients_go_through() -> None:
    image = tf.constant(FLOATS)
    with tf.GradientTape() as tape:
        tape.watch(image)
        turned = tf.image.adjust_hue(tf.image.rot90(image), 0.1)
        total = tf.reduce_sum(tf.image.per_image_standardization(turned) ** 3)
    gradient = tape.gradient(total, image)
    assert gradient.shape == image.shape and np.isfinite(gradient).all() and np.abs(gradient).max() > 0.1


def test_what_is_drawn_stays_within() -> None:
    image = tf.constant(BYTES)
    assert tf.image.random_crop(image, [1, 2, 3]).shape == [1, 2, 3]
    for flip in (tf.image.random_flip_left_right, tf.image.random_flip_up_down):
        seen = {flip(image, seed=3).numpy().tobytes() for _ in range(40)}
        assert len(seen) == 2 and BYTES.tobytes() in seen
    batch = tf.stack([image] * 40)
    assert len({each.numpy().tobytes() for each in tf.image.random_flip_up_down(batch)}) == 2
    for changed in (
        tf.image.random_brightness(image, 0.2), tf.image.random_contrast(image, 0.5, 1.5),
        tf.image.random_hue(image, 0.1), tf.image.random_saturation(image, 0.5, 1.5),
    ):  # fmt: skip
        assert changed.dtype == tf.uint8 and changed.shape == image.shape


def test_equal_images_have_no_noise() -> None:
    assert tf.image.psnr(FLOATS, FLOATS, 1.0).numpy() == np.inf
    np.testing.assert_allclose(tf.image.ssim(FLOATS, FLOATS, 1.0, filter_size=2), 1, rtol=1e-6)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda image: tf.image.flip_left_right(image[0]), "takes an image of rank 3, or a batch"),
        (lambda image: tf.image.flip_left_right(image[:0]), "must be above 0"),
        (lambda image: tf.image.central_crop(image, 0.0), "must be within"),
        (lambda image: tf.image.crop_to_bounding_box(image, 1, 1, 2, 2), "must hold target_height"),
        (lambda image: tf.image.crop_to_bounding_box(image, -1, 1, 2, 2), "offset_height must be at least 0"),
        (lambda image: tf.image.pad_to_bounding_box(image, 1, 1, 2, 9), "height must be at most"),
        (lambda image: tf.image.resize_with_crop_or_pad(image, 0, 2), "target_height must be above 0"),
        (lambda image: tf.image.convert_image_dtype(image, tf.bool), "floating or an integer"),
        (lambda image: tf.image.adjust_gamma(image, -1), "gamma must be at least 0"),
        (lambda image: tf.image.adjust_hue(image, 2.0), "interval"),
        (lambda image: tf.image.random_hue(image, 0.6), "at most 0.5"),
        (lambda image: tf.image.random_contrast(image, 2.0, 1.0), "above lower"),
        (lambda image: tf.image.random_crop(image, [3, 3, 3]), "at most that of the tensor"),
        (lambda image: tf.image.rgb_to_hsv(image[..., :1]), "3 channels"),
        (lambda image: tf.image.rgb_to_yuv(tf.cast(image, tf.uint8)), "can't have dtype uint8"),
        (lambda image: tf.image.grayscale_to_rgb(image), "one channel"),
        (lambda image: tf.image.psnr(image, image[1:], 1.0), "two images of one height"),
        (lambda image: tf.image.ssim(image, image, 1.0), "at least as large as filter_size"),
        (lambda image: tf.image.total_variation(image[0]), "rank 3 or 4"),
        (lambda image: tf.image.sobel_edges(image), "batch, height, width, channels"),
        (lambda image: tf.image.rot90(image, [1, 2]), "k must have rank 0"),
    ],
)
def test_what_does_not_fit_is_refused(call: Any, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        call(tf.constant(FLOATS))
    with pytest.raises(InvalidArgumentError, match=message):
        tf.function(call)(tf.constant(FLOATS))
