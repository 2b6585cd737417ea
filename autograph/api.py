"""`to_code`, `to_graph`, `convert`, `do_not_convert` and `trace`: what users call to convert functions."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, TypeVar, overload

from .conversion import is_under_way
from .entry import entry_of
from .log import set_verbosity
from .marks import Original, form_of, marked, named_like, original_of, parts_of
from .operators.data_model.left_alone import is_left_alone
from .originals import as_written
from .picking import picking
from .pipeline import code_of
from .tracebacks import trimming

__all__ = ["convert", "do_not_convert", "set_verbosity", "to_code", "to_graph", "trace"]

Function = TypeVar("Function", bound=Callable[..., Any])


@trimming
def to_code(
    entity: object, recursive: bool = True, experimental_optional_features: object = None, *, full: bool = False
) -> str:
    """Returns the source of the staged form of a function: what runs while a graph is being built.

    Operators, attributes, items, `with` and the bodies of `try` are shown as they are written. In the code that runs,
    operators of autograph stand in their place, which do the same, but convert the methods of the user's classes that
    Python calls there (`x + y` is `ag__.add(x, y)`). With `full=True` that is what is returned, to the last call: the
    source that is compiled. It can be executed itself, where `ag__` is the module `autograph.operators`.

    Args:
        entity: a function, lambda, method, callable object, partial, or what `to_graph` or `function` made of one.
        recursive: accepted for TensorFlow's sake; what a function calls is always converted, when it is called.
        experimental_optional_features: accepted for TensorFlow's sake.
        full: return all of the code, as it runs.

    Raises:
        ConversionError: there is no source, or it holds something that can't be converted.
    """
    function, _ = parts_of(_original(entity))
    return code_of(function, full) + "\n"


@trimming
def to_graph(entity: Any, recursive: bool = True, experimental_optional_features: object = None) -> Callable[..., Any]:
    """Returns a converted function: in plain Python it does what the original does, in a trace it builds a graph.

    It has the name, documentation and signature of the original. The arguments mean what they mean to `to_code`.

    Raises:
        ConversionError: there is no source, or it holds something that can't be converted.
    """
    if original_of(entity) is not None:
        return entity
    if isinstance(entity, MethodType) and isinstance(entity.__func__, FunctionType):
        return MethodType(to_graph(entity.__func__), entity.__self__)
    function, bound = parts_of(_original(entity))
    if not is_under_way(function.__code__):
        form_of(function, True)
    picked = picking(entity, function, bound)
    # What is made of a function of the library has to ask who calls: `picking` says why.
    entry = entry_of(function, picked) if entity is function and not is_left_alone(function) else None
    return picked if entry is None else marked(entry, entity, Original(entity, function, bound))


@overload
def convert(function: Function, /) -> Function: ...


@overload
def convert(
    function: None = None, /, *, recursive: bool = ..., optional_features: object = ..., user_requested: bool = ...
) -> Callable[[Function], Function]: ...


def convert(
    function: object = None, /, *, recursive: bool = True, optional_features: object = None, user_requested: bool = True
) -> Any:
    """Decorator, with or without a call, that converts a function when it is first called; see `to_graph`.

    The keywords are accepted for TensorFlow's sake.
    """
    if function is None:
        return convert
    if original_of(function) is not None:
        return function
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(convert(function.__func__))
    return picking(function, *parts_of(_original(function)))


@overload
def do_not_convert(function: Function, /) -> Function: ...


@overload
def do_not_convert(function: None = None, /) -> Callable[[Function], Function]: ...


def do_not_convert(function: object = None, /) -> Any:
    """Decorator, with or without a call: the function, and what it calls, runs as it is written, also in a trace."""
    if function is None:
        return do_not_convert
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(do_not_convert(function.__func__))
    if not callable(function):
        raise TypeError(f"do_not_convert takes a function, not {function!r}")

    written = as_written(function) if isinstance(function, FunctionType) else function

    def unconverted(*args: object, **kwargs: object) -> Any:
        return written(*args, **kwargs)

    return named_like(unconverted, written)


def trace(*args: object) -> None:
    """Prints its arguments, when the call runs: in a trace, once, while the graph is built."""
    print(*args)


def _original(entity: object) -> Any:
    """The function behind what `to_graph`, `convert` or `function` made."""
    known = original_of(entity)
    if known is not None:
        return known.entity
    if not isinstance(entity, (FunctionType, MethodType, type)):
        return getattr(entity, "python_function", entity)
    return entity
