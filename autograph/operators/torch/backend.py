"""The back end for PyTorch's tensors."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import torch

from autograph.errors import ConversionError, StagingError
from autograph.runtime.functions.recursion import Signal

from ..data_model.special_methods import mro
from ..functional import branches
from ..functional.backend import FunctionalBackend
from ..functional.ranges import Numbers
from . import calls
from .library import TORCH
from .reading import number
from .recording import scope

_REFUSALS = (StagingError, ConversionError, Signal)


class TorchBackend(FunctionalBackend):
    """Stages control flow on what PyTorch traces; elsewhere it does what Python does."""

    name = "PyTorch"
    library = TORCH
    asserts = "an assertion of the program"

    def owns(self, value_type: type) -> bool:
        return value_type is Numbers or torch.Tensor in mro(value_type)

    def contains(self, item: object, container: Any) -> Any:
        if not self.staging() or not isinstance(container, (list, tuple, torch.Tensor)):
            return item in container
        if isinstance(container, torch.Tensor):
            found: Any = torch.any(torch.eq(container, item))
        else:
            found = branches.contains(TORCH, item, container)
        return number(scope(), found, bool) if isinstance(found, torch.Tensor) else found

    # Errors at run time.

    def check(self, truth: Any, text: str) -> None:
        scope().call(torch._assert_async, truth, f"AssertionError: {text}" if text else "AssertionError")

    def is_refusal(self, error: BaseException) -> bool:
        return isinstance(error, _REFUSALS)

    # Items and arrays.

    def set_item(self, value: Any, container: Any, index: object) -> Any:
        operator.setitem(container, index, value)
        return container

    def begin_update(self, item: object) -> None:
        if self.staging():
            scope().unseal_part(item)

    def is_kept(self, obj: object, name: str) -> bool:
        return isinstance(obj, torch.nn.Module) and name in obj._buffers

    def is_lasting(self, value: object) -> bool:
        return isinstance(value, torch.Tensor) and not (self.staging() and scope().knows(value))

    # Calls.

    def replacement(self, function: object) -> Callable[..., Any] | None:
        return calls.replacement(function)

    def watch_call(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return calls.watch_call(function)
