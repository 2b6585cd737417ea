"""Pairs of objects that may be one when the graph runs, and which of them are out of date (see `aliases`)."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from autograph.errors import MutationError
from autograph.runtime.base.places import Place, user_code
from autograph.runtime.tensors.trace import user_location

from .. import asked
from . import array_memory, choices
from .decisions import Decision, and_, or_
from .forms import Form, original

ALWAYS: Decision = True
SOMETIMES: Decision = True

MOST_VISITS = 10_000
"""How often the objects that may be one are looked at for one use of one of them, before it is refused."""

CHOSEN, PUT, TAKEN, RELEASED, SHARED = "chosen", "put", "taken", "released", "shared"
"""Why two objects may be one: merging; the second is a list that a graph holds, which the first was put into or taken
from as a copy, or was in and is no more; or both are such lists, which have elements in common."""


class Edge:
    """Two objects that may be one, where ``when`` holds; whether they are then, only the run knows."""

    __slots__ = ("changed_at", "kind", "label", "loop", "nodes", "stale", "when")

    def __init__(self, one: Node, other: Node, when: Decision, kind: str, loop: object, label: str) -> None:
        self.nodes = one, other
        self.when = when
        self.kind = kind
        self.loop = loop
        self.label = label
        self.stale: list[Decision] = [False, False]
        """When each of the two is out of date; that of a list out of which the other was taken: what of it it was."""
        self.changed_at: Place | None = None
        """The user's place that has put one of them out of date."""

    def side(self, node: Node) -> int:
        return 0 if self.nodes[0] is node else 1

    def other(self, node: Node) -> Node:
        return self.nodes[1 - self.side(node)]


class Node:
    """An object that may be another one."""

    __slots__ = ("edges", "obj")

    def __init__(self, obj: Any) -> None:
        self.obj = obj
        self.edges: list[Edge] = []


class Body:
    """What has been noted since a staged body is being traced; a context manager. ``truth`` holds in it."""

    def __init__(self, truth: Decision = True) -> None:
        self.truth = truth
        self.edges: list[Edge] = []
        self.flags: list[tuple[Edge, int, Decision]] = []
        self._before: list[Decision] = []
        self.changes = choices.Changes()
        self.used: list[tuple[Any, Decision]] = []
        self.changed: list[tuple[Any, Decision]] = []
        self.is_asked = False
        """Whether more was asked than whether objects that are used are up to date, or may have been."""

    def __enter__(self) -> Body:
        settle()
        this_thread.bodies.append(self)
        self.changes = choices.open_changes()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        choices.close_changes(self.changes)
        this_thread.bodies.remove(self)
        if kind is not None:
            self.drop()
        for (edge, side, _when), stale in zip(reversed(self.flags), reversed(self._before), strict=True):
            _set_stale(edge, side, stale)

    def flag(self, edge: Edge, side: int, when: Decision) -> None:
        self.flags.append((edge, side, when))
        self._before.append(edge.stale[side])

    def keep(self) -> None:
        """After a branch: what it has noted holds under its condition."""
        for edge in self.edges:
            edge.when = and_(edge.when, self.truth)
            if this_thread.bodies:
                this_thread.bodies[-1].edges.append(edge)
        for edge, side, when in self.flags:
            flag(edge, side, and_(when, self.truth))
        for around in this_thread.bodies[-1:]:
            around.used += self.used
            around.changed += [(obj, and_(when, self.truth)) for obj, when in self.changed]
            around.is_asked |= self.is_asked

    def change_again(self, edges: Iterable[Edge]) -> None:
        """Puts out of date what the changes in the body would have if pairs had been known before that are now.

        What was put into a list or taken from it is left out: that may have been after the changes.
        """
        chosen = {id(edge) for edge in edges if edge.kind is CHOSEN}
        for obj, when in self.changed:
            for edge in edges_of(obj):
                if id(edge) in chosen:
                    flag(edge, 0 if edge.nodes[1].obj is obj else 1, when)

    def would_be_same(self) -> bool:
        """Whether the body would have been traced as it was if all that is noted now had been known before."""
        try:
            for obj, known in self.used:
                check(obj, known)
        except MutationError:
            return False
        return not self.is_asked

    def drop(self) -> None:
        """After an attempt to trace a turn, or a branch that nothing comes after: forgets what it has noted."""
        note_question()
        choices.remove(self.changes.made)
        for edge in self.edges:
            for node in edge.nodes:
                if edge in node.edges:
                    node.edges.remove(edge)


class _Local(threading.local):
    def __init__(self) -> None:
        self.nodes: dict[int, Node] = {}
        self.bodies: list[Body] = []
        self.dicts: dict[int, tuple[Any, Any]] = {}
        self.uncertain: dict[int, tuple[Any, Any, str]] = {}
        """Dicts of attributes of whose keys only the run knows, with their owner and a key (see `uncertain_keys`)."""
        self.stale = 0
        """How many ends of edges are out of date."""


