"""Composite values: made of tensors and of facts about them. Traced functions take and give them by their tensors.

A composite is a leaf of `nest`. What two composites must share so that one trace serves both is its `CompositeSpec`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

__all__ = ["Composite", "CompositeSpec"]


class CompositeSpec:
    """What is known of a composite value without its tensors: facts about it, and the specs of the tensors."""

    def key(self) -> Hashable:
        """The facts; specs of one class are equal when these are."""
        raise NotImplementedError

    def components(self) -> Sequence[Any]:
        """A `TensorSpec` for each tensor."""
        raise NotImplementedError

    def pack(self, tensors: Sequence[Any]) -> Any:
        """The value made of its tensors: eager ones, or those of a graph."""
        raise NotImplementedError

    def accepts(self, other: CompositeSpec) -> bool:
        """Whether each value of another spec fits this one."""
        return self == other

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.key() == self.key()

    def __hash__(self) -> int:
        return hash((type(self), self.key()))


class Composite:
    """A value made of tensors."""

    @property
    def type_spec(self) -> CompositeSpec:
        """What is known of the value without its tensors."""
        raise NotImplementedError

    def components(self) -> Sequence[Any]:
        """The tensors, in the order of the spec's `components`."""
        raise NotImplementedError
