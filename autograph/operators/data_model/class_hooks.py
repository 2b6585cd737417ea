"""What Python calls by itself as a class is made: in a staged body, that would run while tracing.

What `def` makes in converted code is converted, and may do anything. Other code of the user's runs once, whether the
branch is taken or not, so it is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType
from typing import Any

from autograph.errors import MutationError
from autograph.source.generated import is_generated

from ..staging.control.errors import where
from ..staging.outside.effects import is_in_body
from .special_methods import is_convertible, lookup, mro

_OF_METACLASS = ("__prepare__", "__new__", "__init__")


def refuse_making(cls: type) -> None:
    """Refuses a class that a staged body has made, if that has run code of the user's which is not converted.

    Raises:
        MutationError: it has.
    """
    hook = next(_hooks(cls), None) if is_in_body() else None
    if hook is not None:
        raise MutationError(
            f"the class `{cls.__qualname__}` is made in a staged branch or loop, and Python calls "
            f"`{hook.__qualname__}` by itself: once, while tracing, whether the branch is taken or not",
            **where(),
            construct=hook.__name__,
            remedy="define the class outside of the branch or loop",
        )


def _hooks(cls: type) -> Iterator[FunctionType]:
    """The functions that are not converted, and not of a library, which Python has called to make a class."""
    found = [lookup(mro(type(cls)), name) for name in _OF_METACLASS]
    found.append(lookup(mro(cls)[1:], "__init_subclass__"))
    found += [lookup(mro(type(each)), "__set_name__") for each in vars(cls).values()]
    for each in found:
        function: Any = each.__func__ if isinstance(each, (classmethod, staticmethod)) else each
        if is_convertible(function) and not is_generated(function.__code__):
            yield function
