"""Callbacks: objects that `fit`, `evaluate` and `predict` call when an epoch or batch begins and ends."""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import InvalidArgumentError, SavedFileError
from autograph.runtime.base import processes
from autograph.runtime.tools.export.checkpoint import EXTENSION
from autograph.tracebacks import leaving

from .base.absent import refusing
from .base.tracking import record_of
from .fit.averages import SwapEMAWeights
from .fit.backup import Backup
from .fit.callback import Callback, CallbackList, History, LambdaCallback, Logs, ProgbarLogger
from .fit.monitor import Monitor
from .fit.rates import inner_optimizers, learning_rates
from .fit.tensorboard import TensorBoard

__all__ = [
    "BackupAndRestore", "CSVLogger", "Callback", "CallbackList", "EarlyStopping", "History", "LambdaCallback",
    "LearningRateScheduler", "ModelCheckpoint", "ProgbarLogger", "ReduceLROnPlateau", "SwapEMAWeights", "TensorBoard",
    "TerminateOnNaN",
]  # fmt: skip
__dir__ = __all__.copy
if not TYPE_CHECKING:
    __getattr__ = refusing(__name__)


class EarlyStopping(Monitor):
    """Ends training when a value has not become better for ``patience`` epochs.

    Parameters
    ----------
    monitor, mode: the name of the value, and whether smaller (``min``) or larger (``max``) is better.
    min_delta: the least change that counts.
    baseline: the value to be better than.
    restore_best_weights: whether the weights of the best epoch come back at the end.
    start_from_epoch: epochs before it don't count.
    """

    def __init__(
        self, monitor: str = "val_loss", min_delta: float = 0, patience: int = 0, verbose: int = 0, mode: str = "auto",
        baseline: float | None = None, restore_best_weights: bool = False, start_from_epoch: int = 0
    ) -> None:  # fmt: skip
        super().__init__(monitor, mode, min_delta)
        self.patience = patience
        self.verbose = verbose
        self.baseline = baseline
        self.restore_best_weights = restore_best_weights
        self.start_from_epoch = start_from_epoch
        self.on_train_begin()

    def on_train_begin(self, logs: Logs = None) -> None:
        self.wait = 0
        self.stopped_epoch = 0
        self.best: float | None = None
        self.best_weights: Any = None
        self.best_epoch = 0

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        value = self.value(logs)
        if value is None or epoch < self.start_from_epoch:
            return
        if self.restore_best_weights and self.best_weights is None:
            self.best_weights, self.best_epoch = self.model.get_weights(), epoch
        self.wait += 1
        if self.is_better(value, self.best):
            self.best, self.best_epoch = value, epoch
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            if self.baseline is None or self.is_better(value, self.baseline):
                self.wait = 0
            return
        if self.wait >= self.patience and epoch > 0:
            self.stopped_epoch = epoch
            self.model.stop_training = True

    def on_train_end(self, logs: Logs = None) -> None:
        if self.stopped_epoch > 0 and self.verbose > 0:
            print(f"Epoch {self.stopped_epoch + 1}: early stopping")
        if self.restore_best_weights and self.best_weights is not None:
            if self.verbose > 0:
                print(f"Restoring model weights from the end of the best epoch: {self.best_epoch + 1}.")
            self.model.set_weights(self.best_weights)


