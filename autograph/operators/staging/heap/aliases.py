"""Which objects may be one and the same when the graph runs, and which of them are out of date.

Where branches merge, an object is made of what one of two holds: which it is, the graph can tell (see `choices`). Where
it can't, the pair is an edge: the turns of a loop merge, so that an object may be any that an earlier turn has left;
what a list of the graph holds is a copy of what was put into it; a condition inside a branch has chosen.

A change of an object puts those at the other ends of its edges out of date, and of the edges of objects that it may be.
The use of one that is out of date is refused. Nothing else has to be known: neither who holds an object, nor whether it
is used again.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from typing import Any, NamedTuple

from .. import asked
from . import array_memory, choices, decisions
from .alias_refusals import out_of_date, too_many
from .choices import Alternative as Alternative
from .decisions import Decision, and_, or_
from .forms import Form as Form
from .forms import original

ALWAYS: Decision = True
SOMETIMES: Decision = True

MOST_VISITS = 10_000
"""How often the objects that may be one are looked at for one use of one of them, before it is refused."""

CHOSEN, PUT, TAKEN, SHARED = "chosen", "put", "taken", "shared"
"""Why two objects may be one: merging; the second is a list that a graph holds, which the first was put into or taken
from as a copy; or both are such lists, which have elements in common."""


class Edge:
    """Two objects that may be one, where ``when`` holds; whether they are then, only the run knows."""

    __slots__ = ("kind", "label", "loop", "nodes", "stale", "when")

    def __init__(self, one: Node, other: Node, when: Decision, kind: str, loop: object, label: str) -> None:
        self.nodes = one, other
        self.when = when
        self.kind = kind
        self.loop = loop
        self.label = label
        self.stale: list[Decision] = [False, False]
        """When each of the two is out of date."""

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

    def __enter__(self) -> Body:
        settle()
        _local.bodies.append(self)
        self.changes = choices.open_changes()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        choices.close_changes(self.changes)
        if kind is not None:
            self.drop()
        _local.bodies.remove(self)
        for (edge, side, _when), stale in zip(reversed(self.flags), reversed(self._before), strict=True):
            edge.stale[side] = stale

    def flag(self, edge: Edge, side: int, when: Decision) -> None:
        self.flags.append((edge, side, when))
        self._before.append(edge.stale[side])

    def keep(self) -> None:
        """After a branch: what it has noted holds under its condition."""
        for edge in self.edges:
            edge.when = and_(edge.when, self.truth)
            if _local.bodies:
                _local.bodies[-1].edges.append(edge)
        for edge, side, when in self.flags:
            flag(edge, side, and_(when, self.truth))

    def drop(self) -> None:
        """After an attempt to trace a turn, or a branch that nothing comes after: forgets what it has noted."""
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


_local = _Local()


def identity(obj: Any) -> Any:
    """The object that a staged form, or an array, stands for: that of an array is its memory."""
    obj = original(obj)
    return array_memory.memory_of(obj)


def forget() -> None:
    """Called when a trace ends."""
    _local.__init__()  # type: ignore[misc]
    choices.forget()
    decisions.forget()


def any_known() -> bool:
    """Whether any object may be another one."""
    return bool(_local.nodes) or choices.any_known()


def note_dict(attributes: Any, owner: Any) -> None:
    """Notes the dict of the attributes of an object: what is done to it is done to the object."""
    _local.dicts[id(attributes)] = attributes, owner


def owner_of(obj: Any) -> Any:
    """The object of which something is the dict of attributes, if it is known to be; else the thing itself."""
    found = _local.dicts.get(id(obj)) if _local.dicts else None
    return obj if found is None else found[1]


def edges_of(obj: Any) -> list[Edge]:
    """The edges of an object."""
    node = _local.nodes.get(id(obj))
    return [] if node is None else node.edges


def is_known(obj: Any) -> bool:
    """Whether anything is known of what an object may be."""
    obj = identity(obj)
    return id(obj) in _local.nodes or choices.is_known(obj)


def has_others(obj: Any) -> bool:
    """Whether an object may be another one, as merging has made one of the two."""
    obj = identity(obj)
    return choices.choice_of(obj) is not None or any(
        edge.kind is CHOSEN for each, _ in choices.family(obj) for edge in edges_of(each)
    )


def relate(
    one: Any, other: Any, when: Decision, kind: str = CHOSEN, loop: object = None, label: str = ""
) -> Edge | None:
    """Notes that two objects may be one."""
    one, other = identity(one), identity(other)
    if one is other or when is False:
        return None
    left, right = (_local.nodes.setdefault(id(each), Node(each)) for each in (one, other))
    edge = Edge(left, right, when, kind, loop, label)
    left.edges.append(edge)
    right.edges.append(edge)
    if _local.bodies:
        _local.bodies[-1].edges.append(edge)
    return edge


class Side(NamedTuple):
    """What a branch has left: its body, what merged objects are after it, and the objects that it has made.

    ``keeps``: whether functions, iterators or the like, which may hold such objects, are left too.
    """

    body: Body
    alternatives: list[Alternative]
    new: list[Any]
    keeps: bool


def merge(sides: list[Side]) -> None:
    """Notes after branches, which may be one alone, what merged objects may be."""
    choices.merge_versions([side.body.changes for side in sides])
    for side in sides:
        side.body.keep()
        _keep_choices(side)
    branches = [
        choices.Branch(
            side.body.truth if len(sides) > 1 else True,
            side.body.changes,
            [Alternative(*map(identity, each)) for each in side.alternatives],
            {id(each): each for each in map(identity, side.new)},
        )
        for side in sides
    ]
    merged = choices.merge(branches, is_available)
    for one, other, when in merged.unknown:
        relate(one, other, when)
    _substitute([each for side in sides for each in side.new], merged.stands)
    for side in sides:
        for obj in map(identity, side.new) if side.keeps else ():
            for each, _ in merged.stands.get(id(obj), ()):
                relate(obj, each, SOMETIMES)


def _keep_choices(side: Side) -> None:
    """Notes what the choices may have been that a branch has made, which are forgotten with it, where something may
    still have them or a copy: a list of a graph that they were put into, or what keeps objects unseen."""
    for choice in side.body.changes.made:
        node = _local.nodes.get(id(choice.obj))
        held = [edge for edge in (node.edges if node is not None else ()) if edge.kind is not CHOSEN]
        for root, when in choice.roots.values():
            when = when if is_available(when) else True
            for edge in held:
                if edge.nodes[0] is node:
                    _relate_as(edge, root.obj, edge.nodes[1].obj, when)
            if side.keeps:
                relate(choice.obj, root.obj, SOMETIMES)


def _relate_as(edge: Edge, one: Any, other: Any, when: Decision) -> None:
    """Notes that two objects may be one, out of date as those of another edge are."""
    made = relate(one, other, and_(edge.when, when), edge.kind, edge.loop, edge.label)
    if made is not None:
        for number, stale in enumerate(edge.stale):
            flag(made, number, stale)


def _substitute(gone: list[Any], stands: dict[int, list[tuple[Any, Decision]]]) -> None:
    """Gives the edges of objects that a closed body has made to those which are in their place.

    What has been put out of date by a change of one that is gone, as a list of the graph has a copy of it, stays so.
    """
    for obj in map(identity, gone):
        node = _local.nodes.pop(id(obj), None)
        if node is None:
            continue
        for edge in node.edges:
            other, side = edge.other(node), edge.side(node)
            if edge.stale[1 - side] is False:
                other.edges.remove(edge)
            for each, when in stands.get(id(obj), ()):
                _relate_as(edge, *((each, other.obj) if side == 0 else (other.obj, each)), when)


def flag(edge: Edge, side: int, when: Decision) -> None:
    """Notes that one of the two objects of an edge is out of date."""
    stale = or_(edge.stale[side], when)
    if stale is not edge.stale[side]:
        if _local.bodies:
            _local.bodies[-1].flag(edge, side, when)
        edge.stale[side] = stale


def here() -> Decision:
    """What is known to hold in the open bodies."""
    found: Decision = True
    for body in _local.bodies:
        found = and_(found, body.truth)
    return found


def use(obj: Any) -> None:
    """Brings an object up to date that is about to be used.

    Raises:
        MutationError: it may be one that has been changed, and the graph can't tell whether it is.
    """
    if not any_known() or choices.is_settling():
        return
    obj, known = identity(owner_of(obj)), here()
    if _local.nodes:
        _check(obj, known)
    choices.use(obj, known)


def change(obj: Any, element: bool = False) -> None:
    """Notes that an object is about to be changed; ``element``: one of the elements of a list that a graph holds."""
    if not any_known() or choices.is_settling():
        return
    use(obj)
    obj = identity(obj)
    choices.change(obj, here())
    for each, when in choices.family(obj) if _local.nodes else ():
        node = _local.nodes.get(id(each))
        if node is not None:
            _tell(node, when, element)


def _tell(node: Node, when: Decision, element: bool) -> None:
    """Notes what a change of an object puts out of date."""
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
            elif source is None or TAKEN in (edge.kind, source.kind):
                flag(edge, 0, when)


Step = tuple[Any, Decision, "Edge | None"]


def steps(obj: Any, when: Decision, path: list[tuple[Any, Edge | None]]) -> Iterator[Step]:
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
    node = _local.nodes.get(id(obj))
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


def _check(obj: Any, known: Decision) -> None:
    """Refuses an object that may be out of date.

    Raises:
        MutationError: it may be, or what may be known of it is too much to be looked through.
    """
    if not is_any_stale(obj):
        return
    ways = Ways()
    pending: deque[tuple[Any, Decision, list[tuple[Any, Edge | None]]]] = deque([(obj, known, [])])
    while pending:
        current, when, path = pending.popleft()
        for other, both, edge in steps(current, when, path):
            if edge is not None:
                side = 0 if edge.nodes[0].obj is current else 1
                if and_(both, edge.stale[side]) is not False:
                    raise out_of_date(edge.label, edge.kind is CHOSEN, current)
                if edge.kind is not CHOSEN and (edge.kind is SHARED or side == 0):
                    continue
            step = [*path, (current, edge)]
            if ways.is_new((id(other), edge is None), step, both):
                pending.append((other, both, step))


def is_any_stale(obj: Any) -> bool:
    """Whether anything is out of date of what has to do with an object, however far: soon found."""
    pending, seen = [obj], {id(obj)}
    while pending:
        current = pending.pop()
        near = [each for each, _ in choices.family(current)]
        node = _local.nodes.get(id(current))
        for edge in [] if node is None else node.edges:
            if any(each is not False for each in edge.stale):
                return True
            near.append(edge.other(node).obj)  # type: ignore[arg-type]
        pending.extend(each for each in near if id(each) not in seen)
        seen.update(map(id, near))
    return False


def is_available(decision: Decision) -> bool:
    """Whether a decision can be evaluated here."""
    backend = asked.ACTIVE.function()
    return backend is not None and all(map(backend.is_available, decisions.tensors(decision)))


def settle() -> None:
    """Brings all roots of choices up to date: before a staged body begins, and at its end."""
    if choices.any_known() and not choices.is_settling():
        choices.settle(here())


def update(objects: Iterable[Any] | None = None) -> None:
    """Brings objects up to date, all if none are given, whose contents are about to be looked at.

    ``objects`` is not asked for where none can be out of date.
    """
    settle()
    if choices.any_known() and not choices.is_settling():
        choices.update(here(), is_available, None if objects is None else list(map(identity, objects)))
