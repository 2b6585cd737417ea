"""Graphs as machine code, through LLVM (``llvmlite``, the extra ``native``).

=============  ======================================================================================================
supported.py   the dtypes that there is code for
ops/           how ops are lowered, by families
functions/     exp, sin, erf, power, division ... of one element, so that loops of them become loops over vectors
emit/          what lowerings write with: LLVM IR as text, arrays and expressions, the function of a graph
run/           from text to code: compiling, code on disk, the function that Python calls
foreign/       what code takes for granted of others, a file for each: of Python's objects and functions, of NumPy's
               arrays and its BLAS, of the C library, of llvmlite, of this machine; all tried before the first code is
               made
=============  ======================================================================================================

How to add an op: an elementwise one is one entry of `ops.elementwise.FORMS`, the dtype in which NumPy computes and a
function that writes instructions for one element. Any other is a function with ``@lowers(ENGINE, record)`` in the
module of its family in ops/; it gets the expressions of its inputs, and gives that of its output. Both stand on the
record then, which says ``native=True``, so that nothing has to load to know it. The tests run both over the op's
samples.

What is the same as in the plan: dtypes, shapes, integers bit for bit, comparisons, conversions, ``+ - * /`` and square
roots of floats, errors and warnings. A division of integers by zero, a float that fits into no integer, an index
outside: the code gives up, and the plan runs in its place from the start; nothing has happened by then that anyone
could see. A check that fails, or a ``raise``, hands the values that it tells of to a plan of that node alone (see
`engines.raising`), so that the user's error comes at once. What may differ in the last digits: sums of floats (in
another order; of float32 in float64), matrix products, elementary functions (bounds in functions/), and the sign of a
zero that is the largest or smallest of zeros of both signs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from autograph.log import log_once
from autograph.settings import settings

from ...base.devices import Device
from ...base.dtypes import variant
from ...ir.graph import Graph, Node, Type
from ...ir.primitive import CONSTANT, While
from ...ir.work import Work
from .. import costs
from ..engine import Entry, is_installed
from .supported import ENGINE, TYPES

__all__ = ["NATIVE", "is_available"]

# Compiling: to start with, and for each node of scalars, of arrays, or what is long code: of an elementary function, or
# a product.
_START, _SCALAR, _ARRAY, _FUNCTION, _PRODUCT = 300_000, 600, 10_000, 60_000, 200_000
# So many nodes have to be in a part without a loop, or a call of it costs more than it saves.
_ENOUGH = 4


def obstacle_here() -> str | None:
    """Why there can be no machine code on this machine, in this Python, with this NumPy; None if there can."""
    if not is_installed(NATIVE.library):
        return "llvmlite is not installed (the extra `native`)"
    from . import foreign
    from .run import entry

    found = foreign.obstacle(entry.obstacle)
    if found is not None:
        log_once(f"nothing becomes machine code: {found}")
    return found


def is_available() -> bool:
    """Whether machine code can be made: llvmlite works, and memory is laid out as it is known here."""
    return obstacle_here() is None


class Native:
    """The engine that makes machine code; see `Engine`."""

    name, library, product, most_nodes = ENGINE, "llvmlite", "machine code", 2000
    cuts_loops = False
    device: Device | None = None

    def is_wanted(self) -> bool:
        return settings.native and is_installed(self.library)

    def missing(self) -> str | None:
        return obstacle_here()

    def obstacle(self, node: Node) -> str | None:
        for value in (*node.inputs, *node.outputs):
            if node.op.holds is not None and value.node.op is CONSTANT:
                continue  # what an error says
            if value.type.dtype not in TYPES and value.type.dtype is not variant:
                return f"values of dtype {value.type.dtype.name}"
        return None if node.op.native else f"the op {node.op.name!r} has no form in machine code"

    def pays(self, nodes: Sequence[Node]) -> bool:
        usual = sum(node.op.work in (Work.USUAL, Work.LONG) for node in nodes)
        return usual >= _ENOUGH or any(isinstance(node, While) for node in nodes)

    def work_of_compiling(self, nodes: Iterable[Node]) -> int:
        return _START + sum(_of_code(node) for node in nodes if node.op.work is not Work.NONE)

    def compile(self, graph: Graph, types: Sequence[Type], look: Callable[[], None] | None = None) -> Entry | None:
        from .run.assemble import compiled

        return compiled(graph, types, look)


def _of_code(node: Node) -> int:
    is_float = any(value.type.dtype.kind == "f" for value in node.outputs)
    if is_float and node.op.work is Work.LONG:
        return _FUNCTION
    if node.op.products is not None:
        return _PRODUCT
    return _SCALAR if costs.elements(node) == 1 else _ARRAY


NATIVE = Native()
