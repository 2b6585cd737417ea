"""`autograph.jax`: Python control flow under JAX's transformations.

A function that `autograph.convert()` has converted may use `if`, `while`, `for`, `break`, `continue`, `return`,
`and`, `or`, `not` and comparisons on what `jax.jit`, `vmap` and the like trace; `jit` here is both in one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, overload

from autograph.errors import MissingExtraError

from ..api import convert

try:
    import jax as _jax
except ImportError as error:
    raise MissingExtraError("autograph.jax needs jax", remedy="pip install 'autograph-py[xla]'") from error

__all__ = ["jit"]

Function = TypeVar("Function", bound=Callable[..., Any])


@overload
def jit(function: Function, /, **options: Any) -> Function: ...


@overload
def jit(function: None = None, /, **options: Any) -> Callable[[Function], Function]: ...


def jit(function: Any = None, /, **options: Any) -> Any:
    """``jax.jit(autograph.convert(function), **options)``, also as a decorator, with or without options.

    >>> import autograph.jax
    >>> @autograph.jax.jit
    ... def collatz(n):
    ...     steps = 0
    ...     while n != 1:
    ...         n = n // 2 if n % 2 == 0 else 3 * n + 1
    ...         steps += 1
    ...     return steps
    >>> print(collatz(27))
    111

    Raises:
        BranchMismatchError: when it is traced: the branches of an `if`, or the turns of a loop, give a variable values
            of shapes or structures of which JAX can't choose one.
        MutationError: a branch or a loop changes a list, a dict, an object or an array in place.
        UnimplementedError: a branch or a loop raises an exception.
    """
    if function is None:
        return partial(jit, **options)
    return _jax.jit(convert(function), **options)
