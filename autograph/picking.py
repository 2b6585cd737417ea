"""What `to_graph` and `convert` return: functions that run the form that fits, staged in a trace, else plain.

Users put them where other code finds them, also in the place of a function of the standard library, which autograph
may use itself: `linecache.getlines = to_graph(linecache.getlines)`. Were it the converted form that autograph then
runs, converting it would need it converted, and what a trace does for itself would become a part of the trace. So the
form of a function of the library serves the user's code, and code that is converted; autograph, and library code that
is not converted, get the original. That can be seen only in a trace: elsewhere both do the same.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType, FunctionType
from typing import Any

from .marks import Form, Original, marked
from .operators.data_model.left_alone import in_library, is_left_alone
from .operators.dispatch import READ, beginning, run
from .pipeline import is_converted
from .tracebacks import trim


def picking(entity: Any, function: FunctionType, bound: Callable[[FunctionType], Form]) -> Form:
    """A function that runs the form of ``function`` that fits; ``bound`` makes of a form what ``entity`` is of it.

    Each form is made when it is first needed.
    """
    original = Original(entity, function, bound)

    def converted(*args: object, **kwargs: object) -> Any:
        staged = beginning()
        form = original.forms.get(staged)
        if staged == READ:  # by Dynamo, which makes nothing of tracebacks
            return form(*args, **kwargs)  # type: ignore[misc]
        try:
            if form is None:
                form = original.form(staged is True)
            if staged is True:
                return run(form, args, kwargs)
            return form(*args, **kwargs)
        except Exception as error:
            if error.__class__ is not RecursionError:  # there may be no room to call anything
                trim(error)
            raise

    def of_library(*args: Any, **kwargs: Any) -> Any:
        try:
            if is_of_library(sys._getframe().f_back):
                return entity(*args, **kwargs)
            staged = beginning()
            form = original.form(bool(staged))
            return run(form, args, kwargs) if staged else form(*args, **kwargs)
        except Exception as error:
            if error.__class__ is not RecursionError:
                trim(error)
            raise

    def is_of_library(caller: FrameType | None) -> bool:
        if caller is None:  # the interpreter calls: it ends, or begins a thread
            return True
        return in_library(caller.f_globals) and not is_converted(caller.f_code, False)

    made = of_library if is_left_alone(function) else converted
    return marked(made, entity, original)
