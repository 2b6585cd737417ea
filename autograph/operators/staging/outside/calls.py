"""Calls of what is not converted, while a graph is built: what they change is noted, or the call is refused."""

from __future__ import annotations

import functools
import io
import itertools
import re
import sys
from collections import deque
from collections.abc import Callable
from types import (
    BuiltinFunctionType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)  # fmt: skip
from typing import Any

import numpy as np

from autograph.errors import MutationError
from autograph.runtime.functions import repetitions
from autograph.runtime.functions.concrete import ConcreteFunction
from autograph.runtime.functions.function import Function
from autograph.runtime.tensors.trace_text import calls_libraries, heard

from ...calls import call
from ...data_model.frame_readers import reader
from ...data_model.raw_attributes import raw_attribute
from ...dispatch import backend_of
from ..control.errors import where
from ..heap import aliases, heap, identities, iterators, refusals, state
from ..heap.array_memory import is_array
from ..heap.forms import VIEWS
from ..heap.locations import Mutable, has_hidden_state
from ..prelude import array_calls, library_errors, showing
from ..prelude.attribute_calls import attribute, has_no_attributes
from . import effects, list_calls, makers, threads, unconverted
from .makers import CONTAINERS, IMMUTABLE
from .objects_given import PURE, in_place_of_objects

_READING = {
    set: {"copy", "union", "intersection", "difference", "symmetric_difference"}
    | {"isdisjoint", "issubset", "issuperset"},
    deque: {"copy", "count", "index"},
    bytearray: {name for name in dir(bytes) if not name.startswith("_")} | {"copy"},
}
_FRAME_READERS = {
    "_warnings": ("warn",), "collections": ("namedtuple",), "inspect": ("currentframe", "getouterframes", "stack"),
    "logging": ("critical", "debug", "error", "exception", "info", "log", "warn", "warning"),
    "sys": ("_getframe", "_getframemodulename"), "traceback": ("extract_stack", "format_stack", "print_stack"),
    "typing": ("NamedTuple", "NewType", "TypedDict"), "warnings": ("warn",),
}  # fmt: skip

_STORING = frozenset(("__setitem__", "__delitem__", "__setattr__", "__delattr__"))

calls_libraries(__file__)


def watch_call(function: object) -> Callable[..., Any]:
    """What to call in place of an unconverted function while a graph is built: it gets the staged forms of lists."""
    if isinstance(function, (MethodDescriptorType, WrapperDescriptorType)) and function.__objclass__ in (list, dict):
        return _method_of_class(function)
    form = _form_of_call(function)
    if isinstance(function, (MethodDescriptorType, WrapperDescriptorType)) and function.__objclass__ is object:
        return _of_all_objects(function, form)
    return form


def _form_of_call(function: object) -> Callable[..., Any]:
    form = threads.checking(function, showing.once(function, _watched(function)))
    if state.stack() and array_calls.is_numpy(function):
        return array_calls.watched(function, library_errors.explaining_numpy(heap.giving(form), function))
    if makers.is_of_weak_references(function):
        form = makers.referring_weakly(form)
    if function is open:
        form = _opening(form)
    elif _reaches_out(function):
        form = _doing_once(form, raw_attribute(function, "__self__"))
    if not state.stack() or _needs_the_frame(function):
        return form
    return heap.giving(form, in_place_of_objects(function))


def _reaches_out(function: object) -> bool:
    """Whether a call at the top of a trace does what can't be taken back: it changes the world outside the program, or
    an object that hides what it holds."""
    if not state.stack() or effects.is_in_body() or _needs_the_frame(function):
        return False
    owner = raw_attribute(function, "__self__")
    if owner is None or isinstance(owner, (ModuleType, type)):
        return effects.refused(function)
    if isinstance(owner, (*CONTAINERS, *IMMUTABLE, *VIEWS, np.ndarray)) or backend_of(owner) is not None:
        return False
    if effects.is_printing(owner) or any(journal.is_created(owner) for journal in state.stack()):
        return False
    return _top_module(type(owner)) in sys.stdlib_module_names


def _doing_once(form: Callable[..., Any], owner: object) -> Callable[..., Any]:
    """A call that is done by the first attempt to trace it; the others get what it gave."""

    def run(*arguments: object, **keywords: object) -> Any:
        return repetitions.once(lambda: form(*arguments, **keywords), owner)

    return run


