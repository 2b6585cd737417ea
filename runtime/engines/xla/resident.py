"""Arrays that stay where XLA's programs have put them, on one device or on several, between these programs.

Whoever holds such an array has one of NumPy: a view of it (on a CPU; else a copy). The next program that is given this
very array finds the original by it.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from ...base.copies import keep as remember
from ...base.copies import original

__all__ = ["original", "placed", "remember", "view"]


def view(x: Any) -> np.ndarray:
    """A view of an array of JAX, which `original` knows."""
    made = np.asarray(x)
    remember(made, x)
    return made


def placed(x: np.ndarray, sharding: Any) -> Any:
    """The array of JAX, laid out over devices, that an array of NumPy stands for from now on."""
    found = original(x)
    if isinstance(found, jax.Array) and found.sharding.is_equivalent_to(sharding, x.ndim):
        return found
    with jax.enable_x64(True):
        made = jax.device_put(found, sharding)
    remember(x, made)
    return made
