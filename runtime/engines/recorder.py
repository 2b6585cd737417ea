"""What is recorded while a profile is taken, and the files that come of it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from time import perf_counter_ns as clock
from typing import TYPE_CHECKING, Any, NamedTuple

from ..ir.graph import Graph, Node

if TYPE_CHECKING:
    from pathlib import Path

# More events than this are only counted and summed, so that a loop does not fill the memory.
MOST_EVENTS = 1_000_000


class Event(NamedTuple):
    """What took time: a node, a graph that was called, or something with a name."""

    what: Node | Graph | str
    started: int
    ended: int
    thread: int
    details: dict[str, Any]


class Recorder:
    """The events of one profile: the first ones themselves, and for all of them how many there were and how long."""

    def __init__(self) -> None:
        self.started = clock()
        self.events: list[Event] = []
        self.totals: dict[Any, list[int]] = {}
        self.dropped = 0
        self._bytes: dict[Any, int] = {}
        self._lock = threading.Lock()

    def add(self, what: Node | Graph | str, started: int, details: dict[str, Any] | None = None) -> None:
        """Something has ended now that had started at a time of `clock`."""
        ended = clock()
        with self._lock:
            total = self.totals.setdefault(what, [0, 0])
            total[0] += 1
            total[1] += ended - started
            if len(self.events) < MOST_EVENTS:
                self.events.append(Event(what, started, ended, threading.get_ident(), details or {}))
            else:
                self.dropped += 1

    def copied(self, what: str, started: int, size: int) -> None:
        """So many bytes have been copied between the memory of Python and that of a device."""
        self.add(what, started, {"bytes": size})
        with self._lock:
            self._bytes[what] = self._bytes.get(what, 0) + size

    def write(self, folder: Path, name: str) -> None:
        """Write ``name.trace.json`` and ``name.summary.txt``."""
        import json

        process = os.getpid()
        events = [self._shown(event, process) for event in self.events]
        trace = {"traceEvents": events, "displayTimeUnit": "ns", "otherData": {"eventsLeftOut": self.dropped}}
        (folder / f"{name}.trace.json").write_text(json.dumps(trace, default=str), encoding="utf-8")
        (folder / f"{name}.summary.txt").write_text(self.summary(), encoding="utf-8")

    def _shown(self, event: Event, process: int) -> dict[str, Any]:
        name, kind, arguments = _described(event.what)
        start, length = (event.started - self.started) / 1000, (event.ended - event.started) / 1000
        return {"name": name, "cat": kind, "ph": "X", "ts": start, "dur": length, "pid": process, "tid": event.thread,
                "args": {**arguments, **event.details}}  # fmt: skip

    def summary(self) -> str:
        """A table of what has run, longest first. The time of a loop or graph holds that of the nodes in it."""
        lines = [f"{'calls':>9} {'total ms':>12} {'mean us':>12}  {'what':<32} where"]
        for what, (count, total) in sorted(self.totals.items(), key=lambda each: -each[1][1]):
            name, kind, arguments = _described(what)
            shown = f"{kind} {name}" if kind != name else name
            where = f"{self._bytes[what]:,} bytes" if what in self._bytes else arguments.get("line", "")
            lines.append(f"{count:>9} {total / 1e6:>12.3f} {total / 1e3 / count:>12.3f}  {shown:<32} {where}".rstrip())
        return "\n".join(lines) + "\n"


def _described(what: Node | Graph | str) -> tuple[str, str, dict[str, Any]]:
    """The name, the kind, and what else is known."""
    if isinstance(what, str):
        return what, "event", {}
    if isinstance(what, Graph):
        return what.name, "graph", {}
    arguments: dict[str, Any] = {"op": what.op.name, "results": ", ".join(str(value.type) for value in what.outputs)}
    if what.location is not None:
        arguments["line"] = f"{what.location.file}:{what.location.line}"
        arguments["function"] = what.location.function
    return what.name, what.op.name, arguments


active: Recorder | None = None
"""Records, while a profile is taken."""


def node_recorder(nodes: Sequence[Node]) -> Callable[[int, int], None]:
    """What plans call when a node, told by its number, has run: with the time at which it started."""

    def record(number: int, started: int) -> None:
        if active is not None:
            active.add(nodes[number], started)

    return record


class Recorded:
    """A plan, or what runs in place of one, whose calls are recorded."""

    def __init__(self, graph: Graph, run: Callable[..., Any]) -> None:
        self._graph, self._run = graph, run

    def run(self, *inputs: object) -> Any:
        """Run it. Raises what it raises."""
        started = clock()
        try:
            return self._run(*inputs)
        finally:
            if active is not None:
                active.add(self._graph, started)
