"""`tensor.ref()`: what stands for a tensor or a variable in sets and as a key of dicts."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

__all__ = ["Reference"]


class Reference:
    """A hashable stand-in for a tensor or variable, with what tells it from others: equal when it is the same."""

    __slots__ = ("_identity", "_tensor")

    def __init__(self, tensor: object, identity: Hashable) -> None:
        self._tensor = tensor
        self._identity = identity

    def deref(self) -> Any:
        return self._tensor

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._tensor!r}>"
