"""Which Python functions are called as they are, because of the module that they stand in."""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any

FOR_TRACERS = ("jax", "jaxlib", "optax", "equinox", "chex", "jaxtyping")
"""Packages for JAX's tracers: their functions change nothing that they are given, and call functions that they get."""
FOR_TORCH = ("torch", "torchvision", "torchaudio", "functorch", "torchgen")
"""Packages for PyTorch's tensors."""
LEFT_ALONE = {
    *sys.stdlib_module_names, *FOR_TRACERS, *FOR_TORCH, "autograph", "numpy", "gast", "astunparse", "_pytest", "pytest",
    "tqdm",
}  # fmt: skip
"""Top-level modules whose functions are called as they are; `leave_alone` adds one."""

_MIXINS = frozenset(("collections", "collections.abc", "numbers"))
_ORDERING = frozenset(("__lt__", "__le__", "__gt__", "__ge__"))


def leave_alone(module: str) -> None:
    """Has the functions of a top-level module be called as they are from now on."""
    LEFT_ALONE.add(module)


def is_left_alone(function: FunctionType) -> bool:
    """Whether a Python function is called as it is, because of its module."""
    return in_library(function.__globals__)


def in_library(namespace: dict[str, Any]) -> bool:
    """Whether a module's functions are called as they are."""
    module = namespace.get("__name__", "")
    return isinstance(module, str) and module.partition(".")[0] in LEFT_ALONE


def is_mixin(function: FunctionType) -> bool:
    """Whether a function of the standard library is a method over methods of the class that inherits it.

    Those are the methods of `collections.abc`, `numbers` and `collections`, and what `functools.total_ordering` adds.
    Where the class is a user's, a trace converts them. So it does what context managers make of functions.
    """
    module, name = function.__globals__.get("__name__"), function.__code__.co_qualname
    if module == "functools":
        return function.__name__ in _ORDERING and "." not in name
    if module == "contextlib":
        return name == "ContextDecorator.__call__.<locals>.inner"
    return module in _MIXINS and "." in name and "<locals>" not in name
