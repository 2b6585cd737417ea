"""Workers that are killed in the middle of training: `python -m tests.distribute.kills [--times 20]`.

Two processes train one model, started by `python -m autograph launch`; at a random step one of them gets SIGKILL. All
are started again, go on from the last checkpoint, and have to end with the weights of a run that nobody disturbed, but
for the rounding of float32. The largest difference is printed for each.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import autograph as tf

from .checks import ROOT

WORKERS, STEPS = 2, 15
X = np.random.default_rng(0).normal(size=(80, 8)).astype(np.float32)
Y = (X.sum(1, keepdims=True) > 0).astype(np.float32)


def weights_of(how: str, folder: Path, at: int | None = None, worker: int = 0) -> Any:
    """What launched processes end with, one of which is killed soon after it has begun a step, and how often it was."""
    step = "" if at is None else str(at)
    flags = "--xla_backend_optimization_level=0"
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "AUTOGRAPH_ENGINE": "", "TF_CONFIG": "", "XLA_FLAGS": flags,
                   "KILL": step, "KILL_WORKER": str(worker)}  # fmt: skip
    command = [sys.executable, "-m", "autograph", "launch", "--processes", str(WORKERS), "--grace", "0.5",
               "-m", f"{__package__}.kills", how, str(folder)]  # fmt: skip
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT, timeout=280)
    assert ended.returncode == 0, ended.stderr
    told = dict(line.split("] ", 1) for line in ended.stdout.splitlines() if "[[" in line)  # the last of each
    found = [json.loads(text) for text in told.values()]
    assert len(found) == WORKERS and found[0] == found[1], ended.stdout
    return found[0], ended.stderr.count("was ended by SIGKILL")


def difference(found: Any, expected: Any) -> float:
    """The largest difference between weights."""
    return max(float(np.abs(np.subtract(one, other)).max()) for one, other in zip(found, expected, strict=True))


class _Kill(tf.keras.callbacks.Callback):
    """Kills this process soon after it has begun a step, the first time that all are started."""

    def __init__(self, number: int) -> None:
        super().__init__()
        here = os.environ["AUTOGRAPH_LAUNCH_ATTEMPT"] == "0" and os.environ["KILL_WORKER"] == str(number)
        self._left = int(os.environ["KILL"]) if here and os.environ["KILL"] else -1

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        if self._left == 0:
            delay = random.random() * 0.02
            threading.Timer(delay, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
        self._left -= 1


def _model(strategy: Any) -> Any:
    layers = tf.keras.layers
    with strategy.scope():
        model = tf.keras.Sequential([
            layers.Input((8,)), layers.Dense(8, activation="relu"), layers.Dropout(0.3), layers.Dense(1),
        ])  # fmt: skip
        model.compile(optimizer=tf.keras.optimizers.Adam(0.01), loss="mse")
    return model


def fit(strategy: Any, folder: str, kill: _Kill) -> Any:
    """`fit` with `BackupAndRestore`, which keeps a state after every batch."""
    model = _model(strategy)
    backup = tf.keras.callbacks.BackupAndRestore(folder, save_freq=1)
    model.fit(X, Y, batch_size=16, epochs=STEPS // 5, verbose=0, callbacks=[kill, backup])
    return model


def loop(strategy: Any, folder: str, kill: _Kill) -> Any:
    """A loop of one's own with a `CheckpointManager`."""
    model = _model(strategy)
    with strategy.scope():
        done = tf.Variable(0, trainable=False)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(model=model, done=done), folder, max_to_keep=2)
    manager.restore_or_initialize()

    def step(x: Any, y: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.nn.compute_average_loss(tf.reduce_sum((model(x) - y) ** 2, 1), global_batch_size=16)
        gradients = tape.gradient(loss, model.trainable_variables)
        model.optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))

    @tf.function
    def train(batch: Any) -> None:
        strategy.run(step, args=batch)

    batches = tf.data.Dataset.from_tensor_slices((X, Y)).batch(16).repeat().skip(int(done)).take(STEPS - int(done))
    for batch in strategy.experimental_distribute_dataset(batches):
        kill.on_train_batch_begin(0)
        train(batch)
        done.assign_add(1)
        manager.save()
    return model


def work(how: str, folder: str) -> None:
    """What one process does."""
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    tf.keras.utils.set_random_seed(3)
    number = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
    model = {"fit": fit, "loop": loop}[how](strategy, folder, _Kill(number))
    print(json.dumps([weight.tolist() for weight in model.get_weights()]))


def main(arguments: Sequence[str]) -> None:
    if os.environ.get("TF_CONFIG"):
        work(*arguments)
        return
    parser = argparse.ArgumentParser(prog="python -m tests.distribute.kills", description=__doc__)
    parser.add_argument("--times", type=int, default=20, help="how often a process is killed, with either way (20)")
    times = parser.parse_args(arguments).times
    for how in ("fit", "loop"):
        with tempfile.TemporaryDirectory() as folder:
            expected, _ = weights_of(how, Path(folder) / "whole")
            for number in range(times):
                at, worker = random.randrange(STEPS), random.randrange(WORKERS)
                found, kills = weights_of(how, Path(folder) / str(number), at, worker)
                apart = difference(found, expected)
                print(f"{how}: worker {worker} killed {kills} times, at step {at}: {apart:.0e}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
