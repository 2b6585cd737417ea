"""What library functions say of staged values that they can't take, in the words of the user."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.errors import AutographError, StagedValueError

from ...data_model.raw_attributes import raw_attribute
from ..control.errors import where

# The classes of staged values, as the errors of Python name them, and what they are to the user.
_CLASSES = {
    "SymbolicTensor": "graph tensor", "StagedList": "staged list", "StagedRange": "staged range", "Maybe":
    "value that may be missing",
}  # fmt: skip


def explaining(form: Callable[..., Any], function: object) -> Callable[..., Any]:
    """`form`, called for a library function, with its errors explained."""

    def called(*arguments: object, **keywords: object) -> Any:
        try:
            return form(*arguments, **keywords)
        except (TypeError, AttributeError) as error:
            raise explained(error, function) from error.__cause__

    return called


def explained(error: Exception, function: object) -> Exception:
    """The error to raise in place of one that a library function has raised: the same, unless it names a class."""
    text = str(error)
    if isinstance(error, AutographError) or not any(name in text for name in _CLASSES):
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
