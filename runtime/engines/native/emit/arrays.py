"""Arrays in machine code: buffers with static shapes and strides, and expressions over them that are computed late.

An expression gives one element for each point of its shape. Views (transpose, slice, broadcast) change only how an
expression walks over its buffers. `Loops` writes one loop nest for all expressions that are stored together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ....base.dtypes import DType, int64
from .emitter import Emitter, literal, type_of
from .workspace import Slot

Ints = tuple[int, ...]
# Unrolling other loops than the innermost, or such short ones, makes code that takes long to compile and is no faster.
_SHORT = 16
# Expressions of more operations than this are stored before they are used again.
MOST_OPERATIONS = 64


class Buffer:
    """Memory for elements of a dtype. ``slot`` is its part of the workspace, None for what comes from outside.

    One whose pointer changes has several parts.
    """

    __slots__ = ("dtype", "pointer", "size", "slot")

    def __init__(self, pointer: str, dtype: DType, size: int, slot: Slot | tuple[Any, ...] | None = None) -> None:
        self.pointer, self.dtype, self.size, self.slot = pointer, dtype, size, slot


class Expression:
    """Elements of a dtype over a shape. ``constant`` is the array itself where it is known beforehand.

    ``has_shape``: whether the shape is known now; it is of all but a `views.Progression`.
    """

    __slots__ = ("__weakref__", "constant", "dtype", "shape")
    operations = 0
    has_shape = True

    def __init__(self, shape: Ints, dtype: DType) -> None:
        self.shape, self.dtype = shape, dtype
        self.constant: np.ndarray | None = None

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def walk(self, map: Sequence[tuple[int | None, int, int]], shape: Ints) -> Expression:
        """The expression seen from another shape: axis ``a`` of this one is ``start + step * axis`` of that, for
        ``map[a] = (axis, step, start)``, or just ``start`` where the axis is None."""
        raise NotImplementedError

    @property
    def parts(self) -> Sequence[Expression]:
        return ()

    def resolved(self) -> Expression:
        """What stands for the expression now."""
        return self


class Splat(Expression):
    """One register for every point."""

    __slots__ = ("register",)

    def __init__(self, shape: Ints, dtype: DType, register: str) -> None:
        super().__init__(shape, dtype)
        self.register = register

    def walk(self, map: Sequence[tuple[int | None, int, int]], shape: Ints) -> Splat:
        return Splat(shape, self.dtype, self.register)


class Strided(Expression):
    """What depends on the point by a stride for each axis and an offset."""

    __slots__ = ("offset", "strides")

    def __init__(self, shape: Ints, dtype: DType, strides: Ints, offset: int = 0) -> None:
        super().__init__(shape, dtype)
        self.strides, self.offset = strides, offset

    def _walked(self, map: Sequence[tuple[int | None, int, int]], shape: Ints) -> tuple[Ints, int]:
        strides, offset = [0] * len(shape), self.offset
        for stride, (axis, step, start) in zip(self.strides, map, strict=True):
            offset += stride * start
            if axis is not None:
                strides[axis] += stride * step
        return tuple(strides), offset


class Load(Strided):
    """The elements of a buffer. ``moved``: a register of what is added to the offset, or None."""

    __slots__ = ("buffer", "moved")

    def __init__(self, buffer: Buffer, shape: Ints, strides: Ints | None = None, offset: int = 0,
                 moved: str | None = None) -> None:  # fmt: skip
        super().__init__(shape, buffer.dtype, contiguous(shape) if strides is None else strides, offset)
        self.buffer, self.moved = buffer, moved

    def walk(self, map: Sequence[tuple[int | None, int, int]], shape: Ints) -> Load:
        strides, offset = self._walked(map, shape)
        return Load(self.buffer, shape, strides, offset, self.moved)

    @property
    def is_contiguous(self) -> bool:
        wanted = contiguous(self.shape)
        return self.size == 0 or all(a == b or n == 1 for a, b, n in zip(self.strides, wanted, self.shape, strict=True))

    def same_place(self, other: Load) -> bool:
        """Whether each point means the same element of the same buffer."""
        if self.buffer is not other.buffer or self.shape != other.shape:
            return False
        if self.offset != other.offset or self.moved != other.moved:
            return False
        return all(a == b or n == 1 for a, b, n in zip(self.strides, other.strides, self.shape, strict=True))


class Iota(Strided):
    """The numbers ``offset + sum(stride * index)`` (int64)."""

    __slots__ = ()

    def walk(self, map: Sequence[tuple[int | None, int, int]], shape: Ints) -> Iota:
        strides, offset = self._walked(map, shape)
        return Iota(shape, self.dtype, strides, offset)


class Gather(Strided):
    """Elements of a buffer at places of which some coordinates are computed: ``(index, stride, length of the axis)``.

    Negative indices count from the end where ``wraps``; others outside fail.
    """

    __slots__ = ("buffer", "indices", "moved", "operations", "wraps")

    def __init__(self, buffer: Buffer, shape: Ints, strides: Ints, offset: int, moved: str | None,
                 indices: Sequence[tuple[Expression, int, int]], wraps: bool) -> None:  # fmt: skip
        super().__init__(shape, buffer.dtype, strides, offset)
        self.buffer, self.moved, self.indices, self.wraps = buffer, moved, tuple(indices), wraps
        self.operations = 2 + sum(index.operations for index, _, _ in indices)

    @property
    def parts(self) -> Sequence[Expression]:
        return [index for index, _, _ in self.indices]

    def walk(self, map: Sequence[tuple[int | None, int, int]], shape: Ints) -> Gather:
        strides, offset = self._walked(map, shape)
        indices = [(index.resolved().walk(map, shape), stride, n) for index, stride, n in self.indices]
        return Gather(self.buffer, shape, strides, offset, self.moved, indices, self.wraps)


Compute = Callable[..., str]


class Map(Expression):
    """A function of the elements of other expressions of the same shape. ``stored``: where it has been computed."""

    __slots__ = ("arguments", "compute", "operations", "stored")

    def __init__(self, shape: Ints, dtype: DType, compute: Compute, arguments: Sequence[Expression]) -> None:
        super().__init__(shape, dtype)
        self.compute, self.arguments = compute, tuple(arguments)
        self.stored: Load | None = None
        self.operations = 1 + sum(argument.resolved().operations for argument in arguments)

    @property
    def parts(self) -> Sequence[Expression]:
        return self.arguments

    def resolved(self) -> Expression:
        return self if self.stored is None else self.stored

    def walk(self, map: Sequence[tuple[int | None, int, int]], shape: Ints) -> Expression:
        if self.stored is not None:
            return self.stored.walk(map, shape)
        memo: dict[int, Expression] = {}  # arguments may be shared
        return self._walk(map, shape, memo)

    def _walk(self, map: Sequence[tuple[int | None, int, int]], shape: Ints, memo: dict[int, Expression]) -> Expression:
        found = memo.get(id(self))
        if found is None:
            arguments = []
            for argument in self.arguments:
                argument = argument.resolved()
                inner = argument._walk(map, shape, memo) if isinstance(argument, Map) else argument.walk(map, shape)
                arguments.append(inner)
            found = memo[id(self)] = Map(shape, self.dtype, self.compute, arguments)
        return found


def contiguous(shape: Ints) -> Ints:
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= n
    return tuple(reversed(strides))


def broadcast(x: Expression, shape: Ints) -> Expression:
    """An expression broadcast to a shape."""
    if x.shape == shape:
        return x
    skipped = len(shape) - len(x.shape)
    return x.resolved().walk([(None, 0, 0) if n == 1 else (skipped + i, 1, 0) for i, n in enumerate(x.shape)], shape)


def transposed(x: Expression, order: Sequence[int]) -> Expression:
    """An expression with its axes in another order."""
    if tuple(order) == tuple(range(len(x.shape))):
        return x
    places = [0] * len(order)
    for new, old in enumerate(order):
        places[old] = new
    return x.resolved().walk([(place, 1, 0) for place in places], tuple(x.shape[old] for old in order))


def leaves(roots: Iterable[Expression]) -> Iterator[Expression]:
    """All expressions that have no parts, or more than these, once each."""
    seen: set[int] = set()
    stack = [root.resolved() for root in roots]
    while stack:
        x = stack.pop()
        if id(x) not in seen:
            seen.add(id(x))
            yield x
            stack += [part.resolved() for part in x.parts]


def buffers(roots: Iterable[Expression]) -> set[Buffer]:
    """The buffers that expressions read."""
    return {x.buffer for x in leaves(roots) if isinstance(x, (Load, Gather))}


class Scopes:
    """The metadata that says that the buffers of a loop nest, told by their positions in it, do not overlap.

    Only for nests that are functions of their own: two in one function may have the same buffer at other positions.
    """

    def __init__(self) -> None:
        self._most = 0
        self._lists: dict[tuple[int, ...], int] = {}

    def tag(self, position: int, count: int) -> str:
        """What to append to a load from, or store to, one of several buffers."""
        self._most = max(self._most, count)
        rest = tuple(i for i in range(count) if i != position)
        return f", !alias.scope !{self._list((position,))}" + (f", !noalias !{self._list(rest)}" if rest else "")

    def _list(self, members: tuple[int, ...]) -> int:
        return self._lists.setdefault(members, 10_000 + len(self._lists))

    def metadata(self) -> list[str]:
        lines = ["!1 = distinct !{!1}", *[f"!{i + 2} = distinct !{{!{i + 2}, !1}}" for i in range(self._most)]]
        for members, number in self._lists.items():
            lines.append(f"!{number} = !{{{', '.join(f'!{i + 2}' for i in members)}}}")
        return lines


class Loops:
    """One loop nest over a shape, outermost axis first; inside, elements of expressions can be had and stored."""

    def __init__(self, e: Emitter, scopes: Scopes | None, shape: Ints, roots: Sequence[Expression],
                 outside: Callable[[str, str], str] = lambda register, kind: register) -> None:  # fmt: skip
        self._e, self._scopes, self._outside = e, scopes, outside
        self._strided = [x for x in leaves(roots) if isinstance(x, Strided)]
        self._positions: dict[Buffer, int] = {}
        for x in self._strided:
            if isinstance(x, (Load, Gather)):
                self._positions.setdefault(x.buffer, len(self._positions))
        self._groups = self._collapsed(shape)
        self.shape = tuple(math.prod(shape[a] for a in group) for group in self._groups)
        self._memo: dict[int, str] = {}
        self._open: list[tuple[str, str, str, str]] = []
        self.indices: list[str] = []

    def _collapsed(self, shape: Ints) -> list[list[int]]:
        """The axes, those together that all expressions walk over as over one."""
        groups: list[list[int]] = []
        for axis, n in enumerate(shape):
            if n == 1:
                continue
            if groups and all(x.strides[groups[-1][-1]] == x.strides[axis] * n for x in self._strided):
                groups[-1].append(axis)
            else:
                groups.append([axis])
        return groups

    def count(self, axes: int) -> int:
        """How many loops there are over the first axes of the shape."""
        return sum(group[0] < axes for group in self._groups)

    def open(self, axes: int | None = None) -> None:
        """Write the heads of the loops over the next axes (all by default)."""
        e = self._e
        end = len(self.shape) if axes is None else len(self.indices) + axes
        for n in self.shape[len(self.indices) : end]:
            head, after, before = e.new_label("loop"), e.new_label("end"), e.label
            e.jump(head)
            e.begin(head)
            index, following = e.name(), e.name()
            self._open.append((head, after, following, str(n)))
            e.do(f"{index} = phi i64 [ 0, %{before} ], [ {following}, %{head}.next ]")
            self.indices.append(index)
        self._memo.clear()

    def close(self, axes: int | None = None) -> None:
        """Write the ends of the innermost loops (all by default)."""
        e = self._e
        for _ in range(len(self._open) if axes is None else axes):
            head, after, following, n = self._open.pop()
            index = self.indices.pop()
            is_long = len(self.indices) == len(self.shape) - 1 and (int(n) > _SHORT or not self.indices)
            e.jump(f"{head}.next")
            e.begin(f"{head}.next")
            e.do(f"{following} = add nuw nsw i64 {index}, 1")
            e.branch(e.let(f"icmp eq i64 {following}, {n}"), after, head, "" if is_long else e.AS_IT_IS)
            e.begin(after)
        self._memo.clear()

    # Inside

    def place(self, x: Strided) -> str:
        """The register of the distance, in elements, from the start of the buffer."""
        e = self._e
        total = str(x.offset)
        moved = getattr(x, "moved", None)
        if moved is not None:
            moved = self._outside(moved, "i64")
            total = moved if total == "0" else e.let(f"add nsw i64 {moved}, {total}")
        for group, index in zip(self._groups, self.indices, strict=False):
            stride = x.strides[group[-1]]
            if stride == 0:
                continue
            step = index if stride == 1 else e.let(f"mul nsw i64 {index}, {stride}")
            total = step if total == "0" else e.let(f"add nsw i64 {total}, {step}")
        return total

    def element(self, x: Expression) -> str:
        """The register of an expression's element."""
        x = x.resolved()
        found = self._memo.get(id(x))
        if found is None:
            found = self._memo[id(x)] = self._element(x)
        return found

    def _element(self, x: Expression) -> str:
        e = self._e
        if isinstance(x, Splat):
            return self._outside(x.register, type_of(x.dtype))
        if isinstance(x, Map):
            return x.compute(e, *[self.element(argument) for argument in x.arguments])
        if isinstance(x, Load):
            return self.load(x.buffer, self.place(x))
        if isinstance(x, Gather):
            return self.load(x.buffer, self._gathered(x))
        assert isinstance(x, Iota)
        return e.cast(self.place(x), int64, x.dtype)

    def _gathered(self, x: Gather) -> str:
        e, total = self._e, self.place(x)
        for index, stride, n in x.indices:
            i = checked_index(e, self.element(index), index.dtype, n, x.wraps)
            step = i if stride == 1 else e.let(f"mul nsw i64 {i}, {stride}")
            total = step if total == "0" else e.let(f"add nsw i64 {total}, {step}")
        return total

    def _address(self, buffer: Buffer, place: str) -> str:
        kind = "i8" if buffer.dtype.kind == "b" else type_of(buffer.dtype)
        pointer = self._outside(buffer.pointer, "ptr")
        return self._e.let(f"getelementptr inbounds {kind}, ptr {pointer}, i64 {place}")

    def _tag(self, buffer: Buffer) -> str:
        if self._scopes is None:
            return ""
        return self._scopes.tag(self._positions[buffer], len(self._positions))

    def address(self, x: Load) -> str:
        """The register of the address of an element."""
        return self._address(x.buffer, self.place(x))

    def load(self, buffer: Buffer, place: str) -> str:
        address, tag = self._address(buffer, place), self._tag(buffer)
        if buffer.dtype.kind == "b":
            return self._e.let(f"icmp ne i8 {self._e.let(f'load i8, ptr {address}{tag}')}, 0")
        return self._e.let(f"load {type_of(buffer.dtype)}, ptr {address}{tag}")

    def store(self, target: Load | Gather, register: str) -> None:
        """Store a register at the target's element."""
        e, buffer = self._e, target.buffer
        address = self._address(buffer, self._gathered(target) if isinstance(target, Gather) else self.place(target))
        kind = type_of(buffer.dtype)
        if kind == "i1":
            kind, register = "i8", e.let(f"zext i1 {register} to i8")
        e.do(f"store {kind} {register}, ptr {address}{self._tag(buffer)}")


def checked_index(e: Emitter, register: str, dtype: DType, n: int, wraps: bool) -> str:
    """An index along an axis of a length, made positive; fails, and is 0, when it lies outside."""
    if dtype.kind == "u":
        i = e.cast(register, dtype, int64)  # above 2**63 it is negative, and refused
        wraps = False
    else:
        i = e.cast(register, dtype, int64)
    if wraps:
        i = e.select(e.compare("lt", int64, i, "0"), int64, e.arithmetic("add", int64, i, str(n)), i)
    good = e.let(f"icmp ult i64 {i}, {n}")
    e.fail_if(e.let(f"xor i1 {good}, true"))
    return e.select(good, int64, i, "0")


def scalar_of(e: Emitter, value: np.generic | np.ndarray, dtype: DType) -> Splat:
    """A known number as an expression without axes."""
    array = np.asarray(value)
    result = Splat((), dtype, literal(array[()], dtype))
    result.constant = array
    return result
