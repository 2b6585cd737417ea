"""Graphs as machine code, through LLVM (``llvmlite``, the extra ``native``).

=================  ==================================================================================================
partition.py       which parts of a graph become machine code
region.py          such a part: code for each combination of shapes, and the plan for everything else
lowering.py        a graph as the text of one function; control.py, views.py, reductions.py, joining.py, products.py:
                   how ops are lowered that are not elementwise
elementwise.py     the elementwise ops, as one table; division.py, and functions.py: exp, log, tanh
arrays.py          buffers, expressions over them, and the loops that compute these; workspace.py: their memory
emitter.py         LLVM IR as text
assemble.py        text to code: compiler.py (LLVM), entry.py (the function that Python calls)
blas.py            NumPy's own BLAS
=================  ==================================================================================================

How to add an op: an elementwise one is one entry of `elementwise.ELEMENTWISE`, the dtype in which NumPy computes and a
function that writes instructions for one element. Any other is a function with ``@lowers("name")`` in the module of its
family; it gets the expressions of its inputs, and gives that of its output. The tests run both over the op's samples.

What is the same as in the plan: dtypes, shapes, integers bit for bit, comparisons, conversions, ``+ - * /`` and square
roots of floats, errors and warnings. A division of integers by zero, a float that fits into no integer, an index
outside, a failed ``assert``: the code gives up, and the plan runs in its place from the start; nothing has happened by
then that anyone could see. What may differ in the last digits: sums of floats (in another order; of float32 in
float64), matrix products, and elementary functions (bounds in functions.py).
"""

from __future__ import annotations

from typing import Any

from autograph.config import settings

from ...ir import Graph
from ..plan import Plan

__all__ = ["is_available", "native_plan", "report"]


def is_available() -> bool:
    """Whether machine code can be made: llvmlite is installed, and memory is laid out as it is known here."""
    from . import compiler, entry

    return compiler.available() and entry.layout_is_known()


def native_plan(graph: Graph, jit_compile: bool | None) -> Any:
    """A plan for a graph whose parts are machine code where that pays; an ordinary one if nothing is.

    ``jit_compile``: None, to choose; True, to demand it for the whole graph (`UnimplementedError` otherwise); False.
    """
    if jit_compile is False or (jit_compile is None and not settings.native):
        return Plan(graph)
    if not is_available():
        if jit_compile:
            from autograph.errors import MissingExtraError

            raise MissingExtraError("jit_compile=True needs llvmlite", remedy="pip install 'autograph-py[native]'")
        return Plan(graph)
    from .partition import obstacle, partition
    from .region import Region, refused

    found = obstacle(graph.nodes)
    if found is None:
        return Region(graph, bool(jit_compile))
    if jit_compile:
        raise refused(*found)
    return Plan(partition(graph)[0])


def report(plan: Any) -> str:
    """What of a graph is machine code, and what stands in the way of the rest: one line for each part.

    ``plan`` is what `native_plan` has given.
    """
    if not is_available():
        return "nothing is machine code: llvmlite is not installed (the extra `native`)"
    from .partition import NATIVE, obstacle
    from .region import Region

    if isinstance(plan, Region):
        return plan.report()
    lines = []
    for node in plan.graph.nodes:
        if node.op is NATIVE:
            lines.append(node.attributes["region"].report())
        else:
            found = obstacle([node])
            if found is not None:
                where = found[0].location
                lines.append(f"{node.name} runs through NumPy: {found[1]}" + ("" if where is None else f" ({where})"))
    return "\n".join(lines) or "nothing is machine code: the graph is too small, or it is turned off"
