"""Arrays that stay where XLA's programs have put them, on one device or on several, between these programs.

Whoever holds such an array has one of NumPy: a view of it (on a CPU; else a copy). The next program that is given this
very array finds the original by it.
"""

from __future__ import annotations

import weakref
from typing import Any

import jax
import numpy as np

_originals: dict[int, tuple[weakref.ref[np.ndarray], Any]] = {}
"""JAX's arrays by the identities of NumPy's arrays that stand for them."""


def remember(array: np.ndarray, original: Any) -> None:
    """An array of JAX is what an array of NumPy, which nobody may change, stands for as long as that is there."""
    key = id(array)
    forget = _originals.pop  # modules are taken apart at the end of Python before arrays are
    _originals[key] = weakref.ref(array, lambda _: forget(key, None)), original


def view(x: Any) -> np.ndarray:
    """A view of an array of JAX, which `original` knows."""
    made = np.asarray(x)
    remember(made, x)
    return made


def original(x: np.ndarray) -> Any:
    """The array of JAX that an array stands for, or the array itself."""
    found = _originals.get(id(x))
    return found[1] if found is not None and found[0]() is x else x


def placed(x: np.ndarray, sharding: Any) -> Any:
    """The array of JAX, laid out over devices, that an array of NumPy stands for from now on."""
    found = original(x)
    if isinstance(found, jax.Array) and found.sharding.is_equivalent_to(sharding, x.ndim):
        return found
    with jax.enable_x64(True):
        made = jax.device_put(found, sharding)
    remember(x, made)
    return made
