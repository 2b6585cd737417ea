"""From Python values, NumPy arrays and other objects to tensors, and between element types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import InvalidArgumentError, InvalidTypeError

from ..base import dtypes, shapes
from ..base.dtypes import DType, as_dtype, from_numpy
from ..base.places import user_code
from ..base.provided import Provided
from ..ir.op import OPS
from .tensor import EagerTensor, SymbolicTensor, Tensor
from .tracing_state import LOCAL, current_graph

if TYPE_CHECKING:
    from .likes import DTypeLike, ShapeLike

__all__ = [
    "as_tensor", "cast", "constant", "constant_tensor", "convert_to_tensor", "fitted", "holds_tensor", "is_array",
    "strong", "weak_kind", "wrap",
]  # fmt: skip

_SCALARS = frozenset((bool, int, float, complex, str, bytes))
# What gives the plain number (or string) of an object whose class inherits from one.
_PLAIN: dict[type, Callable[[Any], Any]] = {
    int: int.__index__, float: float.__float__, complex: complex.__pos__, str: str.__str__, bytes: bytes.__bytes__
}  # fmt: skip


ADOPTED: Provided[Callable[[Any], EagerTensor | None]] = Provided("runtime.engines.dlpack", late=True)
"""A tensor for an array of another library, if that needs no copy of NumPy's."""


def wrap(result: object) -> EagerTensor:
    """What a kernel returned as an eager tensor (arrays are not copied; other objects are ``variant`` tensors)."""
    if type(result) is np.ndarray:
        return EagerTensor(result)
    if isinstance(result, (np.ndarray, np.generic)):
        return EagerTensor(np.asarray(result))
    if type(result) is bytes:
        return EagerTensor(string_scalar(result))
    return EagerTensor(result)


def string_scalar(value: bytes) -> np.ndarray[Any, Any]:
    """A 0-d object array that holds the bytes."""
    array = np.empty((), object)
    array[()] = value
    return array


def weak_kind(value: Any) -> type | None:
    """The widest Python type in a Python number or a nested list of them; None for anything else.

    Such values take part in promotion with their kind only: ``float32_tensor + [1, 2]`` is float32.
    """
    kind = type(value)
    if kind in _SCALARS:
        return kind
    if kind is SymbolicTensor:
        return None if value.python in dtypes.OF_NUMPY else value.python
    if kind is not list and kind is not tuple:
        return _base(kind)
    widest: type | None = None
    for item in value:
        inner = weak_kind(item)
        if inner is None:
            return None
        try:
            widest = dtypes.widest(widest, inner)
        except TypeError:
            return None
    return widest


def _base(kind: type) -> type | None:
    """The type of Python numbers (or strings) that a class inherits from, as `enum.IntEnum` does."""
    return next((each for each in _SCALARS if issubclass(kind, each) and not issubclass(kind, np.generic)), None)


def constant_tensor(value: object, dtype: DType) -> EagerTensor:
    """An eager tensor of a Python number, or a nested list of numbers, in the given type."""
    if always_fits(value, dtype):
        return EagerTensor(np.array(value, dtype.numpy))  # the quick way
    return EagerTensor(_array(value, dtype))


def always_fits(value: Any, dtype: DType) -> bool:
    """Whether a value is a Python number that a type, whatever its width, can hold and doesn't yield to."""
    kind = type(value)
    return (kind is float and dtype.kind == "f") or (kind is int and dtype.kind in "if" and -128 <= value < 128)


