"""The errors for changes of objects that a graph can't carry: which object, where, and what to write instead."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import CellType, CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import Any

import numpy as np

from autograph.errors import MutationError
from autograph.runtime.base.places import Place

from ...data_model.raw_attributes import raw_attribute
from ...data_model.special_methods import is_user_class, lookup, mro
from ...dispatch import backend_of
from ..control.errors import keywords_of, where
from ..values.specs import Spec, described
from .array_memory import seen_through
from .locations import has_attributes, is_written_in_python
from .state import Journal, about_to_change, about_to_change_inside, stack

_INSTEAD = "use a list, a dict, an attribute or a variable in its place, or make the change outside"
_DESCRIPTORS = (property, MemberDescriptorType, GetSetDescriptorType)
_ARRAY_INSTEAD = "use a tensor in its place (tf.constant), or make the change outside"


def changed_in_body(obj: object, journal: Journal) -> MutationError:
    """The error for an object of a kind that staged bodies can't change."""
    is_array = isinstance(obj, np.ndarray)
    name = known_as(obj, journal.bodies)
    what = ("a NumPy array" if is_array else f"a {type(obj).__name__}") + (f", `{name}`," if name else "")
    return MutationError(
        f"{what} is changed in a staged branch or loop; a graph can't carry that change",
        **_where(obj, journal),
        construct=name,
        remedy=_ARRAY_INSTEAD if is_array else _INSTEAD,
    )


def outlives_trace(owner: object, label: str, journal: Journal, arguments: Iterable[Any]) -> MutationError:
    """The error for what outlives the traced function, and would hold tensors of its graph: a list, a variable."""
    kind = "list" if isinstance(owner, list) else type(owner).__name__
    name = known_as(owner, journal.bodies, arguments) or label
    what = f"the {kind} `{name}`" if name != kind else f"a {kind} that is changed here"
    if isinstance(owner, CellType):
        what = f"the variable `{label}`"
    elif not isinstance(owner, (list, dict, set, deque, np.ndarray)):
        name, what = label, f"`{label}`"
    return MutationError(
        f"{what} outlives this function, and can't hold what runs of its graph put into it",
        **_where(owner, journal),
        construct=name,
        remedy="return the values, keep them in an attribute or a variable, or change a copy of the list: list(values)",
    )


def changed_constant(label: str, value: object) -> MutationError:
    """The error of runs of a trace which has what a place held as a constant, when the place holds something else."""
    return MutationError(
        f"`{label}` was {described(value)} when this function was traced, and is something else now: this trace can't "
        "run any more, as the two can't be merged",
        **where(),
        construct=label,
        remedy="call the tf.function itself, which traces it again; or hold a tensor there, or None, before",
    )


def changed_place(label: str, spec: Spec, now: Spec, place: Mapping[str, Any]) -> MutationError:
    """The error of a run that finds something else in a place than what its trace is for."""
    return MutationError(
        f"`{label}` is {now}, but {spec} is what this function was traced for, which reads and writes it in each run",
        **place,
        construct=label,
        remedy="keep one dtype and structure there, or make another tf.function for the other kind",
    )


def lost_array(label: str, form: object, journal: Journal) -> MutationError:
    """The error for an array that outlives the traced function, which stores into it but also replaces it."""
    return MutationError(
        f"`{label}` holds an array that outlives this function, which stores into it in some runs and gives `{label}` "
        "another one in some; other names of the array would not see the change",
        **_where(form, journal),
        construct=label,
        remedy="store into a copy of it, or copy into the array in all branches: x[:] = y",
    )


def lost_change(obj: object, place: Place | None, journal: Journal, arguments: Iterable[Any]) -> MutationError:
    """The error for a change of what may be an object that outlives the traced function, as a loop decides."""
    name = known_as(obj, journal.bodies, arguments)
    what = f"`{name}`" if name else f"another {type(obj).__name__}"
    return MutationError(
        f"what is changed here may be {what}, which outlives this function, or an object that a staged loop has put in "
        "its place; the graph can't tell which of the two it is",
        **_at(place),
        construct=name,
        remedy="begin with a copy of it, or change it under its own name",
    )


def _where(obj: object, journal: Journal) -> dict[str, Any]:
    return _at(journal.announced_at(obj))


def _at(place: Place | None) -> dict[str, Any]:
    return where() if place is None else keywords_of(place.location)


def known_as(obj: object, bodies: Iterable[Callable[..., Any]], arguments: Iterable[Any] = ()) -> str | None:
    """The name, or attribute of a variable, by which some functions know an object."""
    for body in bodies:
        names = set(_names(body.__code__))
        variables = {name: value for name, value in body.__globals__.items() if name in names}
        for name, cell in zip(body.__code__.co_freevars, body.__closure__ or (), strict=True):
            try:
                variables[name] = cell.cell_contents
            except ValueError:  # not set yet
                continue
        variables.update(zip(body.__code__.co_varnames, arguments, strict=False))
        for name, value in variables.items():
            if value is obj:
                return name
        for name, value in variables.items():
            for attribute, part in raw_attribute(value, "__dict__", {}).items():
                if part is obj and attribute in names:
                    return f"{name}.{attribute}"
    return None


