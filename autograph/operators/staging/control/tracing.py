"""The whole trace of a function: what it writes outside itself is written again after each run of the graph.

While a function is traced, the graph's tensors may end up in attributes, items and variables that outlive the trace.
None stays there. Instead such a place is an input of the graph, which a call reads before the run, and an output, that
it writes after it. Which places those are, the code tells as a rule (see `foreseen`); others show after a trace, as
those that held Python numbers, and then the function is traced once more.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import wraps
from types import FunctionType, MethodType
from typing import Any

from autograph.errors import MutationError, StagingError
from autograph.runtime.base import places as lines
from autograph.runtime.base.places import Place
from autograph.runtime.functions import repetitions
from autograph.runtime.functions.arguments import mutation_error
from autograph.runtime.functions.call_state import OUTSIDE
from autograph.runtime.functions.concrete import WritesOutside
from autograph.runtime.ir.graph import Graph
from autograph.runtime.tensors import trace, undelivered
from autograph.runtime.tensors.tensor import SymbolicTensor

from ...calls import call, staged_form
from ...data_model.raw_attributes import raw_attribute
from ...exceptions import StagedRaise
from ...unrolling import forget_turns
from ...variables import UNDEFINED
from ..heap import aliases, array_memory, heap, iterators, list_changes, reach, rebinding
from ..heap.array_forms import StagedArray
from ..heap.attributes import class_defaults
from ..heap.locations import Cell, Global, Item, Uncarried
from ..heap.refusals import changed_in_recursion, lost_array, lost_change, outlives_trace
from ..heap.state import Contents, Journal, Location, forget, stack
from ..outside import leaks
from ..outside.outside_arrays import ArrayContents, ArrayPlace
from ..outside.outside_places import Key, OutsidePlace, guessed, widen
from ..outside.stored import Stored
from ..outside.taken_back import Change, effects_of, is_of_outer_trace, refusing
from ..values.dicts import DictState, StagedDict
from ..values.outputs import as_output, is_staged
from ..values.specs import is_structure, parts_of
from ..values.values import freeze
from .errors import where
from .left_generators import refuse_kept
from .refused import is_refusal, replaced

ATTEMPTS = 10


class TraceJournal(Journal):
    """The journal of a whole trace."""

    outermost = True

    def __init__(self, bodies: tuple[Callable[..., Any], ...], older: list[Any]) -> None:
        super().__init__(bodies)
        self.watched = leaks.Watched()
        self.stored = Stored(older)

    def undo_after(self, error: BaseException) -> None:
        # What the user's code raises leaves what it has done before; what can't be staged has not been run at all.
        if is_refusal(error):
            self.undo()
            if self.too_far is not None:
                repetitions.done(refusing(error), self.before)

    def watch(self, obj: object, where: Place | None) -> None:
        # A list that nobody needs any more would be taken for one that outlives the trace.
        if isinstance(obj, list) or (isinstance(obj, FunctionType) and obj.__closure__):
            self.watched.note(obj, where)
        else:
            super().watch(obj, where)

    def announced_at(self, obj: object) -> Place | None:
        """The code that may have changed an object last."""
        return super().announced_at(obj) or self.watched.called_at.get(id(obj))


def traced(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function for the call that traces `function`; while no graph is built it is just the converted function."""

    @wraps(function)
    def run(*arguments: object, **keywords: object) -> Any:
        graph = trace.current_graph()
        if graph is None:
            return call(function)(*arguments, **keywords)
        return run_trace(graph, staged_form(function), arguments, keywords)

    return run


