"""The back end for JAX's arrays and tracers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax.experimental import checkify

from autograph.errors import ConversionError, StagingError
from autograph.runtime.base.dtypes import Array
from autograph.runtime.functions.recursion import Signal

from ..data_model.special_methods import mro
from ..functional import branches
from ..functional.backend import FunctionalBackend
from ..functional.ranges import Numbers
from . import calls
from .library import JAX

_REFUSALS = (StagingError, ConversionError, Signal, jax.errors.JAXTypeError, jax.errors.JAXIndexError)

_OWN = frozenset((jax.Array, jax.core.Tracer))


class JaxBackend(FunctionalBackend):
    """Stages control flow on what JAX traces; on concrete arrays and tracers it does what Python does."""

    name = "JAX"
    library = JAX
    asserts = "`checkify.check`"

    def owns(self, value_type: type) -> bool:
        return value_type is Numbers or not _OWN.isdisjoint(mro(value_type))

    def contains(self, item: object, container: Any) -> Any:
        if isinstance(container, (jax.Array, np.ndarray)):
            return jax.numpy.any(container == item)
        if not isinstance(container, (list, tuple)):
            return item in container
        return branches.contains(JAX, item, container)

    # Errors at run time.

    def check(self, truth: Any, text: str) -> None:
        escaped = text.replace("{", "{{").replace("}", "}}")
        checkify.check(truth, escaped or "assertion failed")

    def is_refusal(self, error: BaseException) -> bool:
        return isinstance(error, _REFUSALS)

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

    # Calls.

    def replacement(self, function: object) -> Callable[..., Any] | None:
        return calls.range_of if function is range else None

    def watch_call(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return calls.watch_call(function)
