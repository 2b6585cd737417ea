"""From a graph to a program that is compiled for exact types, and is called with NumPy's arrays.

What variables hold stays where the program has put it: they hold a view of that (on a CPU; else a copy), and the next
program that reads them finds the original by it.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph.settings import settings

from ...ir.graph import Graph, Type
from ..engine import Entry, NotLowered
from ..held import changed_in, held_in
from . import ops  # noqa: F401  (puts the forms of ops on their records)
from .lowering import Fails, Lowering
from .values import Lowered, Rows, leaves, rebuilt

# Lists get so much room where it has to be guessed, more each time that it is too little, and no more than this.
_ROOM, _MORE, _MOST_ROOM = 64, 8, 1 << 24


def compiled(graph: Graph, types: Sequence[Type], look: Callable[[], None] | None = None) -> Entry | None:
    """As `Engine.compile`."""
    program = _Program(graph, types, look)
    try:
        program.make(_ROOM)
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

    def make(self, capacity: int) -> None:
        """Make the function, with so much room for lists; it is compiled when it first runs.

        Raises `Fails`, and `NotLowered`.
        """
        here = Lowering(self._graph, capacity, self._is_to_stop)
        count = len(self._graph.inputs)

        def function(*arrays: Lowered) -> Any:
            here.holds = dict(zip(self._held, arrays[count:], strict=True))
            results = [*here.run(self._graph, arrays[:count]), *[here.holds[key] for key in self._changed]]
            self._results = [x if isinstance(x, Rows) else jnp.asarray(x) for x in results]
            self._flags = here.failed is not False or here.short is not False
            self._has_rows = any(isinstance(x, Rows) for x in self._results)
            found = leaves(self._results)
            return [jnp.uint8(here.failed) + jnp.uint8(2) * jnp.uint8(here.short), *found] if self._flags else found

        self._capacity, self._run = capacity, jax.jit(function, keep_unused=True)
        with jax.enable_x64(True):
            try:
                self._run.trace(*self._given)
            except Fails:
                raise
            except Exception as error:
                raise self._refusal(error, here) from error

    def _refusal(self, error: Exception, here: Lowering) -> Exception:
        """The error to raise for one while the graph was lowered."""
        if not isinstance(error, NotLowered):
            if settings.checks:  # a mistake of ours, which must not stop users
                return error
            return NotLowered(str(error), here.node, here.outermost)
        ends = error.ends and error.node in self._graph.nodes
        outermost = error.node if ends else here.outermost
        return NotLowered(error.reason, error.node or here.node, outermost, ends)

    def run(self, *arrays: Any) -> Any:
        """As `Entry`."""
        if [(x.shape, x.dtype) if type(x) is np.ndarray else None for x in arrays] != self._exact:
            return None
        try:
            return self._ran(arrays)
        except (jax.errors.JaxRuntimeError, ValueError) as error:  # JAX tells so what a handler of signals has raised
            if "\nKeyboardInterrupt" in str(error):
                raise KeyboardInterrupt from None
            raise

    def _ran(self, arrays: Sequence[np.ndarray]) -> Any:
        while True:
            with jax.enable_x64(True):
                results = self._run(*map(_original, arrays))
            if self._look is not None:
                self._look()
            if not self._flags:
                return self._taken(results)
            flags = int(np.asarray(results[0]))
            if flags == 0:
                return self._taken(results[1:])
            if flags & 1 or self._capacity > _MOST_ROOM:
                return False
            self.make(self._capacity * _MORE)

    def _is_to_stop(self) -> bool:
        """Loops call this now and then; they are to end then. Python comes to handle signals here."""
        try:
            if self._look is not None:
                self._look()
        except BaseException:  # it is raised when the loop has ended
            return True
        return False

    def _taken(self, results: Sequence[Lowered]) -> tuple[Any, ...]:
        """What a program has given, as NumPy's arrays: outputs are the caller's own, what variables hold is not."""
        values = rebuilt(self._results, results) if self._has_rows else results
        outputs = map(_copy, values[: self._outputs])
        return (*outputs, *map(_view, values[self._outputs :])) if self._changed else tuple(outputs)


def _copy(x: Lowered) -> np.ndarray:
    return np.asarray(x.items)[: int(x.count)].copy() if type(x) is Rows else np.array(x)


_originals: dict[int, tuple[weakref.ref[np.ndarray], Any]] = {}
"""JAX's arrays by the identities of the views of them that variables hold."""


def _view(x: Lowered) -> np.ndarray:
    """A view of an array of JAX, which `_original` knows as long as it is there."""
    view = np.asarray(x)
    key = id(view)
    _originals[key] = weakref.ref(view, lambda _: _originals.pop(key, None)), x
    return view


def _original(x: np.ndarray) -> Any:
    found = _originals.get(id(x))
    return found[1] if found is not None and found[0]() is x else x
