"""Exceptions that a graph may raise, as JSON.

An exception is ``{"type": "ValueError", "module": "builtins", "name": null, "content": [args, attributes],
"suppress": false, "cause": null}``, where the module is ``"builtins"`` or ``"autograph.errors"``, and the cause another
exception. A class of the user's is not known where a model is loaded: the type is then its nearest known base, and a
class with its name and that base is raised.
"""

from __future__ import annotations

import builtins
from typing import Any

from autograph import errors
from autograph.errors import AutographError

from ...ops.host.host import ErrorTemplate, Slot
from .values import READERS, WRITERS, NotSavable, Source, Target, decode, encode, is_name, require

__all__ = ["decode_error", "decode_slot", "encode_error"]

_KEYS = {"type", "module", "name", "content", "suppress", "cause"}
_MODULES: dict[str, Any] = {"builtins": builtins, "autograph.errors": errors}


def _is_known(kind: type) -> bool:
    """Whether a class can be named: no groups, and nothing that ends the program."""
    if not issubclass(kind, Exception) or issubclass(kind, BaseExceptionGroup):
        return False
    return getattr(_MODULES.get(kind.__module__), kind.__name__, None) is kind


def encode_error(template: ErrorTemplate, target: Target) -> dict[str, Any]:
    """The JSON form. Raises `NotSavable` for what it can't say."""
    kind = template.type
    known = next((base for base in kind.__mro__ if base is not BaseException and _is_known(base)), None)
    if known is None or issubclass(kind, BaseExceptionGroup):
        raise NotSavable(f"the exception {kind.__name__}")
    if known is not kind and (issubclass(known, AutographError) or not is_name(kind.__name__)):
        raise NotSavable(f"the exception class {kind.__name__}")
    cause = template.cause
    args, attributes = template.content
    return {
        "type": known.__name__, "module": known.__module__, "name": None if known is kind else kind.__name__,
        "content": [encode(args, target), encode(attributes, target)], "suppress": template.suppress,
        "cause": None if cause is None else encode_error(ErrorTemplate(cause), target),
    }  # fmt: skip


def decode_slot(data: Any) -> Slot:
    """The place of a tensor in an exception."""
    require(type(data) is int and 0 <= data < 2**31, "the place of a tensor in an exception is not valid")
    return Slot(data)


def decode_error(data: Any, source: Source) -> ErrorTemplate:
    """The exception to be raised. Raises `InvalidArgumentError` when the JSON form is none."""
    require(type(data) is dict and data.keys() == _KEYS, "an exception is not valid")
    content, cause = data["content"], data["cause"]
    require(type(content) is list and len(content) == 2 and type(data["suppress"]) is bool, "an exception is not valid")
    args, attributes = (decode(part, source) for part in content)
    require(type(args) is tuple and type(attributes) is dict, "an exception has no arguments")
    require(all(type(key) is str for key in attributes), "an exception has an attribute without a name")
    kind = _class_of(data)
    if issubclass(kind, AutographError):
        attributes = _own_attributes(attributes)
    template: ErrorTemplate = object.__new__(ErrorTemplate)
    template.type = kind
    template.tensors = []
    template.content = (args, attributes)
    template.members = {}
    template.cause = None if cause is None else decode_error(cause, source).make(())
    template.suppress = data["suppress"]
    return template


def _class_of(data: dict[str, Any]) -> type[Exception]:
    module = _MODULES.get(data["module"]) if type(data["module"]) is str else None
    kind = getattr(module, data["type"], None) if type(data["type"]) is str else None
    require(isinstance(kind, type) and _is_known(kind), "an exception is of an unknown type")
    assert kind is not None
    if data["name"] is None:
        return kind
    require(is_name(data["name"]) and not issubclass(kind, AutographError), "the class of an exception has no name")
    return type(data["name"], (kind,), {"__module__": "__main__"})


def _own_attributes(attributes: dict[str, Any]) -> dict[str, Any]:
    """The attributes of one of our own errors; its text shows no line of a file that the saved model names."""
    fits = all(value is None or isinstance(value, (str, int, Slot)) for value in attributes.values())
    require(fits, "an exception has an attribute of a wrong type")
    return attributes | {"file": None, "line": None, "function": None}


WRITERS[ErrorTemplate] = lambda value, target: {"error": encode_error(value, target)}
WRITERS[Slot] = lambda value, target: {"slot": value.index}
READERS["error"] = decode_error
READERS["slot"] = lambda data, source: decode_slot(data)
