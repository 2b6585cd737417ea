"""Optimizers make the steps of Keras's; those that have others make their steps; the callbacks that know of them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.keras import callbacks, layers, optimizers
from autograph.keras.optimizers import schedules
from tests.keras.optimizer_steps import CASES, FILE, steps

WANTED = json.loads(FILE.read_text())
X = np.sin(np.arange(128.0) * 1.3).reshape(32, 4).astype(np.float32)
Y = X[:, :1] ** 2


def make_variable(value: Any, name: str) -> Any:
    return tf.keras.Variable(value, name=name)


@pytest.mark.parametrize("way", [lambda step: step, tf.function], ids=["eager", "graph"])
@pytest.mark.parametrize("name", CASES)
def test_five_steps(name: str, way: Any) -> None:
    variables, own, names = steps(name, optimizers, make_variable, way)
    wanted, wanted_own, wanted_names = WANTED[name]
    # Keras gives one variable of Nadam no name.
    assert ["variable" if each == "u_product" else each for each in names] == [
        "variable" if each.startswith("variable_") else each for each in wanted_names
    ]
    for found, expected in zip(variables + own, wanted + wanted_own, strict=True):
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=5e-6)


@pytest.mark.parametrize("name", CASES)
def test_configurations(name: str) -> None:
    optimizer = CASES[name](optimizers)
    again = optimizers.deserialize(json.loads(json.dumps(optimizers.serialize(optimizer))))
    assert type(again) is type(optimizer) and again.get_config() == optimizer.get_config()
    for module in (tf.keras.utils, tf.keras.saving):
        again = module.deserialize_keras_object(module.serialize_keras_object(optimizer))
        assert type(again) is type(optimizer) and again.get_config() == optimizer.get_config()


def model(optimizer: Any) -> Any:
    made = tf.keras.Sequential([
        tf.keras.Input((4,)), layers.Dense(3, activation="tanh", name="one"), layers.Dense(1, name="two"),
    ])  # fmt: skip
    for number, variable in enumerate(made.trainable_variables):
        variable.assign(np.sin(np.arange(np.prod(variable.shape)) + number).reshape(variable.shape))
    made.compile(optimizer, "mse")
    return made


def fit(made: Any, **kwargs: Any) -> Any:
    return made.fit(X, Y, batch_size=8, shuffle=False, verbose=0, **kwargs)


@pytest.mark.parametrize("name", ["Adafactor", "LossScaleOptimizer", "MultiOptimizer", "Muon with all settings"])
def test_files(name: str, tmp_path: Any) -> None:
    """A model that was saved goes on as the one that was not."""
    first = model(CASES[name](optimizers))
    fit(first, epochs=2)
    path = tmp_path / "model.keras"
    first.save(path)
    second = tf.keras.models.load_model(path)
    assert type(second.optimizer) is type(first.optimizer)
    for made in (first, second):
        fit(made)
    for found, expected in zip(second.get_weights(), first.get_weights(), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", ["LossScaleOptimizer", "MultiOptimizer", "Lamb gathered", "ScheduleFreeAdamW"])
def test_a_training_loop_as_a_graph(name: str) -> None:
    batches = tf.data.Dataset.from_tensor_slices((X, Y)).batch(8)

    def train(way: Any) -> Any:
        optimizer = CASES[name](optimizers)
        w, b = make_variable(np.ones((4, 1), np.float32), "a"), make_variable(np.zeros(1, np.float32), "c")

        def loop() -> Any:
            for _ in tf.range(3):
                for x, y in batches:
                    with tf.GradientTape() as tape:
                        loss = optimizer.scale_loss(tf.reduce_mean((x @ w + b - y) ** 2))
                    optimizer.apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b], strict=True))
            return tf.concat([w[:, 0], b], 0)

        return way(loop)()

    np.testing.assert_allclose(train(tf.function), train(lambda loop: loop), rtol=1e-5, atol=1e-6)


def test_variables_without_weight_decay() -> None:
    kernel, bias, other = (make_variable(np.float32(1), name) for name in ("kernel", "bias", "other"))
    optimizer = optimizers.SGD(0.5, weight_decay=0.5)
    optimizer.exclude_from_weight_decay(var_list=[other], var_names=["bi.s", "nothing"])
    optimizer.apply([tf.constant(0.0)] * 3, [kernel, bias, other])
    assert [float(each) for each in (kernel, bias, other)] == [0.75, 1, 1]


def test_scaled_losses() -> None:
    """The loss of a step that was traced before the first one follows the number, too."""
    optimizer = optimizers.LossScaleOptimizer(optimizers.SGD(1.0), initial_scale=8.0, dynamic_growth_steps=1)
    v = make_variable(np.float32(3), "v")

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = optimizer.scale_loss(v * x)
        optimizer.apply_gradients([(tape.gradient(loss, v), v)])
        return loss

    assert float(step(tf.constant(1.0))) == 24 and float(v) == 2
    assert float(optimizer.dynamic_scale) == 16
    assert float(step(tf.constant(1.0))) == 32 and float(v) == 1
    step(tf.constant(np.inf))
    assert float(v) == 1 and float(optimizer.dynamic_scale) == 16 and int(optimizer.iterations) == 2
    optimizer.learning_rate = 0.25
    assert float(optimizer.inner_optimizer.learning_rate) == 0.25
    optimizer.set_weights([each.numpy() for each in optimizer.variables])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_scaled_losses_of_other_dtypes(dtype: str) -> None:
    """The numbers are Keras's: 2 ** 15 times what float16 holds is infinite there."""
    optimizer = optimizers.LossScaleOptimizer(optimizers.SGD(0.5, momentum=0.5))
    v = tf.Variable(np.array([1.0, 2.0], dtype))
    for gradient in ([1.0, 2.0], [np.inf, 0.0], [3e4, 1.0]):
        optimizer.apply([tf.constant(gradient, dtype)], [v])
    wanted = [0.0845, 2.0] if dtype == "float16" else [0.0844498, 1.9999237]
    np.testing.assert_allclose(v.numpy(), wanted, rtol=1e-3 if dtype == "float16" else 1e-5)
    assert [float(optimizer.dynamic_scale), int(optimizer.step_counter), int(optimizer.iterations)] == [16384, 1, 2]
    assert np.isinf(float(optimizer.scale_loss(tf.constant(4.0, dtype)))) == (dtype == "float16")


