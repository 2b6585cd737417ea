"""Lists and arrays of tensors: memory that grows, with all elements one after the other.

In a graph a list never changes, and every change gives a new one. Here only such a list is changed as nobody looks at
afterwards, so that it can be changed where it is; a graph that keeps an older one is not lowered. Elements all have one
shape. One that was never written is zeros, as in the plan.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ....base.dtypes import DType, bool_, int64, variant
from ....base.shapes import Shape, is_compatible
from ....ir import records
from ....ir.graph import Node
from ....ir.op import lowers
from ..emit.arrays import Buffer, Expression, Ints, Load, Map, Splat
from ..emit.emitter import Emitter, NotLowered, literal, type_of
from ..emit.lowering import Fails, Lowering
from ..emit.rows import Rows
from ..supported import ENGINE

if TYPE_CHECKING:
    from ....ir.graph import Value
    from ...held import Held

# An array that is made with more elements is left to the plan: sizes in bytes do not overflow then.
_MOST_ELEMENTS = 1 << 24
_ROOM = """define internal i1 @list_room(ptr %data, ptr %room, i64 %needed) {
start:
  %have = load i64, ptr %room
  %short = icmp ugt i64 %needed, %have
  br i1 %short, label %grow, label %good
grow:
  %twice = shl i64 %have, 1
  %ample = icmp ugt i64 %twice, %needed
  %size = select i1 %ample, i64 %twice, i64 %needed
  %old = load ptr, ptr %data
  %new = call ptr @PyMem_RawRealloc(ptr %old, i64 %size)
  %none = icmp eq ptr %new, null
  br i1 %none, label %bad, label %clear
clear:
  store ptr %new, ptr %data
  store i64 %size, ptr %room
  %tail = getelementptr i8, ptr %new, i64 %have
  %added = sub i64 %size, %have
  call void @llvm.memset.p0.i64(ptr %tail, i8 0, i64 %added, i1 false)
  br label %good
good:
  ret i1 false
bad:
  ret i1 true
}"""


class Element:
    """What the elements of a list are; known from the first one that is written or read."""

    def __init__(self, e: Emitter) -> None:
        self._e, self._name = e, f"<size {len(e.sizes)}>"
        self.dtype: DType | None = None
        self.shape: Ints = ()
        e.sizes[self._name] = "0"

    def bind(self, dtype: DType, shape: Shape) -> None:
        """The elements are of a type; raises `NotLowered` when they are of another, or not all of one shape."""
        if self.dtype is None:
            type_of(dtype)
            if shape is None or None in shape:
                raise NotLowered("a list whose elements have a shape that depends on values")
            self.dtype, self.shape = dtype, shape  # type: ignore[assignment]
            self._e.sizes[self._name] = self.size
        if self.dtype is not dtype or not is_compatible(self.shape, shape):
            raise NotLowered("a list of tensors of different shapes")

    @property
    def size(self) -> str:
        """The bytes of an element: a number, or what stands for it until it is known."""
        if self.dtype is None:
            return self._name
        return str(math.prod(self.shape) * (1 if self.dtype is bool_ else self.dtype.numpy.itemsize))


class ListOf(Expression):
    """A list. ``data`` and ``room``: where the address of its memory is, and how many bytes that has.

    The memory stays from call to call, so that it need not be had from the system, page by page, each time.
    """

    __slots__ = ("data", "element", "length", "room")
    has_shape = False

    def __init__(self, data: str, room: str, element: Element, length: str) -> None:
        self.dtype, self.constant = variant, None
        self.data, self.room, self.element, self.length = data, room, element, length

    @property
    def shape(self) -> Ints:  # type: ignore[override]
        raise NotLowered("a list that is given or returned")

    def of_length(self, length: str) -> ListOf:
        """The same memory with another number of elements."""
        return ListOf(self.data, self.room, self.element, length)


def _new(lowering: Lowering, length: str, element: Element | None = None) -> ListOf:
    e = lowering.e
    data = e.let_first(f"getelementptr i64, ptr %lists, i64 {2 * len(e.lists)}")
    room = e.let_first(f"getelementptr i64, ptr %lists, i64 {2 * len(e.lists) + 1}")
    e.lists.append((data, room))
    return ListOf(data, room, element or Element(e), length)


def check_owned(lowering: Lowering, x: ListOf, value: Value | Held, node: Node) -> None:
    """Raise `NotLowered` unless a node is the last that looks at a list, which it changes."""
    if not _is_last(lowering, x, value, node):
        raise NotLowered("a list that is used again after it has been changed")


def _is_last(lowering: Lowering, x: ListOf, value: Value | Held, node: Node) -> bool:
    """Whether nobody uses the memory of a list after a node."""
    others = [other for each, other in lowering.values.items() if each != value]
    return lowering.dies_at(value, node) and not any(isinstance(y, ListOf) and y.data == x.data for y in others)


def joined(lowering: Lowering, ways: Sequence[tuple[str, ListOf]]) -> ListOf:
    """The list that comes from one of several blocks. Of its memory nothing else may know, if that is not the same."""
    e, first = lowering.e, ways[0][1]
    if any(x.data != first.data for _, x in ways):
        known = {y.data for y in lowering.values.values() if isinstance(y, ListOf)}
        bound = next((x.element for _, x in ways if x.element.dtype is not None), None)
        if bound is None or bound.dtype is None or any(x.data in known for _, x in ways):
            raise NotLowered("a variable that is one list or another")
        for _, x in ways:
            x.element.bind(bound.dtype, bound.shape)
    names = []
    for kind, field in (("ptr", "data"), ("ptr", "room"), ("i64", "length")):
        registers = [getattr(x, field) for _, x in ways]
        edges = ", ".join(f"[ {register}, %{label} ]" for register, (label, _) in zip(registers, ways, strict=True))
        names.append(registers[0] if len(set(registers)) == 1 else e.let(f"phi {kind} {edges}"))
    return ListOf(names[0], names[1], first.element, names[2])


def _need(lowering: Lowering, x: ListOf, length: str) -> None:
    """There is memory for so many elements."""
    e = lowering.e
    e.declare_python("PyMem_RawRealloc")
    _declare_memset(e)
    e.declare("@list_room", _ROOM)
    needed = e.let(f"mul i64 {length}, {x.element.size}")
    e.fail_if(e.let(f"call i1 @list_room(ptr {x.data}, ptr {x.room}, i64 {needed})"))


def _declare_memset(e: Emitter) -> None:
    e.declare("@llvm.memset.p0.i64", "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")


def _clear(lowering: Lowering, x: ListOf, first: str, size: str) -> None:
    """Zeros in so many bytes from a place on."""
    e = lowering.e
    _declare_memset(e)
    start = e.let(f"getelementptr i8, ptr {e.let(f'load ptr, ptr {x.data}')}, i64 {first}")
    e.do(f"call void @llvm.memset.p0.i64(ptr {start}, i8 0, i64 {size}, i1 false)")


def _place(lowering: Lowering, x: ListOf, index: str) -> Load:
    """An element, which is there."""
    e, element = lowering.e, x.element
    assert element.dtype is not None
    offset = e.let(f"mul i64 {index}, {element.size}")
    pointer = e.let(f"getelementptr i8, ptr {e.let(f'load ptr, ptr {x.data}')}, i64 {offset}")
    return Load(Buffer(pointer, element.dtype, math.prod(element.shape)), element.shape)


def _index(lowering: Lowering, index: Expression, x: ListOf, wraps: bool) -> str:
    """The register of an index that is there; fails for any other."""
    e = lowering.e
    i = e.cast(lowering.scalar(index), index.dtype, int64)
    if wraps and index.dtype.kind == "i":
        i = e.select(e.compare("lt", int64, i, "0"), int64, e.arithmetic("add", int64, i, x.length), i)
    e.fail_if(e.let(f"icmp uge i64 {i}, {x.length}"))
    return i


def _write(lowering: Lowering, x: ListOf, index: str, value: Expression, again: bool) -> None:
    """``again``: the value is needed afterwards; what has to be computed for it is stored for that, too."""
    pairs = [(_place(lowering, x, index), value)]
    if again and isinstance(value, Map):
        target = lowering.new_buffer(value.dtype, value.shape)
        lowering.store([*pairs, (target, value)])
        value.stored = target
    else:
        lowering.store(pairs)


def _read(lowering: Lowering, x: ListOf, index: str) -> Expression:
    """A copy of an element: its place may be written to next."""
    found = _place(lowering, x, index)
    if found.shape == ():
        return Splat((), found.dtype, lowering.scalar(found))
    target = lowering.new_buffer(found.dtype, found.shape)
    lowering.store([(target, found)])
    return target


def _list(x: Expression) -> ListOf:
    if not isinstance(x, ListOf):
        raise NotLowered("a value that is no list of tensors")
    return x


def _tensor(x: Expression) -> Expression:
    if not x.has_shape:
        raise NotLowered("a list of lists, or of ranges")
    return x


# Making


@lowers(ENGINE, records.list_new)
def _list_new(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    return _new(lowering, "0")


@lowers(ENGINE, records.array_new)
def _array_new(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    e = lowering.e
    size = e.cast(lowering.scalar(inputs[0]), inputs[0].dtype, int64)
    e.fail_if(e.let(f"icmp ugt i64 {size}, {_MOST_ELEMENTS}"))
    result = _new(lowering, size)
    room = e.let(f"load i64, ptr {result.room}")  # there is some if it is made in a loop, or in a later call
    used = e.arithmetic("mul", int64, size, result.element.size)
    _clear(lowering, result, "0", e.select(e.let(f"icmp ult i64 {used}, {room}"), int64, used, room))
    return result


@lowers(ENGINE, records.list_from_tensor)
def _from_tensor(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    x = inputs[0]
    result = _new(lowering, str(x.shape[0]))
    result.element.bind(x.dtype, x.shape[1:])
    _need(lowering, result, result.length)
    pointer = lowering.e.let(f"load ptr, ptr {result.data}")
    lowering.store([(Load(Buffer(pointer, x.dtype, x.size), x.shape), x)])
    return result


@lowers(ENGINE, records.list_zeros_like)
def _zeros_like(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    x = _list(inputs[0])
    result = _new(lowering, x.length, x.element)
    _need(lowering, result, x.length)
    _clear(lowering, result, "0", lowering.e.let(f"mul i64 {x.length}, {x.element.size}"))
    return result


# Changing


@lowers(ENGINE, records.list_push)
def _push(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    x, value = _list(inputs[0]), _tensor(inputs[1])
    check_owned(lowering, x, node.inputs[0], node)
    x.element.bind(value.dtype, value.shape)
    longer = x.of_length(lowering.e.arithmetic("add", int64, x.length, "1"))
    _need(lowering, longer, longer.length)
    _write(lowering, longer, x.length, value, not lowering.dies_at(node.inputs[1], node))
    return longer


@lowers(ENGINE, records.list_set, records.array_write)
def _set(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    x, value = _list(inputs[0]), _tensor(inputs[2])
    check_owned(lowering, x, node.inputs[0], node)
    x.element.bind(value.dtype, value.shape)
    index = _index(lowering, inputs[1], x, wraps=node.op is records.list_set)
    _need(lowering, x, x.length)
    _write(lowering, x, index, value, not lowering.dies_at(node.inputs[2], node))
    return x


@lowers(ENGINE, records.array_clear)
def _clear_element(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    e, x = lowering.e, _list(inputs[0])
    check_owned(lowering, x, node.inputs[0], node)
    index = _index(lowering, inputs[1], x, wraps=False)
    _need(lowering, x, x.length)
    _clear(lowering, x, e.let(f"mul i64 {index}, {x.element.size}"), x.element.size)
    return x


@lowers(ENGINE, records.list_pop)
def _pop(lowering: Lowering, node: Node, inputs: list[Expression]) -> list[Expression]:
    e, x = lowering.e, _list(inputs[0])
    x.element.bind(node.attributes["dtype"], x.element.shape if x.element.dtype else node.attributes["shape"])
    e.fail_if(e.compare("eq", int64, x.length, "0"))
    shorter = x.of_length(e.arithmetic("sub", int64, x.length, "1"))
    return [shorter, _read(lowering, x, shorter.length)]


@lowers(ENGINE, records.array_grow)
def _grow(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    e, x = lowering.e, _list(inputs[0])
    check_owned(lowering, x, node.inputs[0], node)
    index = e.cast(lowering.scalar(inputs[1]), inputs[1].dtype, int64)
    e.fail_if(e.compare("gt", int64, index, str(_MOST_ELEMENTS)))
    wanted = e.arithmetic("add", int64, index, "1")
    length = e.select(e.compare("gt", int64, wanted, x.length), int64, wanted, x.length)
    longer = x.of_length(length)
    _need(lowering, longer, length)
    first, end = (e.let(f"mul i64 {n}, {x.element.size}") for n in (x.length, length))
    _clear(lowering, longer, first, e.arithmetic("sub", int64, end, first))
    return longer


# Looking


@lowers(ENGINE, records.list_length)
def _length(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    dtype = node.outputs[0].type.dtype
    length = _list(inputs[0]).length
    if length.isdecimal():
        return Splat((), dtype, literal(int(length), dtype))
    return Splat((), dtype, lowering.e.cast(length, int64, dtype))


@lowers(ENGINE, records.list_get, records.array_read)
def _get(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    x = _list(inputs[0])
    _bind_read(x, node)
    index = _index(lowering, inputs[1], x, wraps=node.op is records.list_get)
    _need(lowering, x, x.length)
    return _read(lowering, x, index)


@lowers(ENGINE, records.array_take)
def _take(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    x, like = _list(inputs[0]), _tensor(inputs[2])
    x.element.bind(like.dtype, like.shape)
    index = _index(lowering, inputs[1], x, wraps=False)
    _need(lowering, x, x.length)
    return _read(lowering, x, index)


@lowers(ENGINE, records.list_stack, records.array_stack, records.list_stack_like)
def _stack(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    e, x = lowering.e, _list(inputs[0])
    if len(inputs) > 1:
        length, shape = inputs[1].shape[0], inputs[1].shape[1:]
        x.element.bind(inputs[1].dtype, shape)
    else:
        _bind_read(x, node)
        known = x.length if x.length.isdecimal() else node.attributes.get("length")
        if known is None:
            return _rows(lowering, x, node)
        length = int(known)
    e.fail_if(e.compare("ne", int64, x.length, str(length)))
    _need(lowering, x, str(length))
    dtype = x.element.dtype
    assert dtype is not None
    whole = (length, *x.element.shape)
    source = Load(Buffer(e.let(f"load ptr, ptr {x.data}"), dtype, math.prod(whole)), whole)
    if _is_last(lowering, x, node.inputs[0], node):  # nobody writes to it any more
        return source
    target = lowering.new_buffer(dtype, whole)
    lowering.store([(target, source)])
    return target


def _rows(lowering: Lowering, x: ListOf, node: Node) -> Rows:
    """The elements as an array with a length."""
    e, shape = lowering.e, x.element.shape
    if not math.prod(shape) or not _is_last(lowering, x, node.inputs[0], node):
        raise NotLowered("a stack, of a length that depends on values, of nothing, or of a list that is used again")
    if node.attributes["shape"] is None or None in node.attributes["shape"]:
        e.fail_if(e.compare("eq", int64, x.length, "0"))
    _need(lowering, x, x.length)
    assert x.element.dtype is not None
    return Rows(x.data, x.element.dtype, shape, e.arithmetic("mul", int64, x.length, x.element.size), node)


def _bind_read(x: ListOf, node: Node) -> None:
    dtype, shape = node.attributes["dtype"], node.attributes["shape"]
    if x.element.dtype is None:
        x.element.bind(dtype, shape)
    elif x.element.dtype is not dtype:
        raise NotLowered("a list that is read as of another dtype")
    elif not is_compatible(x.element.shape, shape):
        raise Fails
