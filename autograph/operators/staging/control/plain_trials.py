"""Whether Python says of plain values what an operation says of the staged ones that stand for them.

``n + "a"``, ``2[n]``, ``len(n)``, ``[1].append(1, n)`` and ``n.foo`` are errors of every run that gets there, however
the graph is built: where a branch does them, they belong to the branch. ``"a" * n`` and ``len(text)`` are not: Python
has an answer, and only the graph has none. Which of both it is, the operation itself tells: it is tried with a Python
number and with an eager tensor in place of each staged scalar. That runs nothing of the user's, and changes nothing, as
the other operands are plain values or copies of containers. Of a call, the signature tells whether it ever fits.
"""

from __future__ import annotations

import builtins
import dis
import inspect
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from inspect import CO_VARARGS
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, MethodType
from typing import Any, NamedTuple

import numpy as np

from autograph.errors import AutographError, InvalidTypeError
from autograph.runtime.functions.function import Function
from autograph.runtime.tensors import trace, undelivered
from autograph.runtime.tensors.tensor import SymbolicTensor, Tensor

from ... import arithmetic, attributes, logical, stores
from ..values import iterables
from ..values.chosen import Chosen
from ..values.maybe import Maybe
from . import origins
from .samples import DTYPES, NoSample, Sampler

_OPERATORS: dict[CodeType, tuple[Callable[[dict[str, Any]], Callable[..., Any]], tuple[str, ...]]] = {
    arithmetic.add.__code__: (operator.itemgetter("native"), ("left", "right")),
    arithmetic.iadd.__code__: (
        lambda given: getattr(operator, f"i{given['binary'].__name__.rstrip('_')}"),
        ("left", "right"),
    ),
    arithmetic.lt.__code__: (lambda given: getattr(operator, given["name"]), ("left", "right")),
    arithmetic.neg.__code__: (operator.itemgetter("native"), ("value",)),
    stores.get_item.__code__: (lambda _: operator.getitem, ("container", "index")),
    attributes.get_subscript.__code__: (lambda _: operator.getitem, ("container", "index")),
    Tensor.__getitem__.__code__: (lambda _: operator.getitem, ("self", "key")),
    stores.set_item.__code__: (lambda _: operator.setitem, ("container", "index", "value")),
    stores.delete_item.__code__: (lambda _: operator.delitem, ("container", "index")),
    logical.in_.__code__: (lambda _: operator.contains, ("container", "item")),
    attributes.get_attribute.__code__: (lambda _: getattr, ("obj", "name")),
    iterables.Rows.__init__.__code__: (lambda _: iter, ("tensor",)),
    SymbolicTensor.__iter__.__code__: (lambda _: iter, ("self",)),
    SymbolicTensor.__index__.__code__: (lambda _: operator.index, ("self",)),
}
"""The operators by their code, each with what Python calls it and the names of its operands."""

_STORES = stores.SETTING | {attributes.set_attribute.__code__, attributes.delete_attribute.__code__}
"""What sets and deletes attributes."""

_BUILTINS = frozenset((
    abs, all, any, bin, bool, bytearray, bytes, callable, chr, complex, dict, dir, divmod, enumerate, filter, float,
    format, frozenset, getattr, hasattr, hash, hex, int, isinstance, issubclass, iter, len, list, map, max, min, next,
    oct, ord, pow, range, reversed, round, set, slice, sorted, str, sum, tuple, type, vars, zip,
))  # fmt: skip
"""The built-in functions that change nothing; what stands for one is `name_`."""

_LOOKING = frozenset((getattr, hasattr, isinstance, issubclass, str, type, vars, dir))
"""Those that tell objects from others by more than the methods of operators."""

_METHODS_OF = (list, dict, set, str, bytes, tuple, frozenset, range, int, float)
_PURE_MODULES = ("_operator", "math", "cmath")
_NEVER = ("BEFORE_WITH", "BEFORE_ASYNC_WITH", "LOAD_SPECIAL", "DICT_UPDATE", "DICT_MERGE", "STORE_ATTR", "DELETE_ATTR",
          "GET_AWAITABLE", "GET_AITER")  # fmt: skip
