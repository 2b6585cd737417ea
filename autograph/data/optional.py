"""`Optional`: an element, or none, of which only the run of a graph may tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError
from autograph.runtime.base import nest
from autograph.runtime.base.composite import Composite
from autograph.runtime.base.dtypes import bool_, float32, string
from autograph.runtime.ir.effects import Effects
from autograph.runtime.ir.graph import Type
from autograph.runtime.ir.op import NOT_DIFFERENTIABLE, op
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.convert import constant, wrap
from autograph.runtime.tensors.spec import TensorSpec

from .iterator import NEXT_OPTIONAL, Position, sample_position
from .structure import UNSAVABLE, Element, normalised, packed, specs_of, types_of
from .values import ElementsSpec

__all__ = ["Optional", "OptionalSpec", "next_or_none"]


def _placeholder(type_: Type) -> Any:
    """An array of a type, of no use but for its type."""
    shape = tuple(size or 0 for size in type_.shape or ())
    return np.full(shape, b"", object) if type_.dtype is string else np.zeros(shape, type_.dtype.numpy)


def _placeholders(types: Sequence[Type]) -> Element:
    return tuple([_placeholder(type_) for type_ in types])


def _next_or_none(position: Position, types: tuple[Type, ...]) -> Any:
    element = position.take_or_none()
    return np.bool_(element is not None), *(_placeholders(types) if element is None else element)


NEXT_OR_NONE = op("iterator_next_or_none", infer=lambda position, types: (Type(bool_, ()), *types),
                  effects=Effects.UPDATES,
                  numpy=_next_or_none, gradient=NOT_DIFFERENTIABLE,
                  samples=lambda: [((sample_position(),), {"types": (Type(float32, ()),)})],
                  unsavable=UNSAVABLE, doc="Whether there is another element, and its components.")  # fmt: skip


def _given(has: object, *components: object) -> Any:
    if not has:
        raise InvalidArgumentError("The given optional does not have a value.")
    return components


GIVEN = op("optional_get_value", infer=lambda has, *types: types, effects=Effects.RAISES, numpy=_given,
           gradient=lambda g, out, has, *components: (None, *g),
           samples=lambda: [((np.bool_(True), np.float32(1.5)), {})],
           raises=(InvalidArgumentError,),
           doc="The components of an optional value; an error where there is none.")  # fmt: skip


@dataclass(init=False, repr=False, eq=False, frozen=True)
class Optional(Composite):
    """A structure of tensors, or none; `from_value` and `empty` make one, and `Iterator.get_next_as_optional`.

    In a traced function the run tells which it is.
    """

    _has: Any
    _tensors: tuple[Any, ...]
    _specs: Any

    def __init__(self, has: object, tensors: Sequence[Any], specs: object) -> None:
        object.__setattr__(self, "_has", has)
        object.__setattr__(self, "_tensors", tuple(tensors))
        object.__setattr__(self, "_specs", specs)

    @staticmethod
    def from_value(value: object) -> Optional:
        """An optional that has a value: a structure of tensors, or of what converts to them."""
        tensors = normalised(value)
        return Optional(constant(True), nest.flatten(tensors, expand_composites=True), specs_of(tensors))

    @staticmethod
    def empty(element_spec: object) -> Optional:
        """An optional without a value, which would have the given specs."""
        placeholders = _placeholders(types_of(element_spec))
        return Optional(constant(False), [wrap(each) for each in placeholders], element_spec)

    def has_value(self, name: str | None = None) -> Any:
        """Whether there is a value, a bool tensor."""
        return self._has

    def get_value(self, name: str | None = None) -> Any:
        """The value. Raises `InvalidArgumentError` where there is none (in a graph: when it runs)."""
        outputs = trace.apply(GIVEN, self._has, *self._tensors, name=name or "get_value")
        if isinstance(self._specs, TensorSpec):
            return outputs[0]
        return nest.pack_sequence_as(self._specs, outputs, expand_composites=True)

    @property
    def element_spec(self) -> Any:
        """The specs of the value."""
        return self._specs

    @property
    def type_spec(self) -> OptionalSpec:
        return OptionalSpec(self._specs)

    def components(self) -> list[Any]:
        return [self._has, *self._tensors]

    def __repr__(self) -> str:
        return f"<Optional element_spec={self._specs!r}>"


class OptionalSpec(ElementsSpec):
    """What an `Optional` must be like: the specs of its value."""

    def components(self) -> list[TensorSpec]:
        found = [TensorSpec(type_.shape, type_.dtype) for type_ in types_of(self.element_spec)]
        # What stands for no value has another shape than a value where that is not known.
        return [TensorSpec((), bool_), *found]

    def pack(self, tensors: Sequence[Any]) -> Optional:
        return Optional(tensors[0], tensors[1:], self.element_spec)

    def __repr__(self) -> str:
        return f"OptionalSpec({self.element_spec!r})"


@NEXT_OPTIONAL.give
def next_or_none(position: object, specs: object) -> Optional:
    """The next element, if there is one: eagerly of a `Position`, in a graph of a tensor that holds one."""
    types = types_of(specs)
    if isinstance(position, Position):
        element = position.take_or_none()
        parts = _placeholders(types) if element is None else element
        tensors = nest.flatten(packed(specs, parts), expand_composites=True)
        return Optional(constant(element is not None), tensors, specs)
    has, *tensors = trace.apply(NEXT_OR_NONE, position, name="next_or_none", types=types)
    return Optional(has, tensors, specs)
