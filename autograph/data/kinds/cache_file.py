"""`Dataset.cache(filename)`: elements kept in a file, which other runs of the program read too.

The file has one line of JSON with the specs of the components, then the components of each element: the shape, for
strings their lengths, and the bytes. It takes its name when it is complete: an iteration that is given up leaves
nothing behind. Nothing in it is code, and reading it unpickles nothing.
"""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Iterator
from typing import IO, Any

import numpy as np

from autograph.errors import DataLossError, InvalidArgumentError, InvalidTypeError
from autograph.runtime.base import nest, shapes
from autograph.runtime.base.dtypes import string
from autograph.runtime.tensors.convert import wrap
from autograph.runtime.tensors.spec import TensorSpec

from ..dataset import Dataset
from ..failures import Failure, Item
from ..functions import Environment
from ..structure import Element

__all__ = ["FileCache"]

_SUFFIX = ".elements"


class FileCache(Dataset):
    """The elements, kept in a file by the first iteration that reaches the end."""

    _name = "CacheDataset"

    def __init__(self, source: Dataset, filename: str) -> None:
        self._leaves: list[TensorSpec] = nest.flatten(source.element_spec)
        if not all(isinstance(spec, TensorSpec) for spec in self._leaves):
            raise InvalidTypeError(f"a file can't hold elements with the specs {source.element_spec!r}")
        self._path = filename + _SUFFIX
        super().__init__(source.element_spec, [source])

    def elements(self, environment: Environment) -> Iterator[Item]:
        if os.path.exists(self._path):
            yield from self._read()
            return
        directory, name = os.path.split(os.path.abspath(self._path))
        with tempfile.NamedTemporaryFile(dir=directory, prefix=name, suffix=".part", delete=False) as file:
            try:
                file.write(self._header())
                whole = True
                for item in self.sources[0].elements(environment):
                    if isinstance(item, Failure):
                        whole = False
                    elif whole:
                        for part in item:
                            write_array(file, wrap(part).array)
                    yield item
            except BaseException:
                file.close()
                os.unlink(file.name)
                raise
        if whole:
            os.replace(file.name, self._path)
        else:
            os.unlink(file.name)

    def _header(self) -> bytes:
        specs = [[spec.dtype.name, spec.type.shape] for spec in self._leaves]
        return json.dumps({"autograph": "elements", "specs": specs}).encode() + b"\n"

    def _read(self) -> Iterator[Element]:
        with open(self._path, "rb") as file:
            if file.readline(100_000) != self._header():
                raise InvalidArgumentError(
                    f"{self._path} does not hold elements with the specs {self._specs!r}: remove it, or cache under "
                    "another name"
                )
            size = os.fstat(file.fileno()).st_size
            while file.tell() < size:
                try:
                    yield tuple([read_array(Reader(file, size), spec) for spec in self._leaves])
                except ValueError as error:
                    raise DataLossError(
                        f"{self._path} is damaged: {error}", remedy="remove the file: it is written anew"
                    ) from None

    def length(self, environment: Environment) -> int:
        return self.sources[0].length(environment)


def write_array(file: IO[bytes], array: Any) -> None:
    file.write(np.array([array.ndim, *array.shape], np.int64).tobytes())
    if array.dtype == object:
        texts = array.reshape(-1).tolist()
        file.write(np.array([len(text) for text in texts], np.int64).tobytes())
        file.write(b"".join(texts))
    else:
        file.write(array.tobytes())


class Reader:
    """Takes pieces of a file, whatever stands in it."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self._file = file
        self._size = size

    def bytes(self, count: int) -> bytes:
        """The next bytes; `ValueError` when there are not so many."""
        if not 0 <= count <= self._size - self._file.tell():
            raise InvalidArgumentError(f"it ends before {count} more bytes")
        return self._file.read(count)

    def numbers(self, count: int) -> list[int]:
        """The next integers, none of which is negative."""
        found: list[int] = np.frombuffer(self.bytes(8 * count), np.int64).tolist()
        if any(number < 0 for number in found):
            raise InvalidArgumentError("a size is negative")
        return found


def read_array(reader: Reader, spec: TensorSpec) -> Any:
    (rank,) = reader.numbers(1)
    shape = reader.numbers(rank)
    if not shapes.is_compatible(tuple(shape), spec.type.shape):
        raise InvalidArgumentError(f"a tensor of shape {tuple(shape)} where {spec!r} was expected")
    count = math.prod(shape)
    if spec.dtype is not string:
        dtype = np.dtype(spec.dtype.numpy)
        return np.frombuffer(reader.bytes(count * dtype.itemsize), dtype).reshape(shape)
    texts = [reader.bytes(length) for length in reader.numbers(count)]
    made = np.empty(len(texts), object)
    made[:] = texts
    return made.reshape(shape)
