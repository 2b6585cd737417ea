"""What one of several processes does: `python -m tests.distribute.worker_checks NAME` prints what it has come to.

The environment variable ``TF_CONFIG`` tells which process it is; without it, ``REPLICAS`` virtual devices of one do the
same.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

import autograph as tf
from autograph.distribute.launch import free_addresses

from .checks import FLAGS, ROOT

DATA = np.random.default_rng(0).normal(size=(70, 8)).astype(np.float32)
LABELS = (DATA.sum(1, keepdims=True) > 0).astype(np.float32)


def together(name: str, count: int) -> list[Any]:
    """What each of so many processes comes to."""
    addresses = free_addresses(count)
    processes = []
    for index in range(count):
        config = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}}
        processes.append(_started(name, TF_CONFIG=json.dumps(config), XLA_FLAGS="--xla_backend_optimization_level=0"))
    return [_ended(each) for each in processes]


def alone(name: str, replicas: int) -> Any:
    """What one process with so many devices comes to."""
    flags = FLAGS.replace("count=8", f"count={replicas}")
    return _ended(_started(name, TF_CONFIG="", XLA_FLAGS=flags))


def _started(name: str, **variables: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "AUTOGRAPH_ENGINE": "", **variables}
    command = [sys.executable, "-m", f"{__package__}.worker_checks", name]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment, cwd=ROOT)


def _ended(process: subprocess.Popen[str]) -> Any:
    try:
        output, errors = process.communicate(timeout=240)
    finally:
        process.kill()
    assert process.returncode == 0, errors
    return json.loads(output.splitlines()[-1])


def trained(strategy: Any) -> Any:
    """A model with what differs between batches and devices, by `fit`: also with a last batch that does not divide."""
    with strategy.scope():
        layers = tf.keras.layers
        model = tf.keras.Sequential([
            layers.Dense(16, activation="relu"), layers.BatchNormalization(), layers.Dropout(0.2), layers.Dense(1),
        ])  # fmt: skip
        loss = tf.keras.losses.BinaryCrossentropy(from_logits=True)
        model.compile(optimizer="adam", loss=loss, metrics=["accuracy"])
    history = model.fit(DATA, LABELS, batch_size=16, epochs=2, verbose=0)
    weights = [weight.tolist() for weight in model.get_weights()]
    return history.history, model.evaluate(DATA, LABELS, verbose=0), model.predict(DATA, verbose=0).tolist(), weights


def looped(strategy: Any) -> Any:
    """A loop of one's own, in Python and as a part of the graph."""
    with strategy.scope():
        weights = tf.Variable(tf.zeros([8, 1]))
        optimizer = tf.keras.optimizers.Adam(0.1)
    batches = tf.data.Dataset.from_tensor_slices((DATA, LABELS)).shuffle(70, seed=3).batch(16)
    batches = strategy.experimental_distribute_dataset(batches)

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.nn.compute_average_loss(tf.reduce_sum((x @ weights - y) ** 2, 1), global_batch_size=16)
        optimizer.apply_gradients([(tape.gradient(loss, weights), weights)])
        return loss

    @tf.function
    def one(batch: Any) -> Any:
        return strategy.reduce("SUM", strategy.run(step, args=batch), axis=None)

    @tf.function
    def epoch() -> Any:
        total = 0.0
        for batch in batches:
            total += strategy.reduce("SUM", strategy.run(step, args=batch), axis=None)
        return total

    return [float(one(batch)) for batch in batches], float(epoch()), weights.numpy().tolist()


def told(strategy: Any) -> Any:
    """What processes make known to each other."""
    number = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
    with strategy.scope():
        started = tf.Variable(np.random.normal(size=3) + number)  # what the chief draws
        count = tf.Variable(
            0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM
        )

    def ids() -> Any:
        context = tf.distribute.get_replica_context()
        own = context.replica_id_in_sync_group
        count.assign_add(own + 1)
        return own, context.all_reduce("SUM", own), tf.random.uniform([])

    own, total, drawn = strategy.run(ids)
    return {
        "replicas": strategy.num_replicas_in_sync, "started": started.numpy().tolist(), "count": int(count),
        "own": [int(each) for each in strategy.experimental_local_results(own)],
        "total": int(strategy.experimental_local_results(total)[0]),
        "drawn": [float(each) for each in drawn.values], "normal": float(tf.random.normal([])),
        "shuffled": [int(each) for each in tf.data.Dataset.range(9).shuffle(9)],
        "chief": strategy.extended.should_checkpoint,
    }  # fmt: skip


def read(strategy: Any) -> Any:
    """Data of which each process reads a part."""

    def own(context: Any) -> Any:
        rows = tf.data.Dataset.range(13).shard(context.num_input_pipelines, context.input_pipeline_id)
        return rows.batch(context.get_per_replica_batch_size(4))

    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    first = int(strategy.experimental_local_results(strategy.run(_id))[0]) * 100
    apart = tf.data.Dataset.from_tensor_slices({"a": np.arange(6) + first}).batch(4).with_options(options)
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.FILE
    files = tf.data.Dataset.range(3).batch(2).with_options(options)
    return {
        "own": _rows(strategy.distribute_datasets_from_function(own)),
        "apart": _rows(strategy.experimental_distribute_dataset(apart)),
        "files": _refusal(lambda: strategy.experimental_distribute_dataset(files)),
        "fit": _refusal(lambda: _model(strategy).fit(tf.data.Dataset.zip((apart, apart)))),
        "failed": _refusal(lambda: strategy.run(_failing)),
        "given": _refusal(lambda: strategy.run(_doubled, args=(tf.constant(first),))),
        "batches": _refusal(lambda: _model(strategy).fit(np.full((4, 1), first), np.zeros((4, 1)), verbose=0)),
    }  # fmt: skip


def _id() -> Any:
    return tf.distribute.get_replica_context().replica_id_in_sync_group


def _doubled(x: Any) -> Any:
    return x * 2


def _failing() -> None:
    tf.debugging.assert_less(_id(), 1, message="too many")


def _model(strategy: Any) -> Any:
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        model.compile(loss="mse")
    return model


def _rows(dataset: Any) -> list[Any]:
    leaves = [batch["a"] if isinstance(batch, dict) else batch for batch in dataset]
    return [[part.numpy().tolist() for part in leaf.values] for leaf in leaves]


def _refusal(function: Any) -> str:
    try:
        function()
    except tf.errors.AutographError as error:
        return f"{type(error).__name__}: {error}"
    return ""


def main(arguments: Sequence[str]) -> None:
    workers = bool(os.environ.get("TF_CONFIG"))
    strategy = tf.distribute.MultiWorkerMirroredStrategy() if workers else tf.distribute.MirroredStrategy()
    tf.random.set_seed(1)
    print(json.dumps(globals()[arguments[0]](strategy)))


if __name__ == "__main__":
    main(sys.argv[1:])
