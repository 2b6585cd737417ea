"""NumPy arrays that staged code stores into: they become tensors, provided that no other name sees the array.

A store changes an array under all its names, but a tensor takes the place of just one variable (or attribute).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

import numpy as np

from autograph.errors import MutationError
from autograph.runtime.convert import convert_to_tensor
from autograph.runtime.in_place import set_check
from autograph.runtime.tensor import SymbolicTensor

from ..locations import Cell, Item
from ..state import Attribute, stack
from . import memory, reach
from .errors import where
from .memory import Memory

_ROOT = "autograph.operators.graph.tracing"


def as_tensor(array: Any) -> Any:
    """A tensor that stands for an array."""
    tensor = convert_to_tensor(array)
    if isinstance(array, np.ndarray):
        held = memory.of(array)
        assert held is not None
        memory.register(tensor, held)
    return tensor


def note_stored(made: Any, container: Any) -> None:
    """Notes that `made` has taken the place of an array, or of the tensor that stood for it."""
    held = memory.of(container)
    if held is not None:
        held.store()
        memory.register(made, held)


def check_alone(container: Any) -> None:
    """Refuses a store into an array, or the tensor in the place of one, that another name sees.

    Tensors that other names hold are refused when they are used: see `memory`.

    Raises:
        MutationError: there is another name.
    """
    memory.check_current(container)
    held = memory.of(container)
    if held is None:
        return
    if isinstance(container, SymbolicTensor) and memory.is_view(container):
        raise MutationError(
            "a view of an array is stored into by staged code; the array would not see the change",
            **where(),
            construct="item store",
            remedy="store into the array itself, or into a copy of the view (x.copy())",
        )
    names = [name for name, _ in _variables(container)]
    is_element = held.list is not None and not names  # `x[i][j] = v` puts what it makes back into the list
    others = list(_places(held, held.list if is_element else None))
    if memory.is_listed(held) and not is_element:
        others.append("an element of a list")
    if len(others) > isinstance(container, np.ndarray):
        shown = ", ".join(f"`{name}`" for name in dict.fromkeys([*names, *others]))
        raise MutationError(
            f"an array is stored into by staged code, but is also known as {shown}, which would not see the change",
            **where(),
            construct="item store",
            remedy="use the array under one name, and return it from functions that change it",
        )


set_check(check_alone, note_stored)


def _places(held: Memory, values: Any) -> Iterator[str]:
    """The variables, attributes, items and others that hold arrays with the same memory; not the items of `values`."""
    memories = [each.array for each in (held, *held.ancestors) if each.array is not None]
    if not memories:
        return
    found = {
        id(each): each
        for each in reach.reachable(reach.roots())
        if isinstance(each, np.ndarray) and each.size and any(memory.shares_memory(each, other) for other in memories)
    }
    for array in found.values():
        cells: dict[int, str] = {}
        for holder in reach.holders(array):
            if isinstance(holder, Cell):
                cells[id(holder.owner)] = holder.name
            elif not (isinstance(holder, Item) and holder.owner is values):
                yield holder if isinstance(holder, str) else holder.label
        for name, is_shared in _variables(array):
            yield name
            if is_shared:
                cells.pop(next((key for key, each in cells.items() if each == name), 0), None)
        yield from cells.values()


def is_old(array: Any) -> bool:
    """Whether a staged body that is open has not made the array itself."""
    return any(
        isinstance(location, (Cell, Attribute)) and location.get() is array
        for journal in stack()
        if not journal.outermost
        for location in list(journal.places())
    )


def _variables(array: Any) -> Iterator[tuple[str, bool]]:
    """The variables of the running functions that hold an array, and whether inner functions share the variable.

    It counts once then.
    """
    frame: FrameType | None = sys._getframe(1)
    shared: dict[str, CodeType] = {}
    while frame is not None and frame.f_globals.get("__name__") != _ROOT:
        code = frame.f_code
        if not frame.f_globals.get("__name__", "").startswith("autograph."):
            for name, value in frame.f_locals.items():
                if value is array:
                    inner = shared.pop(name, None)
                    if inner is None or inner not in code.co_consts:
                        yield name, name in code.co_freevars or name in code.co_cellvars
                    if name in code.co_freevars:
                        shared[name] = code
        frame = frame.f_back
