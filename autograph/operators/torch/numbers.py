"""Numbers of Python's that only the run knows: tensors of one value, which count as Python's numbers do.

With each other they give such numbers again: whole ones in int64, others in float64. With other tensors they take part
as Python's do, whose dtype gives way.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import torch

from autograph.errors import UnimplementedError

from ..staging.heap.locations import where
from .programs import Value, mapped, tensors_in
from .reading import number
from .scopes import Scope

_PYTHON = (bool, int, float, complex)
_SAMPLES: dict[type, Any] = {bool: True, int: 1, float: 1.0, complex: 1j}
_ARITHMETIC = {
    "add": torch.add, "sub": torch.sub, "mul": torch.mul, "floordiv": torch.floor_divide, "mod": torch.remainder,
    "remainder": torch.remainder, "truediv": torch.true_divide, "div": torch.true_divide, "pow": torch.pow,
}  # fmt: skip
_COMPARISONS = {"lt": torch.lt, "le": torch.le, "gt": torch.gt, "ge": torch.ge, "eq": torch.eq, "ne": torch.ne}
_BITS = {"and": torch.bitwise_and, "or": torch.bitwise_or, "xor": torch.bitwise_xor}
_SHIFTS = {"lshift": torch.bitwise_left_shift, "rshift": torch.bitwise_right_shift}
_UNARY = {"neg": torch.neg, "pos": torch.clone, "abs": torch.abs, "invert": torch.bitwise_not}
_DIVISIONS = frozenset(("floordiv", "mod", "remainder", "truediv", "div"))


def called(scope: Scope, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """A function of PyTorch's, of which an argument may be such a number."""
    tensors = [each for _, each in tensors_in((arguments, list(keywords.values())))]
    if not any(scope.trace.kind(each) for each in tensors):
        return scope.call(function, *arguments, **keywords)
    others = [each for each in tensors if scope.trace.kind(each) is None]
    if others:
        return _beside(scope, function, arguments, keywords, others)
    name, is_reflected = _plain_name(getattr(function, "__name__", ""))
    if keywords or not all(type(each) in _PYTHON or scope.trace.kind(each) for each in arguments):
        return scope.call(function, *arguments, **keywords)
    if len(arguments) == 1 and name in _UNARY:
        return _unary(scope, name, arguments[0])
    if len(arguments) == 2:
        left, right = reversed(arguments) if is_reflected else arguments
        return _binary(scope, name, left, right, function)
    return scope.call(function, *arguments, **keywords)


def _plain_name(name: str) -> tuple[str, bool]:
    """The name of an operator, and whether its operands are in reverse order."""
    bare = name.strip("_")
    known = (_ARITHMETIC, _COMPARISONS, _BITS, _SHIFTS, _UNARY)
    if any(bare in each for each in known):
        return bare, False
    if name.startswith("__") and any(bare[1:] in each for each in known):
        return bare[1:], bare[0] == "r"
    names = {"subtract": "sub", "multiply": "mul", "true_divide": "truediv", "rsub": "sub"}
    return names.get(bare, bare), bare == "rsub"


def _kind(scope: Scope, value: Value) -> Any:
    return scope.trace.kind(value) or type(value)


def _unary(scope: Scope, name: str, value: Value) -> Any:
    kind = _kind(scope, value)
    if kind is bool:
        value, kind = number(scope, value, int), int
    result = scope.call(_UNARY[name], value)
    return scope.trace.number(result, float if kind is complex and name == "abs" else kind)


def _binary(scope: Scope, name: str, left: Value, right: Value, function: Callable[..., Any]) -> Any:
    kinds = _kind(scope, left), _kind(scope, right)
    widest = max(kinds, key=_PYTHON.index)
    if name in _COMPARISONS:
        return scope.trace.number(_computed(scope, _COMPARISONS[name], left, right, _wide(widest)), bool)
    if name in _BITS:
        return scope.trace.number(_computed(scope, _BITS[name], left, right, widest), widest)
    if name in _SHIFTS:
        return scope.trace.number(_computed(scope, _SHIFTS[name], left, right, int), int)
    if name not in _ARITHMETIC:
        return scope.call(function, left, right)
    kind = float if name in ("truediv", "div") and widest is not complex else _wide(widest)
    if name in _DIVISIONS:
        _check_divisor(scope, right)
    if name == "pow" and not (type(right) is int and right >= 0):
        raise UnimplementedError(
            "`**` of numbers of which only the run knows the exponent, or with one that is no whole number",
            **where(),
            construct="**",
            remedy="use torch.pow on tensors",
        )
    return scope.trace.number(_computed(scope, _ARITHMETIC[name], left, right, kind), kind)


def _wide(kind: type) -> type:
    return int if kind is bool else kind


def _computed(scope: Scope, function: Callable[..., Any], left: Value, right: Value, kind: type) -> Any:
    return scope.call(function, *(_as_kind(scope, each, kind) for each in (left, right)))


def _as_kind(scope: Scope, value: Value, kind: type) -> Any:
    if not isinstance(value, torch.Tensor):
        return kind(value)
    return value if scope.trace.kind(value) is kind else number(scope, value, kind)


def _check_divisor(scope: Scope, divisor: Value) -> None:
    if isinstance(divisor, torch.Tensor):
        scope.call(torch._assert_async, scope.call(torch.ne, divisor, 0), "ZeroDivisionError: division by zero")
    elif divisor == 0:
        raise ZeroDivisionError("division by zero")


def _beside(
    scope: Scope, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any], others: list[Any]
) -> Any:
    """A function of numbers and other tensors, whose dtypes prevail."""
    heres = [scope.here(each) for each in others]
    if getattr(function, "__name__", "") == "where" and len(heres) > 1:
        heres = heres[1:]

    def beside(each: Value) -> Any:
        kind = scope.trace.kind(each)
        if kind is None:
            return each
        with_sample = [torch.result_type(here, _SAMPLES[kind]) for here in heres]
        return scope.call(torch.Tensor.to, each, reduce(torch.promote_types, with_sample))

    return scope.call(function, *mapped(arguments, beside), **mapped(keywords, beside))

