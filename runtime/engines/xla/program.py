"""From a graph to a program that is compiled for exact types, and is called with NumPy's arrays.

What variables hold stays where the program has put it: they hold a view of that (on a CPU; else a copy), and the next
program that reads them finds the original by it.

A program runs on a thread of JAX's. Who waits for it looks now and then whether it has ended, so that Ctrl-C gets
through at once; JAX has no way to stop a program, which ends in the background.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...ir.graph import Graph, Type
from ..engine import Entry, NotLowered
from ..held import changed_in, held_in
from . import ops  # noqa: F401  (puts the forms of ops on their records)
from .lowering import Fails, Lowering
from .values import Rows, leaves, rebuilt

# Lists get so much room where it has to be guessed, more each time that it is too little, and no more than this.
_ROOM, _MORE, _MOST_ROOM = 64, 8, 1 << 24
# Waiting: how long at first, and at most, and as a part of how long it has taken so far.
_SHORTEST, _LONGEST, _PART = 2e-5, 0.02, 0.05


def compiled(graph: Graph, types: Sequence[Type], look: Callable[[], None] | None = None) -> Entry | None:
    """As `Engine.compile`."""
    program = _Program(graph, types, look)
    try:
        program.compile(_ROOM)
    except Fails:
        return None
    return program.run


class _Program:
    """A graph for exact types; see `compiled`."""

    def __init__(self, graph: Graph, types: Sequence[Type], look: Callable[[], None] | None) -> None:
        self._graph, self._look = graph, look
        self._held, self._changed = held_in(graph), changed_in(graph)
        self._given = [jax.ShapeDtypeStruct(each.shape, each.dtype.numpy) for each in types]
        self._exact = [(each.shape, each.dtype) for each in self._given]
        self._outputs = len(graph.outputs)

    def compile(self, capacity: int) -> None:
        """Make the program, with so much room for lists. Raises `Fails`, and `NotLowered`."""
        here = Lowering(self._graph, capacity)
        count = len(self._graph.inputs)

        def function(*arrays: Any) -> Any:
            here.holds = dict(zip(self._held, arrays[count:], strict=True))
            results = [*here.run(self._graph, arrays[:count]), *[here.holds[key] for key in self._changed]]
            self._results = [x if isinstance(x, Rows) else jnp.asarray(x) for x in results]
            self._may_fail, self._may_lack = here.failed is not False, here.short is not False
            return [jnp.asarray(here.failed), jnp.asarray(here.short), *leaves(self._results)]

        with jax.enable_x64(True):
            try:
                self._run = jax.jit(function, keep_unused=True).lower(*self._given).compile()
            except NotLowered as error:
                error.node = error.node or here.node
                error.outermost = error.outermost or here.outermost
                raise
        self._capacity = capacity

    def run(self, *arrays: Any) -> Any:
        """As `Entry`."""
        if [(x.shape, x.dtype) if type(x) is np.ndarray else None for x in arrays] != self._exact:
            return None
        while True:
            with jax.enable_x64(True):
                failed, short, *results = self._run(*map(_original, arrays))
            self._wait(failed)
            if self._may_fail and failed:
                return False
            if not (self._may_lack and short):
                return self._taken(results)
            if self._capacity > _MOST_ROOM:
                return False
            self.compile(self._capacity * _MORE)

    def _wait(self, result: Any) -> None:
        """Return when the program has ended. Signals are handled meanwhile."""
        if result.is_ready():
            return
        started = time.perf_counter()
        while not result.is_ready():
            if self._look is not None:
                self._look()
            time.sleep(min(max(_SHORTEST, _PART * (time.perf_counter() - started)), _LONGEST))

    def _taken(self, results: Sequence[Any]) -> tuple[Any, ...]:
        """What a program has given, as NumPy's arrays: outputs are the caller's own, what variables hold is not."""
        values = rebuilt(self._results, results)
        outputs = [_rows(x) if isinstance(x, Rows) else np.array(x) for x in values[: self._outputs]]
        return (*outputs, *map(_view, values[self._outputs :]))


def _rows(x: Rows) -> np.ndarray:
    return np.asarray(x.items)[: int(x.count)].copy()


_originals: dict[int, tuple[weakref.ref[np.ndarray], Any]] = {}
"""JAX's arrays by the identities of the views of them that variables hold."""


def _view(x: Any) -> np.ndarray:
    """A view of an array of JAX, which `_original` knows as long as it is there."""
    view = np.asarray(x)
    key = id(view)
    _originals[key] = weakref.ref(view, lambda _: _originals.pop(key, None)), x
    return view


def _original(x: np.ndarray) -> Any:
    found = _originals.get(id(x))
    return found[1] if found is not None and found[0]() is x else x