def _names(code: CodeType) -> Iterator[str]:
    """Names of variables and attributes that code uses; operators get those of attributes as constants."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
        elif isinstance(constant, str):
            yield constant


def changed_in_recursion(label: str, function: Callable[..., Any]) -> MutationError:
    """The error for a function that changes something outside, and calls itself on a staged condition."""
    return MutationError(
        f"`{label}` is changed by {function.__name__}(), which calls itself on a staged condition; a graph can't carry"
        " the change from call to call",
        **where(),
        construct="recursion",
        remedy="pass the value on as an argument and return it, or use a tf.Variable",
    )


def moved_twice(iterator: object, label: str, journal: Journal) -> MutationError:
    """The error for an iterator that is older than a function, which moves it, and has to be traced once more."""
    code = journal.bodies[0].__code__ if journal.bodies else None
    place: dict[str, Any] = {}
    if code is not None:
        place = {"file": code.co_filename, "line": code.co_firstlineno, "function": code.co_name}
    return MutationError(
        f"`{label or type(iterator).__name__}`, an iterator from outside, is moved by a function that has to be traced "
        "more than once, as it also writes to places outside: it would go forward each time",
        **place,
        construct=label or type(iterator).__name__,
        remedy="take the items outside, and pass them as an argument",
    )


def refuse_unknown(obj: object) -> None:
    """Refuses a store into an object of a kind that staged bodies can't undo.

    Raises:
        MutationError: it is one.
    """
    journals = [journal for journal in stack() if not journal.outermost]
    owners = seen_through(obj)
    is_new = bool(journals) and journals[-1].knows(obj) and all(map(journals[-1].is_created, owners))
    for each in owners:
        about_to_change(each)
    if journals and not is_new and backend_of(obj) is None:
        raise _store_refused(obj)


def refuse_attribute(obj: object, name: str) -> None:
    """Refuses, as `refuse_unknown`, that an attribute is set or deleted, if Python does not do so."""
    if _takes(obj, name):
        refuse_unknown(obj)
        refuse_field(obj, name)


def refuse_item(obj: object) -> None:
    """Refuses, as `refuse_hidden`, an item of an object of a user's class whose items code in C keeps."""
    if is_user_class(type(obj)) and hasattr(type(obj), "__setitem__") and not isinstance(obj, (list, dict)):
        refuse_hidden(obj)


def hides_attributes(obj: object) -> bool:
    """Whether an object that no journal follows takes attributes, and has no items."""
    takes_some = isinstance(obj, CellType) or raw_attribute(obj, "__dict__") is not None
    return takes_some and not hasattr(type(obj), "__setitem__") and _is_unfollowed(obj)


def _is_unfollowed(obj: object) -> bool:
    return not is_written_in_python(type(obj)) and not has_attributes(obj)


def _takes(obj: object, name: str) -> bool:
    return raw_attribute(obj, "__dict__") is not None or hasattr(type(lookup(mro(type(obj)), name)), "__set__")


def refuse_field(obj: object, name: str) -> None:
    """Refuses, as `refuse_hidden`, an attribute that code in C keeps where no journal looks: a field of `ctypes`."""
    kind = type(lookup(mro(type(obj)), name))
    if hasattr(kind, "__set__") and kind not in _DESCRIPTORS and not is_written_in_python(kind):
        refuse_hidden(obj)


def refuse_hidden(obj: object) -> None:
    """Refuses a store, in a staged body that has not made the object, that only the object itself can see.

    Raises:
        MutationError: it is one.
    """
    if any(not journal.outermost and not journal.is_created(obj) for journal in stack()):
        raise _store_refused(obj)


def refuse_kept_attribute(obj: object, name: str, value: object) -> None:
    """The same for an attribute, if Python sets it."""
    if _takes(obj, name):
        refuse_kept(obj, name, value)


def refuse_kept(obj: object, name: str, value: object) -> None:
    """Refuses that an object of which no journal knows what it holds is given what only a run knows: it would keep it.

    Raises:
        MutationError: it does, and was there before the trace.
    """
    is_older = bool(stack()) and not any(journal.is_created(obj) for journal in stack())
    if is_older and backend_of(value) is not None and _is_unfollowed(obj):
        kind = type(obj).__qualname__
        raise MutationError(
            f"`{name}` of an object of class `{kind}` outlives this function, and can't hold what runs of its graph "
            "put into it",
            construct=f"{kind}.{name}",
            remedy="return the value, or keep it in an attribute of another object, a dict or a variable",
            **where(),
        )


def about_to_store(obj: object) -> None:
    """Notes that an item is stored into an object, which may be done by a method of its class.

    Raises:
        MutationError: that method is a library's, and the store is in a staged body that has not made the object: the
            other methods, which are not converted, would not see what only a run knows.
    """
    cls = type(obj)
    is_unseen = isinstance(getattr(cls, "__setitem__", None), FunctionType) and not issubclass(cls, (list, dict))
    if is_unseen and not is_user_class(cls) and backend_of(obj) is None:
        refuse_hidden(obj)
    about_to_change_inside(obj)


def _store_refused(obj: object) -> MutationError:
    kind = type(obj).__qualname__
    return MutationError(
        f"a store into an object of class `{kind}` in a staged branch or loop; a graph can't carry that change",
        construct=kind,
        remedy=_INSTEAD,
        **where(),
    )