def _opening(form: Callable[..., Any]) -> Callable[..., Any]:
    """``open`` in a trace: each attempt reads the file, or writes it, from its start."""

    def run(file: object, mode: str = "r", *arguments: object, **keywords: object) -> Any:
        this = repetitions.execution()
        if this is not None and this.is_repeated and not {"a", "x", "+"}.isdisjoint(mode):
            raise MutationError(
                f"a file is opened in mode {mode!r} by a function that has to be traced more than once, which would "
                "write into it each time",
                **where(),
                construct="open",
                remedy="open the file outside, or write to it by tf.print(..., output_stream='file://path')",
            )
        made = form(file, mode, *arguments, **keywords)
        if this is not None:
            this.done()
        state.created(made)
        return made

    return run


def _needs_the_frame(function: object) -> bool:
    """Whether a function, as a debugger, looks at the frame that calls it: it has to be called there itself."""
    return function is breakpoint or _top_module(function) == "pdb" or _reads_frames(function)


def _top_module(function: object) -> str:
    return (raw_attribute(function, "__module__") or "").partition(".")[0]


def _watched(function: Any) -> Callable[..., Any]:
    """What to call in place of an unconverted function while a graph is built.

    Raises:
        MutationError: it is a method that may change its object in a way that a graph can't carry, in a staged body.
    """
    if (raw_attribute(function, "__module__") or "").startswith("autograph.operators.staging."):
        if isinstance(raw_attribute(function, "__self__"), Mutable):
            function = _using_owner(function)
        return effects.checking_iterators(function)
    if not effects.is_printing(raw_attribute(function, "__self__")):
        effects.check(function)
    if _reads_frames(function):
        return reader(function) or function
    if isinstance(function, type):
        return _watched_class(function)
    if isinstance(function, (BuiltinFunctionType, MethodWrapperType)):
        owner = function.__self__
        if owner is not None and not isinstance(owner, ModuleType):
            return _watched_method(function, owner)
    if isinstance(function, (Function, ConcreteFunction)):
        return makers.running_graph(function)
    if not state.stack() or id(function) in PURE:
        return identities.length if function is len else function
    module = _top_module(function)
    if module in ("autograph", "pdb"):  # a debugger looks for the frame of the user
        return function
    if module == "numpy" or isinstance(function, np.ufunc):
        return makers.making_array(effects.checking_iterators(function))
    if isinstance(function, functools._lru_cache_wrapper) and effects.is_in_body():
        return _caching(function)
    if isinstance(function, MethodType):
        _check_hidden_state(function.__self__, function.__name__)
        if not _reaches_out(function):
            state.about_to_change(function.__self__)
            state.about_to_change_inside(function.__self__)
    return unconverted.watched(function, _noting_arguments(function))


def _caching(function: Any) -> Callable[..., Any]:
    """A function with a cache, in a staged body: where it does more than compute, the cache tells whether it does so
    again, and only a run would know what is in there."""

    def run(*arguments: object, **keywords: object) -> Any:
        inner = unconverted.watched(function.__wrapped__, function)
        with state.Journal(()) as journal:
            made = inner(*arguments, **keywords)
            changes = [place for place, _, _ in journal.changes().values()]
            if changes:
                raise MutationError(
                    f"{function.__name__}() has a cache, and changes `{changes[0].label}`, in a staged branch or loop; "
                    "whether it does so depends on what is in the cache when the graph runs",
                    **where(),
                    construct=function.__name__,
                    remedy="call it before the branch or loop, or take the change out of it",
                )
        return made

    return run


def _reads_frames(function: object) -> bool:
    """Whether a library function looks at the frame that calls it, so that it has to be the user's."""
    if isinstance(function, type) and type(function).__module__ == "enum":  # `Enum("Name", "A B")`
        return True
    names = _FRAME_READERS.get(raw_attribute(function, "__module__") or "")
    return names is not None and raw_attribute(function, "__name__", "") in names


def _noting_arguments(function: Callable[..., Any]) -> Callable[..., Any]:
    def watched(*arguments: Any, **keywords: Any) -> Any:
        for each in (*arguments, *keywords.values()):
            iterators.use(each)
            state.about_to_change(each)
        try:
            made = heard(function, *arguments, **keywords)
        except (TypeError, AttributeError) as error:
            raise library_errors.explained(error, function, (*arguments, *keywords.values())) from error.__cause__
        makers.note_result(function, made, (*arguments, *keywords.values()))
        return made

    return watched


