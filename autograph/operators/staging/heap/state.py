"""What a staged body may change, where it is kept, and how the changes of one branch are collected and undone.

A `Journal` is open while a staged body is traced. It takes shallow copies of what the body can reach at once (its
closure cells, and the containers and objects in them), and of everything else before it changes: the operators tell
it (`about_to_change`, `outer_writes`). When the body is done, what differs from the copies is what the body has
changed. All of it is put back, so that the other branch starts from the same state.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType, GeneratorType, ModuleType
from typing import Any

import numpy as np

from autograph.errors import MutationError
from autograph.runtime.base.places import Place, user_code
from autograph.runtime.functions import repetitions

from ...data_model.by_type import ByType
from ...data_model.raw_attributes import raw_attribute
from ...data_model.special_methods import lookup, mro
from ...dispatch import Thunk
from ...variables import UNDEFINED
from . import aliases, array_memory, heap, list_changes
from .array_memory import is_tensor
from .locations import (
    Attribute,
    Cell,
    Contents,
    Global,
    Location,
    Mutable,
    is_plain_object,
    locations,
    where,
)
from .snapshots import Snapshot, copy_of, difference, restore


class Journal:
    """Collects what one staged body changes, and puts it back; a context manager.

    ``names`` are the variables that the body may write and that are needed afterwards. Other variables of the body
    are restored too, but don't count as changes, unless a function that the body calls has announced to write them.
    """

    def __init__(self, bodies: Iterable[Callable[..., Any]], names: Iterable[str] = ()) -> None:
        self._variables: dict[tuple[Any, ...], tuple[Location, Any]] = {}
        self._unneeded: dict[tuple[Any, ...], tuple[Location, Any]] = {}
        self._snapshots: dict[int, Snapshot] = {}
        self._created: dict[int, Any] = {}
        self._staged: dict[int, tuple[Any, Any]] = {}
        self._ending: dict[int, weakref.ref[Any]] = {}
        """Objects made inside whose end is seen, or runs code: it is not to wait for the end of the body."""
        self._iterators: dict[int, type] = {}
        """Other iterators made inside, by identity; they hold generators, so they are not kept alive either."""
        self._moved: dict[int, Any] = {}
        self.ends: Callable[[Any], None] | None = None
        """For a turn of a loop that a staged `break` may have left before: notes an iterator that the turn moves, which
        nothing else may use after the loop."""
        self._announced: set[tuple[Any, ...]] = set()
        self.graph: Any = None
        """The graph of the body, if there is one: its tensors are made inside the body."""
        self._announced_at: dict[int, Place | None] = {}
        self.bodies = tuple(bodies)
        for form in array_memory.forms():
            self.note(form, form.name, early=True)
        self.before = repetitions.mark()
        wanted = set(names)
        for location in locations(self.bodies, wanted):
            table = self._variables if location.name in wanted else self._unneeded
            table.setdefault(location.key, (location, location.get()))
        for location, value in (*self._variables.values(), *self._unneeded.values()):
            self._enter(value, location.name)

    outermost = False
    """Whether this is the journal of a whole trace, not that of a staged body."""
    stored: Any = None
    """For the trace of a function, `Stored`: what its staged bodies have stored into."""
    too_far: MutationError | None = None
    """For a whole trace that does not know what unconverted code has changed: the error for tracing it once more."""
    looked_at = 0  # objects, for calls of such code
    around_unconverted = False
    """Whether the code around is not converted: a handler of it sees what Python raises while this is traced."""

    def __enter__(self) -> Journal:
        _local.stack.append(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        _local.stack.remove(self)
        if error is not None:
            self.undo_after(error)

    def undo_after(self, error: BaseException) -> None:
        """To be called when the body has raised."""
        self.undo()

    def _enter(self, value: Any, label: str, depth: int = 1) -> None:
        kind = type(value)
        if kind in (int, float, str, bool, FunctionType, ModuleType, np.ndarray) or value is UNDEFINED or value is None:
            return
        if kind is tuple:
            for each in value if depth else ():
                self._enter(each, label, depth - 1)
        elif heap.has_form(value):
            self.note(value, label, early=True)
            self.note(heap.form(value), label, early=True)
        elif id(value) not in self._snapshots:
            self.note(value, label, early=True)
            snapshot = self._snapshots.get(id(value))
            if snapshot is None or isinstance(value, Mutable):
                return
            if depth and len(snapshot.copy) < 1000:
                children = snapshot.copy.items() if isinstance(snapshot.copy, dict) else enumerate(snapshot.copy)
                for key, each in children:
                    mark = f".{key}" if is_plain_object(value) else f"[{key!r}]"
                    self._enter(each, label + mark, depth - 1)

    # What the operators tell.

    def note(self, obj: object, label: str = "", early: bool = False) -> None:
        """Keeps a copy of an object that is about to change, if it isn't kept yet."""
        obj = aliases.owner_of(obj)
        key = id(obj)
        if key in self._snapshots or key in self._created or self._has_made_ending(key, type(obj)):
            return
        if (copy := copy_of(obj)) is not UNDEFINED:
            self._snapshots[key] = Snapshot(obj, copy, label or type(obj).__name__, early)

    def announce(self, obj: object, where: Place | None) -> None:
        """Keeps a copy of an object that the code at `where` is about to change."""
        self.note(obj)
        self._announced_at[id(obj)] = where

    def watch(self, obj: object, where: Place | None) -> None:
        """Keeps a copy of an object, or of the variables of a function, that code at `where` may be about to change."""
        self.announce(obj, where)
        if isinstance(obj, FunctionType):
            self.note_variables(obj)

    def held_before(self, obj: object) -> list[Any]:
        """What an object has held before it was changed, if a copy of it is kept."""
        snapshot = self._snapshots.get(id(obj))
        if snapshot is None or not isinstance(snapshot.copy, (list, dict, set, deque)):
            return []
        return list(snapshot.copy.values() if isinstance(snapshot.copy, dict) else snapshot.copy)

    def announced_at(self, obj: object) -> Place | None:
        """The code that may have changed an object last."""
        return self._announced_at.get(id(obj))

    def note_variables(self, load: Thunk) -> None:
        """Keeps the values of the variables that `load` reads."""
        for location in locations((load,), load.__code__.co_names):
            if self.is_created(location.owner):
                continue
            if location.key not in self._unneeded and location.key not in self._variables:
                self._announced.add(location.key)
            self.note_place(location)

    def note_place(self, place: Location) -> None:
        """Keeps what a variable holds that is about to change."""
        known = self._unneeded.pop(place.key, None)
        self._variables.setdefault(place.key, known or (place, place.get()))

    def created(self, obj: object) -> None:
        """Notes that an object has been made inside the body: its changes are its own affair."""
        if _may_end_with_code(type(obj)):
            self._ending[id(obj)] = weakref.ref(obj)
        elif id(obj) not in self._snapshots and not self._has_made_ending(id(obj), type(obj)):
            self._created[id(obj)] = obj

    def hold_weakly(self, reference: weakref.ref[Any]) -> None:
        """Keeps an object alive no longer, if it has been made inside the body."""
        key = id(reference())
        if self._created.pop(key, None) is not None:
            self._ending[key] = reference

    def created_iterator(self, iterator: object) -> None:
        """Notes that an iterator has been made inside the body."""
        if isinstance(iterator, GeneratorType):
            self._ending[id(iterator)] = weakref.ref(iterator)
        else:
            self._iterators[id(iterator)] = type(iterator)

    def has_made(self, key: int, kind: type) -> bool:
        """Whether the object with an identity has been made inside the body."""
        return key in self._created or self._iterators.get(key) is kind or self._has_made_ending(key, kind)

    def _has_made_ending(self, key: int, kind: type) -> bool:
        made = self._ending.get(key)
        return made is not None and type(made()) is kind

    def moves(self, iterator: object) -> None:
        """Notes that an iterator from outside goes forward, and would do so again if the trace were made anew."""
        self._moved[id(iterator)] = iterator

    def moved_iterators(self) -> Iterator[tuple[Any, str]]:
        """The iterators from outside that have gone forward, with their names."""
        variables = [*self._variables.values(), *self._unneeded.values()]
        for iterator in self._moved.values():
            yield iterator, next((place.name for place, value in variables if value is iterator), "")

    def staged(self, obj: object, form: object) -> None:
        """Notes that a list or dict has got a staged form; that is a change of its contents."""
        self.note(obj)
        self._staged[id(obj)] = obj, form

    def has_staged(self, obj: object) -> bool:
        """Whether a list or dict has got its staged form since this journal is open."""
        return id(obj) in self._staged

    @staticmethod
    def _same(new: object, old: object) -> bool:
        return heap.original(new) is heap.original(old)

    def knows(self, obj: object) -> bool:
        """Whether changes of an object are seen, or its own affair as it has been made inside the body."""
        return id(obj) in self._snapshots or self.has_made(id(obj), type(obj))

    def is_created(self, obj: Any) -> bool:
        """Whether the object has been made inside the body."""
        return self.has_made(id(obj), type(obj)) or (self._has_tensor(obj) and obj.value not in self.graph.parameters)

    def is_inside(self, obj: object) -> bool:
        """Whether the object has been made inside the body, or for it: nothing else can have it afterwards."""
        return self.has_made(id(obj), type(obj)) or self._has_tensor(obj)

    def _has_tensor(self, obj: Any) -> bool:
        return self.graph is not None and is_tensor(obj) and bool(obj.value.node.graph.encloses_me(self.graph))

    def note_owner(self, place: Location) -> None:
        """Keeps what a place holds, as `note` or `note_place` does."""
        if isinstance(place, (Cell, Global)):
            if not self.is_created(place.owner):
                self.note_place(place)
        else:
            self.note(place.owner, place.prefix if isinstance(place, Attribute) else place.name)

    # What the body has done.

    def changes(self) -> dict[tuple[Any, ...], tuple[Location, Any, Any]]:
        """Returns location, old and new value of what has changed; one that is `Uncarried` is refused."""
        found: dict[tuple[Any, ...], tuple[Location, Any, Any]] = {}
        for location, old in self._variables.values():
            new = location.get()
            if not self._same(new, old):
                found[location.key] = location, old, new
        for key, snapshot in [*self._snapshots.items()]:  # code that ends garbage may add others meanwhile
            if key in self._staged:
                place = Contents(snapshot.obj, snapshot.label)
                found[place.key] = place, snapshot.copy, self._staged[key][1]
            for location, old, new in difference(snapshot, self._same):
                found.setdefault(location.key, (location, old, new))
        return found

    def needed(self) -> list[Location]:
        """The variables that the body may write and that are needed afterwards."""
        return [location for location, _ in self._variables.values()]

    def changed_variables(self) -> Iterator[tuple[Location, Any]]:
        """The variables that hold something else now, with what they held."""
        for location, old in (*self._variables.values(), *self._unneeded.values()):
            if location.get() is not old:
                yield location, old

    def announced(self) -> Iterator[Snapshot]:
        """What converted code has changed, or may have."""
        return (each for key, each in self._snapshots.items() if key in self._announced_at)

    def undo(self) -> None:
        """Puts back all that the body has changed."""
        repetitions.taken_back(self.before)
        for snapshot in [*self._snapshots.values()]:
            list_changes.about_to_restore(snapshot.obj)
        for location, old in self.changed_variables():
            location.set(old)
        self.unstage()
        for snapshot in [*self._snapshots.values()]:
            restore(snapshot)

    def unstage(self) -> None:
        """Takes the staged forms away that lists and dicts have got since the journal is open."""
        for key, (obj, _) in self._staged.items():
            heap.unstage(obj)
            for journal in _local.stack:  # those around it have noted it too
                if journal is not self:
                    journal._staged.pop(key, None)

    def restore(self, obj: object) -> None:
        """Puts back what the body has changed in one object."""
        restore(self._snapshots[id(obj)])

    def is_early(self, obj: object) -> bool:
        """Whether the object is certainly older than the body."""
        snapshot = self._snapshots.get(id(obj))
        return snapshot is not None and snapshot.early


