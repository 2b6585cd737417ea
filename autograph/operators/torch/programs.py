"""What is recorded: calls of PyTorch's functions, the branches and loops among them, and the module made of these."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, TypeAlias

import torch
from torch.fx import Graph, GraphModule, Node

from . import internals

Value: TypeAlias = Any
"""What a function of PyTorch's takes, or returns."""


class Ref:
    """A value of a recorded program."""

    __slots__ = ()


@dataclass(eq=False)
class Call:
    """A call of a function; ``results`` are the tensors in what it returns, each with its place there."""

    function: Callable[..., Any]
    arguments: Any
    keywords: Any
    results: list[tuple[tuple[int, ...], Ref]] = field(default_factory=list)


@dataclass(eq=False)
class Branches:
    """A conditional: ``parts`` are the programs of its two ways, which take the operands."""

    test: Ref
    parts: tuple[Program, Program]
    operands: list[Ref]
    made: list[torch.Tensor]
    """Tensors like the results."""
    results: list[tuple[tuple[int, ...], Ref]] = field(default_factory=list)


@dataclass(eq=False)
class Repeated:
    """A loop: ``parts`` are the programs of its condition and its body, which take the state, then the operands."""

    state: list[Ref]
    parts: tuple[Program, Program]
    operands: list[Ref]
    made: list[torch.Tensor]
    """Tensors like the results."""
    results: list[tuple[tuple[int, ...], Ref]] = field(default_factory=list)


Step = Call | Branches | Repeated


@dataclass(eq=False)
class Program:
    """A function of tensors. ``changed`` are inputs that it changes in place, of which it is to take copies."""

    inputs: list[Ref]
    steps: list[Step]
    outputs: list[Ref]
    changed: list[Ref] = field(default_factory=list)
    single: bool = False
    """Whether it returns its one output bare, rather than a tuple."""


def mapped(value: Value, change: Callable[[Any], Any]) -> Any:
    """Arguments of a function with all but containers replaced by what ``change`` makes of it."""
    if isinstance(value, tuple):
        items = [mapped(each, change) for each in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if type(value) in (list, torch.Size):
        return [mapped(each, change) for each in value]
    if type(value) is dict:
        return {key: mapped(each, change) for key, each in value.items()}
    if type(value) is slice:
        return slice(*(mapped(each, change) for each in (value.start, value.stop, value.step)))
    return change(value)


def tensors_in(value: Value, place: tuple[int, ...] = ()) -> Iterable[tuple[tuple[int, ...], torch.Tensor]]:
    """The tensors in what a function returns, with their places."""
    if isinstance(value, torch.Tensor):
        yield place, value
    elif isinstance(value, (tuple, list)):
        for number, each in enumerate(value):
            yield from tensors_in(each, (*place, number))


def at(value: Value, place: tuple[int, ...]) -> Any:
    """What stands at a place of what a function returns."""
    for number in place:
        value = value[number]
    return value


def module_of(program: Program) -> GraphModule:
    """The program as a module, which runs it."""
    return _Writer().written(program)


class _Writer:
    def __init__(self) -> None:
        self._graph = Graph()
        self._nodes: dict[Ref, Any] = {}
        self._root = torch.nn.Module()
        self._parts = 0

    def written(self, program: Program) -> GraphModule:
        for number, each in enumerate(program.inputs):
            self._nodes[each] = self._graph.placeholder(f"input_{number}")
        for each in program.changed:
            self._nodes[each] = self._graph.call_function(torch.clone, (self._nodes[each],))
        for step in program.steps:
            self._note(step, self._step(step))
        outputs = [self._nodes[each] for each in program.outputs]
        self._graph.output(outputs[0] if program.single else tuple(outputs))
        return GraphModule(self._root, self._graph)

    def _step(self, step: Step) -> Node:
        if isinstance(step, Call):
            function, arguments = _as_function(step.function, step.arguments)
            found = (mapped(each, self._node) for each in (arguments, step.keywords))
            method = _METHODS.get(function)
            return self._graph.call_method(method, *found) if method else self._graph.call_function(function, *found)
        parts = tuple(self._part(each) for each in step.parts)
        operands = tuple(map(self._node, step.operands))
        if isinstance(step, Branches):
            return self._graph.call_function(internals.conditional(), (self._node(step.test), *parts, operands))
        state = tuple(map(self._node, step.state))
        return self._graph.call_function(internals.loop(), (*parts, state, operands))

    def _part(self, program: Program) -> Node:
        name = f"part_{self._parts}"
        self._parts += 1
        self._root.add_module(name, module_of(program))
        return self._graph.get_attr(name)

    def _node(self, value: Value) -> Any:
        return self._nodes[value] if isinstance(value, Ref) else value

    def _note(self, step: Step, node: Node) -> None:
        for place, each in step.results:
            found = node
            for number in place:
                found = self._graph.call_function(operator.getitem, (found, number))
            self._nodes[each] = found


_METHODS: dict[Any, str] = {
    each: name for name, each in vars(torch.Tensor).items() if isinstance(each, FunctionType) and name.startswith("__")
}
"""Functions of Python's that stand in `Tensor`, and have other names than there, which a graph can't name."""


def _as_function(function: Any, arguments: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """A function that a graph can name: reading an attribute is `getattr`."""
    if getattr(function, "__name__", "") != "__get__":
        return function, arguments
    described = function.__self__
    name = getattr(described, "fget", described).__name__
    return builtins.getattr, (arguments[0], name)
