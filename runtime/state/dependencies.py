"""Order by hand: `control_dependencies`, `group`, `no_op`; and other contexts of TensorFlow's that ask for little here.

A traced function keeps the order of its effects by itself. In graphs that a session runs in parts, an operation made in
`control_dependencies` brings along those that it depends on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from autograph.errors import InvalidTypeError

from ..base import nest
from ..ir.effects import Effects
from ..ir.graph import Node
from ..ir.notes import CONTROL_INPUTS
from ..ir.op import NOT_DIFFERENTIABLE, op
from ..ir.primitive import CONSTANT, PLACEHOLDER
from ..ops.control import identity
from ..tensors import trace
from ..tensors.convert import convert_to_tensor
from ..tensors.tensor import SymbolicTensor, Tensor

__all__ = ["control_dependencies", "group", "init_scope", "no_op", "tuple_"]

NO_OP = op("no_op", gradient=NOT_DIFFERENTIABLE, infer=lambda: (), numpy=lambda: (), effects=Effects.ORDER,
           doc="Does nothing; what it depends on runs before it.")  # fmt: skip


@contextmanager
def control_dependencies(control_inputs: Iterable[Any] | None) -> Iterator[None]:
    """``with control_dependencies([a, b]):`` what is made inside runs after `a` and `b`.

    control_inputs: tensors and operations of the current graph; None: what is made inside depends on nothing more.
    Eagerly everything has run already.
    """
    graph = trace.current_graph()
    given = [each for each in control_inputs or () if each is not None]
    wrong = [each for each in given if not isinstance(each, (Tensor, Node)) and not hasattr(type(each), "__tensor__")]
    if wrong:
        raise InvalidTypeError(f"Control input must be an operation or a tensor, not {wrong[0]!r}")
    if graph is None:
        yield
        return
    first = len(graph.nodes)
    yield
    nodes = [each.op if isinstance(each, SymbolicTensor) else getattr(each, "operation", each) for each in given]
    before = tuple(node for node in nodes if isinstance(node, Node) and node.graph is graph)
    known = CONTROL_INPUTS.of(graph)
    for node in graph.nodes[first:]:
        if node.op not in (CONSTANT, PLACEHOLDER):
            known[node] = (*known.get(node, ()), *before)


def group(*inputs: object, name: str | None = None) -> Any:
    """An operation that runs all its inputs (tensors, operations, or structures of them); None eagerly."""
    return no_op(name or "group_deps", [leaf for each in inputs for leaf in nest.flatten(each)])


def no_op(name: str | None = None, control_inputs: Iterable[Any] = ()) -> Any:
    """An operation that does nothing; None eagerly."""
    graph = trace.current_graph()
    if graph is None:
        return None
    with control_dependencies(control_inputs):
        trace.apply(NO_OP, name=name or "NoOp")
    return graph.nodes[-1]


def tuple_(tensors: Iterable[Any], control_inputs: Iterable[Any] | None = None, name: str | None = None) -> list[Any]:
    """The tensors, none of which is there before all of them are (and the control inputs)."""
    tensors = [None if each is None else convert_to_tensor(each) for each in tensors]
    with control_dependencies([*[each for each in tensors if each is not None], *(control_inputs or ())]):
        return [None if each is None else identity(each, name=name) for each in tensors]


@contextmanager
def init_scope() -> Iterator[None]:
    """``with init_scope():`` ops run at once, also while a function is traced."""
    with trace.building(None):
        yield
