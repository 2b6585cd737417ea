"""What ``*``, ``%``, ``[]`` and ``a, b = x`` mean for strings and sequences."""

from __future__ import annotations

import opcode
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from autograph.errors import InvalidTypeError

from ..base.dtypes import string
from ..ir.op import FUNCTIONS, OPS
from . import undelivered

if TYPE_CHECKING:
    from .typed import PythonValues as PythonValues
else:
    PythonValues = object


def refuse_truth(tensor: Any) -> NoReturn:
    """Refuses to take several values, or none, for true or false."""
    raise InvalidTypeError(
        f"the truth of a tensor of shape {tensor.shape} is ambiguous",
        remedy="use tf.reduce_any(x) or tf.reduce_all(x)",
    )


def refuse_repetition(tensor: Any, sequence: list[Any] | tuple[Any, ...]) -> None:
    """Refuses ``[0] * n``: Python repeats a sequence n times, TensorFlow multiplies its elements."""
    if tensor.dtype.is_integer and tensor.static_shape == ():
        kind = type(sequence).__name__
        error = InvalidTypeError(
            f"a {kind} times an integer tensor of rank 0 has two meanings",
            construct=f"{kind} * tensor",
            remedy="write tf.tile(values, [n]) to repeat it, or tf.constant(values) * n to multiply its elements",
        )
        raise error if hasattr(tensor, "array") else undelivered.note(error)


def is_text(tensor: Any) -> bool:
    """Whether a tensor or variable is one string, which is repeated, formatted and indexed as Python's are."""
    return tensor.static_shape == () and tensor.dtype is string


def item_kind(item: Any, key: object) -> type:
    """What ``array[key]`` is: an array, or (of rank 0, where the key has no ``...``) one of NumPy's numbers."""
    keys = key if isinstance(key, tuple) else (key,)
    return np.generic if item.static_shape == () and all(each is not Ellipsis for each in keys) else np.ndarray


def array(tensor: object, lack: str) -> Any:
    """A tensor that has items, or may have some.

    Raises:
        TypeError: it stands for a number of Python's, as this does.
    """
    number = getattr(tensor, "python", None)
    if number in (bool, int, float):
        raise TypeError(f"'{number.__name__}' object {lack}")
    return tensor


def repeated(tensor: object, other: object) -> Any:
    """``tensor * other``, of which one is a string."""
    return FUNCTIONS["apply_text"]("__mul__", *((other, tensor) if isinstance(other, str) else (tensor, other)))


def formatted(template: object, values: object) -> Any:
    """``template % values``."""
    return FUNCTIONS["apply_text"]("__mod__", template, values)


def part(tensor: object, key: object) -> Any:
    """``tensor[key]``: characters."""
    return FUNCTIONS["get_part"](tensor, key)


def contains(tensor: Any, item: object) -> bool:
    """``item in tensor``, for a tensor with a value: a part of one string, or one of the elements."""
    if is_text(tensor):
        return bool(FUNCTIONS["apply_text"]("__contains__", tensor, item))
    if tensor.static_shape == ():
        raise InvalidTypeError(
            "`in` needs a tensor with axes, not a scalar tensor", construct="in", remedy="compare the two with `==`"
        )
    found = tensor == item
    return found if isinstance(found, bool) else bool(OPS["any"](found))


def unpacked(tensor: Any, frame: FrameType) -> list[Any] | None:
    """The parts of a graph tensor for the assignment that a frame is at; None when it is at none, or can't tell.

    Python checks the number of parts; the graph does, where only the run tells their number.
    """
    code, place = frame.f_code.co_code, frame.f_lasti
    operation = opcode.opname[code[place]]
    if operation not in ("UNPACK_SEQUENCE", "UNPACK_EX"):
        return None
    if is_text(tensor):
    
        tensor = FUNCTIONS["apply_text"]("list", tensor)
    shape = tensor.static_shape
    if not shape:
        return None
    if shape[0] is None:
        if operation == "UNPACK_EX" or opcode.opname[code[place - 2]] == "EXTENDED_ARG":
            return None
        _require_length(tensor, code[place + 1])
        return [tensor[position] for position in range(code[place + 1])]
    return [tensor[position] for position in range(shape[0])]


def _require_length(tensor: object, count: int) -> None:
    length = OPS["shape"](tensor)[0]
    FUNCTIONS["assert_node"](length <= count, ValueError(f"too many values to unpack (expected {count})"))
    few = FUNCTIONS["apply_text"]("__mod__", f"not enough values to unpack (expected {count}, got %d)", length)
    FUNCTIONS["assert_node"](length >= count, ValueError(few))
