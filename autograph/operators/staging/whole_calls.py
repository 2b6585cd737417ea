"""Control flow as functions, in a trace without conversion: changes of Python objects are followed for one call."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from autograph.errors import MutationError
from autograph.runtime.tensors.trace import executing_eagerly

from .control.errors import where
from .heap import array_memory, heap
from .heap.locations import name_of
from .heap.state import Journal, forget, stack

Form = TypeVar("Form", bound=Callable[..., Any])


def following_changes(function: Form) -> Form:
    """A form of control flow that may also stand in a trace where nobody else follows changes."""

    @wraps(function)
    def followed(*arguments: object, **keywords: object) -> Any:
        if stack() or executing_eagerly():
            return function(*arguments, **keywords)
        journal = _Whole(())
        try:
            with journal:
                result = function(*arguments, **keywords)
                journal.check()
                return result
        finally:
            forget()

    return cast(Form, followed)


class _Whole(Journal):
    """The journal of one call."""

    outermost = True
    around_unconverted = True

    def check(self) -> None:
        """Refuses what code after the call, which is not converted, would not see.

        Raises:
            MutationError: a list, dict or array of the program has become a staged one.
        """
        arrays = [each.memory for each in array_memory.forms() if each.is_changed]
        for changed in (*heap.with_forms(), *[each for each in arrays if isinstance(each, np.ndarray)]):
            if not self.is_created(changed):
                kind = "NumPy array" if isinstance(changed, np.ndarray) else type(changed).__name__
                name = name_of(changed)
                raise MutationError(
                    f"a {kind}{f' (`{name}`)' if name else ''} is changed in a staged branch or loop, and the code "
                    "around that, which is not converted, can't use what it becomes",
                    **where(),
                    construct=name or kind,
                    remedy="return the values from the branch or the body, use a tf.TensorArray, or convert the "
                    "function (autograph=True)",
                )

    def undo_after(self, error: BaseException) -> None:
        """The code around the call is plain Python: what has been changed stays so."""
