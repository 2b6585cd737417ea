"""The dicts that hold variables themselves: of an object its attributes (``vars(obj)``), of a module its globals.

Staged code sets attributes and globals one by one. Where it has set one in some runs only, or several in an order that
only the run knows, such a dict can't be staged: it is not given out any more, and one that a program has already can't
be used any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any, NoReturn

from autograph.errors import StagedValueError

from ....data_model.raw_attributes import raw_attribute
from ....variables import UNDEFINED
from ... import asked
from ...control.errors import where
from ...values.maybe import Maybe
from .. import aliases
from ..edges import this_thread
from ..locations import Attribute, Global, Location, has_attributes
from ..state import stack
from . import class_defaults, uncertain_keys


def replacement(function: Any) -> Callable[..., Any] | None:
    """What to call in place of `vars` and `dir`, which tell the attributes that an object has."""
    return _vars if function is vars else _dir if function is dir else None


def _vars(*objects: object) -> Any:
    for obj in objects:
        _check(obj, raw_attribute(obj, "__dict__", {}), "the dict of its attributes can't be staged")
    for obj in objects:
        if stack() and hasattr(obj, "__dict__"):
            aliases.use(obj)
            if isinstance(obj, (type, ModuleType)) or has_attributes(obj):
                aliases.note_dict(vars(obj), obj)
    return vars(*objects)


def module_variables(variables: dict[str, Any]) -> dict[str, Any]:
    """What ``globals()`` has found, in a function that is traced. It may be there to set one of them alone."""
    if stack():
        aliases.note_dict(variables, variables)
    return variables


def _dir(*objects: object) -> list[str]:
    for obj in objects:
        for name, value in raw_attribute(obj, "__dict__", {}).items():
            if may_be_unset(value):
                _refuse(obj, name, "dir() can't be staged")
    return dir(*objects)


def before_delete(obj: object, name: str) -> None:
    """Checks that an object has an attribute itself, in the run if only that knows."""
    value: Any = raw_attribute(obj, "__dict__", {}).get(name)
    if may_be_unset(value):
        value.ag__present()
    elif name in class_defaults.shown_by(obj):
        _refuse(obj, name, "deleting it can't be staged")
    elif any(not journal.outermost for journal in stack()):  # it may be set again, and is the last one then
        note_uncertain(Attribute(obj, name))


@asked.CHECK_KEYS.give
def check_use(obj: object) -> None:
    """Refuses such a dict that a program has got, where it is used as a whole, not one of its keys.

    Raises:
        StagedValueError: only the run knows what its keys are.
    """
    if not isinstance(obj, dict) or id(obj) not in this_thread.dicts:
        return
    owner = aliases.owner_of(obj)
    for name in [name for name, value in obj.items() if may_be_unset(value)]:
        uncertain_keys.note(obj, None if owner is obj else owner, name)
    uncertain_keys.check(obj)


def note_merged(location: Location, value: object) -> None:
    """Notes what an attribute or a global is given where branches, or the turns of a loop, merge."""
    if may_be_unset(value):
        note_uncertain(location)


def note_uncertain(location: Location) -> None:
    """Notes that only the run knows whether an object has an attribute, or where it stands among the others."""
    held = _dict_of(location)
    if held is not None:
        uncertain_keys.note(held, None if location.owner is held else location.owner, location.name)


def note_orders(branches: Iterable[Iterable[Location]]) -> None:
    """Notes which attributes that are new in both of two branches come in another order in one than in the other."""
    orders: list[dict[int, list[Location]]] = []
    for locations in branches:
        new: dict[int, list[Location]] = {}
        for each in locations:
            held = _dict_of(each)
            if held is not None and each.name not in held:
                new.setdefault(id(held), []).append(each)
        orders.append(new)
    for key in set.intersection(*map(set, orders)) if orders else ():
        for one, other in zip(orders[0][key], orders[-1][key], strict=False):
            if one.name != other.name:
                note_uncertain(one)


def _dict_of(location: Location) -> dict[str, Any] | None:
    if isinstance(location, Global):
        return location.owner
    if isinstance(location, Attribute) and not isinstance(location.owner, type):
        return raw_attribute(location.owner, "__dict__")
    return None


def _check(obj: object, held: Mapping[str, Any], what: str) -> None:
    defaults = class_defaults.shown_by(obj)
    for name, value in held.items():
        if name in defaults or may_be_unset(value):
            _refuse(obj, name, what)
    uncertain_keys.check(held)


def may_be_unset(value: object) -> bool:
    """Whether a value is that of a place which holds nothing in some runs."""
    return type(value) is Maybe and value.ag__missing is UNDEFINED


def _refuse(obj: object, name: str, what: str) -> NoReturn:
    holder, kind = uncertain_keys.holder_of(obj)
    raise StagedValueError(
        f"{holder} has the {kind} `{name}` itself in some runs only; {what}",
        **where(),
        construct=name,
        remedy=f"set `{name}` before the branch or loop",
    )
