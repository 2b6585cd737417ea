"""`to_code`, `to_graph`, `convert`, `do_not_convert` and `trace`: what users call to convert functions."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from functools import partial, wraps
from types import FunctionType, MethodType
from typing import Any, TypeVar, overload

from .errors import ConversionError
from .log import set_verbosity
from .tracebacks import trim, trimming

__all__ = ["convert", "do_not_convert", "set_verbosity", "to_code", "to_graph", "trace"]

Function = TypeVar("Function", bound=Callable[..., Any])


@trimming
def to_code(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """Returns the source of the staged form of a function: what runs while a graph is being built.

    Operators, attributes, items, `with` and the bodies of `try` are shown as they are written. When the form is
    compiled, a last pass (`converters/implicit_calls.py`) puts operators of autograph in their place, which do the
    same, but convert the methods of the user's classes that Python calls there.

    Args:
        entity: a function, lambda, method, callable object, partial, or what `to_graph` or `function` made of one.
        recursive: accepted for TensorFlow's sake; what a function calls is always converted, when it is called.
        experimental_optional_features: accepted for TensorFlow's sake.

    Raises:
        ConversionError: there is no source, or it holds something that can't be converted.
    """
    from .pipeline import transformed
    from .source.unparse import unparse

    function, _ = _parts(_original(entity))
    context, _ = transformed(function, staged=True)
    return textwrap.dedent(unparse(context.tree)).strip("\n") + "\n"


@trimming
def to_graph(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> Callable[..., Any]:
    """Returns a converted function: in plain Python it does what the original does, in a trace it builds a graph.

    It has the name, documentation and signature of the original. The arguments are those of `to_code`.

    Raises:
        ConversionError: there is no source, or it holds something that can't be converted.
    """
    from .entry import entry_of

    if _is_converted(entity):
        return entity
    function, bound = _parts(_original(entity))
    _form(function, True)
    picking = _picking(entity, function, bound)
    entry = entry_of(function, picking) if entity is function else None
    return picking if entry is None else _marked(entry, entity)


@overload
def convert(function: Function, /) -> Function: ...


@overload
def convert(
    function: None = None, /, *, recursive: bool = ..., optional_features: Any = ..., user_requested: bool = ...
) -> Callable[[Function], Function]: ...


def convert(
    function: Any = None, /, *, recursive: bool = True, optional_features: Any = None, user_requested: bool = True
) -> Any:
    """Decorator, with or without a call, that converts a function when it is first called; see `to_graph`.

    The keywords are accepted for TensorFlow's sake.
    """
    if function is None:
        return convert
    if _is_converted(function):
        return function
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(convert(function.__func__))
    return _picking(function, *_parts(_original(function)))


@overload
def do_not_convert(function: Function, /) -> Function: ...


@overload
def do_not_convert(function: None = None, /) -> Callable[[Function], Function]: ...


def do_not_convert(function: Any = None, /) -> Any:
    """Decorator, with or without a call: the function, and what it calls, runs as it is written, also in a trace."""
    if function is None:
        return do_not_convert
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(do_not_convert(function.__func__))
    if not callable(function):
        raise TypeError(f"do_not_convert takes a function, not {function!r}")

    def unconverted(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return _named_like(unconverted, function)


def trace(*args: Any) -> None:
    """Prints its arguments, when the call runs: in a trace, once, while the graph is built."""
    print(*args)


class _Original:
    """What a converted function was made of; an attribute of that function."""

    NAME = "__autograph_original__"

    def __init__(self, entity: Any, code: Any) -> None:
        self.entity = entity
        self.code = code


def _is_converted(entity: Any) -> bool:
    mark = getattr(entity, _Original.NAME, None)
    # `functools.wraps` copies attributes: the mark holds only for the function it was made for.
    return isinstance(mark, _Original) and mark.code is getattr(entity, "__code__", None)


def _original(entity: Any) -> Any:
    """The function behind what `to_graph`, `convert` or `function` made."""
    if _is_converted(entity):
        return getattr(entity, _Original.NAME).entity
    if not isinstance(entity, (FunctionType, MethodType, type)):
        return getattr(entity, "python_function", entity)
    return entity


def _parts(entity: Any) -> tuple[FunctionType, Callable[[FunctionType], Callable[..., Any]]]:
    """The Python function in an entity, and what makes an entity of the same kind of another function.

    Raises:
        ConversionError: there is no Python function in it.
    """
    if isinstance(entity, FunctionType):
        return entity, lambda function: function
    if isinstance(entity, MethodType):
        function, make = _parts(entity.__func__)
        return function, lambda form: MethodType(make(form), entity.__self__)
    if isinstance(entity, partial):
        function, make = _parts(entity.func)
        return function, lambda form: partial(make(form), *entity.args, **entity.keywords)
    if isinstance(entity, (staticmethod, classmethod)):
        return _parts(entity.__func__)
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


def _picking(
    entity: Any, function: FunctionType, bound: Callable[[FunctionType], Callable[..., Any]]
) -> Callable[..., Any]:
    """A function that runs the form that fits: staged in a trace, else plain. Each is made when first needed."""
    from .operators.dispatch import staging

    forms: dict[bool, Callable[..., Any]] = {}

    def converted(*args: Any, **kwargs: Any) -> Any:
        staged = staging()
        form = forms.get(staged)
        try:
            if form is None:
                form = forms[staged] = bound(_form(function, staged))
            return form(*args, **kwargs)
        except Exception as error:
            if error.__class__ is not RecursionError:  # there may be no room to call anything
                trim(error)
            raise

    return _marked(converted, entity)


def _marked(converted: Any, entity: Any) -> Any:
    """A converted function that knows what it was made of, and has its name."""
    setattr(_named_like(converted, entity), _Original.NAME, _Original(entity, converted.__code__))
    return converted


def _form(function: FunctionType, staged: bool) -> FunctionType:
    from . import pipeline

    return function if pipeline.is_converted(function.__code__, staged) else pipeline.converted(function, staged)


def _named_like(wrapper: Any, entity: Any) -> Any:
    """Gives a function the name, documentation and signature of another; a partial has those of its function."""
    named = entity
    while isinstance(named, partial):
        named = named.func
    wraps(named)(wrapper)
    wrapper.__wrapped__ = entity
    if isinstance(entity, partial):
        wrapper.__signature__ = inspect.signature(entity)
    return wrapper
