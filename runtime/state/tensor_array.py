"""`TensorArray`: an array of tensors that is written element by element, eagerly and in staged loops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import FailedPreconditionError, InvalidArgumentError

from ..base import shapes
from ..base.composite import Composite, CompositeSpec
from ..base.dtypes import DType, as_dtype, float32, variant
from ..base.places import Location, dropped_at
from ..base.shapes import Shape, TensorShape
from ..ops.elementwise.elementwise import cast
from ..ops.lists import arrays, lists
from ..ops.shape.gather import gather
from ..ops.shape.joining import concat, split
from ..ops.shape.shape import reshape, shape
from ..tensors.convert import convert_to_tensor
from ..tensors.spec import TensorSpec
from ..tensors.tensor import EagerTensor, Tensor

if TYPE_CHECKING:
    from ..tensors.likes import DTypeLike, TensorLike

__all__ = ["TensorArray", "TensorArraySpec"]


class _Kind:
    """What all versions of an array share: the type of the elements, as far as it is known by now."""

    def __init__(self, dtype: DType, shape: Shape, infer_shape: bool, dynamic: bool, length: int | None) -> None:
        self.dtype = dtype
        self.shape = shape
        self.infer_shape = infer_shape
        self.dynamic = dynamic
        self.length = length

    def element(self, value: object) -> Any:
        """A value as a tensor that may be written. Raises `ValueError` when it may not."""
        if isinstance(value, Tensor):
            tensor = convert_to_tensor(value)
        elif isinstance(value, (np.ndarray, np.generic)):
            tensor = convert_to_tensor(value, self.dtype)
        else:
            tensor = cast(convert_to_tensor(value, dtype_hint=self.dtype), self.dtype)
        if tensor.dtype is not self.dtype:
            raise InvalidArgumentError(
                f"TensorArray dtype is {self.dtype.name} but Op is trying to write dtype {tensor.dtype.name}"
            )
        self.merge(tensor.static_shape)
        return tensor

    def merge(self, shape: Shape) -> None:
        """Take in the shape of an element."""
        if not shapes.is_compatible(shape, self.shape):
            raise InvalidArgumentError(
                f"Incompatible shape for value ({TensorShape(shape)}), expected ({TensorShape(self.shape)})"
            )
        if self.infer_shape:
            self.shape = shapes.merge(self.shape, shape)


class _Uses:
    """What becomes of one version of an array, which holds only this of the versions made of it."""

    __slots__ = ("dropped", "source")

    def __init__(self, source: _Uses | None = None) -> None:
        self.source = source
        """Those of the version that this one was written to; None once this one has been used."""
        self.dropped: Location | None = None
        """Where a write to this version was made and its result not used."""


@dataclass(init=False, repr=False, eq=False, frozen=True)
class TensorArray(Composite):
    """An array of tensors of one dtype. Every change gives a new array: ``ta = ta.write(i, x)``.

    Parameters
    ----------
    dtype: that of the elements.
    size: the number of elements; may be a tensor.
    dynamic_size: whether writing behind the end makes the array longer.
    clear_after_read, tensor_array_name, colocate_with_first_write_call: accepted as in TensorFlow. Elements are never
        cleared, so that they can be read again.
    infer_shape: whether all elements have one shape, which the first one tells.
    element_shape: what is known of the elements' shape.

    Elements that are never written are zeros. Raises `OutOfRangeError` for an index outside the array,
    `InvalidArgumentError` for elements of another dtype or shape, `FailedPreconditionError` for an array that is used
    after the result of a change of it has been dropped: ``ta.write(i, x)`` alone changes nothing.

    >>> squares = TensorArray("int32", size=3)
    >>> for i in range(3):
    ...     squares = squares.write(i, i * i)
    >>> squares.stack()
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([0, 1, 4], dtype=int32)>
    """

    _handle: Any
    _kind: _Kind

    def __init__(
        self, dtype: DTypeLike, size: object = None, dynamic_size: bool = False, clear_after_read: bool | None = None,
        tensor_array_name: str | None = None, infer_shape: bool = True, element_shape: object = None,
        colocate_with_first_write_call: bool = True, name: str | None = None
    ) -> None:  # fmt: skip
        if size is None:
            raise InvalidArgumentError("Size must be declared for TensorArrays.")
        size = convert_to_tensor(size)
        length = int(size) if isinstance(size, EagerTensor) and not dynamic_size else None
        kind = _Kind(as_dtype(dtype), shapes.as_shape(element_shape), infer_shape, bool(dynamic_size), length)
        object.__setattr__(self, "_handle", arrays.new_op(size, name=name))
        object.__setattr__(self, "_kind", kind)

    def _changed(self, handle: object, kind: _Kind) -> TensorArray:
        made = _version(handle, kind)
        made._uses().source = self._uses()
        return made

    def _uses(self) -> _Uses:
        found: _Uses = self.__dict__.setdefault("_known_uses", _Uses())
        return found

    def __del__(self) -> None:
        uses = self._uses()
        if uses.source is not None:
            uses.source.dropped = uses.source.dropped or dropped_at()

    def _use(self) -> Any:
        uses = self._uses()
        uses.source = None
        if uses.dropped is not None:
            raise FailedPreconditionError(
                "a TensorArray is used after a change of it that was dropped: the array itself stays as it is",
                **uses.dropped._asdict(), construct="TensorArray",
                remedy="keep what write(), unstack(), scatter() and split() return: `ta = ta.write(i, x)`",
            )  # fmt: skip
        return self.__dict__["_handle"]

    # To read the field is to use the array, also where it is state of a branch or loop.
    _handle = property(_use, lambda self, handle: self.__dict__.update(_handle=handle))

    @property
    def type_spec(self) -> TensorArraySpec:
        kind = self._kind
        return TensorArraySpec(kind.shape, kind.dtype, kind.dynamic, kind.infer_shape)

    def components(self) -> list[Any]:
        return [self._handle]

    @property
    def dtype(self) -> DType:
        return self._kind.dtype

    @property
    def element_shape(self) -> TensorShape:
        return TensorShape(self._kind.shape)

    @property
    def dynamic_size(self) -> bool:
        return self._kind.dynamic

    def size(self, name: str | None = None) -> Any:
        """The number of elements, int32."""
        return lists.length_op(self._handle, name=name)

    def identity(self) -> TensorArray:
        return self

    def read(self, index: TensorLike, name: str | None = None) -> Any:
        """The element at an index."""
        return arrays.read_op(self._handle, index, dtype=self.dtype, shape=self._kind.shape, name=name)

    def write(self, index: TensorLike, value: object, name: str | None = None) -> TensorArray:
        """The array with a value at an index."""
        value = self._kind.element(value)
        return self._changed(arrays.write_op(self._room_for(index), index, value, name=name), self._kind)

    def _room_for(self, index: object) -> Any:
        handle = self._handle
        return arrays.grow_op(handle, index) if self._kind.dynamic else handle

    def stack(self, name: str | None = None) -> Any:
        """All elements along a new first axis."""
        kind = self._kind
        return arrays.stack_op(self._handle, dtype=kind.dtype, shape=kind.shape, length=kind.length, name=name)

    def gather(self, indices: TensorLike, name: str | None = None) -> Any:
        """Elements with some indices, along a new first axis."""
        return gather(self.stack(), indices, name=name)

    def concat(self, name: str = "concat") -> Any:
        """All elements joined along their first axis.

        Where only the run tells how many there are, they must have one shape.
        """
        if isinstance(self._handle, EagerTensor):
            count: int | None = int(self.size())
        else:
            count = self._kind.length
        if count is not None:
            return concat([self.read(i) for i in range(count)], axis=0, name=name)
        whole = self.stack()
        return reshape(whole, concat([[-1], shape(whole)[2:]], axis=0), name=name)

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """The array with the slices of a tensor along its first axis for elements, as many as there are."""
        value = self._whole(value)
        kind = self._kind
        length = value.static_shape[0] if value.static_shape and not kind.dynamic else None
        if length != kind.length:
            kind = _Kind(kind.dtype, kind.shape, kind.infer_shape, kind.dynamic, length)
        return self._changed(lists.from_tensor_op(value, name=name), kind)

    def _whole(self, value: object) -> Any:
        value = convert_to_tensor(value) if isinstance(value, Tensor) else convert_to_tensor(value, self.dtype)
        if value.dtype is not self.dtype:
            self._kind.element(value)
        self._kind.merge(None if value.static_shape is None else value.static_shape[1:])
        return value

    def scatter(self, indices: TensorLike, value: Any, name: str | None = None) -> TensorArray:
        """The array with the slices of a tensor at some indices."""
        value = self._whole(value)
        indices = convert_to_tensor(indices)
        count = value.static_shape[0] if value.static_shape else None
        if count is None:
            raise InvalidArgumentError("scatter() needs a tensor whose first dimension is known while tracing")
        made = self
        for i in range(count):
            made = made.write(indices[i], value[i])
        return made

    def split(self, value: object, lengths: object, name: str | None = None) -> TensorArray:
        """The array with pieces of a tensor along its first axis; the lengths must be known while tracing."""
        sizes = convert_to_tensor(lengths)
        if not isinstance(sizes, EagerTensor):
            raise InvalidArgumentError("split() needs lengths that are known while tracing")
        made = self
        for i, piece in enumerate(split(convert_to_tensor(value), sizes.numpy().tolist())):
            made = made.write(i, piece)
        return made

    def close(self, name: str | None = None) -> None:
        """Nothing is to be done: the array goes with its last use."""

    def __repr__(self) -> str:
        return f"<TensorArray dtype={self.dtype!r} element_shape={self.element_shape}>"


def _version(handle: object, kind: _Kind) -> TensorArray:
    made = object.__new__(TensorArray)
    object.__setattr__(made, "_handle", handle)
    object.__setattr__(made, "_kind", kind)
    return made


class TensorArraySpec(CompositeSpec):
    """What a `TensorArray` must be like, whatever its length."""

    def __init__(
        self,
        element_shape: object = None,
        dtype: DTypeLike = float32,
        dynamic_size: bool = False,
        infer_shape: bool = True,
    ) -> None:
        self._element_shape = shapes.as_shape(element_shape)
        self._dtype = as_dtype(dtype)
        self._dynamic_size = bool(dynamic_size)
        self._infer_shape = bool(infer_shape)

    def key(self) -> Any:
        return self._element_shape, self._dtype, self._dynamic_size, self._infer_shape

    def components(self) -> list[TensorSpec]:
        return [TensorSpec((), variant)]

    def pack(self, tensors: Any) -> TensorArray:
        kind = _Kind(self._dtype, self._element_shape, self._infer_shape, self._dynamic_size, None)
        return _version(tensors[0], kind)

    def accepts(self, other: CompositeSpec) -> bool:
        return (
            isinstance(other, TensorArraySpec)
            and other.key()[1:] == self.key()[1:]
            and shapes.is_subshape(other._element_shape, self._element_shape)
        )

    def __repr__(self) -> str:
        return (
            f"TensorArraySpec({TensorShape(self._element_shape)!r}, {self._dtype!r}, {self._dynamic_size}, "
            f"{self._infer_shape})"
        )
