"""Functions of tensors under the names of `tf.keras.backend`: arrangement, products, activations, losses, chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.operators.staging.folds import map_fn as _map_fn
from autograph.operators.staging.functional import cond
from autograph.runtime.ops.elementwise import dropout as dropouts
from autograph.runtime.ops.elementwise import elementwise, nn
from autograph.runtime.ops.elementwise.elementwise import cast
from autograph.runtime.ops.elementwise.elementwise import stop_gradient as _stop
from autograph.runtime.ops.elementwise.math import log
from autograph.runtime.ops.image.resizing import resize
from autograph.runtime.ops.infer import require
from autograph.runtime.ops.linalg.linalg import matmul, tensordot
from autograph.runtime.ops.random import random
from autograph.runtime.ops.reduce.ctc import ctc_loss
from autograph.runtime.ops.reduce.reduce import reduce_prod, reduce_sum
from autograph.runtime.ops.shape import create, joining
from autograph.runtime.ops.shape import gather as gathers
from autograph.runtime.ops.shape import shape as shapes
from autograph.runtime.ops.shape.joining import tile
from autograph.runtime.ops.shape.shape import reshape, shape
from autograph.runtime.ops.shape.sort import in_top_k as _in_top_k
from autograph.runtime.tensors.convert import convert_to_tensor

from ..activations import relu as _relu
from ..base.defaults import epsilon, floatx, image_data_format

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import DTypeLike, ShapeLike, TensorLike
    from autograph.runtime.tensors.tensor import Tensor

__all__ = [
    "arange", "batch_dot", "batch_flatten", "bias_add", "binary_crossentropy", "categorical_crossentropy",
    "clip", "concatenate", "ctc_batch_cost", "dot", "dropout", "elu", "expand_dims", "flatten", "gather",
    "hard_sigmoid", "in_top_k", "l2_normalize", "map_fn", "one_hot", "permute_dimensions", "random_bernoulli",
    "random_normal", "random_uniform", "relu", "repeat", "repeat_elements", "resize_images", "reverse",
    "softmax", "spatial_2d_padding", "stop_gradient", "switch", "temporal_padding", "transpose",
    "truncated_normal",
]  # fmt: skip


def _rank(x: Any) -> int | None:
    found = x.static_shape if hasattr(x, "static_shape") else np.shape(x)
    return None if found is None else len(found)


def _is_first(data_format: str | None) -> bool:
    data_format = data_format or image_data_format()
    require(data_format in ("channels_first", "channels_last"), f"Unknown data_format: {data_format}")
    return data_format == "channels_first"


# Arrangement.


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: DTypeLike = "int32") -> Tensor:
    """The numbers from a start (0) up to a stop."""
    return cast(create.range(start, stop, step) if stop is not None else create.range(0, start, step), dtype)


def batch_flatten(x: TensorLike) -> Tensor:
    """All axes but the first as one."""
    x = convert_to_tensor(x)
    return reshape(x, joining.stack([-1, reduce_prod(shape(x)[1:])]))


def flatten(x: TensorLike) -> Tensor:
    """All axes as one."""
    return reshape(x, [-1])


def expand_dims(x: TensorLike, axis: int = -1) -> Tensor:
    """An axis of length 1 more."""
    return shapes.expand_dims(x, axis)


def permute_dimensions(x: TensorLike, pattern: Any) -> Tensor:
    """The axes in another order."""
    return shapes.transpose(x, pattern)


def transpose(x: TensorLike) -> Tensor:
    """The axes in the opposite order."""
    return shapes.transpose(x)


def reverse(x: TensorLike, axes: Any) -> Tensor:
    """The elements in the opposite order along axes."""
    return shapes.reverse(x, [axes] if isinstance(axes, int) else axes)


def concatenate(tensors: Sequence[TensorLike], axis: int = -1) -> Tensor:
    """Tensors joined along an axis."""
    return joining.concat(tensors, axis)


def gather(reference: TensorLike, indices: TensorLike) -> Tensor:
    """The rows with some numbers."""
    return gathers.gather(reference, indices)


def one_hot(indices: TensorLike, num_classes: int) -> Tensor:
    """Rows with a one at the place that an index says."""
    return create.one_hot(indices, num_classes)


def repeat(x: TensorLike, n: int) -> Tensor:
    """(rows, columns) to (rows, n, columns). Raises `InvalidArgumentError` for another rank."""
    require(_rank(x) == 2, f"Expected input `x` to have rank 2. Received: rank(x)={_rank(x)}")
    return tile(shapes.expand_dims(x, 1), joining.stack([1, n, 1]))


def repeat_elements(x: TensorLike, rep: int, axis: int) -> Tensor:
    """Each element some times, along an axis."""
    return joining.repeat(x, rep, axis)


def temporal_padding(x: TensorLike, padding: Sequence[int] = (1, 1)) -> Tensor:
    """Zeros before and behind the second axis of three."""
    return joining.pad(x, [[0, 0], list(padding), [0, 0]])


def spatial_2d_padding(x: TensorLike, padding: Any = ((1, 1), (1, 1)), data_format: str | None = None) -> Tensor:
    """Zeros around images."""
    first = _is_first(data_format)
    rows, columns = map(list, padding)
    return joining.pad(x, [[0, 0], [0, 0], rows, columns] if first else [[0, 0], rows, columns, [0, 0]])


def resize_images(x: TensorLike, height_factor: int, width_factor: int, data_format: str | None,
                  interpolation: str = "nearest") -> Tensor:  # fmt: skip
    """Images made larger by whole factors."""
    first = _is_first(data_format)
    images = shapes.transpose(x, (0, 2, 3, 1)) if first else convert_to_tensor(x)
    sizes = (images.static_shape or (None,) * 4)[1:3]
    height, width = (shape(images)[axis] if size is None else size for axis, size in enumerate(sizes, 1))
    found = resize(images, (height * height_factor, width * width_factor), interpolation)
    return shapes.transpose(found, (0, 3, 1, 2)) if first else found


# Products, activations, losses.


def dot(x: TensorLike, y: TensorLike) -> Tensor:
    """The product of matrices: of the last axis of one, and the last but one of the other."""
    x, y = convert_to_tensor(x), convert_to_tensor(y)
    ranks = _rank(x) or 0, _rank(y) or 0
    return tensordot(x, y, [[ranks[0] - 1], [ranks[1] - 2]]) if ranks[0] > 2 or ranks[1] > 2 else matmul(x, y)


def batch_dot(x: TensorLike, y: TensorLike, axes: Any = None) -> Tensor:
    """The products of the elements of two batches along an axis of each; a row of a column where all others are gone.

    ``axes``: one axis for both, or a pair: the last one, and the last but one (of a matrix the last) when left out.
    Raises `InvalidArgumentError` for ranks below 2, and the axis of the batch.
    """
    x, y = convert_to_tensor(x), convert_to_tensor(y)
    ranks = _rank(x) or 0, _rank(y) or 0
    require(ranks[0] >= 2 and ranks[1] >= 2, "Cannot do batch_dot on inputs with rank < 2. Received inputs with "
            f"tf.shapes {x.shape} and {y.shape}.")  # fmt: skip
    if axes is None:
        axes = ranks[0] - 1, ranks[1] - (1 if ranks[1] == 2 else 2)
    pair = (axes, axes) if isinstance(axes, int) else tuple(axes)
    first, second = (axis % rank for axis, rank in zip(pair, ranks, strict=True))
    require(first > 0 and second > 0, "Cannot perform batch_dot over axis 0. If your inputs are not batched, add a "
            "dummy batch dimension to your inputs using K.expand_dims(x, 0)")  # fmt: skip
    x = shapes.transpose(x, [i for i in range(ranks[0]) if i != first] + [first])
    y = shapes.transpose(y, [0, second, *[i for i in range(1, ranks[1]) if i != second]])
    left, right = shape(x), shape(y)
    rows = reshape(x, joining.stack([left[0], -1, left[-1]]))
    columns = reshape(y, joining.stack([right[0], right[1], -1]))
    found = reshape(matmul(rows, columns), joining.concat([left[:-1], right[2:]], 0))
    return expand_dims(found) if ranks == (2, 2) else found


def bias_add(x: TensorLike, bias: TensorLike, data_format: str | None = None) -> Tensor:
    """Adds a vector to the channels, or a bias of its own to each place."""
    x, bias = convert_to_tensor(x), convert_to_tensor(bias)
    first = _is_first(data_format)
    sizes = bias.static_shape or ()
    require(len(sizes) in (1, (_rank(x) or 0) - 1), f"Unexpected bias dimensions {len(sizes)}. Expected it to be 1 or "
            f"{(_rank(x) or 0) - 1} dimensions")  # fmt: skip
    if len(sizes) == 1:
        return nn.bias_add(x, bias, "NCHW" if first else "NHWC")
    return x + (reshape(bias, (1, sizes[-1], *sizes[:-1])) if first else shapes.expand_dims(bias, 0))


def clip(x: TensorLike, min_value: Any, max_value: Any) -> Tensor:
    """The elements, or the limit beyond which they are; None is no limit."""
    low, high = (-np.inf if min_value is None else min_value), (np.inf if max_value is None else max_value)
    if isinstance(low, (int, float)) and isinstance(high, (int, float)):
        high = low if high < low else high
    return elementwise.clip_by_value(x, low, high)


def relu(x: TensorLike, alpha: float = 0.0, max_value: float | None = None, threshold: float = 0.0) -> Tensor:
    """`tf.keras.activations.relu`; ``alpha`` is the slope below the threshold."""
    return _relu(x, alpha, max_value, threshold)


def elu(x: TensorLike, alpha: float = 1.0) -> Tensor:
    """``x`` where positive, ``alpha * (exp(x) - 1)`` elsewhere."""
    x = convert_to_tensor(x)
    return nn.elu(x) if alpha == 1 else elementwise.where(x > 0, nn.elu(x), alpha * nn.elu(x))


def hard_sigmoid(x: TensorLike) -> Tensor:
    """``0.2 * x + 0.5`` between 0 and 1, as in Keras 2; `tf.keras.activations.hard_sigmoid` has another slope."""
    return elementwise.clip_by_value(convert_to_tensor(x) * 0.2 + 0.5, 0.0, 1.0)


def softmax(x: TensorLike, axis: int = -1) -> Tensor:
    """``exp(x) / reduce_sum(exp(x))`` along an axis."""
    return nn.softmax(x, axis)


def l2_normalize(x: TensorLike, axis: Any = None) -> Tensor:
    """Divided by the norm along axes."""
    return nn.l2_normalize(x, axis)


def in_top_k(predictions: TensorLike, targets: TensorLike, k: int) -> Tensor:
    """Whether each target is among the k largest predictions."""
    return _in_top_k(targets, predictions, k)


def binary_crossentropy(target: TensorLike, output: TensorLike, from_logits: bool = False) -> Tensor:
    """The cross-entropy of each element."""
    target, output = convert_to_tensor(target), convert_to_tensor(output)
    if from_logits:
        return nn.sigmoid_cross_entropy_with_logits(target, output)
    output = elementwise.clip_by_value(output, epsilon(), 1.0 - epsilon())
    return -(target * log(output + epsilon()) + (1 - target) * log(1 - output + epsilon()))


def ctc_batch_cost(y_true: TensorLike, y_pred: TensorLike, input_length: TensorLike,
                   label_length: TensorLike) -> Tensor:  # fmt: skip
    """Minus the logarithm of the chance of rows of labels, (batch, 1); see `tf.nn.ctc_loss`.

    ``y_true``: (batch, labels); ``y_pred``: (batch, time, classes) after softmax, the last class is the blank;
    the lengths: (batch, 1).
    """
    chances = convert_to_tensor(y_pred)
    steps, counts = (reshape(cast(each, "int32"), [-1]) for each in (input_length, label_length))
    logits = log(chances + epsilon())
    return shapes.expand_dims(ctc_loss(cast(y_true, "int32"), logits, counts, steps, False, blank_index=-1), 1)


def categorical_crossentropy(target: TensorLike, output: TensorLike, from_logits: bool = False,
                             axis: int = -1) -> Tensor:  # fmt: skip
    """The cross-entropy of probabilities, which are divided by their sum."""
    target, output = convert_to_tensor(target), convert_to_tensor(output)
    if from_logits:
        return nn.softmax_cross_entropy_with_logits(target, output, axis)
    output = elementwise.clip_by_value(output / reduce_sum(output, axis, True), epsilon(), 1.0 - epsilon())
    return -reduce_sum(target * log(output), axis)


# Control flow and chance.


def switch(condition: TensorLike, then_expression: Any, else_expression: Any) -> Any:
    """One of two tensors, or what one of two functions gives; where the condition is a tensor, element by element."""
    if callable(then_expression):
        return cond(condition, then_expression, else_expression)
    condition = cast(condition, "bool")
    if _rank(condition) == 0:
        return cond(condition, lambda: then_expression, lambda: else_expression)
    then_expression = convert_to_tensor(then_expression)
    missing = (_rank(then_expression) or 0) - (_rank(condition) or 0)
    for _ in range(missing):
        condition = expand_dims(condition)
    return elementwise.where(condition, then_expression, else_expression)


def map_fn(fn: Any, elems: Any, name: str | None = None, dtype: Any = None) -> Any:
    """What a function gives for each element."""
    return _map_fn(fn, elems, dtype)


def stop_gradient(variables: Any) -> Any:
    """The same numbers, as constants to gradients; of a list or tuple each."""
    return [_stop(x) for x in variables] if isinstance(variables, (list, tuple)) else _stop(variables)


def dropout(x: TensorLike, level: float, noise_shape: Any = None, seed: int | None = None) -> Tensor:
    """Zeros in the place of some elements, the others made larger."""
    return dropouts.dropout(x, level, noise_shape, seed)


def random_normal(shape: ShapeLike, mean: float = 0.0, stddev: float = 1.0, dtype: DTypeLike | None = None,
                  seed: int | None = None) -> Tensor:  # fmt: skip
    """Normal numbers."""
    return random.normal(shape, mean, stddev, dtype or floatx(), seed)


def truncated_normal(shape: ShapeLike, mean: float = 0.0, stddev: float = 1.0, dtype: DTypeLike | None = None,
                     seed: int | None = None) -> Tensor:  # fmt: skip
    """Normal numbers within two deviations."""
    return random.truncated_normal(shape, mean, stddev, dtype or floatx(), seed)


def random_uniform(shape: ShapeLike, minval: float = 0.0, maxval: float = 1.0, dtype: DTypeLike | None = None,
                   seed: int | None = None) -> Tensor:  # fmt: skip
    """Evenly distributed numbers."""
    return random.uniform(shape, minval, maxval, dtype or floatx(), seed)


def random_bernoulli(shape: ShapeLike, p: float = 0.0, dtype: DTypeLike | None = None,
                     seed: int | None = None) -> Tensor:  # fmt: skip
    """Ones with a probability, else zeros."""
    return cast(random.uniform(shape, dtype="float32", seed=seed) <= p, dtype or floatx())
