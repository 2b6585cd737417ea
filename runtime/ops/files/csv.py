"""Rows of text: fields between commas (RFC 4180), as numbers and strings."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base.dtypes import Array, DType, float32, float64, int32, int64, string
from ...base.shapes import Shape
from ...ir.graph import Type
from ...ir.kinds import BOOL, INT, TEXT, kinds, optional, tuple_of
from ...ir.op import NOT_DIFFERENTIABLE, op
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import TensorLike
from ..infer import require, require_kind
from ..kernels import samples as s

if TYPE_CHECKING:
    from ...tensors.tensor import Tensor

__all__ = ["CSV_TYPES", "RowParser", "check_columns", "decode_csv", "fields_of"]

CSV_TYPES = (float32, float64, int32, int64, string)
"""What fields may be read as."""


def fields_of(record: bytes, delimiter: bytes, quotes: bool) -> list[bytes]:
    """The fields of a row; none of an empty one. Raises `InvalidArgumentError` for quotes that do not fit."""
    found: list[bytes] = []
    at = 0
    while record:
        if quotes and record[at : at + 1] == b'"':
            text, at = _quoted(record, at + 1)
            require(record[at : at + 1] in (b"", delimiter),
                    "Quote inside a string has to be escaped by another quote")  # fmt: skip
        else:
            end = record.find(delimiter, at)
            end = len(record) if end < 0 else end
            text, at = record[at:end], end
            is_plain = b"\n" not in text and b"\r" not in text and not (quotes and b'"' in text)
            require(is_plain, "Unquoted fields cannot have quotes/CRLFs inside")
        found.append(text)
        if at >= len(record):
            break
        at += 1
    return found


def _quoted(record: bytes, at: int) -> tuple[bytes, int]:
    """The text up to the quote that ends it, and the place behind that."""
    parts = []
    while True:
        end = record.find(b'"', at)
        require(end >= 0, "Quoted field has to end with quote followed by delim or end")
        parts.append(record[at:end])
        if record[end + 1 : end + 2] != b'"':
            return b'"'.join(parts), end + 1
        at = end + 2


_WHOLE = re.compile(rb"[+-]?[0-9]+")


def _number(text: bytes, dtype: DType) -> Any:
    bare = text.strip()
    if dtype.is_integer:
        value = int(bare) if _WHOLE.fullmatch(bare) else None
        return value if value is not None and dtype.min <= value <= dtype.max else None
    try:
        return None if b"_" in bare else float(bare)
    except ValueError:
        return None


class RowParser:
    """The values of the fields of rows, in columns of some types.

    ``defaults`` hold what an empty field is, None where it must not be empty.
    """

    def __init__(self, types: Sequence[DType], defaults: Sequence[Any], na_value: bytes,
                 selected: Sequence[int] | None) -> None:  # fmt: skip
        self._types, self._defaults, self._missing, self._selected = types, defaults, (b"", na_value), selected

    def values(self, fields: list[bytes], row: int) -> list[Any]:
        """The values of a row, whose number errors tell. Raises `InvalidArgumentError` for what does not fit."""
        wanted = len(self._types)
        if self._selected is not None:
            chosen = [fields[place] for place in self._selected if place < len(fields)]
            require(len(chosen) == wanted, f"Expect {max(self._selected) + 1} fields but have {len(fields)} in record "
                    f"{row}")  # fmt: skip
            fields = chosen
        require(len(fields) == wanted, f"Expect {wanted} fields but have {len(fields)} in record {row}")
        return [self._value(text, column, row) for column, text in enumerate(fields)]

    def _value(self, text: bytes, column: int, row: int) -> Any:
        dtype = self._types[column]
        if text in self._missing:
            require(self._defaults[column] is not None, f"Field {column} is required but missing in record {row}!")
            return self._defaults[column]
        if dtype is string:
            return text
        value = _number(text, dtype)
        require(value is not None, f"Field {column} in record {row} is not a valid {dtype.name}: "
                f"{text.decode('utf-8', 'replace')}")  # fmt: skip
        return value


def column(values: Sequence[Any], dtype: DType) -> Array:
    """A vector of values."""
    made = np.empty(len(values), dtype.numpy)
    with np.errstate(over="ignore"):
        made[:] = values
    return made


def check_columns(count: int, field_delim: str, select_cols: Sequence[int] | None) -> None:
    """Raises `InvalidArgumentError` for options that do not fit each other."""
    require(len(field_delim.encode()) == 1 and field_delim not in '"\n\r', "field_delim should be only 1 char")
    if select_cols is not None:
        require(all(a < b for a, b in pairwise(select_cols)) and min(select_cols, default=0) >= 0,
                "select_cols is not strictly increasing.")  # fmt: skip
        require(len(select_cols) == count, "Length of select_cols and record_defaults do not match.")


def _infer(records: Type, *defaults: Type, field_delim: str, use_quote_delim: bool, na_value: str,
           select_cols: tuple[int, ...] | None) -> tuple[Type, ...]:  # fmt: skip
    require_kind(records, "S", "a record")
    check_columns(len(defaults), field_delim, select_cols)
    require(len(defaults) > 0, "record_defaults must not be empty")
    for i, each in enumerate(defaults):
        require(each.dtype in CSV_TYPES, f"a field can't be read as {each.dtype.name}")
        _check_default(i, each.shape)
    return tuple(Type(each.dtype, records.shape) for each in defaults)


def _check_default(place: int, shape: Shape) -> None:
    fits = shape is None or shape == () or (len(shape) == 1 and shape[0] in (None, 0, 1))
    require(fits, f"There should only be 1 default per field but field {place} has the shape {shape}")


def _decode(records: Any, *defaults: Any, field_delim: str, use_quote_delim: bool, na_value: str,
            select_cols: tuple[int, ...] | None) -> tuple[Array, ...]:  # fmt: skip
    for i, each in enumerate(defaults):
        _check_default(i, np.shape(each))
    rows = np.asarray(records, object)
    types = [_dtype_of(each) for each in defaults]
    known = [np.asarray(each, dtype.numpy).reshape(-1) for each, dtype in zip(defaults, types, strict=True)]
    parser = RowParser(types, [each[0] if each.size else None for each in known], na_value.encode(), select_cols)
    delimiter = field_delim.encode()
    read = [parser.values(fields_of(record, delimiter, use_quote_delim), i) for i, record in enumerate(rows.flat)]
    columns: list[Any] = list(zip(*read, strict=True)) or [()] * len(types)
    return tuple([column(values, dtype).reshape(rows.shape) for values, dtype in zip(columns, types, strict=True)])


def _dtype_of(value: Any) -> DType:
    return string if isinstance(value, bytes) or value.dtype == object else _BY_NAME[value.dtype.name]


_BY_NAME = {each.name: each for each in CSV_TYPES}
_PLAIN = {"field_delim": ",", "use_quote_delim": True, "na_value": "", "select_cols": None}
_sample: Callable[..., Any] = s.sample
DECODE_CSV = op("decode_csv", gradient=NOT_DIFFERENTIABLE, infer=_infer, numpy=_decode, fresh=True,
                samples=lambda: [_sample(["1,2.5,a", '3,,"b,""c"'], 0, 0.5, "", **_PLAIN),
                                 _sample("7,x", [1], np.zeros(0, object), **_PLAIN),
                                 _sample("7|NA|9", 1, 2, **{**_PLAIN, "field_delim": "|", "na_value": "NA",
                                                            "select_cols": (1, 2)})],
                raises=(InvalidArgumentError,), doc="The fields of rows of text, column by column.",
                attributes=kinds("", field_delim=TEXT, use_quote_delim=BOOL, na_value=TEXT,
                                 select_cols=optional(tuple_of(INT))))  # fmt: skip


def decode_csv(
    records: TensorLike, record_defaults: Sequence[Any], field_delim: str = ",", use_quote_delim: bool = True,
    na_value: str = "", select_cols: Sequence[int] | None = None, name: str | None = None
) -> list[Tensor]:  # fmt: skip
    """The fields of rows of text (RFC 4180) as a list of tensors, one for each column, in the shape of ``records``.

    ``record_defaults`` has for each column a scalar, or a list of one, that empty fields become, or a tensor of shape
    (0,) where there must be none; its dtype (float32, float64, int32, int64 or string) is that of the column.
    ``select_cols`` are the numbers of the columns to read, rising; ``na_value`` stands for an empty field, too.
    Raises `InvalidArgumentError` for rows of other lengths, other fields and missing ones.
    """
    defaults = [convert_to_tensor(default) for default in record_defaults]
    chosen = None if select_cols is None else tuple(map(int, select_cols))
    return list(DECODE_CSV(records, *defaults, field_delim=field_delim, use_quote_delim=bool(use_quote_delim),
                           na_value=na_value, select_cols=chosen, name=name))  # fmt: skip
