"""The modes under which converted code runs while PyTorch traces it: what it calls is recorded in the scope at hand."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from . import numbers
from .programs import tensors_in
from .reading import READING
from .scopes import Scope, Trace


class _Local(threading.local):
    scope: Scope | None = None


_local = _Local()


def scope() -> Scope:
    """The body that is being recorded."""
    assert _local.scope is not None
    return _local.scope


class _Functions(TorchFunctionMode):
    """Records calls of PyTorch's functions."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        found = _local.scope
        assert found is not None
        special = READING.get(getattr(func, "__name__", ""))
        if special is not None:
            result = special(found, func, *args, **(kwargs or {}))
            if result is not NotImplemented:
                return result
        if found.trace.numbers:
            return numbers.called(found, func, args, kwargs or {})
        return found.call(func, *args, **(kwargs or {}))


class _Operators(TorchDispatchMode):
    """Notes what PyTorch's operators make, and whether they may run where Python doesn't run them."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        found = _local.scope
        if found is not None:
            found.trace.made.update((id(each), each) for _, each in tensors_in(result))
            if found.is_cheap and not _is_cheap(func):
                found.is_cheap = False
        return result


_CHEAP = frozenset(("any", "all", "sum", "amax", "amin", "view", "reshape", "detach", "scalar_tensor", "_to_copy"))


def _is_cheap(operator: Any) -> bool:
    if torch.Tag.nondeterministic_seeded in operator.tags:
        return False
    return torch.Tag.pointwise in operator.tags or operator.overloadpacket.__name__ in _CHEAP


@contextmanager
def recorded(trace: Trace) -> Iterator[Scope]:
    """Records what runs inside as a whole program."""
    with _Operators(), _Functions(), inner(Scope(trace, None)) as found:
        yield found


@contextmanager
def inner(found: Scope) -> Iterator[Scope]:
    """Records what runs inside as a body of its own."""
    before, _local.scope = _local.scope, found
    try:
        yield found
    finally:
        _local.scope = before