def _watched_class(cls: Any) -> Callable[..., Any]:
    if cls is memoryview and state.stack():
        return _noting_arguments(cls)
    if issubclass(cls, IMMUTABLE) and cls.__module__ == "builtins":
        return library_errors.explaining(effects.checking_iterators(cls), cls)
    if cls.__module__ in ("itertools", "functools"):
        return effects.checking_iterators(_iterating(cls))
    if not state.stack():
        return cls

    def construct(*arguments: object, **keywords: object) -> Any:
        state.about_to_change(cls)
        for each in (*arguments, *keywords.values()):
            iterators.use(each)
            state.about_to_change(each)
        try:
            made = list_calls.construct(cls, *arguments, **keywords)
        except (TypeError, AttributeError) as error:
            raise library_errors.explained(error, cls, (*arguments, *keywords.values())) from error.__cause__
        state.created(made)
        unconverted.note_key(made)
        return made

    return unconverted.watched(cls, construct)


_FUNCTIONS = (FunctionType, MethodType, functools.partial)


def _iterating(cls: Any) -> Callable[..., Any]:
    def construct(*arguments: object, **keywords: object) -> Any:
        values = (*arguments, *keywords.values())
        guard = functools.partial(heap.guarding, values=values, is_held=cls is functools.partial)
        given = [guard(call(each)) if isinstance(each, _FUNCTIONS) else each for each in arguments]
        made = iterators.note_made(cls(*given, **keywords), values)
        return _groups(made) if cls is itertools.groupby else made

    return construct


def _groups(groups: Any) -> Any:
    """What `itertools.groupby` gives, whose groups are iterators, too, that go forward with it."""

    def run() -> Any:
        for key, group in groups:
            yield key, iterators.note_made(group, (groups,))

    return iterators.note_made(run(), (groups,))


def converted(argument: object) -> Any:
    """A function that is handed to an unconverted one, in its staged form; anything else as it is."""
    return call(argument) if isinstance(argument, _FUNCTIONS) else argument


def _using_owner(method: Any) -> Callable[..., Any]:
    """A method of a list or dict that merging has made: what it may be has been changed by the arguments, perhaps."""

    def run(*arguments: object, **keywords: object) -> Any:
        aliases.use(method.__self__)
        return method(*arguments, **keywords)

    return run


def _watched_method(function: object, owner: object) -> Callable[..., Any]:
    if iterators.is_iterator(owner) and not isinstance(owner, io.IOBase):
        return _method_of_iterator(function, owner)
    if not isinstance(owner, (list, dict, np.ndarray)):
        return _with_iterators(library_errors.explaining(_method_of(function, owner), function), function)

    def call_method(*arguments: object, **keywords: object) -> Any:
        # The arguments may have changed what the owner holds.
        return _method_of(function, owner)(*arguments, **keywords)

    return _with_iterators(call_method, function)


def _with_iterators(form: Callable[..., Any], method: Any) -> Callable[..., Any]:
    """The form of a method written in C, which may move the iterators among its arguments, or make one."""
    name = method.__name__
    if name == "__reversed__" or ("iter" in name and _top_module(type(method.__self__)) in sys.stdlib_module_names):
        return iterators.making(form)
    return iterators.using(form, f"{name}()")


def _method_of_iterator(function: Any, owner: Any) -> Callable[..., Any]:
    if function.__name__ in ("__iter__", "__length_hint__", "__reduce__", "__repr__"):
        return function

    def call_method(*arguments: object, **keywords: object) -> Any:
        for each in (*arguments, *keywords.values()):
            refusals.refuse_kept(owner, function.__name__, each)
        if not _reaches_out(function):
            iterators.use(owner, f"{function.__name__}()")
        return function(*arguments, **keywords)

    return _with_iterators(call_method, function)


def _method_of_class(function: Any) -> Callable[..., Any]:
    """``list.append`` and the like, past what a user's class makes of it."""

    def run(owner: object, /, *arguments: object, **keywords: object) -> Any:
        if not isinstance(owner, function.__objclass__):
            return function(owner, *arguments, **keywords)
        form = _watched_method(function.__get__(owner), owner)
        return heap.giving(form, heap.itself)(*arguments, **keywords)

    return run


