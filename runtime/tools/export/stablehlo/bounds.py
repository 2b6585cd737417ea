"""Between which numbers whole numbers lie: counters of loops, and what is made of them.

An index that lies inside needs no check, so that a program which only follows its loops can't fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from ....engines.xla.values import Buffer, Lowered, Size, Unsized, is_known, whole
from ....ir import records
from ....ir.graph import Node, Value
from ....ir.op import Op
from ....ir.primitive import CONSTANT, While

__all__ = ["Bounds", "Range"]


class Range(NamedTuple):
    """Numbers from ``low`` to before ``limit``: ints, or symbolic dimensions."""

    low: Size
    limit: Size

    def moved(self, by: Size) -> Range:
        return Range(self.low + by, self.limit + by)

    def is_inside(self, size: Size) -> bool:
        """Whether all of them are indices of a dimension, whatever sizes vary."""
        try:
            return bool(self.low >= 0) and bool(self.limit <= size)
        except Exception:  # JAX can't tell
            return False


class Bounds:
    """What is known of the values of a program. Values are kept, so that no other has their id."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[Lowered, Range]] = {}
        self._steps: dict[int, tuple[Lowered, Lowered, Lowered]] = {}

    def note(self, x: Lowered, found: Range) -> None:
        self._found[id(x)] = x, found

    def of(self, x: Lowered) -> Range | None:
        """Between which numbers all elements of a value lie."""
        if isinstance(x, Buffer | Unsized):
            return None
        known = whole(x) if np.ndim(x) == 0 and x.dtype.kind in "iu" else None
        return Range(known, known + 1) if known is not None else self._found.get(id(x), (None, None))[1]

    def follow(self, node: Node, inputs: Sequence[Lowered], result: Lowered) -> None:
        """Notes what a node makes of values of which something is known."""
        found = self._made(node, inputs)
        if found is not None and not is_known(result):
            self.note(result, found)
        if node.op is records.range:
            self._steps[id(result)] = result, inputs[0], inputs[2]

    def of_range(self, node: Node, inputs: Sequence[Lowered]) -> Any:
        """An element of a range, of which it is not known whether it has any, but that this one is there; else None."""
        if node.op is not records.get_item or id(inputs[0]) not in self._steps or len(inputs) != 2:
            return None
        if inputs[1].ndim or not self.is_inside(node, inputs):
            return None
        x, start, step = self._steps[id(inputs[0])]
        result = jnp.asarray(start).astype(x.dtype) + inputs[1].astype(x.dtype) * jnp.asarray(step).astype(x.dtype)
        self.follow(node, inputs, result)
        return result

    def _made(self, node: Node, inputs: Sequence[Lowered]) -> Range | None:
        if node.op in (records.get_item, records.gather):
            return None if isinstance(inputs[0], Buffer) else self._found.get(id(inputs[0]), (None, None))[1]
        if node.op is records.range:
            return _spanned(inputs)
        found = self.of(inputs[0]) if inputs else None
        if found is None or node.op not in (records.cast, records.identity, records.add, records.subtract):
            return None
        if len(inputs) == 2:
            by = None if isinstance(inputs[1], Unsized) or np.ndim(inputs[1]) else whole(inputs[1])
            return None if by is None else found.moved(by if node.op is records.add else -by)
        dtype = node.outputs[0].type.dtype.numpy
        return found if dtype.kind in "iu" and dtype.itemsize >= inputs[0].dtype.itemsize else None

    def is_inside(self, node: Node, inputs: Sequence[Lowered]) -> bool:
        """Whether all indices that a node takes are known to lie inside."""
        return all(found is not None and found.is_inside(size) for found, size in self._indices(node, inputs))

    def _indices(self, node: Node, inputs: Sequence[Lowered]) -> Iterator[tuple[Range | None, Any]]:
        """What is known of each index that only a run tells, and of what size that dimension is."""
        x = inputs[0]
        if isinstance(x, Unsized):
            yield None, 0
        elif node.op in _OF_LISTS:
            yield self.of(inputs[1]), (whole(x.count) or 0) if isinstance(x, Buffer) else 0
        elif node.op is records.gather:
            yield self.of(inputs[1]), x.shape[node.attributes["axis"]]
        elif node.op is records.get_item:
            yield from self._indices_of_key(x, inputs[1:], node.attributes["key"])
        elif node.op is records.set_item or node.op is records.add_at:
            yield from self._indices_of_key(x, inputs[2:], node.attributes["key"])
        else:
            yield None, 0

    def _indices_of_key(self, x: Lowered, inputs: Sequence[Lowered], key: Any) -> Iterator[tuple[Range | None, Any]]:
        axis = 0
        for part in key:
            if part[0] == "ellipsis":
                axis += x.ndim - sum(each[0] not in ("ellipsis", "newaxis") for each in key)
            elif part[0] == "input":
                index = inputs[part[1]]
                yield None if index.dtype == bool else self.of(index), x.shape[axis] if axis < x.ndim else 0
            axis += part[0] not in ("ellipsis", "newaxis")


_OF_LISTS: frozenset[Op] = frozenset((records.list_get, records.array_read, records.list_set, records.array_write))


def _spanned(inputs: Sequence[Lowered]) -> Range | None:
    start, limit, delta = map(whole, inputs)
    return Range(start, limit) if isinstance(start, int) and limit is not None and (delta or 0) > 0 else None


def counters(node: While, state: Sequence[Lowered], operands: Sequence[Lowered]) -> dict[int, Range]:
    """The values of a loop's state that count from a known number up to a limit, by their places: in a turn."""
    test, body = node.test, node.body
    if test.never_returns or body.never_returns:
        return {}
    known = dict(zip(test.inputs, [*state, *operands], strict=True))
    found = {}
    for counter, limit in _compared(test.outputs[0]):
        if counter not in test.inputs[: node.count]:
            continue
        place = test.inputs.index(counter)
        start, end = whole(known[counter]), _limit(node, limit, known)
        step = _step(body.outputs[place].node, body.inputs[place])
        if start is not None and end is not None and step:
            found[place] = Range(start, end)
    return found


def _compared(value: Value) -> Iterator[tuple[Value, Value]]:
    """The pairs of which the first is less where a condition holds."""
    node = value.node
    if node.op is records.less:
        yield node.inputs[0], node.inputs[1]
    elif node.op is records.logical_and:
        for each in node.inputs:
            yield from _compared(each)


def _limit(node: While, limit: Value, known: dict[Value, Lowered]) -> Any:
    test, body = node.test, node.body
    if limit.node.op is CONSTANT:
        return whole(np.asarray(limit.node.attributes["value"])) if limit.type.shape == () else None
    if limit not in known or np.ndim(known[limit]) or limit.type.dtype.kind not in "iu":
        return None
    place = test.inputs.index(limit)
    stays = place >= node.count or body.outputs[place] is body.inputs[place]
    return whole(known[limit]) if stays else None


def _step(node: Node, counter: Value) -> int:
    """By how much a node adds to a counter: a constant of at least one; 0 where that is not what it does."""
    if node.op is not records.add or counter not in node.inputs or counter.type.dtype.kind not in "iu":
        return 0
    other = node.inputs[1] if node.inputs[0] is counter else node.inputs[0]
    by = other.node.attributes["value"] if other.node.op is CONSTANT else np.int32(0)
    return max(0, int(by)) if np.ndim(by) == 0 else 0
