"""Attention in which several heads of queries share a head of keys and values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograph.runtime.ops.infer import require
from autograph.runtime.ops.shape.joining import repeat

from .core import positive
from .multi_head_attention import MultiHeadAttention

if TYPE_CHECKING:
    from ..base.registry import Identifier

__all__ = ["GroupQueryAttention"]


class GroupQueryAttention(MultiHeadAttention):
    """`MultiHeadAttention` with fewer heads of keys and values than of queries (Ainslie et al., 2023).

    Query (batch, n, features), value (batch, m, features), key like value; outputs (batch, n, features of the query).
    Each head has ``head_dim`` features. Raises `ValueError` where ``num_query_heads`` is no multiple of
    ``num_key_value_heads``, for ``use_gate`` and ``sliding_window``.
    """

    settings = (
        "head_dim", "num_query_heads", "num_key_value_heads", "use_bias", "use_gate", "sliding_window", "dropout",
        "kernel_initializer", "bias_initializer", "kernel_regularizer", "bias_regularizer", "activity_regularizer",
        "kernel_constraint", "bias_constraint", "seed",
    )  # fmt: skip

    def __init__(
        self, head_dim: int, num_query_heads: int, num_key_value_heads: int, dropout: float = 0.0,
        use_bias: bool = True, flash_attention: Any = None, kernel_initializer: Identifier = "glorot_uniform",
        bias_initializer: Identifier = "zeros", **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(
            num_query_heads, head_dim, None, dropout, use_bias, kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer, **kwargs
        )  # fmt: skip
        self.head_dim, self.num_query_heads = self.key_dim, self.num_heads
        self.num_key_value_heads = self.num_key_heads = positive("num_key_value_heads", num_key_value_heads)
        require(self.num_heads % self.num_key_heads == 0,
                "`num_query_heads` must be divisible by `num_key_value_heads`.")  # fmt: skip

    def _wide(self, projected: Any) -> Any:
        return repeat(projected, self.num_heads // self.num_key_heads, len(projected.shape) - 2)
