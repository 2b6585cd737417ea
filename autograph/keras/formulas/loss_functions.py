"""Losses as functions: one number for each sample.

Each takes labels `y_true` and predictions `y_pred`, of shape `[batch, ..., size]`, and gives `[batch, ...]`. The labels
are cast to the dtype of the predictions, which is a floating one (float32 for integers). Where ranks differ by one,
an axis of size one at the end is added or taken away.
"""

from __future__ import annotations

import math as _math
from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.base.places import warn
from autograph.runtime.base.shapes import is_compatible
from autograph.runtime.ops.elementwise import math, nn
from autograph.runtime.ops.elementwise.elementwise import cast, clip_by_value, where
from autograph.runtime.ops.infer import require, text
from autograph.runtime.ops.reduce.reduce import reduce_all, reduce_max, reduce_mean, reduce_sum
from autograph.runtime.ops.shape.shape import expand_dims, shape, squeeze
from autograph.runtime.tensors.convert import convert_to_tensor

from ..base.context import set_mask
from ..base.defaults import epsilon, floatx
from ..base.notes import logits
from .reduction import require_same_shape, same_rank

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import TensorLike
    from autograph.runtime.tensors.tensor import Tensor

__all__ = [
    "KLD", "MAE", "MAPE", "MSE", "MSLE", "binary_crossentropy", "binary_focal_crossentropy", "categorical_crossentropy",
    "categorical_focal_crossentropy", "categorical_hinge", "cosine_similarity", "hinge", "huber", "kl_divergence",
    "kld", "kullback_leibler_divergence", "log_cosh", "logcosh", "mae", "mape", "mean_absolute_error",
    "mean_absolute_percentage_error", "mean_squared_error", "mean_squared_logarithmic_error", "mse", "msle", "poisson",
    "sparse_categorical_crossentropy", "squared_hinge",
]  # fmt: skip

def floating_predictions(y_pred: TensorLike) -> Any:
    """Predictions as a tensor of a floating dtype: `floatx` for integers."""
    y_pred = convert_to_tensor(y_pred)
    return y_pred if y_pred.dtype.is_floating else cast(y_pred, floatx())


