"""What a function that `to_graph` or `convert` has made was made of: a mark on it, which the operators look for."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial, wraps
from types import CodeType, FunctionType, MethodType
from typing import Any

from .conversion import is_under_way
from .errors import ConversionError
from .runtime.base.pickling.carried import Carried
from .runtime.base.provided import Provided

_NAME = "__autograph_original__"

Form = Callable[..., Any]


NOTE: Provided[Callable[[Any], None]] = Provided("operators.dispatch", late=True)
"""Notes a function that is converted, for libraries that read code."""


class Original:
    """What a converted function was made of, and its forms; an attribute of that function."""

    def __init__(self, entity: Any, function: FunctionType, bound: Callable[[FunctionType], Form]) -> None:
        self.entity = entity
        self.function = function
        self.code: Any = None
        self._bound = bound
        self.forms: dict[int, Form] = {}
        NOTE.function(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _original_again, (Carried(self.entity), self.code)

    def form(self, staged: bool) -> Form:
        """The staged or plain form; the original where the function is needed to convert itself.

        Raises:
            ConversionError: the function can't be converted.
        """
        found = self.forms.get(staged)
        if found is None:
            if is_under_way(self.function.__code__):
                return self.entity
            found = self.forms[staged] = self._bound(form_of(self.function, staged))
        return found


def _original_again(entity: Callable[..., Any], code: CodeType) -> Original:
    made = Original(entity, *parts_of(entity))
    made.code = code
    return made


def form_of(function: FunctionType, staged: bool) -> FunctionType:
    """A function that is converted: the function itself, if it is."""
    from . import pipeline

    return function if pipeline.is_converted(function.__code__, staged) else pipeline.converted(function, staged)


def marked(made: Any, entity: object, original: Original) -> Any:
    """A converted function that knows what it was made of, and has its name."""
    original.code = made.__code__
    setattr(named_like(made, entity), _NAME, original)
    return made


def original_of(entity: object) -> Original | None:
    """What a function that `picking` made was made of."""
    mark = getattr(entity, _NAME, None)
    # `functools.wraps` copies attributes: the mark holds only for the function it was made for.
    return mark if isinstance(mark, Original) and mark.code is getattr(entity, "__code__", None) else None


def named_like(wrapper: Any, entity: Any) -> Any:
    """Gives a function the name, documentation and signature of another; a partial has those of its function."""
    named = entity
    while isinstance(named, partial):
        named = named.func
    wraps(named)(wrapper)
    wrapper.__wrapped__ = entity
    if isinstance(entity, partial):
        wrapper.__signature__ = inspect.signature(entity)
    return wrapper


def parts_of(entity: object) -> tuple[FunctionType, Callable[[FunctionType], Callable[..., Any]]]:
    """The Python function in an entity, and what makes an entity of the same kind of another function.

    Raises:
        ConversionError: there is no Python function in it.
    """
    if isinstance(entity, FunctionType):
        return entity, lambda function: function
    if isinstance(entity, MethodType):
        function, make = parts_of(entity.__func__)
        return function, lambda form: MethodType(make(form), entity.__self__)
    if isinstance(entity, partial):
        function, make = parts_of(entity.func)
        return function, lambda form: partial(make(form), *entity.args, **entity.keywords)
    if isinstance(entity, (staticmethod, classmethod)):
        return parts_of(entity.__func__)
    if isinstance(entity, type):
        raise ConversionError(
            f"`{entity.__qualname__}` is a class: its methods are converted when they are called",
            construct="class",
            remedy=f"convert a method of it: to_graph({entity.__name__}.method)",
        )
    method = getattr(type(entity), "__call__", None)  # noqa: B004 (the function itself is wanted)
    if isinstance(method, FunctionType):
        return method, lambda form: MethodType(form, entity)
    name = getattr(entity, "__qualname__", None) or repr(entity)
    raise ConversionError(
        f"`{name}` is not a Python function, there is nothing to convert",
        construct=type(entity).__name__,
        remedy="pass a function written in Python, or call this one as it is",
    )
