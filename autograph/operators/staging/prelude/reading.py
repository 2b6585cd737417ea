"""What stands for other values while a graph is built: a variable for its value, a dataset for its elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.runtime.base.streams import Cursor, Stream
from autograph.runtime.state.variable import Variable

from ...data_model.raw_attributes import raw_attribute
from ..heap import heap
from ..values.iterables import StagedIterable

# These built-in functions look at the object itself.
_KEEP = frozenset(map(id, (ascii, delattr, isinstance, iter, next, print, repr, setattr)))


class StreamItems(StagedIterable):
    """The items of a stream, which come one by one when the graph runs."""

    __slots__ = ("_cursor", "stream")
    once = False
    peeks = True

    def __init__(self, stream: Stream) -> None:
        super().__init__()
        self.stream = stream
        self._cursor: Cursor | None = None

    def start(self) -> Any:
        self._cursor = self.stream.cursor()
        return None

    def length(self) -> Any:
        return self.stream.staged_length()

    def has_next(self, state: object) -> Any:
        assert self._cursor is not None
        return self._cursor.has_next()

    def next(self, state: object) -> tuple[Any, Any]:
        assert self._cursor is not None
        return self._cursor.next(is_there=True), None


def read(value: object) -> Any:
    """The value of a variable; anything else as it is."""
    return value.value() if isinstance(value, Variable) else heap.staged(value)


def read_items(value: object) -> Any:
    """What a loop runs over: the value of a variable, the items of a stream, anything else as it is."""
    return StreamItems(value) if isinstance(value, Stream) else read(value)


def reading(function: object, replacement: Callable[..., Any]) -> Callable[..., Any]:
    """The replacement of a built-in function, called with what its arguments stand for."""

    def keeping(*arguments: object, **keywords: object) -> Any:
        return replacement(*map(heap.staged, arguments), **keywords)

    def reading_items(*arguments: object, **keywords: object) -> Any:
        given = {key: read_items(value) for key, value in keywords.items()}
        return replacement(*map(read_items, arguments), **given)

    found = keeping if id(function) in _KEEP else reading_items
    found.__name__ = raw_attribute(function, "__name__", "")  # errors name the function
    return found
