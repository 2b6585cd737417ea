"""Python's iterators in a trace: no graph moves one, so a trace has to know which it has made itself.

Converted code makes iterators by operators alone, which tell of it (`note_made`), and moves them by operators, which
ask (`use`). An iterator that a staged body has made is its own affair. All others come from outside: a staged body must
not move them, as it would do so once, while tracing; at the top of a trace they go forward once.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Known:
    """An iterator that a trace knows, and does not keep alive: when the last reference goes, Python closes generators.

    One that the trace has made and that takes no weak reference (`enumerate(…)`, `zip(…)`) goes by identity and class.
    Whoever has the same identity later is no older, so that it has been made in all bodies that have made the first.
    """

    key: int
    kind: type
    reference: Callable[[], Any] | None

    @property
    def is_gone(self) -> bool:
        return self.reference is not None and self.reference() is None

    def is_created_in(self, journal: state.Journal) -> bool:
        """Whether the iterator has been made inside the body of a journal."""
        iterator = None if self.reference is None else self.reference()
        return journal.has_made(self.key, self.kind) if iterator is None else journal.is_created(iterator)


def _known(iterator: Any) -> Known:
    reference: Callable[[], Any] | None
    try:
        reference = weakref.ref(iterator)
    except TypeError:
        is_made = any(journal.is_created(iterator) for journal in state.stack())
        reference = None if is_made else lambda: iterator
    return Known(id(iterator), type(iterator), reference)


class _Local(threading.local):
    def __init__(self) -> None:
        self.sources: dict[int, tuple[type, list[Any], list[Known]]] = {}
        """By identity the class of an iterator that a trace has made, and what it has made it of: what it runs over and
        functions that it calls, and other iterators."""
        self.spent: dict[int, tuple[type, MutationError]] = {}
        """The iterators of which only the run knows how far they have come, with the error for those who use them."""
        self.kept: list[Any] = []
        """Those iterators, so that no others get their identities."""


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
            for journal in state.stack():
                journal.created_iterator(iterator)
            heap.note_iterator(iterator, sources)
            moving = [_known(each) for each in sources if is_iterator(each)]
            _local.sources[id(iterator)] = type(iterator), [each for each in sources if not is_iterator(each)], moving
            if all(method(type(each), "__iter__") is None for each in sources):
                _local.spent.pop(id(iterator), None)  # one that is gone had its identity, if it took no weak reference
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


def is_made(iterator: Known) -> bool:
    """Whether it is known what an iterator has been made of."""
    return any(_made_of(iterator))


def _made_of(iterator: Known) -> tuple[list[Any], list[Known]]:
    kind, parts, moving = _local.sources.get(iterator.key, (None, [], []))
    return (parts, moving) if kind is iterator.kind else ([], [])


def made_of(iterator: Any) -> Iterator[Any]:
    """What a trace has made an iterator of, and the iterators that move with it."""
    for each in read_by(iterator):
        yield from _made_of(each)[0]
        if each.reference is not None and each.key != id(iterator):
            yield each.reference()


def read_by(iterator: Any) -> Iterator[Known]:
    """An iterator, and those that move with it, as far as the trace has made them."""
    pending = [iterator if isinstance(iterator, Known) else _known(iterator)]
    while pending:
        each = pending.pop()
        if not each.is_gone:
            yield each
            pending.extend(_made_of(each)[1])


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
        strangers = [journal for journal in state.stack() if not each.is_created_in(journal)]
        bodies = [journal for journal in strangers if not journal.outermost]
        if not bodies:
            for journal in strangers:
                journal.moves(value if each.reference is None else each.reference())
        elif len(bodies) == len(strangers) and all(journal.ends for journal in bodies):
            for journal in bodies:
                if journal.ends is not None:
                    journal.ends(each)
        else:
            raise MutationError(
                f"{what} in a staged branch or loop moves an iterator ({each.kind.__name__}) that was made outside "
                "of it",
                construct=what,
                remedy="loop over a list or a tensor, or take its items outside",
                **where(),
            )


def check_end(iterator: Any) -> None:
    """Refuses the use of an iterator of which only the run knows how far it has come.

    Raises:
        MutationError: it is one.
    """
    if _local.spent:
        found = refusal([iterator])
        if found is not None:
            raise found


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
        if heap.watching():
            heap.check_iterator(iterator)
        try:
            item = next(iterator)
        except StopIteration:
            return
        yield item


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
        if not state.stack():  # a library traces, and nothing tells who has it
            raise _maybe_more(each)
        if not all(each.is_created_in(journal) for journal in state.stack()):
            raise _no_more(each)
    try:
        yield
    finally:
        spend(iterator)


def spend(iterator: object) -> None:
    """Notes that only the run knows how far an iterator has come."""
    for each in read_by(iterator):
        _local.spent[each.key] = each.kind, _no_more(each)
        _local.kept.append(each.reference and each.reference())
    _local.kept.append(iterator)


def refusal(values: Iterable[Any]) -> MutationError | None:
    """The error for such an iterator among some values, which would outlive the trace."""
    for each in values:
        key, kind = (each.key, each.kind) if type(each) is Known else (id(each), type(each))
        known, error = _local.spent.get(key, (None, None))
        if known is kind:
            return error
    return None


def any_spent() -> bool:
    """Whether there are such iterators."""
    return bool(_local.spent)


def _maybe_more(iterator: Known) -> MutationError:
    return MutationError(
        f"an iterator ({iterator.kind.__name__}) is looped over with a `break` that only the run knows of: how far it "
        "goes can't be told to what else may use it",
        construct="for",
        remedy="loop over a list of its items: list(…)",
        **where(),
    )


def _no_more(iterator: Known) -> MutationError:
    return MutationError(
        f"an iterator that has a name ({iterator.kind.__name__}) is looped over with a staged `break`: only the "
        "run tells how far it goes",
        construct="for",
        remedy="loop over a list or a tensor, or make the iterator in the `for` statement",
        **where(),
    )


def forget() -> None:
    """Called when a trace ends."""
    _local.sources.clear()
    _local.spent.clear()
    _local.kept.clear()
