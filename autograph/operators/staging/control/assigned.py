"""Where the user's code gives variables and attributes their values, for error messages."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType

from autograph.runtime.base.places import Place, user_code


def assigned_lines(code: CodeType, name: str, what: str = "STORE_") -> list[int]:
    """The lines on which a code object itself sets (or `what`) a variable or an attribute."""
    found = []
    for instruction in dis.get_instructions(code):
        same = instruction.argval == name or (isinstance(instruction.argval, tuple) and name in instruction.argval)
        line = instruction.positions.lineno if instruction.positions is not None else None
        if same and line is not None and instruction.opname.startswith(what):
            found.append(line)
    return found


def in_some_runs(label: str) -> str:
    """The lines in branches and loops of the running function that set or delete `x` or `x.y`, as words to append."""
    place = user_code()
    return "" if place is None else _in_some_runs(_whole(place), label.rpartition(".")[2])


@lru_cache(maxsize=256)
def _in_some_runs(function: CodeType, name: str) -> str:
    texts = []
    bodies = list(bodies_in(function)) or [function]  # as it was written, when what it returns is looked at
    for what, verb in (("STORE_", "set"), ("DELETE_", "delete")):
        lines = sorted({line for body in bodies for line in assigned_lines(body, name, what)})
        if lines:
            *rest, last = map(str, lines)
            texts.append(f"lines {', '.join(rest)} and {last} {verb}" if rest else f"line {last} {verb}s")
    return f" ({' it, '.join(texts)} it in some runs only)" if texts else ""


def _whole(place: Place) -> CodeType:
    """The code of the function that a place is in, which may be in a branch or loop of it."""
    code = place.code
    while place.caller is not None and code in place.caller.code.co_consts:
        place = place.caller
        code = place.code
    return code


def bodies_in(code: CodeType) -> Iterator[CodeType]:
    """The code of the branches and loops in a function, which tracebacks show under its name."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType) and constant.co_name == code.co_name:
            yield constant
            yield from bodies_in(constant)
