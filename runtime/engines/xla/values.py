"""What stands for the values of a graph besides arrays: lists, and arrays whose length only a run knows.

Values are made of parts, of which some are static: NumPy's arrays, which are known while a graph is lowered, and None.
The others, `leaves`, are what goes in and out of JAX's loops and branches.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np
from jax import ShapeDtypeStruct, lax

from ...ir import records
from ..engine import NotLowered

if TYPE_CHECKING:
    from ...ir.graph import Node
    from .lowering import Lowering


Lowered = Any
"""What stands for a value of a graph: an array of JAX, one of NumPy where it is known, `Symbols`, a `Buffer`, or an
`Unsized`."""


Size = Any
"""An int, or a symbolic dimension of JAX's."""


def is_known(x: object) -> bool:
    """Whether a value is known while the graph is lowered."""
    return isinstance(x, (np.ndarray, np.generic))


class Symbols:
    """Whole numbers that are made of dimensions which vary, as exporters have them; else an array of JAX like any.

    Attributes
    ----------
    dims: an array of objects: integers, and JAX's symbolic dimensions.
    dtype: the dtype of the tensor that they stand for.
    """

    def __init__(self, dims: Lowered, dtype: np.dtype[Any]) -> None:
        self.dims, self.dtype = np.asarray(dims, object), np.dtype(dtype)
        self.shape, self.ndim, self.size = self.dims.shape, self.dims.ndim, self.dims.size

    def __jax_array__(self) -> Any:
        flat = [jnp.asarray(n).astype(self.dtype) for n in self.dims.ravel()]
        return jnp.stack(flat).reshape(self.shape) if flat else jnp.zeros(self.shape, self.dtype)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.__jax_array__(), name)


def _as_array(name: str) -> Any:
    def method(self: Symbols, *others: Any) -> Any:
        return getattr(self.__jax_array__(), name)(*others)

    return method


_AS_ARRAYS = "add radd sub rsub mul rmul floordiv mod lt le gt ge eq ne and or neg getitem"
for _name in _AS_ARRAYS.split():
    setattr(Symbols, f"__{_name}__", _as_array(f"__{_name}__"))
Symbols.__hash__ = object.__hash__  # type: ignore[method-assign]


def whole(x: Lowered) -> Size:
    """A scalar that tells a size: an int, or a symbolic dimension; None where only a run knows it."""
    if isinstance(x, Symbols):
        return x.dims.item()
    return int(x) if is_known(x) else None


def symbolic(number: Size, dtype: type[np.generic]) -> Any:
    """A known number as a value: `Symbols` where it is no int."""
    return np.dtype(dtype).type(number) if isinstance(number, int) else Symbols(number, np.dtype(dtype))


