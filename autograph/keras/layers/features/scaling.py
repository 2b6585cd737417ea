"""`Normalization`: numbers with mean 0 and variance 1."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.data.dataset import Dataset
from autograph.errors import InvalidArgumentError, InvalidTypeError
from autograph.runtime.ops.elementwise.elementwise import cast
from autograph.runtime.ops.elementwise.math import maximum, sqrt
from autograph.runtime.ops.shape.shape import reshape

from ...base.defaults import epsilon
from ...base.layer import Layer
from .base import batches_of, is_whole

if TYPE_CHECKING:
    from autograph.runtime.tensors.tensor import Tensor

__all__ = ["Normalization"]



class Normalization(Layer):
    """`(inputs - mean) / sqrt(variance)`, in floating numbers; with ``invert`` back from that.

    Mean and variance are given, or found by `adapt`.

    Parameters
    ----------
    axis: the axes along which each position has a mean of its own: an int, a tuple, or None for one mean of all.
    mean, variance: numbers, or arrays for the axes; both or none.
    invert: to compute `inputs * sqrt(variance) + mean`.

    Raises `ValueError` for one of mean and variance alone, for two shapes and for one with more axes than ``axis``.
    """

    def __init__(
        self, axis: Any = -1, mean: Any = None, variance: Any = None, invert: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.axis = () if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
        if (mean is None) != (variance is None):
            raise InvalidArgumentError(
                "When setting values directly, both `mean` and `variance` must be set. "
                f"Received: mean={mean} and variance={variance}"
            )
        self.input_mean, self.input_variance = mean, variance
        self._check_given(np.shape(mean), np.shape(variance))
        self.invert = invert
        self.supports_masking = True
        self._broadcast_shape: tuple[int, ...] | None = None
        self.adapt_mean: Any = None
        self.adapt_variance: Any = None

    def _check_given(self, mean: tuple[int, ...], variance: tuple[int, ...]) -> None:
        if mean != variance:
            raise InvalidArgumentError(
                "When setting values directly, `mean` and `variance` must have the same shape. "
                f"Received: mean shape {mean} and variance shape {variance}"
            )
        if len(mean) > len(self.axis):
            raise InvalidArgumentError(
                f"The rank of `mean` must be less than or equal to the number of axes ({len(self.axis)}). "
                f"Received: mean shape {mean} for axis {self.axis}"
            )

    def build(self, input_shape: Any) -> None:
        """Make the variables of mean and variance. Raises `ValueError` for axes that the inputs lack, or of unknown
        size."""
        ndim = len(input_shape)
        if any(axis < -ndim or axis >= ndim for axis in self.axis):
            raise InvalidArgumentError(
                "All `axis` values must be in the range [-ndim, ndim). "
                f"Received inputs with ndim={ndim}, while axis={self.axis}"
            )
        self._kept = tuple(sorted(axis % ndim for axis in self.axis))
        for axis in self._kept:
            if input_shape[axis] is None:
                raise InvalidArgumentError(
                    f"All `axis` values to be kept must have a known shape. Received axis={self.axis}, "
                    f"inputs.shape={tuple(input_shape)}, with unknown axis at index {axis}"
                )
        self._broadcast_shape = tuple(int(input_shape[d]) if d in self._kept else 1 for d in range(ndim))
        if self.input_mean is None:
            shape = tuple(int(input_shape[axis]) for axis in self._kept)
            self.adapt_mean = self.add_weight(shape, "zeros", trainable=False, name="mean")
            self.adapt_variance = self.add_weight(shape, "ones", trainable=False, name="variance")
            # Keras counts nothing in it; here, too, it keeps the number of weights that files have.
            self.count = self.add_weight((), "zeros", "int64", trainable=False, name="count")

    def adapt(self, data: Any) -> None:
        """Set mean and variance to those of data, in place of what they were.

        ``data``: an array or tensor; or batches: a dataset, a `PyDataset`, or an iterable of arrays. Of tuples the
        first element counts. A dataset of single vectors, of unknown batches, is batched.

        Raises `ValueError` for data without batches and for another shape than that of the inputs, `TypeError` for
        what is no data.
        """
        if not is_whole(data) and not hasattr(data, "__iter__") and not hasattr(data, "__getitem__"):
            raise InvalidTypeError(
                f"Unsupported data type: {type(data)}. `adapt` supports arrays, tensors, datasets and iterables of "
                "batches"
            )
        total: Any = 0
        mean: Any = None
        variance: Any = None
        for batch in batches_of(_batched(data)):
            self._build_for_batch(batch.shape)
            values = batch if is_whole(data) else batch.astype(self._record.dtype.numpy)
            reduced = tuple(axis for axis in range(batch.ndim) if axis not in self._kept)
            own = np.mean(values, reduced), np.var(values, reduced)
            count = math.prod(batch.shape[axis] for axis in reduced)
            total += count
            mean, variance = own if mean is None else _merged(mean, variance, *own, count / total)
        if mean is None:
            raise InvalidArgumentError("adapt() received data without batches: expected at least one")
        self.adapt_mean.assign(np.asarray(mean, self.adapt_mean.dtype.numpy))
        self.adapt_variance.assign(np.asarray(variance, self.adapt_mean.dtype.numpy))

    def _build_for_batch(self, shape: tuple[int, ...]) -> None:
        if self.input_mean is not None:
            raise InvalidArgumentError(
                f"Cannot adapt layer '{self.name}', which was given `mean` and `variance`", remedy="leave them out"
            )
        if not self.built:
            self.build(shape)
        known: Any = self._broadcast_shape
        if len(shape) != len(known) or any(shape[axis] != known[axis] for axis in self._kept):
            raise InvalidArgumentError(
                f"adapt() is being called with data with an incompatible shape, data.shape={shape}: the layer was "
                f"built for {tuple(size if axis in self._kept else None for axis, size in enumerate(known))}"
            )

    @property
    def mean(self) -> Any:
        """The mean in a shape that broadcasts with inputs; None for a layer that is not built."""
        return self._spread(self.adapt_mean, self.input_mean)

    @property
    def variance(self) -> Any:
        """The variance in a shape that broadcasts with inputs; None for a layer that is not built."""
        return self._spread(self.adapt_variance, self.input_variance)

    def _spread(self, found: Any, given: Any) -> Any:
        shape = self._broadcast_shape
        if shape is None:
            return None
        if given is None:
            return reshape(found, list(shape))
        values = np.asarray(given)
        sizes = [1] * len(shape)
        for number in range(1, values.ndim + 1):
            sizes[self._kept[-number]] = values.shape[-number]
        return cast(np.broadcast_to(values.reshape(sizes), shape), self._record.dtype)

    def call(self, inputs: Tensor) -> Any:
        """The scaled inputs, in their shape and the layer's dtype."""
        inputs = cast(inputs, self._record.dtype)
        deviation = maximum(sqrt(self.variance), epsilon())
        return self.mean + inputs * deviation if self.invert else (inputs - self.mean) / deviation

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the inputs."""
        return input_shape

    def get_config(self) -> dict[str, Any]:
        given = {"mean": np.array(self.input_mean).tolist(), "variance": np.array(self.input_variance).tolist()}
        return {**super().get_config(), "axis": self.axis, "invert": self.invert, **given}

    settings = ()


def _batched(data: Any) -> Any:
    if isinstance(data, Dataset):
        spec = data.element_spec
        shape = (spec[0] if isinstance(spec, tuple) else spec).shape
        if shape.rank == 1:
            return data.batch(128)
    return data


def _merged(mean: Any, variance: Any, new_mean: Any, new_variance: Any, share: float) -> tuple[Any, Any]:
    """Mean and variance of two parts together, of which the second is a share: Chan et al., 1979."""
    rest = 1.0 - share
    merged = mean * rest + new_mean * share
    spread = (variance + (mean - merged) ** 2) * rest + (new_variance + (new_mean - merged) ** 2) * share
    return merged, spread
