"""What the statements of `data/failing_statements.txt` name."""

from __future__ import annotations

import abc
import asyncio
import collections
import contextlib
import copy
import dataclasses
import datetime
import decimal
import enum
import functools
import itertools
import json
import math
import operator
import random
import re
import struct
from typing import Any

import numpy as np

import autograph as tf

__all__ = [
    "abc", "asyncio", "collections", "contextlib", "copy", "datetime", "decimal", "functools", "itertools", "json",
    "math", "np", "operator", "random", "re", "struct", "tf",
]  # fmt: skip


def take(a: Any) -> Any:
    return a


def two(a: Any, b: Any) -> Any:
    return a


def keyword(*, a: Any) -> Any:
    return a


def positional(a: Any, /) -> Any:
    return a


def use(f: Any) -> Any:
    return f()


@tf.function
def graph(a: Any) -> Any:
    return a


@tf.function
def graph_two(a: Any, *, b: Any) -> Any:
    return a + b


@tf.function
def graph_fails(a: Any) -> Any:
    return a + undefined  # type: ignore[name-defined]  # noqa: F821


class Thing:
    def __init__(self, a: Any) -> None:
        self.a = a

    def method(self) -> Any:
        return self.a

    @property
    def fixed(self) -> int:
        return 1


class Slotted:
    __slots__ = ("a",)


class Abstract(abc.ABC):
    @abc.abstractmethod
    def f(self) -> None: ...


@dataclasses.dataclass(frozen=True)
class Point:
    x: Any
    y: Any


Pair = collections.namedtuple("Pair", "a b")  # noqa: PYI024


class Colour(enum.Enum):
    RED = 1


class Own(Exception):
    def __init__(self, a: Any) -> None:
        super().__init__(a)


def _fails(self: Any, *_: Any) -> Any:
    raise LookupError("bad")


class Bad:
    __add__ = __radd__ = __getitem__ = __call__ = __len__ = __str__ = __bool__ = __iter__ = __eq__ = __hash__ = _fails
    __enter__ = __contains__ = __lt__ = __format__ = __setattr__ = __delattr__ = _fails
    value = property(_fails)

    def __exit__(self, *_: Any) -> None:
        pass


seen = tf.Variable(0)
