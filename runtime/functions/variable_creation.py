"""Variables that traced functions create: when they may, and what they start with.

A traced function may create variables while it is traced for the first time. Their initial values are computed then
and there, outside the graph. Afterwards it is traced anew, and has to do without creating any.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError, StagingError

from ..base.dtypes import DType
from ..engines.interpreter import run_node
from ..ir.graph import Graph, Node, Value
from ..ir.primitive import PLACEHOLDER
from ..tensors import trace
from ..tensors.convert import convert_to_tensor, wrap
from ..tensors.tensor import EagerTensor, SymbolicTensor, Tensor
from . import deferred, repetitions
from .call_state import state_of

__all__ = ["announce", "initial_value_of", "traced_twice"]

_ONLY_ONCE = (
    "tf.function only supports singleton tf.Variables created on the first call. Make sure the tf.Variable is only "
    "created once or created outside tf.function: under `if self.v is None:`, for example."
)


class _Local(threading.local):
    def __init__(self) -> None:
        self.scopes: list[_Scope] = []


_local = _Local()


class _Scope:
    """The trace of one function."""

    def __init__(self, arguments: Sequence[Any], allowed: bool) -> None:
        self.arguments = arguments
        self.allowed = allowed
        self.created = 0
        self.known: dict[Value, Any] = {}
        self.outer = trace.current_graph()

    def __enter__(self) -> _Scope:
        _local.scopes.append(self)
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        _local.scopes.pop()

    def is_graph(self, graph: Graph) -> bool:
        """Whether a graph is that of the function, not of a branch or loop in it."""
        return graph.parent is self.outer


def traced_twice(first: bool, arguments: Sequence[Any], make: Callable[[], Any]) -> Any:
    """What `make`, which traces a function, gives; when it creates variables, what it gives the second time.

    ``arguments``: the tensors of the call, for initial values that depend on them. Raises `ValueError` for variables
    that are created when the function is not traced for the first time.
    """
    before = repetitions.mark()
    with _Scope(arguments, first) as scope:
        made = make()
    if not scope.created:
        return made
    second = repetitions.mark()

    def again() -> Any:
        deferred.trace_ended()
        repetitions.show_no_more(before)
        with _Scope(arguments, False):
            return make()

    made = again()
    # What tells the code that the variables are there has to stay; what it does in each trace is to be done once.
    return again() if repetitions.take_back_both(before, second) else made


def announce(name: str) -> None:
    """To be called when a variable is about to be created. Raises `ValueError` where that is not allowed."""
    graph = trace.current_graph()
    if graph is None or not _local.scopes:
        return
    scope = _local.scopes[-1]
    if not scope.allowed:
        raise InvalidArgumentError(_ONLY_ONCE)
    if not scope.is_graph(graph):
        location = trace.user_location()
        file, line, function = location if location is not None else (None, None, None)
        raise StagingError(
            f"the variable {name!r} is created in a branch or loop that depends on a graph tensor",
            file=file, line=line, function=function, construct="tf.Variable",
            remedy="create it before, or under a condition that Python decides, such as `if self.v is None:`",
        )  # fmt: skip
    scope.created += 1


def initial_value_of(value: object, dtype: DType | None) -> Any:
    """The eager tensor that a variable starts with, for what was given as its initial value."""
    if callable(value) and not isinstance(value, Tensor) and not hasattr(type(value), "__tensor__"):
        with trace.building(None):
            return convert_to_tensor(value(), dtype)
    tensor = convert_to_tensor(value, dtype)
    if isinstance(tensor, EagerTensor):
        return tensor
    assert isinstance(tensor, SymbolicTensor)
    with np.errstate(all="ignore"):
        return wrap(_evaluate(tensor.value))


def _evaluate(value: Value) -> Any:
    """The array of a graph's value, computed now; what has been computed for this trace before stays the same."""
    known = _local.scopes[-1].known if _local.scopes else {}
    graph = value.node.graph
    for node in _ancestors(value, known):
        if node.op is PLACEHOLDER:
            known[node.outputs[0]] = _given(node.outputs[0], graph)
            continue
        results = run_node(node, [known[each] for each in node.inputs])
        known.update(zip(node.outputs, results, strict=True))
    return known[value]


def _ancestors(value: Value, known: dict[Value, Any]) -> list[Node]:
    """The nodes of a graph that a value depends on and that are not known, in order."""
    wanted = {value.node}
    for node in reversed(value.node.graph.nodes):
        if node in wanted:
            wanted.update(each.node for each in node.inputs)
    return [node for node in value.node.graph.nodes if node in wanted and not all(v in known for v in node.outputs)]


def _given(value: Value, graph: Graph) -> Any:
    """The array that is passed for a graph's input in the call that is being traced."""
    for outer, inner in graph.captures.items():
        if inner is value:
            return _evaluate(outer)
    for scope in reversed(_local.scopes):
        if scope.is_graph(graph) and value in graph.parameters:
            held = [tensor for place in state_of(graph) for tensor in place.start()]
            tensor = [*scope.arguments, *held][graph.parameters.index(value)]
            if isinstance(tensor, EagerTensor):
                return tensor.array
            if isinstance(tensor, SymbolicTensor):
                return _evaluate(tensor.value)
    raise InvalidArgumentError(
        f"the initial value of a variable depends on {value.name!r}, which has no value while the function is traced: "
        "call the function first with the arguments that the variable starts with"
    )
