"""The callback that writes curves of training for TensorBoard."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError
from autograph.runtime.base import processes
from autograph.runtime.functions.function import function
from autograph.runtime.tools import summary

from .callback import Callback, Logs
from .rates import learning_rates
from .saved_functions import input_specs

__all__ = ["TensorBoard"]


class TensorBoard(Callback):
    """Writes losses and metrics as event files, which TensorBoard shows; needs the extra ``tensorboard``.

    Parameters
    ----------
    log_dir: the folder; curves of training are in ``train`` inside, those of validation in ``validation``.
    histogram_freq: after so many epochs, each time, histograms of the weights are written; never for 0.
    write_graph: whether the graph of the model is written, if its inputs are known.
    update_freq: ``"epoch"``, or ``"batch"`` or a number of batches after which losses and metrics are written too.
    write_images, write_steps_per_second, profile_batch, embeddings_freq, embeddings_metadata: accepted as in Keras when
        they ask for nothing.

    Raises `InvalidArgumentError` for other values of these.
    """

    def __init__(
        self, log_dir: str | os.PathLike[str] = "logs", histogram_freq: int = 0, write_graph: bool = True,
        write_images: bool = False, write_steps_per_second: bool = False, update_freq: Any = "epoch",
        profile_batch: object = 0, embeddings_freq: int = 0, embeddings_metadata: object = None
    ) -> None:  # fmt: skip
        super().__init__()
        asked = {"write_images": write_images, "write_steps_per_second": write_steps_per_second,
                 "profile_batch": profile_batch, "embeddings_freq": embeddings_freq,
                 "embeddings_metadata": embeddings_metadata}  # fmt: skip
        wrong = next((name for name, value in asked.items() if value), None)
        if wrong is not None:
            raise InvalidArgumentError(f"TensorBoard writes curves, histograms and graphs: leave {wrong} out")
        self.log_dir = os.fspath(log_dir)
        self.histogram_freq = histogram_freq
        self.write_graph = write_graph
        self.update_freq = 1 if update_freq == "batch" else update_freq
        self._writers: dict[str, Any] = {}
        self._batches = 0

    def _writer(self, name: str) -> Any:
        found = self._writers.get(name)
        if found is None:
            folder = os.path.join(self.log_dir, name)
            writes = processes.is_chief()
            found = summary.create_file_writer(folder) if writes else summary.create_noop_writer()
            self._writers[name] = found
        return found

    def on_train_begin(self, logs: Logs = None) -> None:
        self._batches = 0
        specs = input_specs(self.model) if self.write_graph else None
        if specs is not None:
            args, kwargs = specs
            call = function(lambda *args, **kwargs: self.model(*args, **kwargs))
            with self._writer("train").as_default(step=0):
                summary.graph(call.get_concrete_function(*args, **kwargs).graph)

    def on_train_batch_end(self, batch: int, logs: Logs = None) -> None:
        self._batches += 1
        if self.update_freq != "epoch" and self._batches % self.update_freq == 0:
            self._write("train", {f"batch_{name}": value for name, value in (logs or {}).items()}, self._batches)

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        given = logs or {}
        training = {f"epoch_{name}": value for name, value in given.items() if not name.startswith("val_")}
        training |= {f"epoch_{name}": value for name, value in learning_rates(self.model).items()}
        self._write("train", training, epoch)
        validation = {f"epoch_{name[4:]}": value for name, value in given.items() if name.startswith("val_")}
        if validation:
            self._write("validation", validation, epoch)
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            with self._writer("train").as_default():
                for weight in self.model.weights:
                    summary.histogram(f"{weight.path}/histogram", weight, step=epoch)
        for writer in self._writers.values():
            writer.flush()

    def _write(self, name: str, values: dict[str, Any], step: int) -> None:
        with self._writer(name).as_default():
            for tag, value in values.items():
                summary.scalar(tag, float(np.asarray(value)), step=step)

    def on_train_end(self, logs: Logs = None) -> None:
        for writer in self._writers.values():
            writer.close()
        self._writers = {}