"""Instructions that ask of a value what neither numbers nor tensors nor lists are: a context manager, and such."""
_OWN_NAMES = re.compile(r"\w+_\(\)|ListMethods|Staged\w+|SymbolicTensor|<locals>\.run\b")
"""What texts of Python's about our own functions and classes name, which no user knows."""
_SIGNED = (FunctionType, BuiltinFunctionType, type, type(np.sum))
"""The kinds of functions whose signatures can be trusted."""
_ERRORS = (TypeError, AttributeError)
_KINDS = (*_ERRORS, IndexError, ValueError)
_UNKNOWN = object()
_VERDICT = "_autograph_refusal"
"""Marks a refusal: what tells that it is one may be taken back while it passes."""


class _Call(NamedTuple):
    function: Any
    arguments: Sequence[Any]
    keywords: dict[str, Any]


def is_refusal(error: BaseException) -> bool:
    """Whether no code of the user's may see an exception, and it ends the trace rather than wait for a run."""
    if _VERDICT in vars(error):
        return True
    if not origins.is_refusal(error):
        return False
    said = _said_by_python(error) if isinstance(error, _ERRORS) else None
    if said is None:
        if isinstance(error, _ERRORS):
            vars(error)[_VERDICT] = True
        return True
    undelivered.disown(error)
    if not isinstance(error, AutographError) and error.args and _OWN_NAMES.search(str(error.args[0])):
        error.args = said.args
    return False


def _said_by_python(error: BaseException) -> BaseException | None:
    """What an operation raises in a run, too, in place of what it has raised for staged operands."""
    frames = [frame for frame, _ in origins.library_frames(error)]
    if not frames:
        return error if _is_no_such_thing(error) else None
    if isinstance(error, AttributeError) and _is_store(frames[-1]):  # which no value decides about
        return error
    if _is_of_an_op(error, frames):
        return error
    notes = undelivered.noted()
    with trace.building(None):
        calls = [call for frame in frames for call in _calls(frame)]
        found = next(filter(None, map(_misfit, calls)), None)
        if found is None:
            operation = next(filter(None, (_operation(frame) for frame in reversed(frames))), None)
            found = None if operation is None else _tried(operation, error)
    undelivered.only(notes)
    return found


def _is_no_such_thing(error: BaseException) -> bool:
    """Whether an instruction of the user's code takes a value for what it is in no run."""
    entry = error.__traceback__
    while entry is not None and entry.tb_next is not None:
        entry = entry.tb_next
    if entry is None or "Maybe" in str(error) or "Chosen" in str(error):
        return False
    name = dis.opname[entry.tb_frame.f_code.co_code[entry.tb_lasti]]
    return name in _NEVER or "object is not callable" in str(error) or "must be a mapping, not" in str(error)


def _is_of_an_op(error: BaseException, frames: list[FrameType]) -> bool:
    """Whether a function for tensors takes none of these dtypes and shapes, which they have in all runs."""
    if not isinstance(error, InvalidTypeError) or any(each.f_code in _OPERATORS for each in frames):
        return False
    called = [call.function for frame in frames for call in _calls(frame)]
    own = any(_module_of(each).startswith("autograph.runtime.ops.") for each in called)
    return own and all(origins.is_sure(each) for frame in frames for each in origins.staged_values(frame))


def _calls(frame: FrameType) -> Iterator[_Call]:
    """The call that a frame does as it stands, if any."""
    given = frame.f_locals
    name = next((each for each in ("function", "cls", "replacement") if each in given), None)
    if name is not None and {"arguments", "keywords"}.issubset(given):
        function = given[name]
        if _module_of(function).startswith("autograph.operators."):
            function = _builtin(getattr(function, "__name__", ""))
        if function is not _UNKNOWN:
            yield _Call(function, given["arguments"], given["keywords"])


def _module_of(function: object) -> str:
    module = getattr(function, "__module__", None)
    return module if isinstance(module, str) else ""


def _builtin(name: str) -> Any:
    """The built-in function for which one of that name stands."""
    return vars(builtins).get(name.removesuffix("_"), _UNKNOWN) if name.endswith("_") else _UNKNOWN


