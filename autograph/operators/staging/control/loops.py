"""Staged loops: the state is whatever the body changes, and its types are found by tracing to a fixed point.

The body is traced with parameters in the place of the state. Where what it leaves doesn't fit what it was given, the
types are joined and it is traced again: dtypes only get wider and shapes less exact, so that this ends.

A loop inside of another one finds out what it needs together with that one: the code after it goes on with the types
that are known so far, so that one more attempt at the outermost loop has the types of all.
"""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import suppress
from types import CodeType
from typing import Any

from autograph.errors import BranchMismatchError
from autograph.runtime.base.shapes import as_shape
from autograph.runtime.functions import repetitions
from autograph.runtime.ir.graph import Graph, Mark
from autograph.runtime.ops.control import while_node
from autograph.runtime.tensors import undelivered
from autograph.runtime.tensors.tensor import SymbolicTensor
from autograph.runtime.tensors.trace import building, current_graph, value_of

from ...dispatch import Options
from ..heap import aliases, reach, rebinding
from ..heap.attributes import attribute_dicts
from ..heap.locations import Attribute, Contents, Location, StateOf, locations
from ..heap.state import stack
from ..values.dicts import DictOf
from ..values.join import join
from ..values.mismatches import of_turns
from ..values.specs import Constant, Leaf, ListOf, Mismatch, Spec
from ..values.values import frozen_after, references_in, spec_of, structure_of, varying
from .branches import Key, Outcome, named, old_value, trace_body
from .errors import where
from .loop_aliases import Known, LoopAliases
from .loop_findings import Nesting, forget, stand_in, widened
from .loop_graphs import acts
from .loop_options import shape_invariants, with_shape
from .loop_slots import Slot, control_spec, made_for_turn, parameter_name, read_views, stage_lists

ATTEMPTS = 40
MOST_GROWTHS = 10
"""Attempts in which a variable may get more parts: a linked list that grows would get more each time."""
_BREAK = "a staged break"


class _Local(threading.local):
    def __init__(self) -> None:
        self.open: list[Loop] = []
        self.found: dict[CodeType, set[str]] = {}
        """For the body of each loop that an open loop has staged: what it changes besides its variables, by label."""
        self.relations: dict[CodeType, Known] = {}
        """For the same bodies, which objects of their turns may be one."""


_local = _Local()


class Impure(Exception):
    """The test of a loop changes something or has an effect."""


