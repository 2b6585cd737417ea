"""Weights in files: saved, loaded, refused; training that is interrupted and resumed."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as tf
from autograph.errors import MissingExtraError, SavedFileError
from autograph.runtime.tools.export.weights import load_tensors, save_tensors

keras, layers = tf.keras, tf.keras.layers
RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(64, 6)).astype(np.float32)
Y = RANDOM.integers(0, 3, 64)


class Network(keras.Model):
    def __init__(self, units=8, **kwargs):
        super().__init__(**kwargs)
        self.hidden = [layers.Dense(units, activation="relu") for _ in range(2)]
        self.norm = layers.BatchNormalization()
        self.drop = layers.Dropout(0.25)
        self.inner = keras.Sequential([layers.Dense(3)])
        self.factor = tf.Variable(1.0)

    def call(self, x, training=False):
        for layer in self.hidden:
            x = layer(x)
        return self.inner(self.drop(self.norm(x, training=training), training=training)) * self.factor


def compiled(optimizer="adam", **settings):
    model = Network(**settings)
    model.compile(optimizer, keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    model.build((None, 6))
    return model


def same(first, second):
    return all(np.array_equal(a, b) for a, b in zip(first.get_weights(), second.get_weights(), strict=True))


@pytest.mark.parametrize("name", ["w.weights.h5", "weights", "w.safetensors"])
def test_saved_weights_come_back(tmp_path, name):
    model, other = compiled(), compiled()
    model.fit(X, Y, epochs=2, verbose=0)
    model.save_weights(tmp_path / name)
    assert not same(model, other)
    other.load_weights(tmp_path / name)
    assert same(model, other)
    np.testing.assert_array_equal(model.predict(X, verbose=0), other.predict(X, verbose=0))
    for a, b in zip(model.optimizer.variables, other.optimizer.variables, strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_what_the_file_holds(tmp_path):
    model = compiled()
    model.save_weights(tmp_path / "w")
    places = sorted(load_tensors(tmp_path / "w"))
    optimizer = [place for place in places if place.startswith("optimizer/")]
    assert sorted(optimizer) == sorted(f"optimizer/vars/{number}" for number in range(2 + 2 * 9))
    assert [place for place in places if place not in optimizer] == [
        "layers/batch_normalization/vars/0", "layers/batch_normalization/vars/1", "layers/batch_normalization/vars/2",
        "layers/batch_normalization/vars/3", "layers/dense/vars/0", "layers/dense/vars/1", "layers/dense_1/vars/0",
        "layers/dense_1/vars/1", "layers/sequential/layers/dense/vars/0", "layers/sequential/layers/dense/vars/1",
        "vars/0",
    ]  # fmt: skip


def test_weights_fit_models_of_other_names_and_without_an_optimizer(tmp_path):
    model = compiled(name="a")
    model.fit(X, Y, verbose=0)
    model.save_weights(tmp_path / "w")
    other = Network(name="b")
    other.build((None, 6))
    other.load_weights(tmp_path / "w")
    assert same(model, other)
    other.save_weights(tmp_path / "v")
    model.load_weights(tmp_path / "v")  # no optimizer in the file


def test_functional_and_sequential_models(tmp_path):
    def functional():
        x = keras.Input((6,))
        shared = layers.Dense(4)
        return keras.Model(x, layers.Dense(2)(shared(x) + shared(-x)))

    def sequential():
        return keras.Sequential([layers.Input((6,)), layers.LSTM(3) if False else layers.Dense(4), layers.Dense(2)])

    for make in (functional, sequential):
        model, other = make(), make()
        model.save_weights(tmp_path / "w")
        other.load_weights(tmp_path / "w")
        assert same(model, other)


def test_an_exported_model_runs_without_its_source(tmp_path):
    model = keras.Sequential(
        [layers.Input((6,)), layers.Dense(4, activation="relu"), layers.Dropout(0.5), layers.Dense(2)]
    )
    model.export(tmp_path / "a")
    loaded = tf.saved_model.load(tmp_path / "a")
    np.testing.assert_allclose(loaded.serve(X), model(X), rtol=1e-6)
    np.testing.assert_allclose(loaded.serve(X[:3]), model(X[:3]), rtol=1e-6)
    a, b = keras.Input((2,)), keras.Input((2,))
    pair = keras.Model([a, b], {"sum": layers.Add()([a, b])})
    pair.export(tmp_path / "b")
    found = tf.saved_model.load(tmp_path / "b").serve([X[:, :2], X[:, 2:4]])
    np.testing.assert_allclose(found["sum"], X[:, :2] + X[:, 2:4])
    network = compiled()
    network.export(tmp_path / "c", input_signature=tf.TensorSpec((None, 6)))
    np.testing.assert_allclose(tf.saved_model.load(tmp_path / "c").serve(X), network(X), rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match="does not know its inputs"):
        network.export(tmp_path / "d")
    with pytest.raises(ValueError, match="not 'torch'"):
        model.export(tmp_path / "d", format="torch")


# What can't be


def test_what_does_not_fit_changes_nothing(tmp_path):
    path = tmp_path / "w"
    compiled(units=9).save_weights(path)
    model = compiled()
    before = model.get_weights()

    def refused(text, error=ValueError):
        with pytest.raises(error, match=text):
            model.load_weights(path)
        for a, b in zip(model.get_weights(), before, strict=True):
            np.testing.assert_array_equal(a, b)

    refused("do not fit model .*shape .9,. in the file, float32 of shape .8,. in the model")
    keras.Sequential([layers.Input((6,)), layers.Dense(8)]).save_weights(path)
    refused("the model has 'layers/batch_normalization/vars/0', the file does not")
    compiled().save_weights(path)
    tensors = load_tensors(path)
    save_tensors(path, tensors | {"layers/extra/vars/0": np.zeros(2, np.float32)})
    refused("the file has 'layers/extra/vars/0', the model does not")
    save_tensors(path, tensors | {"vars/0": np.float64(1)})
    refused("'vars/0' is float64 of shape .. in the file")
    save_tensors(path, tensors | {"optimizer/vars/2": np.zeros(3, np.float32)})
    refused("the optimizer's variables in .* are not those of 'adam")
    save_tensors(path, tensors)
    model.load_weights(path)
    before = model.get_weights()
    data = path.read_bytes()
    for damaged in (data[:-1], data[:100], b"", b"x" * 50, b"\xff" * 8 + data[8:], data + b"x"):
        path.write_bytes(damaged)
        refused("w ", SavedFileError)
    path.unlink()
    refused("can't be read", SavedFileError)


def test_weights_of_another_shape_may_be_skipped(tmp_path):
    small, model = compiled(units=7), compiled()
    before = model.get_weights()
    small.save_weights(tmp_path / "w")
    model.load_weights(tmp_path / "w", skip_mismatch=True)
    np.testing.assert_array_equal(model.hidden[0].get_weights()[0], before[1])
    np.testing.assert_array_equal(model.inner.get_weights()[1], small.inner.get_weights()[1])


def test_a_model_that_is_not_built_has_no_weights(tmp_path):
    model = keras.Sequential([layers.Dense(2)])
    with pytest.raises(ValueError, match="has no weights yet"):
        model.save_weights(tmp_path / "w")
    compiled().save_weights(tmp_path / "w")
    with pytest.raises(ValueError, match="before weights are loaded into it"):
        model.load_weights(tmp_path / "w")


def test_an_existing_file_may_be_kept(tmp_path):
    (tmp_path / "w").write_text("mine")
    with pytest.raises(ValueError, match="exists already"):
        compiled().save_weights(tmp_path / "w", overwrite=False)
    assert (tmp_path / "w").read_text() == "mine"


def test_without_the_library(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "safetensors", None)
    with pytest.raises(MissingExtraError, match="autograph-py.saved."):
        compiled().save_weights(tmp_path / "w")


def test_checkpoints(tmp_path, capsys):
    model = compiled()
    every = keras.callbacks.ModelCheckpoint(tmp_path / "{epoch:02d}-{loss:.3f}", save_weights_only=True)
    values = iter([3.0, 1.0, 2.0])
    known = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: logs.update(score=next(values)))
    best = keras.callbacks.ModelCheckpoint(
        tmp_path / "best", monitor="score", mode="min", save_best_only=True, save_weights_only=True, verbose=1
    )
    weights = []
    kept = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: weights.append(model.get_weights()))
    history = model.fit(X, Y, epochs=3, callbacks=[known, every, best, kept], verbose=0)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [f"{n:02d}-{loss:.3f}" for n, loss in enumerate(history.history["loss"], 1)] + ["best"]
    model.load_weights(tmp_path / "best")
    for a, b in zip(model.get_weights(), weights[1], strict=True):
        np.testing.assert_array_equal(a, b)
    assert capsys.readouterr().out == (
        f"\nEpoch 1: score improved from None to 3.00000, saving model to {tmp_path}/best\n"
        f"\nEpoch 1: finished saving model to {tmp_path}/best\n"
        f"\nEpoch 2: score improved from 3.00000 to 1.00000, saving model to {tmp_path}/best\n"
        f"\nEpoch 2: finished saving model to {tmp_path}/best\n"
        "\nEpoch 3: score did not improve from 1.00000\n"
    )
    with pytest.raises(ValueError, match="needs 'nope', which is none of"):
        model.fit(X, Y, callbacks=[keras.callbacks.ModelCheckpoint("{nope}", save_weights_only=True)], verbose=0)
    with pytest.raises(ValueError, match="save_weights_only=True"):
        keras.callbacks.ModelCheckpoint("x")


def test_checkpoints_of_whole_models(tmp_path):
    model = compiled()
    path = tmp_path / "{epoch}.keras"
    model.fit(X, Y, epochs=2, callbacks=[keras.callbacks.ModelCheckpoint(path)], verbose=0)
    again = keras.models.load_model(tmp_path / "2.keras", custom_objects={"Network": Network})
    np.testing.assert_array_equal(again.predict(X, verbose=0), model.predict(X, verbose=0))
    assert int(again.optimizer.iterations) == int(model.optimizer.iterations)
    assert (tmp_path / "1.keras").exists()


# Interrupted and resumed


@pytest.mark.parametrize("optimizer", ["adam", "rmsprop", lambda: keras.optimizers.SGD(0.1, momentum=0.9)])
def test_training_resumed_from_a_file_goes_on_to_the_same_numbers(tmp_path, optimizer):
    def model():
        keras.utils.set_random_seed(11)
        return compiled(optimizer() if callable(optimizer) else optimizer)

    def epochs(model, start, stop):
        losses = []
        for epoch in range(start, stop):
            keras.utils.set_random_seed(epoch)  # of shuffling and dropout
            losses += model.fit(X, Y, epochs=1, verbose=0).history["loss"]
        return losses

    whole = model()
    losses = epochs(whole, 0, 6)
    first = model()
    assert epochs(first, 0, 3) == losses[:3]
    first.save_weights(tmp_path / "w")
    second = model()
    second.load_weights(tmp_path / "w")
    assert epochs(second, 3, 6) == losses[3:]
    assert same(whole, second)
    third = model()  # the weights alone are not enough
    third.set_weights(first.get_weights())
    assert epochs(third, 3, 6) != losses[3:]


@pytest.mark.parametrize("way", ["weights", "model", "checkpoint"])
def test_interrupted_training_goes_on_to_the_same_numbers(tmp_path, way):
    x, y = RANDOM.normal(size=(24, 5, 2)).astype(np.float32), RANDOM.normal(size=(24, 1)).astype(np.float32)
    settings = {"batch_size": 8, "shuffle": False, "verbose": 0}

    def new():
        keras.utils.set_random_seed(1)
        inner = keras.Sequential([layers.GRU(4, return_sequences=True), layers.BatchNormalization()])
        model = keras.Sequential([keras.Input((5, 2)), inner, layers.LSTM(3), layers.Dense(1)])
        model.compile(keras.optimizers.Adam(0.05, gradient_accumulation_steps=2), "mse")
        return model

    whole = new()
    losses = whole.fit(x, y, epochs=4, **settings).history["loss"]
    first = new()
    found = first.fit(x, y, epochs=2, **settings).history["loss"]
    second = new()
    if way == "weights":
        first.save_weights(tmp_path / "a.weights.h5")
        second.load_weights(tmp_path / "a.weights.h5")
    elif way == "model":
        first.save(tmp_path / "a.keras")
        second = keras.models.load_model(tmp_path / "a.keras")
    else:  # what is trained is known by its place in the model, though the optimizer has it at a shorter one
        path = tf.train.Checkpoint(m=first, o=first.optimizer).write(tmp_path / "a")
        tf.train.Checkpoint(m=second, o=second.optimizer).read(path)
    found += second.fit(x, y, epochs=4, initial_epoch=2, **settings).history["loss"]
    assert found == losses
    for a, b in zip(whole.get_weights(), second.get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)
