"""The back end for JAX's arrays and tracers."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np
from jax.experimental import checkify

from autograph.errors import ConversionError, StagingError, UnimplementedError
from autograph.runtime.base.dtypes import Array
from autograph.runtime.functions.recursion import Signal

from ..data_model.special_methods import mro
from ..dispatch import Backend, Options, Thunk
from ..functional import branches, loops, tracing
from ..functional.iterators import for_rest
from ..functional.ranges import Numbers
from ..staging.heap.locations import where
from . import calls
from .library import JAX

_REFUSALS = (StagingError, ConversionError, Signal, jax.errors.JAXTypeError, jax.errors.JAXIndexError)

_OWN = frozenset((jax.Array, jax.core.Tracer))


class JaxBackend(Backend):
    """Stages control flow on what JAX traces; on concrete arrays and tracers it does what Python does."""

    name = "JAX"
    counts_traces = True

    def owns(self, value_type: type) -> bool:
        return value_type is Numbers or not _OWN.isdisjoint(mro(value_type))

    def staging(self) -> bool:
        return tracing.is_open(JAX)

    def in_body(self) -> bool:
        return tracing.in_body(JAX)

    # Control flow.

    def if_stmt(self, test: object, body: Thunk, orelse: Thunk, names: tuple[str, ...]) -> Any:
        return branches.if_stmt(JAX, test, body, orelse, names)

    def while_stmt(self, go: object, test: Thunk, body: Thunk, names: tuple[str, ...], options: Options) -> Any:
        return loops.while_stmt(JAX, go, test, body, names, options)

    def while_rest(self, stop: object, test: Thunk, body: Thunk, names: tuple[str, ...], options: Options) -> Any:
        found = loops.signal(JAX, stop)
        if found is True:
            return True
        if found is False:
            return loops.while_stmt(JAX, test(), test, body, names, options)
        return loops.while_stmt(JAX, None, test, body, names, options, found)

    def for_stmt(self, iterable: Any, body: Callable[[Any], Any], names: tuple[str, ...], options: Options) -> Any:
        if not self.staging():
            return for_rest(JAX, False, iter(iterable), body, names, options)
        return loops.for_stmt(JAX, iterable, body, names, options)

    def for_rest(
        self, stop: object, iterator: Iterator[Any], body: Callable[[Any], Any], names: tuple[str, ...],
        options: Options,
    ) -> Any:  # fmt: skip
        return for_rest(JAX, loops.signal(JAX, stop), iterator, body, names, options)

    # Conditions.

    def not_(self, value: object) -> Any:
        return branches.not_(JAX, value)

    def and_(self, left: object, right: Thunk) -> Any:
        return branches.and_(JAX, left, right)

    def or_(self, left: object, right: Thunk) -> Any:
        return branches.or_(JAX, left, right)

    def contains(self, item: object, container: Any) -> Any:
        if isinstance(container, (jax.Array, np.ndarray)):
            return jax.numpy.any(container == item)
        if not isinstance(container, (list, tuple)):
            return item in container
        return branches.contains(JAX, item, container)

    def is_(self, left: object, right: object) -> Any:
        self.check_identity(left, right)
        return left is right

    def check_identity(self, left: object, right: object) -> None:
        tracing.check_identity(JAX, left, right)

    # Errors at run time.

    def assert_(self, test: object, message: Thunk | None) -> None:
        known = JAX.concrete(test)
        if known:
            return
        text = "" if message is None else str(message())
        if known is False and not tracing.in_body(JAX):
            raise AssertionError(*([] if message is None else [text]))
        escaped = text.replace("{", "{{").replace("}", "}}")
        checkify.check(JAX.truth(test), escaped or "assertion failed")

    def raise_(self, exception: BaseException) -> None:
        raise UnimplementedError(
            f"`raise {type(exception).__name__}` in a branch or loop that JAX stages: what it compiles can't raise",
            **where(),
            construct="raise",
            remedy="write `assert`, which becomes `checkify.check`, or return a flag, and raise where that is known",
        )

    def is_refusal(self, error: BaseException) -> bool:
        return isinstance(error, _REFUSALS)

    # Lists and tuples.

    def joined(self, kind: type, parts: tuple[Any, ...]) -> Any:
        return kind([item for part in parts for item in part])

    # Items and arrays.

    def set_item(self, value: Any, container: Any, index: object) -> Any:
        if isinstance(container, jax.Array) and self.staging():
            return container.at[index].set(value)
        operator.setitem(container, index, value)
        return container

    def set_array_item(self, value: object, array: Array, index: Any) -> None:
        calls.refuse_store(array)
        array[index] = value

    def update_array(self, operator: Callable[[Any, Any], Any], array: Array, value: object) -> Any:
        if isinstance(value, jax.Array):
            return operator(array, value)  # as NumPy does, which leaves it to JAX
        calls.refuse_store(array)
        return NotImplemented

    def is_lasting(self, value: object) -> bool:
        return not isinstance(value, jax.core.Tracer)

    # Calls and text.

    def replacement(self, function: object) -> Callable[..., Any] | None:
        return calls.range_of if function is range else None

    def watch_call(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return calls.watch_call(function)

    def format_value(self, value: object, conversion: str | None, specification: object) -> Any:
        text = repr(value) if conversion == "r" else ascii(value) if conversion == "a" else value
        return format(str(value) if conversion == "s" else text, str(specification or ""))

    def join_strings(self, parts: list[Any]) -> Any:
        return "".join(parts)
