"""What makes tensors, and joins, cuts and turns them; elements at indices."""

from __future__ import annotations

from typing import Any

import autograph as tf
from autograph.runtime.base import dtypes

from .table import Attributes, Unread, Value, known, number, op, same

same("""
    Fill=fill Range=range BroadcastTo=broadcast_to Tile=tile GatherNd=gather_nd Reshape=reshape
    ScatterNd=scatter_nd TensorScatterUpdate=tensor_scatter_nd_update TensorScatterAdd=tensor_scatter_nd_add
    TensorScatterSub=tensor_scatter_nd_sub TensorScatterMax=tensor_scatter_nd_max TensorScatterMin=tensor_scatter_nd_min
    MatrixDiag=linalg.diag InvertPermutation=math.invert_permutation
    """)


@op("Const")
def _const(a: Attributes) -> Any:
    value = a.get("value")
    return tf.constant(value.tolist() if value.dtype == object else value)


@op("Shape")
def _shape(a: Attributes, x: Value) -> Any:
    return tf.shape(x, a.dtype("out_type", dtypes.int32))


@op("ShapeN")
def _shape_n(a: Attributes, *x: Value) -> Any:
    return tuple(tf.shape(each, a.dtype("out_type", dtypes.int32)) for each in x)


@op("Size")
def _size(a: Attributes, x: Value) -> Any:
    return tf.size(x, a.dtype("out_type", dtypes.int32))


@op("Rank")
def _rank(a: Attributes, x: Value) -> Any:
    return tf.rank(x)


@op("EnsureShape")
def _ensure_shape(a: Attributes, x: Value) -> Any:
    return tf.ensure_shape(x, a.get("shape"))


@op("BroadcastArgs")
def _broadcast_args(a: Attributes, x: Value, y: Value) -> Any:
    return tf.broadcast_dynamic_shape(x, y)


@op("ExpandDims")
def _expand_dims(a: Attributes, x: Value, axis: Value) -> Any:
    found = known(axis, "the axis")
    return tf.expand_dims(x, found[0] if isinstance(found, list) else found)


@op("Squeeze")
def _squeeze(a: Attributes, x: Value) -> Any:
    return tf.squeeze(x, a.get("squeeze_dims") or None)


@op("Transpose")
def _transpose(a: Attributes, x: Value, perm: Value) -> Any:
    return tf.transpose(x, known(perm, "the order of the axes"))


@op("Roll")
def _roll(a: Attributes, x: Value, shift: Value, axis: Value) -> Any:
    return tf.roll(x, shift, known(axis, "the axis"))


@op("LinSpace")
def _linspace(a: Attributes, start: Value, stop: Value, count: Value) -> Any:
    return tf.linspace(start, stop, known(count, "how many there are"))


@op("ReverseV2")
def _reverse(a: Attributes, x: Value, axis: Value) -> Any:
    axes = known(axis, "the axis")
    return tf.reverse(x, axes) if axes else x


@op("ConcatV2")
def _concat(a: Attributes, *x: Value) -> Any:
    return tf.concat(list(x[:-1]), known(x[-1], "the axis"))


@op("Pack")
def _pack(a: Attributes, *x: Value) -> Any:
    return tf.stack(list(x), a.get("axis", 0))


@op("Unpack")
def _unpack(a: Attributes, x: Value) -> Any:
    return tuple(tf.unstack(x, a.get("num", 0), a.get("axis", 0)))


@op("Split")
def _split(a: Attributes, axis: Value, x: Value) -> Any:
    return tuple(tf.split(x, a.get("num_split"), known(axis, "the axis")))


@op("SplitV")
def _split_v(a: Attributes, x: Value, sizes: Value, axis: Value) -> Any:
    return tuple(tf.split(x, known(sizes, "the sizes"), known(axis, "the axis")))


@op("Slice")
def _slice(a: Attributes, x: Value, begin: Value, size: Value) -> Any:
    return tf.slice(x, begin, size)


