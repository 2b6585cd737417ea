"""The errors for objects of which it can't be told what they hold, as one that they may be has been changed."""

from __future__ import annotations

from typing import Any

from autograph.errors import MutationError
from autograph.runtime.tensors.trace import user_location

from .. import asked
from . import array_memory
from .forms import Form, original


def too_many(obj: Any) -> MutationError:
    place = user_location()
    return MutationError(
        "so many objects may be one another here, as loops have left them, that it can't be followed which of them a "
        "change reaches",
        **({} if place is None else place._asdict()),
        construct=type(original(obj)).__name__,
        remedy="change the objects under one name, or choose among values in place of objects that change",
    )


def out_of_date(label: str, is_chosen: bool, obj: Any) -> MutationError:
    """The error for the use of an object that may be one which has been changed; ``is_chosen``: by merging."""
    obj = original(obj)
    name, what = asked.NAME_OF.function(obj, label), "an array that is used here"
    if not array_memory.is_array(obj):
        name = getattr(asked.FORM.function(obj), "name", "") or name
        kind = type(obj).__name__.removeprefix("Staged").removesuffix("Element").lower()
        what = f"a {kind if isinstance(obj, Form) else type(obj).__name__} that is used here"
    what = f"`{name}`" if name else what
    place = user_location()
    if is_chosen:
        text = "is one of two objects, as a staged condition or loop decides; one that it may be has been changed"
        remedy = "use the object under one name, or change it in the branches"
    else:
        text = "is, or has, an element of a list that a graph holds, as a copy; one of the two has been changed"
        remedy = "make it anew: store the changed one into the list, or put it into the list when it is complete"
    return MutationError(
        f"{what} {text} since, and the graph can't tell whether it is that one",
        **({} if place is None else place._asdict()),
        construct=name or None,
        remedy=remedy,
    )
