"""Which objects may be one and the same when the graph runs, and which of them are out of date.

Where branches merge, an object is made of what one of two holds: which it is, the graph can tell (see `choices`). Where
it can't, the pair is an edge: the turns of a loop merge, so that an object may be any that an earlier turn has left;
what a list of the graph holds is a copy of what was put into it; a condition inside a branch has chosen.

A change of an object puts those at the other ends of its edges out of date, and of the edges of objects that it may be.
The use of one that is out of date is refused. Nothing else has to be known: neither who holds an object, nor whether it
is used again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from .. import asked
from . import choices, decisions
from .choices import Alternative as Alternative
from .choices import put_out_of_date as put_out_of_date
from .decisions import Decision, and_
from .edges import CHOSEN, Edge, check, edges_of, here, note_question, tell, this_thread
from .edges import PUT as PUT
from .edges import RELEASED as RELEASED
from .edges import SHARED as SHARED
from .edges import SOMETIMES as SOMETIMES
from .edges import TAKEN as TAKEN
from .edges import Body as Body
from .edges import flag as flag
from .edges import identity as identity
from .edges import is_released_changed as is_released_changed
from .edges import known_objects as known_objects
from .edges import relate as relate
from .edges import settle as settle
from .edges import stale_edge as stale_edge
from .forms import Form as Form


def forget() -> None:
    """Called when a trace ends."""
    this_thread.__init__()  # type: ignore[misc]
    choices.forget()
    decisions.forget()


def any_dicts() -> bool:
    """Whether the program has got any dict of attributes, or globals."""
    return bool(this_thread.dicts)


def any_known() -> bool:
    """Whether any object may be another one."""
    return bool(this_thread.nodes) or choices.any_known()


def note_dict(attributes: object, owner: object) -> None:
    """Notes the dict of the attributes of an object: what is done to it is done to the object."""
    this_thread.dicts[id(attributes)] = attributes, owner


def owner_of(obj: object) -> Any:
    """The object of which something is the dict of attributes, if it is known to be; else the thing itself."""
    found = this_thread.dicts.get(id(obj)) if this_thread.dicts else None
    return obj if found is None else found[1]


def is_known(obj: object) -> bool:
    """Whether anything is known of what an object may be."""
    note_question()
    obj = identity(obj)
    return id(obj) in this_thread.nodes or choices.is_known(obj)


def has_others(obj: object) -> bool:
    """Whether an object may be another one, as merging has made one of the two."""
    note_question()
    obj = identity(obj)
    return choices.choice_of(obj) is not None or any(
        edge.kind is CHOSEN for each, _ in choices.family(obj) for edge in edges_of(each)
    )


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
        node = this_thread.nodes.get(id(choice.obj))
        held = [edge for edge in (node.edges if node is not None else ()) if edge.kind is not CHOSEN]
        for root, when in choice.roots.values():
            when = when if is_available(when) else True
            for edge in held:
                if edge.nodes[0] is node:
                    _relate_as(edge, root.obj, edge.nodes[1].obj, when)
            if side.keeps:
                relate(choice.obj, root.obj, SOMETIMES)


def _relate_as(edge: Edge, one: object, other: object, when: Decision) -> None:
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
        node = this_thread.nodes.pop(id(obj), None)
        if node is None:
            continue
        for edge in node.edges:
            other, side = edge.other(node), edge.side(node)
            if edge.stale[1 - side] is False:
                other.edges.remove(edge)
            for each, when in stands.get(id(obj), ()):
                _relate_as(edge, *((each, other.obj) if side == 0 else (other.obj, each)), when)


def use(obj: object, one_key: bool = False) -> None:
    """Brings an object up to date that is about to be used; ``one_key``: of a dict, one of its keys alone.

    Raises:
        MutationError: it may be one that has been changed, and the graph can't tell whether it is.
        StagedValueError: it is a dict of attributes of which only the run knows what they are.
    """
    if this_thread.dicts and not one_key:
        asked.CHECK_KEYS.function(obj)
    if not any_known() or choices.is_settling():
        return
    obj, known = identity(owner_of(obj)), here()
    for body in this_thread.bodies[-1:]:
        body.used.append((obj, known))
    if this_thread.nodes:
        check(obj, known)
    choices.use(obj, known)


def change(obj: object, element: bool = False) -> None:
    """Notes that an object is about to be changed; ``element``: one of the elements of a list that a graph holds."""
    if not any_known() or choices.is_settling():
        return
    use(obj)
    obj = identity(obj)
    choices.change(obj, here())
    for each, when in choices.family(obj):
        for body in this_thread.bodies[-1:]:
            body.changed.append((each, when))
        tell(each, when, element)


def is_available(decision: Decision) -> bool:
    """Whether a decision can be evaluated here."""
    backend = asked.ACTIVE.function()
    return backend is not None and all(map(backend.is_available, decisions.tensors(decision)))


def update(objects: Iterable[Any] | None = None) -> None:
    """Brings objects up to date, all if none are given, whose contents are about to be looked at.

    ``objects`` is not asked for where none can be out of date.
    """
    settle()
    if choices.any_known() and not choices.is_settling():
        choices.update(here(), is_available, None if objects is None else list(map(identity, objects)))
