"""How ops of TensorFlow are registered, and what their attributes are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

import autograph as tf
from autograph.runtime.base.dtypes import DType
from autograph.runtime.tensors.trace import static_value

from ..messages import Message
from ..tensors import array_of, dtype_of, shape_of

__all__ = ["OPS", "Attributes", "Form", "Unread", "Value", "known", "number", "op", "same"]


Value = Any
"""What goes in and out of ops: a tensor, a variable, or an array of tensors."""


class Unread(Exception):
    """An op has no form here, with these attributes or inputs."""


class Attributes:
    """The attributes of a node."""

    def __init__(self, messages: Mapping[str, Message]) -> None:
        self._messages = messages

    def __contains__(self, name: str) -> bool:
        return name in self._messages

    def get(self, name: str, default: object = None) -> Any:
        """An attribute as a value of Python; ``default`` where the file leaves it out."""
        message = self._messages.get(name)
        if message is None or not message.given:
            return default
        return _value(message)

    def dtype(self, name: str, default: DType | None = None) -> DType:
        """An attribute that is a dtype."""
        message = self._messages.get(name)
        if message is None:
            assert default is not None
            return default
        return dtype_of(message.type)

    def functions(self) -> Iterator[str]:
        """The names of functions among them."""
        for message in self._messages.values():
            if message.function is not None:
                yield message.function.name


def _value(message: Message) -> Any:
    (kind, *_) = message.given
    value = getattr(message, kind)
    if kind == "bytes":
        return value.decode("latin-1")
    if kind == "type":
        return dtype_of(value)
    if kind == "shape":
        return shape_of(value)
    if kind == "tensor":
        return array_of(value)
    if kind == "function":
        return value.name
    if kind == "list":
        (inner, *_) = value.given or {"int"}
        return list(getattr(value, inner))
    return value


class Form(NamedTuple):
    """What an op is here: ``run(attributes, *inputs)``, or with ``calls`` ``run(attributes, call, *inputs)``.

    ``is_pure``: for known inputs it is computed while the function is read. ``acts``: it does something besides, so
    that it runs though nobody needs what it gives.
    """

    run: Callable[..., Any]
    is_pure: bool = True
    calls: bool = False
    acts: bool = False


OPS: dict[str, Form] = {}


def op(
    names: str, *, is_pure: bool = True, calls: bool = False, acts: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:  # fmt: skip
    """Registers what ops are here; see `Form`."""

    def register(run: Callable[..., Any]) -> Callable[..., Any]:
        for name in names.split():
            OPS[name] = Form(run, is_pure and not (calls or acts), calls, acts)
        return run

    return register


def same(table: str) -> None:
    """Registers ops that are a public function of the same inputs: ``Relu=nn.relu``."""
    for entry in table.split():
        name, _, place = entry.partition("=")
        OPS[name] = Form(_through(place))


def _through(place: str) -> Callable[..., Any]:
    def run(attributes: Attributes, *inputs: Value) -> Any:
        function: Any = tf
        for part in place.split("."):
            function = getattr(function, part)
        return function(*inputs)

    return run


def known(x: Value, what: str) -> Any:
    """The numbers of a tensor that has to be known. Raises `Unread`."""
    found = static_value(x)
    if found is None:
        raise Unread(f"{what} is known only when it runs")
    return np.asarray(found).tolist()


def number(x: Value) -> Any:
    """A scalar as an int, where that is known."""
    found = static_value(x)
    return x if found is None else int(found)
