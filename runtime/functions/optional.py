"""Results of traced functions of which only the run tells the structure: None or a value, lists of any length."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ..base import nest
from ..base.provided import Provided
from ..tensors.tensor import SymbolicTensor


class _Results(threading.local):
    go_to_a_trace = False


_results = _Results()


def go_to_a_trace() -> bool:
    """Whether what is being traced is called by a trace alone, which takes lists as they are."""
    return _results.go_to_a_trace


@contextlib.contextmanager
def results_for(a_trace: bool) -> Iterator[None]:
    """For the trace of a function: whether its results go to a trace alone."""
    before = _results.go_to_a_trace
    _results.go_to_a_trace = a_trace
    try:
        yield
    finally:
        _results.go_to_a_trace = before


class RunTimeOutput:
    """A part of a traced function's result, kept as tensors: a dataclass of these."""

    def resolved(self) -> Any:
        """What the caller gets: a Python value after a run, a staged one while another function is traced."""
        raise NotImplementedError


@dataclass(frozen=True)
class OptionalOutput(RunTimeOutput):
    """A part of a traced function's result: `value` where the bool tensor `flag` is true, else None."""

    flag: Any
    value: Any

    def resolved(self) -> Any:
        value = with_values(self.value)
        if isinstance(self.flag, SymbolicTensor):
            return IN_TRACE.function(self.flag, value)
        return value if bool(self.flag) else None


IN_TRACE: Provided[Callable[[Any, Any], Any]] = Provided("operators.staging", OptionalOutput)
"""What stands for such a result while another function is traced, made of the flag and the value."""


def has_optional(structure: object) -> bool:
    """Whether a structure holds a `RunTimeOutput`."""
    if isinstance(structure, RunTimeOutput):
        return True
    return nest.is_nested(structure) and any(has_optional(child) for _, child in nest.children(structure))


def with_values(structure: object) -> Any:
    """The structure with what each `RunTimeOutput` stands for."""
    if isinstance(structure, RunTimeOutput):
        return structure.resolved()
    if not nest.is_nested(structure):
        return structure
    return nest.rebuild(structure, [with_values(child) for _, child in nest.children(structure)])
