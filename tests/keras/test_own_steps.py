"""Models with a `train_step` of the user's: what it is given, and what `self.metrics` holds."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as tf

keras, layers = tf.keras, tf.keras.layers
X = np.random.default_rng(4).normal(size=(8, 3)).astype(np.float32)
Y = X[:, :1] * 2
WEIGHTS = np.ones(8, np.float32)


def form(data):
    """The structure of a batch: `x` for each array."""
    return tf.nest.map_structure(lambda part: "x", data)


class Recorder(keras.Model):
    """A model that notes the structure of the batches its steps are given."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def _note(self, data):
        self.seen.append(form(data))
        return {"loss": tf.constant(0.0)}

    train_step = test_step = _note

    def predict_step(self, data):
        self._note(data)
        return tf.constant([[0.0]])


def test_batches_have_as_many_parts_as_there_are():
    dataset = tf.data.Dataset.from_tensor_slices
    for arguments, wanted in [
        ((X,), "x"), ((X, Y), ("x", "x")), (({"a": X}, Y), ({"a": "x"}, "x")), (([X, X],), (["x", "x"],)),
        (([X, X], Y), (["x", "x"], "x")), ((dataset((X, Y)).batch(4),), ("x", "x")), ((dataset(X).batch(4),), "x"),
        ((dataset((X,)).batch(4),), ("x",)), ((dataset((X, Y, WEIGHTS)).batch(4),), ("x", "x", "x")),
    ]:  # fmt: skip
        model = Recorder()
        model.compile("sgd")
        model.fit(*arguments, verbose=0)
        model.evaluate(*arguments, verbose=0)
        assert model.seen == [wanted] * 2
    model = Recorder()
    model.compile("sgd")
    model.fit(X, Y, sample_weight=WEIGHTS, verbose=0)
    model.fit(X, np.zeros(8), class_weight={0: 2.0}, verbose=0)
    model.predict(X, verbose=0)
    model.train_on_batch(X, Y)
    assert model.seen == [("x", "x", "x"), ("x", "x", "x"), "x", ("x", "x")]


@pytest.mark.parametrize("run_eagerly", [False, True])
def test_a_loop_over_self_metrics_reaches_those_of_compile(run_eagerly):
    class Own(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = layers.Dense(1, use_bias=False, kernel_initializer="zeros")

        def call(self, x):
            return self.dense(x)

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                predicted = self(x, training=True)
                loss = self.compute_loss(y=y, y_pred=predicted)
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
            for metric in self.metrics:
                if metric.name == "loss":
                    metric.update_state(loss)
                else:
                    metric.update_state(y, predicted)
            return {metric.name: metric.result() for metric in self.metrics}

    model = Own()
    metrics = ["mae", keras.metrics.RootMeanSquaredError(name="root")]
    model.compile("sgd", "mse", metrics=metrics, run_eagerly=run_eagerly)
    assert model.metrics_names == ["loss", "compile_metrics"]
    history = model.fit(X, Y, verbose=0, batch_size=8).history
    assert list(history) == ["loss", "mae", "root"]
    assert history["mae"] == [pytest.approx(np.abs(Y).mean(), rel=1e-5)]
    assert history["root"] == [pytest.approx(np.sqrt((Y**2).mean()), rel=1e-5)]
    assert len(model.metrics[1].variables) == 4
    model.reset_metrics()
    assert all(float(variable) == 0 for metric in model.metrics for variable in metric.variables)


def test_batches_are_packed_and_taken_apart():
    pack, unpack = keras.utils.pack_x_y_sample_weight, keras.utils.unpack_x_y_sample_weight
    assert [pack(1), pack((1,)), pack(1, 2), pack(1, 2, 3), pack(1, None, 3)] == [
        1, ((1,),), (1, 2), (1, 2, 3), (1, None, 3)
    ]  # fmt: skip
    assert [unpack(1), unpack((1,)), unpack([1, 2]), unpack((1, 2, 3))] == [
        (1, None, None), (1, None, None), (1, 2, None), (1, 2, 3)
    ]  # fmt: skip
    with pytest.raises(ValueError, match="found: 4 parts"):
        unpack((1, 2, 3, 4))


def test_validation_tells_the_callbacks_of_fit():
    class Counting(keras.callbacks.Callback):
        def __init__(self):
            super().__init__()
            self.seen = []

        def on_test_batch_end(self, batch, logs=None):
            self.seen.append((batch, sorted(logs)))

        def on_test_end(self, logs=None):
            self.seen.append(sorted(logs))

    model = keras.Sequential([layers.Input((3,)), layers.Dense(1)])
    model.compile("sgd", "mse")
    counting = Counting()
    model.fit(X, Y, validation_split=0.5, batch_size=2, epochs=2, verbose=0, callbacks=[counting])
    assert counting.seen == [(0, ["loss"]), (1, ["loss"]), ["loss"]] * 2


def test_fit_with_validation_draws_one_bar(capsys):
    model = keras.Sequential([layers.Input((3,)), layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(X, Y, validation_split=0.5, verbose=2)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1
    assert " - val_loss: " in lines[0]


def test_batches_by_number(capsys):
    class Numbered(keras.utils.PyDataset):
        def __init__(self, passes):
            super().__init__(workers=2)
            self.passes = passes

        def __len__(self):
            return 4

        def __getitem__(self, number):
            self.passes[-1].append(number)
            return X[2 * number : 2 * number + 2], Y[2 * number : 2 * number + 2]

        def on_epoch_begin(self):
            self.passes.append([])

        def on_epoch_end(self):
            self.passes[-1].append("end")

    passes = []
    model = keras.Sequential([layers.Input((3,)), layers.Dense(1, use_bias=False, kernel_initializer="zeros")])
    model.compile("sgd", "mse")
    model.fit(Numbered(passes), epochs=2, shuffle=False)
    assert passes == [[0, 1, 2, 3, "end"]] * 2
    assert "4/4" in capsys.readouterr().out
    once = model.get_weights()
    model.set_weights([0 * once[0]])
    model.fit(X, Y, batch_size=2, epochs=2, shuffle=False, verbose=0)
    np.testing.assert_array_equal(model.get_weights()[0], once[0])
    np.testing.assert_array_equal(model.predict(Numbered(passes), verbose=0), model.predict(X, batch_size=2, verbose=0))
    tf.random.set_seed(1)
    model.fit(Numbered(passes), epochs=3, verbose=0)
    assert {tuple(each) for each in passes[-3:]} != {(0, 1, 2, 3, "end")}
    assert [sorted(each[:-1]) for each in passes[-3:]] == [[0, 1, 2, 3]] * 3
    assert keras.utils.Sequence is keras.utils.PyDataset
    with pytest.raises(NotImplementedError, match="__len__"):
        model.fit(keras.utils.PyDataset())