@op("Pad PadV2")
def _pad(a: Attributes, x: Value, paddings: Value, *value: Value) -> Any:
    return tf.pad(x, paddings, "CONSTANT", *value)


@op("MirrorPad")
def _mirror_pad(a: Attributes, x: Value, paddings: Value) -> Any:
    return tf.pad(x, paddings, a.get("mode"))


@op("OneHot")
def _one_hot(a: Attributes, indices: Value, depth: Value, on: Value, off: Value) -> Any:
    return tf.one_hot(indices, known(depth, "the depth"), on, off, a.get("axis", -1))


@op("TopKV2")
def _top_k(a: Attributes, x: Value, k: Value) -> Any:
    count, dtype = number(k), a.dtype("index_type", dtypes.int32)
    if isinstance(count, int):
        values, places = tf.math.top_k(x, count)
        return values, tf.cast(places, dtype)
    if x.shape.rank is None:
        raise Unread("the number of dimensions is known only when it runs")
    places = tf.argsort(x, direction="DESCENDING", stable=True)[..., :count]
    return tf.gather(x, places, axis=-1, batch_dims=x.shape.rank - 1), tf.cast(places, dtype)


@op("Where")
def _where(a: Attributes, x: Value) -> Any:
    return tf.where(x)


@op("MatrixBandPart")
def _band_part(a: Attributes, x: Value, lower: Value, upper: Value) -> Any:
    return tf.linalg.band_part(x, known(lower, "the band"), known(upper, "the band"))


@op("MatrixDiagV3")
def _diag(a: Attributes, x: Value, k: Value, rows: Value, columns: Value, fill: Value) -> Any:
    if [known(each, "the diagonal") for each in (k, rows, columns)] != [0, -1, -1] or known(fill, "the padding"):
        raise Unread("other diagonals than the main one")
    return tf.linalg.diag(x)


@op("MatrixDiagPartV3")
def _diag_part(a: Attributes, x: Value, k: Value, fill: Value) -> Any:
    if known(k, "the diagonal"):
        raise Unread("other diagonals than the main one")
    return tf.linalg.diag_part(x)


# Elements


@op("GatherV2")
def _gather(a: Attributes, x: Value, indices: Value, axis: Value) -> Any:
    return tf.gather(x, indices, axis=known(axis, "the axis"), batch_dims=a.get("batch_dims", 0))


@op("Gather")
def _gather_first(a: Attributes, x: Value, indices: Value) -> Any:
    return tf.gather(x, indices)


@op("StridedSlice")
def _strided_slice(a: Attributes, x: Value, begin: Value, end: Value, strides: Value) -> Any:
    return x[_key(a, begin, end, known(strides, "the step"))]


def _key(a: Attributes, begin: Value, end: Value, steps: Value) -> tuple[Any, ...]:
    """The key of Python's that masks of bits stand for, one bit for each part."""
    key: list[Any] = []
    for i, step in enumerate(steps):
        if _bit(a, "ellipsis_mask", i):
            key.append(Ellipsis)
        elif _bit(a, "new_axis_mask", i):
            key.append(None)
        elif _bit(a, "shrink_axis_mask", i):
            key.append(_part(begin, i))
        else:
            first = None if _bit(a, "begin_mask", i) else _part(begin, i)
            last = None if _bit(a, "end_mask", i) else _part(end, i)
            key.append(slice(first, last, step))
    return tuple(key)


def _bit(a: Attributes, name: str, place: int) -> bool:
    return bool(a.get(name, 0) >> place & 1)


def _part(x: Value, place: int) -> Any:
    return number(x[place])


# Segments


def _segments(name: str, place: str) -> None:
    @op(name)
    def run(a: Attributes, x: Value, ids: Value, count: Value) -> Any:
        function = getattr(tf.math, place)
        return function(x, ids, known(count, "how many segments there are"))


for _kind in ("sum", "max", "min", "prod"):
    _segments(f"UnsortedSegment{_kind.title()}", f"unsorted_segment_{_kind}")
