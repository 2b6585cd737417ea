"""`autograph.torch`: Python control flow in PyTorch's modules, under `torch.compile` and `torch.export`.

A function that `autograph.convert()` has converted may use `if`, `while`, `for`, `break`, `continue`, `return`, `and`,
`or`, `not` and comparisons on tensors that PyTorch traces; `convert` here does that to the modules of a model.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType
from typing import Any, TypeVar

from autograph.errors import InvalidTypeError, MissingExtraError

from ..api import convert as _convert
from ..operators.data_model.left_alone import is_left_alone

try:
    import torch as _torch
except ImportError as error:
    raise MissingExtraError("autograph.torch needs torch", remedy="pip install 'autograph-py[torch]'") from error

__all__ = ["convert"]

Module = TypeVar("Module")


def convert(module: Module, /) -> Module:
    """Converts `forward` of a module, and of all modules in it, in place; returns the module. Also a decorator.

    It is the classes' `forward` that is converted: all instances do in Python what they did before, and copies and
    pickled ones are nothing new. Modules of PyTorch itself are left as they are; what `forward` calls is converted as
    it is called.

    >>> import torch
    >>> import autograph.torch
    >>> @autograph.torch.convert
    ... class Halving(torch.nn.Module):
    ...     def forward(self, x):
    ...         steps = 0
    ...         while x.abs().max() > 1:
    ...             x = x / 2
    ...             steps += 1
    ...         return x, steps
    >>> program = torch.export.export(Halving(), (torch.ones(2),)).module()
    >>> program(torch.tensor([3.0, 8.0]))
    (tensor([0.3750, 1.0000]), tensor(3))

    Raises:
        InvalidTypeError: it is no module, nor a class of modules.
    """
    if isinstance(module, type) and issubclass(module, _torch.nn.Module):
        _convert_class(module)
    elif isinstance(module, _torch.nn.Module):
        for each in module.modules():
            _convert_class(type(each))
            own = vars(each).get("forward")
            if own is not None:
                vars(each)["forward"] = _convert(own)
    else:
        raise InvalidTypeError(
            f"autograph.torch.convert takes a module of PyTorch's, or a class of such, not {type(module).__name__}",
            remedy="use autograph.convert for functions",
        )
    return module


def _convert_class(cls: type[Any]) -> None:
    for each, forward in _written(cls):
        each.forward = _convert(forward)


def _written(cls: type[Any]) -> Iterator[tuple[Any, Any]]:
    """The classes of a class that users have written, and their `forward`."""
    for each in cls.__mro__:
        forward = vars(each).get("forward")
        if isinstance(forward, FunctionType) and not is_left_alone(forward):
            yield each, forward
