"""A graph as a function of JAX that runs by itself: with dimensions that vary, and without a plan to go back to.

The engine lowers it (`runtime.engines.xla`). JAX decides what holds for all sizes from 1 on; what does not is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.errors import AutographError, UndefinedVariableError

from ....engines.engine import NotLowered
from ....engines.xla.lowering import Fails, Lowering
from ....engines.xla.values import Lowered, Symbols, Unsized, is_known
from ....ir.effects import Effects
from ....ir.graph import Graph, Node
from ....ir.primitive import Cond, While
from .bounds import Bounds, Range, counters
from .dims import folded, varies

__all__ = ["Exporting"]


class Exporting(Lowering):
    """Lowers a graph for a file.

    Attributes
    ----------
    may_fail: nodes for which autograph raises an error in some runs, as far as that can't be told now.
    """

    def __init__(self, graph: Graph, drops_assertions: bool) -> None:
        super().__init__(graph, 1, True, lambda: False, 1)
        self.is_watched = False
        self.drops_assertions = drops_assertions
        self.may_fail: list[Node] = []
        self._growing: Node | None = None
        self._inputs: Sequence[Lowered] = ()
        self._bounds, self._bodies = Bounds(), dict[Graph, dict[int, Range]]()

    def fails(self, condition: Lowered) -> None:
        node, is_given = self.node, is_known(condition) or isinstance(condition, bool)
        if not is_given and node is not None and not node.subgraphs:
            if self._bounds.is_inside(node, self._inputs):
                return
            self.may_fail.append(node)
        super().fails(condition)

    def warns(self, condition: Lowered) -> None:
        """Nobody is there to be warned."""

    def lacks(self, condition: Lowered) -> None:
        super().lacks(condition)
        if self.node is not None and not self.node.subgraphs:
            self._growing = self.node

    def check_lists(self) -> None:
        """Raises `NotLowered` where a list may become longer than there is room."""
        if self.short is not False:
            raise NotLowered("a list of which nobody knows how long it becomes", self._growing)

    def static(self, x: Lowered, what: str) -> np.ndarray:
        return x.dims if isinstance(x, Symbols) else super().static(x, what)

    def shape_of(self, x: Lowered) -> Any:
        return tuple([n if isinstance(n, int) else None for n in np.shape(x)])

    def run(self, graph: Graph, inputs: Sequence[Lowered]) -> list[Any]:
        for place, found in self._bodies.get(graph, {}).items():
            self._bounds.note(inputs[place], found)
        return super().run(graph, inputs)

    def lowered(self, node: Node, inputs: Sequence[Lowered]) -> Sequence[Any]:
        self.node, self._inputs = node, inputs
        found = self._unchecked(node, inputs)
        if found is not None:
            return found
        item = self._bounds.of_range(node, inputs)
        if item is not None:
            return [item]
        if isinstance(node, While):
            self._bodies[node.body] = counters(node, *node.split(inputs))
        is_varied = any(map(varies, inputs))
        try:
            found = folded(node, inputs) if is_varied else None
            results = super().lowered(node, inputs) if found is None else found
        except (NotLowered, AutographError):
            raise
        except Exception as error:
            if not is_varied or (isinstance(error, Fails) and node.subgraphs):
                raise
            raise NotLowered(f"{_reason(error)} depends on a dimension that varies", node) from error
        if is_varied:
            _check_ranks(node, results)
        if len(results) == 1 and not node.subgraphs:
            self._bounds.follow(node, inputs, results[0])
        return results

    def _unchecked(self, node: Node, inputs: Sequence[Lowered]) -> Sequence[Any] | None:
        """What a node gives that is an assertion which is left out, or of which a branch only raises; else None."""
        if _is_certain(node):
            return ()
        if not self.drops_assertions:
            return None
        if isinstance(node, Cond) and any(graph.never_returns for graph in node.subgraphs):
            graph = node.orelse if node.then.never_returns else node.then
            return None if graph.never_returns else self.run(graph, node.split(inputs)[1])
        is_assertion = bool(node.op.effects & Effects.RAISES) and not node.op.effects & ~Effects.RAISES
        return inputs[: len(node.outputs)] if is_assertion and not node.subgraphs else None


def _is_certain(node: Node) -> bool:
    """Whether a node asks for a value of `retval_`: that has one wherever `return` stood."""
    error: Any = node.attributes.get("error")
    if getattr(error, "type", None) is not UndefinedVariableError:
        return False
    return "'retval_'" in str(error.content[1].get("message"))


def _reason(error: Exception) -> str:
    if isinstance(error, Fails):
        return "whether it is an error"
    text = str(error).splitlines()
    return f"it ({text[0].rstrip('.')})" if text else "it"


def _check_ranks(node: Node, results: Sequence[Lowered]) -> None:
    """A size of 1 may drop a dimension, or add one: JAX takes it that there are others, too."""
    for x, value in zip(results, node.outputs, strict=True):
        if value.type.shape is None and not isinstance(x, Unsized) and hasattr(x, "ndim"):
            raise NotLowered("the number of dimensions depends on the size of one that varies", node)
