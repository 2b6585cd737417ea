"""Answers about classes that are remembered for as long as the class lives."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Generic, TypeVar

_Answer = TypeVar("_Answer")


class ByType(Generic[_Answer]):
    """A function of a class that is asked once for each class: ``@ByType`` above its definition.

    `known` holds the answers by the identity of the class, since a class as a key would be kept alive.
    """

    def __init__(self, function: Callable[[type], _Answer]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self.known: dict[int, tuple[_Answer, weakref.ref[type]]] = {}

    def __call__(self, cls: type) -> _Answer:
        found = self.known.get(id(cls))
        if found is not None:
            return found[0]
        key = id(cls)
        answer = self._function(cls)
        # Bound now: the names of a module are gone when the interpreter ends.
        self.known[key] = answer, weakref.ref(cls, lambda _, forget=self.known.pop: forget(key, None))  # type: ignore[misc]
        return answer
