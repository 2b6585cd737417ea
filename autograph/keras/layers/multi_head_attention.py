"""Attention of several heads, along any axes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from autograph.runtime.ops.elementwise.dropout import dropout
from autograph.runtime.ops.elementwise.elementwise import cast, where
from autograph.runtime.ops.elementwise.math import logical_and
from autograph.runtime.ops.elementwise.nn import softmax
from autograph.runtime.ops.infer import require
from autograph.runtime.ops.linalg.linalg import einsum
from autograph.runtime.ops.shape.shape import expand_dims, shape

from .. import activations
from ..base.layer import Layer
from .attention import LEAST, EinsumDense, causal_mask
from .core import known_dimension, positive
from .described import describe, describe_alike

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import ShapeLike, TensorLike

    from ..base.registry import Identifier

__all__ = ["MultiHeadAttention"]

_LETTERS, _OTHERS = "abcdefgh", "ijklmnop"
"""The axes of queries, and of what they look at where these are others."""


class MultiHeadAttention(Layer):
    """Several attentions at once, each on projections of its own (Vaswani et al., 2017).

    Query (batch, n, …, features), value (batch, m, …, features), key like value; outputs (batch, n, …, size of the
    query's last axis, or ``output_shape``). For each of ``num_heads`` heads query and key are projected to ``key_dim``
    features, the value to ``value_dim`` (``key_dim`` when left out); scores are divided by the root of ``key_dim``. The
    layers inside are ``query_dense``, ``key_dense``, ``value_dense`` and ``output_dense``. ``attention_axes``: the axes
    whose places see each other, one or several: all between the batch and the features when left out.

    Raises `ValueError` for axes that are no numbers, and for ``use_gate`` and ``sliding_window``.
    """

    settings: tuple[str, ...] = (
        "num_heads", "key_dim", "value_dim", "dropout", "use_bias", "use_gate", "output_shape", "attention_axes",
        "sliding_window", "kernel_initializer", "bias_initializer", "kernel_regularizer", "bias_regularizer",
        "activity_regularizer", "kernel_constraint", "bias_constraint", "seed",
    )  # fmt: skip

    def __init__(
        self, num_heads: int, key_dim: int, value_dim: int | None = None, dropout: float = 0.0, use_bias: bool = True,
        output_shape: ShapeLike = None, attention_axes: Any = None,
        kernel_initializer: Identifier = "glorot_uniform",
        bias_initializer: Identifier = "zeros", kernel_regularizer: Identifier = None,
        bias_regularizer: Identifier = None, activity_regularizer: Identifier = None,
        kernel_constraint: Identifier = None, bias_constraint: Identifier = None, seed: int | None = None,
        **kwargs: Any
    ) -> None:  # fmt: skip
        self.use_gate, self.sliding_window = kwargs.pop("use_gate", False), kwargs.pop("sliding_window", None)
        require(not self.use_gate and self.sliding_window is None, "MultiHeadAttention has no use_gate and no "
                "sliding_window: pass an attention_mask for a window")  # fmt: skip
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.supports_masking = True
        self.num_heads = positive("num_heads", num_heads)
        self.num_key_heads = self.num_heads
        self.key_dim = positive("key_dim", key_dim)
        self.value_dim = self.key_dim if value_dim is None else positive("value_dim", value_dim)
        self.dropout = dropout
        self.use_bias = use_bias
        self.output_shape = output_shape
        axes = (attention_axes,) if isinstance(attention_axes, int) else attention_axes
        require(axes is None or isinstance(axes, (list, tuple)), "`attention_axes` must be an int, list, or tuple."
                f"Received: attention_axes={attention_axes}")  # fmt: skip
        self.attention_axes = axes if axes is None else tuple(axes)
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
        self, query_shape: Any, value_shape: Any, key_shape: Any = None
    ) -> None:
        """Make the projections; the last axes of query, value and key must be known."""
        key_shape = value_shape if key_shape is None else key_shape
        rank = len(query_shape)
        require(rank == len(key_shape), f"query, key and value are of one rank, not {query_shape} and {key_shape}")
        axes = tuple(range(1, rank - 1)) if self.attention_axes is None else self.attention_axes
        self.attention_axes = tuple(axis % rank for axis in axes)
        here, _ = self._letters(rank)
        heads = [None] * (rank - 2) + [self.num_heads]
        fewer = [*heads[:-1], self.num_key_heads]
        parts = (("query", query_shape, heads, self.key_dim), ("key", key_shape, fewer, self.key_dim),
                 ("value", value_shape, fewer, self.value_dim))  # fmt: skip
        for name, given, heads, size in parts:
            known_dimension(self, given, -1)
            layer = self._dense(f"{here}z,zxy->{here}xy", [*heads, size], "xy", name)
            layer.build(given)
            setattr(self, f"{name}_dense", layer)
        sizes = self.output_shape if self.output_shape is not None else (query_shape[-1],)
        sizes = (sizes,) if isinstance(sizes, int) else tuple(sizes)
        letters = "stuvw"[: len(sizes)]
        self.output_dense = self._dense(f"{here}xy,xy{letters}->{here}{letters}", [*fewer[:-1], *sizes], letters,
                                        "attention_output")  # fmt: skip
        self.output_dense.build((*query_shape[:-1], self.num_heads, self.value_dim))

    def _letters(self, rank: int) -> tuple[str, str]:
        """The axes of query and of value, but for the features: the same but where attention is along them."""
        here = _LETTERS[: rank - 1]
        return here, "".join(_OTHERS[i] if i in (self.attention_axes or ()) else here[i] for i in range(rank - 1))

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
        axes = self.attention_axes or ()
        here, there = self._letters(len(projected.static_shape) - 1)
        table = "".join([each for i, each in enumerate(here) if i not in axes]) + "x"
        table += "".join([here[i] for i in axes] + [there[i] for i in axes])
        scores = einsum(f"{here}xy,{there}xy->{table}", projected, self._wide(self.key_dense(key)))
        if seen is not None:
            while len(seen.static_shape) < len(table):
                seen = expand_dims(seen, -2 * len(axes) - 1)
            scores = where(seen, scores, LEAST[scores.dtype.name])
        weights = softmax(scores) if len(axes) == 1 else activations.softmax(scores, tuple(range(-len(axes), 0)))
        kept = dropout(weights, self.dropout, seed=self.seed) if training and self.dropout else weights
        outputs = self.output_dense(einsum(f"{table},{there}xy->{here}xy", kept, self._wide(self.value_dense(value))))
        return (outputs, weights) if return_attention_scores else outputs

    def _wide(self, projected: Any) -> Any:
        """Keys or values with as many heads as queries."""
        return projected

    def _seen(self, query: object, value: Any, masks: tuple[Any, ...], causal: bool) -> Any:
        """Which values each query sees, (batch, n, m); None for all."""
        query_mask, value_mask, key_mask, found = masks
        found = None if found is None else cast(found, "bool")
        wide = [
            None if query_mask is None else cast(query_mask, "bool")[:, :, None],
            None if value_mask is None else cast(value_mask, "bool")[:, None, :],
            None if key_mask is None else cast(key_mask, "bool")[:, None, :],
            causal_mask(shape(query)[1], shape(value)[1])[None] if causal else None,
        ]
        for each in wide:
            if each is not None:
                found = each if found is None else logical_and(found, each)
        return found

    def compute_mask(self, inputs: TensorLike, mask: object = None) -> Any:
        """The mask of the query."""
        return mask
