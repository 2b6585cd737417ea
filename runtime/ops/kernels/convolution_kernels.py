"""The convolution, and its adjoints with respect to the tensor and to the filters.

The convolution takes `x[batch, *lengths, groups * depth]` and filters `w[*sizes, depth, groups * number]`. It is a
matrix product: one row for each window, one column for each filter (Chellapilla et al., 2006). A part of the batch is
done at a time, so that the matrix of the windows stays in the cache. Where each channel has one filter, one place of
all windows is multiplied after the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base import threads
from ...base.dtypes import Array
from ..shape.windows import Padding, Windows

# Elements of the matrix of windows that are made at a time.
PART = 1 << 18


def _parts(batch: int, elements: int) -> Iterator[slice]:
    """Slices of the batch, each of so many examples that the matrix stays small."""
    step = max(1, PART // max(1, elements))
    for start in range(0, batch, step):
        yield slice(start, start + step)


def _filters(w: Array, groups: int) -> Any:
    """The filters as matrices `[groups, sizes * depth, number]`."""
    return w.reshape(-1, groups, w.shape[-1] // groups).transpose(1, 0, 2)


def _rows(y: Array, groups: int) -> Any:
    """A part of a result as a view `[groups, batch * windows, number]`."""
    return y.reshape(-1, groups, y.shape[-1] // groups).transpose(1, 0, 2)


def forward(x: Array, w: Array, strides: tuple[int, ...], padding: Padding, dilations: tuple[int, ...]) -> Any:
    """The convolution of `x` with the filters `w`."""
    sizes, depth = w.shape[:-2], w.shape[-2]
    windows = Windows(x.shape[1:-1], sizes, strides, dilations, padding)
    result = np.zeros((x.shape[0], *windows.counts, w.shape[-1]), x.dtype)
    if w.size == 0:
        return result
    groups = x.shape[-1] // depth
    if depth == 1 and groups == w.shape[-1]:
        padded = windows.padded(x)
        for place, index in windows.taps():
            result += padded[index] * w[place]
        return result
    view = windows.view(windows.padded(x), groups)
    matrices, width = _filters(w, groups), math.prod(sizes) * depth
    for part in _parts(x.shape[0], math.prod(windows.counts) * width * groups):
        rows = view[:, part].reshape(groups, -1, width)
        threads.matmul(rows, matrices, out=_rows(result[part], groups))
    return result


def backward_filters(
    x: Array, g: Array, shape: Any, strides: tuple[int, ...], padding: Padding, dilations: tuple[int, ...]
) -> Any:  # fmt: skip
    """The adjoint in the filters, of the given shape: `g` is like the convolution's result."""
    windows = Windows(x.shape[1:-1], shape[:-2], strides, dilations, padding)
    groups, width = x.shape[-1] // shape[-2], math.prod(shape[:-1])
    if g.size == 0 or 0 in shape:
        return np.zeros(shape, x.dtype)
    if shape[-2] == 1 and groups == shape[-1]:
        return _filters_of_channels(windows, x, g, shape)
    view = windows.view(windows.padded(x), groups)
    result = np.zeros((groups, width, shape[-1] // groups), x.dtype)
    for part in _parts(x.shape[0], math.prod(windows.counts) * width * groups):
        rows = view[:, part].reshape(groups, -1, width)
        result += threads.matmul(rows.swapaxes(1, 2), _rows(g[part], groups))
    return result.transpose(1, 0, 2).reshape(shape)


def _filters_of_channels(windows: Windows, x: Array, g: Array, shape: Any) -> Any:
    padded, result, rows = windows.padded(x), np.zeros(shape, x.dtype), g.reshape(-1, g.shape[-1])
    for place, index in windows.taps():
        result[place] = np.einsum("nc,nc->c", padded[index].reshape(rows.shape), rows)
    return result


def _turned(w: Array, groups: int) -> Any:
    """The filters of the adjoint of a convolution without strides: from the last place to the first."""
    *sizes, depth, number = w.shape
    parts = np.flip(w, tuple(range(len(sizes)))).reshape(*sizes, depth, groups, number // groups)
    return np.moveaxis(parts, -3, -1).swapaxes(-3, -2).reshape(*sizes, number // groups, groups * depth)


def backward_input(
    g: Array, w: Array, shape: Any, strides: tuple[int, ...], padding: Padding, dilations: tuple[int, ...]
) -> Any:  # fmt: skip
    """The adjoint in the tensor, of the given shape: the transposed convolution of `g`.

    It adds up products at their places. Without strides it is a convolution itself, which takes less time unless the
    result has few channels.
    """
    sizes, depth = w.shape[:-2], w.shape[-2]
    windows = Windows(shape[1:-1], sizes, strides, dilations, padding)
    groups = shape[-1] // depth
    if g.size == 0 or w.size == 0:
        return np.zeros(shape, g.dtype)
    if depth == 1 and groups == w.shape[-1]:
        padded = np.zeros((shape[0], *windows.padded_lengths, groups), g.dtype)
        for place, index in windows.taps():
            padded[index] += g * w[place]
        return np.ascontiguousarray(padded[windows.inner()])
    if max(strides) == 1 and 2 * shape[-1] >= w.shape[-1]:
        pads = [((k - 1) * d - b, (k - 1) * d - a) for k, d, (b, a) in zip(sizes, dilations, windows.pads, strict=True)]
        if min(map(min, pads)) >= 0:
            return forward(g, _turned(w, groups), strides, tuple(pads), dilations)
    matrices = _filters(w, groups).swapaxes(1, 2)
    result = np.zeros((shape[0], *windows.padded_lengths, groups, depth), g.dtype)
    for part in _parts(shape[0], math.prod(windows.counts) * math.prod(sizes) * shape[-1]):
        rows = threads.matmul(_rows(g[part], groups), matrices)
        values = rows.reshape(groups, *g[part].shape[:-1], *sizes, depth)
        target = result[part]
        for place, index in windows.taps():
            target[index] += np.moveaxis(values[(..., *place, slice(None))], 0, -2)
    return result[windows.inner()].reshape(shape)
