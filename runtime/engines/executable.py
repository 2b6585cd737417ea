"""A graph and the plans that run it: made when they are first needed."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ..base.deeper import deeper
from ..base.devices import Device
from ..ir.graph import Graph
from ..ir.notes import DEVICE
from ..optimize import Optimized, optimize
from ..tensors import numerics
from ..tensors.convert import wrap
from ..tensors.tensor import EagerTensor
from . import recorder
from .numpy.plan import Plan
from .placed import Placed
from .planning import planned, report
from .recorder import Recorded

_DEEPER = 20_000


class Executable:
    """A finished graph that can be run, optimised, or checked for NaNs and infinities as it was traced."""

    def __init__(self, graph: Graph, jit_compile: bool | None = None) -> None:
        self.graph = graph
        self.jit_compile = jit_compile

    @property
    def device(self) -> Device | None:
        """Where the graph is to run, if that has been asked for."""
        return next(iter(DEVICE.known(self.graph) or ()), None)

    def call(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        """Run the graph on eager tensors, wherever they are; the results are where they have been made."""
        placed = self.placed
        if placed is None or numerics.enabled:
            return [wrap(x) for x in self.plan.run(*[tensor.array for tensor in tensors])]
        if recorder.active is None:
            return placed.call(tensors)
        return Recorded(self.graph, placed.call).run(tensors)

    @functools.cached_property
    def placed(self) -> Placed | None:
        """What runs the whole graph on a device, if that is how it runs."""
        return self._plan if isinstance(self._plan, Placed) else None

    @property
    def plan(self) -> Any:
        """The plan to run now: a `Plan`, or what runs machine code in its place."""
        if numerics.enabled:
            return self._checked
        return self._plan if recorder.active is None else self._profiled

    @functools.cached_property
    def optimized(self) -> Optimized:
        """What the plan runs, and what the optimiser did to get there."""
        with deeper(_DEEPER):
            return optimize(self.graph)

    @functools.cached_property
    def _plan(self) -> Any:
        with deeper(_DEEPER):
            return planned(self.optimized.graph, self.jit_compile, self.device)

    @functools.cached_property
    def numpy_plan(self) -> Plan:
        """The plan of the whole graph as calls of NumPy, whatever of it is machine code."""
        plan = self._plan
        return plan if type(plan) is Plan and plan.graph is self.optimized.graph else Plan(self.optimized.graph)

    @property
    def compiled(self) -> str:
        """What of the graph is machine code, and what keeps out the rest, in words."""
        return report(self._plan, self.optimized.graph, self.device)

    @functools.cached_property
    def _profiled(self) -> Recorded:
        plan = self._plan
        return Recorded(self.graph, Plan(plan.graph, profiled=True).run if type(plan) is Plan else plan.run_profiled)

    @functools.cached_property
    def _checked(self) -> Plan:
        return Plan(self.graph, check_numerics=True)
