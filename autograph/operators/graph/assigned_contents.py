"""An object is made to hold what another one holds, where a condition is true: see `aliases`."""

from __future__ import annotations

from typing import Any

from .. import heap
from ..locations import Attribute, attributes_of, name_of
from ..state import about_to_change
from ..variables import UNDEFINED
from . import conditions, rebinding
from .cond import if_stmt
from .dicts import DictState, StagedDict
from .lists import ListState, StagedList


def assign_where(tests: list[tuple[Any, bool]], target: Any, source: Any) -> None:
    """Makes ``target`` hold what ``source`` does, where all tests have the value that stands beside them."""
    test = conditions.all_of([truth if value else conditions.not_(truth) for truth, value in tests])
    if test is True:
        _assign(target, source)
    else:
        if_stmt(test, lambda: _assign(target, source), lambda: None, ())
    made = heap.form(target)
    if made is not target:  # it has the name of the parameter here
        made.name = name_of(target)


def _assign(target: Any, source: Any) -> None:
    mine, others = heap.form(target), heap.form(source)
    if isinstance(mine, (StagedList, StagedDict)) or isinstance(others, (StagedList, StagedDict)):
        rebinding.form_of(target, "")._change(_state_of(others))
        return
    about_to_change(target)
    if isinstance(target, list):
        list.__setitem__(target, slice(None), list(source))
    elif isinstance(target, dict):
        items = dict(source)
        dict.clear(target)
        dict.update(target, items)
    else:
        new = attributes_of(source)
        for name in {**attributes_of(target), **new}:
            Attribute(target, name).set(new.get(name, UNDEFINED))


def _state_of(value: Any) -> Any:
    if isinstance(value, (StagedList, StagedDict)):
        return value.get_state()
    return DictState(value) if isinstance(value, dict) else ListState.of(value)
