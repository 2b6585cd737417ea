"""Files as they are, or as their compression says: plain, GZIP (RFC 1952) or ZLIB (RFC 1950)."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from autograph.errors import DataLossError, InvalidArgumentError

from .files import as_errors, local

__all__ = ["Writer", "check_compression", "reading"]

_PIECE = 1 << 16


def check_compression(compression: str | None) -> str:
    """`""`, `"GZIP"` or `"ZLIB"`; raises `InvalidArgumentError` for any other word."""
    if (compression or "") not in ("", "GZIP", "ZLIB"):
        raise InvalidArgumentError(
            f"Unsupported compression type: {compression!r}", remedy='files are read as "GZIP", "ZLIB" or "" (plain)'
        )
    return compression or ""


class _Zlib(io.RawIOBase):
    """What a file holds in the form of ZLIB."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._made = zlib.decompressobj()
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest and not self._made.eof:
            piece = self._made.unconsumed_tail or self._file.read(_PIECE)
            if not piece:
                raise EOFError("it ends before the compressed data do")
            self._rest = self._made.decompress(piece, _PIECE)
        taken, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(taken)] = taken
        return len(taken)


@contextmanager
def reading(path: str | bytes, compression: str) -> Iterator[IO[bytes]]:
    """A file that is read, decompressed.

    Raises `NotFoundError` and others of the file system, and `DataLossError` for what is damaged.
    """
    name = local(path)
    with as_errors(name), open(name, "rb") as file:
        try:
            if compression == "GZIP":
                with gzip.GzipFile(fileobj=file) as unpacked:
                    yield unpacked  # type: ignore[misc]
            else:
                yield io.BufferedReader(_Zlib(file), _PIECE) if compression == "ZLIB" else file
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise DataLossError(f"{name} is damaged, or not compressed with {compression}: {error}") from None


class Writer:
    """A file that is written, compressed."""

    def __init__(self, path: str | bytes, compression: str, level: int = -1) -> None:
        name = local(path)
        with as_errors(name):
            self._file = open(name, "wb")  # noqa: SIM115
        windows = {"GZIP": zlib.MAX_WBITS | 16, "ZLIB": zlib.MAX_WBITS}.get(compression)
        self._made = None if windows is None else zlib.compressobj(level, zlib.DEFLATED, windows)

    def write(self, data: bytes) -> None:
        """Appends bytes."""
        self._file.write(data if self._made is None else self._made.compress(data))

    def flush(self) -> None:
        """Gives everything so far to the operating system."""
        if self._made is not None:
            self._file.write(self._made.flush(zlib.Z_SYNC_FLUSH))
        self._file.flush()

    def close(self) -> None:
        """Ends the file."""
        if self._made is not None:
            self._file.write(self._made.flush())
        self._file.close()
