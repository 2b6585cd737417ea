"""Which of several processes that work together this one is; see `tf.distribute.MultiWorkerMirroredStrategy`."""

from __future__ import annotations

__all__ = ["is_chief", "join"]

_number = 0


def join(number: int) -> None:
    """Note the number of this process among those that work together, from 0."""
    global _number
    _number = number


def is_chief() -> bool:
    """Whether this process writes what all would write: of several the first does, and one alone."""
    return _number == 0