def _builtin_in(frame: FrameType) -> Any:
    """The built-in function for which the one stands that a frame runs."""
    form = frame.f_globals.get(frame.f_code.co_name)
    is_form = isinstance(form, FunctionType) and form.__code__ is frame.f_code
    return _builtin(frame.f_code.co_name) if is_form else _UNKNOWN


def _is_store(frame: FrameType) -> bool:
    return frame.f_code in _STORES or _builtin_in(frame) in (setattr, delattr)


def _misfit(call: _Call) -> BaseException | None:
    """What Python raises of a call by the function and the number and names of arguments alone."""
    function, arguments, keywords = call
    if isinstance(function, (Maybe, Chosen)):
        return None
    if not callable(function):
        name = "int" if isinstance(function, SymbolicTensor) else type(function).__name__
        return TypeError(f"'{name}' object is not callable")
    if isinstance(function, Function):
        function = function.python_function
    inner = function
    while isinstance(inner, (partial, MethodType)):
        inner = inner.func if isinstance(inner, partial) else inner.__func__
    if not isinstance(inner, _SIGNED) or (isinstance(inner, (FunctionType, type)) and "__signature__" in vars(inner)):
        return None
    try:
        signature = inspect.signature(function, follow_wrapped=False)
    except (TypeError, ValueError):
        return None
    try:
        signature.bind(*arguments, **keywords)
    except TypeError as error:
        return TypeError(f"{getattr(inner, '__name__', '')}() can't be called so: {error}")
    return None


def _operation(frame: FrameType) -> _Call | None:
    """What Python calls the operator or the function without effects that a frame runs, with its operands."""
    known = _OPERATORS.get(frame.f_code)
    if known is not None:
        function, names = known
        return _Call(function(frame.f_locals), [frame.f_locals[name] for name in names], {})
    builtin = _builtin_in(frame)
    if _is_pure(builtin):
        return _Call(builtin, _arguments(frame.f_globals[frame.f_code.co_name], frame.f_locals), {})
    return next((call for call in _calls(frame) if _is_pure(call.function)), None)


def _is_pure(function: object) -> bool:
    """Whether a call changes nothing but what it is a method of, and runs no code but that of operators."""
    if any(function is each for each in _BUILTINS) or isinstance(function, np.ufunc):
        return True
    if not isinstance(function, BuiltinFunctionType):
        return False
    return type(function.__self__) in _METHODS_OF or _module_of(function) in _PURE_MODULES


def _arguments(function: FunctionType, variables: dict[str, Any]) -> list[Any]:
    """The positional arguments of a call, but for those at the end that are the defaults."""
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + 1]
    given = [variables[name] for name in names[: code.co_argcount]]
    if code.co_flags & CO_VARARGS:
        return [*given, *variables[names[-1]]]
    while defaults and given and given[-1] is defaults[-1]:
        given, defaults = given[:-1], defaults[:-1]
    return given


def _tried(call: _Call, error: BaseException) -> BaseException | None:
    """What a call raises of plain values of all kinds that its staged operands may stand for, when that is an error of
    the kind at hand."""
    first: BaseException | None = None
    for eager in (False, True):
        for dtype in DTYPES:
            sampler = Sampler(eager, dtype, not any(call.function is each for each in _LOOKING))
            said = _raised(call, sampler)
            if said is None or not any(isinstance(said, kind) and isinstance(error, kind) for kind in _KINDS):
                return None
            first = first or said
            if sampler.is_sure:
                break
    return first


def _raised(call: _Call, sampler: Sampler) -> BaseException | None:
    function = call.function
    try:
        owner = getattr(function, "__self__", None)
        arguments = [sampler(each) for each in call.arguments]
        keywords = {name: sampler(each) for name, each in call.keywords.items()}
        if any(isinstance(each, FunctionType) for each in keywords.values()):
            return None
        if type(owner) in _METHODS_OF:
            function = getattr(sampler(owner), function.__name__)
    except (NoSample, TypeError):
        return None
    try:
        function(*arguments, **keywords)
    except Exception as said:
        return said.with_traceback(None)
    return None
