"""Which objects may be one and the same when the graph runs, and which of them are out of date.

Where branches merge, an object is made of what one of two holds: in Python it *is* one of the two. Where the turns of a
loop merge, it may be any that an earlier turn has left; what a list of the graph holds is a copy of what was put into
it. Such pairs are edges between objects. An edge has a guard: the conditions under which the two are one.

A change of an object puts those at the other ends of its edges out of date. One that is used afterwards is brought up
to date where its guard can be evaluated (`Backend.assign_where`), else its use is refused. Nothing else has to be
known: neither who holds an object, nor whether it is used again.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from autograph.errors import MutationError
from autograph.runtime.trace import user_location

from .forms import Form as Form
from .forms import original

Literal = tuple[int, bool]


class Guard(NamedTuple):
    """The conditions under which two objects are one: values of tensors, by identity; `sure` if there are no more."""

    literals: frozenset[Literal] = frozenset()
    sure: bool = True

    def and_(self, other: Guard) -> Guard:
        return Guard(self.literals | other.literals, self.sure and other.sure)

    @property
    def is_possible(self) -> bool:
        return not any((key, not truth) in self.literals for key, truth in self.literals)


ALWAYS = Guard()
SOMETIMES = Guard(sure=False)

MOST_VISITS = 10_000
"""How often the objects that may be one are looked at for one use of one of them, before it is refused."""

CHOSEN, PUT, TAKEN, SHARED = "chosen", "put", "taken", "shared"
"""Why two objects may be one: merging; the second is a list that a graph holds, which the first was put into or taken
from as a copy; or both are such lists, which have elements in common."""


class Edge:
    """Two objects that may be one."""

    __slots__ = ("guard", "kind", "label", "loop", "nodes", "stale")

    def __init__(self, one: Node, other: Node, guard: Guard, kind: str, loop: object, label: str) -> None:
        self.nodes = one, other
        self.guard = guard
        self.kind = kind
        self.loop = loop
        self.label = label
        self.stale: tuple[set[Guard], set[Guard]] = set(), set()
        """Under which conditions each of the two is out of date."""

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
    """What has been noted since a staged body is being traced; a context manager."""

    def __init__(self, *literals: Literal) -> None:
        self.literals = frozenset(literals)
        self.edges: list[Edge] = []
        self.flags: list[tuple[Edge, int, Guard]] = []

    def __enter__(self) -> Body:
        settle()
        _local.bodies.append(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.drop()
        _local.bodies.remove(self)
        for edge, side, guard in self.flags:
            edge.stale[side].discard(guard)

    def keep(self) -> None:
        """After a branch: what it has noted holds under its condition."""
        under = Guard(self.literals)
        for edge in self.edges:
            edge.guard = edge.guard.and_(under)
            if _local.bodies:
                _local.bodies[-1].edges.append(edge)
        for edge, side, guard in self.flags:
            flag(edge, side, guard.and_(under))

    def drop(self) -> None:
        """After an attempt to trace a turn: forgets what it has noted."""
        for edge in self.edges:
            for node in edge.nodes:
                if edge in node.edges:
                    node.edges.remove(edge)


class _Local(threading.local):
    def __init__(self) -> None:
        self.nodes: dict[int, Node] = {}
        self.tensors: dict[int, Any] = {}
        self.dirty: dict[int, Edge] = {}
        self.bodies: list[Body] = []
        self.settling = False
        self.visits = 0
        self.dicts: dict[int, tuple[Any, Any]] = {}


_local = _Local()


def forget() -> None:
    """Called when a trace ends."""
    _local.__init__()  # type: ignore[misc]


def any_known() -> bool:
    """Whether any object may be another one."""
    return bool(_local.nodes)


def literal(tensor: Any, truth: bool) -> Literal:
    """The condition that a bool tensor has a value."""
    key = id(tensor.value) if hasattr(tensor, "value") else id(tensor)
    _local.tensors[key] = tensor
    return key, truth


def note_dict(attributes: Any, owner: Any) -> None:
    """Notes the dict of the attributes of an object: what is done to it is done to the object."""
    _local.dicts[id(attributes)] = attributes, owner


def owner_of(obj: Any) -> Any:
    """The object of which something is the dict of attributes, if it is known to be; else the thing itself."""
    found = _local.dicts.get(id(obj)) if _local.dicts else None
    return obj if found is None else found[1]


def node_of(obj: Any) -> Node | None:
    """What is known of an object; None where it can't be another one."""
    return _local.nodes.get(id(original(obj)))


