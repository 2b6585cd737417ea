"""What no code of the user's may catch while a graph is built: refusals, and what tracing itself raises."""

from __future__ import annotations

import sys
from typing import Any

from autograph.errors import ConversionError, StagingError
from autograph.runtime.functions.recursion import Signal
from autograph.runtime.tensors.trace import is_user_file

from ...dispatch import active, open_traces

_REFUSALS = (StagingError, ConversionError, Signal)
_OF_PYTHON = (TypeError, AttributeError)
"""What Python may say of the operation, too."""


def is_refusal(error: BaseException) -> bool:
    """Whether an exception says that there can be no graph, or ends a body of one."""
    is_one = isinstance(error, _REFUSALS)
    if is_one and not isinstance(error, _OF_PYTHON):
        return True
    backend = active() if open_traces else None
    return is_one if backend is None else backend.is_refusal(error)


def replaced(error: BaseException) -> BaseException | None:
    """The refusal in whose place an exception has come that code of the user's raised on its way out: in a ``finally``,
    which sees a state that no run has."""
    if is_refusal(error):
        return None
    before = error.__context__
    while before is not None:
        passed = before.__traceback__
        if is_refusal(before) and passed is not None and is_user_file(passed.tb_frame.f_code.co_filename):
            return before
        before = before.__context__
    return None


def refusals() -> Any:
    """What stands in an ``except`` clause for them: the class of the exception at hand when it is one, else none."""
    error = sys.exc_info()[1]
    return type(error) if error is not None and is_refusal(error) else ()