def run_trace(graph: Graph, form: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Runs a converted function under a graph; returns its result, with the user's objects free of graph tensors."""
    if not stack():
        undelivered.forget()
    places, guards, attributes, older = guessed(form, [*arguments, *keywords.values()], graph)
    mark, seen, is_traced, result = graph.mark(), repetitions.mark(), False, None
    if places:
        with undelivered.attempt():
            result = _settled(graph, form, arguments, keywords, places, attributes, older)
            is_traced = True
    if not is_traced:  # what is no tensor of the graph may be staged
        graph.truncate(mark)
        repetitions.back(seen)
        places = {}
        result = _settled(graph, form, arguments, keywords, places, attributes, older)
    outside = OUTSIDE.of(graph)
    if outside.takes_state:
        outside.frozen = {key: each for key, each in guards.items() if key not in places and each.is_same()}
        outside.unseen = [each.label for key, each in attributes.items() if key not in places]
    return result


def _settled(
    graph: Graph, form: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any],
    places: dict[Key, OutsidePlace], attributes: dict[Key, Location], older: list[Any]
) -> Any:  # fmt: skip
    """Traces until what is known of the places outside, which are inputs of the graph, holds for all that it writes."""
    values = [*arguments, *keywords.values()]
    for attempt in range(ATTEMPTS):
        mark, seen = graph.mark(), repetitions.mark()
        _drop_changed_arrays(places)
        tables = _Tables(places, graph)
        state = OUTSIDE.of(graph).state = []
        for place in places.values():
            place.inputs = ()
            if place.is_guard:
                place.guard(graph)
            elif place.is_read and not tables.holds(place):
                place.set(place.enter(graph))
                tables.note_input(place)
        try:
            result, found = _run(form, values, arguments, keywords, tables, older)
        finally:
            for place in places.values():
                place.location.set(place.initial)
        if attempt:
            # Variables that come anew with each trace belong to calls that are over.
            found = {
                key: each
                for key, each in found.items()
                if key in places or not isinstance(each[0], (Cell, ArrayContents))
            }
        unsettled = []
        for key, (location, old, new) in found.items():
            # The same holds for dicts and classes that come anew; what nobody reads again does no harm.
            is_read = (
                key in places or not attempt or not (isinstance(location, Item) or isinstance(location.owner, type))
            )
            if not widen(places, key, location, old, new, is_read):
                unsettled.append(location.label)
        if not unsettled:
            for key, (_, _, new) in found.items():
                places[key].leave(new)
            state += [place for place in places.values() if place not in state]
            for place in places.values():
                if isinstance(place, ArrayPlace):
                    place.find_through(attributes.values(), graph)
                place.forget()
            undelivered.deliver(graph)
            return result
        graph.truncate(mark)
        repetitions.back(seen)
    raise MutationError(
        f"what this function writes outside itself is something else each time that it is traced: `{unsettled[0]}`",
        **where(),
        construct=unsettled[0],
        remedy="write to the same variables, attributes and items in each run, values of one type and structure",
    )


def _drop_changed_arrays(places: dict[Key, OutsidePlace]) -> None:
    """Takes away the places that are read for an array which is known to be changed: it is a place itself."""
    changed = {id(each.location.owner) for each in places.values() if isinstance(each, ArrayPlace)}
    for key, place in list(places.items()):
        if not isinstance(place, ArrayPlace) and id(array_memory.memory_of(place.initial)) in changed:
            del places[key]


class _Tables:
    """The dicts outside the traced function to which it may add keys: only a run tells which of these there are.

    While the function is traced, staged dicts stand in for them.
    """

    def __init__(self, places: dict[Key, OutsidePlace], graph: Graph) -> None:
        self._graph = graph
        maybe = {id(place.location.owner) for place in places.values() if place.may_miss}
        self._places = [place for place in places.values() if id(place.location.owner) in maybe]
        self._arrays: dict[int, Any] = {}
        """The arrays in the place of which inputs of the graph are, by the identity of these."""
        self.given: dict[int, dict[Any, Any]] = {}
        """What the staged dicts hold at first, by the identity of the dict that each stands for."""

    def holds(self, place: OutsidePlace) -> bool:
        """Whether a place is an item of one of the dicts."""
        return place in self._places

    def array_of(self, memory: object) -> Any:
        """The memory of the array for which an input of the graph stands; any other memory as it is."""
        found = self._arrays.get(id(memory.value)) if type(memory) is SymbolicTensor else None
        return memory if found is None else array_memory.memory_of(found)

    def note_input(self, place: OutsidePlace) -> None:
        """Notes that a place which holds an array is an input of the graph."""
        if array_memory.is_array(place.initial) and place.inputs:
            self._arrays[id(place.inputs[0])] = place.initial

    def put_in(self, bodies: tuple[Callable[..., Any], ...]) -> None:
        """Puts the staged dicts in the place of the dicts, under all their names."""
        owners = {id(place.location.owner): place.location.owner for place in self._places}
        for key, owner in owners.items():
            mine = [place for place in self._places if place.location.owner is owner]
            self.given[key] = {**owner, **{place.location.key[-1]: place.enter(self._graph) for place in mine}}
            label = mine[0].location.label.rpartition("[")[0]
            rebinding.stage(owner, label).set(DictState(self.given[key]))


