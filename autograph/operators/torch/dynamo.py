"""Converted functions for Dynamo, which reads bytecode, and can't read a converter: it reads the functions below.

They take the arguments apart, so that Dynamo guards what they hold, and call one function that it puts into its graph
without a look inside. There the converted function is run, and recorded; its program runs in its place from then on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from autograph.errors import UnimplementedError

from ..staging.heap.locations import where
from .captures import Recorded, record
from .programs import Value

Template = tuple[Any, ...]
"""A value taken apart: what it is, and its parts; of a tensor or a number, its position among the operands."""


class _Called:
    """A call in a graph of Dynamo's: the function, its arguments taken apart, and what it was recorded as."""

    def __init__(self, function: Callable[..., Any], template: Template) -> None:
        self.function = function
        self.template = template
        self.recorded: Recorded | None = None
        self.positions: list[int] = []
        self.result: Template = ()


_called: dict[int, _Called] = {}
_held: dict[int, Any] = {}


def form_of(original: Value) -> Callable[..., Any]:
    """The form of a converted function that Dynamo reads."""

    def read(*arguments: Value, **keywords: Value) -> Any:
        operands: list[Any] = []
        template = _apart(((*arguments,), keywords), operands)
        number = _note(original, template)
        found = _in_graph(number, *operands)
        return _together(_result(number), operands, found)

    return read


def _apart(value: Value, operands: list[Any]) -> Template:
    if isinstance(value, torch.Tensor) or type(value) is int:
        operands.append(value)
        return ("operand", len(operands) - 1)
    if value is None or type(value) in (bool, str, float):
        return ("plain", value)
    if type(value) is dict:
        return ("dict", *[(key, _apart(each, operands)) for key, each in value.items()])
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return ("named", _hold(type(value)), *[_apart(each, operands) for each in value])
    if type(value) in (list, tuple):
        return ("list" if type(value) is list else "tuple", *[_apart(each, operands) for each in value])
    if isinstance(value, torch.nn.Module):
        return ("module", _hold(value), _state(value, operands))
    return ("object", _hold(value))


def _state(module: torch.nn.Module, operands: list[Any]) -> Template:
    """The parameters and buffers of a module; that they train or not is to be the same in each run."""
    found = []
    for name, each in [*module.named_parameters(), *module.named_buffers()]:
        operands.append(each)
        found.append((name, len(operands) - 1))
    return (*found, *[each.training for each in module.modules()])


def _together(template: Template, operands: list[Any], found: list[Any]) -> Any:
    """The value of a template. Constants are computed, as Dynamo can't say where those of a template come from."""
    kind = template[0]
    if kind == "found":
        return found[template[1]]
    if kind == "operand":
        return operands[template[1]]
    if kind == "text":
        return template[1] + ""
    if kind == "number":
        return template[1] * 1
    if kind == "list":
        return [_together(each, operands, found) for each in template[1:]]
    if kind == "tuple":
        return tuple([_together(each, operands, found) for each in template[1:]])
    if kind == "dict":
        return {key: _together(each, operands, found) for key, each in template[1:]}
    if kind == "named":
        return _held[template[1] * 1](*[_together(each, operands, found) for each in template[2:]])
    return True if kind == "true" else False if kind == "false" else None


# The functions above and `read` are read by Dynamo; those below it calls, and takes what they return as a constant.


def _hold(value: Value) -> int:
    _held[id(value)] = value
    return id(value)


def _note(original: Value, template: Template) -> int:
    number = len(_called)
    _called[number] = _Called(original.form(True), template)
    return number


def _result(number: int) -> Template:
    return _called[number].result


for _each in (_hold, _note, _result):
    setattr(_each, "_dynamo_marked_constant", True)  # noqa: B010 (functions have no such attribute for mypy)


# What Dynamo puts into its graph.


def _in_graph(number: int, *operands: Value) -> list[Any]:
    called = _called[number]
    if called.recorded is None:
        known: dict[int, Any] = {}
        arguments, keywords = _built(called.template, operands, known)
        called.recorded = recorded = record(called.function, arguments, keywords, known)
        called.positions = [_position(each, operands) for each in recorded.operands]
        called.result = _described(recorded.result, recorded.outputs, operands)
    found = called.recorded.module(*[operands[each] for each in called.positions])
    return list(found)


torch.compiler.allow_in_graph(_in_graph)


def _built(template: Template, operands: tuple[Any, ...], known: dict[int, Any]) -> Any:
    """The value of a template; ``known`` gets what stands for the parameters and buffers of modules."""
    kind, *parts = template
    if kind == "operand":
        return operands[parts[0]]
    if kind == "plain":
        return parts[0]
    if kind == "dict":
        return {key: _built(each, operands, known) for key, each in parts}
    if kind in ("list", "tuple"):
        found = [_built(each, operands, known) for each in parts]
        return found if kind == "list" else tuple(found)
    if kind == "named":
        return _held[parts[0]](*[_built(each, operands, known) for each in parts[1:]])
    value = _held[parts[0]]
    if kind == "module":
        own = dict([*value.named_parameters(), *value.named_buffers()])
        known.update((id(own[each[0]]), operands[each[1]]) for each in parts[1] if isinstance(each, tuple))
    return value


def _position(value: Value, operands: tuple[Any, ...]) -> int:
    return next(number for number, each in enumerate(operands) if each is value)


def _described(value: Value, outputs: list[Any], operands: tuple[Any, ...]) -> Template:
    """What a function returns, taken apart.

    Raises:
        UnimplementedError: it returns, in any place, what no graph can.
    """
    if isinstance(value, torch.Tensor):
        for kind, values in (("operand", operands), ("found", outputs)):
            for number, each in enumerate(values):
                if each is value:
                    return kind, number
    if value is None or type(value) is bool:
        return ({True: "true", False: "false", None: "none"}[value],)
    if type(value) in (int, float, complex, str):
        return ("text" if type(value) is str else "number", value)
    if type(value) is dict:
        return ("dict", *((key, _described(each, outputs, operands)) for key, each in value.items()))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return ("named", _hold(type(value)), *(_described(each, outputs, operands) for each in value))
    if type(value) in (list, tuple):
        return (type(value).__name__, *(_described(each, outputs, operands) for each in value))
    raise UnimplementedError(
        f"a function that torch.compile calls returns an object of class {type(value).__name__}",
        **where(),
        construct="return",
        remedy="return tensors, numbers and texts, or tuples, lists and dicts of them",
    )
