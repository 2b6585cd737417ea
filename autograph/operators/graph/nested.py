"""Calls of a `tf.function` inside the trace of another one.

Such a call is one node, a graph of its own. What that graph writes outside itself it writes when it runs, so that
Python code later in the outer trace would still read what was there before. A function that writes outside itself is
therefore made a part of the outer trace: its own graph is dropped, and its Python function is traced in place.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from autograph.errors import MutationError
from autograph.runtime import trace
from autograph.runtime.concrete import ConcreteFunction
from autograph.runtime.function import Function
from autograph.runtime.ir import Graph

from ..calls import call
from .errors import where

_writing: weakref.WeakKeyDictionary[Graph, bool] = weakref.WeakKeyDictionary()


def watched(function: Function | ConcreteFunction) -> Callable[..., Any]:
    """What to call in place of a traced function while a graph is built.

    Raises (when called):
        MutationError: a concrete function, of which no Python function is known, writes outside itself.
    """

    def run(*arguments: Any, **keywords: Any) -> Any:
        graph = trace.current_graph()
        if graph is None:
            return function(*arguments, **keywords)
        mark = graph.mark()
        result = function(*arguments, **keywords)
        added = (node.attributes.get("graph") for node in graph.nodes[mark.nodes :])
        if not any(_writes_outside(each) for each in added if isinstance(each, Graph)):
            return result
        if isinstance(function, ConcreteFunction):
            raise MutationError(
                f"{function.graph.name}() writes outside itself when it runs, which code after this call can't see",
                **where(),
                construct=function.graph.name,
                remedy="call the tf.function itself, not one of its concrete functions",
            )
        graph.truncate(mark)
        return _in_place(function, arguments, keywords)

    return run


def _in_place(function: Function, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if function.input_signature is not None:
        parameters = function._traces.parameters
        values = function._cast_to_signature(parameters.bind(arguments, keywords))
        positional, keywords = parameters.split(values)
        arguments = tuple(positional)
    form = function.python_function
    return (call(form) if function._options.autograph else form)(*arguments, **keywords)


def _writes_outside(graph: Graph) -> bool:
    known = _writing.get(graph)
    if known is None:
        functions = (node.attributes.get("function") for node in graph.walk())
        known = _writing[graph] = any(getattr(each, "writes_outside", False) for each in functions)
    return known
