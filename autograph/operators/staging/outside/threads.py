"""What a traced function has other threads or processes do: they run Python code as it is, of which a graph sees
nothing, and what it raises goes elsewhere. With values of the graph in reach that is refused."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from autograph.errors import MutationError
from autograph.runtime.tensors.trace_text import calls_libraries

from ...data_model.raw_attributes import raw_attribute
from ..control.errors import where
from ..heap import heap, reach, state
from ..values.outputs import is_staged
from .code_writes import words

_METHODS = {
    ("threading", "Thread"): words("start"),
    ("concurrent.futures._base", "Executor"): words("submit map"),
    ("multiprocessing.process", "BaseProcess"): words("start"),
    ("multiprocessing.pool", "Pool"): words(
        "apply apply_async map map_async imap imap_unordered starmap starmap_async"
    ),
    ("asyncio.base_events", "BaseEventLoop"): words("run_in_executor"),
    ("queue", "Queue"): words("put put_nowait"),
    ("_queue", "SimpleQueue"): words("put put_nowait"),
    ("asyncio.queues", "Queue"): words("put put_nowait"),
    ("_contextvars", "ContextVar"): words("set"),
}
_FUNCTIONS = {
    "_thread": words("start_new_thread start_new start_joinable_thread"), "asyncio.threads": words("to_thread"),
}  # fmt: skip
_NAMES = frozenset().union(*_METHODS.values(), *_FUNCTIONS.values())
calls_libraries(__file__)


def is_starting(function: object) -> bool:
    """Whether a function has another thread or process run something."""
    name = raw_attribute(function, "__name__", "")
    if name not in _NAMES:  # asked first, for speed
        return False
    owner = raw_attribute(function, "__self__")
    if name in _FUNCTIONS.get(raw_attribute(function, "__module__") or "", ()):
        return True
    is_queue = type(owner).__module__ in ("queue", "_queue", "asyncio.queues")
    if is_queue and any(journal.is_created(owner) for journal in state.stack()):
        return False
    return any(name in _METHODS.get((cls.__module__, cls.__name__), ()) for cls in type(owner).__mro__)


def checking(function: Any, form: Callable[..., Any]) -> Callable[..., Any]:
    """The form of a function that has another thread run something, which may not reach values of the graph."""
    if not is_starting(function):
        return form
    name = raw_attribute(function, "__qualname__", "")

    def run(*arguments: object, **keywords: object) -> Any:
        check(name, (raw_attribute(function, "__self__"), *arguments, *keywords.values()))
        return form(*arguments, **keywords)

    return run


def check(name: str, roots: Iterable[Any]) -> None:
    """Refuses what another thread runs, if it can reach a value of the graph.

    Raises:
        MutationError: it can, or too much can be reached to tell.
    """
    given = [part for each in roots for part in _parts(each)]
    if any(heap.has_form(each) or is_staged(each) for each in reach.reachable(given)):
        raise MutationError(
            f"`{name}` hands another thread or process what only a run of the graph knows, or code that can reach such "
            "values; the graph can't have what is done there",
            **where(),
            construct=name,
            remedy="call the function itself: w(x), [w(x) for x in xs]; or have the graph run it: "
            "tf.py_function(w, [x], dtype); or start the thread outside of the traced function",
        )


def _parts(given: object) -> Iterator[Any]:
    """What a thread runs, and with what; anything else as it is."""
    if isinstance(given, threading.Thread):
        yield from vars(given).values()
        yield type(given).run
    else:
        yield given
