"""What a layer asks of one above it: that layer gives it when it is loaded, so that imports run downwards only."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Generic, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


class Provided(Generic[Function]):
    """A function of a layer above.

    >>> total = Provided("runtime.example")
    >>> total.give(sum)
    >>> total.function([1, 2])
    3
    """

    __slots__ = ("by", "function", "late")

    def __init__(self, by: str, function: Function | None = None, *, late: bool = False) -> None:
        self.by = by
        """The module that gives it."""
        self.late = late
        """Whether that module is loaded when the function is first asked for, as that is seldom."""
        self.function: Function = function if function is not None else self._missing  # type: ignore[assignment]

    def give(self, function: Function) -> Function:
        """To be called by the layer above, when it is loaded; returns the function."""
        self.function = function
        return function

    def _missing(self, *arguments: object, **keywords: object) -> Any:
        if self.late:
            import_module(f"autograph.{self.by}")
            return self.function(*arguments, **keywords)
        raise ImportError(f"`autograph.{self.by}` has not been loaded")
