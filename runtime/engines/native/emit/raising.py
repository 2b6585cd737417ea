"""Leaving a function where the user's error is raised."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ....ir.graph import Graph, Node, Type
from ...raising import Failure, layout
from ..foreign import cpython
from ..supported import TYPES
from .arrays import Buffer, Expression, Load, Splat

if TYPE_CHECKING:
    from .lowering import Lowering

MOST_ELEMENTS = 500
"""Values of more elements together are not handed over: the plan runs, and meets them again."""


def leave(lowering: Lowering, source: Node | Graph, inputs: Sequence[Expression]) -> None:
    """End a block in which a node, or a graph that never returns, raises: with the error, where its values are at hand.

    Else the plan runs in place of the code, as it does where variables have been changed, which stay so.
    """
    e = lowering.e
    inputs = [x.resolved() for x in inputs]
    told = [x for x in inputs if x.constant is None]
    if not lowering.is_pure or not all(map(_is_at_hand, told)) or sum(x.size for x in told) > MOST_ELEMENTS:
        e.jump("failed")
        return
    given = [Type(x.dtype, x.shape) if x.constant is None else x.constant for x in inputs]
    places, size = layout([each for each in given if isinstance(each, Type)])
    failure = Failure(source, given)
    lowering.kept.append(failure)
    slot = lowering.workspace.take(size)
    start = e.let_first(f"getelementptr inbounds i8, ptr %workspace, i64 {slot.offset}")
    pairs = []
    for x, place in zip(told, places, strict=True):
        pointer = e.let_first(f"getelementptr inbounds i8, ptr {start}, i64 {place}")
        pairs.append((Load(Buffer(pointer, x.dtype, x.size, slot), x.shape), x))
    lowering.store(pairs)
    _call(lowering, cpython.address(failure), start, size)


def _is_at_hand(x: Expression) -> bool:
    """Whether nothing has to be computed for a value, or read from a list."""
    return x.dtype in TYPES and isinstance(x, (Load, Splat))


def _call(lowering: Lowering, failure: int, start: str, size: int) -> None:
    e = lowering.e
    e.declare_python("PyBytes_FromStringAndSize", "PyObject_CallOneArg", "Py_DecRef")
    data = e.let(f"call ptr @PyBytes_FromStringAndSize(ptr {start}, i64 {size})")
    ready, returned = e.new_label("told"), e.new_label("returned")
    e.branch(e.let(f"icmp eq ptr {data}, null"), "interrupted", ready)
    e.begin(ready)
    result = e.let(f"call ptr @PyObject_CallOneArg(ptr {e.address(failure)}, ptr {data})")
    e.do(f"call void @Py_DecRef(ptr {data})")
    e.branch(e.let(f"icmp eq ptr {result}, null"), "interrupted", returned)
    e.begin(returned)  # it has raised nothing: the plan has to look
    e.do(f"call void @Py_DecRef(ptr {result})")
    e.jump("failed")
