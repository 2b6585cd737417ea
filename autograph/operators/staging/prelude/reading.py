"""What stands for other values while a graph is built: a variable for its value, a dataset for its elements."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from typing import Any

from autograph.runtime.base.streams import Cursor, Stream
from autograph.runtime.state.variable import Variable

from ...data_model.raw_attributes import raw_attribute
from ..heap import heap
from ..heap.forms import is_of_own_class
from ..values.iterables import StagedIterable

# These built-in functions look at the object itself.
_KEEP = frozenset(
    map(id, (ascii, delattr, dir, getattr, hasattr, isinstance, iter, next, print, repr, setattr, type, vars))
)
# These ask an object of a user's class for its class, or for methods of it.
_ASK = (
    _KEEP
    | frozenset(map(id, (bisect.bisect_left, bisect.bisect_right, bisect.insort_left, bisect.insort_right)))
    | frozenset(map(id, (format, str)))
)


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


def read_object(value: object) -> Any:
    """As `read`, but for objects of users' classes of lists and dicts, whose methods are to be asked."""
    return value if is_of_own_class(value) else read(value)


def read_items(value: object) -> Any:
    """What a loop runs over: the value of a variable, the items of a stream, anything else as it is."""
    return StreamItems(value) if isinstance(value, Stream) else read(value)


def reading(function: object, replacement: Callable[..., Any]) -> Callable[..., Any]:
    """The replacement of a built-in function, called with what its arguments stand for."""

    asks = id(function) in _ASK or isinstance(raw_attribute(function, "__self__"), str)

    def seen(read: Callable[[object], Any]) -> Callable[[object], Any]:
        return (lambda value: value if is_of_own_class(value) else read(value)) if asks else read

    def keeping(*arguments: object, **keywords: object) -> Any:
        return replacement(*map(seen(heap.staged), arguments), **keywords)

    def reading_items(*arguments: object, **keywords: object) -> Any:
        given = {key: seen(read_items)(value) for key, value in keywords.items()}
        return replacement(*map(seen(read_items), arguments), **given)

    found = keeping if id(function) in _KEEP else reading_items
    found.__name__ = raw_attribute(function, "__name__", "")  # errors name the function
    return found
