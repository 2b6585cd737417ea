"""What `to_graph` and `convert` return: functions that run the form that fits, staged in a trace, else plain.

Users put them where other code finds them, also in the place of a function of the standard library, which autograph
may use itself: `linecache.getlines = to_graph(linecache.getlines)`. Were it the converted form that autograph then
runs, converting it would need it converted, and what a trace does for itself would become a part of the trace. So the
form of a function of the library serves the user's code, and code that is converted; autograph, and library code that
is not converted, get the original. That can be seen only in a trace: elsewhere both do the same.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import partial, wraps
from types import FrameType, FunctionType
from typing import Any

from .conversion import is_under_way
from .tracebacks import trim

_NAME = "__autograph_original__"

Form = Callable[..., Any]


class Original:
    """What a converted function was made of, and its forms; an attribute of that function."""

    def __init__(self, entity: Any, function: FunctionType, bound: Callable[[FunctionType], Form]) -> None:
        self.entity = entity
        self.function = function
        self.code: Any = None
        self._bound = bound
        self.forms: dict[bool, Form] = {}

    def form(self, staged: bool) -> Form:
        """The staged or plain form; the original where the function is needed to convert itself.

        Raises:
            ConversionError: the function can't be converted.
        """
        found = self.forms.get(staged)
        if found is None:
            if is_under_way(self.function.__code__):
                return self.entity
            found = self.forms[staged] = self._bound(form_of(self.function, staged))
        return found


def form_of(function: FunctionType, staged: bool) -> FunctionType:
    """A function that is converted: the function itself, if it is."""
    from . import pipeline

    return function if pipeline.is_converted(function.__code__, staged) else pipeline.converted(function, staged)


def picking(entity: Any, function: FunctionType, bound: Callable[[FunctionType], Form]) -> Form:
    """A function that runs the form of ``function`` that fits; ``bound`` makes of a form what ``entity`` is of it.

    Each form is made when it is first needed.
    """
    from . import pipeline
    from .operators.calls import in_library, is_left_alone
    from .operators.dispatch import staging

    original = Original(entity, function, bound)
    forms = original.forms

    def converted(*args: Any, **kwargs: Any) -> Any:
        staged = staging()
        form = forms.get(staged)
        try:
            if form is None:
                form = original.form(staged)
            return form(*args, **kwargs)
        except Exception as error:
            if error.__class__ is not RecursionError:  # there may be no room to call anything
                trim(error)
            raise

    def of_library(*args: Any, **kwargs: Any) -> Any:
        try:
            form = entity if is_of_library(sys._getframe().f_back) else original.form(staging())
            return form(*args, **kwargs)
        except Exception as error:
            if error.__class__ is not RecursionError:
                trim(error)
            raise

    def is_of_library(caller: FrameType | None) -> bool:
        if caller is None:  # the interpreter calls: it ends, or begins a thread
            return True
        return in_library(caller.f_globals) and not pipeline.is_converted(caller.f_code, False)

    made = of_library if is_left_alone(function) else converted
    return marked(made, entity, original)


def marked(made: Any, entity: Any, original: Original) -> Any:
    """A converted function that knows what it was made of, and has its name."""
    original.code = made.__code__
    setattr(named_like(made, entity), _NAME, original)
    return made


def original_of(entity: Any) -> Original | None:
    """What a function that `picking` made was made of."""
    mark = getattr(entity, _NAME, None)
    # `functools.wraps` copies attributes: the mark holds only for the function it was made for.
    return mark if isinstance(mark, Original) and mark.code is getattr(entity, "__code__", None) else None


def named_like(wrapper: Any, entity: Any) -> Any:
    """Gives a function the name, documentation and signature of another; a partial has those of its function."""
    named = entity
    while isinstance(named, partial):
        named = named.func
    wraps(named)(wrapper)
    wrapper.__wrapped__ = entity
    if isinstance(entity, partial):
        wrapper.__signature__ = inspect.signature(entity)
    return wrapper
