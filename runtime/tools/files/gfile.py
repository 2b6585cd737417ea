"""`tf.io.gfile`: files and folders of this machine, with TensorFlow's names and errors."""

from __future__ import annotations

import os
import shutil
import stat as modes
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from types import TracebackType
from typing import IO, Any, NamedTuple, Self

from autograph.errors import (
    AlreadyExistsError,
    AutographError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    PermissionDeniedError,
)

from ...base.files import Path, as_errors, local, matches

__all__ = [
    "GFile", "copy", "exists", "glob", "isdir", "join", "listdir", "makedirs", "mkdir", "remove", "rename", "rmtree",
    "stat", "walk",
]  # fmt: skip
__dir__ = __all__.copy


class FileStatistics(NamedTuple):
    """What `stat` tells: the length in bytes, the time of the last change in nanoseconds, whether it is a folder."""

    length: int
    mtime_nsec: int
    is_directory: bool


def exists(path: Path) -> bool:
    """Whether there is a file or a folder."""
    return os.path.exists(local(path))


def isdir(path: Path) -> bool:
    """Whether there is a folder."""
    return os.path.isdir(local(path))


def join(path: str, *paths: str) -> str:
    """The parts of a path joined, as by `os.path.join`."""
    return os.path.join(path, *paths)


def glob(pattern: Path | Sequence[Path]) -> list[str]:
    """The files and folders that fit a pattern, or one of several, sorted. ``*`` and ``?`` stop at a ``/``."""
    if isinstance(pattern, (str, bytes, os.PathLike)):
        return matches(pattern)
    return [found for each in pattern for found in glob(each)]


def makedirs(path: Path) -> None:
    """Makes a folder and those around it, as far as they are not there."""
    _check_folder(path)
    with as_errors(local(path)):
        os.makedirs(local(path), exist_ok=True)


def _check_folder(path: Path) -> None:
    if exists(path) and not isdir(path):
        raise FailedPreconditionError(f"{local(path)} is not a directory")


def mkdir(path: Path) -> None:
    """Makes a folder, if it is not there. Raises `NotFoundError` when the one around it is not there."""
    _check_folder(path)
    with as_errors(local(path)), suppress(FileExistsError):
        os.mkdir(local(path))


def listdir(path: Path) -> list[str]:
    """The names in a folder. Raises `NotFoundError` when it is not there."""
    if not isdir(path):
        raise NotFoundError(f"Could not find directory {local(path)}")
    with as_errors(local(path)):
        return os.listdir(local(path))


def remove(path: Path) -> None:
    """Removes a file. Raises `NotFoundError` when it is not there."""
    with as_errors(local(path)):
        os.remove(local(path))


def rmtree(path: Path) -> None:
    """Removes a folder and all in it. Raises `NotFoundError` when it is not there."""
    with as_errors(local(path)):
        shutil.rmtree(local(path))


def copy(src: Path, dst: Path, overwrite: bool = False) -> None:
    """Copies a file. Raises `AlreadyExistsError` for one that is there, unless ``overwrite`` is true."""
    _check_new(dst, overwrite)
    with as_errors(local(src)):
        shutil.copyfile(local(src), local(dst))


def rename(src: Path, dst: Path, overwrite: bool = False) -> None:
    """Moves a file or a folder. Raises `AlreadyExistsError` for one that is there, unless ``overwrite`` is true."""
    _check_new(dst, overwrite)
    with as_errors(local(src)):
        os.replace(local(src), local(dst))


def _check_new(path: Path, overwrite: bool) -> None:
    if not overwrite and exists(path):
        raise AlreadyExistsError(f"{local(path)}; file already exists", remedy="overwrite=True replaces it")


def stat(path: Path) -> FileStatistics:
    """The length, the time and the kind of a file or folder. Raises `NotFoundError` when it is not there."""
    with as_errors(local(path)):
        found = os.stat(local(path))
    return FileStatistics(found.st_size, found.st_mtime_ns, modes.S_ISDIR(found.st_mode))


def walk(
    top: Path, topdown: bool = True, onerror: Callable[[AutographError], object] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """A folder and those in it, each with the names of its folders and of its files, as by `os.walk`.

    ``onerror`` is called with the error of a folder that can't be read, which else is passed over.
    """

    def report(error: OSError) -> None:
        if onerror is not None:
            try:
                with as_errors(str(error.filename)):
                    raise error
            except AutographError as found:
                onerror(found)

    return os.walk(local(top), topdown, report)


class GFile:
    """A file, which is opened when it is first read or written: text (UTF-8) unless the mode has a ``b``.

    ``with`` closes it; a loop goes over its lines. Raises `InvalidArgumentError` for another mode than `"r"`, `"w"`,
    `"a"`, with `"+"` and `"b"`; `NotFoundError` and others of the file system when it is opened.
    """

    def __init__(self, name: Path, mode: str = "r") -> None:
        if mode.replace("b", "", 1) not in ("r", "w", "a", "r+", "w+", "a+"):
            raise InvalidArgumentError(f"mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+': {mode!r}")
        self._name, self._mode = local(name), mode
        self._is_binary = "b" in mode
        self._file: IO[bytes] | None = None

    @property
    def name(self) -> str:
        """The path."""
        return self._name

    @property
    def mode(self) -> str:
        """How it is opened."""
        return self._mode

    def _opened(self, action: str) -> IO[bytes]:
        if action != "" and action not in _ALLOWED[self._mode.replace("b", "", 1)]:
            raise PermissionDeniedError(f"File isn't open for {action}")
        if self._file is None:
            with as_errors(self._name):
                self._file = open(self._name, self._mode.replace("b", "", 1) + "b")  # noqa: SIM115
        return self._file

    def _shown(self, data: bytes) -> Any:
        return data if self._is_binary else data.decode("utf-8")

    def read(self, n: int = -1) -> Any:
        """The rest, or so many bytes: a text, or bytes."""
        return self._shown(self._opened("reading").read(n))

    def readline(self) -> Any:
        """The next line with its end, without carriage returns; empty at the end of the file."""
        return self._shown(self._opened("reading").readline().replace(b"\r", b""))

    def readlines(self) -> list[Any]:
        """The lines that are left."""
        return list(self)

    def write(self, file_content: str | bytes) -> None:
        """Appends a text or bytes."""
        data = file_content.encode() if isinstance(file_content, str) else file_content
        self._opened("writing").write(data)

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Goes to a place in the file."""
        self._opened("").seek(offset if offset is not None else position or 0, whence)

    def tell(self) -> int:
        """The place in the file."""
        return self._opened("").tell()

    def seekable(self) -> bool:
        """True."""
        return True

    def size(self) -> int:
        """The length in bytes."""
        return stat(self._name).length

    def flush(self) -> None:
        """Gives what was written to the operating system."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Ends the use of the file; what comes after opens it anew."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 traceback: TracebackType | None) -> None:  # fmt: skip
        if kind is None and self._file is None and self._mode[0] in "wa":
            self._opened("")  # an empty file
        self.close()

    def __del__(self) -> None:
        with suppress(Exception):
            self.close()


_ALLOWED = {
    "r": ("reading",), "w": ("writing",), "a": ("writing",),
    **dict.fromkeys(("r+", "w+", "a+"), ("reading", "writing")),
}  # fmt: skip
