"""The ways to run a graph, which must give the same: interpreter, plan and machine code, with and without each pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unittest import mock

import numpy as np

from autograph.config import settings
from autograph.runtime.engines import native
from autograph.runtime.engines.interpreter import interpret
from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.engines.planning import planned
from autograph.runtime.ir.check import check
from autograph.runtime.ir.graph import Graph
from autograph.runtime.optimize import PASSES, optimize
from tests.programs.profile import EXAMPLES

CHOICES = [PASSES, *[[name for name in PASSES if name != left_out] for left_out in PASSES], *[[n] for n in PASSES]]
"""All passes; all but one; one alone."""


def native_at_once(graph: Graph) -> Any:
    """What runs a graph as machine code from the first call on, as far as it can be."""
    with (
        mock.patch.object(settings, "native", True),
        mock.patch.object(native.NATIVE, "work_of_compiling", lambda nodes: 0),
    ):
        return planned(graph)


def agree(graph: Graph, *calls: list[Any], choices: Sequence[Sequence[str]] = CHOICES) -> None:
    """Fail unless the graph gives the same for each choice of passes, or raises the same error at the same line.

    Machine code is made of the graph as the first choice leaves it, for the first call; with AUTOGRAPH_EXAMPLES set,
    of all the graphs for all calls.
    """
    graphs = {(): graph, **{tuple(passes): optimize(graph, passes).graph for passes in choices}}
    compiled = {passes: native_at_once(found) for passes, found in graphs.items()
                if EXAMPLES or passes == tuple(choices[0])}  # fmt: skip
    for arrays in calls:
        expected = outcome(lambda: interpret(graph, arrays))
        for passes, found in graphs.items():
            check(found)
            ways = [Plan(found).run, lambda *given: interpret(found, given)]
            if passes in compiled and (EXAMPLES or arrays is calls[0]):
                ways.append(compiled[passes].run)
            for i, run in enumerate(ways):
                got = outcome(lambda: run(*arrays))
                assert got == expected, (("plan", "interpreter", "machine code")[i], passes, str(graph), str(found))


def outcome(run: Any) -> Any:
    """What a run gives, with dtypes, signs of zeros, and the same for all NaNs; or the error, with the user's line."""
    try:
        return [(np.asarray(part).dtype, np.shape(part), repr(np.asarray(part).tolist())) for part in run()]
    except Exception as error:
        return repr(error), getattr(error, "line", None)
