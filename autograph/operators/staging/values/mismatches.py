"""The errors for values of branches and of a loop's turns that can't be merged: what they are, and where set."""

from __future__ import annotations

import dis
from collections.abc import Callable
from types import CodeType
from typing import Any

from autograph.errors import BranchMismatchError
from autograph.runtime.tensors.trace import is_user_file

from ...variables import UNDEFINED
from ..control.assigned import assigned_lines, bodies_in
from ..control.errors import where
from .specs import SCALARS, Constant, Mismatch, Spec

_NO_DATA = "choose between tensors, numbers or structures of them, and use the functions and objects in the branches"


def of_branches(label: str, error: Mismatch, left: CodeType, right: CodeType, kind: str) -> BranchMismatchError:
    """The error for a variable (no label: the result) that two branches leave differently."""
    subject = f"`{label}{_shown(error.path)}`" if label else f"the result{_shown(error.path)}"
    places = _place(left, label), _place(right, label)
    if places[0] == places[1] or "" in places:
        places = " in one branch", " in the other"
    text = f"{subject} is {error.left}{places[0]}, but {error.right}{places[1]}{_reason(error)}"
    return BranchMismatchError(
        f"{kind} that depends on a graph tensor leaves values that can't be merged: {text}",
        **where(),
        construct=label or None,
        remedy=_remedy(error, "give both", ""),
    )


def of_turns(label: str, error: Mismatch, initial: object, body: Callable[..., Any]) -> BranchMismatchError:
    """The error for a variable that is something else after a turn of a loop than it was before."""
    if error.path.endswith("[…]"):
        list_name = f"`{label}{error.path.removesuffix('[…]')}`"
        text = f"a loop that depends on a graph tensor puts into the list {list_name} {error.left} and {error.right}"
    else:
        subject = f"`{label}{_shown(error.path)}`" if label else "the stop signal"
        before = Constant(initial) if isinstance(initial, SCALARS) and not error.path else error.left
        line = body.__code__.co_firstlineno
        loop = f"the loop on line {line}" if is_user_file(body.__code__.co_filename) else "the loop"
        text = (
            f"a loop that depends on a graph tensor changes what {subject} is: before {loop} it is {before}, "
            f"after a turn it is {error.right}"
        )
    return BranchMismatchError(
        text + _reason(error),
        **where(),
        construct=label or None,
        remedy=_remedy(error, "give it", " in every turn"),
    )


def _shown(path: str) -> str:
    return path if len(path) < 80 else f"{path[:40]}…"


def _reason(error: Mismatch) -> str:
    return f" ({error.reason})" if error.reason else ""


def _remedy(error: Mismatch, give: str, when: str) -> str:
    if error.plain is not None:
        return f"choose between plain values, {error.plain}"
    if _is_object(error.left) or _is_object(error.right):
        return _NO_DATA
    return f"{give} the same type and structure{when} (tensors may differ in dtype and shape)"


def _is_object(spec: Spec) -> bool:
    """Whether it stands for what no tensor can hold: a function, a class, an object."""
    return isinstance(spec, Constant) and not isinstance(spec.value, (*SCALARS, type(None), type(UNDEFINED)))


def _place(code: CodeType, label: str) -> str:
    """Where a branch sets a variable (no label: its result), in words; nothing when there is no such line."""
    if not is_user_file(code.co_filename):
        return ""
    found = (assigned_lines(each, label) if label else _return_lines(each) for each in (code, *bodies_in(code)))
    lines = sorted({line for lines in found for line in lines})
    if not lines:
        return " before it" if label.isidentifier() else ""
    return f" on line {lines[-1]}"


def _return_lines(code: CodeType) -> list[int]:
    found = (each for each in dis.get_instructions(code) if each.opname.startswith("RETURN_"))
    return [each.positions.lineno for each in found if each.positions is not None and each.positions.lineno is not None]
