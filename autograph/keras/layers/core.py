"""The simplest layers: inputs, dense layers, embeddings, functions as layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.base.dtypes import as_dtype
from autograph.runtime.ops.elementwise.elementwise import cast
from autograph.runtime.ops.elementwise.math import not_equal, tanh
from autograph.runtime.ops.linalg.linalg import tensordot
from autograph.runtime.ops.shape.gather import gather
from autograph.runtime.ops.shape.shape import transpose

from .. import activations
from ..base.custom_objects import get_registered_object
from ..base.defaults import floatx
from ..base.layer import InputSpec, Layer
from ..base.names import auto_name
from ..base.serialization import UnknownClassError
from ..base.staging import converted_call
from ..base.symbolic import KerasTensor, Node
from ..base.tracking import record_of
from .described import add_described, describe

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import DTypeLike, ShapeLike, TensorLike

    from ..base.registry import Identifier

__all__ = ["Activation", "Dense", "Embedding", "Identity", "InputLayer", "Lambda", "ReLU", "Rescaling",
           "ReversibleEmbedding"]  # fmt: skip


class InputLayer(Layer):
    """Where a functional or sequential model is given its inputs; `Input` makes it and returns its ``output``."""

    settings = ("batch_shape", "dtype")

    def __init__(
        self, shape: Any = None, batch_size: int | None = None, dtype: DTypeLike | None = None,
        sparse: bool | None = None, ragged: bool | None = None, batch_shape: Any = None,
        input_tensor: TensorLike | None = None, optional: bool = False, name: str | None = None, **kwargs: Any
    ) -> None:  # fmt: skip
        if sparse or ragged or input_tensor is not None or optional:
            raise InvalidArgumentError("InputLayer takes no sparse, ragged, input_tensor or optional argument")
        shape = kwargs.pop("input_shape", shape)
        super().__init__(name=name or auto_name("input_layer"), dtype=None, **kwargs)
        self._record.dtype = as_dtype(dtype or floatx())
        if batch_shape is None:
            if shape is None:
                raise InvalidArgumentError("You must pass a `shape` argument.")
            shape = (shape,) if isinstance(shape, int) else tuple(shape)
            batch_shape = (batch_size, *shape)
        elif shape is not None:
            raise InvalidArgumentError("You cannot pass both `shape` and `batch_shape` at the same time.")
        self.batch_shape = tuple(batch_shape)
        self._record.built = True
        node = Node(self, (), {})
        node.outputs = KerasTensor(self.batch_shape, self._record.dtype, name)
        node.outputs.keras_history = node, 0
        self._record.output_shapes.append(self.batch_shape)

    @property
    def output(self) -> KerasTensor:
        """The symbolic tensor."""
        return self._record.nodes[0].outputs

    def call(self, inputs: Any) -> Any:
        """The inputs themselves."""
        return inputs


class Dense(Layer):
    """``activation(inputs @ kernel + bias)``: inputs (..., n) to outputs (..., units).

    Weights: ``kernel`` (n, units), ``bias`` (units,). Raises `ValueError` for ``units`` that is no positive integer.
    """

    settings = (
        "units", "activation", "use_bias", "kernel_initializer", "bias_initializer", "kernel_regularizer",
        "bias_regularizer", "kernel_constraint", "bias_constraint", "quantization_config",
    )  # fmt: skip
    quantization_config = None

    def __init__(
        self, units: int, activation: Identifier = None, use_bias: bool = True,
        kernel_initializer: Identifier = "glorot_uniform", bias_initializer: Identifier = "zeros",
        kernel_regularizer: Identifier = None, bias_regularizer: Identifier = None,
        activity_regularizer: Identifier = None, kernel_constraint: Identifier = None,
        bias_constraint: Identifier = None, **kwargs: Any
    ) -> None:  # fmt: skip
        if kwargs.get("quantization_config", 0) is None:
            kwargs.pop("quantization_config")
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.units = positive("units", units)
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        describe(self, "kernel", kernel_initializer, kernel_regularizer, kernel_constraint)
        describe(self, "bias", bias_initializer, bias_regularizer, bias_constraint)
        self.input_spec = InputSpec(min_ndim=2)
        self.supports_masking = True
        self.kernel: Any = None
        self.bias: Any = None

    def build(self, input_shape: ShapeLike) -> None:
        """Make the weights; the last dimension of the inputs must be known."""
        size = known_dimension(self, input_shape, -1)
        self.kernel = add_described(self, "kernel", (size, self.units))
        if self.use_bias:
            self.bias = add_described(self, "bias", (self.units,))
        self.input_spec = InputSpec(min_ndim=2, axes={-1: size})

    def call(self, inputs: Any, training: object = None) -> Any:
        """Outputs (..., units)."""
        inputs = in_own_dtype(self, inputs)
        shape = inputs.static_shape
        kernel = self.kernel.value()
        outputs = inputs @ kernel if shape is not None and len(shape) == 2 else tensordot(inputs, kernel, 1)
        if self.use_bias:
            outputs = outputs + self.bias.value()
        return self.activation(outputs)


class Embedding(Layer):
    """A row of ``embeddings`` (input_dim, output_dim) for each integer: inputs (...) to outputs (..., output_dim).

    With ``mask_zero`` the outputs have a mask: False where the integer is 0. Integers outside of the table raise
    `OutOfRangeError`.
    """

    settings: tuple[str, ...] = (
        "input_dim", "output_dim", "embeddings_initializer", "embeddings_regularizer", "activity_regularizer",
        "embeddings_constraint", "mask_zero", "quantization_config",
    )  # fmt: skip
    quantization_config = None

    def __init__(
        self, input_dim: int, output_dim: int, embeddings_initializer: Identifier = "uniform",
        embeddings_regularizer: Identifier = None, embeddings_constraint: Identifier = None, mask_zero: bool = False,
        weights: TensorLike | None = None, **kwargs: Any
    ) -> None:  # fmt: skip
        length = kwargs.pop("input_length", None)
        if length is not None and "input_shape" not in kwargs:
            kwargs["input_shape"] = (length,)
        if kwargs.get("quantization_config", 0) is None:
            kwargs.pop("quantization_config")
        super().__init__(**kwargs)
        self.input_dim = positive("input_dim", input_dim)
        self.output_dim = positive("output_dim", output_dim)
        describe(self, "embeddings", embeddings_initializer, embeddings_regularizer, embeddings_constraint)
        self.mask_zero = mask_zero
        self.supports_masking = mask_zero
        self.embeddings: Any = None
        if weights is not None:
            self.build()
            self.set_weights(weights if isinstance(weights, list) else [weights])

    def build(self, input_shape: ShapeLike = None) -> None:
        """Make the table."""
        if self.embeddings is None:
            self.embeddings = add_described(self, "embeddings", (self.input_dim, self.output_dim))

    def call(self, inputs: Any) -> Any:
        """Rows of the table."""
        if not inputs.dtype.is_integer:
            inputs = cast(inputs, "int32")
        return gather(self.embeddings.value(), inputs)

    def compute_mask(self, inputs: TensorLike, mask: object = None) -> Any:
        """Where the inputs are not 0; None without ``mask_zero``."""
        return not_equal(inputs, 0) if self.mask_zero else None


class ReversibleEmbedding(Embedding):
    """`Embedding` that also goes back: with ``reverse=True`` (…, output_dim) to numbers for each row, (…, input_dim).

    Parameters
    ----------
    tie_weights: whether the way back has the same table; else ``reverse_embeddings`` (output_dim, input_dim).
    reverse_dtype: the dtype of the way back.
    logit_soft_cap: a number between which and minus it the way back stays.

    Further arguments are those of `Embedding`.
    """

    tie_weights = True
    reverse_embeddings: Any = None
    embeddings_initializer: Any
    settings = (*Embedding.settings, "tie_weights", "reverse_dtype", "logit_soft_cap")

    def __init__(
        self, input_dim: int, output_dim: int, tie_weights: bool = True, embeddings_initializer: Identifier = "uniform",
        embeddings_regularizer: Identifier = None, embeddings_constraint: Identifier = None, mask_zero: bool = False,
        reverse_dtype: Any = None, logit_soft_cap: float | None = None, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(input_dim, output_dim, embeddings_initializer, embeddings_regularizer, embeddings_constraint,
                         mask_zero, **kwargs)  # fmt: skip
        self.tie_weights, self.reverse_dtype, self.logit_soft_cap = tie_weights, reverse_dtype, logit_soft_cap

    def build(self, input_shape: ShapeLike = None) -> None:
        """Make the table, or both."""
        super().build(input_shape)
        if not self.tie_weights and self.reverse_embeddings is None:
            shape = (self.output_dim, self.input_dim)
            self.reverse_embeddings = self.add_weight(shape, self.embeddings_initializer, name="reverse_embeddings")

    def call(self, inputs: Any, reverse: bool = False) -> Any:
        """Rows of the table, or how much inputs are like each row."""
        if not reverse:
            return super().call(inputs)
        table = transpose(self.embeddings.value()) if self.tie_weights else self.reverse_embeddings.value()
        if self.reverse_dtype is not None:
            inputs, table = cast(inputs, self.reverse_dtype), cast(table, self.reverse_dtype)
        found = inputs @ table
        cap = self.logit_soft_cap
        return found if cap is None else tanh(found / cap) * cap

    def compute_mask(self, inputs: Any, mask: object = None) -> Any:
        """Where integers are not 0, with ``mask_zero``; none of the way back."""
        return super().compute_mask(inputs, mask) if inputs.dtype.is_integer else None



class Activation(Layer):
    """An activation function, by name or as a function, as a layer."""

    settings = ("activation",)

    def __init__(self, activation: Identifier, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.activation = activations.get(activation)
        self.built = True

    def call(self, inputs: TensorLike) -> Any:
        """``activation(inputs)``; a function of the user is converted in a trace."""
        return converted_call(self.activation)(inputs)


class ReLU(Layer):
    """``max(inputs, 0)`` and its variants, as `activations.relu`."""

    settings = ("max_value", "negative_slope", "threshold")

    def __init__(
        self, max_value: float | None = None, negative_slope: float = 0.0, threshold: float = 0.0, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        for name, value in (("max_value", max_value), ("negative_slope", negative_slope), ("threshold", threshold)):
            if (value is None and name != "max_value") or (value is not None and value < 0):
                raise InvalidArgumentError(
                    f"{name} of a ReLU layer cannot be a negative value. Received: {name}={value}"
                )
        self.max_value = max_value
        self.negative_slope = negative_slope
        self.threshold = threshold
        self.supports_masking = True
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The rectified inputs."""
        return activations.relu(inputs, self.negative_slope, self.max_value, self.threshold)


