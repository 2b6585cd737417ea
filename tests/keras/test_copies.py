"""Models, layers, optimizers, metrics and datasets: copied, pickled, and sent to other processes."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import autograph as tf

keras = tf.keras
X = np.random.default_rng(0).random((16, 3)).astype("float32")
Y = X.sum(1, keepdims=True)


def by_cloudpickle(value):
    return pickle.loads(pytest.importorskip("cloudpickle").dumps(value))


def by_pickle(value):
    return pickle.loads(pickle.dumps(value))


WAYS = pytest.mark.parametrize("way", [by_pickle, copy.deepcopy, by_cloudpickle])


class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = [keras.layers.Dense(4, activation="relu"), keras.layers.Dense(1)]
        self.first = self.inner[0]

    def call(self, x):
        for layer in self.inner:
            x = layer(x)
        return x


def sequential():
    normal = keras.layers.BatchNormalization()
    return keras.Sequential([keras.layers.Dense(4, activation="relu"), normal, keras.layers.Dense(1)])


def functional():
    inputs = keras.Input((3,))
    shared = keras.layers.Dense(3)
    both = keras.layers.concatenate([shared(inputs), shared(shared(inputs))])
    return keras.Model(inputs, keras.layers.Dense(1)(both))


@WAYS
@pytest.mark.parametrize("make", [sequential, functional, Own])
@pytest.mark.parametrize("epochs", [0, 2])
def test_a_model_trains_on_as_its_copy_does(way, make, epochs: int) -> None:
    model = make()
    schedule = keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9)
    model.compile(keras.optimizers.Adam(schedule), "mse", metrics=["mae"])
    model(X)
    if epochs:
        model.fit(X, Y, epochs=epochs, verbose=0, shuffle=False)
        model.predict(X, verbose=0)
    other = way(model)
    before = [weight.copy() for weight in model.get_weights()]
    found = other.fit(X, Y, epochs=2, verbose=0, shuffle=False).history
    assert all(map(np.array_equal, before, model.get_weights()))
    assert found == model.fit(X, Y, epochs=2, verbose=0, shuffle=False).history
    assert all(map(np.array_equal, model.get_weights(), other.get_weights()))
    assert int(other.optimizer.iterations) == 2 + epochs and other.optimizer is not model.optimizer
    assert other.evaluate(X, Y, verbose=0) == model.evaluate(X, Y, verbose=0)
    if make is Own:
        assert other.first is other.inner[0]


@WAYS
def test_an_optimizer_goes_on_with_copies_of_its_variables(way) -> None:
    variable, gradient = tf.Variable([1.0, 2.0]), tf.constant([1.0, 2.0])
    optimizer = keras.optimizers.Adam()
    optimizer.apply_gradients([(gradient, variable)])
    other, copied = way((optimizer, variable))
    other.apply_gradients([(gradient, copied)])
    assert variable.numpy().tolist() != copied.numpy().tolist()
    optimizer.apply_gradients([(gradient, variable)])
    assert variable.numpy().tolist() == copied.numpy().tolist()
    with pytest.raises(ValueError, match="Unknown variable"):
        other.apply_gradients([(gradient, variable)])


@WAYS
def test_metrics_losses_and_generators_keep_their_state(way) -> None:
    metric = keras.metrics.Mean()
    metric.update_state(3.0)
    other = way(metric)
    other.update_state(5.0)
    assert float(metric.result()) == 3 and float(other.result()) == 4
    generator = tf.random.Generator.from_seed(3)
    generator.normal([2])
    assert np.array_equal(way(generator).normal([3]), generator.normal([3]))
    assert float(way(keras.losses.MeanSquaredError())([1.0], [3.0])) == 4
    array = tf.TensorArray(tf.float32, 2).unstack(tf.constant([1.0, 2.0]))
    assert way(array).stack().numpy().tolist() == [1, 2]


@WAYS
@pytest.mark.parametrize(
    "value", [tf.float32, tf.TensorShape([None, 3]), tf.TensorSpec([None, 3], tf.int32, "x"), keras.layers.Dense(3)]
)
def test_what_only_describes(way, value: object) -> None:
    found = way(value)
    if isinstance(value, keras.layers.Layer):
        assert found.get_config() == value.get_config() and found(X).shape == (16, 3)
    else:
        assert found == value


def plus_rate(x):
    if x > 2:
        x = x * 2
    return x


class Adder(tf.Module):
    def __init__(self):
        super().__init__()
        self.by = tf.Variable(1, dtype=tf.int64)

    def add(self, x):
        return x + self.by


@WAYS
def test_datasets_trace_their_functions_anew(way) -> None:
    data = tf.data.Dataset.range(5).map(plus_rate).filter(lambda x: x > 0 if way is not by_pickle else x >= 0)
    if way is by_pickle:
        with pytest.raises(tf.errors.SavingError, match="a lambda has no name"):
            way(data)
        data = tf.data.Dataset.range(1, 5).map(plus_rate)
    assert [int(x) for x in way(data.batch(2).unbatch())] == [1, 2, 6, 8]
    adder = Adder()
    mapped, owner = way((tf.data.Dataset.range(2).map(adder.add), adder))
    owner.by.assign(10)
    assert [int(x) for x in mapped] == [10, 11] and int(adder.by) == 1


def test_a_trained_model_goes_through_joblib(tmp_path) -> None:
    joblib = pytest.importorskip("joblib")
    model = functional()
    model.compile("adam", "mse")
    model.fit(X, Y, verbose=0)
    joblib.dump(model, tmp_path / "model")
    expected = model.predict(X, verbose=0)
    assert np.array_equal(joblib.load(tmp_path / "model").predict(X, verbose=0), expected)
    run = joblib.Parallel(n_jobs=2, timeout=200)
    for found in run(joblib.delayed(model.predict)(X, verbose=0) for _ in range(2)):
        np.testing.assert_allclose(found, expected, rtol=1e-6)
