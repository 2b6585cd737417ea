"""What runs a graph: the engines that want it, in their order, each as much of it as it can; NumPy's plan the rest."""

from __future__ import annotations

from typing import Any

from autograph.errors import MissingExtraError

from ..ir.graph import Graph
from .engine import ENGINES, Engine, register
from .native import NATIVE, is_installed
from .numpy.plan import Plan
from .partition import is_whole, obstacle, partition
from .partition import report as report_of_parts
from .plain import INTERPRETER, NUMPY
from .region import Region, refused

for _engine in (NATIVE, NUMPY, INTERPRETER):
    register(_engine)


def planned(graph: Graph, jit_compile: bool | None = None) -> Any:
    """A plan for a graph, whose parts other engines run where that pays.

    ``jit_compile``: None, to choose; True, to demand machine code for the whole graph (`UnimplementedError` otherwise);
    False, to have NumPy run all of it.
    """
    if jit_compile:
        if not is_installed():
            raise MissingExtraError("jit_compile=True needs llvmlite", remedy="pip install 'autograph-py[native]'")
        return demanded(graph, NATIVE)
    if jit_compile is None:
        for engine in ENGINES.values():
            if engine.is_wanted():
                if is_whole(engine, graph):
                    return Region(graph, engine)
                graph, _ = partition(engine, graph)
    return Plan(graph)


def demanded(graph: Graph, engine: Engine) -> Region:
    """What has an engine run a whole graph from the first call on. Raises `UnimplementedError` where it can't."""
    here = engine.missing()
    if here is not None:
        raise refused(engine, None, here)
    found = obstacle(engine, graph.nodes)
    if found is not None:
        raise refused(engine, *found)
    return Region(graph, engine, demanded=True)


def report(plan: Any) -> str:
    """What of a graph is machine code, and what stands in the way of the rest: one line for each part.

    ``plan`` is what `planned` has given.
    """
    if isinstance(plan, Region) and plan.engine is not NATIVE:
        return plan.report()
    here = NATIVE.missing()
    if here is not None:
        return f"nothing is {NATIVE.product}: {here}"
    return plan.report() if isinstance(plan, Region) else report_of_parts(NATIVE, plan.graph)