class Loop:
    """A loop that is being staged.

    ``turn`` makes one turn from the control values (a dict of what is not the user's: an index, a flag) to the next;
    ``condition`` says from them whether there is another turn. Both see the state in the user's variables.
    ``tests_first``: whether the condition may change something, so that it is traced before the first turn.
    """

    def __init__(
        self,
        turn: Callable[[Any], Any],
        condition: Callable[[Any], Any],
        control: dict[str, Any],
        bodies: tuple[Callable[..., Any], ...],
        names: tuple[str, ...],
        options: Options,
        tests_first: bool = False,
    ) -> None:
        aliases.update()  # before anything is looked at
        self.turn = turn
        self.condition = condition
        self.bodies = bodies
        self.names = names
        self.control = Slot(None, control, control_spec(control))
        self._last: list[Any] = []
        self._tests_first = tests_first
        self._options = options
        around = _local.open[-1]._nesting if _local.open else None
        self._nesting: Nesting = Nesting(around, (bodies[0].__code__, tuple(control)))
        self._types = self._nesting.types
        known = _local.relations.get(bodies[0].__code__)
        self._aliases: LoopAliases = LoopAliases([each._aliases for each in _local.open], known)
        self.slots: dict[Key, Slot] = {}
        wanted = set(names)
        invariants = shape_invariants(options)
        for location in locations(bodies, names):
            if location.name in wanted and location.key not in self.slots:
                raw = location.get()
                initial = old_value(location)
                slot = self.slots[location.key] = Slot(location, initial, varying(initial))
                for value, shape in invariants:
                    if value is raw and isinstance(slot.spec, Leaf):
                        slot.spec = with_shape(slot.spec, as_shape(shape), location.label)
                self._begin_with_known(slot)
        self._take_from_outer_loops()
        self._begin_with_known(self.control)

    def _begin_with_known(self, slot: Slot) -> None:
        """Gives a part of the state the type that it was found to need when the loop was staged before."""
        if type(slot.initial) in (bool, int, float) and isinstance(slot.spec, (Constant, Leaf)):
            around = [each.slots.get(slot.location.key) for each in _local.open] if slot.location else []
            adapts = any(each and each.is_adapting and each.initial is slot.initial for each in around)
            if adapts or slot.lasting_key in self._types.adapting:
                slot.adapt()
        known = self._types.specs.get(slot.lasting_key)
        is_staged_later = isinstance(slot.location, Contents) and isinstance(known, (ListOf, DictOf))
        if known is not None and not is_staged_later:
            with suppress(Mismatch):
                slot.spec = named(widened(slot.spec, known), slot.label)

    def _take_from_outer_loops(self) -> None:
        """Begins with what this loop is known to change besides variables, if an outer loop has it as state.

        An outer loop traces its body again as it finds out what that changes; without this, each inner loop would
        have to find out the same anew each time, and the number of traces would double with each level.
        """
        labels = _local.found.get(self.bodies[0].__code__, set())
        if _BREAK in labels:
            self.control.spec = control_spec(self.control.initial, varying)
        for outer in _local.open:
            for key, slot in outer.slots.items():
                if slot.label in labels and key not in self.slots and slot.location is not None:
                    initial = old_value(slot.location)
                    spec = structure_of(initial) if isinstance(slot.location, Contents) else spec_of(initial)
                    taken = self.slots[key] = Slot(slot.location, initial, spec)
                    self._begin_with_known(taken)
                    for journal in stack():
                        journal.note_owner(slot.location)  # the loop sets it, also where its body does not

    def _remember(self) -> None:
        if _local.open:
            found = {slot.label for slot in self.slots.values() if isinstance(slot.location, (Contents, StateOf))}
            found.update({slot.label for slot in self.slots.values()} - set(self.names))
            if self.control.spec != control_spec(self.control.initial):
                found.add(_BREAK)
            _local.found.setdefault(self.bodies[0].__code__, set()).update(found)
            _local.relations[self.bodies[0].__code__] = self._known_aliases()

    def _known_aliases(self) -> Known:
        outermost = _local.open[0]
        journal, held = stack()[outermost._nesting.depth], references_in(outermost._initial)
        own = references_in(self._initial)

        def is_first(obj: object) -> bool:
            return id(obj) in held or journal.is_early(obj) or (id(obj) in own and not journal.is_created(obj))

        return self._aliases.lasting(is_first)

    def stage(self) -> Any:
        """Adds the loop to the current graph, sets the variables, and returns the last control values."""
        graph = current_graph()
        assert graph is not None
        try:
            if self._tests_first:
                self._check_test(graph)
            for _ in range(ATTEMPTS):
                mark, seen = graph.mark(), repetitions.mark()
                found = self._attempt(graph, mark)
                self._remember()
                if found is not None and self._nesting.is_right(graph):
                    return self._finish(*found)
                graph.truncate(mark)
                if found is not None:
                    repetitions.back(seen)
                    return self._anew().stage()
                stage_lists(self.slots)
                read_views(self.slots)
                if self._nesting.may_go_on(graph):
                    return self._go_on(graph)
                repetitions.back(seen)
        finally:
            if not _local.open:
                # What is known of inner loops holds for this statement alone, also when it has failed.
                _local.found.clear()
                _local.relations.clear()
                forget()
        raise self._never_settles()

    def _anew(self) -> Loop:
        """The loop as it was: its types follow from moves that the last attempt does not have."""
        self._nesting.begin_again()
        given = self.turn, self.condition, self.control.initial, self.bodies, self.names, self._options
        return Loop(*given, self._tests_first)

    def _attempt(self, graph: Graph, mark: Mark) -> tuple[Graph, Graph] | None:
        """The test and the body as graphs; None when they are to be traced again."""
        nesting = self._nesting
        nesting.begin()
        notes, seen = undelivered.noted(), repetitions.mark()
        _local.open.append(self)
        try:
            return self._trace(graph)
        except BaseException as error:
            graph.truncate(mark)
            repetitions.back(seen)
            if not nesting.rests_on_guess or not isinstance(error, Exception):
                raise
            undelivered.only(notes)  # it may come of types that an inner loop has not settled
            nesting.is_exact, nesting.is_all_known = True, False
            return None
        finally:
            _local.open.pop()

    def _check_test(self, graph: Graph) -> None:
        """Finds a test that changes something before the body is traced, where that shows already."""
        mark, notes, seen = graph.mark(), undelivered.noted(), repetitions.mark()
        self._nesting.begin()
        _local.open.append(self)
        try:
            with aliases.Body() as tested:
                self._traced(self.condition, Graph("loop_test", graph), self._all, effects=False)
            tested.drop()
        except Impure:
            raise
        except Exception:  # it comes again after the body, if it is in its place
            undelivered.only(notes)
        finally:
            _local.open.pop()
            repetitions.back(seen)
            graph.truncate(mark)

    def _go_on(self, graph: Graph) -> Any:
        """Gives values of the types that are known so far to what comes after the loop, as it is traced again."""
        self._nesting.go_on()
        self._last = []
        return self._finish(*stand_in(graph, [slot.spec for slot in self._all]))

    def _never_settles(self) -> BranchMismatchError:
        places = [each.location for each in self._all if each.label == self._unsettled]
        is_inside = any(isinstance(each, (Attribute, Contents, StateOf)) for each in places)
        return BranchMismatchError(
            f"what `{self._unsettled}` is never settles: it is something else after each turn of this loop",
            **where(),
            construct=self._unsettled,
            remedy="make the object that is changed in converted code, or change a copy of it (copy.deepcopy): others "
            "may have what code that is not converted gives"
            if is_inside
            else "keep dtypes, shapes and structures fixed, and make functions before the loop",
        )

    @property
    def _initial(self) -> list[Any]:
        return [slot.initial for slot in self._all]

    @property
    def _all(self) -> list[Slot]:
        return [self.control, *self.slots.values()]

    def _trace(self, graph: Graph) -> tuple[Graph, Graph] | None:
        """The test and the body as graphs; None when the state had to be widened."""
        body_graph = Graph("loop_body", graph)
        slots = self._all
        with aliases.Body() as noted:
            outcome = self._traced(self.turn, body_graph, slots, effects=True)
            values = self._values_after(outcome, slots, noted)
        noted.drop()
        if values is None or self._nesting.rests_on_guess:
            return None
        test_graph = Graph("loop_test", graph)
        with aliases.Body() as tested:
            test = self._traced(self.condition, test_graph, slots, effects=False)
        tested.drop()
        if self._nesting.rests_on_guess:
            return None
        if outcome.returns:
            with building(body_graph):
                tensors: list[Any] = []
                for slot, value in zip(slots, values, strict=True):
                    slot.spec.flatten(value, tensors)
                body_graph.outputs = [value_of(tensor) for tensor in tensors]
        with building(test_graph):
            test_graph.outputs = [value_of(test.result)]
        return test_graph, body_graph

    def _traced(self, run: Callable[[Any], Any], graph: Graph, slots: list[Slot], effects: bool) -> Outcome:
        self._nesting.graph = graph
        before = [slot.location.get() if slot.location is not None else None for slot in slots]
        self._parameters = [
            [SymbolicTensor(graph.parameter(each, parameter_name(slot))) for each in slot.spec.types()]
            for slot in slots
        ]
        tensors = itertools.chain.from_iterable(self._parameters)
        self._given = [slot.spec.unflatten(tensors) for slot in slots]
        control = self._given[0]
        self._aliases.begin(self._places(self._given))
        try:
            for slot, value in zip(slots[1:], self._given[1:], strict=True):
                assert slot.location is not None
                attribute_dicts.note_merged(slot.location, value)
                if not isinstance(slot.spec, Constant) or slot.location.get() is not value:
                    slot.location.set(value)
            outcome = trace_body(lambda: run(control), self.bodies, self.names, graph)
        finally:
            for slot, value in zip(slots[1:], before[1:], strict=True):
                assert slot.location is not None
                slot.location.set(value)
        if not effects and (outcome.changes or acts(graph) or not outcome.returns):
            raise Impure
        return outcome

    def _places(self, values: Sequence[Any]) -> list[tuple[Any, Location | None, Any, Any]]:
        """The parts of the state: what tells it apart, place, what it holds before the loop, and one of some values."""
        count: Counter[Hashable] = Counter()
        rows = []
        for slot, value in zip(self._all, values, strict=True):
            count[slot.lasting_key] += 1
            key = None if slot is self.control else (slot.lasting_key, count[slot.lasting_key])
            rows.append((key, slot.location, slot.initial, value))
        return rows

    def _slots_given(self) -> Iterator[tuple[Slot, Any]]:
        """The variables, each with its value at the start of a turn."""
        return zip(self.slots.values(), self._given[1:], strict=True)

    def _values_after(self, outcome: Outcome, slots: list[Slot], noted: aliases.Body) -> list[Any] | None:
        """What the body left of each part of the state; None after widening the state to hold it."""
        self._last, nesting = [], self._nesting
        if not outcome.returns:
            nesting.is_exact, nesting.is_all_known = nesting.is_exact or nesting.rests_on_guess, False
            return []
        self._unsettled = "the stop signal"
        keys = [key for key, *_ in self._places(self._given)[1:]]
        self._types.moves.begin(by_key := dict(zip(keys, self.slots.values(), strict=True)), self._parameters[1:])
        stable = self._widen(self.control, spec_of(outcome.result))
        values = [outcome.result]
        for slot, given in self._slots_given():
            assert slot.location is not None
            key, value = slot.location.key, given
            # What the variable holds at the start of each turn, made for that turn, is part of the variable's value.
            made = {id(each) for each in made_for_turn(slot, given)}
            inside = [outcome.changes.pop(each) for each in list(outcome.changes) if each[1] in made]
            changed = bool(inside)
            if changed:
                value = frozen_after(given, inside)
            if key in outcome.changes:
                value, changed = outcome.changes.pop(key)[1], True
            if changed:
                stable = self._widen(slot, spec_of(value)) and stable
            values.append(value)
        self._last = values
        self._follow_moves(by_key, outcome.graph, stable)
        for key, (location, value) in outcome.changes.items():
            self._add_found(key, location, value)
            values.append(value)
            stable = False
        ends = [(key, location, value) for key, location, _, value in self._places(values)]
        new, is_same = self._aliases.end(ends, noted, outcome.journal.is_created, outcome.journal.is_early)
        if new:
            stable = stable and is_same
            nesting.is_all_known &= len(_local.open) == 1 or new <= self._known_aliases().relations.keys()
        return values if stable else None

    def _follow_moves(self, slots: dict[Hashable, Slot], graph: Graph, stable: bool) -> None:
        """Makes what follows from variables that have become wider so, too, or sees whether that was right."""
        moves, turns = self._types.moves, zip(slots, self._given[1:], self._last[1:], strict=True)
        moves.end(graph, {key: left for key, given, left in turns if left is not given})
        if stable:
            self._nesting.is_too_wide |= not moves.are_right(slots)
        else:
            for slot, spec in list(moves.wider(slots)):
                if not self._widen(slot, spec) and isinstance(slot.spec, Constant):
                    self._widen(slot, spec)  # it has taken on the dtype
            for slot in list(moves.adapting(slots)):
                self._adapt(slot)

    def _add_found(self, key: Key, location: Location, value: object) -> None:
        """Makes what the body was found to change, to some value, a part of the state."""
        self._unsettled = location.label
        slot = self.slots[key] = Slot(location, old_value(location), Constant(None))
        slot.spec = named(self._joined(slot, spec_of(slot.initial), spec_of(value)), slot.label)
        self._nesting.note_found(slot.lasting_key, location)
        self._nesting.note_type(slot.lasting_key, slot.spec)

    def _widen(self, slot: Slot, spec: Spec) -> bool:
        """Joins the specification of a slot with that of a value; whether the slot held it already."""
        if (joined := named(self._joined(slot, slot.spec, spec), slot.label)) == slot.spec:
            return True
        self._unsettled = slot.label or "the stop signal"
        if isinstance(slot.spec, Leaf) and slot.is_number:
            if isinstance(joined, Leaf) and joined.dtype is not slot.spec.dtype:
                self._adapt(slot, joined)
                return False
            slot.is_adapting = True
        slot.growths += len(joined.types()) > len(slot.spec.types())
        if slot.growths > MOST_GROWTHS:
            raise self._never_settles()
        slot.spec = joined
        self._nesting.note_type(slot.lasting_key, joined)
        return False

    def _adapt(self, slot: Slot, aim: Spec | None = None) -> None:
        slot.adapt(aim)
        self._types.adapting.add(slot.lasting_key)
        self._nesting.forget_inside()

    def _joined(self, slot: Slot, left: Spec, right: Spec) -> Spec:
        try:
            return join(left, right)
        except Mismatch as error:
            raise of_turns(slot.label, error, slot.initial, self.bodies[0]) from None

    def _finish(self, test_graph: Graph, body_graph: Graph) -> Any:
        tensors: list[Any] = []
        for slot in self._all:
            slot.spec.flatten(slot.initial, tensors)
        outputs = iter(while_node(test_graph, body_graph, tensors))
        values = [slot.spec.unflatten(outputs) for slot in self._all]
        state = zip(self.slots.values(), values[1:], strict=True)
        varying_state = [(slot, value) for slot, value in state if not isinstance(slot.spec, Constant)]
        rebinding.set_merged([(each.location, value) for each, value in varying_state if each.location])
        known = references_in([*[slot.initial for slot in self._all], *self._last])
        for value in values[1:]:
            reach.note_new(value, known)
        self._aliases.finish(self._places(values))
        for column in (self._initial, *([self._last] if self._last else [])):
            for slot, value, frozen in zip(self._all, values, column, strict=True):
                reach.note_parts(value, frozen, slot.label)
        return values[0]
