"""NumPy arrays outside a traced function that it changes: what they hold is read before each run, and written after."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from autograph.errors import MutationError
from autograph.runtime.functions.call_state import OUTSIDE, SavedPlace
from autograph.runtime.ir.graph import Graph
from autograph.runtime.tensors import convert

from ..heap import array_forms, array_memory
from ..heap.array_memory import memory_of
from ..heap.locations import Location
from ..heap.refusals import changed_constant
from .outside_places import CLASSES, OutsidePlace, finder


class ArrayContents(Location):
    """What an array holds: in a trace, its staged form does; the array itself is changed by runs alone."""

    __slots__ = ()

    def get(self) -> Any:
        form = array_memory.form_of(self.owner)
        return convert.wrap(np.array(self.owner)) if form is None else form.get_state()

    def set(self, value: object) -> None:
        form = array_memory.form_of(self.owner)
        if form is not None:
            form.set_state(value)


def _kind_of(value: object) -> Any:
    """What is equal for arrays that a trace can do with in the place of each other."""
    return (value.shape, value.dtype.name) if isinstance(value, np.ndarray) else None


class ArrayPlace(OutsidePlace):
    """The contents of an array outside the traced function."""

    _holders: Sequence[tuple[Callable[[], Location], Any]] = ()
    """The attributes that hold it, or views of it, each with the places of these in the memory."""

    def find_through(self, attributes: Iterable[Location], graph: Graph) -> None:
        """Has runs take the array from attributes that hold it, which may hold another one by then.

        For one of another shape or dtype the function is traced again.
        """
        memory = self.location.owner
        held = [each for each in attributes if memory_of(each.get()) is memory]
        self._holders = [(finder(each), array_memory.places_in(memory, each.get())) for each in held]
        if held:
            find, label = self._holders[0][0], held[0].label
            OUTSIDE.of(graph).constants[self.location.key] = lambda: (label, _kind_of(find().get()))

    def set(self, value: object) -> None:
        array_forms.changing(self.location.owner).set_state(value)

    def start(self) -> Sequence[Any]:
        return [self.initial]

    def read(self) -> Sequence[Any]:
        if not self.inputs:
            return ()
        array, places = self._array
        if places is None:
            return [convert.wrap(np.array(array))]
        made = np.empty_like(self._find().owner)
        made.reshape(-1)[places] = array
        return [convert.wrap(made)]

    def write(self, tensors: Sequence[Any]) -> None:
        array, places = self._array
        made = tensors[0].numpy()
        np.copyto(array, made if places is None else made.reshape(-1)[places])

    @property
    def _array(self) -> tuple[Any, Any]:
        """The array, and the places of its elements in the memory that the trace knows; None: it is that memory.

        Raises:
            MutationError: attributes that held it, or views of it, hold several arrays now, or one that is not like it.
        """
        array = self._find().owner
        held = [find().get() for find, _ in self._holders]
        if all(memory_of(each) is array for each in held):
            return array, None
        (find, places), found = self._holders[0], held[0]
        is_alike = type(found) is np.ndarray and found.dtype == array.dtype and found.shape == np.shape(places)
        if not is_alike or found.size != array.size or any(each is not found for each in held):
            raise changed_constant(find().label, array)
        return found, places

    @property
    def is_alive(self) -> bool:
        try:
            return self._array is not None
        except MutationError:
            return False

    def taken(self) -> Sequence[Any] | None:
        array, places = self._array
        if places is not None:
            return None
        return [array_forms.form_of(array).get_state()] if self.inputs else ()

    def given(self, tensors: Sequence[Any]) -> None:
        array_forms.changing(self._array[0]).put(None, tensors[0])

    def saved(self) -> SavedPlace | None:
        found = super().saved()
        if found is None:
            return None
        array, _ = self._array
        value = convert.wrap(np.array(array))
        holder = next((find() for find, _ in self._holders if find().get() is array), None)
        if holder is None:
            return found._replace(owner=None, name=self.label, value=value)
        return found._replace(owner=holder.owner, name=holder.name, value=value)


CLASSES[ArrayContents] = ArrayPlace
