"""Python's iterators in a trace: no graph moves one, so a trace has to know which it has made itself.

Converted code makes iterators by operators alone, which tell of it (`note_made`), and moves them by operators, which
ask (`use`). An iterator that a staged body has made is its own affair. All others come from outside: a staged body must
not move them, as it would do so once, while tracing; at the top of a trace they go forward once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from types import GeneratorType
from typing import Any

from autograph.errors import MutationError
from autograph.runtime.base.streams import Stream

from ...data_model.by_type import ByType
from ...data_model.special_methods import MISSING, lookup, method, mro
from ...dispatch import backend_of
from . import heap, state
from .locations import where


class _Local(threading.local):
    def __init__(self) -> None:
        self.sources: dict[int, tuple[Any, list[Any]]] = {}
        """What iterators have been made of by a trace: what they run over, functions that they call."""
        self.spent: dict[int, tuple[Any, MutationError]] = {}
        """The iterators of which only the run knows how far they have come, with the error for those who use them."""


_local = _Local()


@ByType
def _is_iterating(cls: type) -> bool:
    return not issubclass(cls, Stream) and lookup(mro(cls), "__next__") is not MISSING


def is_iterator(value: object) -> bool:
    """Whether a value is an iterator of Python, or a file (not one over a dataset, which graphs do move)."""
    return _is_iterating(type(value))


def note_made(iterator: object, sources: Iterable[Any] = ()) -> Any:
    """Notes that an iterator is new, if it is none of those that it is made of; returns it."""
    if state.stack() and is_iterator(iterator) and backend_of(iterator) is None:
        sources = list(sources)
        if not any(each is iterator for each in sources):
            state.created(iterator)
            heap.note_iterator(iterator, sources)
            if sources:
                _local.sources[id(iterator)] = iterator, sources
    return iterator


def making(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes an iterator, or a tuple of some, over its arguments."""

    def make(*arguments: object, **keywords: object) -> Any:
        made = function(*arguments, **keywords)
        for each in made if type(made) is tuple else (made,):
            note_made(each, (*arguments, *keywords.values()))
        return made

    make.__name__ = getattr(function, "__name__", "")
    return make


def made_of(iterator: object) -> list[Any]:
    """What a trace has made an iterator of."""
    return _local.sources.get(id(iterator), (None, []))[1]


def read_by(iterator: object) -> Iterator[Any]:
    """An iterator, and those that move with it, as far as the trace has made them."""
    pending = [iterator]
    while pending:
        each = pending.pop()
        yield each
        pending.extend(filter(is_iterator, made_of(each)))


def moves_in_converted_code(iterator: object) -> bool:
    """Whether an iterator is an object of a user's class, whose changes are seen as those of all objects."""
    return method(type(iterator), "__next__") is not None


def use(value: object, what: str = "a call") -> None:
    """To be called where code is about to move what may be an iterator.

    Raises:
        MutationError: a staged body would move one that it has not made, or only the run knows how far it has come.
    """
    if not state.stack() or not is_iterator(value) or backend_of(value) is not None:
        return
    for each in read_by(value):
        check_end(each)
        strangers = [journal for journal in state.stack() if not journal.is_created(each)]
        bodies = [journal for journal in strangers if not journal.outermost]
        if not bodies:
            for journal in strangers:
                journal.moves(each)
        elif len(bodies) == len(strangers) and all(journal.ends for journal in bodies):
            for journal in bodies:
                if journal.ends is not None:
                    journal.ends(each)
        else:
            raise MutationError(
                f"{what} in a staged branch or loop moves an iterator ({type(each).__name__}) that was made outside "
                "of it",
                construct=what,
                remedy="loop over a list or a tensor, or take its items outside",
                **where(),
            )


def check_end(iterator: object) -> None:
    """Refuses the use of an iterator of which only the run knows how far it has come.

    Raises:
        MutationError: it is one.
    """
    if id(iterator) in _local.spent:
        raise _local.spent[id(iterator)][1]


def using(function: Callable[..., Any], what: str) -> Callable[..., Any]:
    """A function that moves the iterators among its arguments."""

    def run(*arguments: object, **keywords: object) -> Any:
        for each in (*arguments, *keywords.values()):
            use(each, what)
        return function(*arguments, **keywords)

    run.__name__ = getattr(function, "__name__", "")
    return run


def used_turns(values: Any) -> Any:
    """What a loop of Python runs over that may be left and taken up again in a staged body."""
    if not state.stack() or backend_of(values) is not None:
        return values
    return _turns(values if is_iterator(values) else note_made(iter(values), (values,)))


def _turns(iterator: Any) -> Iterator[Any]:
    while True:
        use(iterator, "for")
        try:
            item = next(iterator)
        except StopIteration:
            return
        yield item
        if heap.watching():
            heap.check_iterator(iterator)


def delegating(values: object) -> Any:
    """What ``yield from values`` runs over: as `used_turns`, and what a generator is sent gets there."""
    return _delegating(values) if state.stack() and type(values) is GeneratorType else used_turns(values)


def _delegating(generator: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
    step: Callable[[], Any] = partial(next, generator)
    while True:
        use(generator, "yield from")
        try:
            item = step()
        except StopIteration as stop:
            return stop.value
        try:
            step = partial(generator.send, (yield item))
        except GeneratorExit:
            generator.close()
            raise
        except BaseException as error:
            step = partial(generator.throw, error)


def is_from_outside(iterator: object) -> bool:
    """Whether a trace, at whose top this is, has not made an iterator."""
    journals = state.stack()
    return all(journal.outermost for journal in journals) and not all(each.is_created(iterator) for each in journals)


@contextmanager
def ending(iterator: object) -> Iterator[None]:
    """In here is traced what is left of a loop over an iterator after a staged `break`: only the run knows how far the
    iterator comes.

    Raises:
        MutationError: others have it, to whom it can't be told.
    """
    for each in read_by(iterator):
        if not all(journal.is_created(each) for journal in state.stack()):
            raise _no_more(each)
    try:
        yield
    finally:
        spend(iterator)


def spend(iterator: object) -> None:
    """Notes that only the run knows how far an iterator has come."""
    for each in read_by(iterator):
        _local.spent[id(each)] = each, _no_more(each)


def refusal(values: Iterable[Any]) -> MutationError | None:
    """The error for such an iterator among some values, which would outlive the trace."""
    return next((_local.spent[id(each)][1] for each in values if id(each) in _local.spent), None)


def any_spent() -> bool:
    """Whether there are such iterators."""
    return bool(_local.spent)


def _no_more(iterator: object) -> MutationError:
    return MutationError(
        f"an iterator that has a name ({type(iterator).__name__}) is looped over with a staged `break`: only the "
        "run tells how far it goes",
        construct="for",
        remedy="loop over a list or a tensor, or make the iterator in the `for` statement",
        **where(),
    )


def forget() -> None:
    """Called when a trace ends."""
    _local.sources.clear()
    _local.spent.clear()
