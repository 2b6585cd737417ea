"""Functions and classes of which a staged condition has chosen one: a call of it is a staged branch of calls."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from types import BuiltinFunctionType, MethodType
from typing import Any, NoReturn

from autograph.errors import StagedValueError
from autograph.runtime.base import dtypes
from autograph.runtime.ir.graph import Type
from autograph.runtime.ir.op import OPS
from autograph.runtime.tensors import convert, trace_text

from ...calls import call
from .. import asked
from ..control.errors import where
from .specs import Constant, Spec, described

Options = tuple[Any, ...]


class ChosenOf(Spec):
    """One of some functions or classes, by the number that a tensor gives."""

    def __init__(self, options: Options) -> None:
        self.options = options

    def flatten(self, value: object, tensors: list[Any]) -> None:
        if not isinstance(value, Chosen):
            tensors.append(convert.convert_to_tensor(_place(self.options, value)))
            return
        places = [_place(self.options, each) for each in value.options]
        tensors.append(OPS["gather"](convert.convert_to_tensor(places), value.number, axis=0))

    def types(self) -> list[Type]:
        return [Type(dtypes.int32, ())]

    def unflatten(self, tensors: Iterator[Any]) -> Any:
        return Chosen(self.options, next(tensors))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ChosenOf) or len(self.options) != len(other.options):
            return False
        return all(map(_are_same, self.options, other.options))

    def __str__(self) -> str:
        return " or ".join(map(described, self.options))


def join_chosen(left: Spec, right: Spec) -> ChosenOf | None:
    """The specification of one of two functions or classes; None when one of them is something else."""
    options: list[Any] = []
    for spec in (left, right):
        if not isinstance(spec, ChosenOf) and not (isinstance(spec, Constant) and _can_be_chosen(spec.value)):
            return None
        for each in spec.options if isinstance(spec, ChosenOf) else (spec.value,):
            if not any(_are_same(each, known) for known in options):
                options.append(each)
    return ChosenOf(tuple(options))


def _can_be_chosen(value: object) -> bool:
    """Whether a value is told from others by its identity: a function, a class, or a member of an enumeration."""
    return callable(value) or (isinstance(value, enum.Enum) and type(value).__eq__ is object.__eq__)


def _are_same(one: object, other: object) -> bool:
    # Each access to a method makes it anew.
    return one is other or (isinstance(one, (MethodType, BuiltinFunctionType)) and one == other)


def _place(options: Options, value: object) -> int:
    return next(place for place, each in enumerate(options) if _are_same(each, value))


class Chosen:
    """One of some functions, classes or members of enumerations, as the run tells."""

    __slots__ = ("number", "options")

    def __init__(self, options: Options, number: Any) -> None:
        self.options = options
        self.number = number

    def __call__(self, *arguments: object, **keywords: object) -> Any:
        return self.with_each(lambda option: call(option)(*arguments, **keywords))

    def __get__(self, obj: object, cls: type | None = None) -> Any:
        """An attribute of a class: each of the functions is bound as Python binds it."""
        bound = [each.__get__(obj, cls) if hasattr(type(each), "__get__") else each for each in self.options]
        return Chosen(tuple(bound), self.number)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.with_each(lambda option: getattr(option, name))

    def __hash__(self) -> NoReturn:
        raise StagedValueError(
            f"{self._described} is used as a key, but only the run knows which it is",
            **where(),
            remedy="use a number or a string as key",
        )

    def __eq__(self, other: object) -> Any:
        return self.is_(other)

    def __ne__(self, other: object) -> Any:
        return asked.NOT.function(self.is_(other))

    def is_(self, other: object) -> Any:
        """Whether it is another function, or one that is chosen too."""
        if isinstance(other, Chosen):
            return self.with_each(other.is_)
        if not any(_are_same(each, other) for each in self.options):
            return False
        return OPS["equal"](self.number, _place(self.options, other))

    def alike(self, use: Callable[[Any], Any]) -> Any:
        """What a function gives for the one that it is: known where that is the same for all."""
        found = [use(each) for each in self.options]
        is_same = all(each is found[0] for each in found)
        return found[0] if is_same else self.with_each(use)

    def resolved(self) -> Any:
        """The function that it is, where the number is known."""
        return self.options[int(self.number)]

    def with_each(self, use: Callable[[Any], Any], first: int = 0) -> Any:
        """What a function gives for the one that it is: a staged branch of its calls."""
        option = self.options[first]
        if first == len(self.options) - 1:
            return use(option)
        test = OPS["equal"](self.number, first)
        return asked.IF_STMT.function(test, lambda: use(option), lambda: self.with_each(use, first + 1), ())

    @property
    def _described(self) -> str:
        return " or ".join(map(described, self.options))

    def __repr__(self) -> str:
        trace_text.check("a function or a member of an enumeration that a staged condition has chosen")
        return f"<{self._described}>"
