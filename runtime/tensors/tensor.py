"""Tensors: one interface for values (`EagerTensor`) and for nodes' outputs in a graph (`SymbolicTensor`)."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from autograph.errors import InvalidArgumentError, InvalidTypeError, StagedValueError
from autograph.tracebacks.leaving import public

from ..base.dtypes import DType, from_numpy, variant
from ..base.places import user_location
from ..base.provided import Provided
from ..base.shapes import Shape, TensorShape, as_shape, merge
from ..ir.graph import TENSOR, Graph, Node, Value
from ..ir.notes import BY_HAND
from ..ir.op import FUNCTIONS, OPS
from . import operands
from .in_place import own
from .operator_methods import (
    binary,
    equal,
    in_place,
    multiplied,
    multiplied_by,
    not_equal,
    positive,
    reflected,
    remainder,
    to_the_power,
    unary,
)  # fmt: skip
from .reference import Reference
from .tracing_state import LOCAL, current_graph

__all__ = ["EagerTensor", "SymbolicTensor", "Tensor"]

DEFAULT_SESSION: Provided[Callable[[], Any]] = Provided("runtime.tools.compat.v1", lambda: None)
"""The session of `tf.compat.v1` that is open, if one is."""
# What not every program asks of tensors.
ATTRIBUTE: Provided[Callable[[Any, str], Any]] = Provided("runtime.tensors.array_methods", late=True)
ATTRIBUTES: Provided[Callable[[], set[str]]] = Provided("runtime.tensors.array_methods", late=True)
UFUNC: Provided[Callable[..., Any]] = Provided("runtime.tensors.numpy_protocol", late=True)
FUNCTION: Provided[Callable[..., Any]] = Provided("runtime.tensors.numpy_protocol", late=True)
CHECK_TEXT: Provided[Callable[[str], None]] = Provided("runtime.tensors.trace_text", late=True)
NO_VALUE: Provided[Callable[..., StagedValueError]] = Provided("runtime.tensors.unconverted", late=True)


class Tensor(operands.PythonValues):
    """An array of one element type: a value (eager), or what a node of a graph will compute (symbolic).

    All operators work element by element and broadcast as in NumPy; mixed types promote as in NumPy, with Python
    numbers and NumPy arrays adapting to the tensor. `isinstance(x, Tensor)` holds for both kinds. Tensors are immutable
    and not hashable; `ref()` is hashable.
    """

    __slots__ = ("__weakref__",)

    __array_priority__ = 100
    python: type | None = None
    """For a graph tensor that stands for a Python number, or for what is NumPy's (`OF_NUMPY`): the type of that."""
    device = "/job:localhost/replica:0/task:0/device:CPU:0"
    """Where the value is; ``""`` of graph tensors, which have none."""

    @property
    def dtype(self) -> DType:
        raise NotImplementedError

    @property
    def static_shape(self) -> Shape:
        """The shape as a plain tuple (``None`` for what is unknown)."""
        raise NotImplementedError

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self.static_shape)

    def get_shape(self) -> TensorShape:
        return self.shape

    @property
    def ndim(self) -> int | None:
        shape = self.static_shape
        return None if shape is None else len(shape)

    def set_shape(self, shape: TensorShape | Sequence[int | None] | int | None) -> None:
        """Say what is known of the shape, of which a graph may know less; a run of the graph checks it.

        A tensor from outside the branch or loop that is being traced is left as it is. Raises `InvalidArgumentError` (a
        ValueError) when it is known to have another shape.
        """
        wanted = TensorShape(shape)
        if not wanted.is_compatible_with(self.shape):
            raise InvalidArgumentError(f"Tensor's shape {self.shape} is not compatible with supplied shape {wanted}.")
        self._narrow(merge(self.static_shape, as_shape(wanted)))

    def _narrow(self, shape: Shape) -> None:
        """Know the shape, which may be more than is known so far."""

    def ref(self) -> Reference:
        """A hashable reference: equal for the same tensor; ``deref()`` gives it back."""
        return Reference(self, id(self))

    __add__ = binary("add")
    __radd__ = reflected("add")
    __sub__ = binary("subtract")
    __rsub__ = reflected("subtract")
    def __mul__(self, other: object) -> Tensor:
        if isinstance(other, (list, tuple)):
            operands.refuse_repetition(self, other)
        if operands.is_text(self):
            return operands.repeated(self, other)
        return multiplied(self, other)

    def __rmul__(self, other: object) -> Tensor:
        if isinstance(other, (list, tuple)):
            operands.refuse_repetition(self, other)
        if operands.is_text(self) or isinstance(other, str):
            return operands.repeated(self, other)
        return multiplied_by(self, other)

    __truediv__ = binary("divide")
    __rtruediv__ = reflected("divide")
    __floordiv__ = binary("floor_divide")
    __rfloordiv__ = reflected("floor_divide")
    __rmod__ = reflected("remainder")
    __rpow__ = reflected("power")
    __matmul__ = binary("matmul")
    __rmatmul__ = reflected("matmul")
    __and__ = binary("bitwise_and")
    __rand__ = reflected("bitwise_and")
    __or__ = binary("bitwise_or")
    __ror__ = reflected("bitwise_or")
    __xor__ = binary("bitwise_xor")
    __rxor__ = reflected("bitwise_xor")
    __lshift__ = binary("left_shift")
    __rlshift__ = reflected("left_shift")
    __rshift__ = binary("right_shift")
    __rrshift__ = reflected("right_shift")
    __lt__ = binary("less")
    __le__ = binary("less_equal")
    __gt__ = binary("greater")
    __ge__ = binary("greater_equal")
    __neg__ = unary("negative")
    __pos__ = positive
    __abs__ = unary("absolute")
    __invert__ = unary("invert")

    def __pow__(self, other: object, modulus: object = None) -> Tensor:
        if modulus is not None:
            raise InvalidTypeError(
                "pow() of a tensor takes no modulus", remedy="write x ** y % z, where x ** y fits into the dtype"
            )
        return to_the_power(self, other)

    def __mod__(self, other: object) -> Tensor:
        return operands.formatted(self, other) if operands.is_text(self) else remainder(self, other)

    def __divmod__(self, other: object) -> tuple[Tensor, Tensor]:
        return self // other, self % other

    def __rdivmod__(self, other: object) -> tuple[Any, Any]:
        return other // self, other % self

    def __round__(self, digits: int | None = None) -> Tensor:
        return FUNCTIONS["round_to"](self, digits)

    def __eq__(self, other: object) -> Any:
        return False if _incomparable(other) else equal(self, other)

    def __ne__(self, other: object) -> Any:
        return True if _incomparable(other) else not_equal(self, other)

    def __hash__(self) -> int:
        raise InvalidTypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def __getitem__(self, key: object) -> Tensor:
        if operands.is_text(self) and (type(key) in (int, slice) or isinstance(key, Tensor)):
            return operands.part(self, key)
        item = FUNCTIONS["get_item"](operands.array(self, "is not subscriptable"), key)
        return SymbolicTensor(item.value, operands.item_kind(item, key)) if self.python is np.ndarray else item

    def __setitem__(self, key: object, value: object) -> NoReturn:
        raise InvalidTypeError(
            "a tensor does not support item assignment here: tensors are immutable, and this function is not "
            "converted. Let autograph convert it (tf.function, to_graph), or write "
            "x = tensor_scatter_nd_update(x, indices, updates)"
        )

    def __getattr__(self, name: str) -> Any:
        return ATTRIBUTE.function(self, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *ATTRIBUTES.function()})

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
        return UFUNC.function(ufunc, method, inputs, keywords)

    def __array_function__(self, function: Any, types: Any, arguments: Any, keywords: Any) -> Any:
        return FUNCTION.function(function, arguments, keywords)


