"""The elements of staged lists that can change themselves: lists in lists.

An element that is a list stands for a place in the list that holds it. A change of it is a store into that place, and
what it holds is what the place holds. Where the place has got another element since, or the element may be in another
list too, a change is refused. Elements of other kinds that can change (dicts, objects) are copies; changing them is
refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autograph.errors import MutationError
from autograph.runtime.base import dtypes
from autograph.runtime.ir.op import OPS

from .. import asked
from ..control.errors import where
from ..heap import aliases, heap, rebinding
from ..heap.list_changes import watch
from ..heap.locations import name_of
from ..heap.state import about_to_change, created
from .join import join, repeats
from .lists import ListState, StagedList, kind_of
from .specs import ListOf, Optional, Spec, Tree, is_structure, parts_of, rebuild
from .values import mutables

Path = tuple[int, ...]


class ListElement(StagedList):
    """A list that is an element of a staged list, or a part of one."""

    __slots__ = ("_first", "_moves", "_writes", "depth", "parent", "path", "place")
    is_element = True

    def __init__(self, parent: StagedList, index: object, path: Path) -> None:
        self.parent = parent
        self.place = index
        self.path = path
        self.name = parent.name
        self.depth = parent.depth + 1
        self._moves = self.root.changes.moves(self.depth)
        self._writes = self.root.changes.writes
        held = parent.state
        self._first = held, self._fetched(held)
        created(self)

    @property
    def root(self) -> StagedList:
        return self.parent.root

    @property
    def _is_there(self) -> bool:
        """Whether its place still is the same one of the same list."""
        return self.root.changes.moves(self.depth) == self._moves

    @property
    def state(self) -> ListState:
        if not isinstance(self.root, PythonList):  # which looks at what its elements hold now
            aliases.use(self.root)
        if self.root.changes.is_looked_at:
            raise self._refusal("is put into the list itself", "put a copy into the list (`x.copy()`)")
        held = self.parent.state
        if held is self._first[0]:
            return self._first[1]
        if self._is_there:
            return self._fetched(held)
        if self.root.changes.writes == self._writes and not aliases.is_released_changed(self.root):
            return self._first[1]
        raise self._lost("read")

    def get_state(self) -> Any:
        return None  # the list that holds it has its state

    def set_state(self, state: object) -> None:
        pass

    def _part(self, spec: Spec | None) -> tuple[ListOf, int]:
        """The specification of this list in that of an element, and the number of the first of its tensors."""
        start = 0
        for step in self.path:
            assert isinstance(spec, Tree)
            start += sum(len(each.types()) for each in spec.children[:step])
            spec = spec.children[step]
        assert isinstance(spec, ListOf)
        return spec, start

    def _fetched(self, held: ListState) -> ListState:
        spec, start = self._part(held.spec.element)
        handles = held.handles[start : start + len(spec.types())]
        made = [OPS["list_get"](handle, self.place, dtype=dtypes.variant, shape=()) for handle in handles]
        return ListState(spec, tuple(made))

    def _store(self, state: ListState) -> None:
        about_to_change(self)
        if not self._is_there:
            raise self._lost("changed")
        root = self.root.own()
        aliases.change(root, element=True)
        if repeats(root.get_state().spec):
            raise self._refusal(
                "is changed, and the list may hold it twice; it would be changed in one place alone",
                "put copies into the list (`x.copy()`)",
            )
        held = self.parent.state
        element = _replaced(held.spec.element, self.path, state.spec)
        wide = held.widened(ListOf(element, held.spec.kind, held.spec.repeats))
        spec, start = self._part(element)
        handles = list(wide.handles)
        for number, handle in enumerate(state.widened(spec).handles, start):
            handles[number] = OPS["list_set"](handles[number], self.place, handle)
        root.changes.written()
        self.parent._store(ListState(wide.spec, tuple(handles)))

    def _lost(self, use: str) -> MutationError:
        return self._refusal(
            f"is {use} after the list has changed, and may stand elsewhere in it now",
            "take it from the list again, or change it before",
        )

    def _refusal(self, what: str, remedy: str) -> MutationError:
        root = self.root
        name = name_of(root, root.name)
        owner = f"the list `{name}`" if name and name != kind_of(root).__name__ else "a list"
        return MutationError(f"an element of {owner} {what}", **where(), construct=name or None, remedy=remedy)


def _replaced(spec: Spec | None, path: Path, part: Spec) -> Spec:
    """The specification with another part at the end of a path."""
    if not path:
        return part if spec is None else join(spec, part)
    assert isinstance(spec, Tree)
    children = list(spec.children)
    children[path[0]] = _replaced(children[path[0]], path[1:], part)
    return Tree(spec.kind, spec.keys, children, spec.factory)


class PythonList(StagedList):
    """A Python list of lists, under an index that only the run tells; it becomes a staged list when one changes."""

    __slots__ = ("_seen", "before", "values")

    def __init__(self, values: Any) -> None:
        super().__init__(ListState.of(list(values)))
        self.values = values
        self.before = list(values)
        self.changes = watch(values, _contents)
        self._seen = self.changes.seen
        for part in self.before:
            self.hold(part)

    @property
    def root(self) -> StagedList:
        form = heap.form(self.values)
        return self if form is self.values else form

    @property
    def state(self) -> ListState:
        if heap.has_form(self.values):
            return self.root.state
        for each in mutables(self.values):
            aliases.use(each)
        self.changes.look(self.values)
        if self.changes.seen == self._seen:
            return self._held
        return ListState.of(list(self.values))  # Python code has put others in, or changed an element itself

    def get_state(self) -> Any:
        return None

    def set_state(self, state: object) -> None:
        pass

    def own(self) -> StagedList:
        made: StagedList = rebinding.form_of(self.values, "list")
        return made

    def _store(self, state: ListState) -> None:
        self.own()._store(state)


def sources(values: StagedList) -> list[Any]:
    """The objects of which an element of a list may be one, where it is a list of Python."""
    return [each for part in values.before for each in mutables(part)] if isinstance(values, PythonList) else []


def _contents(values: Any) -> list[Any]:
    """What differs when a list, or one that is an element in it, holds something else."""
    found: list[Any] = []
    for each in values:
        found.append(id(each))
        form = heap.form(each)
        if isinstance(form, StagedList):
            found.append(form.state)
        elif is_structure(form):
            found += _contents(parts_of(each)[1])
    return found


@asked.ELEMENT_AT.give
def element_at(values: StagedList, index: object) -> Any:
    """The element at a place that there is."""
    aliases.use(values.root)
    element = values._element
    if not _can_change(element):
        made = values.at(index)
        for each in mutables(made):
            aliases.relate(each, values.root, aliases.SOMETIMES, aliases.TAKEN)
        return made
    state = values.state
    kinds = element.types()
    leaves = iter(
        [
            OPS["list_get"](handle, index, dtype=kind.dtype, shape=kind.shape)
            for handle, kind in zip(state.handles, kinds, strict=False)
        ]
    )
    return _element(element, leaves, values, index, ())


def _can_change(spec: Spec) -> bool:
    if isinstance(spec, Optional):
        return _can_change(spec.inner)
    if isinstance(spec, Tree):
        return not issubclass(spec.kind, tuple) or any(map(_can_change, spec.children))
    return isinstance(spec, ListOf) and spec.kind is list


def _element(spec: Spec, leaves: Iterator[Any], values: StagedList, index: object, path: Path) -> Any:
    if isinstance(spec, ListOf) and spec.kind is list:
        for _ in spec.types():
            next(leaves)
        return ListElement(values, index, path)
    if not isinstance(spec, Tree):
        held = spec.unflatten(leaves)
        for each in mutables(held):
            created(each)
            aliases.relate(each, values.root, aliases.SOMETIMES, aliases.TAKEN)
        return held
    parts = [_element(child, leaves, values, index, (*path, step)) for step, child in enumerate(spec.children)]
    made = rebuild(spec.kind, spec.keys, parts, spec.factory)
    if not isinstance(made, tuple):
        created(made)
        aliases.relate(made, values.root, aliases.SOMETIMES, aliases.TAKEN)
    return made
