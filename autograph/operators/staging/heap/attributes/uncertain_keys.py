"""Dicts of attributes, or of globals, of whose keys, or of the order of these, only the run knows.

Attributes are staged one by one, so that only such a dict as a whole has to be refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

from autograph.errors import StagedValueError
from autograph.runtime.tensors.trace import user_location

from ....data_model.raw_attributes import raw_attribute
from ..edges import this_thread


class Unordered(tuple[Any, ...]):
    """Names of attributes that an object has got in another order in some runs than in others."""

    __slots__ = ()


def note_order(made: object, keys: Sequence[Any]) -> None:
    """Notes of an object that merging has made in which order it has got its attributes, if only the run knows."""
    if isinstance(keys, Unordered):
        note(raw_attribute(made, "__dict__"), made, keys[0])


def note(attributes: object, owner: object, name: str) -> None:
    """Notes that only the run knows whether ``owner``, None for a module, has an attribute, or at which place."""
    this_thread.uncertain.setdefault(id(attributes), (attributes, owner, name))


def check(attributes: object) -> None:
    """Refuses such a dict.

    Raises:
        StagedValueError: it is one.
    """
    found = this_thread.uncertain.get(id(attributes))
    if found is None:
        return
    _, owner, name = found
    holder, kind = holder_of(owner)
    place = user_location()
    raise StagedValueError(
        f"{holder} gets the {kind} `{name}` in some runs only, or in another order than in others; the dict that holds "
        "it can't be staged",
        **({} if place is None else place._asdict()),
        construct=name,
        remedy=f"set `{name}` before the branch or loop, or ask for its value alone",
    )


def holder_of(owner: object) -> tuple[str, str]:
    """What to call an object, None for a module, and what it holds."""
    if owner is None or isinstance(owner, ModuleType):
        return "a module", "global variable"
    return f"an object of {owner.__name__ if isinstance(owner, type) else type(owner).__name__}", "attribute"
