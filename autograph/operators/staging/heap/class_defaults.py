"""Attributes that an object shows in some runs only because its class has them.

Where one branch alone sets ``obj.x``, the other leaves what the class holds under that name. The graph takes what it
holds at that point, so that a later change of the class would not be seen; the trace is refused then. Whether the
object has the attribute itself only the run knows, so that its dict of attributes can't be looked at.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple, NoReturn

from autograph.errors import MutationError, StagedValueError
from autograph.runtime.tensors.trace import user_location

from ...data_model.raw_attributes import raw_attribute
from ...variables import UNDEFINED
from ..control.errors import where
from ..values.maybe import Maybe
from . import aliases
from .locations import Attribute, Location, attributes_of, has_attributes
from .state import stack


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


def note(location: Location) -> None:
    """Notes what a place holds if that is an attribute which only the class of the object has."""
    if not isinstance(location, Attribute) or location.name in attributes_of(location.owner):
        return
    name, owner = location.name, location.owner
    classes = (owner if isinstance(owner, type) else type(owner)).__mro__
    cls = next((each for each in classes if name in vars(each)), None)
    if cls is not None:
        place = user_location()
        _local.noted.append(_Default(id(owner), cls, name, vars(cls)[name], {} if place is None else place._asdict()))


def replacement(function: Any) -> Callable[..., Any] | None:
    """What to call in place of `vars` and `dir`, which tell the attributes that an object has."""
    return _vars if function is vars else _dir if function is dir else None


def _vars(*objects: object) -> Any:
    for obj in objects:
        defaults = _defaults(obj)
        for name, value in raw_attribute(obj, "__dict__", {}).items():
            if name in defaults or _may_be_unset(value):
                _refuse(obj, name, "the dict of its attributes can't be staged")
    for obj in objects:
        if stack() and hasattr(obj, "__dict__"):
            aliases.use(obj)
            attributes = vars(obj)
            if isinstance(obj, (type, ModuleType)) or has_attributes(obj):
                aliases.note_dict(attributes, obj)
    return vars(*objects)


def _dir(*objects: object) -> list[str]:
    for obj in objects:
        for name, value in raw_attribute(obj, "__dict__", {}).items():
            if _may_be_unset(value):
                _refuse(obj, name, "dir() can't be staged")
    return dir(*objects)


def before_delete(obj: object, name: str) -> None:
    """Checks that an object has an attribute itself, in the run if only that knows."""
    value: Any = raw_attribute(obj, "__dict__", {}).get(name)
    if _may_be_unset(value):
        value.ag__present()
    elif name in _defaults(obj):
        _refuse(obj, name, "deleting it can't be staged")


def _defaults(obj: object) -> set[str]:
    """The attributes which an object may show because its class has them."""
    return {each.name for each in _local.noted if each.owner == id(obj)}


def _may_be_unset(value: object) -> bool:
    return type(value) is Maybe and value.ag__missing is UNDEFINED


def _refuse(obj: object, name: str, what: str) -> NoReturn:
    kind = obj.__name__ if isinstance(obj, type) else type(obj).__name__
    raise StagedValueError(
        f"an object of {kind} has the attribute `{name}` itself in some runs only; {what}",
        **where(),
        construct=name,
        remedy=f"set `{name}` before the branch or loop",
    )


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
