"""What staged `enumerate`, `zip`, `map`, `filter`, `reversed` and `iter` give, made of what a staged loop runs over.

As in Python, functions are called for an item when the loop gets there, one item after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph.errors import StagedValueError
from autograph.runtime.ir.op import OPS

from ...builtin_calls import truth
from ...calls import call
from ..control.conditions import all_of, and_, not_
from ..control.errors import where
from ..heap import heap
from ..values.iterables import Indexed, ListItems, SequenceItems, StagedIterable, Turn


class Reversed(Indexed):
    """Indexed items, the last one first: as in Python, the last of those that there are when this is made."""

    __slots__ = ("inner", "last")

    def __init__(self, inner: Indexed) -> None:
        super().__init__()
        self.inner = inner
        self.last = inner.length() - 1

    def start(self) -> Any:
        return self.last

    def has_next(self, state: Any) -> Any:
        return OPS["logical_and"](state >= 0, state < self.inner.length())

    def next(self, state: Any) -> tuple[Any, Any]:
        return self.inner.item(state), state - 1

    def length(self) -> Any:
        return self.last + 1

    def item(self, index: object) -> Any:
        return self.inner.item(self.last - index)


class Zip(StagedIterable):
    """Several iterables side by side, as long as the shortest."""

    __slots__ = ("calls", "parts", "peeks", "skips")

    def __init__(self, parts: Sequence[StagedIterable]) -> None:
        super().__init__()
        self.parts = tuple(parts)
        self.peeks = any(part.peeks for part in parts)
        self.calls = any(part.calls for part in parts)
        self.skips = any(part.skips for part in parts)
        for position, part in enumerate(parts):
            if part.skips and any(each.calls or each.peeks for each in parts[:position]):
                raise _behind("what is made item by item")

    def start(self) -> Any:
        for part in self.parts:
            part.begin()
        return tuple(part.start() for part in self.parts), False

    def has_next(self, state: Any) -> Any:
        states, ended = state
        return and_(not_(ended), lambda: self._have_next(0, states))

    def _have_next(self, first: int, states: tuple[Any, ...]) -> Any:
        """Whether there is an item of all parts from one on, up to the next whose item the user's code makes."""
        last = self._driver(first)
        if not self.peeks:
            return all_of([self.parts[place].has_next(states[place]) for place in range(first, last + 1)])

        def after(place: int) -> Any:
            known = self.parts[place].has_next(states[place])
            return known if place == last else and_(known, lambda: after(place + 1))

        return after(first)

    def end(self) -> None:
        for part in self.parts:
            part.end()

    def _driver(self, first: int) -> int:
        """The position of the next part, from one on, whose item the user's code makes; else the last one."""
        last = len(self.parts) - 1
        return next((position for position in range(first, last) if self.parts[position].calls), last)

    def advance(self, state: Any, turn: Turn, carried: Any) -> tuple[Any, Any]:
        *after, carried = self._from(0, state[0], (), turn, carried)
        return tuple(after), carried

    def _from(
        self, first: int, states: tuple[Any, ...], items: tuple[Any, ...], turn: Turn, carried: object
    ) -> tuple[tuple[Any, ...], bool, Any]:
        """A step of the parts from one on: their states, whether that was the end, and what is carried on."""
        driver = self._driver(first)
        pairs = [self.parts[position].next(states[position]) for position in range(first, driver)]
        items += tuple(item for item, _ in pairs)
        after, rest = tuple(state for _, state in pairs), states[driver + 1 :]
        held = [_contents(part) for part in self.parts[first:driver]]

        def take(item: object, _: object) -> Any:
            found = (*items, item)
            if not all(map(_are_same, held, map(_contents, self.parts[first:driver]))):
                raise _behind("a list that its function changes")
            if not rest:
                return after, rest, False, turn.take(found, carried)
            known = (*states[: driver + 1], *rest)
            return turn.under(
                self._have_next(driver + 1, known),
                lambda: (after, *self._from(driver + 1, known, found, turn, carried)),
                (after, rest, True, carried),
            )

        given = states[first:driver], rest, False, carried
        state, (before, rest, ended, carried) = self.parts[driver].advance(states[driver], turn.after(take), given)
        return (*before, state, *rest), ended, carried


def _behind(what: str) -> StagedValueError:
    return StagedValueError(
        f"a staged map() or filter() stands in zip() or map() behind {what}",
        **where(),
        construct="zip",
        remedy="make a list of it first: list(filter(…)), or put it before the others",
    )


def _contents(values: StagedIterable) -> Any:
    """What tells whether a list that is run over has been changed."""
    if isinstance(values, Reversed):
        return _contents(values.inner)
    if isinstance(values, SequenceItems):
        form = heap.form(values.values)
        return tuple(form) if form is values.values else form.state
    return values.values.state if isinstance(values, ListItems) else None


def _are_same(before: object, after: object) -> bool:
    if type(before) is tuple and type(after) is tuple:
        return heap.are_same(before, after)
    return before is after


class _Wrapping(StagedIterable):
    """The items of one other iterable, changed or left out."""

    __slots__ = ("calls", "inner", "peeks", "skips")

    def __init__(self, inner: StagedIterable) -> None:
        super().__init__()
        self.inner = inner
        self.peeks, self.calls, self.skips = inner.peeks, inner.calls, inner.skips

    def start(self) -> Any:
        self.inner.begin()
        return self.inner.start()

    def has_next(self, state: object) -> Any:
        return self.inner.has_next(state)

    def advance(self, state: object, turn: Turn, carried: object) -> tuple[Any, Any]:
        return self.inner.advance(state, turn, carried)

    def end(self) -> None:
        self.inner.end()


class Enumerate(_Wrapping):
    """Items with their number."""

    __slots__ = ("first",)

    def __init__(self, inner: StagedIterable, first: object) -> None:
        super().__init__(inner)
        self.first = first

    def start(self) -> Any:
        return self.first, super().start()

    def has_next(self, state: Any) -> Any:
        return self.inner.has_next(state[1])

    def advance(self, state: Any, turn: Turn, carried: Any) -> tuple[Any, Any]:
        def take(item: Any, given: Any) -> Any:
            number, carried = given
            return number + 1, turn.take((number, item), carried)

        after, (number, carried) = self.inner.advance(state[1], turn.after(take), (state[0], carried))
        return (number, after), carried


class Map(_Wrapping):
    """What a function gives for each item."""

    __slots__ = ("function",)

    def __init__(self, function: Callable[..., Any], parts: Sequence[StagedIterable]) -> None:
        super().__init__(Zip(parts))
        self.function = call(function)
        self.calls = True

    def advance(self, state: object, turn: Turn, carried: object) -> tuple[Any, Any]:
        def take(items: Any, given: object) -> Any:
            return turn.take(self.function(*items), given)

        return self.inner.advance(state, turn.after(take), carried)


class Iterator(_Wrapping):
    """What ``iter`` gives: the items as they are."""

    __slots__ = ()


class Filter(_Wrapping):
    """The items for which a function is true."""

    __slots__ = ("function",)

    def __init__(self, function: Callable[..., Any] | None, inner: StagedIterable) -> None:
        super().__init__(inner)
        self.function = None if function is None else call(function)
        self.calls = self.skips = True

    def advance(self, state: object, turn: Turn, carried: object) -> tuple[Any, Any]:
        def take(item: object, given: object) -> Any:
            keeps = truth(item if self.function is None else self.function(item))
            return turn.under(keeps, lambda: turn.take(item, given), given)

        return self.inner.advance(state, turn.after(take), carried)
