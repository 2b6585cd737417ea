"""Graphs in loops and branches: each is traced once, by itself, before JAX's loop or branch is made of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
from jax.extend.core import jaxpr_as_fun

from ...ir.graph import Graph
from ..held import Held
from .lowering import Fails, Lowering
from .values import Lowered, leaves, rebuilt


class Block(NamedTuple):
    """A graph as a function of JAX.

    Attributes
    ----------
    results: what it gives, and then what variables hold at its end, with shapes in the place of arrays; None: it fails
        in any case.
    failed, short: as of `Lowering`: False, or true in some runs.
    function: takes and gives leaves of values, see `leaves`.
    """

    results: list[Any] | None
    failed: Any
    short: Any
    function: Callable[..., Any]

    def run(self, *given: Lowered) -> tuple[list[Any], Any, Any]:
        """``results``, ``failed`` and ``short`` for the leaves of what is given."""
        assert self.results is not None
        *results, failed, short = rebuilt([*self.results, self.failed, self.short], self.function(*given))
        return results, failed, short


def block(
    here: Lowering, graph: Graph, operands: Sequence[Lowered], held: Sequence[Held], state: Sequence[Lowered] = ()
) -> Block:
    """A graph whose last inputs are operands.

    ``state``: what it is given besides: its first inputs, and then what the variables ``held`` hold. Without it they
    hold what they do now.
    """
    count = len(graph.inputs) - len(operands)
    found: list[Any] = []

    def function(*arguments: Any) -> Any:
        values = rebuilt(state, arguments)
        with here.apart(is_in_loop=bool(state)):
            here.holds.update(zip(held, values[count:], strict=False))
            try:
                results = here.run(graph, [*values[:count], *operands])
            except Fails:
                return []
            found[:] = [*results, *[here.holds[key] for key in held], here.failed, here.short]
            return leaves(found)

    shapes = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in leaves(state)]
    closed, given = jax.make_jaxpr(function, return_shape=True)(*shapes)
    if not found:
        return Block(None, True, False, function)
    *results, failed, short = rebuilt(found, given)
    return Block(results, failed, short, jaxpr_as_fun(closed))
