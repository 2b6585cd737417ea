"""Datasets of what stands in files: records, lines, pieces of one length, rows of text; and of the files' names."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any, cast

import numpy as np

from autograph.errors import InvalidArgumentError, InvalidTypeError
from autograph.runtime.base.compressed import check_compression, reading
from autograph.runtime.base.dtypes import DType, as_dtype, int64, string
from autograph.runtime.base.records import records
from autograph.runtime.ops.elementwise.math import maximum
from autograph.runtime.ops.files.csv import CSV_TYPES, RowParser, check_columns, column, fields_of
from autograph.runtime.ops.files.files import matching_files
from autograph.runtime.ops.shape.shape import reshape, size
from autograph.runtime.state.debugging import Assert
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.runtime.tensors.spec import TensorSpec

from ..arguments import number, require_positive, static
from ..dataset import AUTOTUNE, Dataset
from ..failures import Failure, Item, attempt
from ..functions import Environment
from ..in_files import LIST_FILES
from ..structure import Element

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import TensorLike

__all__ = ["CsvDataset", "FixedLengthRecordDataset", "TFRecordDataset", "TextLineDataset", "list_files"]


def _names(filenames: Any) -> Dataset:
    """The names of files, one by one."""
    if isinstance(filenames, Dataset):
        _check_names(filenames.element_spec)
        return filenames if filenames.element_spec.shape.rank == 0 else filenames.unbatch()
    if isinstance(filenames, (list, tuple)):
        filenames = [os.fspath(each) if isinstance(each, os.PathLike) else each for each in filenames]
    elif isinstance(filenames, os.PathLike):
        filenames = os.fspath(filenames)
    tensor = convert_to_tensor(filenames if not isinstance(filenames, list) or filenames else np.empty(0, object))
    _check_names(TensorSpec(None, tensor.dtype))
    return Dataset.from_tensor_slices(reshape(tensor, [-1]))


def _check_names(spec: object) -> None:
    if not isinstance(spec, TensorSpec) or spec.dtype is not string:
        raise InvalidTypeError(f"The `filenames` argument must contain `tf.string` elements. Got {spec!r}.")


class _Files(Dataset):
    """What stands in files, one after the other; with ``parallel`` reads the elements of so many come in turn."""

    def __init__(self, filenames: Any, specs: object, parallel: int | None = None,
                 again: Callable[[Any], Dataset] | None = None, tensors: Sequence[Any] = ()) -> None:  # fmt: skip
        names = _names(filenames)
        self._is_parallel = parallel is not None and again is not None
        if parallel is not None and again is not None:
            names = names.interleave(again, cycle_length=None if parallel == AUTOTUNE else parallel)
        super().__init__(specs, [names], tensors)

    def elements(self, environment: Environment) -> Iterator[Item]:
        source = self.sources[0].elements(environment)
        if self._is_parallel:
            return source
        return (found for item in source for found in self._of_item(item, environment))

    def _of_item(self, item: Item, environment: Environment) -> Iterable[Item]:
        if isinstance(item, Failure):
            return [item]
        return self._of_file(_bytes(item[0]), environment)

    def _of_file(self, name: bytes, environment: Environment) -> Iterator[Item]:
        raise NotImplementedError


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else value[()]


def _text(value: bytes) -> Any:
    return np.array(value, object)


class _Strings(_Files):
    """Strings that files hold, which may be compressed."""

    def __init__(
        self, filenames: Any, compression_type: str | None = None, buffer_size: object = None,
        num_parallel_reads: int | None = None, name: str | None = None
    ) -> None:  # fmt: skip
        self._compression = check_compression(compression_type)
        super().__init__(filenames, TensorSpec((), string), num_parallel_reads,
                         lambda file: type(self)(file, compression_type))  # fmt: skip


class TFRecordDataset(_Strings):
    """The records of files of TensorFlow's format, each a string: those that `tf.io.TFRecordWriter` writes.

    ``filenames`` is a string, a list, a tensor or a dataset of strings; ``compression_type`` is `"GZIP"`, `"ZLIB"` or
    empty; ``num_parallel_reads`` files (`AUTOTUNE`: some) give their records in turn. An iteration raises
    `NotFoundError` for a file that is not there, and `DataLossError` for a damaged one.
    """

    _name = "TFRecordDatasetV2"

    def _of_file(self, name: bytes, environment: Environment) -> Iterator[Item]:
        return ((_text(record),) for record in records(name, self._compression))


class TextLineDataset(_Strings):
    """The lines of files of text, each a string without its end. For the arguments see `TFRecordDataset`."""

    _name = "TextLineDatasetV2"

    def _of_file(self, name: bytes, environment: Environment) -> Iterator[Item]:
        with reading(name, self._compression) as file:
            for line in file:
                yield (_text(line.removesuffix(b"\n").replace(b"\r", b"")),)


class FixedLengthRecordDataset(_Files):
    """Pieces of files, each a string of ``record_bytes`` bytes, after a header and before a footer of some bytes.

    For the other arguments see `TFRecordDataset`. An iteration raises `InvalidArgumentError` for a file of which such
    pieces are not the whole.
    """

    _name = "FixedLengthRecordDatasetV2"

    def __init__(
        self, filenames: Any, record_bytes: TensorLike, header_bytes: TensorLike | None = None,
        footer_bytes: TensorLike | None = None, buffer_size: object = None, compression_type: str | None = None,
        num_parallel_reads: int | None = None, name: str | None = None
    ) -> None:  # fmt: skip
        self._compression = check_compression(compression_type)
        given = (record_bytes, header_bytes, footer_bytes)
        sizes = self._sizes = [number(0 if each is None else each, "the size") for each in given]
        if (known := static(self._sizes[0])) is not None:
            require_positive(known, "record_bytes")
        super().__init__(
            filenames, TensorSpec((), string), num_parallel_reads,
            lambda file: FixedLengthRecordDataset(file, sizes[0], sizes[1], sizes[2], None, compression_type),
            self._sizes,
        )  # fmt: skip

    def _of_file(self, name: bytes, environment: Environment) -> Iterator[Item]:
        size, header, footer = [environment.number(each) for each in self._sizes]
        require_positive(size, "record_bytes")
        with reading(name, self._compression) as file:
            start, ahead = file.read(header), file.read(footer)
            while len(piece := file.read(size)) == size:
                ahead += piece
                yield (_text(ahead[:size]),)
                ahead = ahead[size:]
        if piece or len(start) < header or len(ahead) < footer:
            raise InvalidArgumentError(
                f"{os.fsdecode(name)} is not made of records of {size} bytes after a header of {header} and before a "
                f"footer of {footer}"
            )


class CsvDataset(_Files):
    """The rows of files of text (RFC 4180), each a tuple of a scalar for each column.

    ``record_defaults`` has for each column that is read what empty fields become, or a dtype (float32, float64, int32,
    int64 or string) where there must be none. ``header`` says whether files begin with a row of names;
    ``select_cols`` are the numbers of the columns to read, ``exclude_cols`` those not to read. An iteration raises
    `InvalidArgumentError` for a row that does not fit; `ignore_errors` leaves it out.
    """

    _name = "CsvDatasetV2"

    def __init__(
        self, filenames: Any, record_defaults: Sequence[Any], compression_type: str | None = None,
        buffer_size: object = None, header: bool = False, field_delim: str = ",", use_quote_delim: bool = True,
        na_value: str = "", select_cols: Sequence[int] | None = None, exclude_cols: Sequence[int] | None = None,
        name: str | None = None
    ) -> None:  # fmt: skip
        self._compression = check_compression(compression_type)
        defaults = [_default(each) for each in record_defaults]
        types = [dtype for dtype, _ in defaults]
        check_columns(len(types), field_delim, select_cols)
        if select_cols is not None and exclude_cols is not None:
            raise InvalidArgumentError("Either select_cols or exclude_cols should be empty, but not both.")
        self._header, self._delimiter, self._quotes = bool(header), field_delim.encode(), bool(use_quote_delim)
        self._excluded = frozenset(exclude_cols or ())
        self._parser = RowParser(types, [default for _, default in defaults], na_value.encode(), select_cols)
        self._types = types
        super().__init__(filenames, tuple(TensorSpec((), dtype) for dtype in types))

    def _of_file(self, name: bytes, environment: Environment) -> Iterator[Item]:
        with reading(name, self._compression) as file:
            rows = enumerate(_rows(file, self._quotes))
            if self._header:
                next(rows, None)
            for place, row in rows:
                yield attempt(self._values, row, place)

    def _values(self, row: bytes, place: int) -> Element:
        fields = fields_of(row, self._delimiter, self._quotes) or [b""]
        kept = [field for i, field in enumerate(fields) if i not in self._excluded]
        values = self._parser.values(kept, place)
        return tuple([column([value], dtype).reshape(()) for value, dtype in zip(values, self._types, strict=True)])


def _default(given: Any) -> tuple[DType, Any]:
    """The dtype of a column, and what empty fields are; None where there must be none."""
    if isinstance(given, (DType, type)):
        dtype, value = as_dtype(given), cast(Any, np.zeros(0))
    else:
        tensor = convert_to_tensor(given)
        dtype, value = tensor.dtype, trace.static_value(tensor)
        if value is None:
            raise InvalidTypeError("the default of a column must be known while tracing")
    if dtype not in CSV_TYPES:
        raise InvalidTypeError(f"a column can't be read as {dtype.name}: float32, float64, int32, int64 or string")
    flat = np.asarray(value, dtype.numpy).reshape(-1)
    return dtype, flat[0] if flat.size else None


def _rows(file: IO[bytes], quotes: bool) -> Iterator[bytes]:
    """The rows of a file: lines, joined where a quoted field has line ends in it."""
    row = b""
    for line in file:
        row += line
        if not quotes or row.count(b'"') % 2 == 0:
            yield row.removesuffix(b"\n").removesuffix(b"\r")
            row = b""
    if row:
        yield row


@LIST_FILES.give
def list_files(file_pattern: Any, shuffle: bool | None, seed: int | None) -> Dataset:
    """The names of files, as `Dataset.list_files`."""
    found = matching_files(file_pattern)
    Assert(size(found) > 0, ["No files matched pattern: ", file_pattern])
    dataset = Dataset.from_tensor_slices(found)
    if shuffle is False:
        return dataset
    return dataset.shuffle(maximum(size(found, out_type=int64), 1), seed, reshuffle_each_iteration=True)
