"""The learning rates of a model: one, or those of the optimizers that a `MultiOptimizer` has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .training import Trainer

__all__ = ["inner_optimizers", "learning_rates"]


def inner_optimizers(model: Trainer) -> list[tuple[str, Any]]:
    """The optimizers that make the steps, each with its name; one alone has the name ""."""
    optimizer = getattr(model.optimizer, "inner_optimizer", model.optimizer)
    several = getattr(optimizer, "optimizers", None)
    return [("", optimizer)] if several is None else [(each.name, each) for each in several]


def learning_rates(model: Trainer) -> dict[str, float]:
    """The learning rates as the logs have them: ``learning_rate``, or ``learning_rate_adam`` and so on."""
    return {f"learning_rate_{name}" if name else "learning_rate": float(np.asarray(each.learning_rate))
            for name, each in inner_optimizers(model)}  # fmt: skip
