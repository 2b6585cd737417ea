"""What library functions say of staged values that they can't take, in the words of the user."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.errors import AutographError, StagedValueError
from autograph.runtime.tensors.trace_text import is_of_library

from ...data_model.raw_attributes import raw_attribute
from ..control.errors import where
from ..values.outputs import is_staged

# The classes of staged values, as the errors of Python name them, and what they are to the user.
_CLASSES = {
    "SymbolicTensor": "graph tensor", "StagedList": "staged list", "StagedDict": "staged dict",
    "Elsewhere": "staged list", "StagedRange": "staged range", "Maybe": "value that may be missing",
}  # fmt: skip


def explaining(form: Callable[..., Any], function: object) -> Callable[..., Any]:
    """`form`, called for a library function, with its errors explained."""

    def called(*arguments: object, **keywords: object) -> Any:
        try:
            return form(*arguments, **keywords)
        except (TypeError, AttributeError) as error:
            raise explained(error, function, (*arguments, *keywords.values())) from error.__cause__

    return called


def explained(error: Exception, function: object, arguments: tuple[Any, ...]) -> Exception:
    """The error to raise in place of one that a library function has raised: the same, unless it is because of what is
    staged, whose class it names, or that it has been given."""
    text = str(error)
    if isinstance(error, AutographError):
        return error
    if not any(name in text for name in _CLASSES) and not (_is_raised_in_library(error) and is_staged(arguments)):
        return error
    for name, meaning in _CLASSES.items():
        text = text.replace(f"'{name}' object", meaning).replace(f"'{name}'", meaning).replace(name, meaning)
    name = raw_attribute(function, "__qualname__") or type(function).__name__
    module = raw_attribute(function, "__module__") or ""
    called = f"{module.lstrip('_')}.{name}".removeprefix("builtins.").lstrip(".")
    return StagedValueError(
        f"`{called}` needs a value that is known while the function is traced, not a staged one: {text}",
        **where(),
        construct=called,
        remedy="write it with the functions of tf, or call it by tf.py_function when the graph runs",
    )


def _is_raised_in_library(error: BaseException) -> bool:
    """Whether code of Python's library has raised an error, not what it calls."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and is_of_library(trace.tb_frame.f_code)
