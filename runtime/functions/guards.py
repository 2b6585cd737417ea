"""Values of Python that are constants of a trace, and looked at in each call: another value makes another trace.

They are numbers, strings, None, members of enumerations, tuples of these, tensors, arrays, functions and objects of the
user's, lists and the like that code reads from global variables, and from variables of functions around it. A variable
that has held several tensors or arrays becomes an input of the next trace. To look at five takes some 50 ns: a function
made over the user's own globals and cells, like this one, compares them; of objects, which it doesn't keep alive, by
weak references:

    def same(k0=<value>, k1=<weak reference>):
        try:
            return SCALE is k0 and model is k1() is not None
        except NameError:
            return False
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import CellType, FunctionType
from typing import Any, NamedTuple

import numpy as np

from ..tensors.tensor import EagerTensor
from .arguments import ObjectReference, contents_key

__all__ = ["Guard", "same_values"]


class Guard(NamedTuple):
    """A variable that a trace has as a constant: a key of a module's dict, or a cell."""

    label: str
    place: dict[str, Any] | CellType
    value: Any  # that the trace was made for; an `ObjectReference` to an object of a user's class

    def current(self) -> Any:
        """What the variable holds now; `Guard` itself for nothing."""
        try:
            return self.place[self.label] if isinstance(self.place, dict) else self.place.cell_contents
        except (KeyError, ValueError):
            return Guard

    @property
    def is_array(self) -> bool:
        """Whether its value is a tensor or an array, which is told from others by identity."""
        return isinstance(self.value, (EagerTensor, np.ndarray))

    def key(self, then: bool) -> tuple[str, Any]:
        """The name, and what is equal for equal values: that of when the trace was made, or of now."""
        value = self.value if then else self.current()
        by_identity = self.is_object or isinstance(value, (EagerTensor, np.ndarray))
        return self.label, reference(value) if by_identity else contents_key(value)

    def is_same(self) -> bool:
        """Whether the variable holds that object."""
        value = self.current()
        return value is not None and value is self.value.get() if self.is_object else value is self.value

    @property
    def is_object(self) -> bool:
        """Whether its value is an object of a user's class, which may be gone."""
        return isinstance(self.value, ObjectReference)


def same_values(guards: Iterable[Guard]) -> list[Callable[[], bool]]:
    """Functions that say whether variables hold the objects that they hold now: one for each module."""
    modules: dict[int, tuple[dict[str, Any], list[Guard]]] = {}
    cells: list[Guard] = []
    for guard in guards:
        if isinstance(guard.place, dict):
            modules.setdefault(id(guard.place), (guard.place, []))[1].append(guard)
        else:
            cells.append(guard)
    tables = list(modules.values()) or ([({}, [])] if cells else [])
    made = []
    for i, (table, found) in enumerate(tables):
        made.append(_same(table, found, cells if i == 0 else []))
    return made


def _same(table: dict[str, Any], found: list[Guard], cells: list[Guard]) -> Callable[[], bool]:
    names = [guard.label for guard in found]
    inner = [_unlike(f"cell{i}", names) for i in range(len(cells))]
    constants = [_unlike(f"k{i}", [*names, *inner]) for i in range(len(names) + len(inner))]
    tests = " and ".join(
        f"{name} is {k}{'() is not None' * each.is_object}"  # which it gives for what is gone
        for name, k, each in zip([*names, *inner], constants, [*found, *cells], strict=True)
    )
    free = f"    {' = '.join(inner)} = None\n" if inner else ""
    same = _unlike("same", names)
    text = (
        f"def outer():\n{free}    def {same}({', '.join(constants)}):\n        try:\n            return {tests}\n"
        f"        except NameError:\n            return False\n    return {same}\n"
    )
    scope: dict[str, Any] = {}
    exec(compile(text, "<autograph guard>", "exec"), scope)
    code = scope["outer"]().__code__
    by_name = dict(zip(inner, [guard.place for guard in cells], strict=True))
    closure = tuple([by_name[name] for name in code.co_freevars])
    values = tuple([reference(each.current()).get if each.is_object else each.current() for each in (*found, *cells)])
    return FunctionType(code, table, "same", values, closure)  # type: ignore[arg-type]


def reference(value: object) -> ObjectReference:
    """What stands for an object by its identity."""
    return value if isinstance(value, ObjectReference) else ObjectReference(value)


def _unlike(name: str, others: Iterable[str]) -> str:
    while name in others:
        name = f"_{name}"
    return name
