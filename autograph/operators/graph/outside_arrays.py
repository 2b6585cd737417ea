"""NumPy arrays outside a traced function that it changes: what they hold is read before each run, and written after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.runtime import convert
from autograph.runtime.call_state import SavedPlace
from autograph.runtime.tensor import SymbolicTensor

from .. import array_memory
from ..locations import Location
from . import array_forms
from .outside_places import CLASSES, OutsidePlace


class ArrayContents(Location):
    """What an array holds: in a trace, its staged form does; the array itself is changed by runs alone."""

    __slots__ = ()

    def get(self) -> Any:
        form = array_memory.form_of(self.owner)
        return convert.wrap(np.array(self.owner)) if form is None else form.get_state()

    def set(self, value: Any) -> None:
        if type(value) is SymbolicTensor or array_memory.form_of(self.owner) is not None:
            array_forms.form_of(self.owner).set_state(value)


class ArrayPlace(OutsidePlace):
    """The contents of an array outside the traced function."""

    def start(self) -> Sequence[Any]:
        return [self.initial]

    def read(self) -> Sequence[Any]:
        return [convert.wrap(np.array(self._array))] if self.inputs else ()

    def write(self, tensors: Sequence[Any]) -> None:
        np.copyto(self._array, tensors[0].numpy())

    @property
    def _array(self) -> Any:
        return self._find().owner

    @property
    def is_alive(self) -> bool:
        return True

    def taken(self) -> Sequence[Any] | None:
        return [array_forms.form_of(self._array).get_state()] if self.inputs else ()

    def given(self, tensors: Sequence[Any]) -> None:
        array_forms.changing(self._array).put(None, tensors[0])

    def saved(self) -> SavedPlace | None:
        found = super().saved()
        return None if found is None else found._replace(owner=None, name=self.label)


CLASSES[ArrayContents] = ArrayPlace
