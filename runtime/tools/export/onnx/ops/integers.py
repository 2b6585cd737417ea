"""Whole numbers: divisors, shifts, how often they occur, and bits."""

from __future__ import annotations

from .....base.dtypes import DType, as_dtype, bool_, float64, int32, int64
from .....ir import records
from .....ir.graph import Node
from .....ir.op import lowers
from ..lowering import Lowering, NotExported
from ..supported import ENGINE
from ..values import Value
from .dims import expanded, flat, sliced
from .division import rest, truncated
from .elementwise import dtype_of, in_result_dtype
from .keys import broadcast_dims
from .loops import loop


def _gcd(x: Value, y: Value) -> Value:
    """Euclid's algorithm, until nothing is left of any pair."""
    here = x.here
    dims = broadcast_dims(here, [x, y])
    x, y = expanded(abs(x) if x.dtype.kind == "i" else x, dims), expanded(abs(y) if y.dtype.kind == "i" else y, dims)
    x.shape = y.shape = x.shape if x.shape is not None else y.shape

    def left(_: Value, small: Value) -> Value:
        some = (~small.equals(0)).cast(int32)
        most = here.add("Concat", flat(some), here.constant([0], int32), axis=0, shape=(None,))
        return here.add("ReduceMax", most, here.integers(0), keepdims=0, shape=()).cast(bool_)

    def turn(large: Value, small: Value) -> list[Value]:
        ended = small.equals(0)
        return [here.where(ended, large, small), here.where(ended, small, rest(large, small))]

    found = loop(here, [x, y], left, turn)[0]
    return abs(found) if found.dtype.kind == "i" else found


def _lcm(x: Value, y: Value) -> Value:
    here = x.here
    divisor = _gcd(x, y)
    x, y = (abs(x), abs(y)) if x.dtype.kind == "i" else (x, y)
    return here.where(divisor.equals(0), 0, truncated(x, divisor) * y)


in_result_dtype(_gcd, "gcd")
in_result_dtype(_lcm, "lcm")


def _shifted(x: Value, y: Value, direction: str) -> Value:
    """By bits without a sign; nothing is left after as many as there are."""
    here, dtype = x.here, x.dtype
    if dtype.kind == "b":
        raise NotExported("it shifts booleans", "cast to an integer first")
    plain = as_dtype(f"uint{8 * dtype.size}")
    count = y.cast(plain)
    far = count >= 8 * dtype.size
    moved = here.add("BitShift", x.cast(plain), here.where(far, 0, count), direction=direction)
    return here.where(far, 0, moved).cast(dtype)


def _right(x: Value, y: Value) -> Value:
    if x.dtype.kind == "u":
        return _shifted(x, y, "RIGHT")
    here = x.here
    flipped = here.add("BitwiseNot", _shifted(here.add("BitwiseNot", x), y, "RIGHT"))
    return here.where(x < 0, flipped, _shifted(x, y, "RIGHT"))


in_result_dtype(lambda x, y: _shifted(x, y, "LEFT"), "left_shift")
in_result_dtype(_right, "right_shift")


@lowers(ENGINE, records.bincount)
def _bincount(
    here: Lowering, node: Node, x: Value, *weights: Value, minlength: int = 0, maxlength: int | None = None,
    dtype: DType = int32
) -> Value:  # fmt: skip
    numbers = flat(x.cast(int64))
    numbers = here.fails_where(numbers < 0, numbers)
    kept = numbers if maxlength is None else here.where(numbers >= maxlength, -1, numbers)
    most = here.add("Concat", kept, here.integers(minlength - 1), axis=0, shape=(None,))
    count = here.add("ReduceMax", most, here.integers(0), keepdims=1, shape=(1,)) + 1
    count = here.add("Max", count, here.integers(0))
    places = here.where(kept < 0, count, kept)
    result = dtype_of(node)
    wide = float64 if weights else int64  # as NumPy counts
    if weights and result.name == "uint64":
        raise NotExported("weights of dtype uint64", "cast them to a float")
    values = flat(weights[0].cast(wide)) if weights else expanded(here.constant(1, wide), here.add("Shape", places))
    zeros = here.add("Expand", here.constant(0, wide), count + 1)
    sums = here.add("ScatterElements", zeros, places, values, axis=0, reduction="add", shape=(None,))
    return sliced(sums, here.integers(0), count, 0).cast(result)


@lowers(ENGINE, records.bitcast)
def _bitcast(here: Lowering, node: Node, x: Value, dtype: DType) -> Value:
    if x.dtype is dtype:
        return x
    if x.dtype.kind in "iu" and dtype.kind in "iu" and x.dtype.size == dtype.size:
        return x.cast(dtype)
    raise NotExported("ONNX does not look at the bits of numbers", "cast the numbers")


@lowers(ENGINE, records.cross)
def _cross(here: Lowering, node: Node, x: Value, y: Value) -> Value:
    dtype = dtype_of(node)
    one, other = [[_element(each.cast(dtype), i) for i in range(3)] for each in (x, y)]
    parts = [one[(i + 1) % 3] * other[(i + 2) % 3] - one[(i + 2) % 3] * other[(i + 1) % 3] for i in range(3)]
    rank = max(x.rank, y.rank)
    return here.add("Concat", *parts, axis=rank - 1)


def _element(x: Value, i: int) -> Value:
    here = x.here
    if x.shape is None or x.shape[-1] is None:
        n = here.add("Shape", x, start=-1, shape=(1,))
        x = here.fails_where(~n.equals(3), x)
    return here.add("Gather", x, here.integers(i), axis=x.rank - 1, shape=(*(x.shape or ())[:-1], 1))


