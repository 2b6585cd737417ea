"""Dimensions as values: vectors of int64, known where the graph knows them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .....base.dtypes import int64
from .....base.shapes import Shape, broadcast
from .....ops.infer import axes_of, axis_of
from ..lowering import Lowering
from ..values import Value


def axis_in(x: Value, axis: int, more: int = 0) -> int:
    """An axis counted from the front; ``more``: of a tensor with so many more dimensions."""
    return axis_of(axis, x.rank + more)


def axes_in(x: Value, axis: int | Sequence[int] | None) -> tuple[int, ...]:
    """Axes counted from the front."""
    return axes_of(axis, x.rank)


def dims_of(x: Value) -> Value:
    """All dimensions of a tensor."""
    if x.shape is not None and None not in x.shape:
        return x.here.integers(*x.shape)
    return x.here.add("Shape", x, shape=(None if x.shape is None else len(x.shape),))


def dim_of(x: Value, axis: int) -> Value:
    """One dimension of a tensor, as a vector."""
    known = None if x.shape is None else x.shape[axis]
    if known is not None:
        return x.here.integers(known)
    return x.here.add("Shape", x, start=axis, end=axis + 1, shape=(1,))


def joined(here: Lowering, *parts: Value) -> Value:
    """Vectors of dimensions one after the other."""
    parts = tuple([x for x in parts if x.shape != (0,)])
    if all(x.known is not None for x in parts):
        return here.integers(*[int(n) for x in parts for n in np.ravel(x.known)])  # type: ignore[arg-type]
    if len(parts) == 1:
        return parts[0]
    counts = [x.shape[0] if x.shape else None for x in parts]
    total = None if None in counts else sum(counts)  # type: ignore[arg-type]
    return here.add("Concat", *parts, axis=0, shape=(total,))


def size_of(x: Value, axes: Sequence[int] | None = None) -> Value:
    """The number of elements, over all axes or some, as a vector of one number."""
    here = x.here
    if axes is None:
        if x.shape is not None and None not in x.shape:
            return here.integers(int(np.prod(x.shape, dtype=np.int64)))  # type: ignore[arg-type]
        return here.add("Reshape", here.add("Size", x), here.integers(1), allowzero=0, shape=(1,))
    total = here.integers(1)
    for axis in axes:
        n = dim_of(x, axis)
        if total.known is not None and n.known is not None:
            total = here.integers(int(total.known[0]) * int(n.known[0]))
        else:
            total = total * n if total.known is None or total.known[0] != 1 else n
    return total


def reshaped(x: Value, shape: Value, static: Shape = None) -> Value:
    """A tensor in another shape, in which 0 is 0, and -1 is worked out unless there is a 0."""
    known = shape.known
    if static is None and known is not None and -1 not in known:
        static = tuple([int(n) for n in known])
    allows = 0 if known is not None and 0 not in known else 1
    if known is not None and 0 in known and -1 in known:
        allows = 1
    return x.here.add("Reshape", x, shape, allowzero=allows, shape=static)


def expanded(x: Value, shape: Value) -> Value:
    """A tensor broadcast to a shape; what is known to have no elements is written down."""
    known = shape.known
    if known is not None and 0 in known and x.shape is not None and None not in x.shape:
        return x.here.constant(np.zeros(np.broadcast_shapes(x.shape, tuple(known.tolist()))), x.dtype)  # type: ignore[arg-type]
    return x.here.add("Expand", x, shape, shape=_expanded_shape(x, shape))


def _expanded_shape(x: Value, shape: Value) -> Shape:
    """What is known of the shape to which a tensor is broadcast."""
    if x.shape is None:
        return None
    if shape.known is not None:
        return broadcast(x.shape, tuple([int(n) for n in shape.known]))
    count = None if shape.shape is None else shape.shape[0]
    return None if count is None else (None,) * max(count, len(x.shape))


def flat(x: Value) -> Value:
    """All elements in a row."""
    n = None if x.shape is None or None in x.shape else int(np.prod(x.shape, dtype=np.int64))  # type: ignore[arg-type]
    return reshaped(x, x.here.integers(-1), (n,))


def with_axes(x: Value, *axes: int) -> Value:
    """A tensor with new dimensions of one at the places that axes of the result have."""
    shape: list[int | None] | None = None if x.shape is None else list(x.shape)
    if shape is not None:
        for axis in sorted(axes):
            shape.insert(axis, 1)
    return x.here.add("Unsqueeze", x, x.here.integers(*axes), shape=None if shape is None else tuple(shape))


def without_axes(x: Value, *axes: int) -> Value:
    """A tensor without dimensions of one."""
    shape = None if x.shape is None else tuple([n for i, n in enumerate(x.shape) if i not in axes])
    return x.here.add("Squeeze", x, x.here.integers(*axes), shape=shape)


def transposed(x: Value, order: Sequence[int]) -> Value:
    """A tensor with its axes in another order."""
    if list(order) == list(range(len(order))):
        return x
    shape = None if x.shape is None else tuple([x.shape[i] for i in order])
    return x.here.add("Transpose", x, perm=list(order), shape=shape)


def sliced(x: Value, start: int | Value, stop: int | Value, axis: int, step: int = 1) -> Value:
    """The slices along an axis, as ONNX takes them."""
    here = x.here
    ends = [end if isinstance(end, Value) else here.integers(end) for end in (start, stop)]
    shape = None if x.shape is None else (*x.shape[:axis], None, *x.shape[axis + 1 :])
    return here.add("Slice", x, *ends, here.integers(axis), here.integers(step), shape=shape)


def counted(here: Lowering, count: Value) -> Value:
    """The numbers 0, 1, 2 … below a vector of one number, int64."""
    if count.known is not None:
        return here.constant(np.arange(int(count.known[0])), int64)
    scalar = here.add("Reshape", count, here.integers(), allowzero=0, shape=())
    return here.add("Range", here.constant(0, int64), scalar, here.constant(1, int64), shape=(None,))