def _incomparable(other: object) -> bool:
    """Whether ``==`` with a tensor is plainly False: None and objects that are no data."""
    if isinstance(other, (Tensor, bool, int, float, complex, str, bytes, list, tuple, np.ndarray, np.generic)):
        return False
    return other is None or not (hasattr(type(other), "__tensor__") or hasattr(type(other), "__array__"))


@public
class EagerTensor(Tensor):
    """A tensor with a value. The array inside is never changed."""

    __slots__ = {"array": "What it holds: not a copy, as that of `numpy()`, so nobody may write to it."}

    def __init__(self, array: Any) -> None:
        self.array = array

    @property
    def dtype(self) -> DType:
        array = self.array
        return from_numpy(array.dtype) if type(array) is np.ndarray else variant

    @property
    def static_shape(self) -> Shape:
        return self.array.shape if type(self.array) is np.ndarray else ()

    def numpy(self) -> Any:
        """A copy of the value: an ndarray, or a NumPy scalar (``bytes`` for a string) when it has rank 0."""
        array = self.array
        if type(array) is not np.ndarray:
            return array
        return array[()] if array.ndim == 0 else array.copy()

    def __array__(self, dtype: np.dtype[Any] | None = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if dtype is not None and dtype != self.array.dtype:
            return self.array.astype(dtype)
        if copy:
            return self.array.copy()
        view = self.array.view()
        view.flags.writeable = False
        return view

    def __bool__(self) -> bool:
        return bool(self.array if self.array.size == 1 else operands.refuse_truth(self))

    def __int__(self) -> int:
        return int(self._scalar())

    def __float__(self) -> float:
        return float(self._scalar())

    def __complex__(self) -> complex:
        return complex(self._scalar())

    def __index__(self) -> int:
        if not self.dtype.is_integer:
            raise InvalidTypeError(f"only integer scalar tensors can be converted to an index, not {self.dtype!r}")
        return int(self._scalar())

    def _scalar(self) -> Any:
        if self.array.ndim != 0:
            text = f"only tensors of rank 0 can be converted to Python numbers, not shape {self.shape}"
            raise InvalidTypeError(text, remedy="take an element, such as x[0], or tf.cast(x, dtype) for all of them")
        return self.array[()]

    def __len__(self) -> int:
        if self.array.ndim == 0:
            raise InvalidTypeError("Scalar tensor has no `len()`")
        return len(self.array)

    def __iter__(self) -> Iterator[Any]:
        if self.array.ndim == 0:
            raise InvalidTypeError("Cannot iterate over a scalar tensor.", remedy="loop over range(x)")
        if LOCAL.tapes:  # they have to see it
            return iter([self[i] for i in range(len(self.array))])
        return (
            EagerTensor(np.asarray(item) if self.array.dtype != object else _objects(item)) for item in self.array
        )

    def __contains__(self, value: object) -> bool:
        return operands.contains(self, value)

    def __format__(self, spec: str) -> str:
        return format(self.numpy(), spec)

    def __str__(self) -> str:
        text = str(self.numpy())
        return f"tf.Tensor({_own_line(text)}, shape={self.shape}, dtype={self.dtype.name})"

    def __repr__(self) -> str:
        value = self.numpy()
        text = repr(value.item() if isinstance(value, np.generic) else value)
        return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, numpy={_own_line(text)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return EagerTensor, (self.array,)

    def __copy__(self) -> EagerTensor:
        return self

    def __deepcopy__(self, memo: object) -> EagerTensor:
        return self


def _objects(item: object) -> np.ndarray[Any, Any]:
    if isinstance(item, np.ndarray):
        return item
    array = np.empty((), object)
    array[()] = item
    return array


def _own_line(text: str) -> str:
    return "\n" + text if "\n" in text else text


@TENSOR.give
@public
class SymbolicTensor(Tensor):
    """What a node of a graph will compute. Python can't see its value: `StagedValueError` where it tries to.

    ``python``: the type of the Python number that it stands for, such as the index of a loop over a `range`, or
    `numpy.ndarray` for an array, `numpy.generic` for a number of NumPy's: it takes part in promotion as that would.
    """

    __slots__ = ("python", "value")

    device = ""

    def __init__(self, value: Value, python: type | None = None) -> None:
        self.value = value
        self.python = python

    @property
    def dtype(self) -> DType:
        return self.value.type.dtype

    @property
    def static_shape(self) -> Shape:
        return self.value.type.shape

    @property
    def name(self) -> str:
        return self.value.name

    @property
    def op(self) -> Node:
        return self.value.node

    @property
    def graph(self) -> Graph:
        return self.value.node.graph

    def _narrow(self, shape: Shape) -> None:
        if shape != self.static_shape and self.graph is current_graph():
            self.value = OPS["ensure_shape"](self, shape=shape).value

    def ref(self) -> Reference:
        return Reference(self, self.value)

    def __pos__(self) -> Any:
        return own(positive(self), self)

    def eval(self, feed_dict: object = None, session: Any = None) -> Any:
        """The value that a session (of `tf.compat.v1`; the default one) computes for the tensor."""
        session = DEFAULT_SESSION.function() if session is None else session
        if session is None:
            raise InvalidArgumentError("Cannot evaluate tensor using `eval()`: No default session is registered.")
        return session.run(self, feed_dict)

    def __hash__(self) -> int:
        if BY_HAND.known(self.value.node.graph) is not None:  # the keys of feed_dict
            return hash(self.value)
        instead = "keep tensor.ref() in the set or dict; to choose by value, use x[i] of a tensor or list, or an `if`"
        raise refused("Tensor is unhashable. Instead, use tensor.ref() as the key.", "as a key", instead)

    def __bool__(self) -> NoReturn:
        purpose = "so that `if`, `while`, `and`, `or`, `not` and `in` can be staged"
        raise NO_VALUE.function(self, "as a bool", "use tf.where, tf.logical_and, tf.logical_or", purpose)

    def __iter__(self) -> Iterator[Any]:
        if (parts := operands.unpacked(self, sys._getframe(1))) is not None:
            return iter(parts)
        if self.static_shape == ():
            raise InvalidTypeError("Cannot iterate over a scalar tensor.")
        instead = "use tf.unstack(x) where its length is known"
        raise NO_VALUE.function(self, "as an iterable", instead, "so that `for` can be staged")

    def __len__(self) -> NoReturn:
        raise NO_VALUE.function(self, "with len()", "write tf.shape(x)[0], or x.shape[0] where the dimension is known")

    def __index__(self) -> NoReturn:
        instead = "use x[i] of a tensor, tf.gather, tf.range, or tf.py_function around a call that needs Python's "
        raise NO_VALUE.function(self, "as an index or a size", instead + "number")

    def __int__(self) -> NoReturn:
        raise NO_VALUE.function(self, "with int()", "write tf.cast(x, tf.int32)", "so that int() can be staged")

    def __float__(self) -> NoReturn:
        instead = "write tf.cast(x, tf.float32), and tf.math in place of math"
        raise NO_VALUE.function(self, "with float()", instead, "so that float() can be staged")

    def __complex__(self) -> NoReturn:
        raise NO_VALUE.function(self, "with complex()", "write tf.cast(x, tf.complex64)")

    def __array__(self, dtype: np.dtype[Any] | None = None, copy: bool | None = None) -> NoReturn:
        instead = "use the tensor operation of the same name (tf.cast for np.int32(x)), or tf.numpy_function"
        raise NO_VALUE.function(self, "as a NumPy array", instead)

    def __contains__(self, value: object) -> NoReturn:
        raise NO_VALUE.function(self, "with `in`", "write tf.reduce_any(x == value)", "so that `in` can be staged")

    def __reduce__(self) -> NoReturn:
        raise NO_VALUE.function(self, "by pickle", "return it, and pickle the result")

    def __format__(self, spec: str) -> str:
        CHECK_TEXT.function("a graph tensor")
        return format(str(self), spec)

    def __str__(self) -> str:
        CHECK_TEXT.function("a graph tensor")
        return f'Tensor("{self.name}", shape={self.shape}, dtype={self.dtype.name})'

    def __repr__(self) -> str:
        CHECK_TEXT.function("a graph tensor")
        return f"<tf.Tensor {self.name!r} shape={self.shape} dtype={self.dtype.name}>"

    def __copy__(self) -> Any:
        return own(self, self)

    def __deepcopy__(self, memo: object) -> Any:
        return own(self, self)


def refused(message: str, construct: str, remedy: str) -> StagedValueError:
    """An error with the location of the user's line."""
    location = user_location()
    where = {} if location is None else location._asdict()
    return StagedValueError(message, **where, construct=construct, remedy=remedy)


_IN_PLACE = "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift"
for _name in _IN_PLACE:
    setattr(SymbolicTensor, f"__i{_name}__", in_place(getattr(operator, f"__{_name}__")))
