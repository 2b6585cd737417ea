"""Variables that are made while values wait for them: those of a checkpoint that was restored before.

A variable gets its value when it is used for the first time, or at the end of the trace that has used it: by then an
object holds it, and that tells whose value it is.
"""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Any, Protocol

from ..tensors import trace

if TYPE_CHECKING:
    from ..state.variable import Variable

__all__ = ["Waiting", "array_of", "before_use", "created", "stop_waiting", "trace_ended", "wait", "waiting"]


class Waiting(Protocol):
    """Values that wait for variables."""

    def give(self, new: dict[int, Any]) -> None:
        """Take the variables that it has values for out of a dict by identity, and assign the values to them."""


waiting: list[Waiting] = []
_new: dict[int, weakref.ref[Variable]] = {}
_used_in_trace: dict[int, weakref.ref[Variable]] = {}
_lock = threading.RLock()


def wait(values: Waiting) -> None:
    """Offer each variable that is made from now on to some values; those that came last are asked first."""
    with _lock:
        waiting.append(values)


def stop_waiting(values: Waiting) -> None:
    """Undo `wait`; nothing happens when that is done already."""
    with _lock:
        if values in waiting:
            waiting.remove(values)
        if not waiting:
            _new.clear()
            _used_in_trace.clear()


def created(variable: Variable) -> None:
    """A variable has been made."""
    if waiting:
        with _lock:
            _new[id(variable)] = weakref.ref(variable)


def before_use(variable: Variable) -> None:
    """A variable is about to be read or assigned to for the first time, eagerly or in a trace."""
    if id(variable) not in _new:
        return
    with _lock:
        _give(_new)
        reference = _new.pop(id(variable), None)
        if reference is not None and trace.current_graph() is not None:
            _used_in_trace[id(variable)] = reference  # what holds it may be set later


def array_of(variable: Variable) -> Any:
    """The array that holds a variable's value, for a look at it that no tape sees."""
    before_use(variable.origin)
    return variable.origin.array


def trace_ended() -> None:
    """A function has been traced that has made variables."""
    with _lock:
        _give(_used_in_trace)
        if trace.current_graph() is None:
            _used_in_trace.clear()


def _give(candidates: dict[int, weakref.ref[Variable]]) -> None:
    for key in [key for key, reference in candidates.items() if reference() is None]:
        del candidates[key]
    for values in reversed(waiting):
        if candidates:
            values.give(candidates)