def _array(value: object, dtype: DType | None) -> np.ndarray[Any, Any]:
    """A fresh array for Python values and arrays; Python numbers alone become int32, float32 …"""
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.array(value)
        found = from_numpy(array.dtype)
        if found is dtypes.string:
            array = _bytes_array(array)
        elif array.dtype != found.numpy:  # other byte order
            array = array.astype(found.numpy)
        return array if dtype is None or dtype is found else _cast_array(array, dtype, value)
    if type(value) not in _SCALARS and not isinstance(value, (list, tuple, range)):
        base = _base(type(value))
        if base is None:
            return _foreign_array(value, dtype)
        value = _PLAIN[base](value)
    array = _nested_array(value)
    if array.dtype.kind in "uOf" and (dtype is None or array.dtype == object) and _has_large_integer(value, array):
        raise InvalidArgumentError("Can't convert Python sequence with out-of-range integer to Tensor.")
    if array.dtype == object or array.dtype.kind in "US":
        array = _bytes_array(_nested_array(value, object))
        if dtype not in (None, dtypes.string):
            raise InvalidTypeError(f"Cannot convert {value!r} to {dtype!r}")
        return array
    if dtype is None:
        dtype = _python_dtype(value, array)
    return array if dtype.numpy == array.dtype else _cast_array(array, dtype, value)


def _nested_array(value: object, dtype: DTypeLike | None = None) -> np.ndarray[Any, Any]:
    try:
        if isinstance(value, (str, bytes)) and dtype is object:
            array = np.empty((), object)
            array[()] = value
            return array
        return np.array(value, dtype)
    except ValueError:
        raise InvalidArgumentError(
            "Can't convert a non-rectangular Python sequence to a tensor",
            remedy="pad the inner sequences to one length",
        ) from None


def _python_dtype(value: object, array: np.ndarray[Any, Any]) -> DType:
    """TensorFlow's defaults: int32 (int64 when a number needs it), float32, complex128; NumPy scalars keep theirs."""
    if _holds_numpy(value):
        return from_numpy(array.dtype)
    if array.dtype.kind in "iu":
        fits = array.size == 0 or (array.min() >= -(2**31) and array.max() < 2**31)
        return dtypes.int32 if fits else from_numpy(array.dtype)
    return dtypes.float32 if array.dtype.kind == "f" else from_numpy(array.dtype)


def _has_large_integer(value: object, array: np.ndarray[Any, Any]) -> bool:
    """Whether Python integers, and nothing else, are there, of which one does not fit into 64 bits."""
    if array.dtype != object and (array.size == 0 or array.max() < 2**63):
        return False
    leaves = _nested_array(value, object).reshape(-1)
    return all(type(leaf) is int for leaf in leaves) and any(not -(2**63) <= leaf < 2**63 for leaf in leaves)


def _holds_numpy(value: object) -> bool:
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
    return isinstance(value, (np.ndarray, np.generic))