class _Local(threading.local):
    def __init__(self) -> None:
        self.stack: list[Journal] = []
        self.ending: list[weakref.ref[Any]] = []
        """What the trace has made whose end may run code of the user's, or is seen by weak references."""


_local = _Local()


def stack() -> list[Journal]:
    """The open journals of this thread, outermost first."""
    return _local.stack


def about_to_change(obj: object) -> None:
    """Notes in every open journal what `obj` holds before it changes.

    Raises:
        MutationError: the object is out of date (see `aliases`).
    """
    obj = aliases.owner_of(obj)
    aliases.change(obj)
    place = user_code()
    for journal in _local.stack:
        journal.announce(obj, place)


def about_to_change_inside(obj: object) -> None:
    """Notes what the containers hold that are attributes of an object, of which a method may change them."""
    for held in raw_attribute(obj, "__dict__", {}).values():
        if isinstance(held, (list, dict, set, deque, np.ndarray)):
            heap.refuse_staged(held)
            about_to_change(held)


def forget() -> None:
    """Called when a trace ends."""
    heap.forget()
    aliases.forget()
    _local.ending.clear()


def outer_writes(load: Thunk) -> None:
    """Notes in every open journal the variables that a function reads through `load`."""
    for journal in _local.stack:
        journal.note_variables(load)


