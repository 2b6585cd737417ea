"""`Discretization`: numbers as the bins that they fall into."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import InvalidArgumentError
from autograph.runtime.ops.elementwise.elementwise import cast
from autograph.runtime.ops.shape.sort import searchsorted

from .base import FeatureLayer, batches_of, check_dense, check_mode
from .categories import encoded

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import DTypeLike
    from autograph.runtime.tensors.tensor import Tensor

__all__ = ["Discretization"]


class Discretization(FeatureLayer):
    """The number of the bin of each input: 0 below the first boundary, i from boundary i - 1 on.

    Parameters
    ----------
    bin_boundaries: in ascending order; or else
    num_bins: how many there are to be; `adapt` finds boundaries between bins of as many numbers.
    epsilon: how exact `adapt` is: by a share of all numbers.
    output_mode: "int", or as in `CategoryEncoding`.

    Raises `ValueError` for another mode, a negative number of bins, and for both or none of boundaries and bins.
    """

    def __init__(
        self, bin_boundaries: Any = None, num_bins: int | None = None, epsilon: float = 0.01, output_mode: str = "int",
        sparse: bool = False, dtype: DTypeLike | None = None, name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(name=name, dtype=dtype)
        check_mode(self, output_mode, ("int", "one_hot", "multi_hot", "count"))
        check_dense(sparse)
        if num_bins is not None and num_bins < 0:
            raise InvalidArgumentError(
                f"`num_bins` must be greater than or equal to 0. Received: `num_bins={num_bins}`"
            )
        if (num_bins is None) == (bin_boundaries is None):
            raise InvalidArgumentError(
                "You need to set either `num_bins` or `bin_boundaries`, and not both. "
                f"Received: `num_bins={num_bins}` and `bin_boundaries={bin_boundaries}`"
            )
        self.bin_boundaries = bin_boundaries
        self.num_bins = num_bins
        self.epsilon = epsilon
        self.output_mode = output_mode
        self.sparse = sparse
        self.built = True
        self.reset_state()

    def adapt(self, data: Any, steps: int | None = None) -> None:
        """Find the boundaries: quantiles of data, up to a share of ``epsilon``.

        ``data``: an array or tensor, or an iterable of batches, such as a dataset, of which ``steps`` are read.
        Raises `ValueError` for a layer that was given its boundaries.
        """
        if self.num_bins is None:
            raise InvalidArgumentError(
                "Cannot adapt a Discretization layer that has been initialized with `bin_boundaries`, use `num_bins` "
                "instead."
            )
        self.reset_state()
        for batch in batches_of(data, steps):
            self.update_state(batch)
        self.finalize_state()

    def reset_state(self) -> None:
        """Forget the data seen."""
        self.summary = np.zeros((2, 0), np.float32)

    def update_state(self, data: Any) -> None:
        """See more data."""
        self.summary = _merge(_summary(np.asarray(data, np.float32), self.epsilon), self.summary, self.epsilon)

    def finalize_state(self) -> None:
        """Set the boundaries to those of the data seen."""
        if self.num_bins is not None:
            self.bin_boundaries = _compressed(self.summary, 1.0 / self.num_bins)[0, :-1].tolist()

    def call(self, inputs: Tensor) -> Any:
        """The bins (int32), or vectors in the layer's dtype. Raises `ValueError` when there are no boundaries yet."""
        if self.bin_boundaries is None:
            raise InvalidArgumentError(
                "You need to either pass the `bin_boundaries` argument at construction time or call `adapt(dataset)` "
                "before you can start using the `Discretization` layer."
            )
        values = inputs if inputs.dtype.is_floating else cast(inputs, "float32")
        bins = searchsorted(np.asarray(self.bin_boundaries, values.dtype.numpy), values, "right")
        dtype = "int32" if self.output_mode == "int" else self._record.dtype
        return encoded(bins, self.output_mode, len(self.bin_boundaries) + 1, dtype)

    def get_config(self) -> dict[str, Any]:
        return {
            "bin_boundaries": None if self.bin_boundaries is None else [float(each) for each in self.bin_boundaries],
            "num_bins": self.num_bins, "epsilon": self.epsilon, "output_mode": self.output_mode, "sparse": self.sparse,
            "name": self.name, "dtype": self.dtype,
        }  # fmt: skip

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A layer for what `get_config` gave, with the boundaries that `adapt` had found."""
        if config.get("num_bins") is None:
            return cls(**config)
        layer = cls(**{**config, "bin_boundaries": None})
        layer.bin_boundaries = config.get("bin_boundaries")
        return layer


# Summaries are arrays (2, n): numbers in ascending order, and how many numbers of the data each stands for.


def _summary(values: Any, epsilon: float) -> Any:
    """Numbers of the data at even steps, about 1 / epsilon of them."""
    ordered = np.sort(values.reshape(-1))
    step = max(ordered.size * epsilon, 1)
    taken = ordered[int(step - 1) :: int(step)]
    return np.stack([taken, np.ones_like(taken) * step])


def _merge(first: Any, second: Any, epsilon: float) -> Any:
    both = np.concatenate((first, second), 1)
    return _compressed(both[:, np.argsort(both[0])], epsilon)


def _compressed(summary: Any, epsilon: float) -> Any:
    """A summary by about 1 / epsilon numbers, at even parts of the weight."""
    if summary.shape[1] * epsilon < 1:
        return summary
    parts = epsilon + np.arange(0.0, 1.0, epsilon)
    weights = summary[1].cumsum()
    numbers = np.interp(parts, weights / weights[-1], summary[0])
    weights = np.interp(parts, weights / weights[-1], weights)
    return np.stack((numbers, np.diff(weights, prepend=0))).astype(np.float32)
