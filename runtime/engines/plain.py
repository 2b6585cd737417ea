"""NumPy's plan and the interpreter as engines: they run every graph, and only who asks for them gets them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..base.devices import Device
from ..ir.graph import Graph, Node, Type
from ..ir.primitive import Call, Replicated
from .engine import Entry
from .held import held_in
from .interpreter import interpret
from .numpy.plan import Plan
from .transaction import StandIns, Transaction

_Make = Callable[[Graph, Mapping[int, Any]], Callable[..., Sequence[Any]]]


class Plain:
    """An engine made of what runs a graph with others in the place of its variables; see `Engine`."""

    device: Device | None = None

    def __init__(self, name: str, product: str, make: _Make) -> None:
        self.name, self.library, self.product, self.most_nodes = name, "", product, 2000
        self.cuts_loops = False
        self._make = make

    def is_wanted(self) -> bool:
        return False

    def missing(self) -> str | None:
        return None

    def obstacle(self, node: Node) -> str | None:
        inside = node.called.walk() if isinstance(node, Call) else [node]
        if any(isinstance(each, Replicated) for each in inside):
            return "replicas set variables themselves"
        return None

    def pays(self, nodes: Sequence[Node]) -> bool:
        return True

    def work_of_compiling(self, nodes: Iterable[Node]) -> int:
        return 0

    def compile(self, graph: Graph, types: Sequence[Type], look: Callable[[], None] | None = None) -> Entry:
        count, stand_ins = len(graph.inputs), StandIns(Transaction(graph, held_in(graph)))
        run = self._make(graph, stand_ins.of)

        def entry(*arrays: object) -> Any:
            with stand_ins.holding(arrays[count:]):
                try:
                    return (*run(*arrays[:count]), *stand_ins.held())
                except Exception:  # the plan raises it, once it has assigned to variables what counts
                    return False

        return entry


NUMPY = Plain("numpy", "calls of NumPy", lambda graph, stand_ins: Plan(graph, stand_ins=stand_ins).run)
INTERPRETER = Plain("interpreter", "steps of the interpreter", lambda graph, stand_ins: (
    lambda *inputs: interpret(graph, inputs, stand_ins)))  # fmt: skip
