"""`Prefetch`: elements made by a thread that runs ahead of the program.

The thread starts when the first element is asked for, and ends with the elements, or soon after the iteration has been
dropped (then after the element that it is making). It knows the queues, not the iterator, so that the iterator can go;
the queues are `SimpleQueue`, which a finalizer may use at any moment.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from queue import SimpleQueue
from typing import Any

from autograph.errors import InvalidArgumentError

from ..arguments import Number, number, static
from ..dataset import AUTOTUNE, Dataset
from ..failures import Item
from ..functions import Environment

__all__ = ["Prefetch"]

_AUTOMATIC = 2
_ELEMENT, _ERROR, _END = range(3)


class Prefetch(Dataset):
    """The same elements, some of them made ahead."""

    _name = "_PrefetchDataset"

    def __init__(self, source: Dataset, size: object) -> None:
        self._size: Number = number(size, "buffer_size")
        known = static(self._size)
        if known is not None:
            _checked(known)
        super().__init__(source.element_spec, [source], [self._size])

    def elements(self, environment: Environment) -> Iterator[Item]:
        size = _checked(environment.number(self._size))
        source = self.sources[0].elements(environment)
        return _Ahead(source, size) if size else source

    def length(self, environment: Environment) -> int:
        return self.sources[0].length(environment)


def _checked(size: int) -> int:
    if size < AUTOTUNE:
        raise InvalidArgumentError("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning")
    return _AUTOMATIC if size == AUTOTUNE else size


class _Ahead:
    """The iterator of the program over what the thread makes."""

    def __init__(self, source: Iterator[Item], size: int) -> None:
        self._source: Iterator[Item] | None = source
        self._ready: SimpleQueue[tuple[int, Any]] = SimpleQueue()
        self._room: SimpleQueue[None] = SimpleQueue()  # one entry for each element that may be made
        self._stopped: list[bool] = []
        self._ended = False
        for _ in range(size):
            self._room.put(None)

    def __iter__(self) -> Iterator[Item]:
        return self

    def __next__(self) -> Item:
        if self._source is not None:
            arguments = self._source, self._ready, self._room, self._stopped
            self._source = None
            threading.Thread(target=_run_ahead, args=arguments, name="prefetch", daemon=True).start()
        if self._ended:
            raise StopIteration
        kind, value = self._ready.get()
        if kind == _ELEMENT:
            self._room.put(None)
            return value
        if kind == _ERROR:
            self._room.put(None)
            raise value
        self._ended = True
        raise StopIteration

    def __del__(self) -> None:
        self._stopped.append(True)
        self._room.put(None)


def _run_ahead(
    source: Iterator[Item], ready: SimpleQueue[tuple[int, Any]], room: SimpleQueue[None], stopped: list[bool]
) -> None:
    """Make elements while there is room."""
    while True:
        room.get()
        if stopped:
            return
        try:
            ready.put((_ELEMENT, next(source)))
        except StopIteration:
            ready.put((_END, None))
            return
        except BaseException as error:  # it belongs to the program's thread
            ready.put((_ERROR, error))
