"""Optimizers follow the published formulas, eagerly and in traced functions, also from inside of staged loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.keras import losses, metrics, optimizers
from autograph.keras.optimizers import schedules

Formula = Callable[[Any, Any, int, dict[str, Any]], Any]


def zeros(state: dict[str, Any], name: str, like: Any) -> Any:
    return state.setdefault(name, np.zeros_like(like))


def momentum(w: Any, g: Any, t: int, state: dict[str, Any], nesterov: bool = False) -> Any:
    m = state["m"] = 0.9 * zeros(state, "m", w) - 0.1 * g
    return w + 0.9 * m - 0.1 * g if nesterov else w + m


def adam(w: Any, g: Any, t: int, state: dict[str, Any], greatest: bool = False) -> Any:
    m = state["m"] = 0.9 * zeros(state, "m", w) + 0.1 * g
    v = state["v"] = 0.999 * zeros(state, "v", w) + 0.001 * g * g
    if greatest:
        v = state["h"] = np.maximum(zeros(state, "h", w), v)
    # Kingma & Ba, 2015, end of section 2: the two corrections as one factor of the learning rate.
    rate = 0.1 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
    return w - rate * m / (np.sqrt(v) + 1e-7)


def rmsprop(w: Any, g: Any, t: int, state: dict[str, Any], centered: bool = False) -> Any:
    v = state["v"] = 0.9 * zeros(state, "v", w) + 0.1 * g * g
    if not centered:
        return w - 0.1 * g / np.sqrt(v + 1e-7)
    a = state["a"] = 0.9 * zeros(state, "a", w) + 0.1 * g
    m = state["m"] = 0.5 * zeros(state, "m", w) + 0.1 * g / np.sqrt(v - a * a + 1e-7)
    return w - m


def adagrad(w: Any, g: Any, t: int, state: dict[str, Any]) -> Any:
    a = state["a"] = state.get("a", np.full_like(w, 0.1)) + g * g
    return w - 0.1 * g / np.sqrt(a + 1e-7)


def adadelta(w: Any, g: Any, t: int, state: dict[str, Any]) -> Any:
    a = state["a"] = 0.95 * zeros(state, "a", w) + 0.05 * g * g
    move = np.sqrt(zeros(state, "b", w) + 1e-7) / np.sqrt(a + 1e-7) * g
    state["b"] = 0.95 * state["b"] + 0.05 * move * move
    return w - 0.1 * move


def adamax(w: Any, g: Any, t: int, state: dict[str, Any]) -> Any:
    m = state["m"] = 0.9 * zeros(state, "m", w) + 0.1 * g
    u = state["u"] = np.maximum(0.999 * zeros(state, "u", w), np.abs(g))
    return w - 0.1 / (1 - 0.9**t) * m / (u + 1e-7)


def lion(w: Any, g: Any, t: int, state: dict[str, Any]) -> Any:
    moved = w - 0.1 * np.sign(0.9 * zeros(state, "m", w) + 0.1 * g)
    state["m"] = 0.99 * state["m"] + 0.01 * g
    return moved


def ftrl(w: Any, g: Any, t: int, state: dict[str, Any]) -> Any:
    before = state.setdefault("n", np.full_like(w, 0.1))
    n = state["n"] = before + g * g
    z = state["z"] = zeros(state, "z", w) + g - (np.sqrt(n) - np.sqrt(before)) / 0.1 * w
    return (np.clip(z, -0.2, 0.2) - z) / (np.sqrt(n) / 0.1 + 2 * 0.3)


def averaged(w: Any, g: Any, t: int, state: dict[str, Any]) -> Any:
    w = w - 0.1 * g
    average = state["e"] = w if t == 1 else 0.7 * state["e"] + 0.3 * w
    return average if t % 3 == 0 else w


def gathered(w: Any, g: Any, t: int, state: dict[str, Any]) -> Any:
    state["g"] = zeros(state, "g", w) + g
    if t % 3:
        return w
    return adam(w, state.pop("g") / 3, t // 3, state)


FORMULAS: dict[str, tuple[Callable[[], Any], Formula]] = {
    "sgd": (lambda: optimizers.SGD(0.1), lambda w, g, t, s: w - 0.1 * g),
    "momentum": (lambda: optimizers.SGD(0.1, 0.9), momentum),
    "nesterov": (lambda: optimizers.SGD(0.1, 0.9, True), lambda *a: momentum(*a, nesterov=True)),
    "adam": (lambda: optimizers.Adam(0.1), adam),
    "amsgrad": (lambda: optimizers.Adam(0.1, amsgrad=True), lambda *a: adam(*a, greatest=True)),
    "adamw": (lambda: optimizers.AdamW(0.1), lambda w, g, t, s: adam(w - w * 0.004 * 0.1, g, t, s)),
    "rmsprop": (lambda: optimizers.RMSprop(0.1), rmsprop),
    "centered": (lambda: optimizers.RMSprop(0.1, momentum=0.5, centered=True), lambda *a: rmsprop(*a, centered=True)),
    "adagrad": (lambda: optimizers.Adagrad(0.1), adagrad),
    "adadelta": (lambda: optimizers.Adadelta(0.1), adadelta),
    "adamax": (lambda: optimizers.Adamax(0.1), adamax),
    "lion": (lambda: optimizers.Lion(0.1), lion),
    "ftrl": (lambda: optimizers.Ftrl(0.1, l1_regularization_strength=0.2, l2_regularization_strength=0.3), ftrl),
    "weight_decay": (lambda: optimizers.SGD(0.1, weight_decay=0.2), lambda w, g, t, s: w - 0.02 * w - 0.1 * g),
    "clipvalue": (lambda: optimizers.SGD(0.1, clipvalue=0.5), lambda w, g, t, s: w - 0.1 * np.clip(g, -0.5, 0.5)),
    "clipnorm": (lambda: optimizers.SGD(0.1, clipnorm=1.0),
                 lambda w, g, t, s: w - 0.1 * g / max(np.sqrt((g * g).sum()), 1)),
    "average": (lambda: optimizers.SGD(0.1, use_ema=True, ema_momentum=0.7, ema_overwrite_frequency=3), averaged),
    "scaled": (lambda: optimizers.SGD(0.1, loss_scale_factor=4.0), lambda w, g, t, s: w - 0.1 * g / 4),
    "gathered": (lambda: optimizers.Adam(0.1, gradient_accumulation_steps=3), gathered),
    "schedule": (lambda: optimizers.SGD(schedules.InverseTimeDecay(0.3, 1, 1.0)),
                 lambda w, g, t, s: w - 0.3 / t * g),
    "function": (lambda: optimizers.SGD(lambda: 0.3), lambda w, g, t, s: w - 0.3 * g),
}  # fmt: skip


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("name", FORMULAS)
def test_steps(name: str, staged: bool) -> None:
    make, formula = FORMULAS[name]
    optimizer, random = make(), np.random.default_rng(0)
    expected = [random.standard_normal((3, 2)), random.standard_normal(4)]
    variables = [tf.Variable(w) for w in expected]
    states: list[dict[str, Any]] = [{}, {}]

    def step(*gradients: Any) -> Any:
        return optimizer.apply_gradients(zip(gradients, variables, strict=True))

    run = tf.function(step) if staged else step
    for t in range(1, 8):
        gradients = [2 * random.standard_normal(w.shape) for w in expected]
        assert int(run(*map(tf.constant, gradients))) == t
        expected = [formula(w, g, t, s) for w, g, s in zip(expected, gradients, states, strict=True)]
        for variable, value in zip(variables, expected, strict=True):
            np.testing.assert_allclose(variable, value, rtol=2e-6, atol=1e-7)


def test_the_norm_of_all_gradients_together() -> None:
    variables = [tf.Variable([0.0, 0.0]), tf.Variable(0.0)]
    optimizers.SGD(1.0, global_clipnorm=1.0).apply([tf.constant([3.0, 0.0]), tf.constant(4.0)], variables)
    np.testing.assert_allclose(variables[0], [-0.6, 0], rtol=1e-6)
    np.testing.assert_allclose(variables[1], -0.8, rtol=1e-6)


def cosine(t: float) -> float:
    return 0.5 * (1 + np.cos(np.pi * t))


SCHEDULES: list[tuple[Any, Callable[[int], float]]] = [
    (schedules.ExponentialDecay(0.1, 3, 0.5), lambda t: 0.1 * 0.5 ** (t / 3)),
    (schedules.ExponentialDecay(0.1, 3, 0.5, staircase=True), lambda t: 0.1 * 0.5 ** (t // 3)),
    (schedules.InverseTimeDecay(0.1, 3, 0.5), lambda t: 0.1 / (1 + 0.5 * t / 3)),
    (schedules.InverseTimeDecay(0.1, 3, 0.5, True), lambda t: 0.1 / (1 + 0.5 * (t // 3))),
    (schedules.PolynomialDecay(0.1, 5, 0.01, 2.0), lambda t: 0.09 * (1 - min(t, 5) / 5) ** 2 + 0.01),
    (schedules.PolynomialDecay(0.1, 5, 0.01, 0.5, cycle=True),
     lambda t: 0.09 * (1 - t / (5 * max(-(-t // 5), 1))) ** 0.5 + 0.01),
    (schedules.CosineDecay(0.1, 6, 0.2), lambda t: 0.1 * (0.8 * cosine(min(t, 6) / 6) + 0.2)),
    (schedules.CosineDecay(0.05, 6, warmup_target=0.3, warmup_steps=3),
     lambda t: 0.05 + 0.25 * t / 3 if t < 3 else 0.3 * cosine(min(t - 3, 6) / 6)),
    (schedules.CosineDecayRestarts(0.1, 3, t_mul=1.0, m_mul=0.5, alpha=0.1),
     lambda t: 0.1 * (0.9 * 0.5 ** (t // 3) * cosine(t % 3 / 3) + 0.1)),
    (schedules.CosineDecayRestarts(0.1, 4),
     lambda t: 0.1 * cosine(t / 4 if t < 4 else (t - 4) / 8 if t < 12 else (t - 12) / 16)),
    (schedules.PiecewiseConstantDecay([2, 4], [0.3, 0.2, 0.1]), lambda t: 0.3 if t <= 2 else 0.2 if t <= 4 else 0.1),
]  # fmt: skip


@pytest.mark.parametrize("schedule, formula", SCHEDULES)
def test_schedules(schedule: Any, formula: Any) -> None:
    staged = tf.function(schedule)
    again = schedules.deserialize(schedules.serialize(schedule))
    for t in range(14):
        for rate in (schedule(t), staged(tf.constant(t, tf.int64)), again(t)):
            assert rate.dtype == tf.float32
            np.testing.assert_allclose(rate, formula(t), rtol=1e-5, atol=1e-7)


def test_the_learning_rate_can_be_set() -> None:
    v, optimizer = tf.Variable(1.0), optimizers.SGD(0.5)
    step = tf.function(lambda: optimizer.apply([tf.constant(1.0)], [v]))
    step()
    assert float(v) == 0.5 and float(optimizer.learning_rate) == 0.5
    optimizer.learning_rate = 0.25
    step()
    optimizer.learning_rate.assign(2.0)
    step()
    assert float(v) == 0.5 - 0.25 - 2 and int(optimizer.iterations) == 3
    with pytest.raises(TypeError, match="not settable"):
        optimizers.SGD(schedules.CosineDecay(0.1, 5)).learning_rate = 1.0


def test_minimize_and_constraints() -> None:
    v, optimizer = tf.Variable([3.0, -1.0], constraint=lambda w: tf.maximum(w, 0.0)), optimizers.SGD(0.5)
    optimizer.minimize(lambda: tf.reduce_sum(v * v) / 2, [v])
    assert np.asarray(v).tolist() == [1.5, 0]
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v * v) / 2
    optimizer.minimize(loss, [v], tape)
    assert np.asarray(v).tolist() == [0.75, 0]
    with pytest.raises(ValueError, match="`tape` is required"):
        optimizer.minimize(loss, [v])


def test_variables_that_it_keeps() -> None:
    w = tf.Variable([1.0], name="w")
    adam = optimizers.Adam(name="adam", amsgrad=True)
    adam.build([w])
    names = ["iteration", "learning_rate", "w_0_momentum", "w_0_velocity", "w_0_velocity_hat"]
    assert [v.path for v in adam.variables] == [f"adam/{name}" for name in names]
    assert adam.iterations.dtype == tf.int64 and not any(v.trainable for v in adam.variables)
    adam.apply([tf.constant([2.0])])
    # Set back to what was kept, it repeats its steps.
    kept, value = [np.asarray(v) for v in adam.variables], np.asarray(w)
    adam.apply([tf.constant([1.0])])
    after = np.asarray(w)
    adam.set_weights(kept)
    w.assign(value)
    adam.apply([tf.constant([1.0])])
    assert (np.asarray(w) == after).all()
    with pytest.raises(ValueError, match="has 5 variables, not 1"):
        adam.set_weights(kept[:1])


def test_averages_at_the_end() -> None:
    v, optimizer = tf.Variable(1.0), optimizers.SGD(1.0, use_ema=True, ema_momentum=0.5)
    for _ in range(2):
        optimizer.apply([tf.constant(1.0)], [v])
    assert float(v) == -1
    optimizer.finalize_variable_values([v])
    assert float(v) == -0.5  # 0.5 * 0 + 0.5 * -1


def test_gathered_gradients_count_as_one_step() -> None:
    v, optimizer = tf.Variable(1.0), optimizers.SGD(1.0, gradient_accumulation_steps=2, clipvalue=0.5, weight_decay=0.1)
    for gradient in (0.2, 2.2, 9.0):
        optimizer.apply([tf.constant(gradient)], [v])
    assert int(optimizer.iterations) == 1
    assert float(v) == pytest.approx(0.9 - 0.5)  # the mean, 1.2, is clipped
    assert [v.name for v in optimizer.variables][2:] == ["Variable_0_gradient_accumulator"]
    again = optimizers.SGD.from_config(optimizer.get_config())
    assert again.gradient_accumulation_steps == 2


def test_gradients_that_are_missing() -> None:
    v, w, optimizer = tf.Variable(1.0, name="v"), tf.Variable(1.0, name="w"), optimizers.SGD(1.0)
    with pytest.warns(UserWarning, match=r"Gradients do not exist for variables \['w:0'\]"):
        optimizer.apply_gradients([(tf.constant(1.0), v), (None, w)])
    assert float(v) == 0 and float(w) == 1
    for nothing in ([(None, v)], []):
        with pytest.raises(ValueError, match="No gradients provided for any variable"):
            optimizer.apply_gradients(nothing)
    optimizer.apply([])
    assert int(optimizer.iterations) == 1


def test_what_does_not_fit() -> None:
    v, optimizer, one = tf.Variable(1.0), optimizers.SGD(1.0), tf.constant(1.0)
    with pytest.raises(ValueError, match="must already be built"):
        optimizer.apply([one])
    optimizer.apply([one], [v])
    with pytest.raises(ValueError, match="Received a list of 2 gradients"):
        optimizer.apply([one, one])
    with pytest.raises(ValueError, match="Unknown variable: <tf.Variable"):
        optimizer.apply([one], [tf.Variable(1.0)])
    for settings in ({"clipnorm": 1.0, "clipvalue": 1.0}, {"momentum": 2.0}, {"use_ema": True, "ema_momentum": 2.0},
                     {"use_ema": True, "ema_overwrite_frequency": 0}, {"gradient_accumulation_steps": 1},
                     {"learning_rate": "fast"}, {"learning_rate": None}):  # fmt: skip
        with pytest.raises(ValueError, match=f"`{next(reversed(settings))}`"):
            optimizers.SGD(**settings)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="decay_steps"):
        schedules.ExponentialDecay(0.1, 0, 0.5)
    with pytest.raises(ValueError, match="1 less"):
        schedules.PiecewiseConstantDecay([1], [1.0])


def test_by_name() -> None:
    for name, cls in (("sgd", "SGD"), ("Adam", "Adam"), ("rmsprop", "RMSprop"), ("adamw", "AdamW")):
        assert type(optimizers.get(name)).__name__ == cls
    made = optimizers.RMSprop(schedules.CosineDecay(0.1, 5), momentum=0.5, clipnorm=1.0, name="mine")
    again = optimizers.deserialize(optimizers.serialize(made))
    assert again.get_config() == made.get_config() and type(again.learning_rate) is type(made.learning_rate)
    assert optimizers.get(made) is made and optimizers.get(None) is None
    for wrong in ("no_such", 3, abs):
        with pytest.raises(ValueError, match="Could not interpret optimizer identifier"):
            optimizers.get(wrong)


def test_own_optimizers() -> None:
    class Signs(optimizers.Optimizer):
        def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
            if tf.reduce_sum(tf.abs(gradient)) > 1:
                variable.assign_sub(learning_rate * tf.sign(gradient))

    for way in (lambda f: f, tf.function):
        v, optimizer = tf.Variable([1.0, 1.0]), Signs(0.5)
        step = way(lambda g: optimizer.apply([g], [v]))
        step(tf.constant([3.0, -4.0]))
        step(tf.constant([0.1, 0.1]))
        assert np.asarray(v).tolist() == [0.5, 1.5]


def test_training_inside_of_a_staged_loop() -> None:
    """The optimizer, made outside, makes its variables when the loop over the dataset is first traced."""
    random = np.random.default_rng(0)
    x = random.standard_normal((240, 8)).astype(np.float32)
    y = (x @ random.standard_normal((8, 3))).argmax(1)
    batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(24)

    def model() -> tuple[Any, Any]:
        w, optimizer = tf.Variable(tf.zeros((8, 3))), optimizers.Adam(0.1)
        compute_loss = losses.SparseCategoricalCrossentropy(from_logits=True)
        compute_accuracy = metrics.SparseCategoricalAccuracy()

        def train() -> Any:
            step, loss = 0, 0.0
            for inputs, labels in batches:
                step += 1
                with tf.GradientTape() as tape:
                    logits = inputs @ w
                    loss = compute_loss(labels, logits)
                optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))
                compute_accuracy(labels, logits)
            return step, loss, compute_accuracy.result()

        return train, optimizer

    eager, first = model()
    staged, second = model()
    staged = tf.function(staged)
    for epoch in range(1, 4):
        expected, got = eager(), staged()
        assert int(got[0]) == 10 and int(second.iterations) == int(first.iterations) == 10 * epoch
        np.testing.assert_allclose([float(v) for v in got[1:]], [float(v) for v in expected[1:]], rtol=1e-5)
    assert staged.experimental_get_tracing_count() <= 2 and float(got[1]) < 0.2


FTRL = {"l1_regularization_strength": 0.1, "l2_regularization_strength": 0.2,
        "l2_shrinkage_regularization_strength": 0.3, "beta": 0.4, "learning_rate_power": -0.6}  # fmt: skip


@pytest.mark.parametrize(
    ("make", "wanted"),
    [
        (lambda: optimizers.Nadam(0.1), [-0.395977, 0.740906, 0.765226, 0.048561, -0.794404, -0.992052]),
        (lambda: optimizers.Ftrl(0.1, **FTRL), [-0.201464, 0.278822, 0.267828, 0.007133, -0.290985, -0.364671]),
    ],
)
def test_five_steps_of_keras(make: Any, wanted: list[float]) -> None:
    optimizer = make()
    variable = tf.Variable(np.sin(np.arange(6.0)).astype("f"))
    for t in range(5):
        optimizer.apply_gradients([(tf.constant(np.sin(np.arange(6.0) * t + 1).astype("f")), variable)])
    np.testing.assert_allclose(variable, wanted, rtol=2e-5, atol=5e-6)
    again = optimizers.deserialize(optimizers.serialize(optimizer))
    assert again.get_config() == optimizer.get_config()
