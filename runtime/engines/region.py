"""A graph that an engine runs for the shapes at hand, and its plan where the engine can't."""

from __future__ import annotations

import functools
import math
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.errors import AutographError, UnimplementedError
from autograph.log import Activity

from ..base.deeper import deeper
from ..base.provided import Provided
from ..base.shapes import Shape
from ..ir.graph import Graph, Node, Type
from ..ir.primitive import CONSTANT, PLACEHOLDER, While
from . import costs, recorder
from .engine import Engine, Entry, NotLowered
from .held import held_in
from .numpy.ownership import gives_fresh
from .numpy.plan import Plan
from .transaction import StandIns, Superseded, Transaction

# Code is made for at most so many combinations of shapes; others run through the plan.
_MOST_SHAPES = 16
# Code that gives up so often (because of errors and warnings) is not asked again.
_MOST_FAILURES = 10
# Code that other threads forestall so often in one run leaves it to the plan.
_MOST_CONFLICTS = 3
# How much deeper than Python's limit calls may nest that go down into sub-graphs.
_DEEPER = 20_000
# So many lengths of an axis are told.
_SHOWN = 3
_lock = threading.RLock()


PLACED: Provided[Callable[[Graph, Engine, bool], Region]] = Provided("runtime.engines.placed")


def region(graph: Graph, engine: Engine, demanded: bool = False) -> Region:
    """A graph that an engine runs, on the device of the engine if it has one."""
    return Region(graph, engine, demanded) if engine.device is None else PLACED.function(graph, engine, demanded)


class ShapesWarning(UserWarning):
    """A graph is called with ever new shapes, for each of which an engine would have to compile it."""


