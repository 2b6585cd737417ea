"""The functions of `math` on staged numbers: operations of the graph, with the errors that Python raises.

Whole numbers become float64, as Python's are exact; floats keep their dtype. What Python refuses while it computes
(`math.sqrt(-1)`, `math.exp(1000)`) is refused when the graph runs.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from autograph.errors import StagedValueError
from autograph.runtime.base import dtypes
from autograph.runtime.ir.op import OPS, Op
from autograph.runtime.ir.python_math import Fails
from autograph.runtime.tensors.convert import convert_to_tensor

from ...data_model.raw_attributes import raw_attribute
from ..control import conditions
from ..control.errors import require, where
from ..values.specs import as_number
from . import python_builtins
from .staged_values import is_staged, unwrapped
from .text import holds_staged

_DOMAIN = "math domain error"
_RANGE = "math range error"

_TESTS = ("isfinite", "isinf", "isnan")
_ROUNDING = ("ceil", "floor", "trunc")


def _float(value: object) -> Any:
    tensor = convert_to_tensor(unwrapped(value))
    python_builtins.require_one(tensor, "a function of math")
    if tensor.dtype is dtypes.string:
        raise StagedValueError("a function of math takes numbers, not a string", **where(), remedy="write float(x)")
    return tensor if tensor.dtype.is_floating else OPS["cast"](tensor, dtype=dtypes.float64)


def _floats(values: tuple[Any, ...]) -> list[Any]:
    """Tensors of one dtype; Python's own numbers take that of the staged ones."""
    tensors = [_float(value) for value in values if is_staged(value)]
    dtype = dtypes.result_type(*[tensor.dtype for tensor in tensors])
    return [OPS["cast"](_float(value), dtype=dtype) if is_staged(value) else convert_to_tensor(float(value), dtype)
            for value in values]  # fmt: skip


def _all(test: str, values: list[Any]) -> Any:
    return functools.reduce(OPS["logical_and"], [OPS[test](value) for value in values])


def _any_nan(values: list[Any]) -> Any:
    return functools.reduce(OPS["logical_or"], [OPS["isnan"](value) for value in values])


@functools.cache
def _by_ops() -> dict[str, Op]:
    """The functions of floats that are an op each."""
    OPS.load()
    return {record.python.name: record for record in OPS.values() if record.python is not None}


def _computed(record: Op, *arguments: object) -> Any:
    assert record.python is not None
    inputs, fails = _floats(arguments), record.python.fails
    result = record(*inputs)
    if fails is Fails.NEVER:
        return result
    not_number = OPS["logical_and"](OPS["isnan"](result), conditions.not_(_any_nan(inputs)))
    infinite = OPS["logical_and"](OPS["isinf"](result), _all("isfinite", inputs))
    if record is OPS["power"]:
        not_number = OPS["logical_or"](not_number, OPS["logical_and"](infinite, inputs[0] == 0))
    if fails is Fails.WHERE_INFINITE:
        require(conditions.not_(OPS["logical_or"](not_number, infinite)), ValueError(_DOMAIN))
        return result
    require(conditions.not_(not_number), ValueError(_DOMAIN))
    require(conditions.not_(infinite), OverflowError(_RANGE))
    return result


def _log(value: object, *base: object) -> Any:
    inputs = _floats((value, *base))
    for each in inputs:
        require(OPS["logical_or"](each > 0, OPS["isnan"](each)), ValueError(_DOMAIN))
    logarithms = [OPS["log"](each) for each in inputs]
    if not base:
        return logarithms[0]
    require(logarithms[1] != 0, ZeroDivisionError("division by zero"))
    return logarithms[0] / logarithms[1]


def _rounded(name: str, value: object) -> Any:
    tensor = convert_to_tensor(unwrapped(value))
    if tensor.dtype.is_integer:
        python_builtins.require_one(tensor, "a function of math")
        return tensor
    return python_builtins.int_(OPS[name](_float(tensor)))


def _is_close(a: object, b: Any, *, rel_tol: object = 1e-9, abs_tol: object = 0.0) -> Any:
    a, b = _floats((a, b))
    difference = OPS["absolute"](a - b)
    bound = OPS["maximum"](rel_tol * OPS["maximum"](OPS["absolute"](a), OPS["absolute"](b)), abs_tol)
    near = OPS["logical_and"](_all("isfinite", [a, b]), difference <= bound)
    return OPS["logical_or"](a == b, near)


def _whole(name: str, *arguments: object) -> Any:
    tensors = [convert_to_tensor(unwrapped(value)) for value in arguments]
    for tensor in tensors:
        if not tensor.dtype.is_integer:
            raise StagedValueError(f"math.{name}() takes whole numbers, not {tensor.dtype.name}", **where(),
                                   remedy="write int(x)")  # fmt: skip
    return functools.reduce(OPS[name], tensors[1:], OPS["absolute"](tensors[0]))


def _sum(values: object) -> Any:
    return _float(python_builtins.sum_(values))


def _product(values: object, *, start: object = 1) -> Any:
    return python_builtins.reduce_(lambda left, right: left * right, values, start)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: functools.partial(_rounded, name) for name in _ROUNDING},
    **{name: functools.partial(lambda test, value: OPS[test](_float(value)), name) for name in _TESTS},
    **{name: functools.partial(_whole, name) for name in ("gcd", "lcm")},
    "fsum": _sum, "isclose": _is_close, "log": _log, "prod": _product,
}  # fmt: skip
# Their results are Python numbers, which take part in promotion as such; a product is what its factors are.
_GIVE: dict[str, type | None] = {
    **dict.fromkeys((*_TESTS, "isclose"), bool), **dict.fromkeys((*_ROUNDING, "gcd", "lcm"), int), "prod": None
}  # fmt: skip


def _staged(name: str) -> Callable[..., Any] | None:
    """What a function of `math` is on staged numbers."""
    record = _by_ops().get(name)
    return _FUNCTIONS.get(name) if record is None else functools.partial(_computed, record)


def replacement(function: Any) -> Callable[..., Any] | None:
    """What to call in place of a function of `math`; None for all others."""
    if raw_attribute(function, "__self__") is not math:
        return None
    name = function.__name__

    def call(*arguments: object, **keywords: object) -> Any:
        if not holds_staged(arguments) and not holds_staged(keywords):
            return function(*arguments, **keywords)
        staged = _staged(name)
        if staged is None:
            raise StagedValueError(
                f"math.{name}() of a staged value has no operation in graphs",
                **where(),
                construct=f"math.{name}",
                remedy="write it with tf.math and loops, or call it by tf.numpy_function",
            )
        return as_number(staged(*arguments, **keywords), _GIVE.get(name, float))

    return call
