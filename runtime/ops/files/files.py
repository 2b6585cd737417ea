"""Whole files, read and written whenever the graph runs; names of files by patterns."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.dtypes import Array, string
from ...base.files import FILE_ERRORS, as_errors, local, matches
from ...ir.effects import Effects
from ...ir.graph import Type
from ...ir.op import NOT_DIFFERENTIABLE, op
from ...tensors.likes import TensorLike
from ..infer import exactly, require, require_kind
from ..kernels import samples as s

if TYPE_CHECKING:
    from ...tensors.tensor import Tensor

__all__ = ["matching_files", "read_file", "write_file"]


def scalar(x: Array | bytes) -> Any:
    """The string that a scalar holds."""
    return x if isinstance(x, bytes) else x.reshape(())[()]


def texts(values: list[Any]) -> Array:
    """A vector of strings."""
    made = np.empty(len(values), object)
    made[:] = values
    return made


def _one_string(x: Type, what: str) -> None:
    require_kind(x, "S", what)
    exactly(x.shape, 0, what)


def _infer_read(path: Type) -> Type:
    _one_string(path, "the name of the file")
    return Type(string, ())


def _read(path: Array) -> Any:
    name = local(scalar(path))
    with as_errors(name), open(name, "rb") as file:
        return np.array(file.read(), object)


READ_FILE = op("read_file", gradient=NOT_DIFFERENTIABLE, infer=_infer_read, numpy=_read, effects=Effects.READS,
               raises=FILE_ERRORS, samples=lambda: [s.sample(os.devnull)],
               unsavable="read the file outside of the saved function, and pass what it holds as an argument",
               doc="What a file holds, as one string.")  # fmt: skip


def read_file(filename: TensorLike, name: str | None = None) -> Tensor:
    """What a file holds, as one string; in a graph it is read on every run.

    ``filename`` is a scalar string. Raises `NotFoundError` and others of the file system, `InvalidArgumentError` for
    another shape or dtype.
    """
    return READ_FILE(_path(filename), name=name)


def _path(path: Any) -> Any:
    return os.fspath(path) if isinstance(path, os.PathLike) else path


def _infer_write(path: Type, contents: Type) -> tuple[Type, ...]:
    _one_string(path, "the name of the file")
    _one_string(contents, "the contents")
    return ()


def _write(path: Array, contents: Array) -> tuple[()]:
    name = local(scalar(path))
    with as_errors(name):
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        with open(name, "wb") as file:
            file.write(scalar(contents))
    return ()


WRITE_FILE = op("write_file", gradient=NOT_DIFFERENTIABLE, infer=_infer_write, numpy=_write, effects=Effects.UPDATES,
                raises=FILE_ERRORS, samples=lambda: [s.sample(os.devnull, "abc")],
                unsavable="write the file outside of the saved function",
                doc="Writes a string into a file.")  # fmt: skip


def write_file(filename: TensorLike, contents: TensorLike, name: str | None = None) -> None:
    """Write one string into a file, in a graph on every run; folders that are not there are made.

    Both are scalar strings. Raises `PermissionDeniedError` and others of the file system, `InvalidArgumentError` for
    another shape or dtype.
    """
    WRITE_FILE(_path(filename), contents, name=name)


def _infer_matching(pattern: Type) -> Type:
    require_kind(pattern, "S", "the pattern")
    require(pattern.shape is None or len(pattern.shape) <= 1, "patterns are one string or a vector of strings")
    return Type(string, (None,))


def _matching(pattern: Array) -> Array:
    found = [name for each in np.asarray(pattern, object).reshape(-1) for name in matches(each)]
    return texts([os.fsencode(name) for name in sorted(found)])


MATCHING_FILES = op("matching_files", gradient=NOT_DIFFERENTIABLE, infer=_infer_matching, numpy=_matching,
                    effects=Effects.READS, raises=FILE_ERRORS,
                    samples=lambda: [s.sample(os.devnull), s.sample([os.devnull, "/no such file*"])],
                    unsavable="look for files outside of the saved function",
                    doc="The names of the files that fit patterns, sorted.")  # fmt: skip


def matching_files(pattern: TensorLike, name: str | None = None) -> Tensor:
    """The names of the files that fit one of the patterns, (n,) strings, sorted; ``*`` and ``?`` stop at a ``/``."""
    return MATCHING_FILES(_path(pattern), name=name)