class Identity(Layer):
    """The outputs are the inputs, of any structure."""

    settings: tuple[str, ...] = ()

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.built = True

    def call(self, inputs: object) -> Any:
        """The inputs."""
        return inputs


class Lambda(Layer):
    """A function as a layer; converted in a trace. Weights that it uses are not the layer's.

    Parameters
    ----------
    function: called with the inputs, ``mask`` and ``training`` where it takes them, and ``arguments``.
    output_shape, mask: accepted as in Keras; shapes are found by tracing.
    arguments: further keyword arguments.
    """

    def __init__(
        self, function: Callable[..., Any], output_shape: ShapeLike = None, mask: TensorLike | None = None,
        arguments: dict[str, Any] | None = None, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        if not callable(function):
            raise InvalidArgumentError(f"The `function` of a Lambda layer must be callable. Received: {function!r}")
        self.function = function
        self.arguments = arguments or {}
        self._mask = mask
        self.supports_masking = mask is not None
        self.built = True

    def call(self, inputs: Any, mask: TensorLike | None = None, training: object = None) -> Any:
        """What the function returns."""
        code = getattr(self.function, "__code__", None)
        names = () if code is None else code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        extra = {name: value for name, value in (("mask", mask), ("training", training)) if name in names}
        return converted_call(self.function)(inputs, **{**self.arguments, **extra})

    def compute_mask(self, inputs: object, mask: object = None) -> Any:
        """What ``mask`` is, or makes of the inputs and their mask."""
        return self._mask(inputs, mask) if callable(self._mask) else self._mask

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A new layer; the function goes by its name among those that the user has registered or passes.

        Raises `UnknownClassError` for another name.
        """
        function = config["function"]
        if isinstance(function, str):
            found = get_registered_object(function)
            if found is None:
                raise UnknownClassError("function", function)
            config = {**config, "function": found}
        return cls(**config)


class Rescaling(Layer):
    """``inputs * scale + offset``, in floating numbers."""

    settings = ("scale", "offset")

    def __init__(self, scale: Any, offset: Any = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale = scale
        self.offset = offset
        self.supports_masking = True
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The scaled inputs."""
        dtype = self._record.dtype
        return cast(inputs, dtype) * cast(self.scale, dtype) + cast(self.offset, dtype)


def positive(name: str, value: Any) -> int:
    """A setting that must be a positive integer; `ValueError` for what isn't one."""
    is_number = not isinstance(value, bool) and hasattr(type(value), "__index__") and getattr(value, "shape", ()) == ()
    if not is_number or value <= 0:
        raise InvalidArgumentError(
            f"Received an invalid value for `{name}`, expected a positive integer. Received: {name}={value}"
        )
    return int(value)


def in_own_dtype(layer: Layer, inputs: Any) -> Any:
    """Inputs as numbers of the layer's dtype: integers, too, which calls of layers leave as they are."""
    return inputs if inputs.dtype is record_of(layer).dtype else cast(inputs, record_of(layer).dtype)


def known_dimension(layer: Layer, shape: Any, axis: int) -> int:
    """A dimension of the inputs that a layer needs for its weights; `InvalidArgumentError` when it is unknown."""
    size = None if shape is None or len(shape) < abs(axis) else shape[axis]
    if size is None:
        raise InvalidArgumentError(
            f"layer '{layer.name}' needs to know axis {axis} of its inputs' shape to make its weights, not {shape}"
        )
    return int(size)


def Input(
    shape: ShapeLike = None, batch_size: int | None = None, dtype: DTypeLike | None = None, sparse: bool | None = None,
    ragged: bool | None = None, batch_shape: object = None, name: str | None = None, tensor: TensorLike | None = None,
    optional: bool = False
) -> Any:  # fmt: skip
    """A symbolic tensor for what a model will be given.

    Parameters
    ----------
    shape: without the batch dimension; None for dimensions that vary.
    batch_size: the size of batches, where it is always the same.
    dtype: float32 when left out.
    batch_shape: the shape with the batch dimension, in place of ``shape``.
    name: of the input layer; dicts of inputs are matched by it.

    Raises `ValueError` for sparse or ragged inputs, a given tensor, or no shape.
    """
    if sparse or ragged or tensor is not None or optional:
        raise InvalidArgumentError(
            "Input takes no sparse, ragged, tensor or optional argument: inputs are dense tensors"
        )
    layer = InputLayer(shape, batch_size=batch_size, dtype=dtype, batch_shape=batch_shape, name=name)
    return layer.output
