"""Pillow, which reads and writes what NumPy alone does not; the extra ``images`` brings it."""

from __future__ import annotations

import importlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from autograph.errors import InvalidArgumentError, MissingExtraError

__all__ = ["opened", "pillow", "reading"]


def pillow(what: str, module: str = "Image") -> Any:
    """A module of Pillow. Raises `MissingExtraError` when it is not installed; ``what`` needs it."""
    try:
        return importlib.import_module(f"PIL.{module}")
    except ImportError:
        raise MissingExtraError(f"{what} needs the library Pillow, which is not installed",
                                remedy="pip install 'autograph-py[images]'") from None  # fmt: skip


@contextmanager
def reading(kind: str, data: bytes) -> Iterator[None]:
    """What Pillow raises for damaged pictures, as `InvalidArgumentError`."""
    try:
        yield
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        if isinstance(error, InvalidArgumentError):
            raise
        raise InvalidArgumentError(f"Invalid {kind} data, size {len(data)} ({error})") from None


def opened(kind: str, data: bytes) -> Any:
    """A picture as Pillow's ``Image``; its pixels are not read yet."""
    with reading(kind, data):
        return pillow(f"decoding of {kind} pictures").open(io.BytesIO(data), formats=(kind,))
