"""Converts everything that a module defines, in place."""

from __future__ import annotations

import gc
from dataclasses import dataclass, field
from types import CellType, FunctionType
from typing import Any

from autograph.errors import ConversionError
from autograph.pipeline import converted


def convert_namespace(namespace: dict[str, Any], module_name: str, *, staged: bool) -> Replacements:
    """Converts the functions and methods in `namespace` that belong to the module, and puts them in place.

    Functions that can't be converted stay as they are, with the error in `.failures`; what a decorator has hidden
    behind a function that is not the module's own stays too.
    """
    replacements = Replacements(module_name, staged)
    for name, value in list(namespace.items()):
        if isinstance(value, FunctionType):
            namespace[name] = replacements.member(value)
        elif isinstance(value, type):
            replacements.convert_class(value)
    return replacements


@dataclass
class Replacements:
    """The functions of a module, and what each was converted to."""

    module_name: str
    staged: bool
    converted: dict[int, tuple[FunctionType, FunctionType]] = field(default_factory=dict)
    """Original and converted function by the identity of the original."""
    failures: dict[str, ConversionError] = field(default_factory=dict)
    _classes: set[int] = field(default_factory=set)

    def convert_class(self, cls: type) -> None:
        """Converts the methods of a class and of the classes inside it."""
        if cls.__module__ != self.module_name or id(cls) in self._classes:
            return
        self._classes.add(id(cls))
        for name, value in list(vars(cls).items()):
            replacement = self.member(value)
            if replacement is not value:
                setattr(cls, name, replacement)
            if isinstance(value, type):
                self.convert_class(value)

    def member(self, value: Any) -> Any:
        """What takes the place of a function, static or class method or property; other values stay."""
        if isinstance(value, FunctionType):
            return self._function(value)
        if isinstance(value, (staticmethod, classmethod)) and isinstance(value.__func__, FunctionType):
            function = self._function(value.__func__)
            return value if function is value.__func__ else type(value)(function)
        if type(value) is property:
            accessors = [accessor and self.member(accessor) for accessor in (value.fget, value.fset, value.fdel)]
            return property(*accessors, value.__doc__)
        return value

    def _function(self, function: FunctionType) -> FunctionType:
        if function.__module__ != self.module_name:
            return function
        if id(function) not in self.converted:
            try:
                self.converted[id(function)] = function, converted(function, staged=self.staged)
            except ConversionError as error:
                self.failures[function.__qualname__] = error
                return function
        return self.converted[id(function)][1]

    def replace_references(self) -> None:
        """Puts the converted functions in place wherever a dictionary, list, cell or instance holds an original."""
        originals = [original for original, _ in self.converted.values()]
        for holder in gc.get_referrers(*originals):
            if isinstance(holder, CellType):
                holder.cell_contents = self._replaced(holder.cell_contents)
            elif isinstance(holder, list) and holder is not originals:
                holder[:] = [self._replaced(value) for value in holder]
            elif isinstance(holder, tuple):
                self._replace_in_lists_of(holder)
            elif not isinstance(holder, (type, FunctionType)):
                entries = holder if isinstance(holder, dict) else getattr(holder, "__dict__", {})
                for key, value in list(entries.items()):
                    if self._replaced(value) is not value:
                        entries[key] = self._replaced(value)

    def _replace_in_lists_of(self, entry: tuple[Any, ...]) -> None:
        """Tuples can't be changed, the lists of a module that hold them can."""
        for holder in gc.get_referrers(entry):
            if isinstance(holder, list):
                holder[:] = [tuple(map(self._replaced, each)) if each is entry else each for each in holder]

    def _replaced(self, value: Any) -> Any:
        return self.converted[id(value)][1] if id(value) in self.converted else value
