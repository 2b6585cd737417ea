"""Initial values of weights.

An initializer is called with a shape and a dtype (float32) and returns a tensor. One that draws random numbers has a
seed, from which it draws anew at each call: two calls for the same shape give the same numbers. Without a seed it
takes one from the generator that `tf.random.set_seed` restarts. The numbers are NumPy's, the distributions Keras's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import InvalidArgumentError, UnimplementedError
from autograph.runtime.base.dtypes import as_dtype
from autograph.runtime.base.shapes import as_shape
from autograph.runtime.ops.elementwise.elementwise import cast
from autograph.runtime.ops.elementwise.math import sign
from autograph.runtime.ops.linalg.decompose import qr
from autograph.runtime.ops.linalg.diagonals import diag_part
from autograph.runtime.ops.linalg.linalg import adjoint
from autograph.runtime.ops.random import random
from autograph.runtime.ops.shape.create import eye, fill
from autograph.runtime.ops.shape.shape import broadcast_to, reshape
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.runtime.tensors.tensor import Tensor
from autograph.tracebacks import leaving

from .base.absent import refusing
from .base.defaults import floatx
from .base.registry import Registry, snake_case

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import DTypeLike, ShapeLike

__all__ = [
    "Constant", "GlorotNormal", "GlorotUniform", "HeNormal", "HeUniform", "Identity", "Initializer", "LecunNormal",
    "LecunUniform", "Ones", "Orthogonal", "RandomNormal", "RandomUniform", "TruncatedNormal", "VarianceScaling",
    "Zeros", "deserialize", "get", "serialize",
]  # fmt: skip
__dir__ = __all__.copy
if not TYPE_CHECKING:
    __getattr__ = refusing(__name__)

# The standard deviation of a standard normal distribution that is cut off at two of them.
TRUNCATED_DEVIATION = 0.87962566103423978


class Initializer:
    """What gives weights their first values; subclasses define ``__call__(shape, dtype=None)`` and `get_config`."""

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> Any:
        """A tensor of the given shape and dtype."""
        raise UnimplementedError("Initializer subclasses must implement the `__call__()` method.")

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal initializer."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """An initializer with the arguments that `get_config` returned."""
        return cls(**config)

    def clone(self) -> Any:
        """Another initializer with the same arguments."""
        return self.__class__.from_config(self.get_config())


def _dtype(dtype: DTypeLike | None) -> Any:
    return as_dtype(floatx() if dtype is None else dtype)


def _dims(shape: ShapeLike) -> list[int]:
    """A shape as a list of whole numbers. Raises `ValueError` when one is not known."""
    dims = as_shape(shape)
    if dims is None or None in dims:
        raise InvalidArgumentError(f"weights need a shape with known dimensions, not {shape}")
    return list(dims)  # type: ignore[arg-type]


class Zeros(Initializer):
    """All zero (False)."""

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return fill(_dims(shape), cast(0, _dtype(dtype)))


class Ones(Initializer):
    """All one (True)."""

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return fill(_dims(shape), cast(1, _dtype(dtype)))


class Constant(Initializer):
    """A value everywhere; an array is broadcast to the shape."""

    def __init__(self, value: object = 0.0) -> None:
        self.value = value

    def __call__(self, shape: ShapeLike, dtype: Any = None) -> Any:
        target = _dtype(dtype)
        value = cast(convert_to_tensor(self.value, dtype_hint=target), target)
        return broadcast_to(value, _dims(shape))

    def get_config(self) -> dict[str, Any]:
        value = self.value
        return {"value": np.asarray(value).tolist() if isinstance(value, np.ndarray | np.generic | Tensor) else value}


class Identity(Initializer):
    """The identity matrix, times `gain`. Raises `ValueError` for a shape of another rank than two."""

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def __call__(self, shape: ShapeLike, dtype: Any = None) -> Any:
        dims = _dims(shape)
        if len(dims) != 2:
            raise InvalidArgumentError(
                "Identity matrix initializer can only be used for 2D matrices. "
                f"Received: shape={tuple(dims)} of rank {len(dims)}."
            )
        return eye(dims[0], dims[1], dtype=_dtype(dtype)) * self.gain

    def get_config(self) -> dict[str, Any]:
        return {"gain": self.gain}


class RandomInitializer(Initializer):
    """What random initializers share: the seed, an integer or ``None``."""

    def __init__(self, seed: int | None = None) -> None:
        if seed is not None and not isinstance(seed, int | np.integer):
            raise InvalidArgumentError(f"`seed` argument should be an integer. Received: seed={seed}")
        self._given = None if seed is None else int(seed)
        self.seed = random.fresh_seed(None)[0] if seed is None else int(seed)

    @property
    def _pair(self) -> Any:
        """The seed for stateless functions."""
        return np.array([self.seed, 0], np.int64)

    def get_config(self) -> dict[str, Any]:
        return {"seed": self._given}


class RandomNormal(RandomInitializer):
    """Normally distributed numbers."""

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        super().__init__(seed)
        self.mean = mean
        self.stddev = stddev

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return random.stateless_normal(_dims(shape), self._pair, self.mean, self.stddev, _dtype(dtype))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "mean": self.mean, "stddev": self.stddev}


class TruncatedNormal(RandomNormal):
    """Normally distributed numbers; those beyond two standard deviations are drawn again."""

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return random.stateless_truncated_normal(_dims(shape), self._pair, self.mean, self.stddev, _dtype(dtype))


class RandomUniform(RandomInitializer):
    """Numbers uniform from `minval` up to `maxval`."""

    def __init__(self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None) -> None:
        super().__init__(seed)
        self.minval = minval
        self.maxval = maxval

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return random.stateless_uniform(_dims(shape), self._pair, self.minval, self.maxval, _dtype(dtype))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "minval": self.minval, "maxval": self.maxval}


def compute_fans(
    shape: Sequence[int], input_axes: Sequence[int] | None = None, output_axes: Sequence[int] | None = None
) -> tuple[int, int]:
    """The numbers of inputs and outputs of a unit of weights: those of a matrix's sides, or of a convolution's kernel.

    >>> compute_fans((3, 3, 8, 16))
    (72, 144)
    """
    if input_axes is not None and output_axes is not None:
        return math.prod(shape[i] for i in input_axes), math.prod(shape[i] for i in output_axes)
    if len(shape) < 2:
        return (shape[0], shape[0]) if shape else (1, 1)
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


class VarianceScaling(RandomInitializer):
    """Random numbers of the variance `scale / n`, where `n` is the number of inputs, of outputs, or their mean.

    Parameters
    ----------
    scale: a positive number.
    mode: "fan_in", "fan_out" or "fan_avg", which says what `n` is.
    distribution: "truncated_normal", "untruncated_normal" or "uniform", each with the mean zero.
    seed: an integer.
    input_axes, output_axes: the axes whose sizes are multiplied for the numbers of inputs and outputs.

    Raises `ValueError` for other arguments.
    """

    MODES = ("fan_in", "fan_out", "fan_avg")
    DISTRIBUTIONS = ("uniform", "truncated_normal", "untruncated_normal")

    def __init__(
        self, scale: float = 1.0, mode: str = "fan_in", distribution: str = "truncated_normal",
        seed: int | None = None, input_axes: Sequence[int] | None = None, output_axes: Sequence[int] | None = None
    ) -> None:  # fmt: skip
        if scale <= 0:
            raise InvalidArgumentError(f"Argument `scale` must be positive float. Received: scale={scale}")
        if mode not in self.MODES:
            raise InvalidArgumentError(f"Invalid `mode` argument: {mode}. Please use one of {self.MODES}")
        distribution = distribution.lower()
        distribution = "truncated_normal" if distribution == "normal" else distribution
        if distribution not in self.DISTRIBUTIONS:
            raise InvalidArgumentError(
                f"Invalid `distribution` argument: {distribution}. Please use one of {self.DISTRIBUTIONS}"
            )
        super().__init__(seed)
        self.scale = scale
        self.mode = mode
        self.distribution = distribution
        self.input_axes = input_axes
        self.output_axes = output_axes

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        dims, target = _dims(shape), _dtype(dtype)
        fan_in, fan_out = compute_fans(dims, self.input_axes, self.output_axes)
        number = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        variance = self.scale / max(1.0, number)
        if self.distribution == "uniform":
            limit = math.sqrt(3 * variance)
            return random.stateless_uniform(dims, self._pair, -limit, limit, target)
        deviation = math.sqrt(variance)
        if self.distribution == "untruncated_normal":
            return random.stateless_normal(dims, self._pair, 0.0, deviation, target)
        return random.stateless_truncated_normal(dims, self._pair, 0.0, deviation / TRUNCATED_DEVIATION, target)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "scale": self.scale, "mode": self.mode, "distribution": self.distribution,
                "input_axes": self.input_axes, "output_axes": self.output_axes}  # fmt: skip


class _Scaled(VarianceScaling):
    """A `VarianceScaling` with settings of its own; only the seed and the axes are left to choose."""

    settings: tuple[float, str, str]

    def __init__(
        self, seed: int | None = None, input_axes: Sequence[int] | None = None, output_axes: Sequence[int] | None = None
    ) -> None:
        super().__init__(*self.settings, seed, input_axes, output_axes)

    def get_config(self) -> dict[str, Any]:
        return {"seed": self._given, "input_axes": self.input_axes, "output_axes": self.output_axes}


class GlorotUniform(_Scaled):
    """Uniform, of the variance `2 / (inputs + outputs)` (Glorot & Bengio, 2010)."""

    settings = (1.0, "fan_avg", "uniform")


class GlorotNormal(_Scaled):
    """Truncated normal, of the variance `2 / (inputs + outputs)` (Glorot & Bengio, 2010)."""

    settings = (1.0, "fan_avg", "truncated_normal")


class HeUniform(_Scaled):
    """Uniform, of the variance `2 / inputs` (He et al., 2015)."""

    settings = (2.0, "fan_in", "uniform")


class HeNormal(_Scaled):
    """Truncated normal, of the variance `2 / inputs` (He et al., 2015)."""

    settings = (2.0, "fan_in", "truncated_normal")


class LecunUniform(_Scaled):
    """Uniform, of the variance `1 / inputs` (LeCun et al., 1998)."""

    settings = (1.0, "fan_in", "uniform")


class LecunNormal(_Scaled):
    """Truncated normal, of the variance `1 / inputs` (LeCun et al., 1998)."""

    settings = (1.0, "fan_in", "truncated_normal")


class Orthogonal(RandomInitializer):
    """A matrix with orthonormal rows or columns, whichever are fewer, times `gain` (Saxe et al., 2014).

    All axes but the last make up the rows. Raises `ValueError` for a shape of less than two dimensions.
    """

    def __init__(self, gain: float = 1.0, seed: int | None = None) -> None:
        super().__init__(seed)
        self.gain = gain

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        dims, target = _dims(shape), _dtype(dtype)
        if len(dims) < 2:
            raise InvalidArgumentError(
                "The tensor to initialize must be at least two-dimensional. "
                f"Received: shape={tuple(dims)} of rank {len(dims)}."
            )
        rows, columns = math.prod(dims[:-1]), dims[-1]
        flat = random.stateless_normal([max(rows, columns), min(rows, columns)], self._pair, 0.0, 1.0, target)
        # Signs that make the decomposition unique make the distribution uniform (Mezzadri, 2007).
        q, r = qr(flat)
        q = q * sign(diag_part(r))
        return reshape(adjoint(q) if rows < columns else q, dims) * self.gain

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "gain": self.gain}


class _Initializers(Registry):
    def get(self, identifier: Any, custom_objects: dict[str, Any] | None = None) -> Any:
        """As `Registry.get`; a tensor or an array stands for an initializer that gives it, for its own shape only."""
        if not isinstance(identifier, Tensor | np.ndarray | np.generic):
            return super().get(identifier, custom_objects)

        def given(shape: ShapeLike, dtype: Any = None) -> Any:
            value = convert_to_tensor(identifier)
            if tuple(_dims(shape)) != value.static_shape:
                raise InvalidArgumentError(f"Expected `shape` to be {value.shape} for direct tensor as initializer. "
                                 f"Received shape={shape}")  # fmt: skip
            return cast(value, _dtype(dtype))

        return given


_CLASSES = [
    Constant, GlorotNormal, GlorotUniform, HeNormal, HeUniform, Identity, LecunNormal, LecunUniform, Ones, Orthogonal,
    RandomNormal, RandomUniform, TruncatedNormal, VarianceScaling, Zeros,
]  # fmt: skip
_ALIASES = {
    "IdentityInitializer": Identity, "OrthogonalInitializer": Orthogonal, "normal": RandomNormal, "one": Ones,
    "uniform": RandomUniform, "zero": Zeros,
}  # fmt: skip
registry = _Initializers("initializer", "keras.initializers", _CLASSES, aliases=_ALIASES)

get = registry.get
serialize = registry.serialize
deserialize = registry.deserialize
globals().update({snake_case(each.__name__): each for each in _CLASSES})
leaving.public_module(__name__)
