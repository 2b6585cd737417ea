"""The ops of which graphs are built: constants and parameters, and those that hold graphs.

Passes and engines ask for them by themselves, ``node.op is CONSTANT``, and for those that hold graphs by the class of
their nodes, ``isinstance(node, While)``, which has names for what they hold: nobody else counts inputs, or knows how
graphs are stored.

What a sub-graph uses of the graph around it is an input of the node, an *operand*. All sub-graphs of a node have the
same captures, in the order of its operands.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NoReturn, TypeVar

from autograph.errors import GraphError

from . import totality
from .graph import PRIMITIVES, Graph, Node, Value
from .kinds import INT, kinds
from .op import NOT_DIFFERENTIABLE, STRUCTURAL, op, type_of
from .work import Work

Item = TypeVar("Item")


class Cond(Node):
    """``cond``: ``then`` or ``orelse`` takes the operands, and gives the outputs."""

    __slots__ = ()
    parts = ("then", "orelse")

    @property
    def then(self) -> Graph:
        return self.subgraphs[0]

    @property
    def orelse(self) -> Graph:
        return self.subgraphs[1]

    @property
    def predicate(self) -> Value:
        return self.inputs[0]

    @property
    def takes(self) -> Sequence[Value]:
        return self.inputs[1:]

    operands = takes

    def split(self, inputs: Sequence[Item]) -> tuple[Item, list[Item]]:
        """What stands for the inputs, as those of the predicate and the operands."""
        predicate, *operands = inputs
        return predicate, operands


class While(Node):
    """``while``: ``test`` and ``body`` take state and operands. ``test`` gives a bool, ``body`` the next state.

    Outputs are the last state.
    """

    __slots__ = ()
    parts = ("test", "body")

    @property
    def test(self) -> Graph:
        return self.subgraphs[0]

    @property
    def body(self) -> Graph:
        return self.subgraphs[1]

    @property
    def count(self) -> int:
        """Of how many values the state consists."""
        return len(self.outputs)

    @property
    def state(self) -> Sequence[Value]:
        """The first state."""
        return self.inputs[: len(self.outputs)]

    @property
    def operands(self) -> Sequence[Value]:
        return self.inputs[len(self.outputs) :]

    @property
    def takes(self) -> Sequence[Value]:
        return self.inputs

    @property
    def details(self) -> dict[str, Any]:
        return {"count": len(self.outputs)}

    def split(self, inputs: Sequence[Item]) -> tuple[list[Item], list[Item]]:
        """What stands for the inputs, as those of the state and the operands."""
        count = len(self.outputs)
        return list(inputs[:count]), list(inputs[count:])


class Call(Node):
    """``call``: runs a graph that belongs to no node, also one that holds the node, on the inputs."""

    __slots__ = ()
    parts = ("graph",)

    @property
    def called(self) -> Graph:
        return self.subgraphs[0]

    @property
    def takes(self) -> Sequence[Value]:
        return self.inputs

    @property
    def effect(self) -> bool:
        return any(node.op.effect for node in self.called.walk())  # once each, as a graph may call itself


class Replicated(Node):
    """``replicated``: replicas run a graph that belongs to no node; see `engines.replicated`.

    ``program`` says which inputs each of them has of its own. There is an output for each output of the graph and each
    replica.
    """

    __slots__ = ()
    parts = ("graph",)

    @property
    def program(self) -> Any:
        return self.attributes["program"]

    @property
    def called(self) -> Graph:
        return self.subgraphs[0]


class CustomGradient(Node):
    """``custom_gradient``: gives ``results``. ``backward`` takes the gradients of these, and the operands.

    It gives the gradients of those ``sources`` that are connected: a pair for each, of a variable, or None for one of
    the ``arguments``, and of whether it is.
    """

    __slots__ = ()
    parts = ("backward",)

    @property
    def backward(self) -> Graph:
        return self.subgraphs[0]

    @property
    def sources(self) -> Sequence[tuple[Any, bool]]:
        return self.attributes["sources"]

    @property
    def takes(self) -> Sequence[Value]:
        return self.split(self.inputs)[2]

    operands = takes

    def split(self, inputs: Sequence[Item]) -> tuple[Sequence[Item], Sequence[Item], Sequence[Item]]:
        """What stands for the inputs, as those of arguments, results and operands."""
        start = self.attributes["arguments"]
        end = start + self.attributes["results"]
        return inputs[:start], inputs[start:end], inputs[end:]


def with_operands(node: Node, inputs: Sequence[Value], operands: Iterable[Value]) -> list[Value]:
    """What stands for the inputs of a node, with other operands."""
    return [*inputs[: len(inputs) - len(node.operands)], *operands]


def only_in_graphs(*_: object, **__: object) -> NoReturn:
    raise GraphError("this op has no kernel: executors run its sub-graphs")


def _is_graph(value: object) -> bool:
    return isinstance(value, Graph)


CONSTANT = op("constant", infer=lambda *, value: type_of(value), numpy=lambda *, value: value,
              gradient=NOT_DIFFERENTIABLE, doc="The array in the attribute ``value``.",
              total=totality.always, work=Work.NONE, tensorflow_name="Const", attributes=kinds("value"))  # fmt: skip
PLACEHOLDER = op("placeholder", infer=only_in_graphs, numpy=only_in_graphs,
                 gradient=NOT_DIFFERENTIABLE, doc="A parameter or captured value.", total=totality.always,
                 work=Work.NONE)
PRIMITIVES.update(constant=CONSTANT, placeholder=PLACEHOLDER)
COND = op("cond", infer=only_in_graphs, numpy=only_in_graphs, gradient=STRUCTURAL, node=Cond, tensorflow_name="If",
          native=True, doc="One of two graphs, as a predicate says.",
          attributes={"then": _is_graph, "orelse": _is_graph})  # fmt: skip
WHILE = op("while", infer=only_in_graphs, numpy=only_in_graphs, gradient=STRUCTURAL, node=While, native=True,
           doc="A graph again and again, as long as another one says so.",
           attributes=kinds("", test=_is_graph, body=_is_graph, count=INT),
           fits=lambda count, attributes, outputs: 0 <= attributes["count"] == outputs <= count)  # fmt: skip
CALL = op("call", infer=only_in_graphs, numpy=only_in_graphs, gradient=STRUCTURAL, node=Call,
          doc="A graph that others may call too.", tensorflow_name="PartitionedCall",
          attributes={"graph": _is_graph})  # fmt: skip
CUSTOM_GRADIENT = op(
    "custom_gradient", gradient=STRUCTURAL, node=CustomGradient,
    infer=lambda *types, arguments, results, **_: tuple(types[arguments : arguments + results]),
    numpy=lambda *arrays, arguments, results, **_: tuple(arrays[arguments : arguments + results]),
    doc="Gives the inputs after ``arguments`` ones, whose gradient a graph is.",
    total=totality.always, attributes=kinds("arguments results sources", backward=_is_graph),
    fits=lambda count, attributes, outputs: (
        attributes["arguments"] >= 0 and attributes["results"] == outputs
        and attributes["arguments"] + outputs <= count),
)  # fmt: skip