def _run(
    form: Callable[..., Any],
    values: list[Any],
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
    tables: _Tables,
    older: list[Any],
) -> tuple[Any, dict[Key, tuple[Location, Any, Any]]]:
    """Traces once; returns the result, and location, old and new value of each place that holds graph tensors."""
    body = form.__func__ if isinstance(form, MethodType) else form
    if isinstance(form, MethodType):
        values = [form.__self__, *values]
    journal = TraceJournal((body,) if hasattr(body, "__code__") else (), older)
    journal.graph = trace.current_graph()
    for value in values:
        if not isinstance(value, (list, dict)):
            journal.note(value, "self" if value is getattr(form, "__self__", None) else "", early=True)
    output = None
    try:
        with journal, suppress(StagedRaise):
            tables.put_in(journal.bodies)
            result = form(*arguments, **keywords)
            lines.returned()
            output = as_output(result)
            del result
            aliases.settle()
            refuse_kept(journal, [output, body, *values])
    except Exception as error:
        refusal = replaced(error)
        if refusal is None:
            raise
        raise refusal from None
    finally:
        left = _Left(journal, tables, body, values)
        try:
            left.look()
        finally:
            left.put_back()
            left.restore()
    left.check()
    repetitions.done(effects_of(journal, journal.watched.left), journal.before)
    return output, left.changes()


class _Left:
    """What a trace leaves outside the function: places that hold graph tensors, with what they held before."""

    def __init__(self, journal: TraceJournal, tables: _Tables, body: Callable[..., Any], values: list[Any]) -> None:
        self._journal = journal
        self._body = body
        self._values = values
        self._graph = trace.current_graph()
        self._recursive = self._graph is not None and self._graph.calls_itself
        changed = [*journal.changes().values()]
        changes = _plain_changes(changed) if self._recursive else _staged_changes(changed, tables)
        found = {each[0].key: each for each in (*_kept_changes(journal, changed), *changes)}
        self._is_part = bool(stack()) and not self._recursive and any(map(is_of_outer_trace, changed))
        self._given = {id(each): each for value in values for each in _containers(value)}
        staged_ones = [] if stack() else [heap.form(each) for each in self._given.values() if heap.has_form(each)]
        self._given_lists = [re.split(r"[\[.]", each.name)[0] for each in staged_ones]
        found = {key: each for key, each in found.items() if id(each[0].owner) not in self._given}
        self._new = {key: each[2] for key, each in found.items()}
        self.old = {key: each[1] for key, each in found.items()}
        self.locations = {key: each[0] for key, each in found.items()}
        self.frozen: dict[Key, Any] = {}
        self._changed = [new for *_, new in changed]
        self._failure: Exception | None = None

    def look(self) -> None:
        """Finds what the places hold when a run ends, and what is wrong with it, which `check` raises."""
        try:
            self.frozen = {key: freeze(new, self._journal.is_created) for key, new in self._new.items()}
            lost = next(self._lost_changes(), None)
            if lost is not None and stack():
                self._is_part = True
            self._failure = self._lost_array() or lost
            if iterators.any_spent():
                self._failure = self._failure or iterators.refusal(reach.reachable(self._changed))
        except StagingError as error:
            self._failure = error

    def _lost_array(self) -> Exception | None:
        """What to raise when a place has got another array in some runs, and its own one, changed, in some."""
        changed = {id(each.owner) for each in self.locations.values() if isinstance(each, ArrayContents)}
        for key, location in self.locations.items():
            form = array_memory.known_form(self.old[key])
            if form is not None and id(form.memory) in changed:
                return lost_array(location.label, form, self._journal)
        return None

    def _lost_changes(self) -> Iterator[Exception]:
        """What to raise where another object has been changed that may be one which outlives the trace, as loops have
        left them."""
        for obj in aliases.known_objects():
            if isinstance(obj, aliases.Form) or self._journal.is_created(obj):
                continue
            found = aliases.stale_edge(obj, True)
            if found is not None:
                yield lost_change(obj, found[0].changed_at, self._journal, self._values)

    def put_back(self) -> None:
        """Forgets what is known of the trace."""
        if not stack():
            self._failure = class_defaults.changed() or self._failure
            forget()
            iterators.forget()
            list_changes.forget()
            forget_turns()
        else:
            self._journal.unstage()
        if self._graph is not None:
            self._journal.watched.put_back(self._graph, set(self._given))

    def outliving_list(self) -> Location | None:
        """A Python list that something outside the function has, and that now holds tensors."""
        places = (each for each in self.locations.values() if isinstance(each, Contents))
        return next((each for each in places if isinstance(each.owner, list)), None)

    def restore(self) -> None:
        """Sets the places to what they held before."""
        for key, location in self.locations.items():
            location.set(self.old[key])
        if self._graph is not None:
            error = leaks.refusal(self._journal, self._graph, self._body, self._values)
            self._failure = error or self._failure

    def check(self) -> None:
        """Raises what is wrong with the trace."""
        if self._is_part:
            self._journal.undo()
            raise self._journal.too_far or WritesOutside
        if self._failure is not None:
            raise self._failure
        if self._recursive and self.locations:
            raise changed_in_recursion(next(iter(self.locations.values())).label, self._body)
        if self._given_lists:  # they have become staged lists, which the caller never sees
            raise mutation_error(self._body.__name__, self._given_lists)
        found = self.outliving_list()
        if found is not None:
            raise outlives_trace(found.owner, found.label, self._journal, self._values)

    def changes(self) -> dict[Key, tuple[Location, Any, Any]]:
        """By key the places, and what they held before and hold now."""
        return {key: (each, self.old[key], self.frozen[key]) for key, each in self.locations.items()}


