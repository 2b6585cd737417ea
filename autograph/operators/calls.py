"""`f(x)` becomes `ag__.call(f)(x)`: a look-up of the converted form of `f`."""

from __future__ import annotations

import sys
import weakref
from collections import deque
from collections.abc import Callable
from functools import partial, wraps
from inspect import CO_GENERATOR
from types import BuiltinFunctionType, FunctionType, MethodType, MethodWrapperType
from typing import Any, cast

from autograph.conversion import is_under_way
from autograph.errors import ConversionError
from autograph.log import log
from autograph.marks import Original, original_of
from autograph.runtime.base.provided import Provided
from autograph.settings import settings

from .data_model.frame_readers import BUILTIN_READERS, reader
from .data_model.left_alone import is_left_alone, is_mixin
from .data_model.raw_attributes import raw_attribute
from .data_model.special_methods import is_user_class
from .dispatch import Backend, active, open_traces, staging
from .staging.heap.heap import giving, has_form
from .staging.heap.state import created, stack

# The converted form of a function, None when that is the function itself, and a weak reference that removes the entry
# when the function dies.
_Entry = tuple[Callable[..., Any] | None, weakref.ref[Any]]
# By identity, as a strong key would keep functions alive.
_plain: dict[int, _Entry] = {id(each): (form, weakref.ref(each)) for each, form in BUILTIN_READERS}
_staged: dict[int, _Entry] = {}
_in_namespaces: deque[tuple[dict[int, _Entry], int]] = deque()
_MOST_IN_NAMESPACES = 256
# The names of functions left alone that the log has told of.
_noted: set[str] = set()


Form = Callable[..., Any]
# What call it themselves, and so come after it: each gives the form of functions of one kind, None for all others.
GENERIC: Provided[Callable[[FunctionType], Form | None]] = Provided("operators.data_model.single_dispatch")
ACCESSOR: Provided[Callable[[Any], Form | None]] = Provided("operators.data_model.accessors")
INITIALISER: Provided[Callable[[FunctionType], Form | None]] = Provided("operators.data_model.classes")
CONSTRUCTOR: Provided[Callable[[type], Form | None]] = Provided("operators.data_model.classes")
CONSTRUCTOR_OF_METACLASS: Provided[Callable[[Any], Form | None]] = Provided("operators.data_model.classes")
WITH_SPECIAL_METHODS: Provided[Callable[[Any, Form], Form]] = Provided("operators.builtin_calls")
"""Gives the form of a built-in function, made of what is called where no class of the user's is asked."""


def call(function: object) -> Any:
    """Returns what to call in place of `function`: its plain form, or its staged form while a back end is staging.

    What is not converted comes back as it is: classes, built-ins, the standard library, NumPy, autograph itself
    (what `do_not_convert` returns too), and functions that can't be converted.

    Raises:
        ConversionError: the function can't be converted, and the call stands in a staged branch or loop, where running
            it as it is could change what the program means; or `strict_conversion` is set.
    """
    if open_traces and staging():
        form = staged_form(function)
        return form if type(function) is not FunctionType else _watched_for_recursion(function, form)
    entry = _plain.get(id(function))
    return _plain_form(function) if entry is None else entry[0] or function


def call_method(found: FunctionType, *arguments: object, **keywords: object) -> Any:
    """Calls a special method in the form that fits."""
    return call(found)(*arguments, **keywords)


def staged_form(function: object) -> Any:
    """As `call` while a back end is staging, for a call that begins a trace."""
    entry = _staged.get(id(function))
    return _staged_form(function) if entry is None else entry[0] or function


def _watched_for_recursion(function: FunctionType, form: object) -> Any:
    backend = active()
    if backend is None or not backend.in_body() or _is_own(function):  # all forms of autograph's own share their code
        return form
    return backend.recursive(function, form)


def _is_own(function: FunctionType) -> bool:
    """Whether a function is one of autograph's for its users: what stands for it is the same in all traces, and both
    live as long as the program. Wrappers of users' functions, which may have their names, are not; those of ops are."""
    module = function.__globals__.get("__name__", "")
    if not module.startswith("autograph.") or module.startswith("autograph.operators."):
        return False
    return "<locals>" not in function.__code__.co_qualname or "op" in function.__dict__


def _is_inherited(method: MethodType) -> bool:
    return is_user_class(type(method.__self__)) or not is_mixin(cast(FunctionType, method.__func__))


def _note_left_alone(function: FunctionType) -> None:
    """Says once at verbosity 1 why a function is called as it is."""
    name = f"{function.__module__}.{function.__qualname__}"
    if settings.verbosity < 1 or name in _noted or name.startswith("autograph."):
        return
    _noted.add(name)
    log(1, f"called as it is: functions of `{name.partition('.')[0]}` are not converted", function)


def _plain_form(function: Any) -> Any:
    kind = type(function)
    if kind is FunctionType:
        return _convert(function, _plain, False)
    if kind is MethodType:
        form = call(function.__func__)
        return function if form is function.__func__ else MethodType(form, function.__self__)
    if kind is BuiltinFunctionType or issubclass(kind, type):
        return function
    if kind is partial:
        return _partial(function)
    method = _call_method(function)
    return function if method is None else MethodType(call(method), function)


