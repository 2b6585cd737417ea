"""The door to the front half: what traces ask of it, so that the runtime need not import the conversion of Python.

`autograph.connect` gives all of it when `tf.function` is first used. Without it, functions are traced as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any

from ..base.provided import Provided

_BY = "connect"

Form = Provided[Callable[[Callable[..., Any]], Callable[..., Any]]]


def _itself(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


CONNECTED: Provided[Callable[[], None]] = Provided(_BY, late=True)
"""Loads what gives the rest, where a function is read that another program has traced."""

CONVERTED: Form = Provided(_BY, _itself)
"""What to call in place of a Python function that is being traced: a function that stages control flow, and that leaves
no graph tensors behind in the user's objects."""

STAGED_FORM: Form = Provided(_BY, _itself)
"""What to call in place of one that becomes a part of the trace at hand, which does the latter already."""

WHY_NOT_CONVERTED: Provided[Callable[[CodeType], str | None]] = Provided(_BY, lambda code: None)
"""Why a code object is not converted: "" when it is, None when that is not known."""

IS_REFUSAL: Provided[Callable[[BaseException], bool]] = Provided(_BY, lambda error: False)
"""Whether an exception is one of staging itself, which means that there is no graph, rather than one of the program."""

PLACE_OF: Provided[Callable[[Any, Any, Any, bool], Any]] = Provided(_BY)
"""The `StatePlace` that is an attribute of an object, or an item of a dict, made of the owner, the name or key, a
template of what it holds, and whether it may miss."""