def _pair(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Labels and predictions as tensors of one floating dtype and of one rank."""
    y_pred = floating_predictions(y_pred)
    return same_rank(cast(y_true, y_pred.dtype), y_pred)


# Differences.


def mean_squared_error(y_true: Any, y_pred: TensorLike) -> Tensor:
    """The mean of `(y_true - y_pred) ** 2` over the last axis."""
    y_true, y_pred = _pair(y_true, y_pred)
    return reduce_mean(math.square(y_true - y_pred), -1)


def mean_absolute_error(y_true: object, y_pred: Any) -> Tensor:
    """The mean of `abs(y_true - y_pred)` over the last axis."""
    y_true, y_pred = _pair(y_true, y_pred)
    return reduce_mean(math.absolute(y_true - y_pred), -1)


def mean_absolute_percentage_error(y_true: Any, y_pred: object) -> Tensor:
    """The mean of `100 * abs((y_true - y_pred) / y_true)` over the last axis."""
    y_true, y_pred = _pair(y_true, y_pred)
    return 100 * reduce_mean(math.absolute((y_true - y_pred) / math.maximum(math.absolute(y_true), epsilon())), -1)


def mean_squared_logarithmic_error(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The mean of `(log(y_true + 1) - log(y_pred + 1)) ** 2` over the last axis; negative values count as zero."""
    y_true, y_pred = _pair(y_true, y_pred)
    first, second = (math.log(math.maximum(y, epsilon()) + 1) for y in (y_pred, y_true))
    return reduce_mean(math.square(first - second), -1)


def huber(y_true: Any, y_pred: TensorLike, delta: float = 1.0) -> Tensor:
    """The mean of `e ** 2 / 2` where `e = abs(y_pred - y_true) <= delta`, of `delta * e - delta ** 2 / 2` elsewhere.

    (Huber, 1964.)
    """
    y_true, y_pred = _pair(y_true, y_pred)
    error = math.absolute(y_pred - y_true)
    return reduce_mean(where(error <= delta, 0.5 * math.square(error), delta * error - 0.5 * delta * delta), -1)


def log_cosh(y_true: Any, y_pred: object) -> Tensor:
    """The mean of `log(cosh(y_pred - y_true))` over the last axis."""
    y_true, y_pred = _pair(y_true, y_pred)
    error = y_pred - y_true
    return reduce_mean(error + nn.softplus(-2 * error) - _math.log(2), -1)


def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Tensor:
    """Minus the cosine of the angle between labels and predictions along `axis`: -1 where they have one direction."""
    y_true, y_pred = _pair(y_true, y_pred)
    # Only vectors that are zero are not made as long as one, as far as the dtype tells them apart.
    smallest = 1e-24 if y_pred.dtype.size > 2 else 1e-7
    first, second = (nn.l2_normalize(y, axis, smallest) for y in (y_true, y_pred))
    return -reduce_sum(first * second, axis)


# Margins: labels are -1 or 1.


def _signs(y_true: Any) -> Any:
    """Labels of -1 and 1, also for those of 0 and 1."""
    binary = reduce_all((y_true == 0) | (y_true == 1))
    return where(binary, 2 * y_true - 1, y_true)


def hinge(y_true: Any, y_pred: Any) -> Tensor:
    """The mean of `max(1 - y_true * y_pred, 0)` over the last axis; labels of 0 and 1 count as -1 and 1."""
    y_pred = floating_predictions(y_pred)
    return reduce_mean(math.maximum(1 - _signs(cast(y_true, y_pred.dtype)) * y_pred, 0), -1)


def squared_hinge(y_true: Any, y_pred: Any) -> Tensor:
    """The mean of `max(1 - y_true * y_pred, 0) ** 2` over the last axis; labels of 0 and 1 count as -1 and 1."""
    y_pred = floating_predictions(y_pred)
    return reduce_mean(math.square(math.maximum(1 - _signs(cast(y_true, y_pred.dtype)) * y_pred, 0)), -1)


def categorical_hinge(y_true: Any, y_pred: Any) -> Tensor:
    """`max(1 + the best prediction for a wrong class - that for the right one, 0)`; labels are one-hot."""
    y_pred = floating_predictions(y_pred)
    y_true = cast(y_true, y_pred.dtype)
    right, wrong = reduce_sum(y_true * y_pred, -1), reduce_max((1 - y_true) * y_pred, -1)
    return math.maximum(wrong - right + 1, 0)


# Distributions.


def kl_divergence(y_true: Any, y_pred: Any) -> Tensor:
    """The sum of `y_true * log(y_true / y_pred)` over the last axis (Kullback & Leibler, 1951)."""
    y_pred = floating_predictions(y_pred)
    y_true, y_pred = (clip_by_value(y, epsilon(), 1.0) for y in (cast(y_true, y_pred.dtype), y_pred))
    return reduce_sum(y_true * math.log(y_true / y_pred), -1)


def poisson(y_true: Any, y_pred: Any) -> Tensor:
    """The mean of `y_pred - y_true * log(y_pred)` over the last axis."""
    y_pred = floating_predictions(y_pred)
    return reduce_mean(y_pred - cast(y_true, y_pred.dtype) * math.log(y_pred + epsilon()), -1)


def _logits_of(y_pred: TensorLike, from_logits: bool) -> tuple[Any, bool]:
    """Predictions, and whether they are logits: those of a softmax or sigmoid are taken where they are known."""
    known = logits.get(y_pred)
    if known is None:
        return y_pred, from_logits
    if from_logits:
        warn(
            "the loss was told from_logits=True, but its predictions are what a softmax or sigmoid returned: "
            "it takes the logits that went into that activation",
        )
    return known, True


def _probabilities(y_pred: TensorLike) -> Any:
    return clip_by_value(y_pred, epsilon(), 1 - epsilon())


def binary_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> Tensor:
    """The mean of `-y_true * log(y_pred) - (1 - y_true) * log(1 - y_pred)` over `axis`.

    Predictions are probabilities, or with `from_logits` what a sigmoid makes ones of. Smoothing moves the labels
    towards 0.5. Raises `InvalidArgumentError` for shapes that differ.
    """
    y_pred = floating_predictions(y_pred)
    y_true = _smooth(cast(y_true, y_pred.dtype), label_smoothing)
    return reduce_mean(_each_binary_crossentropy(y_true, y_pred, from_logits), axis)


def _smooth(y_true: Tensor, label_smoothing: float) -> Any:
    return y_true * (1 - label_smoothing) + 0.5 * label_smoothing if label_smoothing else y_true


def _each_binary_crossentropy(y_true: Tensor, y_pred: Any, from_logits: bool) -> Any:
    """The cross-entropy of each label."""
    require_same_shape(y_true, y_pred)
    y_pred, from_logits = _logits_of(y_pred, from_logits)
    if from_logits:
        return nn.sigmoid_cross_entropy_with_logits(y_true, y_pred)
    y_pred = _probabilities(y_pred)
    return -(y_true * math.log(y_pred) + (1 - y_true) * math.log(1 - y_pred))


def binary_focal_crossentropy(
    y_true: Any, y_pred: Any, apply_class_balancing: bool = False, alpha: float = 0.25, gamma: float = 2.0,
    from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> Tensor:  # fmt: skip
    """The mean over `axis` of `(1 - p) ** gamma` times the cross-entropy, `p` the probability given to the label.

    What is predicted well counts little (Lin et al., 2018). With `apply_class_balancing` labels of 1 weigh `alpha`,
    those of 0 `1 - alpha`. The rest is as for `binary_crossentropy`, also what it raises.
    """
    y_pred = floating_predictions(y_pred)
    y_true = _smooth(cast(y_true, y_pred.dtype), label_smoothing)
    entropy = _each_binary_crossentropy(y_true, y_pred, from_logits)
    if from_logits:
        y_pred = nn.sigmoid(y_pred)
    loss = (1 - (y_true * y_pred + (1 - y_true) * (1 - y_pred))) ** gamma * entropy
    if apply_class_balancing:
        loss = (y_true * alpha + (1 - y_true) * (1 - alpha)) * loss
    return reduce_mean(loss, axis)


def categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> Tensor:
    """The sum of `-y_true * log(y_pred)` over `axis`; both are distributions over classes along it.

    With `from_logits` the predictions are what a softmax makes distributions of. Smoothing moves the labels towards
    `1 / classes`. Raises `InvalidArgumentError` for shapes that differ.
    """
    y_pred = floating_predictions(y_pred)
    y_true = cast(y_true, y_pred.dtype)
    if label_smoothing:
        y_true = y_true * (1 - label_smoothing) + label_smoothing / cast(shape(y_true)[-1], y_pred.dtype)
    require_same_shape(y_true, y_pred)
    y_pred, from_logits = _logits_of(y_pred, from_logits)
    if from_logits:
        return nn.softmax_cross_entropy_with_logits(y_true, y_pred, axis)
    y_pred = _probabilities(y_pred / reduce_sum(y_pred, axis, keepdims=True))
    return -reduce_sum(y_true * math.log(y_pred), axis)


def categorical_focal_crossentropy(
    y_true: Any, y_pred: Any, alpha: float = 0.25, gamma: float = 2.0, from_logits: bool = False,
    label_smoothing: float = 0.0, axis: int = -1
) -> Tensor:  # fmt: skip
    """The sum over `axis` of `-alpha * (1 - y_pred) ** gamma * y_true * log(y_pred)` (Lin et al., 2018).

    The rest is as for `categorical_crossentropy`. Raises `ValueError` for an axis that is a bool.
    """
    if isinstance(axis, bool):
        raise InvalidArgumentError(f"`axis` must be of type `int`. Received: axis={axis} of type {type(axis)}")
    y_pred = floating_predictions(y_pred)
    y_true = cast(y_true, y_pred.dtype)
    if label_smoothing:
        y_true = y_true * (1 - label_smoothing) + label_smoothing / cast(shape(y_true)[-1], y_pred.dtype)
    if from_logits:
        y_pred = nn.softmax(y_pred, axis)
    y_pred = _probabilities(y_pred / reduce_sum(y_pred, axis, keepdims=True))
    return reduce_sum((1 - y_pred) ** gamma * alpha * -y_true * math.log(y_pred), axis)


_OF_ONE_HOT = "for one-hot labels use 'categorical_crossentropy', or make them tf.argmax(labels, -1)"


def sparse_categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, ignore_class: int | None = None, axis: int = -1
) -> Tensor:
    """`-log(y_pred[y_true])`, where `y_true` is the number of the class, for predictions over classes along `axis`.

    With `from_logits` the predictions are what a softmax makes distributions of. Samples of the class `ignore_class`
    count nothing. Raises `InvalidArgumentError` for another axis than the last, shapes that do not fit, and a number
    that is no class.
    """
    y_pred = floating_predictions(y_pred)
    require(axis == -1 or axis == (y_pred.ndim or 0) - 1, f"Only axis=-1 is currently supported. Received: axis={axis}")
    y_true = cast(y_true, "int64")
    if y_true.ndim is not None and y_true.ndim == y_pred.ndim and y_true.static_shape[-1] == 1:
        y_true = squeeze(y_true, -1)
    batch = None if y_pred.static_shape is None else y_pred.static_shape[:-1]
    require(is_compatible(y_true.static_shape, batch),
            f"Labels of shape {text(y_true.static_shape)} do not fit predictions of shape "
            f"{text(y_pred.static_shape)}: all but the last axis must be the same",
            _OF_ONE_HOT if is_compatible(y_true.static_shape, y_pred.static_shape) else None)  # fmt: skip
    y_pred, from_logits = _logits_of(y_pred, from_logits)
    valid = None if ignore_class is None else math.not_equal(y_true, ignore_class)
    if valid is not None:
        y_true = where(valid, y_true, 0)
        y_pred = where(expand_dims(valid, -1), y_pred, 0)
    scores = y_pred if from_logits else math.log(_probabilities(y_pred))
    result = nn.sparse_softmax_cross_entropy_with_logits(y_true, scores)
    if valid is not None:
        result = where(valid, result, 0)
        set_mask(result, valid)
    return result


KLD = kld = kullback_leibler_divergence = kl_divergence
MAE = mae = mean_absolute_error
MAPE = mape = mean_absolute_percentage_error
MSE = mse = mean_squared_error
MSLE = msle = mean_squared_logarithmic_error
logcosh = log_cosh

FUNCTIONS = [
    binary_crossentropy, binary_focal_crossentropy, categorical_crossentropy, categorical_focal_crossentropy,
    categorical_hinge, cosine_similarity, hinge, huber, kl_divergence, log_cosh, mean_absolute_error,
    mean_absolute_percentage_error, mean_squared_error, mean_squared_logarithmic_error, poisson,
    sparse_categorical_crossentropy, squared_hinge,
]  # fmt: skip

# What `compile` also knows losses and metrics by, in capital letters too.
SHORT = {"bce": binary_crossentropy, "mae": mae, "mape": mape, "mse": mse, "msle": msle}
