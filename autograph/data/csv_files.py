"""`tf.data.experimental.make_csv_dataset`: batches of the rows of files, by the names of their columns."""

from __future__ import annotations

import csv
import itertools
import os
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError
from autograph.runtime.base.compressed import check_compression, reading
from autograph.runtime.base.dtypes import DType, float32, float64, int32, int64, string
from autograph.runtime.base.files import matches

from .dataset import AUTOTUNE, Dataset
from .kinds.files import CsvDataset

__all__ = ["make_csv_dataset"]


def make_csv_dataset(
    file_pattern: Any, batch_size: int, column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None, label_name: str | None = None,
    select_columns: Sequence[int | str] | None = None, field_delim: str = ",", use_quote_delim: bool = True,
    na_value: str = "", header: bool = True, num_epochs: int | None = None, shuffle: bool = True,
    shuffle_buffer_size: int = 10000, shuffle_seed: int | None = None, prefetch_buffer_size: int | None = None,
    num_parallel_reads: int | None = None, sloppy: bool = False, num_rows_for_inference: int | None = 100,
    compression_type: str | None = None, ignore_errors: bool = False, encoding: str = "utf-8"
) -> Dataset:  # fmt: skip
    """Batches of the rows of files: dicts of a tensor for each column, or pairs of such a dict and the labels.

    Parameters
    ----------
    file_pattern: a pattern, as of `tf.io.gfile.glob`, or several.
    column_names: those of the columns; left out: those in the first row of the files, which must be the same in all.
    column_defaults: as of `CsvDataset`, for each column that is read; left out: types that fit the first
        ``num_rows_for_inference`` rows, and zeros or empty strings.
    label_name: the column of the labels.
    select_columns: the numbers or names of the columns to read.
    header: whether files begin with a row of names.
    num_epochs: how often the rows come; without end when left out, and then in whole batches only.
    shuffle, shuffle_buffer_size, shuffle_seed: whether rows come in random order, see `Dataset.shuffle`.
    num_parallel_reads: how many files give their rows in turn.
    ignore_errors: whether rows that do not fit are left out.

    Raises `InvalidArgumentError` for files and columns that are not there, and for rows that do not fit. For the
    others see `CsvDataset`; ``sloppy`` changes nothing.
    """
    compression = check_compression(compression_type)
    is_one = isinstance(file_pattern, (str, bytes, os.PathLike))
    files = sorted(name for each in ([file_pattern] if is_one else file_pattern) for name in matches(each))
    if not files:
        raise InvalidArgumentError(f"No files match `file_pattern` {file_pattern}.")
    table = _Table(files, compression, field_delim, use_quote_delim, encoding)
    names, chosen = _columns(table.names(header) if column_names is None else list(column_names), select_columns)
    if column_defaults is None:
        rows = itertools.islice(table.rows(len(names), header), num_rows_for_inference)
        column_defaults = _inferred(rows, range(len(names)) if chosen is None else chosen, na_value)
    kept = names if chosen is None else [names[place] for place in chosen]
    defaults = _checked(column_defaults, kept, label_name)

    def of_file(name: Any) -> Dataset:
        rows = CsvDataset(name, defaults, compression, None, header, field_delim, use_quote_delim, na_value, chosen)
        return rows.ignore_errors() if ignore_errors else rows

    def named(*columns: Any) -> Any:
        features = dict(zip(kept, columns, strict=True))
        return features if label_name is None else (features, features.pop(label_name))

    dataset = Dataset.from_tensor_slices(files)
    if shuffle:
        dataset = dataset.shuffle(len(files), shuffle_seed)
    dataset = dataset.interleave(of_file, cycle_length=num_parallel_reads or 1)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    batches = dataset.batch(batch_size, drop_remainder=num_epochs is None).map(named)
    return batches.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def _columns(names: list[str], chosen: Sequence[int | str] | None) -> tuple[list[str], list[int] | None]:
    """The names of columns, and the numbers of those that are read."""
    if len(set(names)) != len(names):
        raise InvalidArgumentError(f"several columns have one name: {names}")
    return names, None if chosen is None else _places(chosen, names)


