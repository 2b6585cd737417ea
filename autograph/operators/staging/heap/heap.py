"""What lists and dicts hold while a graph is built, where only a run knows it: one table, by identity.

A list that staged code appends to stays the same Python object under all its names. What it holds at this point of the
trace is that of a *staged form* of it, which the table has: an object with the methods of a list, over tensors. Every
use in converted code is an operator, which asks `staged` first. The Python object itself holds an `Elsewhere`
meanwhile: code that is not converted can't take what it held before for what it holds now.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NoReturn

import numpy as np

from autograph.errors import MutationError, StagedValueError
from autograph.runtime.ops.text import sometimes_bool
from autograph.runtime.tensors import undelivered
from autograph.runtime.tensors.tensor import SymbolicTensor
from autograph.runtime.tensors.trace import user_location
from autograph.runtime.tensors.trace_text import calls_libraries

from ...data_model.raw_attributes import raw_attribute
from .. import asked
from . import aliases, array_memory
from .forms import VIEWS, contents_of, holds, is_of_own_class, own_methods, set_contents, view_of, viewed
from .forms import original as original


class _Local(threading.local):
    def __init__(self) -> None:
        self.forms: dict[int, tuple[Any, Any, Any, Any]] = {}
        """By identity the object, its staged form, what it held before, and what it holds meanwhile."""
        self.iterators: dict[int, tuple[type, list[Any]]] = {}
        """By identity the class of an iterator, which is not kept alive, and what it runs over."""


_local = _Local()
open_forms: list[None] = []
"""As many as the tables of all threads have entries: whether there are any is asked before all else, for speed."""


def staged(value: object, one_key: bool = False) -> Any:
    """What is used in place of a value: the staged form of a list or dict that has one; anything else as it is.

    ``one_key``: of a dict, one of its keys alone is used.

    Raises:
        MutationError: the value is out of date (see `aliases`).
        StagedValueError: it is a dict of attributes of which only the run knows what they are.
    """
    aliases.use(value, one_key)
    if id(value) in _local.iterators and _run_over(value):
        check_iterator(value)
    check_window(value)
    return form(value)


def check_window(value: object) -> None:
    """Refuses what looks into the memory of an array that has got a staged form, which it would not see.

    Raises:
        MutationError: it does.
    """
    if array_memory.any_forms() and any(map(has_form, array_memory.seen_through(value))):
        kind, place = type(value).__name__, user_location()
        raise MutationError(
            f"an array is changed by staged code while a {kind} looks into its memory, which would not see the change",
            **({} if place is None else place._asdict()),
            construct=kind,
            remedy="use the array itself, or a view of it: a.reshape(-1), a[i:j]",
        )


@asked.FORM.give
def form(value: object) -> Any:
    """The staged form of a list or dict that has one, or a view of it; anything else as it is."""
    if open_forms:
        if isinstance(value, (list, dict)):
            found = _local.forms.get(id(value))
            if found is not None:
                return found[1]
        elif type(value) is np.ndarray or type(value) is SymbolicTensor:
            return _form_of_array(value)
        elif isinstance(value, VIEWS):
            found = form_viewed(value)
            return value if found is None else view_of(found, value)
    return value


def form_viewed(view: object) -> Any:
    """The staged form of the dict that a view is one of; None where it has none, and of what is no view."""
    found = _local.forms.get(id(viewed(view))) if open_forms and isinstance(view, VIEWS) else None
    return None if found is None else found[1]


def _form_of_array(value: object) -> Any:
    """What an array holds now: a tensor, or the array itself where Python knows."""
    if not array_memory.any_forms() or not array_memory.is_array(value):
        return value
    found = array_memory.form_of(array_memory.memory_of(value))
    if found is None:
        check_window(value)
        return value
    return found.read(value)


def watching() -> bool:
    """Whether a use of a value may need to be told: asked first, for speed."""
    return bool(open_forms) or aliases.any_known() or aliases.any_dicts()


def note_iterator(iterator: object, values: Iterable[Any]) -> None:
    """Notes what an iterator runs over, directly or through others: lists and dicts that may get a staged form."""
    found: list[Any] = []
    for each in values:
        if isinstance(each, (list, dict)) or (type(each) is np.ndarray and each.ndim == 1):
            found.append(each)
        elif isinstance(each, VIEWS):
            found.append(viewed(each))
        elif array_memory.seen_through(each):
            found += array_memory.seen_through(each)
        else:
            found += _run_over(each)
    if found or id(iterator) in _local.iterators:
        _local.iterators[id(iterator)] = type(iterator), found


def _run_over(iterator: Any) -> list[Any]:
    kind, values = _local.iterators.get(id(iterator), (None, []))
    return values if kind is type(iterator) else []


def check_iterator(iterator: object, is_held: bool = False) -> None:
    """Refuses an iterator over a list or dict that has got a staged form, or a `partial` that holds one (``is_held``),
    which would not see it.

    Raises:
        MutationError: it is one.
    """
    is_itself = isinstance(iterator, (list, dict, np.ndarray))
    values = [iterator] if is_itself else _run_over(iterator)
    for each in values:
        aliases.use(each)
        if has_form(each):
            name = "" if isinstance(each, np.ndarray) else _local.forms[id(each)][1].name
            kind = "array" if isinstance(each, np.ndarray) else "dict" if isinstance(each, dict) else "list"
            is_held = is_held or isinstance(iterator, partial)
            use = "a `partial` holds it" if is_held else "a loop or an iterator of Python runs over it"
            place = user_location()
            raise MutationError(
                f"the {kind}{f' `{name}`' if name else ''} is changed by staged code while {use}, which would not see "
                "the change",
                **({} if place is None else place._asdict()),
                construct=name or kind,
                remedy="use a lambda in place of the `partial`, or make it after the change"
                if is_held
                else f"run over a copy of the {kind}, or over a tensor",
            )


def are_same(before: Sequence[Any], after: Sequence[Any]) -> bool:
    """Whether two sequences hold the same objects."""
    return len(before) == len(after) and all(map(operator.is_, before, after))


def guarding(function: Callable[..., Any], values: Iterable[Any], is_held: bool = False) -> Callable[..., Any]:
    """A function that Python's `map` or the like calls while it runs over some values, or a `partial` that holds them:
    it must not stage these."""
    values = tuple(values)

    def run(*arguments: object, **keywords: object) -> Any:
        result = function(*arguments, **keywords)
        if watching():
            for each in values:
                check_iterator(each, is_held)
        return result

    return run


def itself(obj: Any) -> Any:
    """What a function gets in place of an object of a class of its own: the object, where converted code uses it."""
    staged(obj)
    return obj


def contents(obj: Any) -> Any:
    """What a function gets in place of an object of a class of its own if it asks for nothing but what that holds.

    Raises:
        StagedValueError: the class has methods of its own that say so.
    """
    found = staged(obj)
    if found is not obj and (methods := own_methods(type(obj))):
        raise _unseen(obj, found, f"its `{methods[0]}`")
    return found


def refused(obj: Any) -> Any:
    """For a function that may ask an object for its class.

    Raises:
        StagedValueError: only the run knows what the object holds.
    """
    found = staged(obj)
    if found is not obj:
        raise _unseen(obj, found, "its class")
    return obj


def _unseen(obj: Any, staged_form: Any, what: str) -> StagedValueError:
    kind, name, place = type(obj).__name__, getattr(staged_form, "name", ""), user_location()
    return StagedValueError(
        f"an object of class `{kind}`{f', `{name}`,' if name else ''} goes to code that is not converted, which may "
        f"use {what}; staged code has changed the object, so that only a run knows what it holds",
        **({} if place is None else place._asdict()),
        construct=kind,
        remedy="give it a list or dict of the items: list(x), {**x}; or convert the function",
    )


def given(value: object, of_own_class: Callable[[Any], Any] = contents) -> Any:
    """A value as a function of a library gets it: staged forms in place of the lists and dicts that have them.

    ``of_own_class`` says what that is for objects of classes other than Python's.
    """
    if not open_forms and not aliases.any_known():
        return value
    if is_of_own_class(value):
        return of_own_class(value)
    found = staged(value)
    if found is not value:
        return found
    if type(value) in (list, tuple):
        parts = [given(part, of_own_class) for part in value]
        return value if all(map(operator.is_, parts, value)) else type(value)(parts)
    if type(value) is dict:
        items = {key: given(part, of_own_class) for key, part in value.items()}
        return value if all(map(operator.is_, items.values(), value.values())) else items
    return value


def giving(function: Callable[..., Any], of_own_class: Callable[[Any], Any] = contents) -> Callable[..., Any]:
    """A function of a library, called with the staged forms of its arguments."""

    def run(*arguments: object, **keywords: object) -> Any:
        named = {key: given(each, of_own_class) for key, each in keywords.items()}
        return function(*[given(each, of_own_class) for each in arguments], **named)

    run.__name__ = raw_attribute(function, "__name__", "")
    return run


calls_libraries(__file__)


def has_form(value: object) -> bool:
    """Whether a list or dict, or the dict that a view is one of, has a staged form, or only a run knows what an array
    holds."""
    if not open_forms:
        return False
    if isinstance(value, (list, dict)):
        return id(value) in _local.forms
    if isinstance(value, VIEWS):
        return form_viewed(value) is not None
    return type(value) is np.ndarray and form(value) is not value


def with_forms() -> list[Any]:
    """The lists and dicts of this thread that have a staged form."""
    return [obj for obj, *_ in _local.forms.values()]


def stage(obj: object, staged_form: Any, is_new: bool = True) -> None:
    """Gives a list or dict a staged form, which tells from now on what it holds.

    One that is older than the trace keeps its contents meanwhile, as other threads may look at it.
    """
    known = _local.forms.get(id(obj))
    before = contents_of(obj) if known is None else known[2]
    if known is None:
        open_forms.append(None)
    staged_form.source = obj
    elsewhere = Elsewhere(staged_form)
    if is_new:
        set_contents(obj, {elsewhere: elsewhere} if isinstance(obj, dict) else [elsewhere])
    _local.forms[id(obj)] = obj, staged_form, before, before if not is_new and known is None else contents_of(obj)


def stage_array(memory: object, staged_form: Any) -> None:
    """Gives the memory of an array a staged form, which holds the same at first."""
    array_memory.stage(memory, staged_form)
    open_forms.append(None)


def refuse_staged(obj: object) -> None:
    """Refuses a list or dict that code which is not converted is about to use, where the graph has what it holds.

    Raises:
        StagedValueError: it is one, or the item that stands in one.
    """
    if isinstance(obj, Elsewhere):
        obj._refuse()
    if has_form(obj):
        Elsewhere(form_viewed(obj) if isinstance(obj, VIEWS) else _local.forms[id(obj)][1])._refuse()


def unstage(obj: object) -> None:
    """Takes the staged form of a list or dict away, which then holds again what it did before it got the form."""
    found = _local.forms.pop(id(obj), None)
    if found is None:
        return
    _, staged_form, contents, meanwhile = found
    if not holds(obj, meanwhile):
        undelivered.note(_changed_unseen(staged_form))
    open_forms.pop()
    staged_form.source = None
    set_contents(obj, contents)


def check_unseen() -> None:
    """To be called when code that is not converted has run.

    Raises:
        MutationError: it has changed a list or dict of which only the run knows what it holds.
    """
    for obj, staged_form, _, meanwhile in _local.forms.values():
        if len(meanwhile) == 1 and not holds(obj, meanwhile):
            set_contents(obj, meanwhile)
            raise undelivered.note(_changed_unseen(staged_form))


def _changed_unseen(form: Any) -> MutationError:
    name, place = getattr(form, "name", ""), user_location()
    kind = type(form).__name__.removeprefix("Staged").lower()
    return MutationError(
        f"code that is not converted has changed {f'`{name}`' if name else f'a {kind}'}, of which only a run of the "
        "graph knows what it holds; the graph does not see that change",
        **({} if place is None else place._asdict()),
        construct=name or None,
        remedy="convert that function, or have it return what is to be put into it",
    )


def forget() -> None:
    """Called when a trace ends."""
    _local.iterators.clear()
    sometimes_bool.forget()
    for _ in range(array_memory.forget()):
        open_forms.pop()
    for obj, *_ in list(_local.forms.values()):
        unstage(obj)


class Elsewhere:
    """The one item of a list or dict whose contents the graph has: each use is refused."""

    __slots__ = ("form",)

    def __init__(self, form: object) -> None:
        self.form = form

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        name, place = getattr(self.form, "name", ""), user_location()
        # It may be a `__del__` that uses it, or code that is not converted, which catch the error.
        raise undelivered.note(
            StagedValueError(
                f"only a run of the graph knows what {f'`{name}`' if name else 'this list or dict'} holds, which "
                "staged code has changed; what is done with it here can't be staged",
                **({} if place is None else place._asdict()),
                construct=name or None,
                remedy="convert the function that uses it, or give it a tensor: tf.stack(values)",
            )
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in ("__array__", "__tensor__", "__index__", "__fspath__"):
            raise AttributeError(name)
        self._refuse()

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        if open_forms:  # a text of what is not there
            self._refuse()
        return "<in the graph>"

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __len__ = __iter__ = __str__ = __format__ = _refuse
    __int__ = __float__ = __add__ = __radd__ = __mul__ = __rmul__ = __sub__ = __rsub__ = __call__ = _refuse
    __getitem__ = __contains__ = __reduce_ex__ = _refuse
