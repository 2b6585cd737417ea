"""Attention, and dense layers by an equation."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.ops.elementwise.dropout import dropout
from autograph.runtime.ops.elementwise.elementwise import cast, where
from autograph.runtime.ops.elementwise.math import logical_and, tanh
from autograph.runtime.ops.elementwise.nn import softmax
from autograph.runtime.ops.linalg.linalg import band_part, einsum, matmul
from autograph.runtime.ops.reduce.reduce import reduce_sum
from autograph.runtime.ops.shape.create import ones
from autograph.runtime.ops.shape.shape import expand_dims, shape

from .. import activations
from ..base.layer import Layer
from .core import in_own_dtype, known_dimension, positive
from .described import add_described, describe, describe_alike

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import ShapeLike, TensorLike
    from autograph.runtime.tensors.tensor import Tensor

    from ..base.registry import Identifier

__all__ = ["AdditiveAttention", "Attention", "EinsumDense", "MultiHeadAttention"]


# What stands for minus infinity in scores.
_LEAST = {"float16": -3e4, "float32": -1e9, "float64": -1e9}


class EinsumDense(Layer):
    """``activation(einsum(equation, inputs, kernel) + bias)``.

    Parameters
    ----------
    equation: such as ``"abc,cd->abd"``; ``...`` stands for any axes in front or behind.
    output_shape: the sizes of the outputs' axes behind the batch; None for those that the inputs have.
    bias_axes: the letters of the outputs' axes that the bias has; no bias when left out.

    Raises `ValueError` for an equation that can't be, or sizes that are not known.
    """

    settings = (
        "equation", "output_shape", "activation", "bias_axes", "kernel_initializer", "bias_initializer",
        "kernel_regularizer", "bias_regularizer", "activity_regularizer", "kernel_constraint", "bias_constraint",
    )  # fmt: skip

    def __init__(
        self, equation: str, output_shape: Any, activation: Identifier = None, bias_axes: str | None = None,
        kernel_initializer: Identifier = "glorot_uniform", bias_initializer: Identifier = "zeros",
        kernel_regularizer: Identifier = None, bias_regularizer: Identifier = None,
        kernel_constraint: Identifier = None, bias_constraint: Identifier = None, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.equation = equation
        self.output_shape = (output_shape,) if isinstance(output_shape, int) else tuple(output_shape)
        self.activation = activations.get(activation)
        self.bias_axes = bias_axes
        describe(self, "kernel", kernel_initializer, kernel_regularizer, kernel_constraint)
        describe(self, "bias", bias_initializer, bias_regularizer, bias_constraint)
        self.kernel: Any = None
        self.bias: Any = None

    def _sizes(self, input_shape: Any) -> tuple[list[Any], list[Any] | None]:
        """The shapes of the kernel and of the bias."""
        match = re.fullmatch(r"(\.\.\.)?([a-zA-Z]+)(\.\.\.)?,([a-zA-Z]+)->(\.\.\.)?([a-zA-Z]+)(\.\.\.)?", self.equation)
        if match is None:
            raise InvalidArgumentError(
                f"Invalid einsum equation '{self.equation}'. Equations must be in the form [X],[Y]->[Z], ...[X],[Y]->"
                "...[Z], or [X]...,[Y]->[Z]...."
            )
        front, inputs, _, kernel, _, outputs, _ = match.groups()
        if front:  # the last axes have letters
            given = dict(zip(inputs[::-1], input_shape[::-1], strict=False))
            sizes = dict(zip(outputs[::-1], self.output_shape[::-1], strict=False))
        else:
            given = dict(zip(inputs, input_shape, strict=False))
            sizes = dict(zip(outputs[1:], self.output_shape, strict=False))
        for letter, size in given.items():
            known = sizes.setdefault(letter, size)
            sizes[letter] = size if known is None else known
            if size is not None and letter in outputs and sizes[letter] != size:
                raise InvalidArgumentError(
                    f"Input shape and output shape do not match at shared dimension '{letter}'. Input shape is {size}, "
                    f"and output shape is {sizes[letter]}."
                )
        missing = [letter for letter in kernel if sizes.get(letter) is None]
        if missing:
            raise InvalidArgumentError(f"Weight dimension '{missing[0]}' did not have a match in either the input spec "
                             f"'{inputs}' or the output spec '{outputs}'.")  # fmt: skip
        return [sizes[letter] for letter in kernel], self._bias_sizes(outputs, sizes)

    def _bias_sizes(self, outputs: str, sizes: dict[str, Any]) -> list[Any] | None:
        if self.bias_axes is None:
            return None
        unknown = [letter for letter in self.bias_axes if letter not in outputs]
        if unknown:
            raise InvalidArgumentError(
                f"Bias dimension '{unknown[0]}' was requested, but is not part of the output spec '{outputs}'"
            )
        first = min(outputs.find(letter) for letter in self.bias_axes)
        return [sizes[letter] if letter in self.bias_axes else 1 for letter in outputs[first:]]

    def build(self, input_shape: Any) -> None:
        """Make the weights; the sizes of the kernel's axes must be known."""
        kernel, bias = self._sizes(tuple(input_shape))
        self.kernel = add_described(self, "kernel", kernel)
        if bias is not None:
            self.bias = add_described(self, "bias", bias)

    def call(self, inputs: object) -> Any:
        """The outputs of the equation."""
        outputs = einsum(self.equation, in_own_dtype(self, inputs), self.kernel.value())
        return self.activation(outputs if self.bias is None else outputs + self.bias.value())


