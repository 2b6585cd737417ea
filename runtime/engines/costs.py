"""When code is worth compiling: as soon as the plan has worked about as long as compiling would have taken.

So nothing takes twice as long as it had to, however often it will run; a call that comes once never waits for the
compiler. Work is not measured but estimated, in units of one op of scalars (about 50 ns), so that a program does the
same whenever it runs: results of machine code may differ from NumPy's in the last digits.
"""

from __future__ import annotations

import functools
import math

from ..ir.graph import Graph, Node
from ..ir.primitive import Cond, While
from ..ir.work import Work

# Running: a call of a plan, a kernel on arrays, and how many elements take as long as an op of scalars.
_CALL, _KERNEL, _ELEMENTS = 4, 15, 100
# How many products of a matrix product take as long, and elements of an elementary function.
_PRODUCTS, _FUNCTIONS = 2000, 15


class Spent(BaseException):
    """A plan has done the work that it was given a budget for: a loop in it is worth compiling."""


def of_call(graph: Graph) -> int:
    """The work of a call, but for turns of loops."""
    return _CALL + of_block(graph)


def of_block(graph: Graph) -> int:
    """The work of running the nodes of a graph once, but for turns of loops."""
    return sum(_of_node(node) for node in graph.nodes)


def of_turn(node: While) -> int:
    """The work of a turn of a loop."""
    return 1 + of_block(node.test) + of_block(node.body)


def _of_node(node: Node) -> int:
    if node.op.work is Work.NONE:
        return 0
    if isinstance(node, While):
        return 1
    if isinstance(node, Cond):
        return 1 + max(of_block(node.then), of_block(node.orelse))
    largest = elements(node)
    if largest == 1:
        return 1
    is_function = node.op.work is Work.LONG and node.outputs[0].type.dtype.kind == "f"
    return _KERNEL + largest // (_FUNCTIONS if is_function else _ELEMENTS) + products(node) // _PRODUCTS


def elements(node: Node) -> int:
    """The elements of the largest array of a node, as far as its dimensions are known."""
    return max([_size(value.type.shape) for value in (*node.inputs, *node.outputs)], default=1)


def products(node: Node) -> int:
    """How many pairs of elements a node multiplies that is a product, as far as dimensions are known; 0 for others."""
    if node.op.products is None:
        return 0
    inputs, outputs = ([value.type.shape for value in values] for values in (node.inputs, node.outputs))
    return node.op.products(inputs, outputs, node.attributes)


@functools.lru_cache(maxsize=1024)
def _size(shape: tuple[int | None, ...] | None) -> int:
    if shape == ():
        return 1
    return max(2, math.prod(n for n in shape or () if n is not None))
