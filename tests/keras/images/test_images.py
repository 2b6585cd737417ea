"""Layers of images: Keras's values where chance has no choice, and what holds where it has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf

layers = tf.keras.layers
IMAGE = (np.arange(12).reshape(1, 3, 4, 1) ** 2).astype(np.float32)

# What Keras 3.15 gave over TensorFlow: (layer, shape, elements).
AS_KERAS: list[tuple[str, tuple[int, ...], list[float]]] = [
    ("layers.Rescaling(1 / 4, -1)", (1, 3, 4, 1),
     [-1, -0.75, 0, 1.25, 3, 5.25, 8, 11.25, 15, 19.25, 24, 29.25]),
    ("layers.Resizing(2, 2)", (1, 2, 2, 1),
     [5.5, 15.5, 59.5, 93.5]),
    ("layers.Resizing(2, 2, crop_to_aspect_ratio=True)", (1, 2, 2, 1),
     [4.75, 10.75, 55.75, 79.75]),
    ("layers.Resizing(2, 2, pad_to_aspect_ratio=True, fill_value=9.0)", (1, 2, 2, 1),
     [5.5, 15.5, 59.5, 93.5]),
    ("layers.Resizing(2, 3, 'bicubic', antialias=True)", (1, 2, 3, 1),
     [4.2188, 9.7492, 18.5728, 50.4896, 70.4876, 93.7787]),
    ("layers.CenterCrop(2, 2)", (1, 2, 2, 1),
     [1, 4, 25, 36]),
    ("layers.CenterCrop(2, 6)", (1, 2, 6, 1),
     [16, 20.5, 26.8333, 34.1667, 42.5, 49, 16, 20.5, 26.8333, 34.1667, 42.5, 49]),
    ("layers.RandomCrop(2, 6)", (1, 2, 6, 1),
     [16, 20.5, 26.8333, 34.1667, 42.5, 49, 64, 72.5, 84.1667, 96.8333, 110.5, 121]),
    ("layers.RandomBrightness((0.2, 0.2))", (1, 3, 4, 1),
     [51, 52, 55, 60, 67, 76, 87, 100, 115, 132, 151, 172]),
    ("layers.RandomContrast(0.0)", (1, 3, 4, 1),
     [0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121]),
    ("layers.RandomRotation((0.1, 0.1))", (1, 3, 4, 1),
     [0.8743, 3.0498, 23.8871, 54.2316, 2.4508, 18.7725, 53.5342, 106.736, 14.8374, 47.3876, 87.0177, 102.6405]),
    ("layers.RandomRotation((-0.2, -0.2), fill_mode='constant', fill_value=7.0)", (1, 3, 4, 1),
     [58.58, 28.0679, 5.3632, 5.4235, 49.8301, 56.7443, 18.297, 5.217, 31.5264, 91.9273, 37.7373, 8.388]),
    ("layers.RandomRotation((0.2, 0.2), interpolation='nearest', fill_mode='nearest')", (1, 3, 4, 1),
     [4, 4, 49, 121, 1, 25, 36, 100, 0, 16, 81, 81]),
    ("layers.RandomTranslation((0.3, 0.3), (-0.4, -0.4), fill_mode='wrap')", (1, 3, 4, 1),
     [92.4, 112.6, 64, 74.2, 5.68, 10.68, 1.6, 2.68, 37.68, 50.68, 20.8, 26.68]),
    ("layers.RandomTranslation((-0.5, -0.5), (0.9, 0.9))", (1, 3, 4, 1),
     [78.2, 62, 47.8, 40, 112.6, 92.4, 74.2, 64, 78.2, 62, 47.8, 40]),
    ("layers.RandomZoom((0.3, 0.3))", (1, 3, 4, 1),
     [0, 0.85, 4.75, 9, 16, 23.65, 37.95, 49, 64, 78.45, 103.15, 121]),
    ("layers.RandomZoom((-0.4, -0.4), (0.5, 0.5), fill_mode='constant')", (1, 3, 4, 1),
     [1.6, 9.55, 18.85, 6.25, 4, 22.75, 39.25, 12.25, 11.2, 55.15, 78.85, 23.05]),
]  # fmt: skip


@pytest.mark.parametrize("expression, shape, elements", AS_KERAS, ids=[case[0] for case in AS_KERAS])
def test_values_are_kerass(expression: str, shape: tuple[int, ...], elements: list[float]) -> None:
    layer = eval(expression)
    again = type(layer).from_config(layer.get_config())
    options = {"training": True} if "Random" in expression else {}
    for way in (layer, again, tf.function(lambda x: layer(x, **options))):
        found = way(IMAGE, **options) if isinstance(way, layers.Layer) else way(IMAGE)
        assert tuple(found.shape) == shape and found.dtype == tf.float32
        np.testing.assert_allclose(found.numpy().reshape(-1), elements, rtol=1e-4, atol=1e-3)
    single = layer(IMAGE[0], **options)
    np.testing.assert_allclose(single.numpy().reshape(-1), elements, rtol=1e-4, atol=1e-3)


RANDOM = [
    layers.RandomFlip, layers.RandomCrop, layers.RandomRotation, layers.RandomTranslation, layers.RandomZoom,
    layers.RandomBrightness, layers.RandomContrast,
]  # fmt: skip


def _made(kind: Any, **options: Any) -> Any:
    needed = {layers.RandomFlip: (), layers.RandomCrop: (4, 5), layers.RandomTranslation: (0.5, 0.5)}.get(kind, (0.4,))
    return kind(*needed, **options)


@pytest.mark.parametrize("kind", RANDOM)
def test_chance_works_on_each_image_while_training_only(kind: Any) -> None:
    images = np.random.default_rng(0).uniform(40, 200, (8, 7, 9, 3)).astype(np.float32)
    layer = _made(kind, seed=5)
    seen = [layer(images).numpy() for _ in range(6)]
    assert len({each.tobytes() for each in seen}) > 1, "while training, if nobody says otherwise, as in Keras"
    assert all(each.min() >= 0 and each.max() <= 255 for each in seen)
    np.testing.assert_array_equal(layer(images, training=False), images)
    kept = kind in (layers.RandomCrop, layers.RandomBrightness, layers.RandomContrast)
    assert layer(images.astype(np.uint8), training=False).dtype == (tf.uint8 if kept else tf.float32), "as in Keras"
    first = _made(kind, data_format="channels_first")
    turned = first(images.transpose(0, 3, 1, 2), training=True)
    assert turned.shape[1] == 3 and first(images[0].transpose(2, 0, 1), training=True).shape[0] == 3
    if kind is not layers.RandomCrop:
        same = np.repeat(images[:1], 40, 0)
        assert len({each.numpy().tobytes() for each in layer(same, training=True)}) > 1


def test_sizes_that_only_a_run_knows() -> None:
    crop, fit = layers.CenterCrop(2, 3), layers.Resizing(5, 6, crop_to_aspect_ratio=True)
    both = tf.function(lambda x: (crop(x), fit(x)), input_signature=[tf.TensorSpec([None, None, None, 1])])
    for found, wanted in zip(both(IMAGE), (crop(IMAGE), fit(IMAGE))):
        np.testing.assert_allclose(found, wanted)
    assert [each.shape.as_list()[1:3] for each in both.get_concrete_function().structured_outputs] == [[2, 3], [5, 6]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="can't enlarge"):
        both(IMAGE[:, :1])


def test_images_in_a_dataset_and_a_model() -> None:
    images = np.random.default_rng(0).integers(0, 256, (6, 8, 8, 3), np.uint8)
    data = tf.data.Dataset.from_tensor_slices(images).map(layers.Resizing(4, 5)).batch(3)
    for batch in data:
        assert batch.shape == [3, 4, 5, 3] and batch.dtype == tf.uint8
    model = tf.keras.Sequential([
        layers.Rescaling(1 / 255), layers.RandomFlip("horizontal"), layers.RandomRotation(0.1), layers.RandomZoom(0.1),
        layers.RandomTranslation(0.1, 0.1), layers.RandomContrast(0.1, value_range=(0, 1)), layers.CenterCrop(6, 6),
        layers.Flatten(), layers.Dense(2),
    ])  # fmt: skip
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    floats = images.astype(np.float32)
    history = model.fit(floats, np.arange(6) % 2, epochs=2, verbose=0)
    assert np.isfinite(history.history["loss"]).all()
    np.testing.assert_array_equal(model.predict(floats, verbose=0), model.predict(floats, verbose=0))