def _staged_form(function: Any) -> Any:
    backend = active()
    if backend is None:
        return _plain_form(function)
    kind = type(function)
    if kind is not MethodType and has_form(raw_attribute(function, "__self__")):
        return backend.watch_call(function)
    if kind is BuiltinFunctionType or issubclass(kind, type):
        return _staged_builtin(function, backend)
    replacement = backend.replacement(function)
    if replacement is not None:
        return backend.watch_call(replacement) if backend.in_body() else replacement
    if kind is FunctionType:
        original = original_of(function)
        if original is not None:
            return _form_of_original(function, original)
        if function.__name__ == "__init__":
            return _initialiser(function, backend)
        generic = GENERIC.function(function)
        if generic is not None:
            return generic
        if _convertible(function):
            return _convert(function, _staged, True)
        if _is_own(function) and stack():
            form = giving(function)
            _remember(function, form, _staged)
            return form
    elif kind is MethodType:
        if isinstance(function.__func__, FunctionType):
            if original_of(function.__func__) or (_convertible(function.__func__) and _is_inherited(function)):
                return MethodType(call(function.__func__), function.__self__)
            if _is_own(function.__func__) and stack():
                return giving(function)
        elif not isinstance(function.__func__, BuiltinFunctionType):
            return MethodType(call(function.__func__), function.__self__)
    elif kind is partial:
        return _partial(function)
    elif kind is MethodWrapperType:
        return _wrapper(function, backend)
    else:
        method = _call_method(function)
        if method is not None:
            return MethodType(call(method), function)
        found = ACCESSOR.function(function)
        if found is not None:
            return found
    return backend.watch_call(function)


def _form_of_original(function: FunctionType, original: Original) -> Callable[..., Any]:
    """The form of what `to_graph` or `convert` has made: staging is the user's wish, wherever the function is from."""
    try:
        return original.form(True)
    except ConversionError as error:
        return _unconverted(function, error, True)


def _initialiser(function: FunctionType, backend: Backend) -> Any:
    """The form of an `__init__`; one that `dataclasses.dataclass` has made has no source."""
    made = INITIALISER.function(function)
    if made is not None:
        return made
    return _convert(function, _staged, True) if _convertible(function) else backend.watch_call(function)


def _wrapper(function: object, backend: Backend) -> Any:
    """The form of a special method that is written in C."""
    return CONSTRUCTOR_OF_METACLASS.function(function) or backend.watch_call(function)


def _staged_builtin(function: object, backend: Backend) -> Any:
    """The form of a class or a built-in: what they call in classes of the user's is converted."""
    made = CONSTRUCTOR.function(function) if isinstance(function, type) else None
    if made is not None:
        return made
    replacement = backend.replacement(function)
    if replacement is None:
        form = backend.watch_call(function)
    else:
        form = backend.watch_call(replacement) if backend.in_body() else replacement
    return WITH_SPECIAL_METHODS.function(function, form)


def _convertible(function: FunctionType) -> bool:
    from autograph.pipeline import is_converted  # which runs of saved models don't load

    if is_converted(function.__code__, True):
        return True
    left_alone = is_left_alone(function) and not is_mixin(function)
    if left_alone:
        _note_left_alone(function)
    return not left_alone


def _partial(function: partial[Any]) -> partial[Any]:
    form = call(function.func)
    return function if form is function.func else partial(form, *function.args, **function.keywords)


def _call_method(obj: object) -> FunctionType | None:
    """The `__call__` of an object's class, when it is a Python function that may be converted."""
    method = getattr(type(obj), "__call__", None)  # noqa: B004 (the function itself is wanted)
    return method if isinstance(method, FunctionType) and not is_left_alone(method) else None


def _convert(function: FunctionType, cache: dict[int, _Entry], staged: bool) -> Callable[..., Any]:
    from autograph.pipeline import converted, is_converted

    form: Callable[..., Any] | None = None
    needs_conversion = not is_converted(function.__code__, staged)
    if needs_conversion and is_left_alone(function) and not (staged and is_mixin(function)):
        _note_left_alone(function)
        form = reader(function)
    elif needs_conversion:
        if not staged and is_under_way(function.__code__):
            return function
        try:
            form = converted(function, staged)
        except ConversionError as error:
            return _unconverted(function, error, staged)
    if staged and (form or function).__code__.co_flags & CO_GENERATOR:
        form = _making_generators(form or function)
    if form is None or function.__closure__ is None:
        # The form of a closure shares its cells, which may hold the function itself: the cache would keep it alive.
        _remember(function, form, cache)
    return form or function


def _making_generators(function: Callable[..., Any]) -> Callable[..., Any]:
    """A generator function, each call of which tells what it makes."""

    @wraps(function)
    def make(*arguments: object, **keywords: object) -> Any:
        made = function(*arguments, **keywords)
        created(made)
        return made

    return make


def _remember(function: FunctionType, form: Callable[..., Any] | None, cache: dict[int, _Entry]) -> None:
    key = id(function)
    cache[key] = form, weakref.ref(function, lambda _: cache.pop(key, None))
    module = sys.modules.get(function.__globals__.get("__name__", ""))
    if form is not None and getattr(module, "__dict__", None) is not function.__globals__:
        _limit_namespaces(cache, key)


def _limit_namespaces(cache: dict[int, _Entry], key: int) -> None:
    """A form keeps the namespace of an `exec` alive, which as a rule holds the function: the oldest have to go."""
    _in_namespaces.append((cache, key))
    if len(_in_namespaces) > _MOST_IN_NAMESPACES:
        oldest, first = _in_namespaces.popleft()
        oldest.pop(first, None)


def _unconverted(function: FunctionType, error: ConversionError, staged: bool) -> Callable[..., Any]:
    if settings.strict_conversion:
        raise error
    backend = active() if staged else None
    if backend is None:
        return function
    if backend.in_body():
        raise error
    return backend.watch_call(function)
