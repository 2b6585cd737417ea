"""What a layer's arguments say of its weights: how each begins, is penalized and is bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import constraints, initializers, regularizers
from ..base.layer import Layer

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import ShapeLike

    from ..base.registry import Identifier

__all__ = ["add_described", "describe", "describe_alike"]


def describe(
    layer: Layer, weight: str, initializer: Identifier, regularizer: Identifier = None, constraint: Identifier = None
) -> None:
    """Keep what the arguments say of a weight as attributes of the layer: ``kernel_initializer`` and so on.

    Raises `ValueError` for names that are not known.
    """
    setattr(layer, f"{weight}_initializer", initializers.get(initializer))
    setattr(layer, f"{weight}_regularizer", regularizers.get(regularizer))
    setattr(layer, f"{weight}_constraint", constraints.get(constraint))


def describe_alike(layer: Layer, weight: str, other: Layer) -> None:
    """Say of a layer's weight what another layer says of its own; without a seed, its numbers are others."""
    initializer = getattr(other, f"{weight}_initializer")
    if isinstance(initializer, initializers.Initializer):
        initializer = initializer.clone()
    describe(
        layer, weight, initializer, getattr(other, f"{weight}_regularizer"), getattr(other, f"{weight}_constraint")
    )


def add_described(
    layer: Layer, weight: str, shape: ShapeLike, name: str | None = None, initializer: Identifier = None
) -> Any:
    """The weight that `describe` was told of; ``name`` and ``initializer`` where it has others than those."""
    return layer.add_weight(
        shape, initializer or getattr(layer, f"{weight}_initializer"), name=name or weight,
        regularizer=getattr(layer, f"{weight}_regularizer"), constraint=getattr(layer, f"{weight}_constraint"),
    )  # fmt: skip
