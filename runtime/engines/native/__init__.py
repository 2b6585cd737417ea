"""Graphs as machine code, through LLVM (``llvmlite``, the extra ``native``).

=================  ==================================================================================================
supported.py       the dtypes that there is code for
partition.py       which parts of a graph become machine code
region.py          such a part: code for each combination of shapes, when its plan has worked long enough for compiling
                   to pay, and the plan for everything else
transaction.py     what variables hold, taken before code runs and put back after it, by any number of threads; held.py,
                   awaited.py: which variables these are, and which of them loops may wait for
lowering.py        a graph as the text of one function; control.py, views.py, gathers.py, reductions.py, statistics.py,
                   running.py, order.py, joining.py, products.py, lists.py, variables.py: how ops are lowered that are
                   not elementwise
elementwise.py     the elementwise ops, as one table; division.py, and functions/: exp, sin, erf, power ... as vectors
arrays.py          buffers, expressions over them, and the loops that compute these; workspace.py: their memory
emitter.py         LLVM IR as text; machine.py: the vectors that this machine has
assemble.py        text to code: compiler.py, entry.py (the function that Python calls)
multiply.py        matrix products in vector registers; large ones go to NumPy's own BLAS
cpython.py         what code takes for granted of others, in a file for each: of Python's objects and functions; of
                   NumPy's arrays (ndarrays.py) and BLAS (blas.py), of the C library (libm.py), of llvmlite (llvm.py).
                   foreign.py tries all that before the first code is made
cache.py           compiled code on disk, when it is asked for
=================  ==================================================================================================

How to add an op: an elementwise one is one entry of `elementwise.FORMS`, the dtype in which NumPy computes and a
function that writes instructions for one element. Any other is a function with ``@lowers(ENGINE, record)`` in the
module of its family; it gets the expressions of its inputs, and gives that of its output. Both stand on the record
then, which says ``native=True``, so that nothing has to load to know it. The tests run both over the op's samples.

What is the same as in the plan: dtypes, shapes, integers bit for bit, comparisons, conversions, ``+ - * /`` and square
roots of floats, errors and warnings. A division of integers by zero, a float that fits into no integer, an index
outside, a failed ``assert``: the code gives up, and the plan runs in its place from the start; nothing has happened by
then that anyone could see. What may differ in the last digits: sums of floats (in another order; of float32 in
float64), matrix products, elementary functions (bounds in functions/), and the sign of a zero that is the largest or
smallest of zeros of both signs.
"""

from __future__ import annotations

import functools
import importlib.util
from typing import Any

from autograph.config import settings
from autograph.errors import MissingExtraError
from autograph.log import log

from ...ir.graph import Graph
from ..numpy.plan import Plan

__all__ = ["is_available", "native_plan", "report"]


@functools.cache
def is_installed() -> bool:
    """Whether llvmlite is there; it takes long to load, and may not work."""
    try:
        return importlib.util.find_spec("llvmlite") is not None
    except ValueError:  # a module without a specification stands in its place
        return False


def obstacle_here() -> str | None:
    """Why there can be no machine code on this machine, in this Python, with this NumPy; None if there can."""
    if not is_installed():
        return "llvmlite is not installed (the extra `native`)"
    from . import entry, foreign

    found = foreign.obstacle(entry.obstacle)
    if found is not None:
        log_once(f"nothing becomes machine code: {found}")
    return found


@functools.cache
def log_once(text: str) -> None:
    """A line of the log that is the same for all graphs."""
    log(1, text)


def is_available() -> bool:
    """Whether machine code can be made: llvmlite works, and memory is laid out as it is known here."""
    return obstacle_here() is None


def native_plan(graph: Graph, jit_compile: bool | None) -> Any:
    """A plan for a graph whose parts are machine code where that pays; an ordinary one if nothing is.

    ``jit_compile``: None, to choose; True, to demand it for the whole graph (`UnimplementedError` otherwise); False.
    """
    if jit_compile is False or (jit_compile is None and not settings.native):
        return Plan(graph)
    if not is_installed():
        if jit_compile:
            raise MissingExtraError("jit_compile=True needs llvmlite", remedy="pip install 'autograph-py[native]'")
        return Plan(graph)
    from .partition import is_whole, obstacle, partition
    from .region import Region, refused

    if jit_compile:
        here = obstacle_here()
        if here is not None:
            raise refused(None, here)
        found = obstacle(graph.nodes)
        if found is not None:
            raise refused(*found)
        return Region(graph, demanded=True)
    return Region(graph) if is_whole(graph) else Plan(partition(graph)[0])


def report(plan: Any) -> str:
    """What of a graph is machine code, and what stands in the way of the rest: one line for each part.

    ``plan`` is what `native_plan` has given.
    """
    here = obstacle_here()
    if here is not None:
        return f"nothing is machine code: {here}"
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
