"""Library functions that look at the frames of their callers: in converted code they meet the user's frames alone.

Between the frame of a converted function and that of its caller stand autograph's own, while a function is traced, in
the body of a staged statement, and where plain code calls what `convert` has made. Here they do not count.
"""

from __future__ import annotations

import inspect
import itertools
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from types import BuiltinFunctionType, FrameType
from typing import Any

from autograph.source.generated import is_body
from autograph.tracebacks import HANDING_OVER, is_internal

_FAR = sys.maxsize >> 32  # frames: more than any stack has


def reader(function: object) -> Callable[..., Any] | None:
    """What to call in place of a library function, when it is one of these."""
    known = _READERS.get(id(function))
    return None if known is None else known[1]


def user_frames(frame: FrameType | None) -> Iterator[FrameType]:
    """The frame of a converted function and those of its callers, as they would be without conversion.

    The body of a staged statement has a frame of its own, which stands for that of its function.
    """
    while frame is not None:
        yield frame
        if is_body(frame.f_code):
            frame = _outside(frame.f_back, bodies=True)
            if frame is None:
                return
        frame = _outside(frame.f_back)


def _outside(frame: FrameType | None, bodies: bool = False) -> FrameType | None:
    """The first frame that is not autograph's, nor that of a body when those are to be left out."""
    while frame is not None and (is_internal(frame.f_code.co_filename) or (bodies and is_body(frame.f_code))):
        hands_over = frame.f_code in HANDING_OVER
        frame = frame.f_back
        if hands_over and frame is not None:
            frame = frame.f_back
    return frame


def _at(frame: FrameType, depth: int) -> FrameType | None:
    return next(itertools.islice(user_frames(frame), max(depth, 0), None), None)


def _getframe(depth: int = 0, /) -> FrameType:
    found = _at(sys._getframe(1), depth)
    return sys._getframe(_FAR) if found is None else found  # it has the error for what is too deep


def _getframemodulename(depth: int = 0) -> str | None:
    found = _at(sys._getframe(1), depth)
    return None if found is None else found.f_globals.get("__name__")


def make_class(metaclass: Any, name: object, bases: Any, namespace: Any, **keywords: object) -> Any:
    """``type(name, bases, namespace)``, which takes the class's module from the frame that calls it."""
    caller = _outside(sys._getframe(1))
    module = {} if caller is None else {"__module__": caller.f_globals.get("__name__")}
    return metaclass(name, bases, {**module, **namespace}, **keywords)


def _warn(message: Any, category: object = None, stacklevel: int = 1, source: object = None, **keywords: Any) -> None:
    own = sys._getframe()
    prefixes = keywords.pop("skip_file_prefixes", ())
    frames = user_frames(_outside(own.f_back))
    if prefixes:
        first = next(frames)
        frames = itertools.chain([first], (each for each in frames if not each.f_code.co_filename.startswith(prefixes)))
        stacklevel = max(stacklevel, 2)
    wanted = next(itertools.islice(frames, max(stacklevel - 1, 0), None), None)
    level = _FAR if wanted is None else _levels(own, wanted)
    warnings.warn(message, category, level, source, **keywords)


def _levels(own: FrameType, wanted: FrameType) -> int:
    """The `stacklevel` for a frame, in a call from ``own``; `warnings` doesn't count those of importing."""
    level = 1
    frame: FrameType | None = own
    while frame is not None and frame is not wanted:
        frame = frame.f_back
        name = "" if frame is None else frame.f_code.co_filename
        level += not ("importlib" in name and "_bootstrap" in name)
    return level


def _stack(context: int = 1) -> list[inspect.FrameInfo]:
    return _getouterframes(sys._getframe(1), context)


def _getouterframes(frame: FrameType, context: int = 1) -> list[inspect.FrameInfo]:
    found = []
    for each in user_frames(frame):
        place = inspect.getframeinfo(each, context)
        found.append(inspect.FrameInfo(each, *place, positions=place.positions))
    return found


def _summary(frame: FrameType, limit: int | None) -> traceback.StackSummary:
    frames = user_frames(_outside(frame))
    found = traceback.StackSummary.extract(((each, each.f_lineno) for each in frames), limit=limit)
    found.reverse()
    return found


def _extract_stack(f: FrameType | None = None, limit: int | None = None) -> traceback.StackSummary:
    return _summary(f or sys._getframe(1), limit)


def _format_stack(f: FrameType | None = None, limit: int | None = None) -> list[str]:
    return traceback.format_list(_summary(f or sys._getframe(1), limit))


def _print_stack(f: FrameType | None = None, limit: int | None = None, file: Any = None) -> None:
    traceback.print_list(_summary(f or sys._getframe(1), limit), file=file)


_PAIRS: list[tuple[Any, Callable[..., Any]]] = [
    (sys._getframe, _getframe), (warnings.warn, _warn), (inspect.stack, _stack),
    (inspect.getouterframes, _getouterframes), (traceback.extract_stack, _extract_stack),
    (traceback.format_stack, _format_stack), (traceback.print_stack, _print_stack),
]  # fmt: skip
if sys.version_info >= (3, 12):
    _PAIRS.append((sys._getframemodulename, _getframemodulename))

_READERS = {id(function): (function, replacement) for function, replacement in _PAIRS}
BUILTIN_READERS = [pair for pair in _PAIRS if isinstance(pair[0], BuiltinFunctionType)]
