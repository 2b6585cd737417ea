"""Places outside a traced function that it changes: its runs read them before they start and write them as they end."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from autograph.errors import MutationError
from autograph.runtime.base import dtypes
from autograph.runtime.functions.arguments import key_of
from autograph.runtime.functions.call_state import MISSING, OUTSIDE, SavedPlace, StatePlace
from autograph.runtime.functions.guards import Guard, reference
from autograph.runtime.functions.optional import OptionalOutput
from autograph.runtime.ir.graph import Graph
from autograph.runtime.tensors import convert, trace
from autograph.runtime.tensors.spec import TensorSpec
from autograph.runtime.tensors.tensor import EagerTensor, SymbolicTensor

from ...variables import UNDEFINED
from ..control.errors import where
from ..heap import heap
from ..heap.locations import Attribute, Global, Item, Location, has_attributes
from ..heap.refusals import changed_constant, changed_place
from ..heap.state import about_to_change, stack
from ..values.chosen import Chosen
from ..values.dicts import StagedDict
from ..values.join import join
from ..values.lists import StagedList, kind_of
from ..values.maybe import Maybe
from ..values.specs import Constant, Leaf, Mismatch, Optional, Spec, Tree, parts_of, rebuild
from ..values.values import exported, freeze, spec_of, varying
from .foreseen import foreseen, is_constant

Key = tuple[Any, ...]


class OutsidePlace(StatePlace):
    """A place outside the traced function that its graph reads or writes.

    ``location`` and ``initial``, what it has held, are known only while the function is traced: the graph of a method
    doesn't keep its object alive.
    """

    def __init__(self, location: Location, spec: Spec, initial: object) -> None:
        self.location: Location = location
        self.spec = spec
        self.initial = initial
        self.label = location.label
        self.is_guard = False
        """Whether runs can't read it, as it has held what no tensor can stand for together with what they write."""
        self.is_read = False
        self._find = finder(location)
        self.where = where()
        self._key: Any = None
        self._get: Callable[[], Any] = lambda: self._find().get()
        self._set: Callable[[Any], None] = lambda value: self._find().set(value)
        self._type: tuple[Any, Any] | None = None
        """Dtype and shape, of a place that holds one tensor."""

    def forget(self) -> None:
        """Lets go of what only the trace needs, and makes the quick ways for runs."""
        self._get, self._set = _quick_ways(self.location, self._find)
        if type(self.spec) is Leaf:
            self._type = self.spec.dtype.numpy, self.spec.shape
        del self.location, self.initial

    @property
    def may_miss(self) -> bool:
        """Whether it is an item of a dict that is read, but may not be there."""
        return _may_miss(self.spec) and isinstance(self.location, Item)

    # While its function is traced

    def enter(self, graph: Graph) -> Any:
        """Makes what it holds an input of the graph; returns the staged value."""
        name = re.sub(r"\W+", "_", self.label.rpartition(".")[2]).strip("_")
        self.inputs = [graph.parameter(type_, name) for type_ in self.spec.types()]
        OUTSIDE.of(graph).state.append(self)
        return self.spec.unflatten(map(SymbolicTensor, self.inputs))

    def set(self, value: object) -> None:
        """Sets the place for a trace; the traces around this one keep what it has held."""
        for journal in stack():
            if isinstance(self.location, (Attribute, Item)):
                journal.note(self.location.owner)
            else:
                journal.note_place(self.location)
        self.location.set(value)

    def guard(self, graph: Graph) -> None:
        """Has later calls traced again, and runs of this trace refused, when the place holds something else."""
        find, label = self._find, self.label
        OUTSIDE.of(graph).state.append(self)
        self._key = key_of(self.initial, [])
        self._changed = changed_constant(label, self.initial)
        OUTSIDE.of(graph).constants[self.location.key] = lambda: (label, find().get())

    def leave(self, value: object) -> None:
        """Makes what it is to hold outputs of the graph."""
        tensors: list[Any] = []
        self.spec.flatten(value, tensors)
        self.outputs = [trace.value_of(tensor) for tensor in tensors]

    def start(self) -> Sequence[Any]:
        return self._tensors(freeze(self.initial, lambda _: False))

    def _tensors(self, value: object) -> list[Any]:
        tensors: list[Any] = []
        self.spec.flatten(value, tensors)
        return tensors

    # In runs

    def read(self) -> Sequence[Any]:
        if not self.inputs:
            if self.is_guard and key_of(self._find().get(), []) != self._key:
                raise self._changed
            return ()
        value, spec = self._get(), self.spec
        if self._type is not None and type(value) is EagerTensor:
            dtype, shape = self._type
            if value.array.dtype is dtype and value.array.shape == shape:
                return (value,)
        value = freeze(value, lambda _: False)
        if not _fits(value, spec):
            raise changed_place(self.label, spec, spec_of(value), self.where)
        return self._tensors(value)

    def write(self, tensors: Sequence[Any]) -> None:
        made = tensors[0] if self._type is not None else _resolved(self.spec.unflatten(iter(tensors)))
        self._set(made)

    def saved(self) -> SavedPlace | None:
        location, inner, may_miss = self._find(), self.spec, _may_miss(self.spec)
        if may_miss:
            inner = inner.inner  # type: ignore[attr-defined]
        try:
            template = _template(inner)
        except Mismatch:
            return None
        if self.is_guard:
            return None
        value = location.get()
        value = MISSING if value is UNDEFINED else value
        name = location.index if isinstance(location, Item) else location.name
        owner = location.owner if isinstance(location, (Attribute, Item)) else None
        return SavedPlace(location.key, owner, name, value, template, may_miss)

    @property
    def is_alive(self) -> bool:
        value = self._find().get()
        return key_of(value, []) == self._key if self.is_guard else type(value) is not SymbolicTensor

    # While another function is traced

    def taken(self) -> Sequence[Any] | None:
        location = self._find()
        if not any(journal.outermost for journal in stack()) or heap.has_form(location.owner):
            return None
        if isinstance(location, Item) and _may_miss(self.spec):  # the dict would have to become a staged one
            return None
        if isinstance(location, Attribute) and not has_attributes(location.owner):
            return None
        value = location.get()
        if self.is_guard and key_of(value, []) != self._key:
            return None
        if not _is_value(self.spec):
            return None
        if not self.inputs:
            return ()
        return self._tensors(value) if _is_plain(value) and _fits(value, self.spec) else None

    def given(self, tensors: Sequence[Any]) -> None:
        location = self._find()
        if isinstance(location, (Attribute, Item)):
            about_to_change(location.owner)
        else:
            for journal in stack():
                journal.note_place(location)
        location.set(self.spec.unflatten(iter(tensors)))


