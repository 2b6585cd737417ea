"""Short-time spectra, cosine transforms, and the scale of pitches that ears hear."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.dtypes import as_dtype
from ...tensors.convert import constant, convert_to_tensor
from ...tensors.likes import DTypeLike, TensorLike
from ..infer import require
from ..linalg.linalg import tensordot
from ..reduce.reduce import reduce_sum
from ..shape.joining import pad, tile
from ..shape.shape import reshape
from .frames import frame, hann_window, overlap_and_add
from .transforms import crop_or_pad, irfft, rfft

if TYPE_CHECKING:
    from ...tensors.tensor import Tensor

__all__ = ["dct", "idct", "inverse_stft", "inverse_stft_window_fn", "linear_to_mel_weight_matrix",
           "mfccs_from_log_mel_spectrograms", "stft"]  # fmt: skip

Window = Callable[..., Any] | None


def _power_of_two(length: int) -> int:
    return 1 << max(0, int(length) - 1).bit_length()


def stft(signals: TensorLike, frame_length: int, frame_step: int, fft_length: int | None = None,
         window_fn: Window = hann_window, pad_end: bool = False, name: str | None = None) -> Tensor:  # fmt: skip
    """The short-time Fourier transform: (…, n) to (…, frames, fft_length // 2 + 1) complex numbers.

    ``fft_length``: the power of two from ``frame_length`` on when left out. ``window_fn``: called with the length and
    ``dtype=``, gives what frames are multiplied by; None is nothing. ``pad_end`` is as in `frame`. Raises
    `InvalidArgumentError` for signals that are not float32 or float64.
    """
    x = convert_to_tensor(signals)
    frames = frame(x, frame_length, frame_step, pad_end)
    if window_fn is not None:
        frames = frames * window_fn(frame_length, dtype=frames.dtype)
    return rfft(frames, [_power_of_two(frame_length) if fft_length is None else fft_length])


def inverse_stft(stfts: TensorLike, frame_length: int, frame_step: int, fft_length: int | None = None,
                 window_fn: Window = hann_window, name: str | None = None) -> Tensor:  # fmt: skip
    """The signals of short-time spectra: (…, frames, fft_length // 2 + 1) to (…, n) real numbers.

    It is exact with `inverse_stft_window_fn` for ``window_fn``, where all of the signal is in windows.
    """
    frames = irfft(stfts, [_power_of_two(frame_length) if fft_length is None else fft_length])
    frames = crop_or_pad(frames, [int(frame_length)])
    if window_fn is not None:
        frames = frames * window_fn(frame_length, dtype=frames.dtype)
    return overlap_and_add(frames, frame_step)


def inverse_stft_window_fn(frame_step: int, forward_window_fn: Callable[..., Any] = hann_window,
                           name: str | None = None) -> Callable[..., Any]:  # fmt: skip
    """A function that gives the window for `inverse_stft`, by the one that `stft` has had."""

    def inverse_window(frame_length: int, dtype: DTypeLike) -> Any:
        forward = forward_window_fn(frame_length, dtype=dtype)
        overlaps = -(-frame_length // frame_step)
        squares = pad(forward * forward, [[0, overlaps * frame_step - frame_length]])
        sums = reduce_sum(reshape(squares, [overlaps, frame_step]), 0, keepdims=True)
        return forward / reshape(tile(sums, [overlaps, 1]), [-1])[:frame_length]

    return inverse_window


def _check_dct(x: Tensor, type: int, n: int | None, axis: int, norm: str | None) -> None:
    require(x.dtype.name in ("float32", "float64"), f"dct is for float32 and float64, not {x.dtype.name}")
    require(axis == -1, f"axis must be -1. Got: {axis}")
    require(type in (1, 2, 3, 4), "Types I, II, III and IV (I)DCT are supported.")
    require(norm in (None, "ortho"), f"Unknown normalization. Expected None or 'ortho', got: {norm}")
    require(n is None or n >= 1, f"n should be an integer greater than 1 or None, not {n}")
    require(not (type == 1 and norm), "Normalization is not supported for the Type-I DCT.")


def _cosines(size: int, type: int, norm: str | None) -> Any:
    """The matrix of a cosine transform: a row for each input, a column for each output."""
    n, k = np.arange(size)[:, None], np.arange(size)[None]
    if type == 1:
        ends = np.where((n == 0) | (n == size - 1), 1, 2)
        return ends * np.cos(math.pi * k * n / (size - 1))
    if type == 4:
        return 2 * np.cos(math.pi * (2 * k + 1) * (2 * n + 1) / (4 * size)) * (math.sqrt(0.5 / size) if norm else 1)
    one, other = (n, k) if type == 2 else (k, n)
    found = 2 * np.cos(math.pi * other * (2 * one + 1) / (2 * size))
    if norm:
        return found * np.where(other == 0, math.sqrt(0.25 / size), math.sqrt(0.5 / size))
    return found if type == 2 else np.where(n == 0, 0.5, 1) * found


def dct(input: TensorLike, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None,
        name: str | None = None) -> Tensor:  # fmt: skip
    """The discrete cosine transform of the last axis, of type 1, 2, 3 or 4, of the same shape: a product of matrices.

    ``n``: the axis is cut off or filled up with zeros to this length before. ``norm="ortho"``: the transform keeps
    lengths. Raises `InvalidArgumentError` for other words, types and dtypes, and a length that is not known.
    """
    x = convert_to_tensor(input)
    _check_dct(x, type, n, axis, norm)
    x = x if n is None else crop_or_pad(x, [n])
    size = x.shape[-1]
    require(size is not None, "dct needs to know the length of the last axis: give n")
    require(type != 1 or size > 1, "Dimension must be greater than one for the Type-I DCT.")
    return tensordot(x, constant(_cosines(size, type, norm).astype(x.dtype.numpy)), 1)


def idct(input: TensorLike, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None,
         name: str | None = None) -> Tensor:  # fmt: skip
    """The transform that undoes `dct` but for a factor (with ``norm="ortho"`` exactly): types 2 and 3 are each other's.

    Raises as `dct`, and for an ``n``.
    """
    require(n is None, f"n is None for idct, not {n}")
    return dct(input, {2: 3, 3: 2}.get(type, type), None, axis, norm, name)


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: TensorLike, name: str | None = None) -> Tensor:
    """The mel-frequency cepstral coefficients of the logarithms of spectra on the mel scale, (…, bins) to (…, bins).

    Raises `InvalidArgumentError` for a number of bins that is not known, or 0.
    """
    x = convert_to_tensor(log_mel_spectrograms)
    bins = x.shape[-1]
    require(bins is not None and bins > 0, f"num_mel_bins must be known and above 0, not {bins}")
    return dct(x) * np.asarray(1 / math.sqrt(2 * bins), x.dtype.numpy)


def _mel(hertz: Any) -> Any:
    return 1127.0 * np.log1p(np.asarray(hertz) / 700.0)


def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20, num_spectrogram_bins: int = 129, sample_rate: float = 8000, lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0, dtype: DTypeLike = "float32", name: str | None = None
) -> Tensor:  # fmt: skip
    """The matrix (num_spectrogram_bins, num_mel_bins) that makes bins of the mel scale of linear ones, by triangles.

    The scale is that of HTK, ``1127 * log(1 + hertz / 700)``; the bin of 0 Hz counts nowhere. Raises
    `InvalidArgumentError` for numbers that do not fit, and a dtype that is not floating.
    """
    dtype = as_dtype(dtype)
    require(num_mel_bins > 0, f"num_mel_bins must be positive. Got: {num_mel_bins}")
    require(lower_edge_hertz >= 0, f"lower_edge_hertz must be non-negative. Got: {lower_edge_hertz}")
    require(lower_edge_hertz < upper_edge_hertz, f"lower_edge_hertz {lower_edge_hertz} >= upper_edge_hertz "
            f"{upper_edge_hertz}")  # fmt: skip
    require(sample_rate > 0, f"sample_rate must be positive. Got: {sample_rate}")
    require(upper_edge_hertz <= sample_rate / 2, "upper_edge_hertz must not be larger than the Nyquist frequency "
            f"(sample_rate / 2). Got {upper_edge_hertz} for sample_rate: {sample_rate}")  # fmt: skip
    require(dtype.is_floating, f"dtype must be a floating point type. Got: {dtype.name}")
    bins = _mel(np.linspace(0.0, sample_rate / 2, num_spectrogram_bins)[1:])[:, None]
    edges = np.linspace(_mel(lower_edge_hertz), _mel(upper_edge_hertz), num_mel_bins + 2)
    lower, center, upper = (edges[i : i + num_mel_bins][None] for i in range(3))
    weights = np.maximum(0, np.minimum((bins - lower) / (center - lower), (upper - bins) / (upper - center)))
    return constant(np.pad(weights, [[1, 0], [0, 0]]).astype(dtype.numpy))
