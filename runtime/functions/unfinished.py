"""Functions that raise while they are traced: what they did before is run, as Python would have done it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..ir.graph import Graph
from ..ir.total import Totality
from ..tensors import trace
from ..tensors.front_half import IS_REFUSAL
from .arguments import Parameters
from .call_state import state_of
from .concrete import ConcreteFunction


def run_unfinished(
    error: Exception, graph: Graph | None, parameters: Parameters, values: Sequence[Any], tensors: Sequence[Any]
) -> None:
    """Run what stands in the graph of a call when the user's code raises `error`, which ends the trace.

    It may print something or write a variable, or raise something itself, which then comes first. In the trace of
    another function it becomes a part of that, which may catch the error. Refusals leave it at the error.
    """
    if graph is None or not _is_of_user(error) or IS_REFUSAL.function(error) or Totality().of_graph(graph):
        return
    graph.outputs = []
    for place in state_of(graph):  # which stays as it is
        place.outputs = None
    try:
        ConcreteFunction(graph, parameters, values, None).call_flat(tensors)
    except Exception as first:
        if first.__context__ is error:  # which does not come to pass
            first.__context__ = None
        raise


def _is_of_user(error: Exception) -> bool:
    """Whether the function had begun, and not ended, when an error was raised."""
    entry = error.__traceback__
    while entry is not None and not trace.is_user_file(entry.tb_frame.f_code.co_filename):
        entry = entry.tb_next
    return entry is not None
