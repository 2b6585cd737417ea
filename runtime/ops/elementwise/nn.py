"""Neural-network functions: activations and losses."""

from __future__ import annotations

import math as _math
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base.shapes import merge
from ...ir import totality
from ...ir.kinds import kinds
from ...ir.op import Type, op
from ...ir.work import Work
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import TensorLike
from ...tensors.promotion import together
from ...tensors.tensor import Tensor
from ..declare import unary
from ..infer import (
    at_least,
    axis_of,
    elementwise,
    exactly,
    numbers_to_float,
    reals_to_float,
    require,
    require_kind,
    text,
    whole,
)
from ..kernels import common as kernels
from ..kernels import samples as s
from ..reduce.reduce import reduce_mean, reduce_sum, reduce_variance
from ..shape.gather import put_along
from ..shape.joining import pad
from ..shape.shape import expand_dims, moveaxis, reshape
from .elementwise import cast_like, where_op
from .math import add, erf, exp, greater, maximum, minimum, multiply, negative, rsqrt, square, subtract, tanh

__all__ = [
    "batch_normalization", "bias_add", "elu", "gelu", "l2_loss", "l2_normalize", "leaky_relu",
    "local_response_normalization", "log_sigmoid", "log_softmax", "lrn", "moments", "relu", "relu6", "selu", "sigmoid",
    "sigmoid_cross_entropy_with_logits", "silu", "softmax", "softmax_cross_entropy_with_logits", "softplus", "softsign",
    "sparse_softmax_cross_entropy_with_logits", "swish",
]  # fmt: skip

relu = unary("relu", kernels.relu, "`max(features, 0)`.", s.reals, lambda g, out, x: g * cast_like(greater(out, 0), g),
             infer=elementwise(np.negative), parameters="features", native=True, public="nn.relu")  # fmt: skip
sigmoid = unary("sigmoid", kernels.sigmoid, "`1 / (1 + exp(-x))`.", s.floats, lambda g, out, x: g * out * (1 - out),
                infer=numbers_to_float, work=Work.LONG, native=True,
                public="sigmoid math.sigmoid nn.sigmoid")  # fmt: skip
softplus = unary("softplus", kernels.softplus, "`log(1 + exp(features))` without overflow.", s.floats, lambda g, out,
    x: g * sigmoid(x),
                 infer=reals_to_float, parameters="features", work=Work.LONG, native=True,
                 public="math.softplus nn.softplus")  # fmt: skip


def _infer_softmax(x: Type, axis: int = -1) -> Type:
    require_kind(x, "f", "the logits")
    at_least(x.shape, 1, "the logits")
    if x.shape is not None:
        axis_of(axis, len(x.shape))
    return x


softmax_op = op(
    "softmax", infer=_infer_softmax, numpy=kernels.softmax, samples=s.logits,
    gradient=lambda g, out, x, axis=-1: ((g - reduce_sum(g * out, axis, keepdims=True)) * out,),
    doc="`exp(x) / sum(exp(x))` along an axis.", total=totality.filled, work=Work.LONG, native=True,
    attributes=kinds("axis"))  # fmt: skip
log_softmax_op = op(
    "log_softmax", infer=_infer_softmax, numpy=kernels.log_softmax, samples=s.logits,
    gradient=lambda g, out, x, axis=-1: (g - reduce_sum(g, axis, keepdims=True) * exp(out),),
    doc="`x - log(sum(exp(x)))` along an axis.", total=totality.filled, work=Work.LONG, native=True,
    attributes=kinds("axis"))  # fmt: skip