class Region:
    """A graph, with an engine's code for each combination of shapes that it is called with. ``run`` is that of `Plan`.

    It begins with a plan, which counts its work until compiling pays (see `costs`), for each combination anew. The plan
    may stop then in the midst of a loop, and the code starts over: what runs here has no effects but on variables, and
    such a plan, as the code, has no effects on these before its end (see `transaction`).

    Attributes
    ----------
    demanded: compile at the first call, and raise `UnimplementedError` when it is not possible.
    reasons: for each combination of shapes that has no code: the node that is to blame, and why.
    """

    def __init__(self, graph: Graph, engine: Engine, demanded: bool = False) -> None:
        self.graph = graph
        self.engine = engine
        self.demanded = demanded
        self.otherwise: Callable[[], Any] | None = None
        self.reasons: list[tuple[Node | None, str]] = []
        self.failures = 0
        self._entry: Entry = self._waiting
        self._entries: dict[Any, Entry | None] = {}
        self._patience = 0 if demanded else engine.work_of_compiling(graph.walk())
        self._budget: list[float] = [self._patience]
        self._has_warned = False
        self._cost = costs.of_call(graph)
        self._dtypes = [value.type.dtype.numpy for value in graph.inputs]
        self._held = held_in(graph)
        self._dtypes += [key.variable.dtype.numpy for key in self._held]
        self._blamed: set[Node] = set()
        self._ends: set[Node] = set()

    @functools.cached_property
    def _transaction(self) -> Transaction | None:
        return Transaction(self.graph, self._held) if self._held else None

    @functools.cached_property
    def plan(self) -> Plan:
        """The plan that runs when there is no code for the arguments, and tells what is wrong with them."""
        return _plan_of(self.graph)

    @functools.cached_property
    def gives_fresh(self) -> bool:
        """Whether the results share no memory with anything: code makes arrays of its own, a plan gives what there is.

        Arrays that variables take or give are theirs.
        """
        return not self._held and gives_fresh(self.graph)

    @functools.cached_property
    def rest(self) -> Any:
        """What runs when the graph as a whole can't be code: parts of it may be, without what is to blame.

        That is ``otherwise``, or a plan.
        """
        if self.otherwise is not None:
            return self.otherwise()
        if not self._blamed and not self._ends:
            return self.plan
        from .partition import partition

        parts, regions = partition(self.engine, self.graph, self._blamed, self._ends)
        return _plan_of(parts) if regions else self.plan

    def run(self, *inputs: object) -> tuple[Any, ...]:
        """Run the graph. Raises what its plan raises."""
        if self._held and not self._entries and self._budget[0] > 0 and self._counting is None:
            self._budget[0] -= self._cost  # as `_waiting` does, which needs no transaction for such a plan
            return self.plan.run(*inputs)
        transaction = self._transaction
        if transaction is None:
            result = self._entry(*inputs)
            if type(result) is not tuple:
                result = self._run_otherwise(result, inputs)
            return result if type(result) is tuple else result.run(*inputs)
        if transaction.turns or transaction.awaited:
            return self._run_with_care(inputs)
        taken = transaction.take()
        result = self._entry(*inputs, *taken)
        if type(result) is not tuple:
            result = self._run_otherwise(result, (*inputs, *taken))
            if type(result) is not tuple:
                return result.run(*inputs)
        if transaction.changed:
            result = transaction.put(taken, result)
        if result is None:
            transaction.forestalled()
            return self._run_with_care(inputs)
        return result

    def _run_with_care(self, inputs: Sequence[Any]) -> tuple[Any, ...]:
        """Run the graph where other threads may come between, as they have done before."""
        transaction = self._transaction
        assert transaction is not None
        running, in_turn = transaction.running, transaction.turns > 0
        before = running.taken
        try:
            if in_turn:
                transaction.take_turn()
            found = self._tried(inputs, transaction)
        finally:
            running.taken = before
            if in_turn:
                transaction.end_turn()
        return found if type(found) is tuple else self._run_plan(found, inputs)

    def _run_plan(self, plan: Plan, inputs: Sequence[Any]) -> tuple[Any, ...]:
        return plan.run(*inputs)

    def _as_given(self, inputs: Sequence[Any]) -> list[Any]:
        """Inputs, also variables, as code takes them."""
        return [np.asarray(x, dtype, order="C") for x, dtype in zip(inputs, self._dtypes, strict=True)]

    def _tried(self, inputs: Sequence[Any], transaction: Transaction) -> Any:
        """Results, or the plan to run, where that is the way or other threads come between too often."""
        for _ in range(_MOST_CONFLICTS):
            taken = transaction.running.taken = transaction.take()
            given = (*inputs, *taken)
            try:
                result = self._entry(*given)
                if type(result) is not tuple:
                    result = self._run_otherwise(result, given)
            except Superseded:
                continue
            if type(result) is not tuple or not transaction.changed:
                return result
            result = transaction.put(taken, result)
            if result is not None:
                return result
            transaction.forestalled()
        return self.plan

    def _run_otherwise(self, result: object, inputs: Sequence[Any]) -> Any:
        """Results, as of `_entry`, or the plan to run: its assignments are made at once. ``inputs``: also variables."""
        if result.__class__ is Plan:
            return result
        if result is None:  # there is no code, or none for these shapes
            arrays = self._as_given(inputs)
            shapes = tuple([array.shape for array in arrays])
            if shapes not in self._entries and len(self._entries) < _MOST_SHAPES:
                result = self._waiting(*inputs)
                if result is not None:
                    return result
            entry = self._entry_for(shapes)
            if entry is None:
                return self.rest
            result = entry(*arrays)
            if type(result) is tuple:
                return result
        if result is False:
            self.failures += 1
            if self.failures == _MOST_FAILURES:
                self._give_up()
        return self.plan

    def run_profiled(self, *inputs: object) -> tuple[Any, ...]:
        """Run the graph as `run` does, and record how long it took: as a whole where the engine runs it."""
        transaction = self._transaction
        taken = () if transaction is None else transaction.take()
        arrays = self._as_given((*inputs, *taken))
        entry = self._entries.get(tuple([array.shape for array in arrays]))
        started = recorder.clock()
        result = None if entry is None or (transaction and transaction.awaited) else entry(*arrays)
        if type(result) is tuple and transaction is not None and transaction.changed:
            result = transaction.put(taken, result)
        if type(result) is not tuple:
            return self._profiled.run(*inputs)
        if recorder.active is not None:
            recorder.active.add(self.title, started)
        return result

    @property
    def title(self) -> str:
        """What profiles call it."""
        return f"{self.engine.product}{_lines(list(self.graph.walk()))}"

    @functools.cached_property
    def _profiled(self) -> Plan:
        return _plan_of(self.graph, profiled=True)

    def _waiting(self, *inputs: object) -> Any:
        """Run the plan, and count its work; None when so much is done that compiling pays.

        A plan that can't be broken off is given back, to be run.
        """
        budget = self._budget
        if budget[0] <= 0:
            return None
        budget[0] -= self._cost
        if self._counting is None:
            return self.plan
        plan, stand_ins = self._counting
        try:
            if stand_ins is None:
                result = plan.run(*inputs[: len(self.graph.inputs)])
            else:
                result = self._run_aside(plan, stand_ins, inputs)
        except costs.Spent:
            return None
        if budget[0] == math.inf:  # a warning has been given, which must not come twice
            budget[0] = self._patience
        return result

    def _run_aside(self, plan: Plan, stand_ins: StandIns, inputs: Sequence[Any]) -> Any:
        """Run a plan that does not touch the variables; the results have what these are to hold, as those of code."""
        assert self._transaction is not None
        count = len(self.graph.inputs)
        with stand_ins.holding(inputs[count:]):
            try:
                return (*plan.run(*inputs[:count]), *stand_ins.held())
            except costs.Spent:
                raise
            except BaseException as error:  # what was assigned before it counts
                results = (*self.graph.outputs, *stand_ins.held())
                if self._transaction.put(inputs[count:], results) is None and isinstance(error, Exception):
                    return self.plan
                raise

    @functools.cached_property
    def _counting(self) -> tuple[Plan, StandIns | None] | None:
        """The plan that runs while it is open whether there will be code, and counts the turns of loops, if any."""
        if not any(isinstance(node, While) for node in self.graph.walk()):
            return None
        stand_ins = None if self._transaction is None else StandIns(self._transaction)
        return _plan_of(self.graph, budget=self._budget, stand_ins={} if stand_ins is None else stand_ins.of), stand_ins

    def _give_up(self) -> None:
        with _lock:
            self._entries = dict.fromkeys(self._entries)
            self._entry = _none

    # Compiling

    def _entry_for(self, shapes: tuple[Any, ...]) -> Entry | None:
        if shapes not in self._entries:
            with _lock:
                if shapes not in self._entries:
                    if len(self._entries) >= _MOST_SHAPES:
                        self._warn(shapes)
                        return None
                    self._entries[shapes] = self._compiled(shapes)
                    self._budget[0] = self._patience
        entry = self._entries[shapes]
        self._entry = _none if entry is None else entry
        return entry

    def _warn(self, shapes: tuple[Any, ...]) -> None:
        """Once, where compiling is what the engine is there for."""
        if self._patience == 0 and not self._has_warned:
            self._has_warned = True
            names = [value.node.name for value in self.graph.inputs] + [key.variable.name for key in self._held]
            _warn_of_shapes(self.engine, self.graph, names, [*self._entries, shapes])

    def _compiled(self, shapes: Sequence[tuple[int, ...]]) -> Entry | None:
        here = self.engine.missing()
        if here is not None:
            self.reasons.append((None, here))
            return None
        transaction = self._transaction
        variables = [] if transaction is None else transaction.variables
        given = [*[value.type for value in self.graph.inputs], *variables]
        types = [Type(each.dtype, shape) for each, shape in zip(given, shapes, strict=True)]
        look = transaction.look if transaction is not None and transaction.awaited else None
        activity = Activity(f"compiling {self.graph.name}() ({self.engine.name})")
        try:
            with deeper(_DEEPER):
                return self.engine.compile(self.graph, types, look)
        except NotLowered as error:
            self.reasons.append((error.node, error.reason))
            if self.demanded:
                raise refused(self.engine, error.node, error.reason) from None
            found = self._ends if error.ends else self._blamed
            if error.outermost is not None and error.outermost not in found:
                found.add(error.outermost)
                self.__dict__.pop("rest", None)
            return None
        finally:
            activity.done()

    @property
    def is_compiled(self) -> bool:
        """Whether there is code for any arguments so far."""
        return any(entry is not None for entry in self._entries.values())

    def report(self) -> str:
        """Whether the engine runs the graph, or why not, in words: a line for each part."""
        nodes = [node for node in self.graph.walk() if node.op not in (PLACEHOLDER, CONSTANT)]
        what = f"{len(nodes)} nodes{_lines(nodes)}"
        product = self.engine.product
        lines = [f"{what} are {product}"] if self.is_compiled else []
        if self.failures >= _MOST_FAILURES:
            lines = [f"{what} run through NumPy: as {product} they gave up too often, because of errors or warnings"]
        for node, reason in self.reasons:
            where = "" if node is None or node.location is None else f" ({node.location})"
            lines.append(f"{what} are not {product} together: {reason}{where}")
        if self.otherwise is None and (self._blamed or self._ends) and self.rest is not self.plan:
            from .partition import report

            lines.append(report(self.engine, self.rest.graph))
        return "\n".join(lines) or f"{what} may become {product}, but have not been called often enough"


