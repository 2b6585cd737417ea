"""Element types: TensorFlow's names, NumPy's values and NumPy's promotion with weak Python numbers.

>>> float32 == np.float32, repr(float32), str(float32)
(True, 'tf.float32', "<dtype: 'float32'>")
>>> result_type(int32, float32), result_type(float32, 1), result_type(int32, 0.5)
(tf.float64, tf.float32, tf.float64)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.errors import InvalidTypeError
from autograph.lazy import did_you_mean

__all__ = [
    "DType", "as_dtype", "bool_", "complex64", "complex128", "default_type", "float16", "float32", "float64", "int8",
    "int16", "int32", "int64", "promote", "result_type", "string", "uint8", "uint16", "uint32", "uint64", "variant",
    "widest", "with_weak", "yields",
]  # fmt: skip


Array = np.ndarray[Any, Any]
"""An array of NumPy, of any element type and shape; kernels take NumPy's scalars for it too."""

OF_NUMPY = frozenset((np.ndarray, np.generic))
"""What `Tensor.python` is of a graph tensor that stands for an array, or for one of NumPy's numbers."""


class DType:
    """The element type of a tensor. There is one instance for each type, so ``is`` compares them too.

    ``==`` and ``hash`` agree with NumPy's dtypes. Strings are object arrays of ``bytes``; ``variant`` marks values
    that are no arrays (tensor lists).
    """

    __slots__ = ("__weakref__", "kind", "name", "numpy")

    def __init__(self, name: str, numpy: Any, kind: str) -> None:
        self.name = name
        self.numpy = np.dtype(numpy)
        self.kind = kind

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype: lets NumPy accept this object wherever it takes a dtype."""
        return self.numpy

    @property
    def as_numpy_dtype(self) -> type:
        return self.numpy.type

    @property
    def base_dtype(self) -> DType:
        return self

    @property
    def is_floating(self) -> bool:
        return self.kind == "f"

    @property
    def is_integer(self) -> bool:
        return self.kind in "iu"

    @property
    def is_unsigned(self) -> bool:
        return self.kind == "u"

    @property
    def is_complex(self) -> bool:
        return self.kind == "c"

    @property
    def is_bool(self) -> bool:
        return self.kind == "b"

    @property
    def is_numeric(self) -> bool:
        """Integer, floating or complex (not bool, as in TensorFlow)."""
        return self.kind in "iufc"

    @property
    def real_dtype(self) -> DType:
        """The type of the real and imaginary parts of a complex type; any other type itself."""
        return {complex64: float32, complex128: float64}.get(self, self)

    @property
    def size(self) -> int:
        """Bytes per element (1 for strings, as in TensorFlow)."""
        return 1 if self.kind in "SV" else self.numpy.itemsize

    @property
    def min(self) -> Any:
        """The smallest value of a bool, integer or floating type; `TypeError` for others."""
        return self._limit("min")

    @property
    def max(self) -> Any:
        """The largest value of a bool, integer or floating type; `TypeError` for others."""
        return self._limit("max")

    def _limit(self, which: str) -> Any:
        if self.is_bool:
            return which == "max"
        if self.is_integer:
            return getattr(np.iinfo(self.numpy), which)
        if self.is_floating:
            return getattr(np.finfo(self.numpy), which)
        raise InvalidTypeError(f"{self!r} has no {which}imum")

    def is_compatible_with(self, other: object) -> bool:
        return self is as_dtype(other)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if other is None or isinstance(other, DType):
            return False
        try:
            return self is as_dtype(other)
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(self.numpy)

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)


bool_ = DType("bool", np.bool_, "b")
int8 = DType("int8", np.int8, "i")
int16 = DType("int16", np.int16, "i")
int32 = DType("int32", np.int32, "i")
int64 = DType("int64", np.int64, "i")
uint8 = DType("uint8", np.uint8, "u")
uint16 = DType("uint16", np.uint16, "u")
uint32 = DType("uint32", np.uint32, "u")
uint64 = DType("uint64", np.uint64, "u")
float16 = DType("float16", np.float16, "f")
float32 = DType("float32", np.float32, "f")
float64 = DType("float64", np.float64, "f")
complex64 = DType("complex64", np.complex64, "c")
complex128 = DType("complex128", np.complex128, "c")
string = DType("string", np.object_, "S")
variant = DType("variant", np.object_, "V")

ALL = (bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64,
       complex64, complex128, string, variant)  # fmt: skip

_BY_NAME = {d.name: d for d in ALL} | {"half": float16, "float": float32, "double": float64}
_BY_NUMPY: dict[np.dtype[Any], DType] = {d.numpy: d for d in ALL if d is not variant}
_BY_PYTHON: dict[Any, DType] = {
    bool: bool_,
    int: int32,
    float: float32,
    complex: complex128,
    str: string,
    bytes: string,
}


def as_dtype(type_value: Any) -> DType:
    """The `DType` for a DType, a NumPy dtype or scalar type, a Python type or a name.

    Raises `TypeError` for what has no counterpart (dates, records, long double).
    """
    if isinstance(type_value, DType):
        return type_value
    if isinstance(type_value, np.dtype):
        return from_numpy(type_value)
    try:
        found = _BY_NAME.get(type_value) if isinstance(type_value, str) else _BY_PYTHON.get(type_value)
        return found if found is not None else from_numpy(np.dtype(type_value))
    except TypeError:
        near = did_you_mean(type_value, _BY_NAME)
        raise InvalidTypeError(f"Cannot convert {type_value!r} to a tensor's dtype{near}") from None


def from_numpy(dtype: np.dtype[Any]) -> DType:
    """The `DType` of an array's dtype; any kind of NumPy string is ``string``. The quick half of `as_dtype`."""
    found = _BY_NUMPY.get(dtype)
    if found is not None:
        return found
    if dtype.kind in "US":
        return string
    native = _BY_NUMPY.get(dtype.newbyteorder("="))
    if native is None:
        raise InvalidTypeError(f"NumPy's {dtype} has no counterpart among tensors; convert the array with astype first")
    return native


