"""Results of traced functions that are None or not only when the graph runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import nest
from .tensor import SymbolicTensor


@dataclass(frozen=True)
class OptionalOutput:
    """A part of a traced function's result: `value` where the bool tensor `flag` is true, else None."""

    flag: Any
    value: Any


_in_trace: Callable[[Any, Any], Any] = OptionalOutput


def set_optional(make: Callable[[Any, Any], Any]) -> None:
    """Gives what stands for such a result while another function is traced, made of the flag and the value."""
    global _in_trace
    _in_trace = make


def has_optional(structure: Any) -> bool:
    """Whether a structure holds an `OptionalOutput`."""
    if isinstance(structure, OptionalOutput):
        return True
    return nest.is_nested(structure) and any(has_optional(child) for _, child in nest.children(structure))


def with_values(structure: Any) -> Any:
    """The structure with the value or None in place of each `OptionalOutput`."""
    if isinstance(structure, OptionalOutput):
        value = with_values(structure.value)
        if isinstance(structure.flag, SymbolicTensor):
            return _in_trace(structure.flag, value)
        return value if bool(structure.flag) else None
    if not nest.is_nested(structure):
        return structure
    return nest.rebuild(structure, [with_values(child) for _, child in nest.children(structure)])
