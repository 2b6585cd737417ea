"""Which parts of a value are arrays, and what the rest is: containers, registered pytrees, and other objects."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

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
            return self.tree.unflatten(parts)
        kind = self.kind[0]
        if kind is dict:
            return dict(zip(self.kind[1], parts, strict=True))
        return kind(parts) if kind in (list, tuple) else tuple.__new__(kind, parts)


def is_leaf(value: object) -> bool:
    """Whether a value is an array, or a number, that a jaxpr can compute."""
    if type(value) in NUMBERS or isinstance(value, jax.Array):
        return True
    return (
        isinstance(value, (np.ndarray, np.generic))
        and jax.dtypes.issubdtype(value.dtype, np.generic)
        and (value.dtype.kind in "biufcV" and value.dtype.names is None)
    )


def parts_of(value: Any) -> Parts | None:
    """The parts of a list, tuple, dict or registered pytree; None for all else."""
    kind = type(value)
    if kind is list or kind is tuple:
        return Parts((kind,), list(value))
    if kind is dict:
        return Parts((dict, tuple(value)), list(value.values()))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return Parts((kind,), list(value))
    if value is None or is_leaf(value):
        return None
    parts, tree = jax.tree_util.tree_flatten(value, is_leaf=lambda each: each is not value)
    return None if len(parts) == 1 and parts[0] is value else Parts((kind,), parts, tree)


def may_change(value: object) -> bool:
    """Whether a container, a pytree or an array can be changed in place."""
    if isinstance(value, tuple):
        return False
    parameters = getattr(type(value), "__dataclass_params__", None)
    return not (dataclasses.is_dataclass(value) and parameters is not None and parameters.frozen)


def leaves_of(value: object) -> Iterator[Any]:
    """The arrays and numbers in a value, at any depth."""
    if is_leaf(value):
        yield value
        return
    found = parts_of(value)
    for each in found.parts if found is not None else ():
        yield from leaves_of(each)


def changeable_in(value: object) -> Iterator[Any]:
    """The objects in a value that can be changed in place, itself included."""
    if isinstance(value, np.ndarray):
        yield value
    found = None if is_leaf(value) else parts_of(value)
    if found is not None:
        if may_change(value):
            yield value
        for each in found.parts:
            yield from changeable_in(each)
