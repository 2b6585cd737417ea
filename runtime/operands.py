"""What ``*``, ``%`` and ``[]`` mean for tensors that are one string, and for Python's sequences beside a tensor."""

from __future__ import annotations

from typing import Any

from autograph.errors import InvalidTypeError

from .dtypes import string


def refuse_repetition(tensor: Any, sequence: list[Any] | tuple[Any, ...]) -> None:
    """Refuses ``[0] * n``: Python repeats a sequence n times, TensorFlow multiplies its elements."""
    if tensor.dtype.is_integer and tensor.static_shape == ():
        kind = type(sequence).__name__
        raise InvalidTypeError(
            f"a {kind} times an integer tensor of rank 0 has two meanings",
            construct=f"{kind} * tensor",
            remedy="write tf.tile(values, [n]) to repeat it, or tf.constant(values) * n to multiply its elements",
        )


def is_text(tensor: Any) -> bool:
    """Whether a tensor or variable is one string, which is repeated, formatted and indexed as Python's are."""
    return tensor.static_shape == () and tensor.dtype is string


def repeated(tensor: Any, other: Any) -> Any:
    """``tensor * other``, of which one is a string."""
    from .ops.text import apply_text

    return apply_text("__mul__", *((other, tensor) if isinstance(other, str) else (tensor, other)))


def formatted(template: Any, values: Any) -> Any:
    """``template % values``."""
    from .ops.text import apply_text

    return apply_text("__mod__", template, values)


def part(tensor: Any, key: Any) -> Any:
    """``tensor[key]``: characters."""
    from .ops.text import get_part

    return get_part(tensor, key)
