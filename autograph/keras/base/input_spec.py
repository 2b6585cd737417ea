"""`InputSpec`: what the inputs of a layer must be like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.base import nest, shapes
from autograph.runtime.base.dtypes import as_dtype
from autograph.runtime.tensors.tensor import Tensor

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import DTypeLike

__all__ = ["InputSpec", "check_input"]


class InputSpec:
    """The rank, shape and dtype that a layer takes; what is None may be anything.

    Parameters
    ----------
    dtype: the element type.
    shape: a shape, with None for dimensions that vary.
    ndim, max_ndim, min_ndim: the rank, and bounds of it.
    axes: sizes of axes by their numbers.
    allow_last_axis_squeeze: accepted as in Keras.
    name: in messages and for dicts of inputs.
    """

    def __init__(
        self, dtype: DTypeLike | None = None, shape: Any = None, ndim: int | None = None, max_ndim: int | None = None,
        min_ndim: int | None = None, axes: dict[int, int | None] | None = None,
        allow_last_axis_squeeze: bool = False, name: str | None = None, optional: bool = False
    ) -> None:  # fmt: skip
        self.dtype = None if dtype is None else as_dtype(dtype).name
        self.shape = None if shape is None else tuple(shape)
        self.ndim = ndim if self.shape is None else len(self.shape)
        self.max_ndim = max_ndim
        self.min_ndim = min_ndim
        self.axes = {} if axes is None else {int(axis): size for axis, size in axes.items()}
        self.allow_last_axis_squeeze = allow_last_axis_squeeze
        self.name = name
        self.optional = optional

    def __repr__(self) -> str:
        parts = [f"{name}={value}" for name, value in vars(self).items() if value not in (None, {}, False)]
        return f"InputSpec({', '.join(parts)})"


def check_input(layer: Any, inputs: object) -> None:
    """Raise `InvalidArgumentError` (a `ValueError`) where the inputs don't fit the layer's `input_spec`."""
    spec = layer.input_spec
    single = isinstance(inputs, Tensor) and isinstance(spec, InputSpec)
    specs, leaves = ([spec], [inputs]) if single else (nest.flatten(spec), nest.flatten(inputs))
    if len(specs) != len(leaves):
        raise InvalidArgumentError(
            f"Layer '{layer.name}' expected {len(specs)} input(s). Received {len(leaves)} instead."
        )
    for number, (spec, leaf) in enumerate(zip(specs, leaves, strict=True)):
        if spec is not None and leaf is not None:
            problem = _problem(spec, leaf)
            if problem is not None:
                name = getattr(leaf, "keras_name", None)
                named = f" with name '{name}'" if name is not None else ""
                raise InvalidArgumentError(
                    f"Input {number}{named} of layer '{layer.name}' is incompatible with the layer: {problem}"
                )


def _problem(spec: InputSpec, tensor: Any) -> str | None:
    shape = tensor.static_shape
    if spec.dtype is not None and tensor.dtype.name != spec.dtype:
        return f"expected dtype={spec.dtype}, found dtype={tensor.dtype.name}"
    if shape is None:
        return None
    rank = len(shape)
    for wanted, fits, name in (
        (spec.ndim, rank == spec.ndim, "ndim"),
        (spec.max_ndim, spec.max_ndim is None or rank <= spec.max_ndim, "max_ndim"),
        (spec.min_ndim, spec.min_ndim is None or rank >= spec.min_ndim, "min_ndim"),
    ):
        if wanted is not None and not fits:
            return f"expected {name}={wanted}, found ndim={rank}. Full shape received: {shape}"
    for axis, size in spec.axes.items():
        if size is not None and shape[axis] not in (size, None):
            return f"expected axis {axis} of input shape to have value {size}, but received input with shape {shape}"
    if spec.shape is not None and not shapes.is_compatible(shape, spec.shape):
        return f"expected shape={spec.shape}, found shape={shape}"
    return None