def test_steps_without_state() -> None:
    a, b = make_variable(np.ones(2, np.float32), "a"), make_variable(np.float32(1), "b")
    optimizer = optimizers.SGD(0.5, momentum=0.5)
    optimizer.build([a, b])
    own = [each.numpy() for each in optimizer.variables]
    gradients = [tf.constant([1.0, 2.0]), tf.constant(3.0)]
    trained, after = optimizer.stateless_apply(own, gradients, [tf.constant([0.0, 1.0]), tf.constant(2.0)])
    assert [np.asarray(each).tolist() for each in trained] == [[-0.5, 0], 0.5]
    assert [np.asarray(each).tolist() for each in after] == [1, 0.5, [-0.5, -1], -1.5]
    assert a.numpy().tolist() == [1, 1] and int(optimizer.iterations) == 0
    optimizer.apply(gradients)
    assert a.numpy().tolist() == [0.5, 0] and int(optimizer.iterations) == 1
    with pytest.raises(ValueError, match="there are 4 and 1"):
        optimizer.stateless_apply(own, gradients, [1.0])
    with pytest.raises(ValueError, match="must be built"):
        optimizers.SGD().stateless_apply([], [], [])


def test_variables_that_take_their_gradients() -> None:
    v, w = make_variable(np.float32(1), "v"), make_variable(np.float32(1), "w")
    v.overwrite_with_gradient = True
    scaled = optimizers.LossScaleOptimizer(optimizers.SGD(0.5), initial_scale=2.0)
    scaled.apply([tf.constant(4.0), tf.constant(4.0)], [v, w])
    assert [float(v), float(w)] == [4, 0]
    with pytest.raises(NotImplementedError, match="gathered over steps"):
        optimizers.SGD(gradient_accumulation_steps=2).apply([tf.constant(4.0)], [v])