CLASSES: dict[type, type[OutsidePlace]] = {}
"""The classes for locations that need one of their own."""


def place_of(owner: object, name: str, template: object, may_miss: bool) -> OutsidePlace:
    """The attribute of an object of a loaded model, or item of a dict, which runs read or write; see `SavedPlace`."""
    spec = _spec_of_template(template)
    location = Item(owner, name, f"dict[{name!r}]") if isinstance(owner, dict) else Attribute(owner, name)
    return OutsidePlace(location, Optional(UNDEFINED, spec) if may_miss else spec, UNDEFINED)


def _template(spec: Spec) -> Any:
    """The template of a specification; see `SavedPlace`.

    Raises:
        Mismatch: there is none.
    """
    if isinstance(spec, Leaf):
        return TensorSpec(spec.shape, spec.dtype)
    if isinstance(spec, Constant):
        return spec.value
    if isinstance(spec, Optional) and spec.missing is None:
        return OptionalOutput(TensorSpec((), dtypes.bool_), _template(spec.inner))
    if isinstance(spec, Tree) and (spec.kind in (list, dict) or issubclass(spec.kind, tuple)):
        return rebuild(spec.kind, spec.keys, [_template(child) for child in spec.children])
    raise Mismatch(spec, spec)


def _spec_of_template(template: object) -> Spec:
    if isinstance(template, TensorSpec):
        return Leaf(template.type.dtype, template.type.shape)
    if isinstance(template, OptionalOutput):
        return Optional(None, _spec_of_template(template.value))
    if isinstance(template, (list, tuple, dict)):
        keys, parts = parts_of(template)
        return Tree(type(template), keys, [_spec_of_template(part) for part in parts])
    return Constant(template)


def _may_miss(spec: Spec) -> bool:
    return isinstance(spec, Optional) and spec.missing is UNDEFINED


def _is_value(spec: Spec) -> bool:
    """Whether a specification is that of values that nothing changes, which may be copied."""
    if isinstance(spec, Optional):
        return _is_value(spec.inner)
    if isinstance(spec, Tree):
        return issubclass(spec.kind, tuple) and all(map(_is_value, spec.children))
    return isinstance(spec, (Leaf, Constant))


def _is_plain(value: object) -> bool:
    """Whether a value, which a place holds in a trace, is one that can be taken for such a specification."""
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    if isinstance(value, Maybe):
        return _is_plain(value.ag__value)
    return not isinstance(value, (StagedList, StagedDict, Chosen))


def _fits(value: object, spec: Spec) -> bool:
    """Whether what a place holds before a run is of the kind that the trace has been made for."""
    try:
        return join(spec, spec_of(value)).types() == spec.types()
    except Mismatch:
        return False


def finder(location: Location) -> Callable[[], Location]:
    """What gives the place again when the graph runs; the graph of a method doesn't keep its object alive."""
    if not isinstance(location, Attribute):
        return lambda: location
    try:
        owner, name, prefix = weakref.ref(location.owner), location.name, location.prefix
    except TypeError:
        return lambda: location

    def find() -> Location:
        held = owner()
        # What is gone, nobody sees: a class that the function has made for itself is collected at some time.
        return Attribute(SimpleNamespace() if held is None else held, name, prefix)

    return find


