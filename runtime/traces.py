"""The traces of one function: by their keys, under way on other threads, and the history of how they came about."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Any

from . import trace
from .arguments import Parameters
from .fast_calls import FastCalls
from .ir import Graph
from .recursion import Pending
from .retracing import History

if TYPE_CHECKING:
    from .concrete import ConcreteFunction
    from .spec import TensorSpec


class Traces:
    """The traces of one function (of one method and one instance)."""

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self.by_key: dict[Any, ConcreteFunction] = {}
        self.fast = FastCalls()
        self.pending: dict[Any, Pending] = {}
        # Traces that captured tensors of an enclosing graph hold in that graph only, until it is truncated.
        self.nested: weakref.WeakKeyDictionary[Graph, dict[Any, tuple[int, ConcreteFunction]]] = (
            weakref.WeakKeyDictionary()
        )
        self.relaxed: dict[Any, tuple[Any, list[TensorSpec]]] = {}
        self.history = History(parameters.function_name, parameters.names)
        self.calls = 0
        self.count = 0
        self.lock = threading.Lock()

    def find(self, key: Any) -> ConcreteFunction | None:
        """The trace for a key, on this thread and in the graph that it builds."""
        found = self.by_key.get(key)
        if found is None and self.nested:
            graph = trace.current_graph()
            while graph is not None and found is None:
                epoch, nested = self.nested.get(graph, {}).get(key, (None, None))
                found = nested if epoch == graph.epoch else None
                graph = graph.parent
        return found

    def remember(self, concrete: ConcreteFunction, key: Any, general: Any) -> None:
        """Keep a new trace under the key of its arguments, and under that of all arguments that it serves."""
        parent = concrete.graph.parent
        if concrete.graph.captures and parent is not None:
            table = self.nested.setdefault(parent, {})
            table[key] = table[general] = parent.epoch, concrete
        else:
            concrete.graph.parent = None
            self.by_key[key] = self.by_key[general] = concrete

    def distinct(self) -> list[ConcreteFunction]:
        """The traces, in the order in which they were made."""
        with self.lock:
            return list(dict.fromkeys(self.by_key.values()))
