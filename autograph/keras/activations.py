"""Activation functions by the names of Keras.

Each takes a tensor, or what converts to one, of any shape, and returns one of the same shape; floating dtypes stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.ops.elementwise import math, nn
from autograph.runtime.ops.elementwise.elementwise import clip_by_value, where
from autograph.runtime.ops.infer import at_least
from autograph.runtime.ops.reduce.reduce import reduce_logsumexp
from autograph.runtime.ops.shape.joining import split
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.tracebacks import leaving

from .base.absent import refusing
from .base.notes import logits
from .base.registry import Registry

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import TensorLike
    from autograph.runtime.tensors.tensor import Tensor

__all__ = [
    "celu", "deserialize", "elu", "exponential", "gelu", "get", "glu", "hard_shrink", "hard_sigmoid", "hard_silu",
    "hard_swish", "hard_tanh", "leaky_relu", "linear", "log_sigmoid", "log_softmax", "mish", "relu", "relu6", "selu",
    "serialize", "sigmoid", "silu", "soft_shrink", "softmax", "softplus", "softsign", "squareplus", "swish", "tanh",
    "tanh_shrink", "threshold",
]  # fmt: skip
__dir__ = __all__.copy
if not TYPE_CHECKING:
    __getattr__ = refusing(__name__)


def linear(x: TensorLike) -> Any:
    """`x` itself."""
    return x


def relu(x: TensorLike, negative_slope: float = 0.0, max_value: float | None = None, threshold: float = 0.0) -> Tensor:
    """`x` from `threshold` up to `max_value`, which bounds it; `negative_slope * (x - threshold)` below.

    Raises `ValueError` for a negative slope, maximum or threshold.
    """
    for name, value in [("negative_slope", negative_slope), ("max_value", max_value), ("threshold", threshold)]:
        if value is not None and value < 0:
            raise InvalidArgumentError(f"the argument `{name}` of relu can't be negative, but is {value}")
    x = convert_to_tensor(x)
    if not negative_slope and not threshold:
        kept = nn.relu(x)
        return kept if max_value is None else math.minimum(kept, max_value)
    kept = where(x > threshold, x, negative_slope * (x - threshold))
    return kept if max_value is None else math.minimum(kept, max_value)


def relu6(x: TensorLike) -> Tensor:
    """`min(max(x, 0), 6)`."""
    return nn.relu6(x)


def leaky_relu(x: TensorLike, negative_slope: float = 0.2) -> Tensor:
    """`x` where positive, `negative_slope * x` elsewhere."""
    return nn.leaky_relu(x, negative_slope)


def elu(x: TensorLike, alpha: float = 1.0) -> Tensor:
    """`x` where positive, `alpha * (exp(x) - 1)` elsewhere (Clevert et al., 2016)."""
    if alpha == 1:
        return nn.elu(x)
    x = convert_to_tensor(x)
    return where(x > 0, x, alpha * math.expm1(math.minimum(x, 0)))


def selu(x: TensorLike) -> Tensor:
    """The self-normalising scaled `elu` (Klambauer et al., 2017)."""
    return nn.selu(x)


def celu(x: TensorLike, alpha: float = 1.0) -> Tensor:
    """`max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0)` (Barron, 2017)."""
    x = convert_to_tensor(x)
    return math.maximum(x, 0) + alpha * math.expm1(math.minimum(x, 0) / alpha)


def gelu(x: TensorLike, approximate: bool = False) -> Tensor:
    """`x` times the normal distribution function of `x`, or its approximation by tanh (Hendrycks & Gimpel, 2016)."""
    return nn.gelu(x, approximate)


def glu(x: TensorLike, axis: int = -1) -> Tensor:
    """The first half of `x` along `axis` times the sigmoid of the second (Dauphin et al., 2017)."""
    first, second = split(x, 2, axis)
    return first * nn.sigmoid(second)


def sigmoid(x: TensorLike) -> Tensor:
    """`1 / (1 + exp(-x))`."""
    x = convert_to_tensor(x)
    result = nn.sigmoid(x)
    logits.set(result, x)
    return result


def log_sigmoid(x: TensorLike) -> Tensor:
    """`-log(1 + exp(-x))`."""
    return nn.log_sigmoid(x)


def hard_sigmoid(x: TensorLike) -> Tensor:
    """`x / 6 + 0.5`, bounded by 0 and 1."""
    return clip_by_value(convert_to_tensor(x) / 6 + 0.5, 0.0, 1.0)


def tanh(x: TensorLike) -> Tensor:
    """The hyperbolic tangent."""
    return math.tanh(x)


def hard_tanh(x: TensorLike) -> Tensor:
    """`x`, bounded by -1 and 1."""
    return clip_by_value(convert_to_tensor(x), -1.0, 1.0)


def tanh_shrink(x: TensorLike) -> Tensor:
    """`x - tanh(x)`."""
    x = convert_to_tensor(x)
    return x - math.tanh(x)


def hard_shrink(x: TensorLike, threshold: float = 0.5) -> Tensor:
    """`x` where its absolute value is above `threshold`, 0 elsewhere."""
    x = convert_to_tensor(x)
    return where(math.absolute(x) > threshold, x, 0)


def soft_shrink(x: TensorLike, threshold: float = 0.5) -> Tensor:
    """`x` moved towards 0 by `threshold`, and 0 where that would pass it."""
    x = convert_to_tensor(x)
    return math.sign(x) * math.maximum(math.absolute(x) - threshold, 0)


def threshold(x: TensorLike, threshold: float, default_value: float) -> Tensor:
    """`x` where it is above `threshold`, `default_value` elsewhere."""
    x = convert_to_tensor(x)
    return where(x > threshold, x, default_value)


def softmax(x: TensorLike, axis: int | tuple[int, ...] | list[int] = -1) -> Tensor:
    """`exp(x) / sum(exp(x))` along `axis`, one or several. Raises `InvalidArgumentError` for a scalar."""
    x = convert_to_tensor(x)
    at_least(x.static_shape, 1, "the input of softmax")
    if isinstance(axis, int):
        result = nn.softmax(x, axis)
        logits.set(result, x)
        return result
    return math.exp(x - reduce_logsumexp(x, list(axis), keepdims=True))


def log_softmax(x: TensorLike, axis: int = -1) -> Tensor:
    """The logarithm of `softmax`, without loss for very small values."""
    return nn.log_softmax(x, axis)


def softplus(x: TensorLike) -> Tensor:
    """`log(1 + exp(x))`."""
    return nn.softplus(x)


def softsign(x: TensorLike) -> Tensor:
    """`x / (1 + abs(x))`."""
    return nn.softsign(x)


def squareplus(x: TensorLike, b: float = 4) -> Tensor:
    """`(x + sqrt(x * x + b)) / 2` (Barron, 2021)."""
    x = convert_to_tensor(x)
    return (x + math.sqrt(x * x + b)) / 2


def silu(x: TensorLike) -> Tensor:
    """`x * sigmoid(x)` (Ramachandran et al., 2017)."""
    return nn.silu(x)


swish = silu


def hard_silu(x: TensorLike) -> Tensor:
    """`x * hard_sigmoid(x)` (Howard et al., 2019)."""
    x = convert_to_tensor(x)
    return x * hard_sigmoid(x)


hard_swish = hard_silu


def mish(x: TensorLike) -> Tensor:
    """`x * tanh(softplus(x))` (Misra, 2019)."""
    x = convert_to_tensor(x)
    return x * math.tanh(nn.softplus(x))


def exponential(x: TensorLike) -> Tensor:
    """`exp(x)`."""
    return math.exp(x)


_ALL = [
    celu, elu, exponential, gelu, glu, hard_shrink, hard_sigmoid, hard_silu, hard_tanh, leaky_relu, linear,
    log_sigmoid, log_softmax, mish, relu, relu6, selu, sigmoid, silu, soft_shrink, softmax, softplus, softsign,
    squareplus, tanh, tanh_shrink, threshold,
]  # fmt: skip
registry = Registry("activation function", "keras.activations", _ALL, default=linear,
                     aliases={"swish": silu, "hard_swish": hard_silu})  # fmt: skip

get = registry.get
serialize = registry.serialize
deserialize = registry.deserialize
leaving.public_module(__name__)
