"""`saved_model.save` of models: what is loaded can be called, and has the weights and signatures of the model."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as tf
from tests.keras.test_model_files import Mine, functional, sequential, x


def round_trip(model, tmp_path):
    tf.saved_model.save(model, tmp_path / "m")
    return tf.saved_model.load(tmp_path / "m")


def test_a_sequential_model(tmp_path):
    model = sequential()
    loaded = round_trip(model, tmp_path)
    assert np.array_equal(loaded(x), model(x)) and np.array_equal(loaded.call(x), model(x))
    assert loaded(x[:3], training=False).shape == (3, 3)
    for name in ("variables", "trainable_variables", "non_trainable_variables"):
        mine, others = getattr(model, name), getattr(loaded, name)
        assert [v.name for v in others] == [v.name for v in mine]
        assert all(np.array_equal(a, b) for a, b in zip(mine, others, strict=True))
    serve = loaded.signatures["serving_default"]
    assert serve.structured_input_signature == ((), {"inputs": tf.TensorSpec((None, 4), tf.float32, "inputs")})
    assert np.array_equal(serve(inputs=tf.constant(x))["output_0"], model(x))
    assert len(loaded.layers) == 3


def test_training_goes_on_in_a_loaded_model(tmp_path):
    loaded = round_trip(sequential(), tmp_path)
    before = loaded.non_trainable_variables[0].numpy()
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(loaded(x, training=True) ** 2)
    gradients = tape.gradient(loss, loaded.trainable_variables)
    assert all(each is not None for each in gradients)
    assert not np.array_equal(before, loaded.non_trainable_variables[0])  # the moving mean


def test_a_functional_model(tmp_path):
    model = functional()
    loaded = round_trip(model, tmp_path)
    given = {"a": x, "b": x + 1}
    found, wanted = loaded(given), model(given)
    assert found.keys() == wanted.keys() and all(np.array_equal(found[key], wanted[key]) for key in wanted)


@pytest.mark.parametrize("traced", [False, True])
def test_a_class_of_the_user(tmp_path, traced):
    model = Mine(3)
    if traced:
        model.call = tf.function(model.call)
    model(x)
    loaded = round_trip(model, tmp_path)
    for each in (x, -x, x if traced else x[:2]):
        assert np.array_equal(loaded(each), model(each)) and np.array_equal(loaded.call(tf.constant(each)), model(each))
    assert loaded.dense.kernel.shape == (4, 3)
    again = round_trip(loaded, tmp_path)
    assert np.array_equal(again(x), model(x))


def test_a_model_that_asks_for_the_size_of_a_batch(tmp_path):
    class Fixed(tf.keras.Model):
        def call(self, inputs):
            return inputs + np.ones(int(inputs.shape[0]))[:, None].astype("f")

    model = Fixed()
    model(x)
    loaded = round_trip(model, tmp_path)
    assert np.array_equal(loaded(x), x + 1)
    with pytest.raises(ValueError, match="Could not find matching concrete function"):
        loaded(x[:2])


def test_a_model_that_was_not_called_has_no_functions(tmp_path):
    loaded = round_trip(Mine(3), tmp_path)
    assert not loaded.signatures
    with pytest.raises(TypeError, match="not callable"):
        loaded(x)


def test_a_model_in_a_module(tmp_path):
    module = tf.Module()
    module.model = sequential()
    loaded = round_trip(module, tmp_path)
    assert np.array_equal(loaded.model(x), module.model(x))
    assert len(loaded.variables) == len(module.model.variables)
