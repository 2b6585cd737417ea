"""`tf.keras.backend`: settings, values of variables, and short functions of tensors, which old programs call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.operators.staging.folds import foldl as foldl
from autograph.operators.staging.folds import foldr as foldr
from autograph.runtime.base.dtypes import as_dtype
from autograph.runtime.gradient import gradients as gradients
from autograph.runtime.ops.elementwise import elementwise, math, nn
from autograph.runtime.ops.reduce import cumulative, reduce
from autograph.runtime.ops.shape import create, joining
from autograph.runtime.ops.shape import shape as shapes
from autograph.runtime.state.variable import Variable
from autograph.runtime.tensors.convert import constant as _constant
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.runtime.tensors.tensor import Tensor
from autograph.runtime.tensors.trace import name_scope as name_scope
from autograph.tracebacks import leaving

from .base.absent import refusing
from .base.defaults import epsilon as epsilon
from .base.defaults import floatx as floatx
from .base.defaults import image_data_format as image_data_format
from .base.defaults import set_epsilon as set_epsilon
from .base.defaults import set_floatx as set_floatx
from .base.defaults import set_image_data_format as set_image_data_format
from .base.defaults import standardize_dtype as standardize_dtype
from .base.names import clear_session as clear_session
from .formulas import backend_functions as functions
from .formulas.backend_functions import *  # noqa: F403
from .utils import is_keras_tensor as is_keras_tensor

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import DTypeLike, ShapeLike, TensorLike

__all__ = [
    "abs", "all", "any", "argmax", "argmin", "backend", "batch_get_value", "batch_set_value", "cast",
    "cast_to_floatx", "clear_session", "constant", "cos", "count_params", "cumprod", "cumsum", "dtype",
    "epsilon", "equal", "eval", "exp", "eye", "floatx", "foldl", "foldr", "get_uid", "get_value", "gradients",
    "greater", "greater_equal", "image_data_format", "int_shape", "is_float_dtype",
    "is_int_dtype", "is_keras_tensor", "less", "less_equal", "log", "max", "maximum", "mean", "min", "minimum",
    "moving_average_update", "name_scope", "ndim", "not_equal", "ones", "ones_like", "pow", "prod", "reshape",
    "round", "set_epsilon", "set_floatx", "set_image_data_format", "set_value", "shape", "sigmoid", "sign",
    "sin", "softplus", "softsign", "sqrt", "square", "squeeze", "stack", "standardize_dtype", "std", "sum",
    "tanh", "tile", "update", "update_add", "update_sub", "var", "variable", "zeros", "zeros_like", *functions.__all__,
]  # fmt: skip
__dir__ = __all__.copy
if not TYPE_CHECKING:
    __getattr__ = refusing(__name__)

# The same functions under other names.

abs, cos, exp, log, pow, sign, sin, sqrt = (
    math.absolute, math.cos, math.exp, math.log, math.power, math.sign, math.sin, math.sqrt,
)  # fmt: skip
equal, not_equal, greater, greater_equal = math.equal, math.not_equal, math.greater, math.greater_equal
less, less_equal, maximum, minimum = math.less, math.less_equal, math.maximum, math.minimum
square, tanh, sigmoid, softplus = math.square, math.tanh, nn.sigmoid, nn.softplus
round, softsign = elementwise.round, nn.softsign
max, min, prod, sum = reduce.reduce_max, reduce.reduce_min, reduce.reduce_prod, reduce.reduce_sum
reshape, shape, squeeze, tile = shapes.reshape, shapes.shape, shapes.squeeze, joining.tile
ones_like, zeros_like, stack = create.ones_like, create.zeros_like, joining.stack


# Settings, names and dtypes.

_uids: Counter[str] = Counter()


def backend() -> str:
    """``"tensorflow"``, whose names and meanings these are."""
    return "tensorflow"


def get_uid(prefix: str = "") -> int:
    """How often it has been called with a text: 1, 2, ..."""
    _uids[prefix] += 1
    return _uids[prefix]


def is_float_dtype(dtype: DTypeLike) -> bool:
    """Whether a dtype is one of real floating numbers."""
    return standardize_dtype(dtype).startswith("float")


def is_int_dtype(dtype: DTypeLike) -> bool:
    """Whether a dtype is one of whole numbers."""
    return standardize_dtype(dtype).startswith(("int", "uint"))


# Values, shapes and variables.


def get_value(x: Any) -> Any:
    """The value of a tensor or variable as an array; anything else as it is."""
    return x.numpy() if isinstance(x, (Tensor, Variable)) else x


eval = get_value


def set_value(x: Any, value: TensorLike) -> None:
    """Gives a variable a value."""
    x.assign(np.asarray(value, dtype=x.dtype.numpy))


def batch_get_value(tensors: Iterable[Any]) -> list[Any]:
    """The values of tensors and variables, as arrays."""
    return [x.numpy() for x in tensors]


def batch_set_value(tuples: Iterable[tuple[Any, Any]]) -> None:
    """Gives variables values: pairs of these."""
    for x, value in tuples:
        set_value(x, value)


def int_shape(x: Any) -> tuple[int | None, ...] | None:
    """The shape as a tuple, with None for what is not known; None where the rank is not known."""
    found = x.static_shape if isinstance(x, (Tensor, Variable)) else x.shape
    return None if found is None else tuple(found)


def ndim(x: Any) -> int | None:
    """The rank; None where it is not known."""
    found = int_shape(x)
    return None if found is None else len(found)


def dtype(x: Any) -> str:
    """The name of the dtype."""
    return standardize_dtype(x.dtype)


def count_params(x: Any) -> int:
    """The number of elements."""
    return int(np.prod(x.shape.as_list()))


def cast(x: TensorLike, dtype: DTypeLike) -> Tensor:
    """A tensor of another dtype."""
    return elementwise.cast(x, dtype)


def cast_to_floatx(x: TensorLike) -> Any:
    """In the dtype `floatx`: a tensor of a tensor or variable, else an array."""
    return cast(x, floatx()) if isinstance(x, (Tensor, Variable)) else np.asarray(x, floatx())


def variable(value: TensorLike, dtype: DTypeLike | None = None, name: str | None = None,
             constraint: Any = None) -> Variable:  # fmt: skip
    """A variable, of the dtype `floatx` where none is given."""
    return Variable(convert_to_tensor(value, dtype=as_dtype(dtype or floatx())), name=name, constraint=constraint)


def constant(value: TensorLike, dtype: DTypeLike | None = None, shape: ShapeLike = None,
             name: str = "Const") -> Tensor:  # fmt: skip
    """A tensor, of the dtype `floatx` where none is given."""
    return _constant(value, dtype or floatx(), shape, name)


def zeros(shape: ShapeLike, dtype: DTypeLike | None = None, name: str | None = None) -> Variable:
    """A variable of zeros."""
    return variable(create.zeros(shape, dtype or floatx()), dtype, name)


def ones(shape: ShapeLike, dtype: DTypeLike | None = None, name: str | None = None) -> Variable:
    """A variable of ones."""
    return variable(create.ones(shape, dtype or floatx()), dtype, name)


def eye(size: int, dtype: DTypeLike | None = None, name: str | None = None) -> Variable:
    """A variable: the identity matrix."""
    return variable(create.eye(size, dtype=dtype or floatx()), dtype, name)


def update(x: Variable, new_x: TensorLike) -> Any:
    """Assigns to a variable."""
    return x.assign(new_x)


def update_add(x: Variable, increment: TensorLike) -> Any:
    """Adds to a variable."""
    return x.assign_add(increment)


def update_sub(x: Variable, decrement: TensorLike) -> Any:
    """Subtracts from a variable."""
    return x.assign_sub(decrement)


def moving_average_update(x: Variable, value: TensorLike, momentum: TensorLike) -> Any:
    """Assigns ``x * momentum + value * (1 - momentum)`` to a variable."""
    return x.assign_sub((x - cast(value, x.dtype)) * (1 - cast(momentum, x.dtype)))


# Reductions.

Axis = int | Sequence[int] | None


def all(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Whether all elements are true, or not 0."""
    return reduce.reduce_all(cast(x, "bool"), axis, keepdims)


def any(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Whether an element is true, or not 0."""
    return reduce.reduce_any(cast(x, "bool"), axis, keepdims)


def argmax(x: TensorLike, axis: int = -1) -> Tensor:
    """The place of the largest element."""
    return reduce.argmax(x, axis)


def argmin(x: TensorLike, axis: int = -1) -> Tensor:
    """The place of the smallest element."""
    return reduce.argmin(x, axis)


def _in_floats(x: TensorLike) -> Any:
    x = convert_to_tensor(x)
    return cast(x, floatx()) if x.dtype.is_bool else x


def mean(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The mean; of booleans in the dtype `floatx`."""
    return reduce.reduce_mean(_in_floats(x), axis, keepdims)


def var(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The variance."""
    return reduce.reduce_variance(_in_floats(x), axis, keepdims)


def std(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The standard deviation."""
    return reduce.reduce_std(_in_floats(x), axis, keepdims)


def cumsum(x: TensorLike, axis: int = 0) -> Tensor:
    """The sums of the elements up to each."""
    return cumulative.cumsum(x, axis)


def cumprod(x: TensorLike, axis: int = 0) -> Tensor:
    """The products of the elements up to each."""
    return cumulative.cumprod(x, axis)


leaving.public_module(__name__)
