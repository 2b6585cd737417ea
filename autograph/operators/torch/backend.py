"""The back end for PyTorch's tensors."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import torch

from autograph.errors import ConversionError, StagingError, UnimplementedError
from autograph.runtime.functions.recursion import Signal

from ..data_model.special_methods import mro
from ..dispatch import Backend, Options, Thunk
from ..functional import branches, loops, tracing
from ..functional.iterators import for_rest
from ..functional.ranges import Numbers
from ..staging.heap.locations import where
from . import calls
from .library import TORCH
from .reading import number
from .recording import scope

_REFUSALS = (StagingError, ConversionError, Signal)


class TorchBackend(Backend):
    """Stages control flow on what PyTorch traces; elsewhere it does what Python does."""

    name = "PyTorch"
    counts_traces = True

    def owns(self, value_type: type) -> bool:
        return value_type is Numbers or torch.Tensor in mro(value_type)

    def staging(self) -> bool:
        return tracing.is_open(TORCH)

    def in_body(self) -> bool:
        return tracing.in_body(TORCH)

    # Control flow.

    def if_stmt(self, test: object, body: Thunk, orelse: Thunk, names: tuple[str, ...]) -> Any:
        return branches.if_stmt(TORCH, test, body, orelse, names)

    def while_stmt(self, go: object, test: Thunk, body: Thunk, names: tuple[str, ...], options: Options) -> Any:
        return loops.while_stmt(TORCH, go, test, body, names, options)

    def while_rest(self, stop: object, test: Thunk, body: Thunk, names: tuple[str, ...], options: Options) -> Any:
        found = loops.signal(TORCH, stop)
        if found is True:
            return True
        if found is False:
            return loops.while_stmt(TORCH, test(), test, body, names, options)
        return loops.while_stmt(TORCH, None, test, body, names, options, found)

    def for_stmt(self, iterable: Any, body: Callable[[Any], Any], names: tuple[str, ...], options: Options) -> Any:
        if not self.staging():
            return for_rest(TORCH, False, iter(iterable), body, names, options)
        return loops.for_stmt(TORCH, iterable, body, names, options)

    def for_rest(
        self, stop: object, iterator: Iterator[Any], body: Callable[[Any], Any], names: tuple[str, ...],
        options: Options,
    ) -> Any:  # fmt: skip
        return for_rest(TORCH, loops.signal(TORCH, stop), iterator, body, names, options)

    # Conditions.

    def not_(self, value: object) -> Any:
        return branches.not_(TORCH, value)

    def and_(self, left: object, right: Thunk) -> Any:
        return branches.and_(TORCH, left, right)

    def or_(self, left: object, right: Thunk) -> Any:
        return branches.or_(TORCH, left, right)

    def contains(self, item: object, container: Any) -> Any:
        if not self.staging() or not isinstance(container, (list, tuple, torch.Tensor)):
            return item in container
        if isinstance(container, torch.Tensor):
            found: Any = torch.any(torch.eq(container, item))
        else:
            found = branches.contains(TORCH, item, container)
        return number(scope(), found, bool) if isinstance(found, torch.Tensor) else found

    def is_(self, left: object, right: object) -> Any:
        self.check_identity(left, right)
        return left is right

    def check_identity(self, left: object, right: object) -> None:
        tracing.check_identity(TORCH, left, right)

    # Errors at run time.

    def assert_(self, test: object, message: Thunk | None) -> None:
        known = TORCH.concrete(test)
        if known:
            return
        text = "" if message is None else str(message())
        if known is False and not tracing.in_body(TORCH):
            raise AssertionError(*([] if message is None else [text]))
        scope().call(torch._assert_async, TORCH.truth(test), f"AssertionError: {text}" if text else "AssertionError")

    def raise_(self, exception: BaseException) -> None:
        raise UnimplementedError(
            f"`raise {type(exception).__name__}` in a branch or loop that PyTorch stages: what it compiles can't raise",
            **where(),
            construct="raise",
            remedy="write `assert`, which becomes an assertion of the program, or return a flag",
        )

    def is_refusal(self, error: BaseException) -> bool:
        return isinstance(error, _REFUSALS)

    # Lists and tuples.

    def joined(self, kind: type, parts: tuple[Any, ...]) -> Any:
        return kind([item for part in parts for item in part])

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

    # Calls and text.

    def replacement(self, function: object) -> Callable[..., Any] | None:
        return calls.replacement(function)

    def watch_call(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return calls.watch_call(function)

    def format_value(self, value: object, conversion: str | None, specification: object) -> Any:
        text = repr(value) if conversion == "r" else ascii(value) if conversion == "a" else value
        return format(str(value) if conversion == "s" else text, str(specification or ""))

    def join_strings(self, parts: list[Any]) -> Any:
        return "".join(parts)