class ModelCheckpoint(Monitor):
    """Saves the model after epochs, or after every so many batches.

    Parameters
    ----------
    filepath: a path, in which ``{epoch:02d}`` and ``{val_loss:.2f}`` are filled in; that of models ends in ``.keras``.
    monitor, mode: the name of the value, and whether smaller (``min``) or larger (``max``) is better.
    save_best_only: whether only those that are better than all before.
    save_weights_only: `Model.save_weights` in place of `Model.save`.
    save_freq: ``"epoch"``, or a number of batches.
    initial_value_threshold: the value to be better than.
    """

    def __init__(
        self, filepath: str | os.PathLike[str], monitor: str = "val_loss", verbose: int = 0,
        save_best_only: bool = False, save_weights_only: bool = False, mode: str = "auto",
        save_freq: str | int = "epoch", initial_value_threshold: float | None = None
    ) -> None:  # fmt: skip
        super().__init__(monitor, mode)
        if not save_weights_only and not os.fspath(filepath).endswith(".keras"):
            raise InvalidArgumentError(
                f"The filepath provided must end in `.keras` (Keras model format). Received: filepath={filepath}",
                remedy="add `.keras`, or pass save_weights_only=True",
            )
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise InvalidArgumentError(f'save_freq must be "epoch" or a number of batches, not {save_freq!r}')
        self.filepath = os.fspath(filepath)
        self.verbose = verbose
        self.save_best_only = save_best_only
        self.save_weights_only = save_weights_only
        self.save_freq = save_freq
        self.best = initial_value_threshold
        self._batches = 0
        self._epoch = 0

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        self._epoch = epoch

    def on_train_batch_end(self, batch: int, logs: Logs = None) -> None:
        self._batches += 1
        if self.save_freq != "epoch" and self._batches % int(self.save_freq) == 0:
            self._save(self._epoch, {name: float(np.asarray(value)) for name, value in (logs or {}).items()})

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        if self.save_freq == "epoch":
            self._save(epoch, logs or {})

    def _save(self, epoch: int, logs: dict[str, Any]) -> None:
        try:
            path = self.filepath.format(epoch=epoch + 1, **logs)
        except KeyError as error:
            raise InvalidArgumentError(
                f"the file name {self.filepath!r} needs {error}, which is none of {sorted(logs)}"
            ) from None
        better = ""
        if self.save_best_only:
            value = self.value(logs)
            if value is None:
                return
            if not self.is_better(value, self.best):
                self._tell(epoch, f"{self.monitor} did not improve from {self.best:.5f}")
                return
            before = "None" if self.best is None else f"{self.best:.5f}"
            better = f"{self.monitor} improved from {before} to {value:.5f}, "
            self.best = value
        if not processes.is_chief():
            return
        self._tell(epoch, f"{better}saving model to {path}")
        (self.model.save_weights if self.save_weights_only else self.model.save)(path)
        self._tell(epoch, f"finished saving model to {path}")

    def _tell(self, epoch: int, what: str) -> None:
        if self.verbose > 0:
            print(f"\nEpoch {epoch + 1}: {what}")


class BackupAndRestore(Callback):
    """Keeps the state of `fit`, from which it goes on when the program has been interrupted, and runs again.

    It goes on as if nothing had happened: with the weights, the optimizer, the random numbers and, of datasets that are
    made by `Dataset.shuffle`, the order that it had. Batches that are behind are read again, and left out. What else
    decides the data (files, random numbers of NumPy's) has to be the same. Of several processes the first one writes.

    Parameters
    ----------
    backup_dir: a folder of its own.
    save_freq: ``"epoch"``: after each epoch; or after every so many batches; False: never.
    double_checkpoint: keep the state before the last, too, and take it where the last is damaged.
    delete_checkpoint: remove the folder when training has ended.

    Raises `InvalidArgumentError` for another ``save_freq`` and without a folder; when training begins, `SavedFileError`
    for a state that is damaged.
    """

    def __init__(
        self, backup_dir: str | os.PathLike[str], save_freq: str | int = "epoch", double_checkpoint: bool = False,
        delete_checkpoint: bool = True
    ) -> None:  # fmt: skip
        super().__init__()
        if not backup_dir:
            raise InvalidArgumentError("Empty `backup_dir` argument passed")
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise InvalidArgumentError(
                f"Invalid value for argument `save_freq`. Received: save_freq={save_freq}. Expected either 'epoch' or "
                "an integer value."
            )
        self.backup_dir = os.fspath(backup_dir)
        self.save_freq, self.double_checkpoint, self.delete_checkpoint = save_freq, double_checkpoint, delete_checkpoint
        self._latest, self._previous = (os.path.join(self.backup_dir, name) for name in ("latest", "previous"))
        self._backup: Backup
        self._epoch = self._since = 0
        self._due: tuple[int, Any] | None = None
        """What is to be written when the next batch begins: there is one; else with the end of the epoch."""

    def on_train_begin(self, logs: Logs = None) -> None:
        compiled = record_of(self.model).compiled
        self._backup = Backup(self.model, compiled.source)
        self._epoch, self._since, self._due = 0, 0, None
        compiled.resumption = self._found()

    def _found(self) -> Any:
        there = [path for path in (self._latest, self._previous) if os.path.exists(path + EXTENSION)]
        for path in there:
            try:
                return self._backup.read(path)
            except SavedFileError:
                if path == there[-1]:
                    raise
        return None

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        self._epoch = epoch
        self._backup.begin_epoch()

    def on_train_batch_begin(self, batch: int, logs: Logs = None) -> None:
        if self._due is not None:
            self._write(self._epoch, *self._due)

    def on_train_batch_end(self, batch: int, logs: Logs = None) -> None:
        self._since += 1
        if self.save_freq != "epoch" and self.save_freq and self._since >= int(self.save_freq):
            self._since, self._due = 0, (batch + 1, self._backup.random_state())

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        if self.save_freq == "epoch" or self._due is not None:
            self._write(epoch + 1, 0, self._backup.random_state())

    def _write(self, epoch: int, batches: int, random: Any) -> None:
        self._due = None
        if not processes.is_chief():
            return
        if self.double_checkpoint and os.path.exists(self._latest + EXTENSION):
            os.replace(self._latest + EXTENSION, self._previous + EXTENSION)
        self._backup.write(self._latest, epoch, batches, random)

    def on_train_end(self, logs: Logs = None) -> None:
        if self.delete_checkpoint and processes.is_chief():
            shutil.rmtree(self.backup_dir, ignore_errors=True)