def has_others(obj: Any) -> bool:
    """Whether an object may be another one, as merging has made one of the two."""
    node = node_of(obj)
    return node is not None and any(edge.kind is CHOSEN for edge in node.edges)


def relate(one: Any, other: Any, guard: Guard, kind: str = CHOSEN, loop: object = None, label: str = "") -> Edge | None:
    """Notes that two objects may be one."""
    one, other = original(one), original(other)
    if one is other or not guard.is_possible:
        return None
    left, right = (_local.nodes.setdefault(id(each), Node(each)) for each in (one, other))
    edge = Edge(left, right, guard, kind, loop, label)
    left.edges.append(edge)
    right.edges.append(edge)
    if _local.bodies:
        _local.bodies[-1].edges.append(edge)
    return edge


def contract(objects: Iterable[Any]) -> None:
    """Takes objects out that a closed body has made: what they may be may be each other."""
    for obj in objects:
        node = _local.nodes.pop(id(obj), None)
        if node is None:
            continue
        edges = node.edges
        for edge in edges:
            edge.other(node).edges.remove(edge)
        for number, first in enumerate(edges):
            for second in edges[:number]:
                _join(node, first, second)


def _join(node: Node, first: Edge, second: Edge) -> None:
    one, other = first.other(node), second.other(node)
    if CHOSEN not in (first.kind, second.kind):
        return
    kind = CHOSEN if first.kind is second.kind else first.kind if second.kind is CHOSEN else second.kind
    pair = (one.obj, other.obj) if first.kind is CHOSEN else (other.obj, one.obj)
    edge = relate(*pair, first.guard.and_(second.guard), kind, first.loop or second.loop, first.label or second.label)
    if edge is None:
        return
    for mine, theirs, end in ((first, second, one), (second, first, other)):
        stale = mine.stale[mine.side(end)] | theirs.stale[theirs.side(node)]
        for guard in stale:
            flag(edge, edge.side(end), guard)


def flag(edge: Edge, side: int, guard: Guard) -> None:
    """Notes that one of the two objects of an edge is out of date."""
    if guard.is_possible and guard not in edge.stale[side]:
        edge.stale[side].add(guard)
        _local.dirty[id(edge)] = edge
        if _local.bodies:
            _local.bodies[-1].flags.append((edge, side, guard))


def here() -> Guard:
    """What is known to hold in the open bodies."""
    return Guard(frozenset().union(*[body.literals for body in _local.bodies]))


def use(obj: Any) -> None:
    """Brings an object up to date that is about to be used.

    Raises:
        MutationError: it may be one that has been changed, and the graph can't tell whether it is.
    """
    if _local.nodes and not _local.settling:
        node = node_of(owner_of(obj))
        if node is not None and _local.dirty:
            _local.visits = 0
            _synchronise(node, here(), [], set())


def change(obj: Any, element: bool = False) -> None:
    """Notes that an object is about to be changed; ``element``: one of the elements of a list that a graph holds."""
    if not _local.nodes or _local.settling:
        return
    node = node_of(obj)
    if node is None:
        return
    use(obj)
    _tell(node, None, ALWAYS, element)


def _tell(node: Node, source: Edge | None, guard: Guard, element: bool = False) -> None:
    """Notes what a change of an object puts out of date, but for the one that the change came from."""
    for edge in node.edges:
        if edge is source:
            continue
        if edge.kind is CHOSEN:
            flag(edge, 1 - edge.side(node), guard)
        elif edge.kind is SHARED:
            if element:
                flag(edge, 1 - edge.side(node), guard)
        elif edge.side(node) == 0:
            flag(edge, 1, guard)
            _spread(edge.nodes[1], edge, guard)
        elif element:
            flag(edge, 0, guard)


def _spread(values: Node, source: Edge, guard: Guard) -> None:
    """What a change of an element of a list puts out of date: what was taken from it, and lists that share it."""
    for edge in values.edges:
        if edge.kind is SHARED:
            flag(edge, 1 - edge.side(values), guard)
        elif edge is not source and edge.nodes[1] is values and TAKEN in (edge.kind, source.kind):
            flag(edge, 0, guard)


