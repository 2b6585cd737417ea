"""Attributes that an object shows in some runs only because its class has them.

Where one branch alone sets ``obj.x``, the other leaves what the class holds under that name. The graph takes what it
holds at that point, so that a later change of the class would not be seen; the trace is refused then. Whether the
object has the attribute itself only the run knows, so that its dict of attributes can't be looked at.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

from autograph.errors import MutationError
from autograph.runtime.tensors.trace import user_location

from ..locations import Attribute, Location, attributes_of


class _Default(NamedTuple):
    owner: int
    cls: type
    name: str
    value: Any
    place: dict[str, Any]


class _Local(threading.local):
    def __init__(self) -> None:
        self.noted: list[_Default] = []


_local = _Local()


def note(location: Location) -> bool:
    """Notes what a place holds if that is an attribute which only the class has; returns whether it is."""
    if not isinstance(location, Attribute) or location.name in attributes_of(location.owner):
        return False
    name, owner = location.name, location.owner
    classes = (owner if isinstance(owner, type) else type(owner)).__mro__
    cls = next((each for each in classes if name in vars(each)), None)
    if cls is not None:
        place = user_location()
        _local.noted.append(_Default(id(owner), cls, name, vars(cls)[name], {} if place is None else place._asdict()))
    return cls is not None


def shown_by(obj: object) -> set[str]:
    """The attributes which an object may show because its class has them."""
    return {each.name for each in _local.noted if each.owner == id(obj)}


def changed() -> MutationError | None:
    """Called when a trace ends: the error if a class has changed what an object has shown; forgets what was noted."""
    noted, _local.noted = _local.noted, []
    for each in noted:
        if vars(each.cls).get(each.name) is not each.value:
            label = f"{each.cls.__name__}.{each.name}"
            return MutationError(
                f"an object has an attribute `{each.name}` of its own in some runs only, else that of its class, and "
                f"`{label}` is changed too",
                **each.place,
                construct=label,
                remedy=f"give the object the attribute `{each.name}` before the branch or loop",
            )
    return None
