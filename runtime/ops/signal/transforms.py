"""Fourier transforms of one, two or three axes, and what moves their halves.

The last axes are transformed. Those of real numbers keep the first half of the last axis, ``n // 2 + 1`` numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError, InvalidTypeError

from ...base.dtypes import Array, DType, complex64, complex128, float32, float64
from ...ir.graph import Type
from ...ir.kinds import BOOL, INT, is_variable, kinds
from ...ir.op import op
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import TensorLike
from ...tensors.tensor import Tensor
from ...tensors.trace import static_value
from ..elementwise.elementwise import cast, real
from ..infer import at_least, product, require, require_kind
from ..kernels import samples as s
from ..shape.create import range as steps
from ..shape.create import zeros
from ..shape.joining import concat, pad
from ..shape.shape import ensure_shape, roll, shape

__all__ = ["crop_or_pad", "fftshift", "ifftshift", "irfft", "irfft2d", "irfft3d", "rfft", "rfft2d", "rfft3d"]

_COMPLEX = {float32: complex64, float64: complex128}
_REAL = {complex64: float32, complex128: float64}


def _axes(count: int) -> tuple[int, ...]:
    return tuple(range(-count, 0))


def _not_empty(x: Array, count: int) -> None:
    require(0 not in x.shape[-count:], f"the axes of a Fourier transform are not empty, as those of {x.shape} are")


def _infer_complex(x: Type, axes: int, inverse: bool) -> Type:
    require(x.dtype in _REAL, f"complex numbers are transformed, not {x.dtype.name}: tf.cast(x, tf.complex64), or "
            "tf.signal.rfft for real ones")  # fmt: skip
    at_least(x.shape, axes, "the input")
    return x


def _transformed(x: Array, axes: int, inverse: bool) -> Array:
    x = np.asarray(x)
    _not_empty(x, axes)
    found = (np.fft.ifftn if inverse else np.fft.fftn)(x, axes=_axes(axes))
    return found.astype(x.dtype, copy=False)


def _size(x: Tensor, axes: int, like: Tensor) -> Any:
    """The number of elements along the last axes."""
    known = product((x.static_shape or (None,))[-axes:])
    if known is not None:
        return np.asarray(known, like.dtype.numpy)
    sizes = shape(x)[-axes:]
    found = sizes[0]
    for i in range(1, axes):
        found = found * sizes[i]
    return cast(found, like.dtype)


def _gradient(g: Tensor, out: Tensor, x: Tensor, axes: int, inverse: bool) -> tuple[Any]:
    back = TRANSFORM(g, axes=axes, inverse=not inverse)
    return (back / _size(x, axes, g) if inverse else back * _size(x, axes, g),)


def _complex_samples() -> list[Any]:
    x = (np.arange(24) - 7 + 1j * (np.arange(24) % 5)).astype(np.complex64)
    wide = x.reshape(2, 12).astype(np.complex128)
    return [s.sample(x[:5], axes=1, inverse=False), s.sample(wide, axes=1, inverse=True),
            s.sample(x.reshape(2, 4, 3), axes=2, inverse=False),
            s.sample(x.reshape(2, 3, 4), axes=3, inverse=True)]  # fmt: skip


TRANSFORM = op("fft", tensorflow_name="FFT", infer=_infer_complex, numpy=_transformed, gradient=_gradient, fresh=True,
               samples=_complex_samples, raises=(InvalidArgumentError,), attributes=kinds("", axes=INT, inverse=BOOL),
               doc="The discrete Fourier transform of the last axes, or its inverse.")  # fmt: skip


def _infer_real(x: Type, axes: int) -> Type:
    require(x.dtype in _COMPLEX, f"float32 and float64 are transformed, not {x.dtype.name}")
    at_least(x.shape, axes, "the input")
    if x.shape is None:
        return Type(_COMPLEX[x.dtype], None)
    last = x.shape[-1]
    return Type(_COMPLEX[x.dtype], (*x.shape[:-1], None if last is None else last // 2 + 1))


def _of_real(x: Array, axes: int) -> Array:
    _not_empty(x, axes)
    return np.fft.rfftn(x, axes=_axes(axes)).astype(_COMPLEX[_dtype(x)].numpy, copy=False)


def _dtype(x: Array) -> Any:
    return float32 if x.dtype == np.float32 else float64


def _real_gradient(g: Tensor, out: Tensor, x: Tensor, axes: int) -> tuple[Any]:
    missing = shape(x)[-1] - shape(g)[-1]
    whole = concat([g, zeros(concat([shape(g)[:-1], [missing]], 0), g.dtype)], -1)
    found = real(TRANSFORM(whole, axes=axes, inverse=True)) * _size(x, axes, x)
    return (found,)


def _real_samples() -> list[Any]:
    x = ((np.arange(24) * 7 % 11) / 4 - 1).astype(np.float32)
    return [s.sample(x[:5], axes=1), s.sample(x[:8].astype(np.float64), axes=1), s.sample(x.reshape(2, 4, 3), axes=2),
            s.sample(x.reshape(2, 3, 4), axes=3), s.sample(x.reshape(6, 4), axes=1)]  # fmt: skip


RFFT = op("rfft", tensorflow_name="RFFT", infer=_infer_real, numpy=_of_real, gradient=_real_gradient, fresh=True,
          samples=_real_samples, raises=(InvalidArgumentError,), attributes=kinds("", axes=INT),
          doc="The first half of the discrete Fourier transform of real numbers.")  # fmt: skip


def _infer_inverse(x: Type, axes: int, odd: bool) -> Type:
    require(x.dtype in _REAL, f"complex64 and complex128 are transformed back, not {x.dtype.name}")
    at_least(x.shape, axes, "the input")
    if x.shape is None:
        return Type(_REAL[x.dtype], None)
    last = x.shape[-1]
    return Type(_REAL[x.dtype], (*x.shape[:-1], None if last is None else 2 * (last - 1) + odd))


def _to_real(x: Array, axes: int, odd: bool) -> Array:
    _not_empty(x, axes)
    length = 2 * (x.shape[-1] - 1) + odd
    require(length > 0, "the inverse of one number has no length: give fft_length")
    sizes = (*x.shape[x.ndim - axes : -1], length)
    found = np.fft.irfftn(x, s=sizes, axes=_axes(axes))
    return found.astype(np.float32 if x.dtype == np.complex64 else np.float64, copy=False)


def _inverse_gradient(g: Tensor, out: Tensor, x: Tensor, axes: int, odd: bool) -> tuple[Any]:
    # All but the first number, and of an even length the last one, stand for two.
    count = shape(x)[-1]
    place = steps(count)
    single = (place == 0) if odd else (place == 0) | (place == count - 1)
    weights = 2 - cast(single, g.dtype)
    return (RFFT(g, axes=axes) * cast(weights / _size(g, axes, g), x.dtype),)


def _inverse_samples() -> list[Any]:
    x = ((np.arange(24) * 7 % 11) - 4 + 1j * (np.arange(24) % 5)).astype(np.complex64) / 4
    return [s.sample(x[:5], axes=1, odd=False), s.sample(x[:4].astype(np.complex128), axes=1, odd=True),
            s.sample(x.reshape(2, 4, 3), axes=2, odd=False),
            s.sample(x.reshape(2, 3, 4), axes=3, odd=True)]  # fmt: skip


IRFFT = op("irfft", tensorflow_name="IRFFT", infer=_infer_inverse, numpy=_to_real, gradient=_inverse_gradient,
           fresh=True, samples=_inverse_samples, raises=(InvalidArgumentError,),
           attributes=kinds("", axes=INT, odd=BOOL),
           doc="The real numbers whose Fourier transform begins with the input.")  # fmt: skip


def _given(x: TensorLike, dtype: DType) -> Tensor:
    """A tensor as it is; what is none in a dtype, as TensorFlow converts it."""
    return convert_to_tensor(x) if isinstance(x, Tensor) or is_variable(x) else cast(convert_to_tensor(x), dtype)


def _complex_function(name: str, axes: int, inverse: bool) -> Callable[..., Any]:
    words = {1: "the last axis", 2: "the last two axes", 3: "the last three axes"}[axes]

    def transform(input: TensorLike, name: str | None = None) -> Any:
        return TRANSFORM(_given(input, complex64), axes=axes, inverse=inverse, name=name)

    kind = "inverse discrete" if inverse else "discrete"
    transform.__doc__ = f"""The {kind} Fourier transform of {words}, of the same shape.

    Takes tensors of complex64 and complex128; of arrays and lists the result is complex64. Raises
    `InvalidArgumentError` for tensors of other dtypes, and for empty axes.
    """
    transform.__name__ = transform.__qualname__ = name
    return transform


fft, ifft = _complex_function("fft", 1, False), _complex_function("ifft", 1, True)
fft2d, ifft2d = _complex_function("fft2d", 2, False), _complex_function("ifft2d", 2, True)
fft3d, ifft3d = _complex_function("fft3d", 3, False), _complex_function("ifft3d", 3, True)
__all__ += ["fft", "fft2d", "fft3d", "ifft", "ifft2d", "ifft3d"]


def _lengths(fft_length: TensorLike | None, axes: int) -> list[int] | None:
    if fft_length is None:
        return None
    values = static_value(convert_to_tensor(fft_length, dtype="int32"))
    if values is None:
        raise InvalidTypeError("fft_length is known only when the graph runs; it is part of the shape of the result",
                               remedy="give it as a number of Python's")  # fmt: skip
    require(values.shape == (axes,), f"fft_length has {axes} numbers, not the shape {values.shape}")
    return [int(value) for value in values]


def crop_or_pad(x: Tensor, sizes: list[int]) -> Any:
    """The last axes cut off at some sizes, or filled up with zeros behind."""
    rank = len(x.shape)
    for axis, size in enumerate(sizes, rank - len(sizes)):
        known = x.shape[axis]
        if known == size:
            continue
        x = x[(*[slice(None)] * axis, slice(size))]
        missing = size - (shape(x)[axis] if known is None else min(known, size))
        x = pad(x, [[0, missing if i == axis else 0] for i in range(rank)])
    return ensure_shape(x, (*[None] * (rank - len(sizes)), *sizes))


def _rfft(input_tensor: TensorLike, fft_length: TensorLike | None, axes: int, name: str | None) -> Any:
    x = _given(input_tensor, float32)
    require_kind(x, "f", "the input")
    lengths = _lengths(fft_length, axes)
    return RFFT(x if lengths is None else crop_or_pad(x, lengths), axes=axes, name=name)


def _irfft(input_tensor: TensorLike, fft_length: TensorLike | None, axes: int, name: str | None) -> Any:
    x = _given(input_tensor, complex64)
    lengths = _lengths(fft_length, axes)
    if lengths is None:
        return IRFFT(x, axes=axes, odd=False, name=name)
    return IRFFT(crop_or_pad(x, [*lengths[:-1], lengths[-1] // 2 + 1]), axes=axes, odd=bool(lengths[-1] % 2), name=name)


def rfft(input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None) -> Any:
    """The Fourier transform of real numbers along the last axis: (…, n) to (…, n // 2 + 1) complex numbers.

    ``fft_length``: one number, to which the axis is cut off or filled up with zeros before. Arrays and lists are
    float32. Raises `InvalidArgumentError` for tensors of other dtypes than float32 and float64, and for empty axes.
    """
    return _rfft(input_tensor, fft_length, 1, name)


def rfft2d(input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None) -> Any:
    """`rfft` of the last two axes: (…, m, n) to (…, m, n // 2 + 1). ``fft_length``: two numbers."""
    return _rfft(input_tensor, fft_length, 2, name)


def rfft3d(input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None) -> Any:
    """`rfft` of the last three axes. ``fft_length``: three numbers."""
    return _rfft(input_tensor, fft_length, 3, name)


def irfft(input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None) -> Any:
    """The real numbers of whose transform the last axis is the first half: (…, n) to (…, 2 * (n - 1)).

    ``fft_length``: one number, the length of the result. Raises `InvalidArgumentError` for other dtypes than complex64
    and complex128, and for empty axes.
    """
    return _irfft(input_tensor, fft_length, 1, name)


def irfft2d(input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None) -> Any:
    """`irfft` of the last two axes. ``fft_length``: two numbers."""
    return _irfft(input_tensor, fft_length, 2, name)


def irfft3d(input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None) -> Any:
    """`irfft` of the last three axes. ``fft_length``: three numbers."""
    return _irfft(input_tensor, fft_length, 3, name)


def _shifted(x: TensorLike, axes: Any, back: bool) -> Any:
    x = convert_to_tensor(x)
    rank = len(x.shape)
    chosen = list(range(rank)) if axes is None else [axes] if isinstance(axes, int) else list(axes)
    sizes = [shape(x)[axis] if x.shape[axis] is None else x.shape[axis] for axis in chosen]
    return roll(x, [-(size // 2) if back else size // 2 for size in sizes], [axis % rank for axis in chosen])


def fftshift(x: TensorLike, axes: Any = None, name: str | None = None) -> Any:
    """The halves of axes exchanged, so that frequency 0 is in the middle; of all axes when ``axes`` is left out."""
    return _shifted(x, axes, False)


def ifftshift(x: TensorLike, axes: Any = None, name: str | None = None) -> Any:
    """What undoes `fftshift`."""
    return _shifted(x, axes, True)
