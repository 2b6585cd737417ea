"""Tensors that stand for one of several variables.

Where a condition chooses between variables, the choice is a tensor with the value that the variable has. In Python it
would be the variable itself, which follows later assignments. So the tensor may not be used after one.
"""

from __future__ import annotations

import weakref
from typing import Any, NoReturn

from autograph.errors import StagingError

from ..tensors import trace
from ..tensors.tensor import SymbolicTensor

__all__ = ["forbid_choices", "note_choice"]


def note_choice(tensor: object, variable: Any) -> None:
    """Remember that a tensor may stand for a variable."""
    if isinstance(tensor, SymbolicTensor):
        choices = variable.choices
        choices[:] = [reference for reference in choices if reference() is not None]
        choices.append(weakref.ref(tensor))


def forbid_choices(variable: Any) -> None:
    """Make every further use of tensors that may stand for a variable an error: it is about to change."""
    for reference in variable.choices:
        tensor = reference()
        if tensor is not None:
            tensor.value = _Outdated(variable.name)
    variable.choices.clear()


class _Outdated:
    """In the place of the value of a tensor that may not be used any more."""

    __slots__ = ("_message", "_where")

    def __init__(self, name: str) -> None:
        self._where = trace.user_location()
        self._message = (
            f"a condition on a graph tensor chose between the variable {name!r} and something else, {name!r} is "
            "changed here, and the choice is used again afterwards; a graph can't tell whether it has changed too"
        )

    def __getattr__(self, name: str) -> NoReturn:
        file, line, function = self._where if self._where is not None else (None, None, None)
        raise StagingError(
            self._message, file=file, line=line, function=function, construct="tf.Variable",
            remedy="choose between values, as by v.value(), or use the variables themselves under the condition",
        )  # fmt: skip
