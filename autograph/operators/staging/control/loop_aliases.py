"""Which objects may be one in the turns of a loop that is being staged, and after it.

A loop whose variable may hold another object in each turn gives each turn an object of its own. It may be what the
variable held before the loop, what the turn before left there, and what another variable was given, if the two held one
object. What a turn leaves of this has to hold at its start already: the body is traced again until it does.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, NamedTuple

from ...data_model.raw_attributes import raw_attribute
from ..heap import aliases
from ..heap.alias_paths import End, ends, possible
from ..heap.array_memory import is_array
from ..heap.edges import ALWAYS, CHOSEN, SOMETIMES, Body, Edge, here, steps
from ..heap.locations import Contents, Location, StateOf
from ..values.dicts import DictState
from ..values.elements import sources
from ..values.maybe import Maybe
from ..values.specs import Attributes, Frozen, can_change, has_parts, parts_of

Place = tuple[Hashable, ...]
"""A variable and a path into what it holds; or ("old", …), an object that is older than the loop."""


_LOST: Place = ("lost",)
"""Stands for objects that turns have changed and left behind."""


class Relation(NamedTuple):
    """Two objects that may be one, of which one may be out of date."""

    kind: str
    stale: tuple[bool, bool]


class Known(NamedTuple):
    """What an attempt has found that holds whenever the loop is staged again, and the older objects that it names."""

    relations: dict[tuple[Place, Place], Relation]
    old: dict[Hashable, Any]


class Found(NamedTuple):
    """What a turn leaves that was not known at its start, and whether its trace would be the same if it had been."""

    new: set[tuple[Place, Place]]
    is_same: bool


class LoopAliases:
    """What is known of the objects that are the state of a loop."""

    def __init__(self, outer: Sequence[LoopAliases], known: Known | None) -> None:
        self._outer = outer
        """The loops around it, outermost first."""
        replaced = {key for loop in outer for key in loop._replaced.values()}
        self._assumed = {} if known is None else _without(replaced, known.relations)
        self._old: dict[Hashable, Any] = {} if known is None else dict(known.old)
        self._replaced: dict[Place, Hashable] = {}
        """By place the objects before the loop in whose place a turn is given others: an inner loop knows those."""
        self._given: dict[Place, Any] = {}
        self._started: dict[Place, Any] = {}
        """By place the objects with which a turn begins, given to it or older than the loop."""
        self._loop: object = None
        self._was_any_known = False
        """Whether any object was known to may be another one when the attempt began."""
        self._last: dict[Place, set[int]] = {}
        """By place the objects that are older than the loop, as it seems, which the last attempt has left there."""

    def begin(self, slots: Sequence[tuple[Hashable, Location | None, Any, Any]]) -> None:
        """Notes what the objects may be that a turn is given: by slot its key, place, initial value, that of a turn.

        What a `return` in the loop has left, the turns that come don't use: there are none.
        """
        self._given = self._note(slots, "retval_")

    def _note(self, slots: Sequence[tuple[Hashable, Location | None, Any, Any]], ignored: str = "") -> dict[Place, Any]:
        loop = self._loop = object()
        self._replaced.clear()
        made: dict[Place, Any] = {}
        all_: dict[Place, Any] = {_LOST: _Lost()}
        sources: dict[int, tuple[Any, list[Any]]] = {}
        for key, location, initial, value in slots:
            before = dict(_objects(key, location, initial))
            for place, obj in _objects(key, location, value):
                source = before.get(place)
                if source is not obj:
                    made[place] = obj
                    self._replaced[place] = id(source)
                if location is not None and ignored and location.name.startswith(ignored):
                    continue
                all_[place] = obj
                if source is obj:
                    continue
                if source is not None:
                    aliases.relate(obj, source, SOMETIMES, loop=loop, label=_label(location))
                    sources.setdefault(id(source), (source, []))[1].append(obj)
        groups: dict[int, list[Any]] = {}
        for source, objects in sources.values():
            for each in possible(source):
                groups.setdefault(each, []).extend(objects)
        for group in groups.values():
            for number, one in enumerate(group):
                for other in group[:number]:
                    aliases.relate(one, other, SOMETIMES)
        self._started = all_
        for pair in self._assumed:
            self._relate(pair)
        self._was_any_known = aliases.any_known()
        return made

    def _relate(self, pair: tuple[Place, Place]) -> Edge | None:
        """Notes of the objects at the start of a turn what is assumed of two places."""
        relation = self._assumed[pair]
        left, right = (self._at(each) if each[0] == "old" else self._started.get(each) for each in pair)
        if left is None or right is None:
            return None
        is_between = not {"old", "lost"} & {pair[0][0], pair[1][0]}
        edge = aliases.relate(left, right, SOMETIMES, relation.kind, None if is_between else self._loop)
        if edge is not None:
            for side in (0, 1):
                if relation.stale[side]:
                    aliases.flag(edge, side, ALWAYS)
        return edge

    def end(
        self,
        slots: Sequence[tuple[Hashable, Location | None, Any]],
        noted: Body,
        is_new: Callable[[Any], bool],
        is_early: Callable[[Any], bool],
    ) -> Found:
        """What a turn leaves and was not known at its start: by slot its key, place and value at the end.

        What the turns after it leave, too, is found without tracing them: by what is done in a turn to its objects.
        """
        again = self._made_again(slots, lambda obj: is_new(obj) or is_early(obj))
        all_: set[tuple[Place, Place]] = set()
        is_same = self._was_any_known
        while new := self._left(slots, noted, is_new, again):
            all_ |= new
            known = [pair for pair in new if self._assumed[pair].kind is CHOSEN and all(map(self._is_of_turn, pair))]
            is_same &= len(known) == len(new)
            noted.change_again([edge for pair in known if (edge := self._relate(pair)) is not None])
        return Found(all_, is_same and noted.would_be_same())

    def _is_of_turn(self, place: Place) -> bool:
        return place[0] in ("old", "lost") or place in self._given

    def _left(
        self,
        slots: Sequence[tuple[Hashable, Location | None, Any]],
        noted: Body,
        is_new: Callable[[Any], bool],
        again: set[int],
    ) -> set[tuple[Place, Place]]:
        held: dict[int, list[Place]] = {}
        objects: list[tuple[Place, Any]] = []
        for key, location, value in slots:
            for place, obj in _objects(key, location, value):
                held.setdefault(id(obj), []).append(place)
                objects.append((place, obj))
        given = {id(each) for each in self._given.values()}

        def is_old(obj: object) -> bool:
            return id(obj) not in given and id(obj) not in again and not is_new(obj) and not isinstance(obj, _Lost)

        found: dict[tuple[Place, Place], Relation] = {}

        def places_of(obj: object) -> list[Place]:
            places = [place for place in held.get(id(obj), ()) if not is_old(obj) or self._is_put(place, obj)]
            return [self._place_of(obj), *places] if is_old(obj) else places

        def is_end(obj: object) -> bool:
            return id(obj) in held or is_old(obj)

        def note(start: Place, far: End) -> None:
            for end in places_of(far.obj) or [_LOST]:
                if far.is_container:
                    _add(found, start, end, Relation(far.kind, far.stale))
                else:
                    _add(found, end, start, Relation(far.kind, far.stale[::-1]))

        for place, obj in objects:
            for each in held[id(obj)]:
                if each != place:
                    _add(found, place, each, Relation(CHOSEN, (False, False)))
            if is_old(obj):
                if not self._is_put(place, obj):
                    continue
                _add(found, place, self._place_of(obj), Relation(CHOSEN, (False, False)))
            for each in filter(is_old, _elements_like(obj)):
                _add(found, place, self._place_of(each), Relation(CHOSEN, (False, False)))
            for far in ends(obj, is_end):
                if is_old(obj) and is_old(far.obj) and not far.stale[0]:
                    continue  # what older objects are to each other is known without the loop
                note(place, far)
        for near, far in _through_left_behind(noted, is_end):
            if is_old(near) and id(near) not in held:
                note(self._place_of(near), far)
        for stale in _made_stale(noted, is_end):  # by changes of what the next turn knows nothing of
            for each in places_of(stale):
                _add(found, each, _LOST, Relation(CHOSEN, (True, False)))
        for edge in self._between_old(noted, is_old):
            one, other = (self._place_of(node.obj) for node in edge.nodes)
            _add(found, one, other, Relation(edge.kind, (bool(edge.stale[0]), bool(edge.stale[1]))))
        return self._assume(found)

    def _is_put(self, place: Place, obj: object) -> bool:
        """Whether the turn has put an object into a place: the next one is given a copy of it there."""
        return self._started.get(place) is not obj

    def _assume(self, found: dict[tuple[Place, Place], Relation]) -> set[tuple[Place, Place]]:
        """Notes what each turn is to begin with; returns what is new of it."""
        new = set()
        for pair, each in found.items():
            known = self._assumed.get(pair)
            wider = each if known is None else _wider(known, each)
            if pair[0] != pair[1] and wider != known:
                self._assumed[pair] = wider
                new.add(pair)
        return new

    def _made_again(
        self, slots: Sequence[tuple[Hashable, Location | None, Any]], is_known: Callable[[Any], bool]
    ) -> set[int]:
        """Objects that code which is not converted has made in the turn, as the last attempt has left others there."""
        given = {id(each) for each in self._given.values()}
        found: dict[Place, set[int]] = {}
        for key, location, value in slots:
            for place, obj in _objects(key, location, value):
                if id(obj) not in given and not is_known(obj):
                    found.setdefault(place, set()).add(id(obj))
                    self._old.setdefault(id(obj), obj)  # so that no other gets its identity
        made = {each for place, ids in found.items() if place in self._last for each in ids - self._last[place]}
        self._last = {place: ids | self._last.get(place, set()) for place, ids in found.items()} | {
            place: ids for place, ids in self._last.items() if place not in found
        }
        return made

    @staticmethod
    def _between_old(noted: Body, is_old: Callable[[Any], bool]) -> Iterator[Edge]:
        edges = {id(edge): edge for edge in (*noted.edges, *[edge for edge, _, _ in noted.flags])}
        for edge in edges.values():
            if all(is_old(node.obj) for node in edge.nodes):
                yield edge

    def _place_of(self, obj: object) -> Place:
        for number, loop in enumerate(self._outer):
            for place, each in loop._given.items():
                if each is obj:
                    return "old", number, place
        self._old[id(obj)] = obj
        return "old", id(obj)

    def _at(self, place: Place) -> Any:
        """The object that is older than the loop, or that a loop around it gives to its turn."""
        if len(place) == 2:
            return self._old.get(place[1])
        _, number, given = place
        return self._outer[number]._given.get(given) if number < len(self._outer) else None  # type: ignore[operator, call-overload]

    def lasting(self, is_first: Callable[[Any], bool]) -> Known:
        """What holds of the objects that the loop gives to its turns whenever it is staged again.

        ``is_first`` tells objects that are older than the loops around it, and so the same each time.
        """
        old = {key: obj for key, obj in self._old.items() if is_first(obj)}

        return Known(_without({key for key in self._old if key not in old}, self._assumed), old)

    def finish(self, slots: Sequence[tuple[Hashable, Location | None, Any, Any]]) -> None:
        """Notes what the objects may be that the variables hold after the loop."""
        self._note(slots)


class _Lost:
    """An object that turns have changed and left behind."""


def _without(
    gone: set[Hashable], relations: dict[tuple[Place, Place], Relation]
) -> dict[tuple[Place, Place], Relation]:
    """The relations that name none of some older objects."""
    return {
        pair: each
        for pair, each in relations.items()
        if not any(place[0] == "old" and len(place) == 2 and place[1] in gone for place in pair)
    }


def _wider(one: Relation, other: Relation) -> Relation:
    kind = one.kind if one.kind == other.kind else CHOSEN
    return Relation(kind, (one.stale[0] or other.stale[0], one.stale[1] or other.stale[1]))


def _add(found: dict[tuple[Place, Place], Relation], one: Place, other: Place, relation: Relation) -> None:
    if (other, one) in found and relation.kind == CHOSEN:
        one, other, relation = other, one, Relation(CHOSEN, relation.stale[::-1])
    known = found.get((one, other))
    found[one, other] = relation if known is None else _wider(known, relation)


def _made_stale(noted: Body, is_end: Callable[[Any], bool]) -> Iterator[Any]:
    """What a turn has put out of date by changes of objects that nothing has after it."""
    for edge, side, _ in noted.flags:
        if edge.stale[side] and not is_end(edge.nodes[1 - side].obj):
            yield edge.nodes[side].obj


def _through_left_behind(noted: Body, is_end: Callable[[Any], bool]) -> Iterator[tuple[Any, End]]:
    """Objects, and what is known of them by others that the turn has made and that nothing has after it."""
    nodes = {id(node): node for edge in noted.edges for node in edge.nodes}
    for node in nodes.values():
        if is_end(node.obj) or isinstance(node.obj, _Lost):
            continue
        for near, when, edge in steps(node.obj, here(), []):
            if is_end(near) and (edge is None or edge.kind is CHOSEN):
                is_stale = edge is not None and bool(edge.stale[1 - edge.side(node)])
                for far in ends(node.obj, is_end, when):
                    if far.obj is not near:
                        yield near, far._replace(stale=(far.stale[0] or is_stale, far.stale[1]))


def _elements_like(obj: Any) -> Iterator[Any]:
    """What an element of a list of Python, under an index that only a run tells, may be."""
    return map(aliases.identity, sources(obj.root) if raw_attribute(obj, "depth", 0) else ())


def _label(location: Location | None) -> str:
    return "" if location is None else location.label


def _objects(key: Hashable, location: Location | None, value: object) -> Iterator[tuple[Place, Any]]:
    """The objects that can change in a value, frozen or not, with their places."""
    is_contents = isinstance(location, (Contents, StateOf))
    pending: list[tuple[Place, Any]] = [] if key is None else [((key,), value)]  # None: what is not the user's
    seen: set[int] = set()
    while pending:
        place, each = pending.pop()
        if isinstance(each, Maybe):
            pending.append((place, each.ag__value))
            continue
        obj = aliases.identity(each.obj if isinstance(each, Frozen) else each)
        contents = each.contents if isinstance(each, Frozen) else each
        if is_array(obj):
            yield place, obj
            continue
        is_object = isinstance(each, (Frozen, aliases.Form)) or has_parts(each)
        if is_object and can_change(obj) and not (is_contents and len(place) == 1):
            yield place, obj
            if id(obj) in seen:
                continue
            seen.add(id(obj))
        for step, part in _parts(contents):
            pending.append(((*place, step), part))


def _parts(contents: object) -> Iterator[tuple[Any, Any]]:
    if isinstance(contents, DictState):
        yield from contents.values.items()
    elif isinstance(contents, Attributes) or (has_parts(contents) and not isinstance(contents, aliases.Form)):
        keys, parts = parts_of(contents)
        yield from zip(keys, parts, strict=True)
