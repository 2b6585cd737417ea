"""Tuples whose length only the run tells: what a Python tuple becomes when staged code adds to it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from autograph.errors import MutationError

from ..control.errors import where
from ..heap import aliases
from .lists import KINDS, ListState, StagedList, kind_of


class StagedTuple(StagedList):
    """A tuple in a graph: a staged list that never changes."""

    __slots__ = ()
    _class = tuple

    def __add__(self, other: Any) -> StagedList:
        if kind_of(other) is not tuple:
            raise TypeError(f'can only concatenate tuple (not "{kind_of(other).__name__}") to tuple')
        return tuple_of(self, other)

    __iadd__ = __add__
    __eq__ = StagedList.__eq__

    def __radd__(self, other: Any) -> StagedList:
        if isinstance(other, list):
            raise TypeError('can only concatenate list (not "tuple") to list')
        return tuple_of(other, self)

    def __imul__(self, times: object) -> StagedList:
        made: StagedList = self * times
        return made

    def _store(self, state: ListState) -> NoReturn:
        name = f" `{self.name}`" if self.name else ""
        raise MutationError(
            f"an element of the tuple{name} is changed, whose length only the run tells; it is a copy",
            **where(),
            construct=self.name or None,
            remedy="keep the elements in a list",
        )

    def __getattribute__(self, name: str) -> Any:
        if name in _OF_LISTS:
            raise AttributeError(f"'tuple' object has no attribute '{name}'")
        return super().__getattribute__(name)

    def __hash__(self) -> NoReturn:  # type: ignore[override]
        raise self.refused("its hash, as a key of a dict or set,", "use numbers or strings as keys")

    def __setitem__(self, index: object, value: object) -> NoReturn:
        raise TypeError("'tuple' object does not support item assignment")

    def __delitem__(self, index: object) -> NoReturn:
        raise TypeError("'tuple' object doesn't support item deletion")


_OF_LISTS = frozenset(("append", "clear", "copy", "extend", "insert", "pop", "remove", "reverse", "sort"))


def tuple_of(*parts: Iterable[Any]) -> StagedList:
    """A staged tuple of the elements of some tuples or lists, of which some are staged."""
    made = StagedList(ListState.of(()))
    for part in parts:
        made.extend(part)
    found = StagedTuple(made.state.as_kind(tuple))
    aliases.relate(made, found, aliases.SOMETIMES, aliases.SHARED)
    return found


KINDS[tuple] = StagedTuple