def _synchronise(node: Node, guard: Guard, path: list[Node], done: set[int]) -> None:
    """Brings what an object may be up to date, and then the object itself.

    ``done`` has the objects that are: those that a change has told since, and those that a path leaves out with
    something still to do, are not.
    """
    _check_limit(node)
    done.add(id(node))
    is_left = False
    for edge in list(node.edges):
        other, side = edge.other(node), edge.side(node)
        both = guard.and_(edge.guard)
        if other in path or not both.is_possible or is_met_again(edge, path, node):
            is_left = is_left or not both.is_possible or bool(edge.stale[side])
            continue
        leads_on = edge.kind is CHOSEN or (edge.kind is not SHARED and side == 1)
        if id(other) not in done and leads_on:
            _synchronise(other, both, [*path, node], done)
        if any(both.and_(each).is_possible for each in edge.stale[side]):
            _update(edge, node, other)
            done.difference_update(id(each.other(node)) for each in node.edges if each is not edge)
    if is_left:
        done.discard(id(node))


def _check_limit(node: Node) -> None:
    """Refuses to follow more ways in which objects may be one than can be followed in a reasonable time.

    Raises:
        MutationError: there are more.
    """
    _local.visits += 1
    if _local.visits > MOST_VISITS:
        place = user_location()
        raise MutationError(
            "so many objects may be one another here, as staged conditions have chosen among them, that it can't be "
            "followed which of them a change reaches",
            **({} if place is None else place._asdict()),
            construct=type(original(node.obj)).__name__,
            remedy="change the objects in the branches, or choose among values in place of objects that change",
        )


def is_met_again(edge: Edge, path: list[Node], node: Node) -> bool:
    """Whether a path has an edge of the same loop already: two objects of a turn may be one that is older in different
    turns alone; where they may be in one turn, there is an edge between them."""
    return edge.loop is not None and any(each.loop is edge.loop for each in _between(path, node))


def _between(path: list[Node], node: Node) -> Iterator[Edge]:
    """The edges along a path to a node."""
    for one, other in zip(path, [*path[1:], node], strict=False):
        yield from (edge for edge in one.edges if edge.other(one) is other)


def _update(edge: Edge, node: Node, source: Node) -> None:
    tensors = _available(edge.guard)
    if tensors is None:
        raise refusal(edge, node.obj)
    _clear(edge, edge.side(node))
    _assign(tensors, node, source)
    _tell(node, edge, edge.guard)


def _clear(edge: Edge, side: int) -> None:
    edge.stale[side].clear()
    if not any(edge.stale):
        _local.dirty.pop(id(edge), None)


def _assign(tensors: list[tuple[Any, bool]], node: Node, source: Node) -> None:
    from .dispatch import active

    backend = active()
    assert backend is not None
    _local.settling = True
    try:
        backend.assign_where(tensors, node.obj, source.obj)
    finally:
        _local.settling = False


def _available(guard: Guard) -> list[tuple[Any, bool]] | None:
    """The tensors of a guard with their values; None where not all of them can be evaluated here."""
    from .dispatch import active

    backend = active()
    known = here().literals
    found = [(_local.tensors[key], truth) for key, truth in guard.literals - known]
    if not guard.sure or backend is None or not all(backend.is_available(tensor) for tensor, _ in found):
        return None
    return found


def settle() -> None:
    """Brings all objects up to date that can be: before a staged body begins, and at its end."""
    if _local.settling:
        return
    known = here()
    _local.visits = 0
    for edge in list(_local.dirty.values()):
        for side, node in enumerate(edge.nodes):
            if edge.stale[side] and known.and_(edge.guard).is_possible and _available(edge.guard) is not None:
                _synchronise(node, known, [], set())


def refusal(edge: Edge, obj: Any) -> MutationError:
    """The error for the use of an object that may be one which has been changed."""
    from .heap import form as form_of
    from .locations import name_of

    obj = original(obj)
    name = getattr(form_of(obj), "name", "") or name_of(obj, edge.label)
    kind = type(obj).__name__.removeprefix("Staged").removesuffix("Element").lower()
    what = f"`{name}`" if name else f"a {kind if isinstance(obj, Form) else type(obj).__name__} that is used here"
    place = user_location()
    if edge.kind is CHOSEN:
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
