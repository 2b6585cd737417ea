"""`IndexedSlices`: some rows of a tensor, with their indices."""

from __future__ import annotations

from typing import Any

from autograph.errors import InvalidArgumentError

from ..base.dtypes import DType
from ..ir.op import FUNCTIONS
from .convert import convert_to_tensor

__all__ = ["IndexedSlices"]


class IndexedSlices:
    """Rows of a tensor that is zero elsewhere; where an index repeats, the rows add up.

    Parameters
    ----------
    values: the rows, along the first axis.
    indices: one integer for each row.
    dense_shape: the shape of the whole tensor; needed where this converts to a tensor.
    """

    def __init__(self, values: object, indices: object, dense_shape: object = None) -> None:
        self.values = convert_to_tensor(values)
        self.indices = convert_to_tensor(indices)
        self.dense_shape = None if dense_shape is None else convert_to_tensor(dense_shape)

    @property
    def dtype(self) -> DType:
        return self.values.dtype

    def __tensor__(self) -> Any:
        if self.dense_shape is None:
            raise InvalidArgumentError(
                "Tensor conversion requested for IndexedSlices without dense_shape: its number of rows is unknown"
            )
        return FUNCTIONS["scatter_nd"](self.indices[..., None], self.values, self.dense_shape)

    def __repr__(self) -> str:
        return f"IndexedSlices(indices={self.indices}, values={self.values})"
