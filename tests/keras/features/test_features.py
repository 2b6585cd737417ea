"""Layers for raw columns give what Keras gives: eagerly, in graphs, datasets and models, and after saving."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as tf

from .cases import CASES, ERRORS, error_of, run
from .golden import PATH

layers = tf.keras.layers
GOLDEN = json.loads(PATH.read_text())


def plain(value: object) -> Any:
    return json.loads(json.dumps(value))


@pytest.mark.parametrize("number", range(len(CASES)))
def test_values_are_those_of_keras(number: int) -> None:
    found, wanted = plain(run(layers, CASES[number])), GOLDEN["values"][number]
    assert found["dtype"] == wanted["dtype"]
    assert found["config"] == wanted["config"]
    if found["dtype"].startswith("float"):
        np.testing.assert_allclose(found["values"], wanted["values"], rtol=2e-6, atol=1e-6)
    else:
        assert found["values"] == wanted["values"]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors_are_those_of_keras(number: int) -> None:
    assert error_of(layers, ERRORS[number]) == GOLDEN["errors"][number]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_a_graph_gives_the_same_and_so_does_a_copy_by_configuration(number: int) -> None:
    kind, arguments, data, inputs = CASES[number]
    layer = getattr(layers, kind)(**arguments)
    if data is not None:
        layer.adapt(data)
    tensor = tf.constant(inputs)
    eager = layer(tensor)
    staged = tf.function(layer)(tensor)
    assert staged.dtype == eager.dtype
    np.testing.assert_array_equal(eager.numpy(), staged.numpy())

    copy = type(layer).from_config(plain(layer.get_config()))
    copy(tensor)
    copy.set_weights(layer.get_weights())
    np.testing.assert_array_equal(copy(tensor).numpy(), eager.numpy())


NUMBERS = np.arange(60, dtype=np.float32).reshape(20, 3) ** 1.3


def test_batches_are_adapted_to_as_their_whole() -> None:
    whole = layers.Normalization()
    whole.adapt(NUMBERS)
    batches = tf.data.Dataset.from_tensor_slices(NUMBERS).batch(7)
    for data in (batches, tf.data.Dataset.from_tensor_slices((NUMBERS, NUMBERS)).batch(7), [NUMBERS[:3], NUMBERS[3:]],
                 tf.data.Dataset.from_tensor_slices(NUMBERS)):  # fmt: skip
        layer = layers.Normalization()
        layer.adapt(data)
        np.testing.assert_allclose(layer.mean, whole.mean, rtol=1e-5)
        np.testing.assert_allclose(layer.variance, whole.variance, rtol=1e-5)


def test_adapting_again_forgets_the_first_data_also_in_a_traced_function() -> None:
    layer = layers.Normalization(axis=None)
    layer.adapt(np.array([0.0, 2.0]))
    staged = tf.function(layer)
    assert staged(tf.constant([3.0])).numpy() == 2.0
    layer.adapt(np.array([3.0, 5.0]))
    assert staged(tf.constant([3.0])).numpy() == -1.0


def test_in_a_dataset_and_in_a_model_that_is_saved(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    normalize, bins = layers.Normalization(), layers.Discretization(num_bins=4, output_mode="one_hot")
    normalize.adapt(NUMBERS)
    bins.adapt(NUMBERS[:, 0])
    mapped = tf.data.Dataset.from_tensor_slices(NUMBERS).batch(5).map(normalize)
    np.testing.assert_allclose(np.concatenate(list(mapped)), normalize(NUMBERS), rtol=1e-6)

    numbers, ids = tf.keras.Input((3,)), tf.keras.Input((2,), dtype="int64")
    joined = layers.Concatenate()([normalize(numbers), bins(numbers[:, :1]), layers.CategoryEncoding(5)(ids)])
    model = tf.keras.Model([numbers, ids], layers.Dense(1)(joined))
    inputs = [NUMBERS, np.arange(40).reshape(20, 2) % 5]
    expected = model.predict(inputs, verbose=0)
    model.save(tmp_path / "model.keras")
    np.testing.assert_array_equal(
        tf.keras.models.load_model(tmp_path / "model.keras").predict(inputs, verbose=0), expected
    )


def test_steps_bound_what_is_read() -> None:
    layer = layers.Discretization(num_bins=2)
    layer.adapt(tf.data.Dataset.from_tensor_slices([0.0, 1.0, 2.0, 3.0]).batch(2).repeat(), steps=2)
    np.testing.assert_allclose(layer.bin_boundaries, [1.0])


def test_weights_count() -> None:
    layer = layers.CategoryEncoding(num_tokens=4, output_mode="count")
    counts = layer([[1, 1], [0, 5]], count_weights=[[0.1, 0.2], [0.5, 0.4]])
    np.testing.assert_allclose(counts, [[0, 0.3, 0, 0], [0.5, 0, 0, 0]], rtol=1e-6)
    with pytest.raises(ValueError, match="count_weights"):
        layers.CategoryEncoding(num_tokens=4)([[1]], count_weights=[[1.0]])
