"""`BackupAndRestore`: an interrupted `fit` goes on, and ends with the weights of one that was not."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError, SavedFileError
from autograph.runtime.tools.export import weights

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(70, 8)).astype(np.float32)
Y = (X.sum(1, keepdims=True) > 0).astype(np.float32)
EPOCHS, BATCHES = 3, 5
BackupAndRestore = tf.keras.callbacks.BackupAndRestore


class Stop(tf.keras.callbacks.Callback):
    """Interrupts training after so many batches."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.left = after

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.left -= 1
        if self.left == 0:
            raise InterruptedError


def new_model(seed: int = 1) -> Any:
    tf.keras.utils.set_random_seed(seed)
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Dense(8, activation="relu"), layers.Dropout(0.3), layers.Dense(1)])
    model.compile(optimizer=tf.keras.optimizers.Adam(0.01), loss="mse", metrics=["mae"])
    return model


def fitted(model: Any, data: str, *callbacks: Any) -> Any:
    """The history of a training with arrays, or with a dataset that is shuffled, by a seed of its own or by none."""
    given: dict[str, Any] = {"x": X, "y": Y, "batch_size": 16}
    if data != "arrays":
        dataset = tf.data.Dataset.from_tensor_slices((X, Y)).shuffle(70, seed=5 if data == "a seed" else None)
        given = {"x": dataset.batch(16)}
    return model.fit(**given, epochs=EPOCHS, verbose=0, callbacks=list(callbacks)).history


@pytest.mark.parametrize("data", ["arrays", "a seed", "no seed"])
@pytest.mark.parametrize(
    ("every", "after"), [("epoch", 6), ("epoch", 14), (1, 2), (1, 5), (1, 6), (1, 15), (3, 4), (3, 8)]
)
def test_training_goes_on_as_if_nothing_had_happened(data: str, every: Any, after: int, tmp_path: Path) -> None:
    whole = new_model()
    history = fitted(whole, data)
    backup = tmp_path / "backup"
    with pytest.raises(InterruptedError):
        fitted(new_model(), data, BackupAndRestore(backup, save_freq=every), Stop(after))
    model = new_model(seed=7)  # other weights and random numbers, as those of another process are
    rest = fitted(model, data, BackupAndRestore(backup, save_freq=every))
    for found, expected in zip(model.get_weights(), whole.get_weights(), strict=True):
        np.testing.assert_array_equal(found, expected)
    assert {name: values[-len(rest["loss"]) :] for name, values in history.items()} == rest
    assert len(rest["loss"]) == EPOCHS - (after - (every != "epoch")) // BATCHES
    assert not backup.exists()


@pytest.mark.parametrize("data", ["arrays", "no seed"])
def test_it_may_be_interrupted_again_within_the_epoch(data: str, tmp_path: Path) -> None:
    whole = new_model()
    fitted(whole, data)
    for seed, after in ((1, 8), (7, 2), (8, 3)):
        with pytest.raises(InterruptedError):
            fitted(new_model(seed), data, BackupAndRestore(tmp_path, save_freq=1), Stop(after))
    model = new_model(seed=9)
    fitted(model, data, BackupAndRestore(tmp_path, save_freq=1))
    for found, expected in zip(model.get_weights(), whole.get_weights(), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_other_data_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InterruptedError):
        fitted(new_model(), "a seed", BackupAndRestore(tmp_path), Stop(6))
    with pytest.raises(SavedFileError, match="a dataset of 1 shuffles and caches, not of 0"):
        fitted(new_model(), "arrays", BackupAndRestore(tmp_path))


def test_the_state_before_the_last_is_taken_where_that_is_damaged(tmp_path: Path) -> None:
    with pytest.raises(InterruptedError):
        fitted(new_model(), "arrays", BackupAndRestore(tmp_path, double_checkpoint=True), Stop(11))
    latest = next(tmp_path.glob("latest*"))
    latest.write_bytes(latest.read_bytes()[:100])
    keep = BackupAndRestore(tmp_path, double_checkpoint=True, delete_checkpoint=False)
    assert len(fitted(new_model(), "arrays", keep)["loss"]) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["latest.safetensors", "previous.safetensors"]
    for path in tmp_path.iterdir():
        path.write_bytes(b"nothing")
    with pytest.raises(SavedFileError):
        fitted(new_model(), "arrays", BackupAndRestore(tmp_path))


def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(InterruptedError):
        fitted(new_model(), "arrays", BackupAndRestore(tmp_path), Stop(6))
    kept = next(tmp_path.iterdir()).read_bytes()
    monkeypatch.setattr(weights.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        fitted(new_model(), "arrays", BackupAndRestore(tmp_path))
    monkeypatch.undo()
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [kept]


def test_bad_arguments(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="Empty `backup_dir`"):
        BackupAndRestore("")
    with pytest.raises(InvalidArgumentError, match="Expected either 'epoch' or an integer"):
        BackupAndRestore(tmp_path, save_freq="batch")
