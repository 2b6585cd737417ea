"""Traced functions that call themselves, or each other: ``call`` nodes whose graphs hold the nodes.

What such a call gives is known only when the function has been traced. So functions that call each other are traced
more than once: first as if a call of a trace under way never returned, which leaves what the ends of the recursion
give; then with the results of the round before for the results of such calls, until nothing changes (a least fixed
point). Types only grow on the way: dtypes promote, dimensions become unknown.

The outermost trace of those that call each other is their head, found as in Tarjan's algorithm for strongly connected
components: each trace under way notes the lowest one on the stack that it has called. The head goes through the rounds;
the other members are traced once a round, and kept with the head when it has settled.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from autograph.errors import StagingError
from autograph.log import Activity

from ..base import dtypes, nest, shapes
from ..ir.fit import check_fit
from ..ir.graph import Graph, Location, Type, Value
from ..ops.control import call_of
from ..tensors import trace
from ..tensors.convert import cast
from ..tensors.tensor import SymbolicTensor
from . import repetitions
from .endless import recursion_error
from .optional import has_optional, with_values

_ROUNDS = 30  # a dimension becomes unknown, and a dtype wider, only so often


class Signal(BaseException):
    """Goes from one place of this package to another through code of the user, of which no handler catches it."""


class NeverReturns(Signal):
    """Ends the tracing of a body from which the graph never comes back."""


class _Results(NamedTuple):
    """What a call gives, and what it takes besides its arguments."""

    structure: Any
    types: list[Type | None]  # of each leaf of the structure
    numbers: list[type | None]  # the types of those leaves that are Python numbers
    captures: list[Value]


class _Local(threading.local):
    def __init__(self) -> None:
        self.stack: list[Pending] = []
        self.known: dict[Any, _Results] = {}  # of members, from round to round


_local = _Local()
_waiting: dict[int, Pending] = {}
"""By thread, the trace of another thread that it waits for."""
_waiting_lock = threading.Lock()


class Pending:
    """A trace under way. Other threads that need it wait; functions that it calls call the graph that is being made.

    Attributes
    ----------
    graph: the graph of the present round.
    results: what calls of it give; None as long as that is not known.
    low: the place on the stack of the lowest trace that this one has called, itself or through others.
    members: by key, the traces of this round that call this one, and what keeps each of them.
    """

    changed_inputs: frozenset[int] = frozenset()  # no arrays are passed: a trace has tensors

    def __init__(self, name: str, key: object, code_key: object) -> None:
        self.name = name
        self.key = key
        self.code_key = code_key  # a function that calls made for themselves is another one in each round
        self.thread = threading.get_ident()
        self.done = threading.Event()
        self._activity: Activity | None = None
        self.graph: Graph | None = None
        self.results: _Results | None = _local.known.get(code_key)
        self.place = self.low = 0
        self.unstable = False
        self.members: dict[Any, tuple[Any, Callable[[bool], None]]] = {}
        self.line: Location | None = None  # of a call that has given nothing yet

    def begun(self) -> Pending:
        """This trace, which its thread makes now."""
        self._activity = Activity(f"tracing {self.name}()")
        return self

    def release(self) -> None:
        """The trace is made, or has failed."""
        self.done.set()
        if self._activity is not None:
            self._activity.done()

    def wait(self) -> bool:
        """Wait until another thread has made the trace, or failed; at once False when that waits for this one."""
        thread = threading.get_ident()
        with _waiting_lock:
            other: Pending | None = self
            while other is not None:
                if other.thread == thread:
                    return False
                other = _waiting.get(other.thread)
            _waiting[thread] = self
        try:
            self.done.wait()
        finally:
            with _waiting_lock:
                del _waiting[thread]
        return True

    def call_flat(self, tensors: Sequence[Any]) -> Any:
        """A call of the graph being made, on one tensor for each of its parameters.

        Raises `NeverReturns` as long as nothing is known of the results.
        """
        graph = self.graph
        assert graph is not None
        for pending in _local.stack[self.place :]:
            assert pending.graph is not None
            pending.graph.calls_itself = True
        _depend_on(self.place)
        if self.results is None:
            self.unstable = True
            self.line = trace.user_location()
            raise NeverReturns
        inputs = [trace.value_of(tensor) for tensor in tensors]
        check_fit(f"arguments of {graph.name}", [v.type for v in inputs], [v.type for v in graph.parameters])
        structure, types, numbers, captures = self.results
        present = [type_ for type_ in types if type_ is not None]
        outputs = iter(call_of(graph, inputs, captures, present))
        leaves = [None if type_ is None else SymbolicTensor(next(outputs).value, python)
                  for type_, python in zip(types, numbers, strict=True)]  # fmt: skip
        packed = nest.pack_sequence_as(structure, leaves, expand_composites=True)
        return with_values(packed) if has_optional(structure) else packed

    def settle(self, trace_once: Callable[[], tuple[Graph, Any]]) -> tuple[Graph, Any]:
        """Trace until calls of this trace give what it gives.

        ``trace_once`` makes a graph, sets `graph` to it before it runs the function, and returns it with the structure
        of its output tensors. Raises `StagingError` when no end of the recursion is found.
        """
        stack, known, before = _local.stack, _local.known.copy(), repetitions.mark()
        self.place = len(stack)
        stack.append(self)
        try:
            for _ in range(_ROUNDS):
                self.low, self.unstable, self.members = self.place, False, {}
                repetitions.back(before)
                graph, outputs = self._round(trace_once)
                if self.low < self.place:
                    stack[self.low].unstable |= self.unstable
                    return graph, outputs
                if not self.unstable:
                    return graph, outputs
            raise self._error(
                f"{self.name}() calls itself, and returns something else each time that it is traced",
                "return values of one type and structure, which do not depend on what Python counts or stores outside",
            )
        except StagingError:
            repetitions.back(before)  # it may be traced again where there is more room
            raise
        finally:
            stack.pop()
            if self.low == self.place:
                # What the members take from outside holds where they are called, which may be a branch.
                _local.known = known

    def _round(self, trace_once: Callable[[], tuple[Graph, Any]]) -> tuple[Graph, Any]:
        try:
            graph, outputs = trace_once()
        except NeverReturns:
            if self.low < self.place:
                _local.stack[self.low].unstable = True
                raise
            raise self._error(f"{self.name}() calls itself on every way through it") from None
        if not graph.calls_itself:
            return graph, outputs
        leaves = nest.flatten(outputs, True)
        types = [None if leaf is None else leaf.value.type for leaf in leaves]
        numbers = [getattr(leaf, "python", None) for leaf in leaves]
        captures = list(graph.captures)
        known = self.results
        same = known is not None and _same_structure(known.structure, outputs)
        if known is not None:
            if same:
                pairs = zip(known.types, known.numbers, types, numbers, strict=True)
                joined = [_joined(*each) for each in pairs]
                types, numbers = [type_ for type_, _ in joined], [python for _, python in joined]
            captures = [*known.captures, *[value for value in captures if value not in known.captures]]
        is_settled = known is not None and same and (types, numbers) == (known.types, known.numbers)
        if known is None or not is_settled or len(captures) != len(known.captures):
            self.unstable = True
        else:
            graph.captures = {value: graph.captures[value] for value in captures}
        self.results = _local.known[self.code_key] = _Results(outputs, types, numbers, captures)
        return graph, _cast_outputs(graph, outputs, types, numbers)

    def keep(self, concrete: object, remember: Callable[[bool], None]) -> None:
        """To be called with what has been made of a settled trace: keeps it now, or with the head.

        ``remember`` is told whether the call that caused the trace came from outside the recursion.
        """
        if self.low < self.place:
            head = _local.stack[self.low]
            head.members.update(self.members)
            head.members[self.key] = concrete, remember
            return
        remember(not _local.stack)
        for _, remember_member in self.members.values():
            remember_member(False)

    @property
    def is_settled(self) -> bool:
        """Whether the graph, and all that it calls, is as it will stay."""
        return self.low == self.place

    def _error(self, message: str, remedy: str | None = None) -> StagingError:
        return recursion_error(message, self.line, remedy)


def under_way(key: object) -> Pending | None:
    """What this thread is making for a key."""
    return next((pending for pending in _local.stack if pending.key == key), None)


def member(key: object) -> Any:
    """What has been made in this round for a key, and calls a trace under way; None when there is nothing."""
    for pending in _local.stack:
        found = pending.members.get(key)
        if found is not None and _reachable(found[0].graph):
            _depend_on(pending.place)
            return found[0]
    return None


def _reachable(graph: Graph) -> bool:
    current = trace.current_graph()
    return not graph.captures or (
        current is not None and graph.parent is not None and current.encloses_me(graph.parent)
    )


def _depend_on(place: int) -> None:
    for pending in _local.stack[place + 1 :]:
        pending.low = min(pending.low, place)


def _same_structure(known: object, found: object) -> bool:
    try:
        nest.assert_same_structure(known, found)
    except (TypeError, ValueError):
        return False
    return True


def _joined(
    known: Type | None, known_number: type | None, found: Type | None, number: type | None
) -> tuple[Type | None, type | None]:
    """The type of a result that is of one type or another, and that of the Python number that it is."""
    if known is None or found is None:
        return found, number
    dtype, common = dtypes.joined(known.dtype, known_number, found.dtype, number)
    return Type(dtype, shapes.relax(known.shape, found.shape)), common


def _cast_outputs(graph: Graph, outputs: object, types: list[Type | None], numbers: list[type | None]) -> Any:
    with trace.building(graph):
        leaves = [leaf if type_ is None or leaf.dtype is type_.dtype else cast(leaf, type_.dtype)
                  for leaf, type_ in zip(nest.flatten(outputs, True), types, strict=True)]  # fmt: skip
    leaves = [None if leaf is None else SymbolicTensor(leaf.value, python)
              for leaf, python in zip(leaves, numbers, strict=True)]  # fmt: skip
    return nest.pack_sequence_as(outputs, leaves, expand_composites=True)
