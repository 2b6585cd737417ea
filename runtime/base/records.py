"""Records of bytes in a file, as TensorFlow's TFRecord has them.

Each record is its length (8 bytes, the lowest first), the masked CRC-32C of these (4 bytes), the bytes, and their
masked CRC-32C (4 bytes).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import IO

from autograph.errors import DataLossError

from .compressed import reading
from .crc32c import masked

__all__ = ["framed", "records"]

_LENGTH = struct.Struct("<Q")
_SUM = struct.Struct("<I")
_HEADER = _LENGTH.size + _SUM.size
_PIECE = 1 << 24


def framed(data: bytes) -> bytes:
    """A record as it stands in a file."""
    length = _LENGTH.pack(len(data))
    return length + _SUM.pack(masked(length)) + data + _SUM.pack(masked(data))


def records(path: str | bytes, compression: str) -> Iterator[bytes]:
    """The records of a file, one by one.

    Raises `DataLossError` for a file that ends within a record, and where a check sum does not fit.
    """
    with reading(path, compression) as file:
        at = 0
        while header := file.read(_HEADER):
            if len(header) < _HEADER:
                raise _lost("truncated", at)
            (length,) = _LENGTH.unpack(header[: _LENGTH.size])
            _check(header[: _LENGTH.size], header[_LENGTH.size :], at)
            data = _exactly(file, length, at)
            _check(data, _exactly(file, _SUM.size, at), at)
            at += _HEADER + length + _SUM.size
            yield data


def _exactly(file: IO[bytes], length: int, at: int) -> bytes:
    """The next bytes; read in pieces, for a length may be damaged, too."""
    parts = []
    while length:
        part = file.read(min(length, _PIECE))
        if not part:
            raise _lost("truncated", at)
        length -= len(part)
        parts.append(part)
    return b"".join(parts)


def _check(data: bytes, wanted: bytes, at: int) -> None:
    if _SUM.pack(masked(data)) != wanted:
        raise _lost("corrupted", at)


def _lost(what: str, at: int) -> DataLossError:
    return DataLossError(f"{what} record at {at}", remedy="copy the file again from where it is whole")
