"""Functions that raise while they are traced: what they did before is run, as Python would have done it."""

from __future__ import annotations

import dis
from collections.abc import Sequence
from typing import Any

from . import trace
from .arguments import Parameters
from .concrete import ConcreteFunction
from .ir import Graph

_RAISE = dis.opmap["RAISE_VARARGS"]


def run_unfinished(
    error: Exception, graph: Graph | None, parameters: Parameters, values: Sequence[Any], tensors: Sequence[Any]
) -> None:
    """Run what stands in the graph of a call when the user's code raises `error`, which ends the trace.

    It may print something or write a variable, or raise something itself, which then comes first. A trace within
    another one, and errors that nobody raises on purpose, leave it at the error.
    """
    if graph is None or trace.current_graph() is not None or not _is_raised(error):
        return
    graph.outputs = []
    for place in graph.state:  # which stays as it is
        place.outputs = None
    try:
        ConcreteFunction(graph, parameters, values, None).call_flat(tensors)
    except Exception as first:
        if first.__context__ is error:  # which does not come to pass
            first.__context__ = None
        raise


def _is_raised(error: Exception) -> bool:
    """Whether an error comes from a ``raise`` or ``assert`` of the user."""
    if isinstance(error, AssertionError):
        return True
    entry = error.__traceback__
    while entry is not None and entry.tb_next is not None:
        entry = entry.tb_next
    if entry is None or not trace.is_user_file(entry.tb_frame.f_code.co_filename):
        return False
    return entry.tb_frame.f_code.co_code[entry.tb_lasti] == _RAISE
