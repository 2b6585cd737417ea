"""Boxes in images: TensorFlow's values, eagerly and in graphs; what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError, OutOfRangeError

IMAGES = (np.arange(24).reshape(2, 3, 4, 1) ** 2 % 50).astype(np.float32)
BOXES = np.float32([[0, 0, 1, 1], [0.9, 0.2, 0.1, 0.8], [-0.3, 0.2, 1.4, 0.6]])

# What TensorFlow 2.21 gave: (crop_size, method, elements).
CROPS: list[tuple[tuple[int, int], str, list[float]]] = [
    ((2, 3), "bilinear",
     [0, 2.5, 9, 14, 15.5, 21, 24.84, 36.3, 29.36, 28.36, 32.3, 33.84, -1, -1, -1, -1, -1, -1]),
    ((2, 3), "nearest",
     [0, 4, 9, 14, 0, 21, 41, 34, 34, 19, 46, 46, -1, -1, -1, -1, -1, -1]),
    ((1, 1), "bilinear",
     [30.5, 31.5, 36.36]),
    ((1, 1), "nearest",
     [36, 24, 39]),
    ((4, 2), "bilinear",
     [0, 9, 10.6667, 35.6667, 15.3333, 39.6667, 14, 21, 24.84, 29.36, 25.48, 22.32, 26.6533, 23.8133, 28.36,
      33.84, -1, -1, 27.2933, 33.3467, 25, 32.6, -1, -1]),
    ((4, 2), "nearest",
     [0, 9, 16, 49, 16, 49, 14, 21, 41, 34, 39, 24, 39, 24, 19, 46, -1, -1, 39, 24, 41, 34, -1, -1]),
]  # fmt: skip


@pytest.mark.parametrize("size, method, elements", CROPS)
def test_crops_are_tensorflows(size: tuple[int, int], method: str, elements: list[float]) -> None:
    def crop(images: Any, boxes: Any) -> Any:
        return tf.image.crop_and_resize(images, boxes, [0, 1, 1], size, method, extrapolation_value=-1.0)

    unknown = [tf.TensorSpec([None] * 4), tf.TensorSpec([None, None])]
    for way in (crop, tf.function(crop), tf.function(crop, input_signature=unknown)):
        found = way(tf.constant(IMAGES), tf.constant(BOXES))
        assert found.shape == [3, *size, 1] and found.dtype == tf.float32
        np.testing.assert_allclose(found.numpy().reshape(-1), elements, rtol=1e-4, atol=1e-3)


def test_crops_have_gradients() -> None:
    images = tf.constant(IMAGES)
    with tf.GradientTape() as tape:
        tape.watch(images)
        total = tf.reduce_sum(tf.image.crop_and_resize(images, BOXES[:1], [1], (2, 2)))
    corners = np.zeros((3, 4))
    corners[::2, ::3] = 1
    np.testing.assert_allclose(tape.gradient(total, images)[..., 0], [np.zeros((3, 4)), corners])


def test_the_best_of_boxes_that_overlap_are_kept() -> None:
    boxes = np.float32([[0, 0, 1, 1], [1, 1.1, 0, 0.1], [0, 2, 1, 3], [0, 2, 1, 2.9], [5, 5, 6, 6]])
    scores = np.float32([0.9, 0.75, 0.6, 0.95, 0.3])

    @tf.function(input_signature=[tf.TensorSpec([None, 4]), tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)])
    def kept(boxes: Any, scores: Any, size: Any) -> Any:
        return tf.image.non_max_suppression(boxes, scores, size)

    assert kept(boxes, scores, 9).numpy().tolist() == [3, 0, 4] and kept(boxes, scores, 2).numpy().tolist() == [3, 0]
    for options, wanted in (
        ({"iou_threshold": 0.95}, [3, 0, 1, 2, 4]), ({"score_threshold": 0.3}, [3, 0]),
        ({"iou_threshold": 0.0}, [3, 0, 4]),
    ):  # fmt: skip
        found = tf.image.non_max_suppression(boxes, scores, 9, **options)
        assert found.numpy().tolist() == wanted and found.dtype == tf.int32


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: tf.image.crop_and_resize(IMAGES[0], BOXES, [0, 1, 1], (2, 2)), "must have rank 4"),
        (lambda: tf.image.crop_and_resize(IMAGES, BOXES, [0, 1], (2, 2)), "for each box"),
        (lambda: tf.image.crop_and_resize(IMAGES, BOXES, [0, 1, 1], (0, 2)), "above 0"),
        (lambda: tf.image.crop_and_resize(IMAGES, BOXES, [0, 1, 1], (2, 2), "area"), "bilinear or nearest"),
        (lambda: tf.image.non_max_suppression(BOXES, [0.1, 0.2], 3), "3 boxes and 2 scores"),
        (lambda: tf.image.non_max_suppression(BOXES, [0.1, 0.2, 0.3], 3, 1.5), "from 0 to 1"),
        (lambda: tf.image.non_max_suppression(BOXES[:, :3], [0.1, 0.2, 0.3], 3), "4 numbers"),
    ],
)
def test_what_does_not_fit_is_refused(call: Any, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        call()
    with pytest.raises(InvalidArgumentError, match=message):
        tf.function(call)()


def test_an_image_that_is_not_there_is_refused() -> None:
    with pytest.raises(OutOfRangeError):
        tf.image.crop_and_resize(IMAGES, BOXES, [0, 1, 2], (2, 2))
