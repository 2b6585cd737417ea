"""Arrays with a length: what a list that has grown becomes, of which only a run knows how many elements it has.

No other op takes one, so that all other shapes stay static: it is a result of the code, and what follows it, such as
sums over it, is a part of the graph by itself, compiled for the length that it then has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ....base.dtypes import DType
from ....ir.graph import Node, Type
from ..foreign import cpython
from .arrays import Expression, Ints
from .emitter import Emitter, NotLowered


class OfUnknownLength(NotLowered):
    """An array with a length is used otherwise than as a result. ``node``: what makes it."""

    def __init__(self, node: Node) -> None:
        super().__init__("a stack of a list whose length depends on values")
        self.node = node


class Rows(Expression):
    """Elements of one shape, one after the other. ``data``: where their address is; ``bytes``: how many they are.

    ``node``: what makes it.
    """

    __slots__ = ("bytes", "data", "node", "row")
    has_shape = False

    def __init__(self, data: str, dtype: DType, row: Ints, bytes: str, node: Node) -> None:
        self.dtype, self.constant = dtype, None
        self.data, self.row, self.bytes, self.node = data, row, bytes, node

    @property
    def shape(self) -> Ints:  # type: ignore[override]
        raise OfUnknownLength(self.node)

    def give(self, e: Emitter, place: str) -> None:
        """Write the code that puts a new object of Python's with the elements, its address, into a place."""
        e.declare_python("PyByteArray_FromStringAndSize")
        data = e.let(f"load ptr, ptr {self.data}")
        found = e.let(f"call ptr @PyByteArray_FromStringAndSize(ptr {data}, i64 {self.bytes})")
        label = e.new_label("given")
        e.branch(e.let(f"icmp eq ptr {found}, null"), "interrupted", label, ", !prof !0")
        e.begin(label)
        e.do(f"store ptr {found}, ptr {place}")


def with_rows(run: Callable[..., Any], rows: Mapping[int, Type]) -> Callable[..., Any]:
    """A function that gives arrays in place of the addresses that code gives; ``rows``: the type of an element."""

    def entry(*arrays: Any) -> Any:
        results = run(*arrays)
        if type(results) is not tuple:
            return results
        found = list(results)
        for i, each in rows.items():
            flat = np.frombuffer(cpython.taken(int(found[i])), each.dtype.numpy)
            found[i] = flat.reshape(-1, *each.shape)  # type: ignore[misc]
        return tuple(found)

    return entry
