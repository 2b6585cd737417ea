"""Strategies with one replica, which all machines have, those without JAX too: a program is what it is without them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.runtime.engines import engine as engines

X = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
Y = (np.arange(40) % 2).astype(np.int32)


@pytest.fixture(params=[True, False], ids=["with JAX", "without JAX"])
def _with_or_without_jax(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if not request.param:
        monkeypatch.setattr(engines.importlib.util, "find_spec", lambda name: None)
        engines.is_installed.cache_clear()
    yield
    monkeypatch.undo()
    engines.is_installed.cache_clear()


def new_model() -> Any:
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(4), tf.keras.layers.Dense(2)])
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    return model


@pytest.mark.usefixtures("_with_or_without_jax")
def test_fit_is_as_without_a_strategy() -> None:
    strategy = tf.distribute.MirroredStrategy(["cpu:0"])
    with strategy.scope():
        model = new_model()
    plain = new_model()
    assert plain.distribute_strategy is tf.distribute.get_strategy()
    histories = [each.fit(X, Y, epochs=2, shuffle=False, verbose=0).history for each in (model, plain)]
    assert histories[0] == histories[1]
    for one, other in zip(model.get_weights(), plain.get_weights(), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.usefixtures("_with_or_without_jax")
def test_a_loop_of_ones_own() -> None:
    strategy = tf.distribute.MirroredStrategy(["cpu:0"], cross_device_ops=tf.distribute.NcclAllReduce())
    assert strategy.num_replicas_in_sync == 1
    with strategy.scope():
        weight = tf.Variable(1.0)

    def step(batch: Any) -> Any:
        context = tf.distribute.get_replica_context()
        assert context.replica_id_in_sync_group == 0 and context.num_replicas_in_sync == 1
        total = tf.reduce_sum(batch)
        weight.assign_add(context.all_reduce("SUM", total))
        return context.merge_call(lambda strategy, x: strategy.reduce("MEAN", x, axis=None), args=(total,))

    @tf.function
    def train(data: Any) -> Any:
        total = 0.0
        for batch in data:
            total += strategy.reduce("SUM", strategy.run(step, args=(batch,)), axis=None)
        return total

    data = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0]).batch(2))
    assert train(data).numpy() == 6.0 and weight.numpy() == 7.0
    (only,) = strategy.experimental_local_results(strategy.run(step, args=(tf.constant([1.0]),)))
    assert only.numpy() == 1.0 and strategy.gather(tf.constant([1, 2]), axis=0).numpy().tolist() == [1, 2]


@pytest.mark.usefixtures("_with_or_without_jax")
def test_a_distribution_of_keras_over_one_device() -> None:
    pytest.importorskip("jax")
    with tf.keras.distribution.DataParallel(devices=["cpu:0"]).scope():
        model = new_model()
        history = model.fit(X, Y, verbose=0).history
    np.testing.assert_allclose(history["loss"], new_model().fit(X, Y, verbose=0).history["loss"], rtol=1e-6)


def test_a_strategy_that_is_set() -> None:
    strategy = tf.distribute.OneDeviceStrategy()
    try:
        tf.distribute.experimental_set_strategy(strategy)
        assert tf.distribute.get_strategy() is strategy and tf.distribute.in_cross_replica_context()
    finally:
        tf.distribute.experimental_set_strategy(None)
    assert not tf.distribute.has_strategy() and not tf.distribute.in_cross_replica_context()