def _lines(nodes: Sequence[Node]) -> str:
    """The user's lines that nodes come from, when they are of one file."""
    places = [node.location for node in nodes if node.location is not None]
    if len({place.file for place in places}) != 1:
        return ""
    first, last = min(place.line for place in places), max(place.line for place in places)
    return f" ({places[0].file.rpartition('/')[2]}:{first}{f'-{last}' if last > first else ''})"


def _plan_of(graph: Graph, **options: Any) -> Plan:
    with deeper(_DEEPER):
        return Plan(graph, **options)


def _none(*_: object) -> None:
    """What stands for code before there is any."""


def refused(engine: Engine, node: Node | None, reason: str) -> AutographError:
    """The error for a graph that an engine was to run, and can't."""
    location = None if node is None else node.location
    return UnimplementedError(
        f"jit_compile=True, but the graph can't become {engine.product}: {reason}",
        **({} if location is None else location._asdict()),
        construct=None if node is None else node.op.name,
        remedy=f"leave jit_compile out: what can't become {engine.product} then runs through NumPy",
    )


def _warn_of_shapes(engine: Engine, graph: Graph, names: Sequence[str], seen: Sequence[Sequence[Shape]]) -> None:
    """Warn that a graph has been called with so many combinations of shapes, those of its arguments by name."""
    axes = "; ".join(_varying(names, seen))
    message = (
        f"{graph.name} has been called with {len(seen)} combinations of shapes: as {engine.product} it is compiled for "
        f"each of the first {len(seen) - 1}, and runs through NumPy for all others. {axes}. Remedy: pad to a few "
        "lengths (tf.pad, Dataset.padded_batch; batches with drop_remainder=True), and mask what has been added."
    )
    places = (node.location for node in graph.walk())
    place = next((each for each in places if each is not None), None)
    file, line = ("<unknown>", 1) if place is None else (place.file, place.line)
    warnings.warn_explicit(message, ShapesWarning, file, line)


def _varying(names: Sequence[str], seen: Sequence[Sequence[Shape]]) -> list[str]:
    """Which axes have had several lengths, and some of these."""
    found = []
    for i, name in enumerate(names):
        shapes = [each[i] for each in seen if each[i] is not None]
        for axis, lengths in enumerate(zip(*shapes, strict=False)):
            if len({*lengths}) > 1:
                last = [*dict.fromkeys(map(str, reversed(lengths)))][:_SHOWN]
                found.append(f"Axis {axis} of `{name}` has had {len({*lengths})} lengths ({', '.join(last)}, …)")
    return found
