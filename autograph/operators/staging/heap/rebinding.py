"""A Python list or dict gets a staged form: the object stays, what it holds is from then on what the form does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from autograph.errors import MutationError

from ..control.errors import where
from ..values.dicts import StagedDict
from ..values.lists import ListState, StagedList
from . import heap, list_changes
from .attributes import attribute_dicts
from .forms import held_by
from .locations import Contents, Location, Mutable, StateOf
from .state import stack


def set_merged(places: Iterable[tuple[Location, Any]]) -> None:
    """Sets places to their merged values; the contents that are staged last, as the others may hold their owners."""
    staged = []
    for location, value in places:
        attribute_dicts.note_merged(location, value)
        if isinstance(value, StagedDict):
            value.name = value.name or location.label
        if isinstance(location, Contents) and isinstance(value, (StagedList, StagedDict)):
            staged.append((location, value))
        else:
            location.set(value)
    for location, value in staged:
        _stage(location.owner, value, location.label)


def stage(values: list[Any] | dict[Any, Any], label: str) -> StateOf:
    """Gives a Python list or dict a staged form that holds the same; returns the place of what that holds.

    Raises:
        MutationError: an element of a tuple is changed, which a staged index has chosen: it is a copy.
    """
    if isinstance(values, tuple):
        raise MutationError(
            "an element of a tuple, which a staged index has chosen, is changed; it is a copy",
            **where(),
            construct="x[i]",
            remedy="choose by `if`, or keep the elements in a list",
        )
    held = held_by(values)
    parts = list(held) if isinstance(held, list) else []
    form = StagedDict.of(held, label) if isinstance(held, dict) else StagedList(ListState.of(held), label)
    _stage(values, form, label)
    if isinstance(form, StagedList):
        for part in parts:
            form.hold(part)
    return StateOf(form, label)


def form_of(values: object, label: str) -> Any:
    """The staged form of a list or dict, which gets one if it has none."""
    form = heap.form(values)
    return stage(values, label).owner if form is values and not isinstance(values, Mutable) else form


def _stage(values: object, form: StagedList | StagedDict, label: str) -> None:
    form.name = label
    if isinstance(form, StagedList):
        form.changes = list_changes.about_to_stage(values, form.changes)
    for journal in stack():
        journal.staged(values, form)
    heap.stage(values, form, not stack() or stack()[0].is_created(values))
