"""Whose an exception is that ends a line while a graph is built: the program's own, or a refusal.

The program's own is what Python would raise at this line in a run, too: ``int("a")``, ``None.x``, a function of the
user's that raises, shapes that never fit. Its handlers may catch it, and in a staged branch it waits for a run that
gets there. A refusal says that there can be no graph, or comes of tracing itself: no code of the user's sees it.

The rule: an exception is a refusal when its class says so, when Python had no room to nest deeper (tracing nests
deeper than a run), when its text names the class of a staged value, or when code that is not the user's raised it and
had a staged value in its hands. But what an operation says of tensors whose dtypes and shapes are those of any run, it
says in a run, too; and where this package raises one of Python's exceptions on purpose, it does as Python does.
"""

from __future__ import annotations

import dis
import os
import re
from collections.abc import Iterator
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import FrameType
from typing import Any

import numpy as np

import autograph
from autograph import runtime
from autograph.errors import AutographError, ConversionError, GraphError, StagingError
from autograph.runtime.base.shapes import is_fully_defined
from autograph.runtime.functions.recursion import Signal
from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.primitive import PLACEHOLDER
from autograph.runtime.state.variable import Variable
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.tensor import EagerTensor, SymbolicTensor

from ...dispatch import backend_of

_RAISE = dis.opmap["RAISE_VARARGS"]
_PACKAGES = tuple(os.path.dirname(os.path.abspath(str(each.__file__))) + os.sep for each in (autograph, runtime))
_REFUSING = (StagingError, ConversionError, GraphError, Signal, RecursionError)


def is_refusal(error: BaseException) -> bool:
    """Whether an exception comes of staged values, or says itself that there can be no graph."""
    if isinstance(error, _REFUSING):
        return True
    if not isinstance(error, Exception):  # of the user at the keyboard, and the like
        return False
    frames = library_frames(error)
    if isinstance(error, AutographError):
        staged = [each for each, _ in frames for each in staged_values(each)]
        return not all(map(is_sure, staged)) or (bool(staged) and isinstance(error, TypeError))
    if frames and _raises_on_purpose(*frames[-1]):
        return False
    if type(error) in (IndexError, KeyError):  # Python's containers ask for the index or the key, whatever they hold
        return False
    if type(error) is AttributeError and isinstance(error.obj, (list, dict, np.ndarray)):  # nor are their attributes
        return False
    if not frames and _is_raised_by_user(error):
        return False
    return _names_staged_class(error) or any(True for each, _ in frames for _ in staged_values(each))


def _raises_on_purpose(frame: FrameType, offset: int) -> bool:
    """Whether code is a `raise` of this package: of one of Python's exceptions, where Python would raise it."""
    code = frame.f_code
    return code.co_filename.startswith(_PACKAGES) and code.co_code[offset] == _RAISE


def _is_raised_by_user(error: BaseException) -> bool:
    """Whether an exception comes from a `raise` of the user's, whatever its text says."""
    entry = error.__traceback__
    while entry is not None and entry.tb_next is not None:
        entry = entry.tb_next
    return entry is not None and entry.tb_frame.f_code.co_code[entry.tb_lasti] == _RAISE


def _names_staged_class(error: BaseException) -> bool:
    """Whether Python's text about the types of some operands names one of our own."""
    text = error.args[0] if isinstance(error, (TypeError, AttributeError)) and error.args else None
    named = re.findall(r"(?<=')\w+(?=')|\b(?:SymbolicTensor|Staged\w+)", text) if isinstance(text, str) else ()
    return not _NAMES.isdisjoint(named)


_NAMES = frozenset((
    "SymbolicTensor", "Maybe", "Chosen", "Truth", "StagedList", "StagedTuple", "StagedDict", "StagedSet", "StagedRange",
    "StagedIterable",
))  # fmt: skip


def staged_values(frame: FrameType) -> Iterator[Any]:
    """The staged values among the variables of a call, and in what its ``*`` and ``**`` parameters hold."""
    code, variables = frame.f_code, frame.f_locals
    count = code.co_argcount + code.co_kwonlyargcount
    names = list(code.co_varnames[count:])
    groups = [tuple(variables.values())]
    if code.co_flags & CO_VARARGS:
        groups.append(variables.get(names.pop(0), ()))
    if code.co_flags & CO_VARKEYWORDS:
        groups.append(tuple(variables.get(names[0], {}).values()))
    for group in groups:
        if type(group) is tuple:
            yield from filter(_is_staged, group)


def library_frames(error: BaseException) -> list[tuple[FrameType, int]]:
    """The frames between the user's innermost line and the place that raised an exception, with their offsets."""
    frames: list[tuple[FrameType, int]] = []
    entry = error.__traceback__
    while entry is not None:
        if trace.is_user_file(entry.tb_frame.f_code.co_filename):
            frames = []
        else:
            frames.append((entry.tb_frame, entry.tb_lasti))
        entry = entry.tb_next
    return frames


def _is_staged(value: object) -> bool:
    return backend_of(value) is not None and not isinstance(value, (Variable, EagerTensor))


def is_sure(value: object) -> bool:
    """Whether a value is a tensor of which every run has the dtype and the shape that it has while tracing."""
    if not isinstance(value, SymbolicTensor) or value.python is not None:
        return False
    return is_fully_defined(value.static_shape) and _has_own_dtype(value.value)


def _has_own_dtype(value: Value) -> bool:
    """Whether no branch or turn of a loop may have another dtype for what a value is made of: merged, they promote."""
    seen, stack = set(), [value]
    while stack:
        each = stack.pop()
        if each in seen:
            continue
        seen.add(each)
        node = each.node
        if node.subgraphs:
            return False
        if not node.inputs and node.op is PLACEHOLDER:
            outer = next((outer for outer, inner in node.graph.captures.items() if inner is each), None)
            if outer is not None:
                stack.append(outer)
            elif node.graph.parent is not None:
                return False
        stack.extend(node.inputs)
    return True
