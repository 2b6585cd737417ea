"""A persistent list: every change makes a new list, and the old one keeps its meaning.

The newest version owns the buffer; an older version remembers how it differs from the next newer one, and copies
only when it is used again. So a loop that pushes, pops and sets on the list it got last costs amortised constant
time per step, with no counting of references. (H. Baker, "Shallow binding makes functional arrays fast", 1991,
with a copy in place of re-rooting, so that reading an old version costs others nothing.)

>>> a = ListValue.of([1, 2])
>>> b = a.push(3)
>>> c = b.set(0, 9)
>>> list(a), list(b), list(c)
([1, 2], [1, 2, 3], [9, 2, 3])
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from threading import RLock
from typing import Any

_lock = RLock()  # handlers of signals, which come at any place, may have lists of their own


class ListValue:
    """An immutable list of arrays, with cheap `push`, `pop` and `set` on the newest version."""

    __slots__ = ("_buffer", "_newer", "_undo")

    def __init__(self, buffer: list[Any]) -> None:
        self._buffer: list[Any] | None = buffer
        self._newer: ListValue | None = None
        self._undo: tuple[Any, ...] = ()

    @classmethod
    def of(cls, items: Iterable[Any] = ()) -> ListValue:
        """A list with these items."""
        return cls(list(items))

    def push(self, item: object) -> ListValue:
        """This list with `item` at the end."""
        with _lock:
            buffer = self._own()
            buffer.append(item)
            return self._hand_over(buffer, ("pop",))

    def pop(self) -> tuple[ListValue, Any]:
        """This list without its last item, and that item; `IndexError` when it is empty."""
        with _lock:
            buffer = self._own()
            item = buffer.pop()
            return self._hand_over(buffer, ("push", item)), item

    def set(self, index: int, item: object) -> ListValue:
        """This list with `item` at `index`; `IndexError` when there is no such place."""
        with _lock:
            buffer = self._own()
            old = buffer[index]
            buffer[index] = item
            return self._hand_over(buffer, ("set", index, old))

    def __getitem__(self, index: int) -> Any:
        with _lock:
            return self._own()[index]

    def __len__(self) -> int:
        with _lock:
            return len(self._own())

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items())

    def items(self) -> list[Any]:
        """The items, in a new Python list."""
        with _lock:
            return list(self._own())

    def __repr__(self) -> str:
        return f"ListValue({self.items()!r})"

    def _hand_over(self, buffer: list[Any], undo: tuple[Any, ...]) -> ListValue:
        newer = ListValue(buffer)
        self._buffer, self._newer, self._undo = None, newer, undo
        return newer

    def _own(self) -> list[Any]:
        """The buffer of this version, rebuilt from the owner's when a newer version has it."""
        if self._buffer is None:
            version, undos = self, []
            while version._buffer is None:
                undos.append(version._undo)
                assert version._newer is not None
                version = version._newer
            buffer = list(version._buffer)
            for undo in reversed(undos):
                _apply(buffer, undo)
            self._buffer, self._newer, self._undo = buffer, None, ()
        return self._buffer


def _apply(buffer: list[Any], undo: tuple[Any, ...]) -> None:
    if undo[0] == "pop":
        buffer.pop()
    elif undo[0] == "push":
        buffer.append(undo[1])
    else:
        buffer[undo[1]] = undo[2]
