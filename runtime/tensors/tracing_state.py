"""What this thread is tracing: the graph that it builds, the scope of names, the gradient tapes that record."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

from autograph.tracebacks.leaving import TRACING

from ..base import places
from ..base.devices import Device
from ..ir.graph import Graph
from ..ir.notes import BY_HAND


class _Local(threading.local):
    graph: Graph | None = None
    scope: str = ""  # that of eager code, for the names of variables
    tapes: tuple[Any, ...] = ()  # the gradient tapes that record; see `runtime.gradient.records`
    device: Device | None = None  # where graphs that are called shall run; see `runtime.state.placement`
    ambient: Any = None  # what traced code depends on besides its arguments: whether Keras layers are training
    strategy: Any = None  # of `autograph.distribute`: in whose scope this is, or in whose replica
    replica: Any = None  # the context of the replica, one of several, that is being traced
    single: Any = None  # the context of the replica, the only one, that runs
    is_between: bool = False  # whether what is traced runs in between the replicas, with all they have
    is_plain: bool = True  # whether no tape records, and neither `ambient` nor `device` is set: one look for each call

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name in ("tapes", "ambient", "device"):
            super().__setattr__("is_plain", not self.tapes and self.ambient is None and self.device is None)


LOCAL = _Local()
open_graphs: list[object] = []
"""One entry for each graph being built on any thread: while it is empty, nobody is tracing."""


def is_tracing() -> bool:
    """Whether a function is being traced on this thread, which a graph that is built by hand is not."""
    return LOCAL.graph is not None and BY_HAND.known(LOCAL.graph) is None


TRACING.append(is_tracing)


def ambient() -> Any:
    """What traced code depends on besides its arguments; None: on nothing."""
    return LOCAL.ambient if LOCAL.replica is None else (LOCAL.ambient, LOCAL.replica)


def replica_count() -> int:
    """How many replicas run what this thread traces."""
    return 1 if LOCAL.replica is None else LOCAL.replica.num_replicas_in_sync


def current_graph() -> Graph | None:
    """The graph that this thread is building, None when ops run eagerly."""
    return LOCAL.graph


def executing_eagerly() -> bool:
    """Whether ops run at once on this thread, rather than become nodes of a graph."""
    return LOCAL.graph is None


def inside_function() -> bool:
    """Whether a graph is being traced on this thread."""
    return LOCAL.graph is not None


class building:
    """``with building(graph):`` ops applied by this thread become nodes of the graph; None: ops run eagerly.

    ``function``: whose graph it is, when it may be called from other places than where it is traced.
    """

    __slots__ = ("before", "function", "graph", "places")

    def __init__(self, graph: Graph | None, function: Callable[..., Any] | None = None) -> None:
        self.graph = graph
        self.function = function

    def __enter__(self) -> Graph | None:
        self.before = LOCAL.graph
        if self.graph is not None:
            self.places = places.begin(sys._getframe(1), self.function)
        LOCAL.graph = self.graph
        open_graphs.append(self.graph)
        return self.graph

    def __exit__(self, kind: type | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        LOCAL.graph = self.before
        open_graphs.pop()
        if self.graph is not None:
            places.end(self.places)


class name_scope:
    """``with name_scope("layer"):`` nodes made inside are called ``layer/add`` …, variables ``layer/v:0``."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> str:
        self._graph = graph = LOCAL.graph
        if graph is None:
            self._before = LOCAL.scope
            LOCAL.scope = f"{self._before}{self.name}/"
            return LOCAL.scope
        self._before = graph.scope
        graph.scope = graph.unique_name(self.name) + "/"
        return graph.scope

    def __exit__(self, kind: type | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if self._graph is None:
            LOCAL.scope = self._before
        else:
            self._graph.scope = self._before


def get_current_name_scope() -> str:
    """The name scope in which nodes and variables are named, as ``"layer/inner"``; empty outside of any."""
    return current_scope().rstrip("/")


def current_scope() -> str:
    """The name scope with its final slash, or nothing."""
    graph = LOCAL.graph
    return LOCAL.scope if graph is None else graph.scope
