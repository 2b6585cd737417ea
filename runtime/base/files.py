"""Paths of files as users write them, and the errors of the operating system as TensorFlow's."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager

from autograph.errors import (
    AlreadyExistsError,
    AutographError,
    DataLossError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    PermissionDeniedError,
    ResourceExhaustedError,
    UnimplementedError,
    UnknownError,
)

__all__ = ["FILE_ERRORS", "Path", "as_errors", "local", "matches"]

Path = str | bytes | os.PathLike[str]
"""Where a file is."""
_CLASSES: dict[type[OSError], type[AutographError]] = {
    FileNotFoundError: NotFoundError,
    PermissionError: PermissionDeniedError,
    FileExistsError: AlreadyExistsError,
    IsADirectoryError: FailedPreconditionError,
    NotADirectoryError: FailedPreconditionError,
}
FILE_ERRORS = (*_CLASSES.values(), ResourceExhaustedError, UnimplementedError, UnknownError, DataLossError,
               InvalidArgumentError)  # fmt: skip
"""What reading and writing files may raise."""
_FULL = (28, 122)
"""The numbers of the errors of a full disk, or of a full share of one."""


def local(path: Path) -> str:
    """A path on this machine, as text. Raises `UnimplementedError` for a file of another file system."""
    text = os.fsdecode(path)
    scheme, is_other, rest = text.partition("://")
    if is_other and scheme == "file":
        return rest
    if is_other and scheme.isalnum():
        raise UnimplementedError(
            f"File system scheme '{scheme}' not implemented (file: '{text}')", remedy="copy the file to this machine"
        )
    return text


@contextmanager
def as_errors(path: str) -> Iterator[None]:
    """What the operating system raises for a path becomes TensorFlow's error."""
    try:
        yield
    except OSError as error:
        if isinstance(error, AutographError):
            raise
        if error.errno in _FULL:
            found: type[AutographError] = ResourceExhaustedError
        else:
            found = next((made for cls, made in _CLASSES.items() if isinstance(error, cls)), UnknownError)
        raise found(f"{path}; {error.strerror or error}") from None


def matches(pattern: Path) -> list[str]:
    """The files and folders that fit a pattern, sorted: ``*`` and ``?`` stop at a ``/``.

    As in TensorFlow, those of the current folder begin with ``./`` where the pattern names no folder.
    """
    text = local(pattern)
    found = sorted(glob.glob(text, include_hidden=True))
    return found if os.path.dirname(text) or not glob.has_magic(text) else [f"./{name}" for name in found]
