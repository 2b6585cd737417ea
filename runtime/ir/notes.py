"""What parts of the house note about graphs: each has notes of its own, which a graph keeps, and knows nothing of.

>>> from autograph.runtime.ir.graph import Graph
>>> colours: Note[list[str]] = Note(list)
>>> graph = Graph()
>>> colours.of(graph).append("red")
>>> colours.of(graph), colours.known(Graph())
(['red'], None)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..base.devices import Device

if TYPE_CHECKING:
    from .graph import Graph, Node, Value

__all__ = ["BY_HAND", "CONTROL_INPUTS", "DEVICE", "Note"]

T = TypeVar("T")


class Note(Generic[T]):
    """A kind of note, which graphs keep as long as they live.

    ``make`` makes the note of a graph that has none. ``copied(note, values)`` gives what is noted of a copy of a graph,
    in which other values stand for those of the graph; None: nothing. ``of_parts``: the note is about what stands in
    the graph so far, and is gone when the graph is cut short.
    """

    __slots__ = ("_make", "copied", "of_parts")

    def __init__(self, make: Callable[[], T], copied: Callable[[T, dict[Value, Value]], T] | None = None,
                 of_parts: bool = False) -> None:  # fmt: skip
        self._make = make
        self.copied = copied
        self.of_parts = of_parts

    def of(self, graph: Graph) -> T:
        """The note of a graph."""
        found = graph.notes.get(self)
        if found is None:
            found = graph.notes[self] = self._make()
        return found

    def known(self, graph: Graph) -> T | None:
        """The note of a graph, if it has one."""
        return graph.notes.get(self)


BY_HAND: Note[list[tuple[Any, Any]]] = Note(list)
"""Of a graph that is built by hand (``with graph.as_default():``), for a session to run parts of it: the variables made
meanwhile, each with its initial value.
"""
CONTROL_INPUTS: Note[dict[Node, tuple[Node, ...]]] = Note(dict)
"""The nodes that a node was made to run after; see `runtime.state.dependencies`."""
DEVICE: Note[list[Device]] = Note(list, copied=lambda devices, _: list(devices))
"""The device that a graph is to run on, where one was asked for."""