this_thread = _Local()


def identity(obj: object) -> Any:
    """The object that a staged form, or an array, stands for: that of an array is its memory."""
    obj = original(obj)
    return array_memory.memory_of(obj)


def edges_of(obj: object) -> list[Edge]:
    """The edges of an object."""
    node = this_thread.nodes.get(id(obj))
    return [] if node is None else node.edges


def note_question() -> None:
    """Notes that more is asked of objects than whether they are up to date."""
    for body in this_thread.bodies[-1:]:
        body.is_asked = True


def relate(
    one: object, other: object, when: Decision, kind: str = CHOSEN, loop: object = None, label: str = ""
) -> Edge | None:
    """Notes that two objects may be one."""
    one, other = identity(one), identity(other)
    if one is other or when is False:
        return None
    left, right = (this_thread.nodes.setdefault(id(each), Node(each)) for each in (one, other))
    edge = Edge(left, right, when, kind, loop, label)
    left.edges.append(edge)
    right.edges.append(edge)
    if this_thread.bodies:
        this_thread.bodies[-1].edges.append(edge)
    return edge


def flag(edge: Edge, side: int, when: Decision) -> None:
    """Notes that one of the two objects of an edge is out of date."""
    stale = or_(edge.stale[side], when)
    if stale is not edge.stale[side]:
        if this_thread.bodies:
            this_thread.bodies[-1].flag(edge, side, when)
        edge.changed_at = edge.changed_at or user_code()
        _set_stale(edge, side, stale)


def _set_stale(edge: Edge, side: int, stale: Decision) -> None:
    this_thread.stale += (stale is not False) - (edge.stale[side] is not False)
    edge.stale[side] = stale


def here() -> Decision:
    """What is known to hold in the open bodies."""
    found: Decision = True
    for body in this_thread.bodies:
        found = and_(found, body.truth)
    return found


def tell(obj: object, when: Decision, element: bool) -> None:
    """Notes what a change of an object puts out of date."""
    node = this_thread.nodes.get(id(obj))
    if node is None:
        return
    for edge in node.edges:
        if edge.kind is CHOSEN:
            flag(edge, 1 - edge.side(node), when)
        elif edge.kind is not SHARED and edge.side(node) == 0:
            flag(edge, 1, when)
            _spread(edge.nodes[1], edge, when)
    if element:
        _spread(node, None, when)


def _spread(values: Node, source: Edge | None, when: Decision) -> None:
    """What a change of an element of a list puts out of date: what was taken from it, and lists that share it.

    ``source`` is the edge of the object that has changed; None: it may be any element.
    """
    pending, seen = [values], {id(values)}
    while pending:
        current = pending.pop()
        for edge in current.edges:
            if edge.kind is SHARED:
                other = edge.other(current)
                flag(edge, 1 - edge.side(current), when)
                if id(other) not in seen:
                    seen.add(id(other))
                    pending.append(other)
            elif edge.kind is CHOSEN or edge is source or edge.nodes[1] is not current:
                continue
            elif _may_be_one(edge.kind, source):
                flag(edge, 0, when)


def _may_be_one(kind: str, source: Edge | None) -> bool:
    """Whether two may be one of which a list that holds nothing twice has, or had, copies; ``source`` as there."""
    if source is None:
        return kind is not RELEASED
    both = kind, source.kind
    return TAKEN in both or (RELEASED in both and PUT in both)


Step = tuple[Any, Decision, "Edge | None"]


def steps(obj: object, when: Decision, path: list[tuple[Any, Edge | None]]) -> Iterator[Step]:
    """What an object may be that is at the end of a path, or is related to otherwise, where a decision holds.

    Two objects of a turn may be one that is older in different turns alone; where they may be in one turn, there is an
    edge between them. So a path doesn't have two edges of a loop.
    """
    known = {id(each) for each, _ in path}
    loops = [edge.loop for _, edge in path if edge is not None and edge.loop is not None]
    if not path or path[-1][1] is not None:
        for each, truth in choices.family(obj):
            both = and_(when, truth)
            if each is not obj and id(each) not in known and both is not False:
                yield each, both, None
    node = this_thread.nodes.get(id(obj))
    for edge in list(node.edges) if node is not None else ():
        other = edge.other(node).obj  # type: ignore[arg-type]
        both = and_(when, edge.when)
        if id(other) not in known and both is not False and not any(edge.loop is each for each in loops):
            yield other, both, edge


