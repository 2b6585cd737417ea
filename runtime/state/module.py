"""`Module`: an object that holds variables, and finds them in its attributes and in those of modules inside it."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from autograph.errors import InvalidArgumentError, InvalidTypeError

from ..base import nest
from ..base.pickling.carried import Travelling
from ..tensors import trace
from .variable import Variable

__all__ = ["Module"]

_Method = TypeVar("_Method", bound=Callable[..., Any])


class Module(Travelling):
    """The base of objects that carry variables and traced functions, such as layers and models.

    What it holds in attributes, also in lists, tuples and dicts, and in modules inside these, is found by itself.

    Parameters
    ----------
    name: a Python identifier; the name of the class in lower case with underscores when left out.

    Raises `InvalidArgumentError` for another name.

    >>> class Line(Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.slope = Variable(2.0, name="slope")
    >>> Line().name, [v.name for v in Line().trainable_variables]
    ('line', ['slope:0'])
    """

    holds_state = True  # in attributes that the user sets, of instances of this very class as well

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<!^)(?=[A-Z][a-z])", "_", type(self).__name__).lower()
        elif not isinstance(name, str) or not name.isidentifier():
            raise InvalidArgumentError(
                f"{name!r} is not a valid module name. Module names must be valid Python identifiers (e.g. a valid "
                "class name)."
            )
        self._name = name
        self._scope = f"{trace.current_scope()}{name}/"

    @property
    def name(self) -> str:
        return self._name

    @property
    def name_scope(self) -> ModuleScope:
        """A context manager: names of variables and nodes made inside start with the module's."""
        return ModuleScope(self._scope)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """All variables, by the alphabetical order of attributes; those of modules inside come last."""
        return tuple(_found(self, Variable))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The variables that gradient tapes watch by themselves."""
        return tuple(variable for variable in self.variables if variable.trainable)

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """The other variables."""
        return tuple(variable for variable in self.variables if not variable.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        """All modules inside, at any depth."""
        return tuple(module for module in _found(self, Module) if module is not self)

    @staticmethod
    def with_name_scope(method: _Method) -> _Method:
        """Decorates a method: it runs in the module's name scope."""

        @functools.wraps(method)
        def scoped(self: Module, *args: object, **kwargs: object) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped  # type: ignore[return-value]


class ModuleScope:
    """The name scope of a module: the same wherever it is entered. ``name`` ends with a slash."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._before: list[tuple[Any, str]] = []

    def __enter__(self) -> str:
        holder: Any = trace.current_graph() or trace.LOCAL
        self._before.append((holder, holder.scope))
        holder.scope = self.name
        return self.name

    def __exit__(self, *_: object) -> None:
        holder, scope = self._before.pop()
        holder.scope = scope


def _found(module: Module, kind: type) -> Iterator[Any]:
    """The objects of a kind in a module and in those inside it, each once."""
    seen = {id(module)}
    waiting = [module]
    while waiting:
        inside = []
        holder = waiting.pop()
        for name in sorted(vars(holder)):
            for leaf in _leaves(vars(holder)[name]):
                if id(leaf) in seen:
                    continue
                seen.add(id(leaf))
                if isinstance(leaf, kind):
                    yield leaf
                if isinstance(leaf, Module):
                    inside.append(leaf)
        waiting += reversed(inside)


def _leaves(value: Any) -> Iterator[Any]:
    """The leaves of a structure, dicts in the order of their keys where they have one."""
    if not nest.is_nested(value):
        yield value
        return
    children: Iterable[Any]
    try:
        children = [child for _, child in nest.children(value)]
    except InvalidTypeError:
        children = value.values()
    for child in children:
        yield from _leaves(child)
