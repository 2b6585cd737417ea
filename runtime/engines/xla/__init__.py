"""Graphs run by XLA, on CPU, GPU or TPU, by way of JAX (the extra ``xla``), which loads when a graph is first lowered.

=============  ======================================================================================================
lowering.py    a graph as a function of jax.numpy; each op is lowered as its record says
values.py      what stands for lists, and for arrays of which only a run knows the length
staging.py     the graphs in loops and branches, each traced once
program.py     from a graph to a compiled program, and how that is called
machine.py     the devices that there are
ops/           how ops are lowered, by families
=============  ======================================================================================================

How to add an op: a function with ``@lowers(ENGINE, record)`` in the module of its family in ops/. It gets the
`Lowering`, the node, the values of the inputs and the attributes, and gives the value of the output, or a tuple of
several. Values are JAX's arrays, or NumPy's where they are known while the graph is lowered. The tests run it over the
op's samples.

What is the same as in the plan: dtypes (of 64 bits too, whatever the user's JAX is set to), shapes, integers, errors.
What the plan would raise makes a program give up (`Lowering.fails`): the plan runs in its place from the start, and
raises it at the user's line; nothing has happened by then that anyone could see. What may differ, as XLA is made so:
the last digits of floats (it adds in other orders, has elementary functions of its own, and fuses a product and a sum
into one rounding), and numbers so small that they are denormal, which are zero on a CPU.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence

from ...base.devices import Device
from ...base.dtypes import string
from ...ir.graph import Graph, Node, Type
from ...ir.primitive import CONSTANT, Call, Replicated, While
from ...ir.work import Work
from ..engine import Entry, is_installed
from .supported import ENGINE

__all__ = ["XLA", "Xla", "xla_on"]

# So many nodes have to be in a part without a loop, or a call of it costs more than it saves.
_ENOUGH = 10


class Xla:
    """The engine that runs graphs through JAX; see `Engine`.

    device: where; None: on the CPU where Python is, which is never chosen by itself: see ``settings.engine``.
    """

    name, library, most_nodes = ENGINE, "jax", 20_000
    cuts_loops = True

    def __init__(self, device: Device | None = None) -> None:
        self.device = device
        self.product = "an XLA program" + ("" if device is None else f" on {device.short}")

    def is_wanted(self) -> bool:
        return False

    def missing(self) -> str | None:
        return None if is_installed(self.library) else "jax is not installed (the extra `xla`)"

    def obstacle(self, node: Node) -> str | None:
        from . import ops  # noqa: F401  (puts the forms of ops on their records)

        for value in (*node.inputs, *node.outputs):
            if node.op.holds is not None and value.node.op is CONSTANT:
                continue  # what an error says
            if value.type.dtype is string:
                return f"values of dtype {value.type.dtype.name}"
        if ENGINE not in node.op.lowerings:
            return f"the op {node.op.name!r} has no form in XLA"
        return _obstacle_in(self, node.called) if isinstance(node, Call | Replicated) else None

    def pays(self, nodes: Sequence[Node]) -> bool:
        usual = sum(node.op.work in (Work.USUAL, Work.LONG) for node in nodes)
        return usual >= _ENOUGH or any(isinstance(node, While | Replicated) for node in nodes)

    def work_of_compiling(self, nodes: Iterable[Node]) -> int:
        return 0

    def compile(self, graph: Graph, types: Sequence[Type], look: Callable[[], None] | None = None) -> Entry | None:
        from .program import compiled

        return compiled(graph, types, look, self.device)


def _obstacle_in(engine: Xla, graph: Graph) -> str | None:
    """Why a graph that is called can't run."""
    if graph.calls_itself:
        return "a function that calls itself"
    found = (engine.obstacle(node) for node in graph.walk() if node.op.work is not Work.NONE)
    return next((reason for reason in found if reason is not None), None)


XLA = Xla()


@functools.cache
def xla_on(device: Device) -> Xla:
    """The engine that runs graphs on a device."""
    return Xla(device)
