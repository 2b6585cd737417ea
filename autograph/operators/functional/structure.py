"""Which parts of a value are arrays, and what the rest is: containers, and other objects."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np

from .library import Library

NUMBERS = (bool, int, float, complex)


class Parts:
    """A value taken apart by one level: what it is but for its parts (``kind``), and these."""

    __slots__ = ("kind", "parts", "tree")

    def __init__(self, kind: Any, parts: list[Any], tree: Any = None) -> None:
        self.kind = kind
        self.parts = parts
        self.tree = tree

    def is_like(self, other: Parts) -> bool:
        """Whether two values differ in their parts alone."""
        return bool(self.kind == other.kind and self.tree == other.tree and len(self.parts) == len(other.parts))

    def with_parts(self, parts: list[Any]) -> Any:
        """The value with other parts."""
        if self.tree is not None:
            return self.tree(parts)
        kind = self.kind[0]
        if kind is dict:
            return dict(zip(self.kind[1], parts, strict=True))
        return kind(parts) if kind in (list, tuple) else tuple.__new__(kind, parts)


def parts_of(library: Library, value: Any) -> Parts | None:
    """The parts of a list, tuple, dict or container that the library knows; None for all else."""
    kind = type(value)
    if kind is list or kind is tuple:
        return Parts((kind,), list(value))
    if kind is dict:
        return Parts((dict, tuple(value)), list(value.values()))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return Parts((kind,), list(value))
    if value is None or library.is_leaf(value):
        return None
    found = library.flattened(value)
    return None if found is None else Parts((kind,), *found)


def may_change(value: object) -> bool:
    """Whether a container or an array can be changed in place."""
    if isinstance(value, tuple):
        return False
    parameters = getattr(type(value), "__dataclass_params__", None)
    return not (dataclasses.is_dataclass(value) and parameters is not None and parameters.frozen)


def leaves_of(library: Library, value: object) -> Iterator[Any]:
    """The arrays and numbers in a value, at any depth."""
    if library.is_leaf(value):
        yield value
        return
    found = parts_of(library, value)
    for each in found.parts if found is not None else ():
        yield from leaves_of(library, each)


def changeable_in(library: Library, value: object) -> Iterator[Any]:
    """The objects in a value that can be changed in place, itself included; arrays of the library's apart."""
    if isinstance(value, np.ndarray):
        yield value
    found = None if library.is_leaf(value) else parts_of(library, value)
    if found is not None:
        if may_change(value):
            yield value
        for each in found.parts:
            yield from changeable_in(library, each)