def count_of(first: Size, end: Size, step: Size) -> Size:
    """How many steps there are from a number to before another; None where JAX can't tell for all sizes."""
    count = -((first - end) // step)
    try:
        return count if count >= 0 else max(0, count)
    except Exception:
        return None


class Room(enum.Enum):
    """Whether there is room for one more element."""

    GROWS = "room is made when it is needed"
    CHECKED = "a loop has given the list all that it has; more is too much"
    SURE = "there is, for all that the loop adds"


@dataclass(frozen=True)
class Buffer:
    """A list: memory for elements of one shape.

    Attributes
    ----------
    items: the elements along the first axis; None as long as nothing is known of elements.
    count: how many elements there are, an int32.
    added: how many the body of the innermost loop has added so far at most; None: that depends on values.
    exactly: whether it has added just so many.
    clean: whether there are zeros behind the elements, not elements that have been taken out.
    """

    items: Any
    count: Any
    added: int | None = 0
    exactly: bool = True
    room: Room = Room.GROWS
    clean: bool = True

    @property
    def capacity(self) -> int:
        return 0 if self.items is None else self.items.shape[0]

    @property
    def element(self) -> ShapeDtypeStruct:
        """The dtype and shape of an element."""
        return ShapeDtypeStruct(self.items.shape[1:], self.items.dtype)

    def resized(self, capacity: int) -> Any:
        """The elements in so much memory."""
        if capacity <= self.capacity:
            return self.items[:capacity]
        shape = (capacity - self.capacity, *self.items.shape[1:])
        return jnp.concatenate([self.items, jnp.zeros(shape, self.items.dtype)])

    def cleaned(self) -> Buffer:
        """The list with zeros behind its elements."""
        if self.clean or self.items is None:
            return self
        is_there = jnp.arange(self.capacity) < self.count
        zeros = jnp.zeros((), self.items.dtype)
        items = jnp.where(lax.expand_dims(is_there, range(1, self.items.ndim)), self.items, zeros)
        return replace(self, items=items, clean=True)


class Unsized:
    """An array of which only a run knows how long it is. Nothing but its length, and one of its elements, can be used.

    ``node``: what makes it.
    """

    node: Node
    row: tuple[int, ...]

    def length(self) -> Any:
        """The number of elements, an int32."""
        raise NotImplementedError

    def item(self, index: Lowered) -> Any:
        """An element that is there."""
        raise NotImplementedError

    def used(self, here: Lowering, node: Node, inputs: Sequence[Lowered]) -> Any:
        """What a node gives that it is the first input of; `NotLowered` where that needs all elements."""
        if node.op is records.shape and inputs[0] is self:
            dtype = node.outputs[0].type.dtype.numpy
            return jnp.stack([self.length().astype(dtype), *[jnp.asarray(n, dtype) for n in self.row]])
        key = node.attributes.get("key", ())
        if node.op is records.get_item and inputs[0] is self and len(key) == 1 and key[0][0] in ("input", "index"):
            index = jnp.asarray(inputs[1] if key[0][0] == "input" else key[0][1], jnp.int64)
            if index.shape == ():
                length = self.length().astype(jnp.int64)
                here.fails((index < -length) | (index >= length))
                return self.item(jnp.where(index < 0, index + length, index))
        raise self.refusal()

    def refusal(self) -> NotLowered:
        """The error for a use that needs all elements: what follows the array is to be a part by itself."""
        return NotLowered("an array whose length depends on values", self.node, ends=True)


@dataclass(frozen=True, eq=False)
class Rows(Unsized):
    """The elements of a list that has grown."""

    items: Any
    count: Any
    node: Node

    @property
    def row(self) -> tuple[int, ...]:  # type: ignore[override]
        return self.items.shape[1:]

    def length(self) -> Any:
        return jnp.asarray(self.count, jnp.int32)

    def item(self, index: Lowered) -> Any:
        return lax.dynamic_index_in_dim(self.items, index, keepdims=False)


@dataclass(frozen=True, eq=False)
class Span(Unsized):
    """The whole numbers of a range from ``start`` to before ``limit``."""

    start: Any
    limit: Any
    delta: Any
    node: Node
    row = ()

    def length(self) -> Any:
        return jnp.maximum(-((self.start - self.limit) // self.delta), 0).astype(jnp.int32)

    def item(self, index: Lowered) -> Any:
        return self.start + index.astype(self.start.dtype) * self.delta


_PARTS = {Buffer: ("items", "count"), Rows: ("items", "count"), Span: ("start", "limit", "delta")}


def _parts(x: Lowered) -> list[Any]:
    return [getattr(x, name) for name in _PARTS[type(x)]] if type(x) in _PARTS else [x]


def _is_static(part: object) -> bool:
    return part is None or isinstance(part, bool | Symbols) or is_known(part)


def leaves(values: Iterable[Lowered]) -> list[Any]:
    """The parts of values that a run decides."""
    return [part for x in values for part in _parts(x) if not _is_static(part)]


def rebuilt(values: Iterable[Lowered], leaves: Iterable[Any]) -> list[Any]:
    """Values with others in the place of their leaves."""
    new, found = iter(leaves), []
    for x in values:
        parts = [part if _is_static(part) else next(new) for part in _parts(x)]
        found.append(replace(x, **dict(zip(_PARTS[type(x)], parts, strict=True))) if type(x) in _PARTS else parts[0])
    return found


def joined(x: Lowered, y: Lowered) -> Any:
    """What a value is like that is one of two, as branches give them. Raises `NotLowered` where that can't be said."""
    if isinstance(x, Buffer) and isinstance(y, Buffer):
        return _joined_lists(x, y)
    if isinstance(x, Unsized | Buffer) or isinstance(y, Unsized | Buffer):
        raise NotLowered("one of two arrays whose lengths depend on values")
    if is_same(x, y):
        return x
    if np.shape(x) != np.shape(y):
        raise NotLowered(f"branches that give the shapes {np.shape(x)} and {np.shape(y)}")
    return ShapeDtypeStruct(x.shape, x.dtype)


def is_same(x: Lowered, y: Lowered) -> bool:
    """Whether two values are known, and equal to the last bit."""
    if isinstance(x, Symbols) and isinstance(y, Symbols):
        return x.dtype == y.dtype and x.shape == y.shape and x.dims.tolist() == y.dims.tolist()
    return is_known(x) and is_known(y) and x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()


def _joined_lists(x: Buffer, y: Buffer) -> Buffer:
    count = x.count if is_same(x.count, y.count) else ShapeDtypeStruct((), np.int32)
    added = None if x.added is None or y.added is None else max(x.added, y.added)
    exactly = x.exactly and y.exactly and x.added == y.added
    room = next((room for room in (Room.CHECKED, Room.SURE) if room in (x.room, y.room)), Room.GROWS)
    filled = [each for each in (x, y) if each.items is not None]
    clean = x.clean and y.clean
    if not filled:
        return Buffer(None, count, added, exactly, room, clean)
    check_alike(filled[0], filled[-1].element)
    shape = max(each.capacity for each in (x, y)), *filled[0].items.shape[1:]
    return Buffer(ShapeDtypeStruct(shape, filled[0].items.dtype), count, added, exactly, room, clean)


def check_alike(x: Buffer, element: Lowered) -> None:
    """Raise `NotLowered` unless elements of a list have a dtype and a shape."""
    if (x.items.shape[1:], x.items.dtype) != (element.shape, element.dtype):
        raise NotLowered("a list of tensors of different shapes")


def conformed(here: Lowering, x: Lowered, target: Lowered) -> Any:
    """A value as one like another, of `joined`, which it is of."""
    if isinstance(x, Unsized) or isinstance(target, Symbols) or is_known(target):
        return x
    if not isinstance(x, Buffer):
        return jnp.asarray(x)
    items = x.items
    if target.items is not None:
        items = jnp.zeros(target.items.shape, target.items.dtype) if items is None else x.resized(target.capacity)
        if x.capacity > target.capacity and target.room is not Room.SURE:
            here.lacks(jnp.asarray(x.count) > target.capacity)
    count = target.count if _is_static(target.count) else jnp.asarray(x.count, jnp.int32)
    return replace(target, items=items, count=count)
