"""`TensorSpec`: what a tensor must be like, without its value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..base import dtypes, shapes
from ..base.dtypes import DType, as_dtype
from ..base.shapes import TensorShape
from ..ir.graph import Type
from .convert import convert_to_tensor
from .tensor import Tensor

if TYPE_CHECKING:
    from .likes import DTypeLike, ShapeLike

__all__ = ["TensorSpec"]


class TensorSpec:
    """The dtype and shape of a tensor, with a name for the parameter that takes it.

    >>> TensorSpec((None, 4), dtypes.int32)
    TensorSpec(shape=(None, 4), dtype=tf.int32, name=None)
    """

    __slots__ = ("_type", "name")

    def __init__(self, shape: ShapeLike, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> None:
        self._type = Type(as_dtype(dtype), shapes.as_shape(shape))
        self.name = name

    @classmethod
    def from_tensor(cls, tensor: object, name: str | None = None) -> TensorSpec:
        tensor = convert_to_tensor(tensor)
        return cls(tensor.shape, tensor.dtype, name)

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self._type.shape)

    @property
    def dtype(self) -> DType:
        return self._type.dtype

    @property
    def type(self) -> Type:
        return self._type

    def is_compatible_with(self, spec_or_value: object) -> bool:
        """Whether the dtypes are equal and one array can have both shapes."""
        other = spec_or_value
        if not isinstance(other, (TensorSpec, Tensor)):
            other = convert_to_tensor(other)
        return other.dtype is self.dtype and self.shape.is_compatible_with(other.shape)

    def is_subtype_of(self, other: TensorSpec) -> bool:
        """Whether every tensor that fits this spec fits the other."""
        return self.dtype is other.dtype and shapes.is_subshape(self._type.shape, other._type.shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorSpec) and (self._type, self.name) == (other._type, other.name)

    def __hash__(self) -> int:
        return hash((self._type, self.name))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorSpec, (self.shape, self.dtype, self.name)
