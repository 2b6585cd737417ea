"""What Python itself takes a staged list apart for: ``a, b = x``, ``f(*x)``, ``[*x]``."""

from __future__ import annotations

import opcode
from collections.abc import Iterator
from types import FrameType
from typing import Any

from autograph.runtime.ops.host.host import assert_node
from autograph.runtime.ops.text.text import apply_text

from .. import asked
from .lists import StagedList

_REMEDIES = {
    "UNPACK_EX": ("`a, *rest = x`", "write a = x[0] and rest = x[1:]"),
    "CALL_FUNCTION_EX": ("`f(*x)`", "take out as many as the function needs, a, b = x, or give it the list itself"),
    "LIST_EXTEND": ("`*x` in a list, tuple or call", "write x + [y] for a list, or take elements out: a, b = x"),
    "SET_UPDATE": ("`*x` in a set", "use a list"),
}


@asked.UNPACKED.give
def unpacked(values: StagedList, frame: FrameType) -> Iterator[Any]:
    """The elements for the assignment to several variables that a frame is at, with a check of their number.

    Raises:
        StagedValueError: the frame is at something that needs the number of elements while tracing.
    """
    code, place = frame.f_code.co_code, frame.f_lasti
    operation = opcode.opname[code[place]]
    is_short = place < 2 or opcode.opname[code[place - 2]] != "EXTENDED_ARG"
    if operation == "UNPACK_SEQUENCE" and is_short:
        count, length = code[place + 1], values.length()
        few = apply_text("__mod__", f"not enough values to unpack (expected {count}, got %d)", length)
        assert_node(length <= count, ValueError(f"too many values to unpack (expected {count})"))
        assert_node(length >= count, ValueError(few))
        return iter([values[position] for position in range(count)])
    use, remedy = _REMEDIES.get(operation, ("iteration outside converted code", "loop over it in converted code"))
    raise values.refused(use, remedy)