def _quick_ways(location: Location, find: Callable[[], Location]) -> tuple[Callable[[], Any], Callable[[Any], None]]:
    """What reads a place, and what writes it: past its class where that does the same."""
    table: Callable[[], Any]
    if isinstance(location, Attribute) and not isinstance(location.owner, type):
        try:
            reference = weakref.ref(location.owner)
        except TypeError:
            return lambda: find().get(), lambda value: find().set(value)
        table, key = lambda: reference().__dict__, location.name
    elif isinstance(location, Global) or (isinstance(location, Item) and type(location.owner) is dict):
        owner, key = location.owner, location.index if isinstance(location, Item) else location.name
        table = lambda: owner  # noqa: E731 (one of two)
    else:
        return lambda: find().get(), lambda value: find().set(value)

    def get() -> Any:
        try:
            return table()[key]
        except (KeyError, AttributeError):
            return find().get()

    def set(value: object) -> None:
        try:
            held = table()
        except AttributeError:
            held = ()
        if key in held and value is not UNDEFINED:
            held[key] = value
        else:
            find().set(value)

    return get, set


def _resolved(value: object) -> Any:
    """A value of a run: what may be missing is there or not."""
    if isinstance(value, Maybe):
        return _resolved(value.ag__value) if bool(value.ag__flag) else value.ag__missing
    if isinstance(value, StagedList):
        return kind_of(value)(convert.convert_to_tensor(value))
    if isinstance(value, Chosen):
        return value.resolved()
    if isinstance(value, StagedDict):
        held = {key: _resolved(part) for key, part in value.state.values.items()}
        return {key: part for key, part in held.items() if part is not UNDEFINED}
    return value


def _with_lists_of_one_length(spec: Spec, location: Location) -> Spec:
    """A specification of what the graph reads at its start.

    Raises:
        MutationError: there is a list in it whose length differs from run to run.
    """
    if any(each.dtype is dtypes.variant for each in spec.types()):
        raise MutationError(
            f"`{location.label}` outlives this function, and holds a list whose length differs from run to run",
            **where(),
            construct=location.label,
            remedy="return the list, or keep a tensor: tf.concat([values, [x]], axis=0)",
        )
    return spec


def _can_be_read(location: Location) -> bool:
    """Whether the graph can ask at its start whether a place holds something: of dicts, those that Python looks up."""
    return not isinstance(location, Item) or type(location.owner).__getitem__ is dict.__getitem__


def guessed(
    form: Callable[..., Any], values: Sequence[Any], graph: Graph
) -> tuple[dict[Key, OutsidePlace], dict[Key, Guard], dict[Key, Location], list[Any]]:
    """By their keys, the places of which the code tells that a function called with some values may write them.

    Besides the variables that it reads, and does not write, as they are now, such attributes, and the objects that it
    may come to by names.
    """
    found: dict[Key, OutsidePlace] = {}
    outside = OUTSIDE.of(graph)
    places, constants, attributes, objects = foreseen(form, values)
    guards = {
        each.key: Guard(each.name, each.owner, value if is_constant(value) else reference(value))
        for each in constants
        for value in [each.get()]
    }
    for location in (*places, *[each for each in constants if each.key in outside.varying]):
        value = location.get()
        is_staged = type(value) is SymbolicTensor and not outside.takes_state
        if is_staged or not isinstance(value, (EagerTensor, SymbolicTensor, np.ndarray)):
            continue
        place = found[location.key] = OutsidePlace(location, varying(value), value)
        place.is_read = True
    return found, guards, {each.key: each for each in attributes}, objects


def widen(
    places: dict[Key, OutsidePlace], key: Key, location: Location, old: object, new: object, is_read: bool
) -> bool:
    """Makes the specification of a place hold a value; whether it did so already, or doesn't have to."""
    place = places.get(key)
    spec = exported(new)
    if place is None:
        made = places[key] = CLASSES.get(type(location), OutsidePlace)(location, spec, old)
        if is_read and (old is not UNDEFINED or _can_be_read(location)):
            try:
                joined = join(spec_of(freeze(old, lambda _: False)), spec)
                inner = joined.inner if isinstance(joined, Optional) else joined
                if isinstance(inner, Constant):  # it may be another number
                    joined = join(varying(old), spec)
                    made.is_guard = isinstance(joined, Constant)
                made.spec = _with_lists_of_one_length(joined, location)
                made.is_read = not made.is_guard
            except Mismatch:
                made.is_guard = True
        return not (made.is_read or made.is_guard)
    wider = _with_lists_of_one_length(join(place.spec, spec), location)
    stable = wider == place.spec
    place.spec = wider
    return stable