def _checked(defaults: Sequence[Any], names: list[str], label_name: str | None) -> Sequence[Any]:
    """The defaults of columns, if there is one for each, and one is that of the labels."""
    if label_name is not None and label_name not in names:
        raise InvalidArgumentError(f"`label_name` must be one of the columns: {names}. Received: {label_name}.")
    if len(defaults) != len(names):
        raise InvalidArgumentError(f"there are {len(defaults)} column_defaults for {len(names)} columns")
    return defaults


class _Table:
    """The texts in files, to find names and types of columns."""

    def __init__(self, files: list[str], compression: str, delimiter: str, quotes: bool, encoding: str) -> None:
        self._files, self._compression, self._encoding = files, compression, encoding
        self._delimiter, self._quotes = delimiter, quotes

    def _rows_of(self, file: str) -> Iterator[list[str]]:
        with reading(file, self._compression) as content:
            text = TextIOWrapper(content, self._encoding, newline="")
            if self._quotes:
                yield from csv.reader(text, delimiter=self._delimiter)
            else:
                yield from csv.reader(text, delimiter=self._delimiter, quoting=csv.QUOTE_NONE)

    def names(self, header: bool) -> list[str]:
        """The first row of all files."""
        if not header:
            raise InvalidArgumentError("Expected `column_names` or `header` arguments. Neither is provided.")
        firsts = [next(self._rows_of(file), None) for file in self._files]
        for file, first in zip(self._files, firsts, strict=True):
            if not first or first != firsts[0]:
                raise InvalidArgumentError(
                    f"All input CSV files should have the same column names in the header row. File {file} has "
                    f"{first or 'none'}."
                )
        return firsts[0] or []

    def rows(self, count: int, header: bool) -> Iterator[list[str]]:
        """The rows of all files, which have so many fields."""
        for file in self._files:
            for number, row in enumerate(self._rows_of(file), 1):
                if header and number == 1:
                    continue
                if len(row) != count:
                    raise InvalidArgumentError(
                        f"Problem inferring types: CSV row {number} of {file} has {len(row)} number of fields. "
                        f"Expected: {count}."
                    )
                yield row


def _places(chosen: Sequence[int | str], names: list[str]) -> list[int]:
    """The numbers of columns, rising."""
    known: dict[int | str, int] = {**{i: i for i in range(len(names))}, **{name: i for i, name in enumerate(names)}}
    wrong = [each for each in chosen if each not in known]
    if wrong:
        raise InvalidArgumentError(f"`select_columns` names columns that are not there: {wrong} are none of {names}")
    places = sorted({known[each] for each in chosen})
    if len(places) != len(chosen):
        raise InvalidArgumentError(f"The `select_columns` argument contains duplicate columns: {list(chosen)}")
    return places


_TYPES = (int32, int64, float32, float64, string)
"""From the type that the fewest texts fit to that which all do."""


def _inferred(rows: Iterator[list[str]], places: Sequence[int], na_value: str) -> list[Any]:
    """For each column a default of the first type that all its fields fit."""
    ranks: list[int | None] = [None] * len(places)
    for row in rows:
        for i, place in enumerate(places):
            if row[place] not in ("", na_value):
                known = ranks[i] or 0
                ranks[i] = next(rank for rank in range(known, len(_TYPES)) if _fits(row[place], _TYPES[rank]))
    types = [string if rank is None else _TYPES[rank] for rank in ranks]
    return [b"" if dtype is string else np.zeros((), dtype.numpy) for dtype in types]


def _fits(text: str, dtype: DType) -> bool:
    if dtype is string:
        return True
    try:
        if dtype.is_integer:
            return bool(dtype.min <= int(text) <= dtype.max)
        with np.errstate(over="ignore"):
            return bool(dtype.numpy.type(text) < np.inf)
    except (ValueError, OverflowError):
        return False
