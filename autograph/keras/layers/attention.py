"""Attention, and dense layers by an equation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.ops.elementwise.dropout import dropout
from autograph.runtime.ops.elementwise.elementwise import cast
from autograph.runtime.ops.elementwise.math import logical_and, tanh
from autograph.runtime.ops.elementwise.nn import softmax
from autograph.runtime.ops.linalg.linalg import band_part, einsum, matmul
from autograph.runtime.ops.reduce.reduce import reduce_sum
from autograph.runtime.ops.shape.create import ones
from autograph.runtime.ops.shape.shape import expand_dims, shape

from .. import activations
from ..base.layer import Layer
from .core import in_own_dtype, known_dimension
from .described import add_described, describe

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import TensorLike
    from autograph.runtime.tensors.tensor import Tensor

    from ..base.registry import Identifier

__all__ = ["AdditiveAttention", "Attention", "EinsumDense"]


# What stands for minus infinity in scores.
LEAST = {"float16": -3e4, "float32": -1e9, "float64": -1e9}


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
            causal = causal_mask(sizes[-2], sizes[-1])[None]
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


def causal_mask(rows: TensorLike, columns: object) -> Any:
    return cast(band_part(ones([rows, columns]), -1, 0), "bool")
