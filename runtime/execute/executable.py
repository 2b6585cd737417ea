"""A graph and the plans that run it: made when they are first needed."""

from __future__ import annotations

import functools

from .. import numerics
from ..ir import Graph
from ..optimize import Optimized, optimize
from .plan import Plan


class Executable:
    """A finished graph that can be run, optimised, or checked for NaNs and infinities as it was traced."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @property
    def plan(self) -> Plan:
        """The plan to run now."""
        return self._checked if numerics.enabled else self._plan

    @functools.cached_property
    def optimized(self) -> Optimized:
        """What the plan runs, and what the optimiser did to get there."""
        return optimize(self.graph)

    @functools.cached_property
    def _plan(self) -> Plan:
        return Plan(self.optimized.graph)

    @functools.cached_property
    def _checked(self) -> Plan:
        return Plan(self.graph, check_numerics=True)