class Attention(Layer):
    """``softmax(scores) @ value`` for a list of query, value and, if it is another tensor, key.

    Query (batch, n, features), value (batch, m, features), key like value; outputs (batch, n, features). The scores
    (batch, n, m) are the products of query and key (Luong et al., 2015), times a learnt ``scale`` with ``use_scale``;
    with ``score_mode="concat"`` the sums of ``tanh(scale * (query + key))``, times a learnt number. Where the mask of
    the value is False it has no part; where the mask of the query is False the outputs are 0. Raises `ValueError` for
    what is no list of two or three tensors.
    """

    settings: tuple[str, ...] = ("use_scale", "score_mode", "dropout", "seed")

    def __init__(
        self, use_scale: bool = False, score_mode: str = "dot", dropout: float = 0.0, seed: int | None = None,
        **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        if score_mode not in ("dot", "concat"):
            raise InvalidArgumentError(
                "Invalid value for argument score_mode. Expected one of {'dot', 'concat'}. Received: "
                f"score_mode={score_mode}"
            )
        self.use_scale = use_scale
        self.score_mode = score_mode
        self.dropout = dropout
        self.seed = seed
        self.supports_masking = True
        self.scale: Any = None
        self.concat_score_weight: Any = None

    def build(self, input_shape: Any) -> None:
        """Make the weights that the scores have."""
        self._check(input_shape)
        if self.use_scale:
            self.scale = self.add_weight((), "ones", name="scale")
        if self.score_mode == "concat":
            self.concat_score_weight = self.add_weight((), "ones", name="concat_score_weight")

    def _check(self, inputs: TensorLike) -> None:
        if not isinstance(inputs, (list, tuple)) or len(inputs) not in (2, 3):
            raise InvalidArgumentError(
                f"{type(self).__name__} layer accepts inputs list of length 2 or 3, namely [query, value] or [query, "
                f"value, key]. Received: {inputs!r}"
            )

    def _scores(self, query: Any, key: Any) -> Any:
        scale = 1.0 if self.scale is None else self.scale.value()
        if self.score_mode == "dot":
            return matmul(query, key, transpose_b=True) * scale
        sums = expand_dims(query, -2) + expand_dims(key, -3)
        return self.concat_score_weight.value() * reduce_sum(tanh(scale * sums), -1)

    def call(
        self, inputs: Any, mask: Any = None, return_attention_scores: bool = False,
        training: bool | Tensor | None = False, use_causal_mask: bool = False,
    ) -> Any:  # fmt: skip
        """The outputs, and with ``return_attention_scores`` the scores after softmax.

        ``mask``: a list with the masks of query and value, which may be None. ``use_causal_mask``: the query at a
        place sees the values up to that place.
        """
        self._check(inputs)
        query, value = inputs[:2]
        key = inputs[2] if len(inputs) > 2 else value
        query_mask, value_mask = (None, None) if mask is None else (mask[0], mask[1])
        scores = self._scores(query, key)
        seen = None if value_mask is None else expand_dims(cast(value_mask, "bool"), -2)
        if use_causal_mask:
            sizes = shape(scores)
            causal = _causal(sizes[-2], sizes[-1])[None]
            seen = causal if seen is None else logical_and(seen, causal)
        if seen is not None:
            least = -1e9 if scores.dtype.size > 2 else -65504.0
            scores = scores + least * cast(~seen, scores.dtype)
        weights = softmax(scores)
        if training and self.dropout:
            weights = dropout(weights, self.dropout, seed=self.seed)
        outputs = matmul(weights, value)
        if query_mask is not None:
            outputs = outputs * expand_dims(cast(query_mask, outputs.dtype), -1)
        return (outputs, weights) if return_attention_scores else outputs

    def compute_mask(self, inputs: TensorLike, mask: object = None) -> Any:
        """The mask of the query."""
        return mask[0] if isinstance(mask, (list, tuple)) else None


class AdditiveAttention(Attention):
    """`Attention` with the sums of ``scale * tanh(query + key)`` for scores (Bahdanau et al., 2015).

    With ``use_scale`` there is a learnt ``scale`` for each feature.
    """

    settings = ("use_scale", "dropout")

    def __init__(self, use_scale: bool = True, dropout: float = 0.0, **kwargs: Any) -> None:
        super().__init__(use_scale=use_scale, dropout=dropout, **kwargs)

    def build(self, input_shape: Any) -> None:
        """Make ``scale``; the number of features must be known."""
        self._check(input_shape)
        if self.use_scale:
            size = known_dimension(self, input_shape[0], -1)
            self.scale = self.add_weight((size,), "glorot_uniform", name="scale")

    def _scores(self, query: Any, key: Any) -> Any:
        scale = 1.0 if self.scale is None else self.scale.value()
        return reduce_sum(scale * tanh(expand_dims(query, -2) + expand_dims(key, -3)), -1)


def _causal(rows: TensorLike, columns: object) -> Any:
    return cast(band_part(ones([rows, columns]), -1, 0), "bool")


class MultiHeadAttention(Layer):
    """Several attentions at once, each on projections of its own (Vaswani et al., 2017).

    Query (batch, n, …), value (batch, m, …), key like value; outputs (batch, n, size of the query's last axis, or
    ``output_shape``). For each of ``num_heads`` heads query and key are projected to ``key_dim`` features, the value to
    ``value_dim`` (``key_dim`` when left out); scores are divided by the root of ``key_dim``. The layers inside are
    ``query_dense``, ``key_dense``, ``value_dense`` and ``output_dense``.
    """

    settings = (
        "num_heads", "key_dim", "value_dim", "dropout", "use_bias", "output_shape", "kernel_initializer",
        "bias_initializer", "kernel_regularizer", "bias_regularizer", "activity_regularizer", "kernel_constraint",
        "bias_constraint", "seed",
    )  # fmt: skip

    def __init__(
        self, num_heads: int, key_dim: int, value_dim: int | None = None, dropout: float = 0.0, use_bias: bool = True,
        output_shape: ShapeLike = None, kernel_initializer: Identifier = "glorot_uniform",
        bias_initializer: Identifier = "zeros", kernel_regularizer: Identifier = None,
        bias_regularizer: Identifier = None, activity_regularizer: Identifier = None,
        kernel_constraint: Identifier = None, bias_constraint: Identifier = None, seed: int | None = None,
        **kwargs: Any
    ) -> None:  # fmt: skip
        if kwargs.pop("attention_axes", None) is not None:
            raise InvalidArgumentError("MultiHeadAttention knows attention along the second axis only")
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.supports_masking = True
        self.num_heads = positive("num_heads", num_heads)
        self.key_dim = positive("key_dim", key_dim)
        self.value_dim = self.key_dim if value_dim is None else positive("value_dim", value_dim)
        self.dropout = dropout
        self.use_bias = use_bias
        self.output_shape = output_shape
        describe(self, "kernel", kernel_initializer, kernel_regularizer, kernel_constraint)
        describe(self, "bias", bias_initializer, bias_regularizer, bias_constraint)
        self.seed = seed
        self.query_dense: Any = None
        self.key_dense: Any = None
        self.value_dense: Any = None
        self.output_dense: Any = None

    def _dense(self, equation: str, output_shape: ShapeLike, bias_axes: str, name: str) -> EinsumDense:
        layer = EinsumDense(
            equation, output_shape, bias_axes=bias_axes if self.use_bias else None, name=name, dtype=self.dtype
        )
        for weight in ("kernel", "bias"):
            describe_alike(layer, weight, self)
        return layer

    def build(  # type: ignore[override]  # by the names of the arguments
        self, query_shape: Any, value_shape: object, key_shape: object = None
    ) -> None:
        """Make the projections; the last axes of query, value and key must be known."""
        key_shape = value_shape if key_shape is None else key_shape
        heads = [None, self.num_heads]
        parts = (("query", query_shape, self.key_dim), ("key", key_shape, self.key_dim),
                 ("value", value_shape, self.value_dim))  # fmt: skip
        for name, given, size in parts:
            known_dimension(self, given, -1)
            layer = self._dense("abc,cde->abde", [*heads, size], "de", name)
            layer.build(given)
            setattr(self, f"{name}_dense", layer)
        sizes = self.output_shape if self.output_shape is not None else (query_shape[-1],)
        sizes = (sizes,) if isinstance(sizes, int) else tuple(sizes)
        letters = "defgh"[: len(sizes)]
        self.output_dense = self._dense(f"abcx,cx{letters}->ab{letters}", [None, *sizes], letters, "attention_output")
        self.output_dense.build((*query_shape[:2], self.num_heads, self.value_dim))

    def call(
        self, query: object, value: TensorLike, key: Any = None, query_mask: object = None, value_mask: object = None,
        key_mask: object = None, attention_mask: object = None, return_attention_scores: bool = False,
        training: Any = None, use_causal_mask: bool = False
    ) -> Any:  # fmt: skip
        """The outputs, and with ``return_attention_scores`` the scores (batch, heads, n, m) after softmax.

        ``attention_mask`` (batch, n, m): which values each query sees; ``use_causal_mask``: those up to its own place.
        """
        key = value if key is None else key
        seen = self._seen(query, value, (query_mask, value_mask, key_mask, attention_mask), use_causal_mask)
        projected = self.query_dense(query) * (1.0 / math.sqrt(self.key_dim))
        scores = einsum("abch,adch->acbd", projected, self.key_dense(key))
        if seen is not None:
            scores = where(expand_dims(seen, 1), scores, _LEAST[scores.dtype.name])
        weights = softmax(scores)
        kept = dropout(weights, self.dropout, seed=self.seed) if training and self.dropout else weights
        outputs = self.output_dense(einsum("acbd,adch->abch", kept, self.value_dense(value)))
        return (outputs, weights) if return_attention_scores else outputs

    def _seen(self, query: object, value: Any, masks: tuple[Any, ...], causal: bool) -> Any:
        """Which values each query sees, (batch, n, m); None for all."""
        query_mask, value_mask, key_mask, found = masks
        found = None if found is None else cast(found, "bool")
        wide = [
            None if query_mask is None else cast(query_mask, "bool")[:, :, None],
            None if value_mask is None else cast(value_mask, "bool")[:, None, :],
            None if key_mask is None else cast(key_mask, "bool")[:, None, :],
            _causal(shape(query)[1], shape(value)[1])[None] if causal else None,
        ]
        for each in wide:
            if each is not None:
                found = each if found is None else logical_and(found, each)
        return found

    def compute_mask(self, inputs: TensorLike, mask: object = None) -> Any:
        """The mask of the query."""
        return mask
