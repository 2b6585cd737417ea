"""The state of a training by `fit`, from which another process goes on as if nothing had happened.

It is a checkpoint of the model, with its optimizer, and of all that decides what comes next: how far the epoch has
come, the random numbers, and the order in which datasets are shuffled. What was drawn at the beginning of an epoch,
such as the order of its batches, is drawn again.
"""

from __future__ import annotations

import json
import os
from typing import Any

from autograph.data.kinds.shuffling import memories
from autograph.errors import SavedFileError
from autograph.runtime.ops.random.generators import generators
from autograph.runtime.state.variable import Variable
from autograph.runtime.tensors import trace
from autograph.runtime.tools.export.checkpoint import EXTENSION, Checkpoint, values_of, variables_of
from autograph.runtime.tools.export.weights import save_tensors

__all__ = ["Backup", "Resumption"]


class Resumption:
    """Where `fit` goes on.

    Attributes
    ----------
    epoch: the number of the epoch.
    batches: how many of its batches are behind.
    """

    def __init__(self, epoch: int, batches: int, state: dict[str, Any]) -> None:
        self.epoch, self.batches, self._state = epoch, batches, state

    def begin_epoch(self, source: object) -> None:
        """To be called before the epoch begins again, and its batches are read.

        Raises `SavedFileError` for a dataset that is not made of as many shuffles.
        """
        found, orders = memories(source), self._state["start"]["orders"]
        if len(found) != len(orders):
            raise SavedFileError(
                f"the state that was kept is of a training with a dataset of {len(orders)} shuffles and caches, not of "
                f"{len(found)}: remove it, or train with the same data"
            )
        generators.restore(self._state["start"]["generators"])
        for memory, kept in zip(found, orders, strict=True):
            memory.restore(kept)

    def go_on(self) -> None:
        """To be called when those that are behind have been read."""
        generators.restore(self._state["now"]["generators"])


class Backup:
    """Writes and reads the state of the training of a model with data from ``source``."""

    def __init__(self, model: Any, source: object) -> None:
        self._model, self._source = model, source
        self._start = _random_state(source)
        with trace.building(None):
            self._epoch, self._batches = (Variable(0, trainable=False, dtype="int64") for _ in range(2))
            self._random = Variable(b"", trainable=False)
        parts = {"model": model, "epoch": self._epoch, "batches": self._batches, "random": self._random}
        strategy = model.distribute_strategy
        if strategy.num_replicas_in_sync > 1:
            parts["replicas"] = strategy.random_state
        self._checkpoint = Checkpoint(**parts)

    def begin_epoch(self) -> None:
        """To be called when an epoch begins, before its batches are read."""
        self._start = _random_state(self._source)

    def random_state(self) -> dict[str, Any]:
        """What decides the random numbers and the orders to come."""
        return _random_state(self._source)

    def write(self, path: str, epoch: int, batches: int, now: dict[str, Any]) -> None:
        """Write the state as a whole, or not at all.

        ``batches``: how many of the epoch are behind; ``now``: the `random_state` when they were. What metrics have
        seen is a part of it only within an epoch.
        """
        start = now if batches == 0 else self._start
        self._epoch.assign(epoch)
        self._batches.assign(batches)
        self._random.assign(json.dumps({"start": start, "now": now}).encode())
        os.makedirs(os.path.dirname(path), exist_ok=True)
        passing = {} if batches else {id(each) for metric in self._model.metrics for each in metric.variables}
        variables = variables_of(self._checkpoint).items()
        kept = {name: each for name, each in variables if id(each) not in passing}
        save_tensors(path + EXTENSION, values_of(kept))

    def read(self, path: str) -> Resumption:
        """Set the model to a state. Raises `SavedFileError` for a file that is damaged, and then changes nothing."""
        self._checkpoint.read(path).expect_partial()
        state = json.loads(self._random.numpy())
        return Resumption(int(self._epoch), int(self._batches), state)


def _random_state(source: object) -> dict[str, Any]:
    return {"generators": generators.kept(), "orders": [memory.kept() for memory in memories(source)]}
