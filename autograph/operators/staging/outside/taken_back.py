"""What a trace has changed outside of its graph, to be taken back where the function is traced once more.

Plain Python code at the top of a trace does what it does once, while the function is traced: `log.append(1)`. A trace
that is thrown away, as one more is needed, has done it too early. So each place that converted code has changed gets
back what it held before; nothing else is written.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import partial
from typing import Any

from autograph.runtime.functions.repetitions import Undoings

from ...variables import UNDEFINED
from ..heap.locations import Attribute, Contents, Item, Location, StateOf
from ..heap.refusals import moved_twice
from ..heap.snapshots import Snapshot, difference, restore
from ..heap.state import Journal, stack

Change = tuple[Location, Any, Any]
"""A place, and what it held before and holds now."""


def is_of_outer_trace(change: Change) -> bool:
    """Whether what has changed has been made in the trace around this one: no call could pass it on, and in each call
    it changes anew."""
    return type(change[0]) is StateOf or any(journal.is_created(change[0].owner) for journal in stack())


def effects_of(journal: Journal, others: Iterable[Snapshot]) -> Undoings:
    """What takes back the changes that a journal has seen, and those of `others`."""
    effects: Undoings = {}
    for location, old in journal.changed_variables():
        effects[location.key] = partial(location.set, old)
    for snapshot in (*journal.announced(), *others):
        effects.update(_changes(snapshot))
    if journal.too_far is not None:
        effects |= refusing(journal.too_far)
    for iterator, label in journal.moved_iterators():
        effects[Location, id(iterator)] = partial(_refuse, moved_twice(iterator, label, journal))
    return effects


def refusing(error: BaseException) -> Undoings:
    """What refuses to trace a function once more that has run code of which it can't be told what it has changed."""
    return {Journal: partial(_refuse, error)}


def _refuse(error: BaseException) -> None:
    raise error


def _changes(snapshot: Snapshot) -> Iterator[tuple[Hashable, Callable[[], None]]]:
    obj, old = snapshot.obj, snapshot.copy
    for location, before, _ in difference(snapshot, operator.is_):
        if isinstance(location, Attribute):
            yield location.key, partial(location.set, before)
        elif isinstance(obj, dict) and type(obj).__module__ in ("builtins", "collections") and _only_adds(obj, old):
            for key, value in obj.items():
                if old.get(key, UNDEFINED) is not value:
                    item = Item(obj, key, "")
                    yield item.key, partial(item.set, old.get(key, UNDEFINED))
        else:
            yield (Contents, id(obj)), partial(restore, snapshot)


def _only_adds(new: dict[Any, Any], old: dict[Any, Any]) -> bool:
    """Whether a dict still has the keys that it had, in their order: then each key can be put back by itself."""
    return list(old) == list(new)[: len(old)]
