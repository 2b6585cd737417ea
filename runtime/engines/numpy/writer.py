"""Writes the functions of one plan, and finds what in the graphs is needed at all."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ...ir.graph import Graph, Node, Value
from ...ir.primitive import Cond, While
from ...ir.total import Totality
from ...ops.kernels.common import as_string
from ...tensors import trace
from ...tensors.numerics import check_results
from .. import costs, recorder
from ..failure import require_room
from ..names import BUILTINS, identifier, is_literal, number_name
from .body import Body
from .ownership import Ownership, ownership


class Writer:
    """Writes the functions of one plan. ``lines`` and ``nodes`` (the node that made each line) grow together."""

    def __init__(self, check_numerics: bool = False, budget: list[float] | None = None,
                 profiled: bool = False, stand_ins: Mapping[int, Any] | None = None) -> None:  # fmt: skip
        self._stand_ins = stand_ins or {}
        self.check_numerics, self.budget, self.profiled = check_numerics, budget, profiled
        self.profiled_nodes: list[Node] = []
        self.lines: list[str] = []
        self.nodes: list[Node | None] = []
        self.globals: dict[str, Any] = {"as_string": as_string, "copy_of": np.array, "plan_nodes": None,
                                        "require_room": require_room}  # fmt: skip
        if check_numerics:
            self.globals["check_results"] = check_results
        if budget is not None:
            self.globals |= {"budget": budget, "Spent": costs.Spent}
        if profiled:
            self.globals |= {"clock": recorder.clock, "record": recorder.node_recorder(self.profiled_nodes)}
        self._live: set[Value] = set()
        self._kept: set[Node] = set()
        self._functions: dict[Graph, str] = {}
        self._called: list[Graph] = []
        self._deep: list[tuple[str, Node]] = []
        self._constants: dict[Any, str] = {}
        self._counts: dict[str, int] = {}
        self._ownership = Ownership()
        self._totality = Totality()

    def function(self, graph: Graph) -> str:
        """Write the function of a graph; return its name."""
        name = self._name_of(graph)
        self._mark(graph, graph.outputs)
        if not self.check_numerics:  # which looks at the inputs once more, after the op
            self._ownership.update(ownership(graph, self._kept, self._live))
        Body(self, name).write_graph(graph)
        while self._deep:
            deep_name, node = self._deep.pop()
            Body(self, deep_name).write_node(node)
        return name

    def write_called(self) -> None:
        """Write the functions of graphs that ``call`` nodes run."""
        while self._called:
            self.function(self._called.pop())

    def called(self, graph: Graph) -> str:
        if graph not in self._functions:
            self._name_of(graph)
            self._called.append(graph)
        return self._functions[graph]

    def _name_of(self, graph: Graph) -> str:
        name = self._functions.get(graph)
        if name is None:
            # Variables may be called like the function that nobody calls.
            prefix = "call_" if self._functions or graph.calls_itself else ""
            name = self._functions[graph] = self.fresh_global(prefix + identifier(graph.name))
        return name

    def fresh_global(self, base: str) -> str:
        base = f"{base}_" if base in BUILTINS else base
        name, count = base, self._counts.get(base, 1)
        while name in self.globals:
            name, count = f"{base}_{count}", count + 1
        self._counts[base] = count
        self.globals[name] = None
        return name

    def deep(self, node: Node) -> str:
        """The name of a function to be written for a node that lies too deep to be written in place."""
        name = self.fresh_global(f"part_{identifier(node.name)}")
        self._deep.append((name, node))
        return name

    def kernel(self, node: Node) -> str:
        in_place = node in self._ownership.in_place
        name = "op_" + identifier(node.op.name) + "_in_place" * in_place
        kernel = trace.kernel_of(node, in_place)
        if kernel not in (node.op.numpy, node.op.in_place):
            name += "_checked"
        self.globals.setdefault(name, kernel)
        return name

    def copied(self, node: Node) -> Collection[int]:
        """The variables of a loop of which it needs copies of its own at the start."""
        return self._ownership.copied.get(node, ())

    def constant(self, array: np.ndarray[Any, Any]) -> str:
        plain = array.ndim == 0 and array.dtype != object
        key = (array.dtype, array.tobytes()) if plain else id(array)
        name = self._constants.get(key)
        if name is None:
            base = f"{array.dtype.name}_{number_name(array[()])}" if plain else "const"
            name = self._constants[key] = self.fresh_global(base)
            self.globals[name] = array[()] if plain else array
        return name

    def attribute(self, key: str, value: object) -> str:
        if is_literal(value):
            return repr(value)
        name = self.fresh_global(f"attr_{identifier(key)}")
        self.globals[name] = self._stand_ins.get(id(value), value)
        return name

    def copies_view(self, node: Node) -> bool:
        return node in self._ownership.views

    def is_live(self, value: Value) -> bool:
        return value in self._live

    def is_kept(self, node: Node) -> bool:
        return node in self._kept

    def _mark(self, graph: Graph, roots: Sequence[Value]) -> None:
        """Find what is needed for the roots, and what has to run anyway, from the last node to the first."""
        live = self._live
        live.update(roots)
        for node in reversed(graph.nodes):
            if live.isdisjoint(node.outputs) and self._totality.of_node(node):
                continue
            self._kept.add(node)
            if isinstance(node, Cond):
                wanted = [i for i, value in enumerate(node.outputs) if value in live]
                for branch in node.subgraphs:
                    self._mark(branch, [] if branch.never_returns else [branch.outputs[i] for i in wanted])
                live.add(node.predicate)
            elif isinstance(node, While):
                for part in node.subgraphs:
                    self._mark(part, part.outputs)
                live.update(node.state)
            else:
                live.update(node.inputs)
                continue
            live.update([outer for region in node.regions for outer, inner in region.pairs if inner in live])
