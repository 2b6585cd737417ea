"""``v[key].assign(value)``: tensors that are slices of variables remember that they are.

`Variable.__getitem__` gives an ordinary tensor, and notes here where it comes from, for as long as the tensor lives.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

_slices: dict[int, tuple[weakref.ref[Any], Any, Any]] = {}
_METHODS = frozenset(("assign", "assign_add", "assign_sub"))


def note_slice(tensor: object, variable: object, key: object) -> None:
    """Remember that a tensor is ``variable[key]``."""
    identity = id(tensor)
    _slices[identity] = weakref.ref(tensor, lambda _: _slices.pop(identity, None)), variable, key


def slice_method(tensor: object, name: str) -> Callable[..., Any] | None:
    """The method `assign`, `assign_add` or `assign_sub` of a tensor that is a slice of a variable, else None."""
    found = _slices.get(id(tensor)) if name in _METHODS else None
    if found is None or found[0]() is not tensor:
        return None
    _, variable, key = found

    def assign(value: object, use_locking: bool = False, read_value: bool = True) -> Any:
        return variable.assign_slice(name, key, value, read_value)

    return assign
