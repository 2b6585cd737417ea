"""Arrays that stay where XLA's programs have put them, on one device or on several, between these programs.

Whoever holds such an array has one of NumPy: a view of it (on a CPU; else a copy). The next program that is given this
very array finds the original by it.

Programs do not take over (donate) the buffers of variables that they set: who else has one is not known. Reading a
variable gives out the array that it holds, as it is, to eager tensors, to views and by DLPack, and on a CPU that is the
buffer of the program itself; what is made of it later must not change. So a step needs room for the old and the new
value. It would not if a variable had a buffer of its own that all reads copy, or that they mark as given out.
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
        made = jax.device_put(found, sharding) if sharding.is_fully_addressable else _part(np.asarray(found), sharding)
    remember(x, made)
    return made


def _part(x: np.ndarray, sharding: Any) -> Any:
    """An array over devices of several processes, each of which has all of it."""
    return jax.make_array_from_callback(x.shape, sharding, lambda index: x[index])
