"""Diagonals of matrices, and bands of them: what takes the last axes of a tensor for diagonals.

The diagonals `k` of a matrix are one, a Python int (0: the main one, positive: above), or those from `k[0]` to `k[1]`.
Several diagonals are the rows of a matrix, the highest first, each with the length of the longest. A shorter one is
filled up: on its left or right side, as the two words of `align` say for the diagonals above and below the main one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...tensors.convert import convert_to_tensor, is_array
from ...tensors.likes import TensorLike
from ...tensors.promotion import together
from ...tensors.tensor import Tensor
from ..elementwise.elementwise import cast
from ..infer import at_least, require, text, whole
from ..shape.create import diag_op, diag_part_op, fill, set_diag_op
from ..shape.gather import gather
from ..shape.joining import concat
from ..shape.shape import reshape, shape

__all__ = ["diag", "diag_part", "set_diag"]

_ALIGN = "RIGHT_LEFT"


def diag(
    diagonal: TensorLike, name: str = "diag", k: TensorLike = 0, num_rows: int | None = None,
    num_cols: int | None = None, padding_value: Any = 0, align: str = _ALIGN
) -> Tensor:  # fmt: skip
    """Matrices whose diagonals `k` are the last axis of `diagonal`, or the last two, with `padding_value` elsewhere.

    They are square, and as small as they can be, unless `num_rows` or `num_cols`, Python ints, say otherwise. The dtype
    stays. Raises `InvalidArgumentError` for a scalar, for another number of diagonals and for sizes that don't fit.
    """
    diagonal = convert_to_tensor(diagonal)
    plain = num_rows is None and num_cols is None and type(padding_value) is int and padding_value == 0
    if not isinstance(k, (tuple, list)) and plain:
        return diag_op(diagonal, k=whole(k, "k"), name=name)
    lower, upper = _band(k)
    single = not isinstance(k, (tuple, list))
    at_least(diagonal.static_shape, 1 if single else 2, "diagonal")
    longest = _known(diagonal, "diagonal", 1)[0]
    if not single:
        count = _known(diagonal, "diagonal", 2)[0]
        require(count == upper - lower + 1, f"{count} diagonals for those from {lower} to {upper}")
    rows, columns = longest - min(upper, 0), longest + max(lower, 0)
    if num_rows is None and num_cols is None:
        wanted = (max(rows, columns),) * 2
    else:
        wanted = (rows if num_rows is None else whole(num_rows, "num_rows"),
                  columns if num_cols is None else whole(num_cols, "num_cols"))  # fmt: skip
    fits = wanted[0] >= rows and wanted[1] >= columns and (wanted[0] == rows or wanted[1] == columns)
    require(fits, f"diagonals of length {longest} do not fit into {wanted[0]} rows and {wanted[1]} columns")
    inside, places = _places(*wanted, lower, upper, longest, align)
    width = (upper - lower + 1) * longest
    flat = _flat(diagonal, 1 if single else 2, width)
    return gather(_padded(flat, padding_value), np.where(inside, places, width), axis=-1, name=name)


def diag_part(
    input: object, name: str = "diag_part", k: TensorLike = 0, padding_value: Any = 0, align: str = _ALIGN
) -> Tensor:  # fmt: skip
    """The diagonals `k` of a matrix or a batch of matrices, in their dtype, filled up with `padding_value`.

    A single diagonal is a vector, empty where there is none. Raises `InvalidArgumentError` for a rank below 2, and for
    several diagonals that a matrix does not have.
    """
    if not isinstance(k, (tuple, list)):
        return diag_part_op(input, k=whole(k, "k"), name=name)
    input = convert_to_tensor(input)
    at_least(input.static_shape, 2)
    lower, upper = _band(k)
    rows, columns = _known(input, "input", 2)
    longest = _longest(rows, columns, lower, upper)
    inside, places = _places(rows, columns, lower, upper, longest, align)
    cells = np.full((upper - lower + 1) * longest, rows * columns)
    cells[places[inside]] = np.flatnonzero(inside)
    padded = _padded(_flat(input, 2, rows * columns), padding_value)
    return gather(padded, cells.reshape(-1, longest), axis=-1, name=name)


def set_diag(
    input: TensorLike, diagonal: object, name: str = "set_diag", k: TensorLike = 0, align: str = _ALIGN
) -> Tensor:
    """`input`, of rank 2 or more, with the diagonals `k` of its matrices replaced; shape and dtype stay.

    Raises `InvalidArgumentError` for a rank below 2, and for diagonals of another shape or dtype than those there.
    """
    if is_array(input) is not is_array(diagonal):
        input, diagonal = together(input, diagonal)
    if not isinstance(k, (tuple, list)):
        return set_diag_op(input, diagonal, k=whole(k, "k"), name=name)
    input, diagonal = convert_to_tensor(input), convert_to_tensor(diagonal)
    at_least(input.static_shape, 2)
    at_least(diagonal.static_shape, 2, "diagonal")
    lower, upper = _band(k)
    rows, columns = _known(input, "input", 2)
    longest = _longest(rows, columns, lower, upper)
    expected, given = (upper - lower + 1, longest), _known(diagonal, "diagonal", 2)
    require(given == expected, f"the diagonals have shape {text(given)}, not {text(expected)}")
    inside, places = _places(rows, columns, lower, upper, longest, align)
    both = concat([_flat(input, 2, rows * columns), _flat(diagonal, 2, expected[0] * longest)], -1)
    kept = np.arange(rows * columns).reshape(rows, columns)
    return gather(both, np.where(inside, rows * columns + places, kept), axis=-1, name=name)


def _band(k: object) -> tuple[int, int]:
    """The lowest and the highest diagonal."""
    ends = [whole(end, "k") for end in (k if isinstance(k, (tuple, list)) else (k, k))]
    require(len(ends) == 2 and ends[0] <= ends[1], f"k is a diagonal or the lowest and the highest one, not {k!r}")
    return ends[0], ends[1]


def _known(tensor: Any, what: str, count: int) -> tuple[int, ...]:
    """The last dimensions of a tensor, which have to be known."""
    known = (None,) if tensor.static_shape is None else tensor.static_shape[-count:]
    require(None not in known, f"bands of diagonals need the last dimensions of {what}")
    return tuple(known)


def _longest(rows: int, columns: int, lower: int, upper: int) -> int:
    require(-rows < lower and upper < columns, f"a matrix of {rows} rows and {columns} columns has no such diagonals")
    return min(rows + min(upper, 0), columns - max(lower, 0))


def _places(rows: int, columns: int, lower: int, upper: int, longest: int, align: str) -> tuple[Any, Any]:
    """Which elements of a matrix lie on diagonals, and where each is among the diagonals, counted row by row."""
    sides = align.split("_")
    require(len(sides) == 2 and set(sides) <= {"LEFT", "RIGHT"}, f"align is LEFT_LEFT, RIGHT_LEFT …, not {align!r}")
    row, column = np.indices((rows, columns))
    k = column - row
    length = np.minimum(rows + np.minimum(k, 0), columns - np.maximum(k, 0))
    to_left = ((k >= 0) & (sides[0] == "LEFT")) | ((k <= 0) & (sides[1] == "LEFT"))
    place = np.minimum(row, column) + np.where(to_left, 0, longest - length)
    return (k >= lower) & (k <= upper), (upper - k) * longest + place


def _flat(tensor: Any, axes: int, size: int) -> Any:
    """The tensor with its last axes as one of a known size."""
    return reshape(tensor, concat([shape(tensor)[: tensor.ndim - axes], [size]], 0)) if axes > 1 else tensor


def _padded(flat: Any, value: Tensor) -> Any:
    """The tensor with a value more along its last axis."""
    ends = concat([shape(flat)[:-1], [1]], 0)
    return concat([flat, fill(ends, cast(value, flat.dtype))], -1)