class Ways:
    """The ways by which objects have been reached, the short ones first: a way that goes round tells nothing new."""

    def __init__(self) -> None:
        self._known: dict[Hashable, list[tuple[set[int], set[int], Decision]]] = {}
        self._visits = 0

    def is_new(self, key: Hashable, path: list[tuple[Any, Edge | None]], when: Decision) -> bool:
        """Whether no way to the same thing is known by fewer objects and loops of these, which holds where this does.

        Raises:
            MutationError: so many ways are known that they can't be looked through.
        """
        objects = {id(each) for each, _ in path}
        loops = {id(edge.loop) for _, edge in path if edge is not None and edge.loop is not None}
        known = self._known.setdefault(key, [])
        self._visits += 1
        if self._visits > MOST_VISITS:
            raise too_many(path[0][0])
        if any((truth is True or truth is when) and a <= objects and b <= loops for a, b, truth in known):
            return False
        known.append((objects, loops, when))
        return True


def check(obj: object, known: Decision) -> None:
    """Refuses an object that may be out of date.

    Raises:
        MutationError: it may be, or what may be known of it is too much to be looked through.
    """
    found = stale_edge(obj, known)
    if found is not None:
        edge, near = found
        raise out_of_date(edge.label, edge.kind is CHOSEN, near)


def stale_edge(obj: object, known: Decision) -> tuple[Edge, Any] | None:
    """The edge by which an object may be out of date, and the object at its near end, if it may be.

    Raises:
        MutationError: what may be known of it is too much to be looked through.
    """
    if not is_any_stale(obj):
        return None
    ways = Ways()
    pending: deque[tuple[Any, Decision, list[tuple[Any, Edge | None]]]] = deque([(obj, known, [])])
    while pending:
        current, when, path = pending.popleft()
        for other, both, edge in steps(current, when, path):
            if edge is not None:
                side = 0 if edge.nodes[0].obj is current else 1
                if and_(both, edge.stale[side]) is not False and not (edge.kind is RELEASED and side == 1):
                    return edge, current
                if edge.kind is not CHOSEN and (edge.kind is SHARED or side == 0):
                    continue
            step = [*path, (current, edge)]
            if ways.is_new((id(other), edge is None), step, both):
                pending.append((other, both, step))
    return None


def is_released_changed(values: object) -> bool:
    """Whether an object may have been changed since it was taken out of a list that a graph holds."""
    return any(edge.kind is RELEASED and edge.stale[1] is not False for edge in edges_of(identity(values)))


def known_objects() -> list[Any]:
    """The objects that may be other ones."""
    return [node.obj for node in this_thread.nodes.values()]


def is_any_stale(obj: object) -> bool:
    """Whether anything is out of date of what has to do with an object, however far: soon found."""
    if not this_thread.stale:
        return False
    pending, seen = [obj], {id(obj)}
    while pending:
        current = pending.pop()
        near = [each for each, _ in choices.family(current)]
        node = this_thread.nodes.get(id(current))
        for edge in [] if node is None else node.edges:
            if any(each is not False for each in edge.stale):
                return True
            near.append(edge.other(node).obj)  # type: ignore[arg-type]
        pending.extend(each for each in near if id(each) not in seen)
        seen.update(map(id, near))
    return False


def settle() -> None:
    """Brings all roots of choices up to date: before a staged body begins, and at its end."""
    if choices.any_known() and not choices.is_settling():
        choices.settle(here())


def too_many(obj: object) -> MutationError:
    place = user_location()
    return MutationError(
        "so many objects may be one another here, as loops have left them, that it can't be followed which of them a "
        "change reaches",
        **({} if place is None else place._asdict()),
        construct=type(original(obj)).__name__,
        remedy="change the objects under one name, or choose among values in place of objects that change",
    )


def out_of_date(label: str, is_chosen: bool, obj: object) -> MutationError:
    """The error for the use of an object that may be one which has been changed; ``is_chosen``: by merging."""
    obj = original(obj)
    name, what = asked.NAME_OF.function(obj, label), "an array that is used here"
    if not array_memory.is_array(obj):
        name = getattr(asked.FORM.function(obj), "name", "") or name
        kind = type(obj).__name__.removeprefix("Staged").removesuffix("Element").lower()
        what = f"a {kind if isinstance(obj, Form) else type(obj).__name__} that is used here"
    what = f"`{name}`" if name else what
    place = user_location()
    if is_chosen:
        text = "is one of two objects, as a staged condition or loop decides; one that it may be has been changed"
        remedy = "use the object under one name, or change it in the branches"
    else:
        text = "is, or has, an element of a list that a graph holds, as a copy; one of the two has been changed"
        remedy = "make it anew: store the changed one into the list, or put it into the list when it is complete"
    return MutationError(
        f"{what} {text} since, and the graph can't tell whether it is that one",
        **({} if place is None else place._asdict()),
        construct=name or None,
        remedy=remedy,
    )
