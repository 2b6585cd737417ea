"""`tf.io.TFRecordWriter`: files of records, which `tf.data.TFRecordDataset` reads."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Self

from autograph.errors import FailedPreconditionError, InvalidTypeError

from ...base.compressed import Writer, check_compression
from ...base.files import Path
from ...base.records import framed

__all__ = ["TFRecordOptions", "TFRecordWriter"]


class TFRecordOptions:
    """How records are compressed: `"GZIP"`, `"ZLIB"`, or not at all (None or `""`).

    The compression's level counts; TensorFlow's other settings change no file that a reader could tell from another.
    """

    def __init__(
        self, compression_type: str | None = None, flush_mode: int | None = None, input_buffer_size: int | None = None,
        output_buffer_size: int | None = None, window_bits: int | None = None, compression_level: int | None = None,
        compression_method: int | None = None, mem_level: int | None = None, compression_strategy: int | None = None
    ) -> None:  # fmt: skip
        self.compression_type = check_compression(compression_type)
        self.compression_level = compression_level


class TFRecordWriter:
    """Writes records of bytes into a new file; ``with`` closes it.

    Raises `NotFoundError` and others of the file system.
    """

    def __init__(self, path: Path, options: TFRecordOptions | str | None = None) -> None:
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(options)
        level = -1 if options.compression_level is None else options.compression_level
        self._file: Writer | None = Writer(os.fsencode(path), options.compression_type, level)

    def _open(self) -> Writer:
        if self._file is None:
            raise FailedPreconditionError("Writer not initialized or previously closed")
        return self._file

    def write(self, record: bytes) -> None:
        """Appends a record. Raises `InvalidTypeError` for what is no bytes."""
        if not isinstance(record, (bytes, bytearray)):
            raise InvalidTypeError(
                f"a record is bytes, not {type(record).__name__}",
                remedy="example.SerializeToString(), text.encode(), tensor.numpy() of a tensor of strings",
            )
        self._open().write(framed(bytes(record)))

    def flush(self) -> None:
        """Gives what was written to the operating system."""
        self._open().flush()

    def close(self) -> None:
        """Ends the file; nothing when that is done."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 traceback: TracebackType | None) -> None:  # fmt: skip
        self.close()