class LearningRateScheduler(Callback):
    """Sets the learning rate before each epoch to ``schedule(epoch, learning_rate)``."""

    def __init__(self, schedule: Callable[..., float], verbose: int = 0) -> None:
        super().__init__()
        self.schedule = schedule
        self.verbose = verbose

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        for name, optimizer in inner_optimizers(self.model):
            rate = float(np.asarray(optimizer.learning_rate))
            try:
                rate = self.schedule(epoch, rate)
            except TypeError:
                rate = self.schedule(epoch)
            optimizer.learning_rate = float(rate)
            if self.verbose > 0:
                what = f"{name} learning rate".lstrip()
                print(f"\nEpoch {epoch + 1}: LearningRateScheduler setting {what} to {float(rate)}.")

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        _note_rate(self.model, logs)


def _note_rate(model: Any, logs: Logs) -> None:
    if logs is not None:
        logs.update(learning_rates(model))


class ReduceLROnPlateau(Monitor):
    """Multiplies the learning rate by ``factor`` when a value has not become better for ``patience`` epochs."""

    def __init__(
        self, monitor: str = "val_loss", factor: float = 0.1, patience: int = 10, verbose: int = 0, mode: str = "auto",
        min_delta: float = 1e-4, cooldown: int = 0, min_lr: float = 0.0
    ) -> None:  # fmt: skip
        if factor >= 1.0:
            raise InvalidArgumentError(f"ReduceLROnPlateau does not support a factor >= 1.0. Received factor={factor}")
        super().__init__(monitor, mode, min_delta)
        self.factor = factor
        self.patience = patience
        self.verbose = verbose
        self.cooldown = cooldown
        self.min_lr = min_lr
        self.on_train_begin()

    def on_train_begin(self, logs: Logs = None) -> None:
        self.best: float | None = None
        self.wait = 0
        self.cooldown_counter = 0

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        _note_rate(self.model, logs)
        value = self.value(logs)
        if value is None:
            return
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if self.is_better(value, self.best):
            self.best, self.wait = value, 0
            return
        if self.cooldown_counter > 0:
            return
        self.wait += 1
        if self.wait < self.patience:
            return
        reduced = [self._reduce(epoch, *each) for each in inner_optimizers(self.model)]
        if any(reduced):
            self.cooldown_counter, self.wait = self.cooldown, 0

    def _reduce(self, epoch: int, name: str, optimizer: Any) -> bool:
        """Make a learning rate smaller; whether it was not as small as may be."""
        rate = float(np.asarray(optimizer.learning_rate))
        if rate <= np.float32(self.min_lr):
            return False
        new = max(rate * self.factor, self.min_lr)
        optimizer.learning_rate = new
        if self.verbose > 0:
            what = f"{name} learning rate".lstrip()
            print(f"\nEpoch {epoch + 1}: ReduceLROnPlateau reducing {what} to {new}.")
        return True


class TerminateOnNaN(Callback):
    """Ends training when the loss is NaN or infinite."""

    def on_batch_end(self, batch: int, logs: Logs = None) -> None:
        loss = (logs or {}).get("loss")
        if loss is not None and not math.isfinite(float(np.asarray(loss))):
            print(f"Batch {batch}: Invalid loss, terminating training")
            self.model.stop_training = True


class CSVLogger(Callback):
    """Writes the losses and metrics of each epoch as a line of a CSV file."""

    def __init__(self, filename: str | os.PathLike[str], separator: str = ",", append: bool = False) -> None:
        super().__init__()
        self.filename = os.fspath(filename)
        self.separator = separator
        self.append = append
        self._names: Iterable[str] | None = None

    def on_train_begin(self, logs: Logs = None) -> None:
        if not processes.is_chief():
            return
        with open(self.filename, "a" if self.append else "w", encoding="utf-8") as file:
            self._names = None if file.tell() == 0 else ()

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        if not processes.is_chief():
            return
        names = sorted(logs or {})
        with open(self.filename, "a", encoding="utf-8") as file:
            if self._names is None:
                file.write(self.separator.join(["epoch", *names]) + "\n")
                self._names = names
            file.write(
                self.separator.join(str(each) for each in [epoch, *((logs or {})[name] for name in names)]) + "\n"
            )


leaving.public_module(__name__)
