"""A value that may be missing at run time: a variable that may be undefined, or hold None."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from autograph.errors import AutographError, StagedAttributeError, UndefinedVariableError
from autograph.runtime.ops.text.text import Optional, layout_of
from autograph.runtime.tensors import trace_text

from ...variables import UNDEFINED, Undefined
from .. import asked
from ..control.assigned import in_some_runs
from ..control.errors import require, where


class Maybe:
    """A value with a flag that says at run time whether it is there; else it is `missing` (None or UNDEFINED).

    Reading a variable through `ag__.ld` unwraps what may be undefined, and `x is None` asks for the flag. Any other
    use takes the value, after a check that is part of the graph: it raises what Python would have raised. Its own
    attributes have names that no program has, as `best.value` is the value's.
    """

    __tensor_priority__ = 1
    __slots__ = ("ag__flag", "ag__missing", "ag__name", "ag__value")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, missing: Undefined | None, flag: Any, value: object, name: str = "") -> None:
        self.ag__missing = missing
        self.ag__flag = flag
        self.ag__value = value
        self.ag__name = name

    def ag__checked(self, use: str = "is used") -> Any:
        """The value; at run time an error when it is missing."""
        value = self.ag__present(use)
        return value.ag__checked(use) if isinstance(value, Maybe) else value

    def ag__present(self, use: str = "is used") -> Any:
        """The same, where the value itself may be missing in the other way: a variable that is set may hold None."""
        name = self.ag__name
        if self.ag__missing is UNDEFINED:
            error: AutographError
            remedy = f"give `{name}` a value before the branch or loop, or in every branch"
            if name.isidentifier():
                message = f"cannot access local variable {name!r} where it is not associated with a value"
                error = UndefinedVariableError(message + in_some_runs(name), **where(), remedy=remedy)
            else:
                error = StagedAttributeError(f"`{name}` is not set{in_some_runs(name)}", **where(), remedy=remedy)
            require(self.ag__flag, error)
        else:
            require(self.ag__flag, TypeError(f"{f'`{name}`' if name else 'a value'} is None, and {use}"))
        return self.ag__value

    def __tensor__(self) -> Any:
        return self.ag__checked()

    def __text_layout__(self, tensors: list[Any]) -> Any:
        if self.ag__missing is UNDEFINED:
            return layout_of(self.ag__checked("is formatted"), tensors)
        tensors.append(self.ag__flag)
        return Optional(len(tensors) - 1, layout_of(self.ag__value, tensors))

    def __repr__(self) -> str:
        trace_text.check("a value that may be missing")
        missing = "undefined" if self.ag__missing is UNDEFINED else None
        return f"<{self.ag__name or 'value'}: {missing} or {self.ag__value!r}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(f"a value that may be missing has no attribute {name!r}")
        return getattr(self.ag__checked(f"its attribute `{name}` is read"), name)

    def __call__(self, *arguments: object, **keywords: object) -> Any:
        return self.ag__checked("is called")(*arguments, **keywords)

    def __eq__(self, other: object) -> Any:
        return asked.MAYBE_EQUAL.function(self, other)

    def __ne__(self, other: object) -> Any:
        return asked.NOT.function(asked.MAYBE_EQUAL.function(self, other))


def _forward(name: str, function: Callable[..., Any], use: str) -> None:
    def method(self: Maybe, *others: object) -> Any:
        return function(self.ag__checked(use), *others)

    setattr(Maybe, name, method)


def _forward_reflected(name: str, function: Callable[[Any, Any], Any], use: str) -> None:
    def method(self: Maybe, other: object) -> Any:
        return function(other, self.ag__checked(use))

    setattr(Maybe, name, method)


_BINARY = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@",
    "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
}  # fmt: skip
_OTHERS = {
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "neg": "-", "pos": "+", "abs": "abs()", "invert": "~",
    "getitem": "[]",
}  # fmt: skip
for _name, _symbol in _BINARY.items():
    _function = getattr(operator, f"{_name}_" if _name in ("and", "or") else _name)
    _forward(f"__{_name}__", _function, f"is an operand of {_symbol}")
    _forward_reflected(f"__r{_name}__", _function, f"is an operand of {_symbol}")
for _name, _symbol in _OTHERS.items():
    _forward(f"__{_name}__", getattr(operator, _name), f"is an operand of {_symbol}")
_forward("__bool__", bool, "is used as a bool")
_forward("__iter__", iter, "is iterated over")
_forward("__len__", len, "is used with len()")
_forward("__int__", int, "is used with int()")
_forward("__float__", float, "is used with float()")
_forward("__index__", operator.index, "is used as an index")
