"""Whether Python says of plain numbers what an operator says of the staged ones that stand for them.

``n + "a"``, ``2[n]``, ``len(n)`` and ``n.foo`` are errors of every run that gets there, however the graph is built:
where a branch does them, they belong to the branch. ``"a" * n`` and ``len(text)`` are not: Python has an answer, and
only the graph has none. Which of both it is, the operation itself tells: it is tried with a Python number and with an
eager tensor in place of each staged scalar. That runs nothing of the user's, as the other operands are plain values.
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Sequence
from inspect import CO_VARARGS
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, NoneType
from typing import Any

import numpy as np

from autograph.runtime.base import dtypes
from autograph.runtime.tensors import trace, undelivered
from autograph.runtime.tensors.tensor import EagerTensor, SymbolicTensor

from ... import arithmetic, attributes, logical, stores
from ..heap import heap
from ..values import iterables
from . import origins

_PLAIN = frozenset((int, float, bool, complex, str, bytes, NoneType, type, FunctionType, BuiltinFunctionType))
_MOST = 1000
"""The most elements of a tensor that is tried."""

_OPERATORS: dict[CodeType, tuple[Callable[[dict[str, Any]], Callable[..., Any]], tuple[str, ...]]] = {
    arithmetic.add.__code__: (operator.itemgetter("native"), ("left", "right")),
    arithmetic.iadd.__code__: (lambda given: getattr(operator, given["binary"].__name__), ("left", "right")),
    arithmetic.lt.__code__: (lambda given: getattr(operator, given["name"]), ("left", "right")),
    arithmetic.neg.__code__: (operator.itemgetter("native"), ("value",)),
    stores.get_item.__code__: (lambda _: operator.getitem, ("container", "index")),
    stores.set_item.__code__: (lambda _: operator.setitem, ("container", "index", "value")),
    logical.in_.__code__: (lambda _: operator.contains, ("container", "item")),
    attributes.get_attribute.__code__: (lambda _: getattr, ("obj", "name")),
    iterables.Rows.__init__.__code__: (lambda _: iter, ("tensor",)),
    SymbolicTensor.__iter__.__code__: (lambda _: iter, ("self",)),
}
"""The operators by their code, each with what Python calls it and the names of its operands."""

_BUILTINS = frozenset((
    all, any, bool, complex, divmod, enumerate, float, getattr, hasattr, int, isinstance, iter, len, list, map, max,
    min, pow, range, reversed, round, set, sorted, sum, tuple, zip,
))  # fmt: skip
"""The built-in functions that change nothing; what stands for one is `name_`."""

_CALLING = heap.giving(len).__code__


def is_refusal(error: BaseException) -> bool:
    """Whether no code of the user's may see an exception, and it ends the trace rather than wait for a run."""
    if not origins.is_refusal(error):
        return False
    if not _is_error_of_python(error):
        return True
    undelivered.disown(error)
    return False


def _is_error_of_python(error: BaseException) -> bool:
    """Whether an operation raises in a run, too, what it has raised for staged operands."""
    if not isinstance(error, (TypeError, AttributeError)):
        return False
    operations = filter(None, (_operation(frame) for frame, _ in reversed(origins.library_frames(error))))
    innermost = next(operations, None)
    if innermost is None:
        return False
    function, operands = innermost
    notes = undelivered.noted()
    with trace.building(None):
        found = all(_raises(function, [sample(each) for each in operands], error) for sample in (_number, _eager))
    undelivered.only(notes)
    return found


def _operation(frame: FrameType) -> tuple[Callable[..., Any], Sequence[Any]] | None:
    """What Python calls the operator that a frame runs, and its operands."""
    known = _OPERATORS.get(frame.f_code)
    if known is not None:
        function, names = known
        return function(frame.f_locals), [frame.f_locals[name] for name in names]
    name = frame.f_code.co_name
    if frame.f_code is _CALLING:
        return _call(frame.f_locals)
    form = frame.f_globals.get(name)
    builtin: Any = vars(builtins).get(name.removesuffix("_"))
    if builtin in _BUILTINS and isinstance(form, FunctionType) and form.__code__ is frame.f_code:
        return builtin, _arguments(form, frame.f_locals)
    return None


def _call(given: dict[str, Any]) -> tuple[Callable[..., Any], Sequence[Any]] | None:
    """A call that is done as it stands: of a tensor, which no run can call, or of a function that changes nothing."""
    function, arguments = given["function"], given["arguments"]
    if given["keywords"] or not (isinstance(function, SymbolicTensor) or any(function is each for each in _BUILTINS)):
        return None
    return operator.call, (function, *arguments)


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


def _raises(function: Callable[..., Any], operands: list[tuple[Any] | None], error: BaseException) -> bool:
    if None in operands:
        return False
    try:
        function(*(each for found in operands if found is not None for each in found))
    except (TypeError, AttributeError) as said:
        return isinstance(said, AttributeError) == isinstance(error, AttributeError)
    except Exception:
        return False
    return False


def _number(operand: Any) -> tuple[Any] | None:
    """An operand of Python, or one of the type that a staged one stands for; None where there is no telling."""
    if type(operand) is slice:
        parts = [_number(each) for each in (operand.start, operand.stop, operand.step)]
        return None if None in parts else (slice(*[part[0] for part in parts if part is not None]),)
    if not isinstance(operand, SymbolicTensor):
        is_plain = type(operand) in _PLAIN and (not isinstance(operand, type) or operand.__module__ == "builtins")
        return (operand,) if is_plain else None
    if operand.python in (int, float, bool, complex, str):
        return (operand.python(1),)
    shape = [size or 0 for size in operand.static_shape or ()]
    if not origins.is_sure(operand) or math.prod(shape) > _MOST:
        return None
    array = np.full(shape, "1", np.object_) if operand.dtype is dtypes.string else np.ones(shape, operand.dtype.numpy)
    return (array if shape else array.item(),)


def _eager(operand: Any) -> tuple[Any] | None:
    """As `_number`, with an eager tensor in place of a tensor that does not stand for a number of Python's."""
    found = _number(operand)
    if found is None or not isinstance(operand, SymbolicTensor) or operand.python is not None:
        return found
    return (EagerTensor(np.asarray(found[0], operand.dtype.numpy)),)
