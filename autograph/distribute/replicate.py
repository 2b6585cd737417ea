"""What `Strategy.run` makes of a function: a node that has each replica run the function's graph."""

from __future__ import annotations

import types
import weakref
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from autograph.errors import UnimplementedError
from autograph.runtime.base import nest, shapes
from autograph.runtime.base.places import warn
from autograph.runtime.engines.replicated import REPLICATED, Replicas
from autograph.runtime.functions.arguments import key_of
from autograph.runtime.functions.function import Function, function
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.runtime.tensors.spec import TensorSpec
from autograph.runtime.tensors.tensor import SymbolicTensor
from autograph.settings import settings

from . import uniform
from .context import in_replica
from .values import PerReplica, require_count

if TYPE_CHECKING:
    from autograph.runtime.functions.concrete import ConcreteFunction

    from .strategy import Strategy

__all__ = ["Replicator"]

_MANY = 5


class Replicator:
    """Runs functions in the replicas of a strategy; each is traced once for arguments of the same types."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy
        self._others: dict[Any, tuple[Any, Function, Function]] = {}
        self._seen: Counter[Any] = Counter()

    def run(self, fn: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """As `Strategy.run`."""
        if settings.run_functions_eagerly:
            raise UnimplementedError(
                "several replicas can't run eagerly: they are traced together",
                remedy="call tf.config.run_functions_eagerly(False), or use one device while you debug",
            )
        python: Any = fn.python_function if isinstance(fn, Function) else fn
        if isinstance(python, types.MethodType):
            python, args = python.__func__, (python.__self__, *args)
        _, outer, inner = self._functions(python)
        if trace.current_graph() is None:
            return outer(*args, **kwargs)
        return self._replicated(inner, args, kwargs)

    def _functions(self, python: Any) -> tuple[Any, Function, Function]:
        """The function, as what runs in between, and as what each replica runs: as long as it is there itself."""
        known: Any = self._others
        if isinstance(python, types.FunctionType):
            by_strategy = vars(python).setdefault("_replicated", weakref.WeakKeyDictionary())
            known = by_strategy.setdefault(self._strategy, {})
        found = known.get(python)
        if found is None:
            inner = function(python)

            def in_between(*args: Any, **kwargs: Any) -> Any:
                return self._replicated(inner, args, kwargs)

            self._note(python)
            found = known[python] = python, function(in_between, autograph=False), inner
        return found

    def _note(self, python: Any) -> None:
        """Warn of functions that are made anew for each call, and so are traced and compiled each time."""
        code = getattr(python, "__code__", None)
        self._seen[code] += code is not None
        if self._seen[code] == _MANY:
            warn(
                f"strategy.run has been given {_MANY} functions that were made by the same line; each is traced and "
                "compiled anew. Define the function once, outside of the loop, and pass what differs as arguments."
            )

    def _replicated(self, inner: Function, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Have the replicas run a function in the current graph; returns its results."""
        split: dict[int, PerReplica] = {}
        args, kwargs = nest.map_structure(lambda leaf: self._stand_in(leaf, split), (tuple(args), dict(kwargs)))
        with in_replica(self._strategy):
            concrete = inner.get_concrete_function(*args, **kwargs)
        if concrete.state:
            raise UnimplementedError(
                f"in strategy.run, {inner.name}() reads or writes `{concrete.state[0].label}`, which is Python's",
                remedy="pass it as an argument, and return what becomes of it",
            )
        tensors: list[Any] = []
        for value in inner.trace_cache.parameters.bind(tuple(args), kwargs):
            key_of(value, tensors)
        given = [split.get(id(tensor), tensor) for tensor in tensors]
        results = self._added(concrete, [*given, *map(SymbolicTensor, concrete.graph.captures)])
        return concrete.packed(results)

    def _stand_in(self, leaf: object, split: dict[int, PerReplica]) -> Any:
        """What stands for an argument while the function is traced; ``split`` notes it of what is a `PerReplica`."""
        if not isinstance(leaf, PerReplica):
            return leaf
        require_count(leaf, self._strategy.num_replicas_in_sync, self._strategy)
        values = [convert_to_tensor(value) for value in leaf.values]
        shape = values[0].static_shape
        for value in values[1:]:
            shape = shapes.relax(shape, value.static_shape)
        spec = TensorSpec(shape, values[0].dtype)
        split[id(spec)] = PerReplica(values)
        return spec

    def _added(self, concrete: ConcreteFunction, given: Sequence[Any]) -> list[PerReplica]:
        """Add the node; ``given`` has what stands for each input of the graph."""
        is_own = [isinstance(each, PerReplica) for each in given]
        graph = concrete.optimized_graph
        uniform.check(graph, is_own)
        program = Replicas(graph, self._strategy.devices, is_own)
        leaves = [leaf for each in given for leaf in (each.values if isinstance(each, PerReplica) else [each])]
        values = [trace.value_of(leaf) for leaf in leaves]
        attributes = {"program": program}
        node = trace.add_node(REPLICATED, values, attributes, program.types(), concrete.graph.name, (graph,))
        outputs, count = list(map(SymbolicTensor, node.outputs)), program.count
        return [PerReplica(outputs[start : start + count]) for start in range(0, len(outputs), count)]
