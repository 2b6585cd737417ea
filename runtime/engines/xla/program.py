"""From a graph to a program that is compiled for exact types, and is called with NumPy's arrays.

What variables hold stays where the program has put it (see resident.py). A program that is made while a `Spread` is in
effect is for all of its devices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from autograph.settings import settings

from ...ir.graph import Graph, Type
from ..engine import Entry, NotLowered
from ..held import Held, changed_in, held_in
from ..spread import in_effect
from . import ops  # noqa: F401  (puts the forms of ops on their records)
from .lowering import Fails, Lowering
from .resident import original, placed, view
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


class _Made(NamedTuple):
    """A function of JAX, which is compiled when it first runs.

    Attributes
    ----------
    run: gives flags, if it ``has_flags``: 1 for a failure, 2 if another program is to run; then leaves of results.
    results: what these are the leaves of; None: arrays.
    """

    run: Callable[..., Any]
    has_flags: bool
    results: list[Lowered] | None
    capacity: int


class _Program:
    """A graph for exact types; see `compiled`."""

    def __init__(self, graph: Graph, types: Sequence[Type], look: Callable[[], None] | None) -> None:
        self._graph, self._look = graph, look
        self._held, self._changed = held_in(graph), changed_in(graph)
        self._given = [jax.ShapeDtypeStruct(each.shape, each.dtype.numpy) for each in types]
        self._exact = [(each.shape, each.dtype) for each in self._given]
        self._outputs = len(graph.outputs)
        spread = in_effect()
        self._layouts = {} if spread is None else {key: spread.layout_of(key.variable) for key in self._held}
        self._made: _Made

    def make(self, capacity: int) -> None:
        """Make the function, with so much room for lists. Raises `Fails`, and `NotLowered`."""
        count = len(self._graph.inputs)
        found: list[Any] = []

        def function(*arrays: Lowered) -> Any:
            here = Lowering(self._graph, capacity, capacity > _ROOM, self._is_to_stop)
            here.holds = dict(zip(self._held, arrays[count:], strict=True))
            found[:] = [here]
            results = here.run(self._graph, arrays[:count])
            results += [self._constrained(key, here.holds[key]) for key in self._changed]
            results = [x if isinstance(x, Rows) else jnp.asarray(x) for x in results]
            has_flags = here.failed is not False or here.short is not False
            found[:] = [here, has_flags, results if any(isinstance(x, Rows) for x in results) else None]
            flags = [jnp.uint8(here.failed) + jnp.uint8(2) * jnp.uint8(here.short)] if has_flags else []
            return [*flags, *leaves(results)]

        run = jax.jit(function, keep_unused=True)
        with jax.enable_x64(True):
            try:
                run.trace(*self._given)
            except Fails:
                raise
            except Exception as error:
                raise self._refusal(error, found[0]) from error
        _, has_flags, results = found
        self._made = _Made(run, has_flags, results, capacity)

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
        except (jax.errors.JaxRuntimeError, ValueError) as error:
            text = str(error)
            if "\nKeyboardInterrupt" in text:  # JAX tells so what a handler of signals has raised
                raise KeyboardInterrupt from None
            if "CpuCallback" in text:
                raise
            return False  # there is not enough memory, for example: the plan will say so

    def _ran(self, arrays: Sequence[np.ndarray]) -> Any:
        while True:
            made = self._made
            with jax.enable_x64(True):
                results = made.run(*self._laid_out(arrays))
            if self._look is not None:
                self._look()
            if not made.has_flags:
                return self._taken(made, results)
            flags = int(np.asarray(results[0]))
            if flags == 0:
                return self._taken(made, results[1:])
            if flags & 1 or made.capacity > _MOST_ROOM:
                return False
            self.make(made.capacity * _MORE)

    def _laid_out(self, arrays: Sequence[np.ndarray]) -> Iterable[Any]:
        """What a program is given: arrays where they are, and those of variables where their layouts say."""
        if not self._layouts:
            return map(original, arrays)
        count = len(self._graph.inputs)
        held = zip(arrays[count:], self._layouts.values(), strict=True)
        return [*map(original, arrays[:count]), *[placed(x, layout) for x, layout in held]]

    def _constrained(self, key: Held, x: Lowered) -> Any:
        """What a variable is to hold, laid out as before: else the next call would be compiled anew."""
        return jax.lax.with_sharding_constraint(x, self._layouts[key]) if key in self._layouts else x

    def _is_to_stop(self) -> bool:
        """Loops call this now and then; they are to end then. Python comes to handle signals here."""
        try:
            if self._look is not None:
                self._look()
        except BaseException:  # it is raised when the loop has ended
            return True
        return False

    def _taken(self, made: _Made, results: Sequence[Lowered]) -> tuple[Any, ...]:
        """What a program has given, as NumPy's arrays: outputs are the caller's own, what variables hold is not."""
        values = results if made.results is None else rebuilt(made.results, results)
        outputs = map(_copy, values[: self._outputs])
        return (*outputs, *map(view, values[self._outputs :])) if self._changed else tuple(outputs)


def _copy(x: Lowered) -> np.ndarray:
    return np.asarray(x.items)[: int(x.count)].copy() if type(x) is Rows else np.array(x)