def _bytes_array(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """An object array of bytes for an array of any strings. `TypeError` for other objects."""
    result = np.empty(array.shape, object)
    flat = result.reshape(-1)
    for i, item in enumerate(array.astype(object).reshape(-1)):
        if isinstance(item, str):
            flat[i] = item.encode("utf-8", "surrogateescape")
        elif isinstance(item, bytes):
            flat[i] = bytes(item)
        else:
            is_number = isinstance(item, (bool, int, float, np.generic))
            mixed = is_number and any(isinstance(each, (str, bytes)) for each in array.reshape(-1))
            raise InvalidTypeError(
                f"Cannot convert {item!r} ({type(item).__name__}) to a tensor{' of strings' if mixed else ''}",
                remedy="a tensor holds values of one dtype: write str(x) for the numbers among text" if mixed else None,
            )
    return result


def _cast_array(array: np.ndarray[Any, Any], dtype: DType, original: object) -> np.ndarray[Any, Any]:
    """The array in another type, refusing what would change the values (a fraction to an integer, an overflow)."""
    if dtype is dtypes.string or dtype is dtypes.variant or array.dtype == object:
        remedy = "write str(x), or tf.strings.as_string(x) of a tensor" if dtype is dtypes.string else None
        raise InvalidTypeError(f"Cannot convert {original!r} to {dtype!r}", remedy=remedy)
    kind, target = array.dtype.kind, dtype.kind
    exact = array.size == 0 or kind == target or (kind in "biu" and target in "iufc") or (kind == "f" and target == "c")
    if not exact:
        raise InvalidTypeError(
            f"Cannot convert {original!r} to {dtype!r}",
            remedy=f"write tf.cast(x, {dtype!r}), which drops what does not fit, or give the other value another dtype",
        )
    if target in "iu" and array.size:
        limits = np.iinfo(dtype.numpy)
        if int(array.min()) < limits.min or int(array.max()) > limits.max:
            raise InvalidArgumentError(f"{original!r} is out of bounds for {dtype!r}")
    with np.errstate(all="ignore"):
        return array.astype(dtype.numpy)


def is_array(value: object) -> bool:
    """Whether what is no Python number is an array, or a list of such, or a graph tensor that stands for one."""
    if type(value) is SymbolicTensor:
        return value.python in dtypes.OF_NUMPY
    return not (hasattr(type(value), "__tensor__") or holds_tensor(value))


def fitted(tensor: Any, dtype: DType) -> Any:
    """What an array became, in the dtype of the tensors it meets. Raises for an integer that does not fit."""
    if type(tensor) is SymbolicTensor:
        return strong(cast(tensor, dtype))
    array, given = tensor.array, tensor.dtype
    if given is dtype:
        return tensor
    if given.is_integer and dtype.is_integer and array.size:
        limits = np.iinfo(dtype.numpy)
        for number in (int(array.min()), int(array.max())):
            if not limits.min <= number <= limits.max:
                raise InvalidArgumentError(
                    f"{number}, in {'an array' if array.ndim else 'a NumPy scalar'} of dtype {given.name}, is out of "
                    f"bounds for {dtype!r}, the dtype of the tensor that it meets",
                    remedy=f"cast the tensor, tf.cast(x, tf.{given.name}), to compute in {given.name}",
                )
    with np.errstate(all="ignore"):
        return EagerTensor(array.astype(dtype.numpy))


def _foreign_array(value: object, dtype: DType | None) -> np.ndarray[Any, Any]:
    if value is None:
        raise _unsupported(None)
    if hasattr(value, "__array__"):
        return _array(np.asarray(value), dtype)
    raise _unsupported(value)


def _unsupported(value: object) -> InvalidTypeError:
    text = repr(value)
    text = f"a {type(value).__name__}" if " at 0x" in text else text
    return InvalidTypeError(
        f"Attempt to convert a value ({text}) with an unsupported type ({type(value)}) to a Tensor.",
        remedy="None is what a function gives that ends without `return`" if value is None else None,
    )


def convert_to_tensor(
    value: object, dtype: DTypeLike | None = None, dtype_hint: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """A tensor for a tensor (the same one), a number, a string, an array, or nested lists of these.

    Python numbers become int32 or float32, NumPy arrays keep their dtype; lists that hold tensors are stacked.
    Objects with a method ``__tensor__()`` convert through it. Raises `TypeError` when ``dtype`` differs from a
    tensor's own or can't hold the value, `ValueError` for objects that are no tensors.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(value, Tensor):
        if wanted is not None and wanted is not value.dtype:
            raise InvalidArgumentError(
                f"Tensor conversion requested dtype {wanted.name} for Tensor with dtype {value.dtype.name}: {value!r}",
                remedy="convert it with cast",
            )
        return value
    to_tensor = getattr(type(value), "__tensor__", None)
    if to_tensor is not None:
        return convert_to_tensor(to_tensor(value), wanted, name=name)
    if isinstance(value, (list, tuple)) and _holds_tensor(value):
        return _stack(value, wanted)
    if isinstance(value, shapes.TensorShape):
        value = np.array(value.as_list(), np.int32)
    if hasattr(type(value), "__dlpack_device__") and not isinstance(value, (np.ndarray, np.generic)):
        adopted = ADOPTED.function(value)
        if adopted is not None and wanted in (None, adopted.dtype):
            return adopted
    if wanted is None and dtype_hint is not None:
        try:
            return EagerTensor(_array(value, as_dtype(dtype_hint)))
        except (TypeError, InvalidArgumentError):
            pass
    return EagerTensor(_array(value, wanted))


def holds_tensor(value: object) -> bool:
    """Whether a value is a tensor, or a nested list with one."""
    return isinstance(value, Tensor) or (isinstance(value, (list, tuple)) and _holds_tensor(value))


def as_tensor(
    value: object, dtype: DTypeLike | None = None, dtype_hint: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """`convert_to_tensor` for users: a number that only the graph knows becomes a tensor as others are."""
    return strong(convert_to_tensor(value, dtype, dtype_hint, name))


def strong(tensor: Any) -> Any:
    """The tensor, without the mark of a Python number."""
    return tensor if getattr(tensor, "python", None) is None else SymbolicTensor(tensor.value)


def as_numbers(tensors: Sequence[Any], types: Sequence[type | None]) -> list[Any]:
    """Graph tensors, of which some stand for Python numbers of these types."""
    return [SymbolicTensor(each.value, python) for each, python in zip(tensors, types, strict=True)]


def _holds_tensor(value: Sequence[Any]) -> bool:
    for item in value:
        if isinstance(item, Tensor) or hasattr(type(item), "__tensor__"):
            return True
        if isinstance(item, (list, tuple)) and _holds_tensor(item):
            return True
    return False


def _stack(items: Sequence[Any], dtype: DType | None) -> Any:
    """Stack a list that holds tensors, bringing Python numbers in it to the tensors' type."""
    parts = [_stack(x, dtype) if isinstance(x, (list, tuple)) and _holds_tensor(x) else x for x in items]
    if dtype is not None:
        parts = [convert_to_tensor(x, dtype) for x in parts]
    return OPS["stack"](*parts, axis=0)


def constant(value: object, dtype: DTypeLike | None = None, shape: ShapeLike = None, name: str = "Const") -> Tensor:
    """A tensor with the given value: eager, or a node while a graph is traced.

    Python ints are int32, all of them int64 when one does not fit (as eagerly in TensorFlow), floats float32.
    ``shape`` repeats a single value, or reshapes as many values as it holds. Raises as `convert_to_tensor`, and
    `InvalidArgumentError` when the values do not fit the shape, or an int does not fit into 64 bits.

    >>> constant([1, 2])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    """
    if isinstance(value, SymbolicTensor):
        raise InvalidTypeError(
            "constant needs a value that is known while tracing, not a graph tensor; it is a tensor already"
        )
    tensor = convert_to_tensor(value, dtype)
    if shape is not None:
        if not isinstance(tensor, EagerTensor):
            raise InvalidTypeError(
                "constant(shape=…) needs values that are known while tracing", remedy="write tf.reshape(x, shape)"
            )
        tensor = EagerTensor(_fill(tensor.array, shapes.as_shape(shape)))
    graph = current_graph()
    if graph is None or not isinstance(tensor, EagerTensor):
        return tensor
    return SymbolicTensor(graph.constant(tensor.array, name=name, where=user_code()))


def _fill(array: np.ndarray[Any, Any], shape: shapes.Shape) -> np.ndarray[Any, Any]:
    if not shapes.is_fully_defined(shape):
        raise InvalidArgumentError(f"constant needs a fully known shape, not {shapes.show(shape)}")
    if array.size == shapes.size(shape):
        return array.reshape(shape)
    if array.size != 1:
        raise InvalidTypeError(f"constant: {array.size} values do not fill the shape {shapes.show(shape)}")
    return np.full(shape, array.reshape(-1)[0], array.dtype)


def cast(tensor: Any, dtype: DType) -> Any:
    """A tensor in another type; eager tensors at once (also while tracing), others by a ``cast`` node."""
    if isinstance(tensor, EagerTensor):
        if tensor.dtype is dtype:
            return tensor
        if LOCAL.tapes:  # they have to see it
            return OPS["cast"](tensor, dtype=dtype)
        if dtype.kind in "SV" or tensor.dtype.kind in "SV":
            raise InvalidTypeError(
                f"Cannot cast {tensor.dtype!r} to {dtype!r}",
                remedy="for text there are tf.strings.to_number and tf.strings.as_string",
            )
        with np.errstate(all="ignore"):
            return EagerTensor(tensor.array.astype(dtype.numpy))
    return OPS["cast"](tensor, dtype=dtype)
