"""Losses of sets of values: how far two regions overlap, how far samples of one class lie together.

Labels are cast to the dtype of the predictions, a floating one. These are no metrics: `tf.keras.losses` alone has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from autograph.runtime.ops.elementwise import math, nn
from autograph.runtime.ops.elementwise.elementwise import cast, where
from autograph.runtime.ops.infer import require
from autograph.runtime.ops.linalg.linalg import matmul
from autograph.runtime.ops.reduce.ctc import ctc_loss
from autograph.runtime.ops.reduce.reduce import reduce_logsumexp, reduce_sum
from autograph.runtime.ops.shape.create import fill
from autograph.runtime.ops.shape.create import range as indices
from autograph.runtime.ops.shape.shape import expand_dims, reshape, shape, transpose
from autograph.runtime.tensors.convert import convert_to_tensor

from ..base.context import set_mask
from ..base.defaults import epsilon
from .loss_functions import floating_predictions

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import TensorLike
    from autograph.runtime.tensors.tensor import Tensor

__all__ = ["categorical_generalized_cross_entropy", "circle", "ctc", "dice", "tversky"]


def ctc(y_true: Any, y_pred: Any) -> Tensor:
    """Minus the logarithm of the chance of rows of labels; see `tf.nn.ctc_loss`: (batch,).

    ``y_true``: (batch, labels) integers, 0 where a row has no more. ``y_pred``: (batch, time, classes) before softmax;
    the class 0 is the blank. Raises `InvalidArgumentError` for other ranks.
    """
    y_true, y_pred = convert_to_tensor(y_true), floating_predictions(y_pred)
    require(y_true.ndim == 2, "Targets `y_true` are expected to be a tensor of shape `(batch_size, max_length)` in "
            f"integer format. Received: y_true.shape={y_true.shape}")  # fmt: skip
    require(y_pred.ndim == 3, "Logits `y_pred` are expected to be a tensor of shape `(batch_size, max_length, "
            f"num_classes)`. Received: y_pred.shape={y_pred.shape}")  # fmt: skip
    labels, sizes = cast(y_true, "int32"), shape(y_pred)
    counts = reduce_sum(cast(labels != 0, "int32"), -1)
    return ctc_loss(labels, y_pred, counts, fill([sizes[0]], sizes[1]), logits_time_major=False)


def dice(y_true: Any, y_pred: Any, axis: int | Sequence[int] | None = None) -> Tensor:
    """`1 - 2 * sum(y_true * y_pred) / (sum(y_true) + sum(y_pred))` over `axis`, over all axes for None: a scalar.

    (Sudre et al., 2017.)
    """
    y_pred = floating_predictions(y_pred)
    y_true = cast(y_true, y_pred.dtype)
    both = reduce_sum(y_true * y_pred, axis)
    return 1 - 2 * both / (reduce_sum(y_true, axis) + reduce_sum(y_pred, axis) + epsilon())


def tversky(
    y_true: Any, y_pred: Any, alpha: float = 0.5, beta: float = 0.5,
    axis: int | Sequence[int] | None = None
) -> Tensor:  # fmt: skip
    """`1 - both / (both + alpha * missed + beta * wrong)`, each a sum over `axis`, over all axes for None.

    `both` sums `y_true * y_pred`, `missed` `y_true * (1 - y_pred)`, `wrong` `(1 - y_true) * y_pred`
    (Salehi et al., 2017). With 0.5 and 0.5 this is `dice`.
    """
    y_pred = floating_predictions(y_pred)
    y_true = cast(y_true, y_pred.dtype)
    both = reduce_sum(y_true * y_pred, axis)
    missed, wrong = reduce_sum((1 - y_pred) * y_true, axis), reduce_sum(y_pred * (1 - y_true), axis)
    return 1 - both / (both + missed * alpha + wrong * beta + epsilon())


def circle(
    y_true: Any, y_pred: Any, ref_labels: TensorLike | None = None, ref_embeddings: TensorLike | None = None,
    remove_diagonal: bool = True, gamma: float = 80, margin: float = 0.4
) -> Any:  # fmt: skip
    """How far samples of one class lie apart, and of different ones together (Sun et al., 2020): shape (samples,).

    Parameters
    ----------
    y_true: the class of each sample, as an integer.
    y_pred: their embeddings (samples, size), each of length 1.
    ref_labels, ref_embeddings: what they are compared with; themselves when left out.
    remove_diagonal: sample `i` is not compared with reference `i`.
    gamma, margin: the scale of the loss, and how strict it is.
    """
    y_pred = floating_predictions(y_pred)
    y_true = cast(y_true, "int32")
    references = y_pred if ref_embeddings is None else convert_to_tensor(ref_embeddings)
    ref_labels = y_true if ref_labels is None else cast(ref_labels, "int32")
    distance = math.maximum(1 - matmul(y_pred, transpose(references)), 0.0)
    same = reshape(y_true, [-1, 1]) == reshape(ref_labels, [1, -1])
    other = math.logical_not(same)
    if remove_diagonal:
        rows, columns = shape(same)[0], shape(same)[1]
        same = math.logical_and(same, expand_dims(indices(rows), 1) != indices(columns))
    near = -gamma * (margin + distance) * (margin - distance)
    far = gamma * math.maximum(1 + margin - distance, 0.0) * (1 - margin - distance)
    nothing = cast(float("-inf"), distance.dtype)
    scores = [reduce_logsumexp(where(mask, score, nothing), 1) for mask, score in ((same, near), (other, far))]
    loss = nn.softplus(scores[0] + scores[1])
    set_mask(loss, loss > 0)
    return loss


def categorical_generalized_cross_entropy(y_true: TensorLike, y_pred: Any, q: float) -> Tensor:
    """`(1 - p ** q) / q`, `p` the probability in `y_pred` [..., classes] of the class whose number is `y_true`.

    Labels that are wrong do little harm (Zhang & Sabuncu, 2018).
    """
    y_pred = floating_predictions(y_pred)
    right = expand_dims(cast(y_true, "int32"), -1) == indices(shape(y_pred)[-1])
    return (1 - reduce_sum(y_pred * cast(right, y_pred.dtype), -1) ** q) / q
