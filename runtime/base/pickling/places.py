"""Where functions are found by their names, which is how `pickle` writes them."""

from __future__ import annotations

import importlib
import sys
from types import CodeType
from typing import Any, NamedTuple

from autograph.errors import SavingError

__all__ = ["Place", "place_of", "refusal"]

_WRAPPERS = 20  # decorators that are looked through


class Place(NamedTuple):
    """Where an object can be found: a name in a module, and how many `__wrapped__` lead from there."""

    module: str
    name: str
    steps: int

    def found(self) -> Any:
        """What stands there. Raises `ImportError` or `AttributeError` when there is none."""
        value: Any = importlib.import_module(self.module)
        for part in self.name.split("."):
            value = getattr(value, part)
        for _ in range(self.steps):
            value = value.__wrapped__
        return value


def place_of(value: object) -> Place | None:
    """Where a function can be found by its name; None for lambdas, functions in functions, and what is hidden."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or module not in sys.modules:
        return None
    found: Any = sys.modules[module]
    for part in name.split("."):
        found = getattr(found, part, None)
    for steps in range(_WRAPPERS):
        if found is value:
            return Place(module, name, steps)
        found = getattr(found, "__wrapped__", None)
    return None


def refusal(function: object) -> SavingError:
    """The error for a function that has no name to be found by."""
    name = getattr(function, "__qualname__", None) or repr(function)
    if "<lambda>" in name.rpartition(".")[2]:
        why = "a lambda has no name by which it could be found"
    elif "<locals>" in name:
        why = f"it is made inside of `{name.partition('.<locals>')[0]}`, where its name can't be looked up"
    else:
        why = f"`{name}` of the module {getattr(function, '__module__', None)!r} is another object"
    code = getattr(function, "__code__", None)
    return SavingError(
        f"pickle can't write the function `{name}`: pickle takes functions by their names, and {why}",
        remedy="use cloudpickle.dumps, which writes its code, or define it by `def` at the top of a module",
        file=code.co_filename if isinstance(code, CodeType) else None,
        line=code.co_firstlineno if isinstance(code, CodeType) else None,
    )
