"""How often predictions are right, as functions: 1.0 or 0.0 for each sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograph.runtime.ops.elementwise.elementwise import cast
from autograph.runtime.ops.elementwise.math import equal
from autograph.runtime.ops.reduce.reduce import argmax
from autograph.runtime.ops.shape.shape import reshape, shape, squeeze
from autograph.runtime.ops.shape.sort import in_top_k
from autograph.runtime.tensors.convert import convert_to_tensor

from ..base.defaults import floatx
from .reduction import same_rank

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import TensorLike
    from autograph.runtime.tensors.tensor import Tensor

__all__ = [
    "binary_accuracy", "categorical_accuracy", "sparse_categorical_accuracy", "sparse_top_k_categorical_accuracy",
    "top_k_categorical_accuracy",
]  # fmt: skip


def _right(y_true: TensorLike, y_pred: TensorLike) -> Any:
    return cast(equal(y_true, y_pred), floatx())


def accuracy(y_true: TensorLike, y_pred: TensorLike) -> Any:
    """Where labels and predictions are equal."""
    y_pred = convert_to_tensor(y_pred)
    return _right(*same_rank(cast(y_true, y_pred.dtype), y_pred))


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Tensor:
    """Where the label, 0 or 1, is that of the prediction, which is 1 above the threshold."""
    y_true, y_pred = same_rank(convert_to_tensor(y_true), convert_to_tensor(y_pred))
    return _right(y_true, cast(y_pred > cast(threshold, y_pred.dtype), y_true.dtype))


def categorical_accuracy(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Where the class of the greatest prediction is that of the one-hot label."""
    return _right(argmax(y_true, -1), argmax(y_pred, -1))


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Tensor:
    """Where the class of the greatest prediction is the label, a number."""
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    if y_true.ndim is not None and y_true.ndim == y_pred.ndim and y_true.static_shape[-1] == 1:
        y_true = squeeze(y_true, -1)
    matches = _right(cast(y_true, "int64"), argmax(y_pred, -1))
    return squeeze(matches, -1) if (matches.ndim or 0) > 1 and matches.static_shape[-1] == 1 else matches


def top_k_categorical_accuracy(y_true: TensorLike, y_pred: TensorLike, k: int = 5) -> Tensor:
    """Where the class of the one-hot label is among the `k` greatest predictions."""
    return sparse_top_k_categorical_accuracy(argmax(y_true, -1), y_pred, k)


def sparse_top_k_categorical_accuracy(y_true: TensorLike, y_pred: TensorLike, k: int = 5) -> Tensor:
    """Where the label, the number of a class, is among the `k` greatest predictions."""
    y_true, y_pred = cast(y_true, "int32"), convert_to_tensor(y_pred)
    classes = shape(y_pred)[-1]
    matches = in_top_k(reshape(y_true, [-1]), reshape(y_pred, [-1, classes]), k)
    return reshape(cast(matches, floatx()), shape(y_true))
