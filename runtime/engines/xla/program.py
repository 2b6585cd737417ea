"""From a graph to a program that is compiled for exact types, and is called with NumPy's arrays."""

from __future__ import annotations

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


def compiled(graph: Graph, types: Sequence[Type], look: Callable[[], None] | None = None) -> Entry | None:
    """As `Engine.compile`."""
    held, changed = held_in(graph), changed_in(graph)
    count = len(graph.inputs)
    here = Lowering()

    def function(*arrays: Any) -> Any:
        here.holds = dict(zip(held, arrays[count:], strict=True))
        outputs = [*here.run(graph, arrays[:count]), *[here.holds[key] for key in changed]]
        return tuple(map(jnp.asarray, outputs)), jnp.asarray(here.failed)

    given = [jax.ShapeDtypeStruct(each.shape, each.dtype.numpy) for each in types]
    with jax.enable_x64(True):
        try:
            run = jax.jit(function, keep_unused=True).lower(*given).compile()
        except Fails:
            return None
        except NotLowered as error:
            error.node = error.node or here.node
            raise
    exact = [(each.shape, each.dtype) for each in given]

    def entry(*arrays: Any) -> Any:
        if [(x.shape, x.dtype) if type(x) is np.ndarray else None for x in arrays] != exact:
            return None
        with jax.enable_x64(True):
            results, failed = run(*arrays)
        return False if failed else tuple([np.array(each) for each in results])

    return entry
