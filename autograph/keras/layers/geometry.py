"""Settings of layers over one, two or three spatial axes."""

from __future__ import annotations

from typing import Any

from autograph.errors import InvalidArgumentError

from ..base.defaults import image_data_format

__all__ = ["axes_order", "checked_format", "checked_padding", "pairs", "per_axis"]


def per_axis(name: str, value: Any, rank: int, least: int = 1) -> tuple[int, ...]:
    """A setting for each spatial axis: one integer for all, or one each. Raises `ValueError` for anything else."""
    found = (value,) * rank if not isinstance(value, (list, tuple)) else tuple(value)
    if len(found) != rank or any(not isinstance(each, int) or isinstance(each, bool) or each < least for each in found):
        kind = "positive" if least else "non-negative"
        raise InvalidArgumentError(
            f"The `{name}` argument must be a tuple of {rank} {kind} integer{'s' * (rank > 1)}. "
            f"Received: {name}={value}"
        )
    return found


def pairs(name: str, value: object, rank: int) -> tuple[tuple[int, int], ...]:
    """Numbers of elements before and after each spatial axis: one for all, one for each axis, or a pair for each.

    Raises `ValueError` for anything else. For a single axis a pair may stand by itself.
    """
    each = (value,) * rank if isinstance(value, int) else value
    if rank == 1 and isinstance(each, (list, tuple)) and len(each) == 2:
        each = (tuple(each),)
    if not isinstance(each, (list, tuple)) or len(each) != rank:
        raise InvalidArgumentError(f"`{name}` should have {rank} elements. Received: {name}={value}.")
    return tuple(per_axis(name, size, 2, 0) for size in each)  # type: ignore[misc]


def checked_padding(value: object, known: tuple[str, ...] = ("valid", "same")) -> str:
    """A way to pad, in lower case. Raises `ValueError` for another word."""
    found = str(value).lower()
    if found not in known:
        raise InvalidArgumentError(
            f"The `padding` argument must be one of {', '.join(map(repr, known))}. Received: padding={value}"
        )
    return found


def checked_format(data_format: str | None) -> str:
    """The order of axes: `image_data_format` when left out. Raises `ValueError` for other words."""
    if data_format is None:
        return image_data_format()
    if data_format not in ("channels_last", "channels_first"):
        raise InvalidArgumentError(
            "The `data_format` argument must be one of 'channels_first', 'channels_last'. Received: "
            f"data_format={data_format}"
        )
    return data_format


def axes_order(data_format: str, rank: int) -> str:
    """The name that convolutions and poolings have for an order of axes."""
    axes = "DHW"[3 - rank :]
    return f"N{axes}C" if data_format == "channels_last" else f"NC{axes}"
