"""Elementwise ops that choose, convert or combine: cast, where, clip, round, add_n, complex parts, identity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base.dtypes import Array, DType, as_dtype, bool_, complex64, complex128, float32, int32
from ...base.shapes import broadcast
from ...ir import totality
from ...ir.identities import alone, cast_of_cast, chosen, first, own_inverse, same_dtype
from ...ir.kinds import kinds
from ...ir.op import FUNCTIONS, NOT_DIFFERENTIABLE, Type, op
from ...tensors.convert import convert_to_tensor, strong
from ...tensors.likes import DTypeLike, TensorLike
from ...tensors.tensor import Tensor
from ..declare import Function, sum_to, unary
from ..infer import elementwise, require, require_kind
from ..kernels import common as kernels
from ..kernels import samples as s

__all__ = [
    "add_n", "angle", "bitcast", "cast", "clip_by_value", "complex", "conj", "imag", "real", "round",
    "saturate_cast", "stop_gradient", "where", "where_op",
]  # fmt: skip


def _infer_cast(x: Type, dtype: Any) -> Type:
    strings = (x.dtype.kind in "SV") + (dtype.kind in "SV")
    require(strings == 0 or x.dtype is dtype, f"can't cast {x.dtype.name} to {dtype.name}; for text see tf.strings")
    return Type(dtype, x.shape)


cast_op = op(
    "cast", infer=_infer_cast, numpy=kernels.cast, fresh=lambda x, dtype: x.dtype is not dtype and x.dtype.kind != "c",
    gradient=lambda g, out, x, dtype: (cast(g, x.dtype),),
    samples=lambda: [
        *[(inputs, {"dtype": as_dtype(d)}) for inputs, _ in s.numbers()[:8] for d in ("float64", "complex64")],
        *[s.sample([300, -1, 0], dtype=as_dtype(d)) for d in ("int8", "uint8", "bool", "float16", "int32")],
        *[s.sample([1.9, -1.9, 0.0], dtype=as_dtype(d)) for d in ("int8", "uint8", "uint64", "bool", "int64")],
        s.sample(s.COMPLEX, dtype=float32), s.sample(["a"], dtype=as_dtype("string")),
        s.sample(np.float64(2.5), dtype=as_dtype("int32")),
    ],
    doc="The elements in another dtype; fractions are cut off, integers wrap around, complex lose the imaginary part.",
    total=totality.cast, warns=True, native=True, moves=True,
    identities=(same_dtype, cast_of_cast), attributes=kinds("dtype"),
)  # fmt: skip


def cast(x: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """`x` with its elements converted to `dtype`.

    Fractions are cut off, integers that don't fit wrap around, a complex number gives its real part. NaN and infinity
    have no integer value: what they give depends on the machine, as in C.
    """
    tensor, target = convert_to_tensor(x), as_dtype(dtype)
    return strong(tensor) if tensor.dtype is target else cast_op(tensor, dtype=target, name=name)


def cast_like(x: TensorLike, like: Any) -> Any:
    """`x` in the dtype of `like`."""
    return cast(x, like.dtype)


def saturate_cast(value: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """`value` clipped to the range of `dtype`, then cast."""
    tensor, target = convert_to_tensor(value), as_dtype(dtype)
    if target.is_integer and tensor.dtype is not target:
        low, high = max(target.min, int(tensor.dtype.min)), min(target.max, int(tensor.dtype.max))
        tensor = clip_by_value(tensor, low, _not_above(high, tensor.dtype) if tensor.dtype.is_floating else high)
    return cast(tensor, target, name)


def _not_above(limit: int, dtype: DType) -> float:
    """The largest float of a dtype that is not above an integer: that nearest to it may be, and would wrap around."""
    nearest = np.asarray(limit, dtype.numpy)[()]
    return float(nearest if int(nearest) <= limit else np.nextafter(nearest, np.asarray(0, dtype.numpy)))


def _infer_where(condition: Type, x: Type, y: Type) -> Type:
    return Type(x.dtype, broadcast(condition.shape, x.shape, y.shape))


def _where_gradient(g: Tensor, out: Tensor, condition: Tensor, x: Tensor, y: Tensor) -> tuple[Any, ...]:
    zero = convert_to_tensor(0, dtype=g.dtype)
    return None, sum_to(where_op(condition, g, zero), x), sum_to(where_op(condition, zero, g), y)


where_op = op(
    "where", infer=_infer_where, numpy=np.where, gradient=_where_gradient, promote=1, fresh=True,
    samples=lambda: [
        s.sample([True, False], [1.0, 2.0], [3.0, 4.0]), s.sample(True, 1, [2, 3]),
        s.sample([[True], [False]], [1, 2], 3),
        s.sample(np.zeros((0, 2), bool), 1.0, 2.0), s.sample([True, False], ["a", "b"], "c"),
        s.sample(False, np.float64(1), np.float64(2)), s.sample([1, 0], [1, 2], np.array([3, 4], np.int64)),
    ],
    doc="`x` where the condition holds, `y` elsewhere; all three broadcast.", total=totality.elementwise,
    native=True, tensorflow_name="SelectV2", identities=(chosen,),
)  # fmt: skip
argwhere_op = op(
    "argwhere",
    infer=lambda x: Type(as_dtype("int64"), (None, None if x.shape is None else len(x.shape))),
    numpy=np.argwhere, gradient=NOT_DIFFERENTIABLE,
    samples=lambda: [s.sample([True, False]), s.sample(True), s.sample([[1, 0], [0, 2]]), s.sample(np.zeros((0, 2)))],
    doc="The indices of the elements that are true, one row each, in row order (int64).",
)


def where(
    condition: TensorLike, x: TensorLike | None = None, y: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """`x` where `condition` holds and `y` elsewhere (all three broadcast); alone, the indices of what is true.

    Raises `ValueError` when only one of `x` and `y` is given.
    """
    if x is None and y is None:
        return argwhere_op(condition, name=name)
    if x is None or y is None:
        raise InvalidArgumentError("where takes both x and y, or neither")
    return where_op(condition, x, y, name=name)


def _infer_clip(*types: Type) -> Type:
    return Type(elementwise(np.maximum)(*types[:2]).dtype, broadcast(*[t.shape for t in types]))


clip_op = op(
    "clip", infer=_infer_clip, numpy=kernels.clip, promote=0,
    gradient=lambda g, out, x, low, high: (
        sum_to(where_op((x >= low) & (x <= high), g, convert_to_tensor(0, dtype=g.dtype)), x),
        sum_to(where_op(x < low, g, convert_to_tensor(0, dtype=g.dtype)), low),
        sum_to(where_op(x > high, g, convert_to_tensor(0, dtype=g.dtype)), high),
    ),
    samples=lambda: [
        s.sample([1.0, 5.0, -3.0], 0.0, 2.0), s.sample([1, 5, -3], 0, 2), s.sample(s.SPECIAL, -1.0, 1.0),
        s.sample([[1.0], [2.0]], [0.5, 1.5], 3.0), s.sample(np.zeros(0, np.float32), 0.0, 1.0),
    ],
    doc="`x` limited to the range from `low` to `high`.", total=totality.elementwise, native=True,
)  # fmt: skip


def clip_by_value(
    t: TensorLike, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None
) -> Tensor:
    """`t` limited to the range from `clip_value_min` to `clip_value_max`, which broadcast."""
    return clip_op(t, clip_value_min, clip_value_max, name=name)


def _infer_round(x: Type, decimals: int = 0) -> Type:
    require_kind(x, "iufc" if decimals else "biufc")
    return Type(elementwise(np.rint)(x).dtype if x.dtype.kind == "b" else x.dtype, x.shape)


round_op = op(
    "round", infer=_infer_round,
    numpy=kernels.round_half_to_even, gradient=NOT_DIFFERENTIABLE,
    samples=lambda: [
        s.sample([0.5, 1.5, -2.5, 2.4]), s.sample([1, -2]), s.sample(np.float64(1.25), decimals=1), s.sample(s.SPECIAL),
        s.sample(np.zeros((0, 1), np.float16)), s.sample([123, 155], decimals=-1), s.sample(s.COMPLEX),
    ],
    doc="Rounded to the nearest whole number (or to `decimals` places), halves to even; integers stay integers.",
    native=True, attributes=kinds("decimals"),
)  # fmt: skip


def round(x: TensorLike, name: str | None = None) -> Tensor:
    """`x` rounded to whole numbers, halves to even, in the dtype of `x`."""
    return round_op(x, name=name)


def _infer_add_n(*types: Type) -> Type:
    require_kind(types[0], "iufcS", "a term")
    return Type(types[0].dtype, broadcast(*[each.shape for each in types]))


add_n_op = op(
    "add_n", infer=_infer_add_n,
    numpy=kernels.add_n, promote=0, numeric=True,
    gradient=lambda g, out, *inputs: tuple(sum_to(g, x) for x in inputs),
    samples=lambda: [s.sample([1.0, 2.0], [3.0, 4.0], [5.0, 6.0]), s.sample(1, 2), s.sample([1]),
                     s.sample(1.0, 2.0, 3.0)],
    doc="The sum of the inputs.", total=totality.elementwise, native=True, identities=(alone,),
)  # fmt: skip


def add_n(inputs: Sequence[Any], name: str | None = None) -> Tensor:
    """The sum of a list of tensors of one shape."""
    require(len(inputs) > 0, "add_n needs at least one tensor")
    return add_n_op(*inputs, name=name)


# Complex numbers.


def _infer_real(x: Type) -> Type:
    require_kind(x, "biufc")
    return Type(x.dtype.real_dtype, x.shape)


real = unary("real", lambda x: x.real, "The real part.", s.complexes,
             lambda g, out, x: complex(g, zeros(g)) if x.dtype.is_complex else g,
             infer=_infer_real, numpy_names=("real",), parameters="input", public="math.real")
imag = unary("imag", lambda x: x.imag, "The imaginary part; 0 for real `x`.", s.complexes,
             lambda g, out, x: complex(zeros(g), g) if x.dtype.is_complex else zeros(g), infer=_infer_real,
             numpy_names=("imag",), parameters="input", public="math.imag")  # fmt: skip
conj: Function = unary("conj", np.conjugate, "The complex conjugate.", s.numbers, lambda g, out, x: conj(g),
    op_name="conjugate", identities=(own_inverse,), public="math.conj")


def _infer_angle(x: Type) -> Type:
    return Type(elementwise(np.exp)(x).dtype.real_dtype, x.shape)


angle = unary("angle", lambda x: np.arctan2(x.imag, x.real), "The angle of a complex number, in radians.",
              s.complexes, lambda g, out, x: _angle_gradient(g, x), infer=_infer_angle,
              numpy_names=("angle",), parameters="input", public="math.angle")  # fmt: skip


def zeros(like: TensorLike) -> Any:
    """Zeros as a tensor of the same kind."""
    return FUNCTIONS["zeros_like"](like)


def _angle_gradient(g: Tensor, x: Tensor) -> Any:
    """As in TensorFlow, for complex numbers: the angle grows by moving at a right angle, more for a small `x`."""
    if not x.dtype.is_complex:
        return zeros(x)
    return -complex(g, zeros(g)) / complex(imag(x), real(x))


def _infer_complex(real: Type, imag: Type) -> Type:
    require(real.dtype.name in ("float32", "float64"), f"complex takes float32 or float64, not {real.dtype.name}")
    return Type(complex64 if real.dtype is float32 else complex128, broadcast(real.shape, imag.shape))


def _complex_kernel(real: Array, imag: Array) -> Any:
    dtype = np.complex64 if real.dtype == np.float32 else np.complex128
    result = np.empty(np.broadcast(real, imag).shape, dtype)
    result.real, result.imag = real, imag
    return result


complex_op = op(
    "complex", infer=_infer_complex, numpy=_complex_kernel, promote=0,
    gradient=lambda g, out, x, y: (sum_to(real(g), x), sum_to(imag(g), y)),
    samples=lambda: [s.sample([1.0, 2.0], [3.0, 4.0]), s.sample(np.float64(1), np.float64(2)),
                     s.sample([1.0], s.SPECIAL)],
    doc="Complex numbers from their real and imaginary parts.", total=totality.elementwise,
)  # fmt: skip


def complex(real: TensorLike, imag: TensorLike, name: str | None = None) -> Tensor:
    """Complex numbers from their real and imaginary parts (float32 gives complex64, float64 complex128)."""
    return complex_op(real, imag, name=name)


def _infer_bitcast(x: Type, dtype: DType) -> Type:
    for one in (x.dtype, dtype):
        require(one.kind in "iufc", f"bitcast is not defined for {one.name}")
    before, after = x.dtype.numpy.itemsize, dtype.numpy.itemsize
    if before == after or x.shape is None:
        return Type(dtype, x.shape)
    if before > after:
        return Type(dtype, (*x.shape, before // after))
    fits = len(x.shape) > 0 and x.shape[-1] in (after // before, None)
    require(fits, f"the last dimension has to be {after // before} to become {dtype.name}")
    return Type(dtype, x.shape[:-1])


def _bitcast(x: Array, dtype: DType) -> Any:
    before, after = x.dtype.itemsize, dtype.numpy.itemsize
    x = np.ascontiguousarray(x) if x.ndim else np.asarray(x)
    if before > after:
        return x.reshape(*x.shape, 1).view(dtype.numpy)
    return x.view(dtype.numpy)[..., 0] if before < after else x.view(dtype.numpy)


bitcast_op = op(
    "bitcast", infer=_infer_bitcast, numpy=_bitcast, lenient=True, gradient=NOT_DIFFERENTIABLE,
    samples=lambda: [s.sample([1.0, -2.5], dtype=int32), s.sample([[1, 2]], dtype=as_dtype("uint8")),
                     s.sample(np.arange(8, dtype=np.uint8).reshape(2, 4), dtype=float32), s.sample(1.5, dtype=int32),
                     s.sample(np.zeros((0, 2), np.float64), dtype=as_dtype("int64"))],
    doc="The bits of the elements taken for those of another dtype.", attributes=kinds("dtype"),
)  # fmt: skip


def bitcast(input: TensorLike, type: object, name: str | None = None) -> Tensor:
    """The bits of `input` taken for those of the dtype `type`, both of numbers.

    A smaller dtype makes a last dimension with the parts of each element, a larger one takes it away. Raises
    `InvalidArgumentError` for booleans and strings, and for a last dimension of another size.
    """
    return bitcast_op(input, dtype=as_dtype(type), name=name)


# Identity.

def _same_value(x: Tensor | Array) -> Any:
    """A view: tapes tell tensors apart by their arrays."""
    return x.view() if type(x) is np.ndarray else x


stop_gradient = unary("stop_gradient", _same_value, "The same value, through which no gradient flows.", s.numbers,
                      NOT_DIFFERENTIABLE,
                      infer=lambda x: x, parameters="input", total=totality.always, native=True,
                      identities=(first,), public="stop_gradient")  # fmt: skip

is_close_op = op(
    "isclose",
    infer=lambda x, y, rtol, atol, equal_nan: Type(bool_, elementwise(np.equal)(x, y).shape), promote=0,
    numpy=np.isclose, gradient=NOT_DIFFERENTIABLE,
    samples=lambda: [
        s.sample([1.0, 2.0], [1.0, 2.1], rtol=1e-5, atol=1e-8, equal_nan=False),
        s.sample(s.SPECIAL, s.SPECIAL, rtol=1e-5, atol=1e-8, equal_nan=True),
    ],
    doc="Whether the elements are equal within a relative and an absolute tolerance.",
    attributes=kinds("rtol atol equal_nan"),
)  # fmt: skip
