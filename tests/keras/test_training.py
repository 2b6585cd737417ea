"""compile, fit, evaluate, predict: against the same training written out in NumPy, and by what they print."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as tf
from autograph.keras.fit.progress import Progbar

keras, layers = tf.keras, tf.keras.layers
RANDOM = np.random.default_rng(2)
X = RANDOM.normal(size=(50, 6)).astype(np.float32)
Y = (X[:, :2] * 2).astype(np.float32)
CLASSES = RANDOM.integers(0, 3, 50)


def linear(**compiled):
    """A model of one linear layer whose weights begin with zeros."""
    model = keras.Sequential([layers.Input((6,)), layers.Dense(2, use_bias=False, kernel_initializer="zeros")])
    model.compile(keras.optimizers.SGD(0.1), **({"loss": "mse"} | compiled))
    return model


def descend(x, y, epochs=1, batch_size=32, weights=None, rate=0.1):
    """Gradient descent on the squared error; the weights, and the mean loss of the samples in each epoch."""
    w = np.zeros((6, 2), np.float32)
    weights = np.ones(len(x), np.float32) if weights is None else weights
    history = []
    for _ in range(epochs):
        total = 0.0
        for start in range(0, len(x), batch_size):
            rows = slice(start, start + batch_size)
            error = x[rows] @ w - y[rows]
            total += (weights[rows] * (error**2).mean(1)).mean() * len(error)
            w = w - rate * x[rows].T @ (error * weights[rows, None]) / len(error)
        history.append(total / len(x))
    return w, history


def check(model, wanted, history):
    np.testing.assert_allclose(model.get_weights()[0], wanted[0], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(history.history["loss"], wanted[1], rtol=1e-4)


# Training


@pytest.mark.parametrize("batch_size", [7, 32, 50, 100])
def test_fit_is_gradient_descent(batch_size):
    model = linear()
    history = model.fit(X, Y, batch_size=batch_size, epochs=3, shuffle=False, verbose=0)
    check(model, descend(X, Y, 3, batch_size), history)
    assert history.epoch == [0, 1, 2]
    assert model.history is history


def test_run_eagerly_gives_the_same():
    model = linear(run_eagerly=True)
    seen = []
    original = model.train_step
    model.train_step = lambda data: (seen.append(tf.executing_eagerly()), original(data))[1]
    history = model.fit(X, Y, epochs=2, shuffle=False, verbose=0)
    check(model, descend(X, Y, 2), history)
    assert seen == [True] * 4


def test_sample_weights_and_class_weights():
    weights = np.linspace(0, 1, 50).astype(np.float32)
    model = linear()
    check(
        model,
        descend(X, Y, 2, weights=weights),
        model.fit(X, Y, sample_weight=weights, epochs=2, shuffle=False, verbose=0),
    )
    model = keras.Sequential([layers.Input((6,)), layers.Dense(3, activation="softmax", kernel_initializer="zeros")])
    model.compile("sgd", "sparse_categorical_crossentropy")
    history = model.fit(X, CLASSES, class_weight={0: 1.0, 1: 2.0, 2: 0.0}, batch_size=50, verbose=0)
    factors = np.array([1.0, 2.0, 0.0])[CLASSES]
    assert history.history["loss"][0] == pytest.approx((factors * np.log(3)).mean(), rel=1e-5)


def test_datasets_generators_and_dicts():
    wanted = descend(X, Y, 2, 10)
    dataset = tf.data.Dataset.from_tensor_slices((X, Y)).batch(10)
    model = linear()
    check(model, wanted, model.fit(dataset, epochs=2, verbose=0))
    np.testing.assert_allclose(model.predict(dataset, verbose=0), X @ wanted[0], rtol=1e-3, atol=1e-5)
    assert model.evaluate(dataset, verbose=0) == pytest.approx(((X @ wanted[0] - Y) ** 2).mean(), rel=1e-3)

    def batches():
        while True:
            for start in range(0, 50, 10):
                yield X[start : start + 10], Y[start : start + 10]

    model = linear()
    check(model, wanted, model.fit(batches(), epochs=2, steps_per_epoch=5, verbose=0))

    x = keras.Input((6,), name="x")
    model = keras.Model({"x": x}, {"y": layers.Dense(2, use_bias=False, kernel_initializer="zeros")(x)})
    model.compile(keras.optimizers.SGD(0.1), {"y": "mse"})
    check(model, wanted, model.fit({"x": X}, {"y": Y}, batch_size=10, epochs=2, shuffle=False, verbose=0))
    assert model.predict({"x": X}, verbose=0)["y"].shape == (50, 2)


def test_validation():
    model = linear()
    history = model.fit(X, Y, validation_split=0.2, shuffle=False, verbose=0)
    wanted = descend(X[:40], Y[:40])
    check(model, wanted, history)
    assert history.history["val_loss"][0] == pytest.approx(((X[40:] @ wanted[0] - Y[40:]) ** 2).mean(), rel=1e-4)
    history = linear().fit(X, Y, epochs=4, validation_data=(X, Y), validation_freq=2, shuffle=False, verbose=0)
    assert (len(history.history["loss"]), len(history.history["val_loss"])) == (4, 2)
    dataset = tf.data.Dataset.from_tensor_slices((X, Y)).batch(50)
    history = linear().fit(X, Y, validation_data=dataset, verbose=0)
    assert "val_loss" in history.history


def test_shuffling_is_seeded_and_complete():
    histories = []
    for seed in (1, 1, 2):
        keras.utils.set_random_seed(seed)
        model = linear()
        model.fit(X, Y, batch_size=8, epochs=2, verbose=0)
        histories.append(model.get_weights()[0])
    np.testing.assert_array_equal(histories[0], histories[1])
    assert not np.array_equal(histories[0], histories[2])
    assert not np.array_equal(histories[0], descend(X, Y, 2, 8)[0])
    seen = []

    class Seen(keras.Model):
        def call(self, x):
            tf.py_function(lambda rows: seen.extend(rows.numpy().tolist()), [x], [])
            return x * self.factor

    model = Seen()
    model.factor = model.add_weight((), "ones")
    model.compile("sgd", "mse")
    model.predict(np.arange(10.0), verbose=0)
    assert seen == list(range(10))
    seen.clear()
    model.fit(np.arange(10.0), np.zeros(10), batch_size=3, verbose=0)
    assert seen != list(range(10))
    assert sorted(seen) == list(range(10))


def test_steps_per_epoch_go_on_in_the_data():
    model = linear()
    with pytest.warns(UserWarning, match="The data ended after 1 of 2 steps"):
        model.fit(X, Y, batch_size=20, epochs=2, steps_per_epoch=2, shuffle=False, verbose=0)
    np.testing.assert_allclose(model.get_weights()[0], descend(X, Y, 1, 20)[0], rtol=1e-4)
    model = linear()
    model.fit(X, Y, epochs=5, initial_epoch=3, steps_per_epoch=2, shuffle=False, verbose=0)
    np.testing.assert_allclose(model.get_weights()[0], descend(X, Y, 2, 25)[0], rtol=1e-4)


def test_losses_that_layers_add_and_regularizers():
    class Adding(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = layers.Dense(2, use_bias=False, kernel_regularizer=keras.regularizers.L2(0.1))

        def call(self, x):
            y = self.dense(x)
            self.add_loss(tf.reduce_mean(y**2))
            return y

    model = Adding()
    model.build((None, 6))
    (w,) = model.get_weights()
    model.compile("sgd", "mse")
    found = model.evaluate(X, Y, batch_size=50, verbose=0)
    assert found == pytest.approx(((X @ w - Y) ** 2).mean() + ((X @ w) ** 2).mean() + 0.1 * (w**2).sum(), rel=1e-4)
    model.compile(keras.optimizers.SGD(0.1))  # these losses alone
    model.fit(X, batch_size=50, verbose=0)
    gradient = 2 * X.T @ (X @ w) / 100 + 0.2 * w
    np.testing.assert_allclose(model.get_weights()[0], w - 0.1 * gradient, rtol=1e-3, atol=1e-5)


def test_several_outputs():
    x = keras.Input((6,))
    p, q = layers.Dense(2, name="p")(x), layers.Dense(1, name="q")(x)
    model = keras.Model(x, [p, q])
    model.compile("sgd", ["mse", "mae"], loss_weights=[1.0, 0.5], metrics=[["mae"], ["mse", "mae"]])
    targets = [Y, Y[:, :1]]
    found = model.evaluate(X, targets, batch_size=50, return_dict=True, verbose=0)
    first, second = model.predict(X, verbose=0)
    errors = {"p_loss": ((first - Y) ** 2).mean(), "q_loss": np.abs(second - Y[:, :1]).mean(),
              "p_mae": np.abs(first - Y).mean(), "q_mse": ((second - Y[:, :1]) ** 2).mean()}  # fmt: skip
    errors |= {"q_mae": errors["q_loss"], "loss": errors["p_loss"] + 0.5 * errors["q_loss"]}
    assert list(found) == sorted(errors)
    for name, value in errors.items():
        assert found[name] == pytest.approx(value, rel=1e-4)
    model.compile("sgd", {"p": "mse"})  # the other output has no loss
    assert model.evaluate(X, {"p": Y}, batch_size=50, verbose=0) == pytest.approx(errors["p_loss"], rel=1e-4)


@pytest.mark.parametrize("units, loss, targets", [
    (1, "binary_crossentropy", CLASSES[:, None] > 0),
    (3, "sparse_categorical_crossentropy", CLASSES),
    (3, "categorical_crossentropy", keras.utils.to_categorical(CLASSES)),
])  # fmt: skip
def test_accuracy_is_that_of_the_targets(units, loss, targets):
    model = keras.Sequential([layers.Input((6,)), layers.Dense(units, activation="sigmoid")])
    model.compile("adam", loss, metrics=["accuracy"], weighted_metrics=["accuracy"])
    weights = np.linspace(0, 1, 50)
    found = model.evaluate(X, targets, sample_weight=weights, return_dict=True, verbose=0)
    outputs = model.predict(X, verbose=0)
    right = (outputs > 0.5).ravel() == targets.ravel() if units == 1 else outputs.argmax(1) == CLASSES
    assert found["accuracy"] == pytest.approx(right.mean(), rel=1e-5)
    assert found["weighted_accuracy"] == pytest.approx((right * weights).sum() / weights.sum(), rel=1e-4)


def test_losses_and_metrics_of_the_user():
    def my_loss(y_true, y_pred):
        if tf.reduce_sum(y_true) > -1e9:
            return tf.reduce_mean((y_true - y_pred) ** 2, axis=-1)
        return tf.zeros_like(y_true[..., 0])

    def my_metric(y_true, y_pred):
        return tf.abs(y_true - y_pred)

    class Largest(keras.metrics.Metric):
        def __init__(self):
            super().__init__(name="largest")
            self.top = self.add_weight(name="top", initializer="zeros")

        def update_state(self, y_true, y_pred, sample_weight=None):
            found = tf.reduce_max(tf.abs(y_true - y_pred))
            if found > self.top:
                self.top.assign(found)

        def result(self):
            return self.top

    model = linear(loss=my_loss, metrics=[my_metric, Largest(), keras.metrics.MeanSquaredError(name="squares")])
    history = model.fit(X, Y, epochs=2, shuffle=False, verbose=0)
    check(model, descend(X, Y, 2), history)
    found = model.evaluate(X, Y, return_dict=True, verbose=0)
    errors = np.abs(model.predict(X, verbose=0) - Y)
    assert found["my_metric"] == pytest.approx(errors.mean(), rel=1e-5)
    assert found["largest"] == pytest.approx(errors.max(), rel=1e-5)
    assert found["squares"] == pytest.approx((errors**2).mean(), rel=1e-4)


def test_masked_steps_do_not_count_behind_a_dense_layer():
    numbers, mask = np.array([[1, 2, 0, 0], [3, 0, 4, 1]]), np.array([[1, 1, 0, 0], [1, 0, 1, 1]], bool)
    y = RANDOM.normal(size=(2, 4, 3)).astype(np.float32)
    model = keras.Sequential([layers.Input((4,)), layers.Embedding(5, 2, mask_zero=True), layers.Dense(3)])
    model.compile("sgd", "mae", metrics=["mse"])
    error = (model.predict(numbers, verbose=0) - y)[mask]
    found = model.evaluate(numbers, y, verbose=0)
    np.testing.assert_allclose(found, [np.abs(error).mean(), (error**2).mean()], rtol=1e-5)


def test_metrics_are_named_after_functions_and_classes():
    class AbsError:
        def __call__(self, y, outputs):
            return tf.abs(y - outputs)

    def myMetric(y, outputs):
        return tf.abs(y - outputs)

    model = linear(metrics=[myMetric, lambda y, outputs: outputs, AbsError()])
    assert list(model.fit(X, Y, verbose=0).history) == ["abs_error", "lambda", "loss", "my_metric"]


def test_fit_scales_the_loss_as_the_optimizer_asks():
    model = linear()
    model.compile(keras.optimizers.SGD(0.1, loss_scale_factor=8.0), "mse")
    history = model.fit(X, Y, epochs=2, shuffle=False, verbose=0)
    check(model, descend(X, Y, 2), history)


def test_fit_ends_with_the_averages_of_the_weights():
    model = linear()
    model.compile(keras.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.5), "mse")
    model.fit(X, Y, epochs=3, batch_size=50, shuffle=False, verbose=0)
    first, second, third = (descend(X, Y, epochs, 50)[0] for epochs in (1, 2, 3))
    np.testing.assert_allclose(model.get_weights()[0], 0.25 * first + 0.25 * second + 0.5 * third, rtol=1e-4)


def test_a_train_step_of_the_user_is_converted():
    class Own(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = layers.Dense(2, use_bias=False, kernel_initializer="zeros")
            self.tracker = keras.metrics.Mean(name="own")
            self.skipped = tf.Variable(0, trainable=False)

        def call(self, x):
            return self.dense(x)

        def train_step(self, data):
            x, y = data[0], data[1]
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
            if tf.shape(x)[0] < 20:
                self.skipped.assign_add(1)
            else:
                gradients = tape.gradient(loss, self.trainable_variables)
                self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
            self.tracker.update_state(loss)
            return {"own": self.tracker.result()}

        @property
        def metrics(self):
            return [self.tracker]

    model = Own()
    model.compile(keras.optimizers.SGD(0.1))
    history = model.fit(X, Y, epochs=2, batch_size=40, shuffle=False, verbose=0)
    assert list(history.history) == ["own"]
    assert int(model.skipped) == 2
    np.testing.assert_allclose(model.dense.get_weights()[0], descend(X[:40], Y[:40], 2, 40)[0], rtol=1e-4)


def test_training_reaches_layers_that_are_told():
    class Told(layers.Layer):
        def call(self, x, training=None):
            self.add_loss(tf.reduce_sum(x) * 0 + (1.0 if training else 0.0))
            return x

    model = keras.Sequential([layers.Input((6,)), layers.Dense(2), Told()])
    model.compile("sgd")
    assert model.fit(X, verbose=0).history["loss"] == [1.0]
    assert model.evaluate(X, verbose=0) == 0.0


def test_single_batches():
    model = linear(metrics=["mae"])
    loss, error = model.train_on_batch(X, Y)
    assert loss == pytest.approx((Y**2).mean(), rel=1e-5)
    assert error == pytest.approx(np.abs(Y).mean(), rel=1e-5)
    w = descend(X, Y, 1, 50)[0]
    np.testing.assert_allclose(model.get_weights()[0], w, rtol=1e-4)
    found = model.test_on_batch(X, Y, return_dict=True)
    assert found == {"loss": pytest.approx(((X @ w - Y) ** 2).mean(), rel=1e-3),
                     "mae": pytest.approx(np.abs(X @ w - Y).mean(), rel=1e-3)}  # fmt: skip
    np.testing.assert_allclose(model.predict_on_batch(X), X @ w, rtol=1e-3, atol=1e-5)


def test_a_step_is_traced_once_for_all_sizes():
    traces = []

    class Counting(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = layers.Dense(2)

        def call(self, x):
            traces.append(x.shape)
            return self.dense(x)

    model = Counting()
    model.build((None, 6))
    traces.clear()
    model.compile("sgd", "mse")
    model.fit(X, Y, batch_size=20, epochs=3, verbose=0)
    model.fit(X[:33], Y[:33], batch_size=7, epochs=3, verbose=0)
    assert len(traces) == 2  # of the first size, and of any


def test_traced_steps_see_another_call_and_another_optimizer():
    model = linear()
    model.fit(X, Y, batch_size=50, shuffle=False, verbose=0)
    first = model.get_weights()[0]
    model.optimizer = keras.optimizers.SGD(0.0)
    model.fit(X, Y, verbose=0)
    np.testing.assert_array_equal(model.get_weights()[0], first)
    call = model.call
    model.call = tf.function(lambda inputs: call(inputs) * 0 + 1)
    np.testing.assert_array_equal(model.predict(X, verbose=0), np.ones((50, 2)))


# What can't be


@pytest.mark.parametrize("text, use", [
    ("Data cardinality is ambiguous.*'x' sizes: 50\n'y' sizes: 40", lambda m: m.fit(X, Y[:40])),
    ("there are no data", lambda m: m.fit()),
    ("positive integer", lambda m: m.fit(X, Y, batch_size=0)),
    ("not sufficient to split", lambda m: m.fit(X[:1], Y[:1], validation_split=0.5)),
    ("validation_split must be between", lambda m: m.fit(X, Y, validation_split=1.5)),
    ("must not be given with a dataset", lambda m: m.fit(tf.data.Dataset.from_tensors((X, Y)), Y)),
    ("only supported for arrays", lambda m: m.fit(tf.data.Dataset.from_tensors((X, Y)), validation_split=0.1)),
    ("a scalar was given", lambda m: m.fit(np.array(1.0), np.array(1.0))),
    ("must be a list of Callback objects", lambda m: m.fit(X, Y, callbacks=[3])),
    ("the data are empty", lambda m: m.fit(X[:0], Y[:0])),
    ("No loss to compute", lambda m: m.fit(X)),
    ("broadcast|[Ii]ncompatible|shape", lambda m: m.fit(X, Y[:, :1].repeat(5, 1))),
    ("Expected shape .None, 6., but input has incompatible shape", lambda m: m.predict(X[:, :3], verbose=0)),
    ("there are 2 losses for 1 outputs", lambda m: (m.compile("sgd", ["mse", "mae"]), m.fit(X, Y))),
    ("nope", lambda m: m.compile("nope", "mse")),
    ("nope", lambda m: (m.compile("sgd", "nope"), m.fit(X, Y))),
    ("nope", lambda m: (m.compile("sgd", "mse", metrics=["nope"]), m.fit(X, Y))),
    ("there are losses for .'x'.", lambda m: (m.compile("sgd", {"x": "mse"}), m.fit(X, Y))),
])  # fmt: skip
def test_what_training_refuses(text, use, capsys):
    with pytest.raises(ValueError, match=f"(?s){text}"):
        use(linear())


def test_errors_in_a_step_show_the_line_of_the_user():
    class Bad(keras.Model):
        def call(self, x):
            return tf.reshape(x, (-1, 7))

    model = Bad()
    model.compile("sgd", "mse")
    with pytest.raises(ValueError) as caught:
        model.predict(X, verbose=0)
    assert caught.value.line == Bad.call.__code__.co_firstlineno + 1


# Callbacks


class Recorder(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.seen = []

    def on_train_begin(self, logs=None):
        self.seen.append("train begin")

    def on_epoch_begin(self, epoch, logs=None):
        self.seen.append(f"epoch {epoch} begin")

    def on_train_batch_end(self, batch, logs=None):
        assert float(logs["loss"]) > 0
        self.seen.append(f"batch {batch}")

    def on_test_begin(self, logs=None):
        self.seen.append("test")

    def on_epoch_end(self, epoch, logs=None):
        assert isinstance(logs["loss"], float)
        self.seen.append(f"epoch {epoch} end {sorted(logs)}")

    def on_train_end(self, logs=None):
        self.seen.append("train end")


def test_callbacks_are_called_in_order():
    recorder = Recorder()
    model = linear()
    model.fit(X, Y, batch_size=25, epochs=2, validation_data=(X, Y), callbacks=[recorder], verbose=0)
    epoch = ["batch 0", "batch 1"]
    assert recorder.seen == [
        "train begin", "epoch 0 begin", *epoch, "test", "epoch 0 end ['loss', 'val_loss']",
        "epoch 1 begin", *epoch, "test", "epoch 1 end ['loss', 'val_loss']", "train end",
    ]  # fmt: skip
    assert recorder.model is model
    assert recorder.params == {"verbose": 0, "epochs": 2, "steps": 2}


def test_lambda_callbacks_and_stopping():
    seen = []
    model = linear()
    stop = keras.callbacks.LambdaCallback(
        on_epoch_end=lambda epoch, logs: setattr(model, "stop_training", epoch == 1),
        on_train_batch_begin=lambda batch, logs: seen.append(batch), on_train_end=lambda logs: seen.append("end"),
    )  # fmt: skip
    history = model.fit(X, Y, epochs=9, callbacks=[stop], verbose=0)
    assert history.epoch == [0, 1]
    assert seen == [0, 1, 0, 1, "end"]


def losses(*values):
    """A callback that makes the losses of epochs what is given."""
    return keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: logs.update(loss=values[epoch]))


@pytest.mark.parametrize("settings, values, stops", [
    ({}, (3, 2, 2.5, 1), 2),
    ({"patience": 2}, (3, 4, 4, 1), 2),
    ({"patience": 2}, (3, 4, 2, 4, 4), 4),
    ({"min_delta": 0.5}, (3, 2.7, 1), 1),
    ({"mode": "max"}, (1, 2, 1.5, 3), 2),
    ({"baseline": 1.0, "patience": 2}, (3, 4, 1.5, 1), 1),
    ({"start_from_epoch": 2}, (1, 2, 3, 4), 3),
])  # fmt: skip
def test_early_stopping(settings, values, stops):
    stopping = keras.callbacks.EarlyStopping(monitor="loss", **settings)
    history = linear().fit(X, Y, epochs=len(values), callbacks=[losses(*values), stopping], verbose=0)
    assert history.epoch[-1] == stops
    assert stopping.stopped_epoch == stops


def test_early_stopping_brings_the_best_weights_back(capsys):
    kept = []
    keep = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: kept.append(model.get_weights()[0]))
    stopping = keras.callbacks.EarlyStopping(monitor="loss", patience=2, restore_best_weights=True, verbose=1)
    model = linear()
    model.fit(X, Y, epochs=9, callbacks=[losses(3, 1, 2, 2, 0), keep, stopping], verbose=0)
    np.testing.assert_array_equal(model.get_weights()[0], kept[1])
    assert capsys.readouterr().out == (
        "Epoch 4: early stopping\nRestoring model weights from the end of the best epoch: 2.\n"
    )


@pytest.mark.parametrize("monitor, better", [
    ("val_loss", "min"), ("mae", "min"), ("val_root", "min"), ("cosine_similarity", "max"), ("mine", None),
    ("accumulated", None),
])  # fmt: skip
def test_what_is_better_is_known_of_the_metric(monitor, better):
    model = linear(metrics=[
        "mae", "cosine_similarity", keras.metrics.RootMeanSquaredError(name="root"),
        keras.metrics.MeanMetricWrapper(lambda y, outputs: outputs, name="mine"),
    ])  # fmt: skip
    known = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: logs.update(accumulated=1.0))
    stopping = keras.callbacks.EarlyStopping(monitor=monitor)

    def fit():
        model.fit(X, Y, validation_data=(X, Y), callbacks=[known, stopping], verbose=0)

    if better is None:
        with pytest.raises(ValueError, match=f"(?s)EarlyStopping callback received monitor={monitor}.*mode='max'"):
            fit()
    else:
        fit()
        assert stopping.is_better(2.0, 1.0) == (better == "max")


def test_a_value_that_is_not_there_warns():
    with pytest.warns(UserWarning, match="`val_loss` which is not available. Available metrics are: loss"):
        linear().fit(X, Y, callbacks=[keras.callbacks.EarlyStopping()], verbose=0)


def test_learning_rates_change():
    model = linear()
    schedule = keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate / 2)
    history = model.fit(X, Y, epochs=3, callbacks=[schedule], verbose=0)
    np.testing.assert_allclose(history.history["learning_rate"], [0.05, 0.025, 0.0125], rtol=1e-6)
    model = linear()
    plateau = keras.callbacks.ReduceLROnPlateau(monitor="loss", patience=2, factor=0.5, min_lr=0.03)
    history = model.fit(X, Y, epochs=7, callbacks=[losses(*[1.0] * 7), plateau], verbose=0)
    np.testing.assert_allclose(history.history["learning_rate"], [0.1, 0.1, 0.1, 0.05, 0.05, 0.03, 0.03], rtol=1e-6)


def test_terminate_on_nan_and_csv(tmp_path, capsys):
    path = tmp_path / "log.csv"
    model = linear()
    y = Y.copy()
    y[30] = np.nan
    callbacks = [keras.callbacks.TerminateOnNaN(), keras.callbacks.CSVLogger(path)]
    model.fit(X, y, epochs=5, batch_size=10, shuffle=False, callbacks=callbacks, verbose=0)
    assert capsys.readouterr().out == "Batch 3: Invalid loss, terminating training\n"
    assert path.read_text() == "epoch,loss\n0,nan\n"


# Output


def test_a_line_for_each_epoch_where_interactive_logging_is_off(capsys):
    model = linear(metrics=["mae"])
    assert keras.utils.is_interactive_logging_enabled()
    keras.utils.disable_interactive_logging()
    try:
        model.fit(X, Y, epochs=2, shuffle=False)
    finally:
        keras.utils.enable_interactive_logging()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Epoch 1/2"
    assert lines[2] == "Epoch 2/2"
    assert lines[1].startswith("2/2 - 0s - ")
    loss, error = descend(X, Y, 2)[1][1], lines[3].split(" - ")[-1]
    assert f" - loss: {loss:.4f} - mae: " in lines[3]
    assert 0 < float(error.removeprefix("mae: ")) < 2
    assert len(lines) == 4
    model.evaluate(X, Y, verbose=2)
    model.predict(X, verbose=2)
    model.fit(X, Y, verbose=2)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" - ")[0] for line in lines] == ["2/2"] * 3
    assert lines[1].endswith("/step")


def test_a_bar(capsys):
    linear().fit(X, Y)
    printed = capsys.readouterr().out
    assert printed.startswith("\r\033[1m1/2\033[0m \033[32m" + "━" * 10)
    assert printed.count("\n") == 1
    assert "━" * 20 + "\033[0m" in printed
    assert " - loss: " in printed


def test_a_bar_knows_its_end_when_a_generator_has_ended(capsys):
    linear().fit(((X, Y) for _ in range(3)))
    printed = capsys.readouterr().out
    assert "1/Unknown" in printed
    assert "\r\033[1m3/3\033[0m \033[32m" + "━" * 20 in printed


def test_a_bar_without_a_known_end(capsys):
    bar = Progbar(None, verbose=1, interval=0)
    bar.update(3, {"loss": 0.00001})
    bar.update(4, {"loss": 2.0}, finalize=True)
    printed = capsys.readouterr().out
    assert "3/Unknown" in printed
    assert "loss: 1.0000e-05" in printed
    assert printed.rstrip(" \n").endswith("loss: 2.0000")
    assert printed.endswith("\n")


def test_silent_training(capsys):
    model = linear()
    model.fit(X, Y, validation_data=(X, Y), verbose=0)
    model.evaluate(X, Y, verbose=0)
    model.predict(X, verbose=0)
    assert capsys.readouterr().out == ""


# Utilities


def test_to_categorical_and_normalize():
    np.testing.assert_array_equal(keras.utils.to_categorical([0, 2, 1]), np.eye(3)[[0, 2, 1]])
    assert keras.utils.to_categorical(np.array([[1], [0]]), 4).shape == (2, 4)
    assert keras.utils.to_categorical([[1, 0]]).shape == (1, 2, 2)
    for classes, count in (([3], 3), ([-1], None)):
        with pytest.raises(ValueError, match="do not fit into"):
            keras.utils.to_categorical(classes, count)
    np.testing.assert_allclose(keras.utils.normalize([[3.0, 4.0], [0.0, 0.0]]), [[0.6, 0.8], [0, 0]])


def test_random_seeds_reach_all_generators():
    import random

    drawn = []
    for _ in range(2):
        keras.utils.set_random_seed(5)
        drawn.append(
            (random.random(), np.random.rand(), float(tf.random.uniform(())), layers.Dense(2)(X)[0, 0].numpy())
        )
    assert drawn[0] == drawn[1]
    with pytest.raises(ValueError, match="integer"):
        keras.utils.set_random_seed("x")