def softmax(logits: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """`exp(logits) / sum(exp(logits))` along `axis` (the last one); shape and dtype stay.

    Raises `InvalidArgumentError` for integers, booleans and strings, and for an axis that does not exist.
    """
    return softmax_op(logits, axis=-1 if axis is None else whole(axis), name=name)


def log_softmax(logits: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """The logarithm of `softmax`, without loss for very small values; shape and floating dtype stay.

    Raises `InvalidArgumentError` for strings and for an axis that does not exist.
    """
    return log_softmax_op(logits, axis=-1 if axis is None else whole(axis), name=name)


def log_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """`log(sigmoid(x))`, without overflow.

    The shape stays, and floating dtypes; integers give floats. Raises `InvalidArgumentError` for booleans and strings.
    """
    return negative(softplus(negative(x)), name)


def gelu(features: TensorLike, approximate: bool = False, name: str | None = None) -> Tensor:
    """`x * Phi(x)` with the normal distribution function, or its approximation by tanh (Hendrycks & Gimpel, 2016).

    The shape stays, and floating dtypes; integers give floats. Raises `InvalidTypeError` for strings.
    """
    x = convert_to_tensor(features)
    if approximate:
        inner = (x + x * x * x * 0.044715) * _math.sqrt(2 / _math.pi)
        return multiply(x * 0.5, tanh(inner) + 1.0, name)
    return multiply(x * 0.5, erf(x * _math.sqrt(0.5)) + 1.0, name)


def silu(features: TensorLike, beta: float = 1.0, name: str | None = None) -> Tensor:
    """`x * sigmoid(beta * x)`.

    The shape stays, and floating dtypes; integers give floats. Raises `InvalidTypeError` for strings.
    """
    x = convert_to_tensor(features)
    return multiply(x, sigmoid(x * beta), name)


swish = silu


def relu6(features: TensorLike, name: str | None = None) -> Tensor:
    """`min(max(x, 0), 6)`; the shape stays, and the dtype of numbers. Raises `InvalidArgumentError` for strings."""
    return minimum(6, relu(features), name)  # in this order the gradient is 0 at 6, as in TensorFlow


def leaky_relu(features: TensorLike, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """`x` where positive, `alpha * x` elsewhere.

    The shape stays, and floating dtypes; integers give floats. Raises `InvalidTypeError` for strings.
    """
    x = convert_to_tensor(features)
    return where_op(x > 0, x, x * alpha, name=name)


def elu(features: TensorLike, name: str | None = None) -> Tensor:
    """`x` where positive, `exp(x) - 1` elsewhere.

    The shape stays, and floating dtypes; integers give floats. Raises `InvalidTypeError` for strings.
    """
    x = convert_to_tensor(features)
    return where_op(x > 0, x, exp(minimum(x, 0)) - 1, name=name)


def selu(features: TensorLike, name: str | None = None) -> Tensor:
    """The self-normalising scaled `elu` (Klambauer et al., 2017).

    The shape stays, and floating dtypes; integers give floats. Raises `InvalidTypeError` for strings.
    """
    x = convert_to_tensor(features)
    return multiply(where_op(x >= 0, x, (exp(minimum(x, 0)) - 1) * 1.6732632423543772), 1.0507009873554805, name)


def softsign(features: TensorLike, name: str | None = None) -> Tensor:
    """`x / (1 + abs(x))`.

    The shape stays, and floating dtypes; integers give floats. Raises `InvalidArgumentError` for strings.
    """
    x = convert_to_tensor(features)
    return x / (abs(x) + 1)


def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Tensor:
    """`value` with the vector `bias` added along the last axis; the result has the common dtype.

    In a `data_format` that begins with `NC` it is the second axis. Raises `InvalidArgumentError` for another
    `data_format`, when `bias` is no vector, or of another size than the axis, and for a `value` below rank 2.
    """
    value, bias = together(value, bias)
    first = data_format is not None and data_format.startswith("NC")
    known = data_format is None or first or (data_format.startswith("N") and data_format.endswith("C"))
    require(known, f"data_format must be of the form N...C or NC..., not {data_format!r}")
    require(bias.ndim in (1, None), f"bias must be a vector, not {text(bias.static_shape)}")
    at_least(value.static_shape, 2, "value")
    if bias.static_shape is not None and value.static_shape is not None:
        axis = 1 if first else -1
        fits = None in (a := (value.static_shape[axis], bias.static_shape[0])) or a[0] == a[1]
        require(fits, f"{a[1]} biases for an axis of size {a[0]}")
    if first and value.ndim != 2:
        require(value.ndim is not None, "bias_add needs a tensor whose rank is known")
        bias = reshape(bias, (-1, *(1,) * (value.ndim - 2)))
    return add(value, bias, name)


def l2_loss(t: TensorLike, name: str | None = None) -> Tensor:
    """Half the sum of squares, a scalar; integers give float64. Raises `InvalidArgumentError` for strings."""
    return multiply(reduce_sum(square(t)), 0.5, name)


def l2_normalize(
    x: TensorLike, axis: int | Sequence[int] | None = None, epsilon: float = 1e-12, name: str | None = None
) -> Tensor:
    """`x` divided by its Euclidean norm along `axis` (of at least `sqrt(epsilon)`).

    The shape stays, and floating dtypes; integers give floats. Raises `InvalidArgumentError` for strings and for an
    axis that does not exist.
    """
    tensor = convert_to_tensor(x)
    return multiply(tensor, rsqrt(maximum(reduce_sum(square(tensor), axis, keepdims=True), epsilon)), name)


def moments(
    x: TensorLike, axes: int | Sequence[int], shift: TensorLike | None = None, keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The mean and the variance over `axes`. `shift` is without meaning, as in TensorFlow.

    Both lose the axes, or keep them as 1 with `keepdims`. The mean has the dtype of `x`, also for integers; their
    variance is float64. Raises `InvalidArgumentError` for strings and for an axis that does not exist.
    """
    return reduce_mean(x, axes, keepdims), reduce_variance(x, axes, keepdims)


def batch_normalization(
    x: TensorLike, mean: TensorLike, variance: Any, offset: TensorLike, scale: TensorLike, variance_epsilon: float,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """`(x - mean) / sqrt(variance + variance_epsilon) * scale + offset`; scale and offset may be ``None``.

    All broadcast; the dtype is the common one, a float for integers. Raises `InvalidArgumentError` for shapes that
    don't broadcast, `InvalidTypeError` for strings among numbers.
    """
    given = [each for each in (x, mean, variance, offset, scale) if each is not None]
    x, mean, variance, *more = together(*given)
    offset, scale = (None if each is None else more.pop(0) for each in (offset, scale))
    factor = rsqrt(variance + variance_epsilon)
    factor = factor if scale is None else factor * scale
    shift = negative(multiply(mean, factor)) if offset is None else subtract(offset, multiply(mean, factor))
    return x * factor + shift


def local_response_normalization(
    input: TensorLike, depth_radius: int = 5, bias: float = 1, alpha: float = 1, beta: float = 0.5,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """`input / (bias + alpha * s) ** beta`, with `s` the sum of squares of up to `depth_radius` channels to each side.

    See Krizhevsky et al. (2012). A floating tensor of rank 4, channels last; the result is like it. Raises
    `InvalidArgumentError` for another rank or dtype, and for a radius that is no whole number.
    """
    x, radius = convert_to_tensor(input), whole(depth_radius)
    exactly(x.static_shape, 4, "the input")
    require(x.dtype.is_floating and radius >= 0, "the input must be floating, and depth_radius not negative")
    padded = pad(square(x), [[0, 0]] * 3 + [[radius, radius]])
    total = padded[..., : -2 * radius or None]
    for i in range(1, 2 * radius + 1):
        total = total + padded[..., i : i - 2 * radius or None]
    return multiply(x, (bias + alpha * total) ** -beta, name)


lrn = local_response_normalization


# Losses.


def _infer_sparse(labels: Type, logits: Type) -> Type:
    require_kind(labels, "iu", "the labels")
    _infer_softmax(logits)
    if logits.shape is None:
        return Type(logits.dtype, labels.shape)
    try:
        return Type(logits.dtype, merge(labels.shape, logits.shape[:-1]))
    except ValueError:
        message = f"labels of shape {text(labels.shape)} do not fit logits of shape {text(logits.shape)}"
        raise InvalidArgumentError(message) from None


def _sparse_gradient(g: Tensor, out: Tensor, labels: Tensor, logits: Tensor) -> tuple[None, Any]:
    g = expand_dims(g, -1)
    return None, softmax(logits) * g - put_along(logits, expand_dims(labels, -1), g, -1)


sparse_op = op(
    "sparse_softmax_cross_entropy", infer=_infer_sparse, numpy=kernels.sparse_softmax_cross_entropy, lenient=True,
    gradient=_sparse_gradient,
    samples=lambda: [s.sample([1, 0], [[1.0, 2.0], [0.5, -1.0]]), s.sample(np.int64(0), [1.0, 2.0]),
                     s.sample(np.zeros(0, np.int32), np.zeros((0, 3), np.float32)),
                     s.sample([[1]], np.array([[[3.0, 1.0]]]))],
    raises=(InvalidArgumentError,),
    doc="Minus the logarithm of the softmax at the label, for each row of logits.", work=Work.LONG, native=True,
)  # fmt: skip


def sparse_softmax_cross_entropy_with_logits(labels: TensorLike, logits: TensorLike, name: str | None = None) -> Tensor:
    """Minus the log-probability of the class `labels`, for each row of `logits`.

    Labels `[...]` and logits `[..., classes]` give `[...]` in the floating dtype of the logits. Raises
    `InvalidArgumentError` for a label outside `[0, classes)`.
    """
    return sparse_op(labels, logits, name=name)


def _infer_cross_entropy(labels: Type, logits: Type) -> Type:
    _infer_softmax(logits)
    require(labels.dtype is logits.dtype, f"labels are {labels.dtype.name}, logits {logits.dtype.name}")
    shape = merge(labels.shape, logits.shape)
    return Type(logits.dtype, None if shape is None else shape[:-1])


def _cross_entropy_gradient(g: Tensor, out: Tensor, labels: Tensor, logits: Tensor) -> tuple[Any, Any]:
    g = expand_dims(g, -1)
    total = reduce_sum(labels, -1, keepdims=True)
    return -g * log_softmax(logits), g * (softmax(logits) * total - labels)


cross_entropy_op = op(
    "softmax_cross_entropy", infer=_infer_cross_entropy, numpy=kernels.softmax_cross_entropy, lenient=True,
    gradient=_cross_entropy_gradient, promote=0,
    samples=lambda: [s.sample([[0.0, 1.0], [0.5, 0.5]], [[1.0, 2.0], [0.5, -1.0]]),
                     s.sample(np.zeros((0, 3)), np.zeros((0, 3)))],
    doc="The cross-entropy of the softmax of logits against a distribution, for each row.", work=Work.LONG, native=True,
)  # fmt: skip


def softmax_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, axis: int = -1, name: str | None = None
) -> Tensor:
    """The cross-entropy of `softmax(logits)` against the distribution `labels` along `axis`.

    Both have one shape; the result lacks `axis` and has the common dtype. Raises `InvalidArgumentError` for shapes that
    do not fit.
    """
    if axis != -1:
        labels, logits = moveaxis(labels, axis, -1), moveaxis(logits, axis, -1)
    return cross_entropy_op(labels, logits, name=name)


def _infer_sigmoid_loss(labels: Type, logits: Type) -> Type:
    require_kind(logits, "f", "the logits")
    return Type(logits.dtype, merge(labels.shape, logits.shape))


sigmoid_cross_entropy_op = op(
    "sigmoid_cross_entropy", numpy=kernels.sigmoid_cross_entropy, lenient=True, promote=0,
    infer=_infer_sigmoid_loss,
    gradient=lambda g, out, labels, logits: (-g * logits, g * (sigmoid(logits) - labels)),
    samples=lambda: [s.sample([1.0, 0.0], [2.0, -3.0]), s.sample(np.float64(1), np.float64(0.5)),
                     s.sample([1.0, 0.0], [100.0, -100.0])],
    doc="The cross-entropy of the sigmoid of logits against probabilities, element by element.",
    work=Work.LONG, native=True,
)  # fmt: skip


def sigmoid_cross_entropy_with_logits(labels: TensorLike, logits: TensorLike, name: str | None = None) -> Tensor:
    """The cross-entropy of `sigmoid(logits)` against the probabilities `labels`, element by element.

    Both have one shape, that of the result, which has the common dtype. Raises `InvalidArgumentError` for shapes that
    do not fit.
    """
    return sigmoid_cross_entropy_op(labels, logits, name=name)