def _of_all_objects(function: Any, form: Callable[..., Any]) -> Callable[..., Any]:
    """``object.__repr__`` and the like, which would tell of what stands for a value that only a run knows."""

    def run(owner: object, /, *arguments: object, **keywords: object) -> Any:
        staged = heap.staged(owner)
        if has_no_attributes(staged):
            return attribute(staged, function.__name__)(*arguments, **keywords)
        return form(owner, *arguments, **keywords)

    return run


def _method_of(function: Any, owner: Any) -> Callable[..., Any]:
    name = function.__name__
    aliases.use(owner, one_key=name in ("__setitem__", "update"))
    if not isinstance(owner, np.ndarray) and heap.has_form(owner):
        return list_calls.of_form(function, owner)
    if isinstance(owner, (dict, set)):
        function = identities.checking_key(owner, function)
    if isinstance(owner, deque) and name in ("count", "index", "remove"):
        identities.refuse_held(owner)
    if isinstance(owner, type):
        return makers.making_instance(function, owner)
    if isinstance(owner, list):
        state.about_to_change(owner)
        if name in ("__init__", "extend"):
            return functools.partial(list_calls.fill if name == "__init__" else list_calls.extend, owner)
        if name in list_calls.BETWEEN:
            return functools.partial(list_calls.between, owner, function)
        if name == "__iadd__":
            return functools.partial(list_calls.in_place, owner)
        if name in ("insert", "pop", "remove", "index", "count", "sort"):
            return lambda *arguments, **keywords: list_calls.of_list(owner, function, arguments, keywords)
        return makers.making(function) if name == "copy" else function
    if isinstance(owner, np.ndarray):
        if is_array(owner):
            return array_calls.method(function, owner)
        return _keeping(function, owner) if name in _STORING or name in array_calls.IN_PLACE else function
    if isinstance(owner, dict) and name == "update":
        return functools.partial(list_calls.update, owner, function)
    if isinstance(owner, dict) and name == "copy":
        return makers.making(function)
    if isinstance(owner, dict) or (state.is_plain_object(owner) and not has_hidden_state(owner)):
        state.about_to_change(owner)
        return function
    if isinstance(owner, (str, bytes, re.Pattern, re.Match)):
        return makers.making(function)
    if name in _STORING and not isinstance(owner, (deque, bytearray)) and backend_of(owner) is None:
        refusals.refuse_unknown(owner)
    journals = [journal for journal in state.stack() if not journal.outermost]
    if not journals and isinstance(owner, (deque, set, bytearray)):
        state.about_to_change(owner)
    if not journals or backend_of(owner) is not None or effects.is_printing(owner):
        return function
    if isinstance(owner, (*IMMUTABLE, *VIEWS)):
        return effects.checking_iterators(function)
    reading = next((names for kind, names in _READING.items() if isinstance(owner, kind)), None)
    if (reading is not None and name in reading) or any(journal.is_created(owner) for journal in journals):
        return function
    if reading is None or any(journal.is_early(owner) for journal in journals):
        raise _refused(owner, name)
    state.about_to_change(owner)
    return function


def _keeping(function: Any, owner: Any) -> Callable[..., Any]:
    """A method that stores into an object of which no journal knows what it holds."""
    refusals.refuse_unknown(owner)

    def store(*arguments: object, **keywords: object) -> Any:
        for each in (*arguments, *keywords.values()):
            refusals.refuse_kept(owner, function.__name__, each)
        return function(*arguments, **keywords)

    return store


def _check_hidden_state(owner: object, name: str) -> None:
    """Refuses a method of the standard library that may change what only the object itself can see."""
    journals = [journal for journal in state.stack() if not journal.outermost]
    if not journals or isinstance(owner, (type, list, dict, *IMMUTABLE)) or not has_hidden_state(owner):
        return
    if not any(journal.is_created(owner) for journal in journals):
        raise _refused(owner, name)


def _refused(owner: object, name: str) -> MutationError:
    kind = type(owner).__name__
    return MutationError(
        f"`{kind}.{name}` in a staged branch or loop may change a {kind}; a graph can't carry that change",
        **where(),
        construct=f"{kind}.{name}",
        remedy=effects.instead_of(owner)
        or "make the change outside, use a list, a dict, an attribute or a variable, or tf.py_function",
    )
