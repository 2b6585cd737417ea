"""How far an iterator has come: what staged bodies must not change, as no graph moves a Python iterator."""

from __future__ import annotations

import gc
import operator
import warnings
from types import GeneratorType
from typing import Any

from autograph.runtime.base.streams import Stream

_COUNTED = ("count", "repeat")
_DEPTH = 5


def is_iterator(value: Any) -> bool:
    """Whether a value is an iterator of Python, or a file (not one over a dataset, which graphs do move)."""
    return _has(type(value), "__next__") and not isinstance(value, Stream)


def _has(kind: type, name: str) -> bool:
    """Whether the instances have a method; the `__getattr__` of a metaclass is not asked."""
    return any(name in vars(cls) for cls in kind.__mro__)


def position(iterator: Any, depth: int = _DEPTH) -> Any:
    """Something that differs when the iterator, or one that it reads from, has moved."""
    if not depth:
        return None
    if isinstance(iterator, GeneratorType):
        return _position_in_generator(iterator, depth)
    kind = type(iterator)
    if _has(kind, "tell"):
        return _position_in_file(iterator)
    if kind.__module__ == "itertools":
        return _reduced(iterator, depth)
    hint = operator.length_hint(iterator, -1) if _has(kind, "__length_hint__") else None
    return hint, [position(each, depth - 1) for each in _sources(iterator)]


def _sources(iterator: Any) -> list[Any]:
    """The iterators that an iterator holds, directly or in a tuple."""
    found: list[Any] = []
    for each in gc.get_referents(iterator):
        found.extend(part for part in (each if type(each) is tuple else (each,)) if is_iterator(part))
    return found


def _position_in_generator(generator: Any, depth: int) -> Any:
    frame = generator.gi_frame
    if frame is None:
        return "finished"
    held = gc.get_referents(generator)
    return frame.f_lasti, [(id(each), position(each, depth - 1) if is_iterator(each) else None) for each in held]


def _position_in_file(file: Any) -> Any:
    try:
        return file.tell()
    except (OSError, ValueError):  # a terminal, or closed
        return None


def _reduced(iterator: Any, depth: int) -> Any:
    if type(iterator).__name__ in _COUNTED:
        return repr(iterator)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            parts = iterator.__reduce__()
        except TypeError:  # Python 3.14
            parts = ()
    flat = [each for part in parts if type(part) is tuple for each in part]
    hidden = [each if isinstance(each, (int, tuple)) and not _sources([each]) else None for each in flat]
    return hidden, [position(each, depth - 1) for each in _sources(iterator)]
