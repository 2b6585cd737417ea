"""Calls that only show something, such as `print` and `logging.info`, while a function is traced: each shows once.

See `functions.repetitions`. Where such a call is a repetition, it does all the same but show: arguments are formatted.
"""

from __future__ import annotations

import functools
import logging
import sys
import warnings
from collections.abc import Callable
from typing import Any

from autograph.runtime.functions import repetitions
from autograph.runtime.tensors.trace_text import calls_libraries

from ...data_model.raw_attributes import raw_attribute

_LOGGING = frozenset(["critical", "debug", "error", "exception", "fatal", "info", "log", "warn", "warning"])
_STREAMS = frozenset(("write", "writelines"))
_WARNINGS = frozenset(("warn", "warn_explicit"))
_FILES: dict[str, dict[str, tuple[str, int]]] = {
    "pprint": {"pprint": ("stream", 1), "pp": ("stream", 1)},
    "traceback": {
        "print_exc": ("file", 1), "print_exception": ("file", 4), "print_last": ("file", 1), "print_stack": ("file", 2),
        "print_tb": ("file", 2),
    },
}  # fmt: skip
"""Functions of the library that print, by module: the name and the position of their parameter for the file."""
_NAMES = _LOGGING.union(_STREAMS, _WARNINGS, *_FILES.values())

calls_libraries(__file__)


class _Nowhere:
    """A file that keeps nothing."""

    def write(self, text: str) -> int:
        return len(text)

    def writelines(self, lines: Any) -> None:
        for _ in lines:
            pass

    def flush(self) -> None:
        pass


_NOWHERE: Any = _Nowhere()


def printed(write: Callable[[Any], None], file: object) -> None:
    """Prints to a file, once: ``write`` is given that, or one that keeps nothing."""
    target = sys.stdout if file is None else file
    execution = repetitions.execution(target)
    if execution is not None and execution.is_repeated:
        write(_NOWHERE)
        return
    write(file)
    if execution is not None:
        execution.done()


def once(function: object, form: Callable[..., Any]) -> Callable[..., Any]:
    """What to call in place of the form of a function, which is to show something once if that is all it does."""
    name = raw_attribute(function, "__name__")
    if name not in _NAMES:
        return form
    owner = raw_attribute(function, "__self__")
    module = raw_attribute(function, "__module__") or type(owner).__module__
    if name in _STREAMS:
        return _shown_by(form, lambda: [owner], getattr(_NOWHERE, name)) if _is_shown(owner) else form
    if name in _LOGGING and module == "logging":
        return _logged(form, owner)
    if name in _WARNINGS and module in ("warnings", "_warnings"):
        return _shown_by(form, _warning_targets)
    if module == "pprint" and owner is not None:
        return _pretty_printed(form, owner)
    return _printed_to(form, *_FILES[module][name], module) if name in _FILES.get(module, ()) else form


def _is_shown(owner: object) -> bool:
    return owner is not None and any(owner is each for each in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__))


def _shown_by(
    form: Callable[..., Any], targets: Callable[[], list[Any]], otherwise: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """A call that shows something at some targets; a repetition does ``otherwise``, or nothing."""

    def show(*arguments: object, **keywords: object) -> Any:
        execution = repetitions.execution(*targets())
        if execution is not None and execution.is_repeated:
            return otherwise(*arguments, **keywords) if otherwise is not None else None
        result = form(*arguments, **keywords)
        if execution is not None:
            execution.done()
        return result

    return show


def _warning_targets() -> list[Any]:
    show = getattr(warnings, "_showwarnmsg_impl", None)  # a method of the list of `catch_warnings(record=True)`
    return [warnings.showwarning, getattr(show, "__self__", show)]


def _pretty_printed(form: Callable[..., Any], printer: Any) -> Callable[..., Any]:
    return _shown_by(form, lambda: [getattr(printer, "_stream", None) or sys.stdout], printer.pformat)


def _printed_to(form: Callable[..., Any], name: str, position: int, module: str) -> Callable[..., Any]:
    def show(*arguments: object, **keywords: object) -> Any:
        whole = functools.partial(form, *arguments, **keywords)
        given = arguments[position] if len(arguments) > position else keywords.get(name)
        file = given or (sys.stdout if module == "pprint" else sys.stderr)
        if len(arguments) > position:
            arguments = (*arguments[:position], _NOWHERE, *arguments[position + 1 :])
        else:
            keywords[name] = _NOWHERE
        return _shown_by(whole, lambda: [file], lambda: form(*arguments, **keywords))()

    return show


def _logged(form: Callable[..., Any], owner: object) -> Callable[..., Any]:
    """The call itself, as it looks for the frame that makes it; or one that does nothing."""
    execution = repetitions.execution(*_handlers(owner))
    if execution is not None and execution.is_repeated:
        return _nothing
    if execution is not None:
        execution.done()
    return form


def _nothing(*arguments: object, **keywords: object) -> None:
    """Stands for a call that has shown already."""


def _handlers(owner: Any) -> list[Any]:
    """What shows the messages of a logger."""
    logger = logging.root if owner is None else owner
    while isinstance(logger, logging.LoggerAdapter):
        logger = logger.logger
    found: list[Any] = []
    while logger is not None:
        found += logger.handlers
        logger = logger.parent if logger.propagate else None
    return found