def created(obj: object) -> None:
    """Notes in every open journal that `obj` is new."""
    if _local.stack and _may_end_with_code(type(obj)):
        _local.ending.append(weakref.ref(obj))
    for journal in _local.stack:
        journal.created(obj)


def hold_weakly(values: Iterable[Any]) -> None:
    """To be called with what gets weak references, which are to tell when nothing of the program's holds it.

    Raises:
        MutationError: it may be one of several objects, as a staged condition decides.
    """
    for each in values:
        if not any(journal.is_created(each) for journal in _local.stack):
            continue
        try:
            reference = weakref.ref(each)
        except TypeError:
            continue
        if aliases.is_known(each):
            raise MutationError(
                f"an object of class `{type(each).__name__}` gets a weak reference, and a staged branch or loop has "
                "decided which object it is: the graph has made it of those, and keeps them",
                **where(),
                construct="weakref",
                remedy="keep the object itself in place of a weak reference to it",
            )
        _local.ending.append(reference)
        for journal in _local.stack:
            journal.hold_weakly(reference)


@ByType
def _may_end_with_code(cls: type) -> bool:
    """Whether Python may run code of the user's when nothing holds an object any more; weak references tell of it."""
    has_end = isinstance(lookup(mro(cls), "__del__"), FunctionType) and hasattr(cls, "__weakref__")
    return cls is GeneratorType or (has_end and not cls.__module__.startswith("autograph."))


def ending() -> list[Any]:
    """What the trace has made, and is still there, whose end may run code of the user's, or is seen."""
    _local.ending = [each for each in _local.ending if each() is not None]
    return [obj for each in _local.ending if (obj := each()) is not None]


def created_with_parts(structure: object) -> None:
    """Notes in every open journal that a value is new, and so are the lists and dicts in it; other objects in it may
    be older."""
    if not isinstance(structure, tuple):
        created(structure)
    if isinstance(structure, (list, dict, tuple)):
        for each in structure.values() if isinstance(structure, dict) else structure:
            if isinstance(each, (list, dict, tuple)):
                created_with_parts(each)
