"""Methods of lists and dicts that are written in C, and of their staged forms, past those of users' classes."""

from __future__ import annotations

import builtins
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

from ...calls import call
from ...data_model.special_methods import is_user_class
from ...dispatch import backend_of
from ...iteration import iterated
from ..heap import heap, rebinding, state
from ..heap.forms import VIEWS, Form, held_by
from ..prelude.attribute_calls import attribute
from ..prelude.membership import contains
from ..prelude.sequences import has_staged
from ..prelude.user_order import has_objects
from ..prelude.user_order import list_method as by_methods
from ..values import iterables
from ..values.dicts import StagedDict
from ..values.lists import ListState, StagedList

_KEEPING = frozenset(("append", "count", "get", "index", "insert", "pop", "remove", "setdefault"))
BETWEEN = frozenset(("__add__", "__eq__", "__ge__", "__gt__", "__le__", "__lt__", "__ne__"))
_BY_FUNCTION = {f"__{name}__": getattr(builtins, name) for name in ("iter", "len", "repr", "reversed")}
_OF_OBJECTS = ("__getattribute__", "__new__")


def of_form(function: Any, owner: object) -> Callable[..., Any]:
    """What to call in place of a method of a list or dict of which only a run knows what it holds."""
    name, form = function.__name__, heap.staged(owner)
    if name in _OF_OBJECTS or not _is_of_container(owner, name):
        state.about_to_change(owner)
        return function
    if name == "__init__" and isinstance(owner, list):
        return lambda *values: fill(owner, *values)
    if name == "__contains__":
        return lambda item: contains(item, form)
    if name in _BY_FUNCTION:
        return lambda: call(_BY_FUNCTION[name])(form)
    method = attribute(form, name) if isinstance(form, Form) else getattr(form, name)

    def run(*arguments: object, **keywords: object) -> Any:
        if name in ("extend", "__iadd__"):
            arguments = tuple(map(iterated, arguments))
        elif name == "update":
            arguments = tuple(map(heap.given, arguments))
        elif name not in _KEEPING:
            arguments = tuple(map(heap.staged, arguments))
        made = method(*arguments, **keywords)
        return owner if made is form else made

    return run


def _is_of_container(owner: object, name: str) -> bool:
    """Whether a method is one of lists or dicts, or of views of dicts, and not of all objects."""
    bases = [each for each in type(owner).__mro__ if each in (list, dict, OrderedDict, defaultdict, *VIEWS)]
    return any(name in vars(each) for each in bases)


def between(owner: list[Any], function: Any, other: Any) -> Any:
    """A comparison or a sum of a list with another one, of which maybe only a run knows what it holds."""
    form = heap.staged(other)
    if form is other:
        return function(other)
    return getattr(StagedList(ListState.of(held_by(owner))), function.__name__)(form)


def in_place(owner: list[Any], values: object) -> list[Any]:
    """``list.__iadd__``."""
    extend(owner, values)
    return owner


def update(owner: dict[Any, Any], function: Callable[..., Any], *others: object, **items: object) -> None:
    """``dict.update``, which `function` is."""
    state.about_to_change(owner)
    others = tuple(map(heap.given, others))
    if type(owner) is dict and any(isinstance(each, StagedDict) for each in others):
        function = rebinding.form_of(owner, "dict").update
    function(*others, **items)


def of_list(
    owner: list[Any], function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> Any:
    """A method of a Python list; with a staged index, value or element it becomes one of a staged list."""
    name = function.__name__
    compares = name not in ("insert", "pop")
    if compares and (has_objects(owner) or has_objects(arguments)):
        return by_methods(owner, name, arguments, keywords)
    if has_staged(arguments if compares else arguments[:1]) or (compares and has_staged(owner)):
        if name in ("index", "count"):
            return getattr(StagedList(ListState.of(owner)), name)(*arguments, **keywords)
        return getattr(rebinding.form_of(owner, "list"), name)(*arguments, **keywords)
    if name == "sort" and keywords.get("key") is not None:
        return by_methods(owner, name, arguments, keywords)
    return function(*arguments, **keywords)


def extend(owner: list[Any], values: Any) -> None:
    """``list.extend``. What the values hold is known when the change of the list begins, which they may be."""
    if is_user_class(type(values)):
        values = iterated(values)
    if backend_of(values) is None:
        list.extend(owner, values)
        heap.check_iterator(owner)  # to make the values, it may have been changed in the graph
        return
    if isinstance(values, StagedList):  # which may be the list itself: by what it holds before
        values = values.listed()

    def append(value: object) -> None:
        call(list.append)(owner, value)

    iterables.each(values, append)


def fill(owner: list[Any], values: object = ()) -> None:
    """``list.__init__``: gives a list other items; it is empty when these are asked for."""
    call(list.clear)(owner)
    call(list.extend)(owner, values)


def construct(cls: Any, *arguments: object, **keywords: object) -> Any:
    """``cls(…)``; a list of a class of its own that only holds what it is made of may be made of a staged one."""
    is_list = issubclass(cls, list) and cls is not list and (cls.__new__, cls.__init__) == (list.__new__, list.__init__)
    if not is_list or keywords or len(arguments) != 1 or backend_of(iterated(arguments[0])) is None:
        return cls(*arguments, **keywords)
    made = list.__new__(cls)
    state.created(made)
    extend(made, arguments[0])
    return made
