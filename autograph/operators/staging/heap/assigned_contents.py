"""An object is made to hold what another one holds, where a condition is true: see `aliases`."""

from __future__ import annotations

from typing import Any

from autograph.runtime.ir.op import OPS
from autograph.runtime.tensors.trace import current_graph

from ...variables import UNDEFINED
from ..control.cond import if_stmt
from ..values.dicts import DictState, StagedDict
from ..values.lists import ListState, StagedList
from . import array_forms, decisions, heap, rebinding
from .array_memory import is_array
from .decisions import Decision
from .forms import contents_of, set_contents
from .locations import Attribute, attributes_of, name_of
from .state import about_to_change


def assign_where(decision: Decision, target: object, source: object) -> None:
    """Makes ``target`` hold what ``source`` does, where a decision holds."""
    test = decided(decision)
    if test is True:
        _assign(target, source)
    else:
        if_stmt(test, lambda: _assign(target, source), lambda: None, ())
    made = heap.form(target)
    if made is not target and not is_array(target):  # it has the name of the parameter here
        made.name = name_of(target)


def decided(decision: Decision) -> Any:
    """The bool that a decision is: a tensor, or one that is known."""
    if isinstance(decision, bool):
        return decision
    found: dict[Decision, Any] = {True: True, False: False}
    for each in decisions.ordered(decision):
        found[each] = _one(each, found[each.high], found[each.low])
    return found[decision]


def _one(node: decisions.Node, high: object, low: object) -> Any:
    """The bool of one node of a decision, from those of the nodes below."""
    test = node.test.tensor
    if high is True and low is False:
        return test
    known = decisions.computed(node)
    if known is not None and _is_there(known):
        return known
    if high is True:
        made = OPS["logical_or"](test, low)
    elif low is False:
        made = OPS["logical_and"](test, high)
    else:
        negated = OPS["logical_not"](test)
        if high is False:
            made = negated if low is True else OPS["logical_and"](negated, low)
        elif low is True:
            made = OPS["logical_or"](negated, high)
        else:
            made = OPS["logical_or"](OPS["logical_and"](test, high), OPS["logical_and"](negated, low))
    decisions.note(made, node)
    return made


def _is_there(tensor: Any) -> bool:
    """Whether a tensor that has been computed before is one of the graph still, or of one around it."""
    graph, made_in = current_graph(), tensor.value.node.graph
    return graph is not None and graph.encloses_me(made_in) and tensor.value.node in made_in.nodes


def _assign(target: object, source: object) -> None:
    if is_array(target):
        array_forms.store(target, source)
        return
    mine, others = heap.form(target), heap.form(source)
    if isinstance(mine, (StagedList, StagedDict)) or isinstance(others, (StagedList, StagedDict)):
        rebinding.form_of(target, "").change_to(_state_of(others))
        return
    about_to_change(target)
    if isinstance(target, (list, dict)):
        set_contents(target, contents_of(source))
    else:
        new = attributes_of(source)
        for name in {**attributes_of(target), **new}:
            Attribute(target, name).set(new.get(name, UNDEFINED))


def _state_of(value: Any) -> Any:
    if isinstance(value, (StagedList, StagedDict)):
        return value.get_state()
    return DictState(value) if isinstance(value, dict) else ListState.of(value)
