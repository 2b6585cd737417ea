"""Recursion that only a run ends: a function called again, in a staged body, from a call of itself.

Tracing would go on for ever. The inner call becomes a call of a traced function instead, a graph that calls itself
(see `functions.recursion`). That holds when the inner call has arguments of the same kinds as one further out: equal
Python values, tensors of equal dtype and shape. Otherwise Python values change from call to call, and may end the
recursion; when `PYTHON_LIMIT` calls have not, or an index is out of range in one, the Python numbers that change
become tensors.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from inspect import Parameter
from types import FrameType, FunctionType
from typing import Any

from autograph.runtime.functions import repetitions
from autograph.runtime.functions.arguments import Parameters, key_of
from autograph.runtime.functions.function import Function, part_of_a_trace
from autograph.runtime.functions.recursion import Signal
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.runtime.tensors.tensor import SymbolicTensor

from ..heap.edges import settle
from ..heap.refusals import changed_in_recursion
from ..heap.state import created_with_parts
from ..values.specs import rebuild
from ..values.values import mutables

PYTHON_LIMIT = 40
"""Calls of a function within each other, all in staged bodies, that Python values may tell apart."""


class _Local(threading.local):
    def __init__(self) -> None:
        self.under_way: dict[FunctionType, Function] = {}
        self.callers: list[FrameType] = []
        """The frames that call these, from the outermost on."""


_local = _Local()


class _Endless(Signal):
    """Goes back to the outermost of the calls that only Python numbers tell apart; `values` are the innermost's."""

    def __init__(self, python_function: FunctionType, values: Sequence[Any]) -> None:
        self.python_function = python_function
        self.values = values


def recursive(python_function: FunctionType, form: Callable[..., Any]) -> Callable[..., Any]:
    """What to call, in a staged body, in place of the staged form of a function."""
    frames = _frames_of(form, sys._getframe(2))
    if not frames:
        return form

    def run(*arguments: object, **keywords: object) -> Any:
        parameters = Parameters(python_function)
        values = _named(parameters, parameters.bind(arguments, keywords))
        outer = [_named(parameters, [frame.f_locals.get(name) for name in parameters.names]) for frame in frames]
        if _keys(values) in map(_keys, outer):
            if frames[0] in _local.callers:  # the graph can't be called, as it writes outside: it is traced in place
                raise changed_in_recursion(_mutable_among(parameters, values), python_function)
            _local.callers.append(frames[0])
            try:
                return _call_graph(python_function, arguments, keywords)
            finally:
                _local.callers.pop()
        if len(frames) >= PYTHON_LIMIT and any(_changing(values, each) for each in outer):
            raise _Endless(python_function, values)
        graph = trace.current_graph()
        assert graph is not None
        settle()
        mark, seen = graph.mark(), repetitions.mark()
        try:
            return form(*arguments, **keywords)
        except _Endless as endless:
            changing = _changing(values, endless.values)
            if len(frames) > 1 or endless.python_function is not python_function or not changing:
                raise
        except IndexError as error:
            # The numbers have gone further than a run of the graph lets them.
            changing = _changing(values, outer[0])
            if not changing:
                raise
            if len(frames) > 1:
                raise _Endless(python_function, values) from error
        graph.truncate(mark)
        repetitions.back(seen)
        leaves = [_in_graph(leaf) if i in changing else leaf for i, leaf in enumerate(_leaves(values))]
        positional, keywords = parameters.split(_packed(tuple(values), iter(leaves)))
        return _call_graph(python_function, positional, keywords)

    return run


class _Keywords(dict[str, Any]):
    """What ``**keywords`` holds: values in a dict that is made for each call."""


def _named(parameters: Parameters, values: Sequence[Any]) -> list[Any]:
    kinds = [parameter.kind for parameter in parameters.signature.parameters.values()]
    return [
        _Keywords(value) if kind is Parameter.VAR_KEYWORD and isinstance(value, dict) else value
        for kind, value in zip(kinds, values, strict=True)
    ]


def _mutable_among(parameters: Parameters, values: Sequence[Any]) -> str:
    """The name of a parameter that is given something which can change."""
    named = zip(parameters.names, values, strict=True)
    return next((name for name, value in named if next(mutables(value), None) is not None), "something outside")


def _in_graph(number: object) -> Any:
    """A Python number that the graph is to know."""
    return SymbolicTensor(trace.value_of(convert_to_tensor(number)), type(number))


def _frames_of(form: Callable[..., Any], frame: FrameType | None) -> list[FrameType]:
    """The frames that run a function, from the innermost on."""
    code = getattr(form, "__code__", None)
    found = []
    while frame is not None:
        if frame.f_code is code:
            found.append(frame)
        frame = frame.f_back
    return found


def _call_graph(python_function: FunctionType, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    made = _result_of_graph(python_function, arguments, keywords)
    created_with_parts(made)
    return made


def _result_of_graph(python_function: FunctionType, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    known = _local.under_way.get(python_function)
    if known is not None:
        return known(*arguments, **keywords)
    # It serves this call only: what its variables from outside hold may change until the next.
    made = _local.under_way[python_function] = part_of_a_trace(python_function)
    try:
        with repetitions.repeated():  # the call that is being traced around it has shown what this function shows
            return made(*arguments, **keywords)
    finally:
        del _local.under_way[python_function]


def _keys(values: Sequence[Any]) -> list[Any]:
    return [key_of(value, []) for value in values]


def _changing(values: Sequence[Any], others: Sequence[Any]) -> set[int]:
    """The positions among the leaves of numbers that differ, if nothing else does."""
    one, other = _leaves(values), _leaves(others)
    if len(one) != len(other):
        return set()
    differing = {i for i, (a, b) in enumerate(zip(_keys(one), _keys(other), strict=True)) if a != b}
    numbers = (int, float)
    return differing if all(type(one[i]) in numbers and type(other[i]) in numbers for i in differing) else set()


def _leaves(values: Sequence[Any]) -> list[Any]:
    """The values, with what tuples hold in their place; lists and dicts stay what they are, as they may change."""
    return [leaf for each in values for leaf in _opened(each)]


def _opened(value: object) -> list[Any]:
    if isinstance(value, _Keywords):
        return [*value, *_leaves(list(value.values()))]
    return _leaves(value) if isinstance(value, tuple) else [value]


def _packed(value: object, leaves: Iterator[Any]) -> Any:
    if isinstance(value, _Keywords):
        names = [next(leaves) for _ in value]
        return dict(zip(names, [_packed(each, leaves) for each in value.values()], strict=True))
    if not isinstance(value, tuple):
        return next(leaves)
    parts = [_packed(each, leaves) for each in value]
    return rebuild(type(value), range(len(parts)), parts)
