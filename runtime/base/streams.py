"""What gives its items one by one while a graph runs: the protocol between datasets and staged loops."""

from __future__ import annotations

from typing import Any

from autograph.errors import InvalidTypeError

__all__ = ["Cursor", "Resumable", "Stream"]


class Cursor:
    """A place in a stream, in the current graph. Both methods add nodes with effects."""

    def has_next(self) -> Any:
        """Whether there is another item: a bool tensor. Asking twice changes nothing."""
        raise NotImplementedError

    def next(self, is_there: bool = False) -> Any:
        """The next item; `OutOfRangeError`, when the graph runs, if there is none, unless one surely ``is_there``."""
        raise NotImplementedError


class Stream:
    """A value that a staged ``for`` runs over without holding its items: a dataset, or an iterator over one."""

    def cursor(self) -> Cursor:
        """A place before the first item that the loop gets. Called while a graph is being traced."""
        raise NotImplementedError

    def staged_length(self) -> Any:
        """What ``len`` gives while a graph is being traced: a number, or a tensor. `TypeError` when there is none."""
        raise InvalidTypeError(f"object of type {type(self).__name__!r} has no len()")


class Resumable:
    """What has a place to go on from, which checkpoints keep: an iterator over a dataset."""

    def place(self) -> bytes:
        """Where it is. Raises `SavingError` if nothing tells."""
        raise NotImplementedError

    def go_to(self, place: bytes) -> None:
        """Go on from what `place` has given. Raises `SavedFileError` for what is no place of this."""
        raise NotImplementedError