def _plain_changes(changes: list[Change]) -> list[Change]:
    """Location, old and new value of what has changed and could be set again."""
    return [each for each in changes if not isinstance(each[0], Uncarried)]


def _staged_changes(changes: list[Change], tables: _Tables) -> Iterator[Change]:
    """Location, old and new value of what now holds graph tensors; of dicts each item that has changed."""
    for location, old, new in changes:
        if isinstance(location.owner, StagedArray):
            memory = tables.array_of(location.owner.memory)
            if memory is not location.owner.memory:
                old = ArrayContents(memory, location.label).get()
            if memory is not None:
                yield ArrayContents(memory, location.label), old, new
            continue
        if isinstance(location, Uncarried) or not is_staged(new):  # maybe an array that Python has changed too
            continue
        new = new.state.values if isinstance(new, StagedDict) else new
        if isinstance(location, Contents) and isinstance(new, dict):
            given = tables.given.get(id(location.owner)) or old
            for key in {**given, **new}:
                before, after = old.get(key, UNDEFINED), new.get(key, UNDEFINED)
                if after is not given.get(key, UNDEFINED):
                    yield _item(location, key), before, after
        else:
            yield location, old, new


def _kept_changes(journal: Journal, changed: list[Change]) -> Iterator[Change]:
    """What staged bodies have stored into places that hold no graph tensors now: in a run these may hold others."""
    before = {location.key: old for location, old, _ in changed}
    for key, place in journal.stored.places.items():
        new = place.get()
        if new is not UNDEFINED and not is_staged(new):
            yield place, before.get(key, new), new


def _item(contents: Contents, key: Any) -> Location:
    """The place of an item of a dict; that of a module's dict is a global variable, which code reads by its name."""
    name = dict.get(contents.owner, "__name__")
    module = sys.modules.get(name) if isinstance(name, str) else None
    if raw_attribute(module, "__dict__") is contents.owner:
        return Global(contents.owner, key)
    return Item(contents.owner, key, f"{contents.label}[{key!r}]")


def _containers(value: object, seen: set[int] | None = None) -> Iterator[Any]:
    """A structure and all structures in it."""
    seen = set() if seen is None else seen
    if is_structure(value) and id(value) not in seen:
        seen.add(id(value))
        yield value
        for part in parts_of(value)[1]:
            yield from _containers(part, seen)
