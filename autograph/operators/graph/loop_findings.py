"""What attempts at a loop have found out about its types, for the attempts to come.

A loop inside of another one is staged anew whenever the outer one is traced again. It begins with the types that it
was found to need before, so that nothing has to be found twice: they can only have become wider.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable

from autograph.runtime.ir import Graph
from autograph.runtime.trace import building, value_of

from ..variables import UNDEFINED
from .dicts import DictOf
from .specs import SCALARS, Constant, Leaf, ListOf, Optional, Spec, Tree

Place = tuple[Hashable, ...]
"""Where a loop stands: for each loop around it, and for itself, its code and its number in an attempt."""


class Types:
    """What is known of the variables of one loop, by their keys."""

    def __init__(self) -> None:
        self.specs: dict[Hashable, Spec] = {}
        """What they were found to hold besides what they hold at first."""
        self.adapting: set[Hashable] = set()
        """Those whose first value, a Python number, takes on the dtype of what it meets."""
        self.found: set[Hashable] = set()
        """What was found to change besides variables."""
        self.guesses = 0
        """How often code after the loop has been traced with types that were not settled."""


class _Local(threading.local):
    def __init__(self) -> None:
        self.types: dict[Place, Types] = {}


_local = _Local()


def types_at(place: Place) -> Types:
    """What is known of the loop at a place."""
    return _local.types.setdefault(place, Types())


def forget() -> None:
    """To be called when the outermost loop is done."""
    _local.types.clear()


def forget_inside(place: Place) -> None:
    """Forgets the types in the loops inside of one: they may follow from the dtype that a number was guessed to get."""
    for inner, types in _local.types.items():
        if len(inner) > len(place) and inner[: len(place)] == place:
            types.specs.clear()


def lasts(spec: Spec) -> bool:
    """Whether a specification means the same in another attempt: it names no objects."""
    if isinstance(spec, Constant):
        return spec.value is None or spec.value is UNDEFINED or type(spec.value) in SCALARS
    if isinstance(spec, (Tree, DictOf)):
        return all(map(lasts, spec.children))
    if isinstance(spec, ListOf):
        return spec.element is None or lasts(spec.element)
    return lasts(spec.inner) if isinstance(spec, Optional) else isinstance(spec, Leaf)


def stand_in(parent: Graph, specs: list[Spec]) -> tuple[Graph, Graph]:
    """Test and body of a loop that gives values of some specifications, for a graph that is thrown away."""
    test, body = Graph("loop_test", parent), Graph("loop_body", parent)
    for spec in specs:
        for each in spec.types():
            test.parameter(each, "state")
            body.outputs.append(body.parameter(each, "state"))
    with building(test):
        test.outputs = [value_of(False)]
    return test, body
