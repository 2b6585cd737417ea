"""What to write where Python asks a graph tensor for its value: the front half tells why the code is not converted."""

from __future__ import annotations

import os
import sys
from types import CodeType, FrameType

from autograph.errors import StagedValueError

from ..base.places import is_user_file, user_code
from . import undelivered
from .front_half import WHY_NOT_CONVERTED
from .tensor import NO_VALUE, SymbolicTensor, refused

_STANDARD_LIBRARY = os.path.dirname(os.__file__) + os.sep


def is_converted(code: CodeType) -> bool:
    """Whether a code object is known to be the result of a conversion."""
    return WHY_NOT_CONVERTED.function(code) == ""


@NO_VALUE.give
def no_value(tensor: SymbolicTensor, how: str, instead: str, purpose: str = "") -> StagedValueError:
    """The error of code that asks a graph tensor for its value: how, and what to write instead.

    ``purpose``: what converting the code would serve, where it would.
    """
    message = f"the graph tensor {tensor} is used {how}: its value is known only when the graph runs"
    return undelivered.note(refused(message, how, _remedy(purpose, instead) if purpose else instead))


def _remedy(purpose: str, instead: str) -> str:
    """The remedy for the code of the user that is running: to convert it, for a purpose, or to write something else."""
    found = user_code()
    reason = None if found is None else WHY_NOT_CONVERTED.function(found[0])
    if reason is None:
        caller = _library_caller()
        if caller is not None:
            return f"`{caller}` calls this function as it is, unconverted: call it in converted code, or {instead}"
        return f"convert the function (tf.function, to_graph) {purpose}, or {instead}"
    return f"{reason}; or {instead}" if reason else instead


def _library_caller() -> str | None:
    """The function of the standard library that has called the user's innermost function, if one has."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_user_file(frame.f_code.co_filename):
        frame = frame.f_back
    code = None if frame is None or frame.f_back is None else frame.f_back.f_code
    if code is None or not code.co_filename.startswith(_STANDARD_LIBRARY) or "-packages" in code.co_filename:
        return None
    module = code.co_filename[len(_STANDARD_LIBRARY) :].removesuffix(".py").removesuffix("/__init__")
    return f"{module.replace(os.sep, '.')}.{code.co_qualname}"