def test_which_optimizer() -> None:
    """By path, by pattern, by function; what fits several, and what wraps others, is refused."""
    sgd, adam = optimizers.SGD(), optimizers.Adam()
    found = optimizers.OptimizerMap(sgd)
    found["encoder/.*"] = adam
    assert found["encoder/kernel"] is adam and found["encoder"] is sgd and list(found) == ["encoder/.*"]
    found[".*kernel"] = optimizers.Lion()
    with pytest.raises(ValueError, match="Multiple optimizers"):
        found["encoder/kernel"]
    with pytest.raises(ValueError, match="already exists"):
        found[".*kernel"] = sgd
    for wrapper in (optimizers.LossScaleOptimizer(optimizers.SGD()), optimizers.MultiOptimizer(found)):
        with pytest.raises(ValueError, match="cannot be"):
            found["x"] = wrapper
        with pytest.raises(ValueError, match="cannot be used inside"):
            optimizers.MultiOptimizer(lambda v, wrapper=wrapper: wrapper).build([tf.Variable(1.0)])
    multi = optimizers.MultiOptimizer(lambda v: adam if len(v.shape) else sgd, loss_scale_factor=4.0)
    multi.build([tf.Variable(1.0), tf.Variable([1.0])])
    assert multi.optimizers == [sgd, adam] and adam.loss_scale_factor == 4
    optimizers.LossScaleOptimizer(multi)
    assert adam.loss_scale_factor is None
    with pytest.raises(AttributeError, match="no learning rate"):
        multi.learning_rate = 1.0
    with pytest.raises(ValueError, match="get_config"):
        multi.get_config()


@pytest.mark.parametrize("on_epoch, seen", [(False, "weights"), (True, "averages")])
def test_averages_in_evaluation(on_epoch: bool, seen: str) -> None:
    optimizer = optimizers.SGD(0.1, use_ema=True, ema_momentum=0.7)
    made, found = model(optimizer), []

    class Looks(callbacks.Callback):
        def on_test_begin(self, logs: Any = None) -> None:
            found.append(self.model.get_weights())

        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            found.append(self.model.get_weights())

    fit(made, callbacks=[callbacks.SwapEMAWeights(on_epoch), Looks()], validation_data=(X, Y), epochs=2)
    (first, _, last, then), final = found, made.get_weights()
    assert all((a == b).all() for a, b in zip(last, final, strict=True))
    assert (then[0] == last[0]).all() == (seen == "averages") and (first[0] != last[0]).any()
    before = made.get_weights()
    made.predict(X, verbose=0, callbacks=[callbacks.SwapEMAWeights()])
    assert all((a == b).all() for a, b in zip(made.get_weights(), before, strict=True))
    with pytest.raises(ValueError, match="keeps no averages"):
        fit(model("sgd"), callbacks=[callbacks.SwapEMAWeights()], validation_data=(X, Y))


def test_learning_rates_of_several_optimizers() -> None:
    one, two = optimizers.SGD(0.1, name="first"), optimizers.SGD(0.2, name="second")
    made = model(optimizers.MultiOptimizer(optimizers.OptimizerMap(one, {".*two.*": two})))
    halve = callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.5 if epoch else rate)
    history = fit(made, epochs=2, callbacks=[halve, callbacks.ReduceLROnPlateau("loss", 0.1, 1, min_delta=9.0)]).history
    np.testing.assert_allclose(history["learning_rate_first"], [0.1, 0.05], rtol=1e-6)
    np.testing.assert_allclose(history["learning_rate_second"], [0.2, 0.1], rtol=1e-6)
    np.testing.assert_allclose([float(each.learning_rate) for each in (one, two)], [0.005, 0.01], rtol=1e-6)


def test_what_does_not_fit() -> None:
    for make in (
        lambda: optimizers.Ftrl(l1_regularization_strength=-1.0), lambda: optimizers.Ftrl(learning_rate_power=0.5),
        lambda: optimizers.Lion(beta_1=0.0), lambda: optimizers.LossScaleOptimizer(optimizers.SGD(), clipnorm=1.0),
        lambda: optimizers.LossScaleOptimizer(optimizers.SGD(), dynamic=False),
        lambda: optimizers.LossScaleOptimizer(optimizers.SGD(), other=1),
        lambda: optimizers.SGD().add_optimizer_variables([], ("a", "b"), ("zeros",)),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="needs|must|support"):
            make()


def test_a_schedule_by_name() -> None:
    schedule = schedules.CosineDecay(0.1, 5)
    config = tf.keras.utils.serialize_keras_object(schedule)
    assert config["module"] == "keras.optimizers.schedules"
    assert tf.keras.utils.deserialize_keras_object(config).get_config() == schedule.get_config()