def default_type(value: object) -> DType | None:
    """The type that a Python scalar gets on its own (``1`` int32, ``1.0`` float32 …), or None for anything else."""
    return _BY_PYTHON.get(type(value))


# A weak Python number takes part with its kind only: result_type(int8, 300) is int8.
_KINDS = {bool: 0, int: 1, float: 2, complex: 3}
_KIND_OF = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}
_promoted: dict[tuple[DType, DType], DType] = {}


def promote(a: DType, b: DType) -> DType:
    """The type that holds both, by NumPy's table. Raises `TypeError` between strings and numbers."""
    if a is b:
        return a
    found = _promoted.get((a, b))
    if found is None:
        if a.kind not in _KIND_OF or b.kind not in _KIND_OF:
            raise InvalidTypeError(f"{a!r} and {b!r} have no common type; convert one of them first")
        found = _promoted[a, b] = from_numpy(np.promote_types(a.numpy, b.numpy))
    return found


def yields(array: DType, tensor: DType, is_known: bool = True) -> bool:
    """Whether a NumPy array takes the dtype of a tensor that it meets: one of its own kind, or of a wider kind.

    Integers that only the run knows keep a dtype that holds more: nobody could tell whether they fit.

    >>> yields(float64, float32), yields(int64, float32), yields(float32, int32)
    (True, True, False)
    """
    if array.kind not in _KIND_OF or tensor.kind not in _KIND_OF:
        return array is tensor
    if not is_known and array.is_integer and tensor.is_integer:
        return np.can_cast(array.numpy, tensor.numpy)
    return _KIND_OF[array.kind] <= _KIND_OF[tensor.kind]


def with_weak(dtype: DType, python_type: type) -> DType:
    """The type of ``dtype`` combined with a Python number of the given type (NEP 50).

    >>> with_weak(float32, int), with_weak(int8, float), with_weak(bool_, int)
    (tf.float32, tf.float64, tf.int64)
    """
    if python_type in (str, bytes):
        return promote(dtype, string)
    if dtype.kind not in _KIND_OF:
        python = f"a Python {python_type.__name__}"
        raise InvalidTypeError(f"{dtype!r} and {python} have no common type; convert one of them first")
    kind = _KINDS[python_type]
    if kind <= _KIND_OF[dtype.kind]:
        return dtype
    if kind == 3:
        return complex64 if dtype in (float16, float32) else complex128
    return float64 if kind == 2 else int64


def joined(left: DType, left_number: type | None, right: DType, right_number: type | None) -> tuple[DType, type | None]:
    """The type of a value that has one of two types, and that of the Python number that it is in both cases, if any.

    ``left_number`` and ``right_number`` are the types of Python numbers: these are weak; or one of `OF_NUMPY`, of
    arrays, which yield to tensors. Raises `TypeError`.
    """
    if left_number in OF_NUMPY or right_number in OF_NUMPY:
        return _joined_arrays(left, left_number, right, right_number)
    if left_number is None or right_number is None:
        if left_number is not None:
            return with_weak(right, left_number), None
        return (promote(left, right) if right_number is None else with_weak(left, right_number)), None
    if left_number is right_number:
        return promote(left, right), left_number
    number = widest(left_number, right_number)
    return left if number is left_number else right, number


def _joined_arrays(
    left: DType, left_number: type | None, right: DType, right_number: type | None
) -> tuple[DType, type | None]:
    """`joined`, where one of the two is an array."""
    if left_number not in OF_NUMPY:
        left, left_number, right, right_number = right, right_number, left, left_number
    if right_number is None:
        return (right if yields(left, right, is_known=False) else promote(left, right)), None
    if right_number in OF_NUMPY:
        return promote(left, right), left_number if left_number is right_number else np.ndarray
    return with_weak(left, right_number), np.ndarray


def result_type(*operands: object) -> DType:
    """The common type of dtypes, tensors, arrays and Python numbers, the numbers being weak.

    Python numbers alone give int32, float32 or complex128, as `constant` does. Raises `TypeError` when there is
    no common type.
    """
    strong: DType | None = None
    weak: type | None = None
    for operand in operands:
        if type(operand) in _BY_PYTHON:
            weak = widest(weak, type(operand))
            continue
        dtype = operand if isinstance(operand, DType) else as_dtype(getattr(operand, "dtype", operand))
        strong = dtype if strong is None else promote(strong, dtype)
    if strong is None:
        return _BY_PYTHON[weak] if weak is not None else float32
    return strong if weak is None else with_weak(strong, weak)


def default_of(python_type: type) -> DType:
    """The type of Python numbers of the given type when they meet nothing else: int32, float32 …"""
    return _BY_PYTHON[python_type]


def widest(a: type | None, b: type) -> type:
    """The widest of two types of Python numbers; ``bytes`` for any mix of strings. `TypeError` between the two."""
    if a is None or a is b:
        return b
    if a not in _KINDS or b not in _KINDS:
        if {a, b} <= {str, bytes}:
            return bytes
        raise InvalidTypeError(f"a Python {a.__name__} and a Python {b.__name__} have no common type")
    return a if _KINDS[a] >= _KINDS[b] else b
