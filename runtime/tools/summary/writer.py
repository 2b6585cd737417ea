"""Writers of event files, the default one of each thread, and whether summaries are recorded at all."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from autograph.errors import FailedPreconditionError, MissingExtraError

from ...base.dtypes import bool_
from ...tensors import convert, trace

if TYPE_CHECKING:
    from ...tensors.likes import TensorLike


class _Local(threading.local):
    writer: SummaryWriter | None = None
    step: Any = None
    record: Any = True  # a bool, a bool tensor, or a function that gives one


local = _Local()


def library(name: str) -> Any:
    """A module of TensorBoard's. Raises `MissingExtraError` when it is not installed."""
    import importlib

    try:
        return importlib.import_module(f"tensorboard.{name}")
    except ImportError as error:
        reason = "is not installed" if isinstance(error, ModuleNotFoundError) else f"can't be imported: {error}"
        raise MissingExtraError(
            f"tf.summary writes files with the library tensorboard, which {reason}",
            remedy="pip install 'autograph-py[tensorboard]'",
        ) from error


class SummaryWriter:
    """Where summaries go. `create_file_writer` and `create_noop_writer` make them.

    Attributes
    ----------
    logdir: the folder of the event file; None for a writer that drops everything.
    """

    def __init__(self, logdir: str | None, open_file: Callable[[], Any] | None = None) -> None:
        self.logdir = logdir
        self._open = open_file
        self._file: Any = None
        self._closed = False
        self._lock = threading.Lock()
        self._graphs: set[str] = set()

    @contextmanager
    def as_default(self, step: TensorLike | None = None) -> Iterator[SummaryWriter]:
        """``with writer.as_default():`` the summaries of this thread go here; ``step`` is their default step.

        Raises `RuntimeError` when the writer is closed.
        """
        self._check_open()
        before = local.writer, local.step
        local.writer = self
        if step is not None:
            local.step = step
        try:
            yield self
            self.flush()
        finally:
            local.writer, local.step = before

    def set_as_default(self, step: object = None) -> None:
        """From now on the summaries of this thread go here."""
        self._check_open()
        local.writer = self
        if step is not None:
            local.step = step

    def init(self) -> None:
        """Open the file now rather than with the first summary."""
        self._opened()

    def flush(self) -> None:
        """Wait until everything is in the file."""
        if self._file is not None and not self._closed:
            self._file.flush()

    def close(self) -> None:
        """Flush and close the file; nothing can be written any more."""
        if not self._closed:
            self._closed = True
            if self._file is not None:
                self._file.close()

    def write_event(self, **content: object) -> None:
        """Append one event: `step`, and `summary` or `graph_def`, protocol buffers of TensorBoard."""
        self._check_open()
        if self._open is not None:
            event = library("compat.proto.event_pb2").Event(wall_time=time.time(), **content)
            self._opened().add_event(event)

    def _opened(self) -> Any:
        self._check_open()
        with self._lock:
            if self._file is None and self._open is not None:
                self._file = self._open()
            return self._file

    def _check_open(self) -> None:
        if self._closed:
            raise FailedPreconditionError(f"SummaryWriter {self!r} is already closed")

    def __repr__(self) -> str:
        return f"<SummaryWriter {self.logdir or 'that drops everything'}>"


def create_file_writer(
    logdir: str | os.PathLike[str],
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str | None = None,
    name: str | None = None,
    experimental_trackable: bool = False,
) -> SummaryWriter:
    """A writer that appends to a new event file in a folder, which TensorBoard reads.

    Parameters
    ----------
    logdir: the folder; it is made.
    max_queue: how many events may wait to be written (10).
    flush_millis: after how many milliseconds they are written at the latest (120,000).
    filename_suffix: the end of the file's name.
    name, experimental_trackable: accepted as in TensorFlow.

    Raises `MissingExtraError` without TensorBoard, `OSError` when the folder can't be made.
    """
    module = library("summary.writer.event_file_writer")
    folder = os.fspath(logdir)
    os.makedirs(folder, exist_ok=True)
    seconds = 120 if flush_millis is None else flush_millis / 1000
    suffix = filename_suffix or ""

    def open_file() -> Any:
        return module.EventFileWriter(folder, 10 if max_queue is None else max_queue, seconds, suffix)

    return SummaryWriter(folder, open_file)


def create_noop_writer() -> SummaryWriter:
    """A writer that drops everything."""
    return SummaryWriter(None)


def flush(writer: SummaryWriter | None = None, name: str | None = None) -> None:
    """Wait until what has been given to a writer (the default one) is in its file."""
    writer = local.writer if writer is None else writer
    if writer is not None:
        writer.flush()


@contextmanager
def record_if(condition: object) -> Iterator[None]:
    """``with record_if(step % 100 == 0):`` summaries are written only where the condition holds.

    ``condition``: a bool, a bool tensor, or a function that gives one, called for each summary.
    """
    before = local.record
    local.record = condition
    try:
        yield
    finally:
        local.record = before


def is_recorded() -> Any:
    """The condition for the next summary: a bool, or a tensor; False without a default writer."""
    if local.writer is None:
        return False
    return local.record() if callable(local.record) else local.record


def should_record_summaries() -> Any:
    """Whether the next summary would be written: a bool tensor."""
    with trace.building(None) if isinstance(is_recorded(), bool) else _nothing():
        return convert.convert_to_tensor(is_recorded(), bool_)


@contextmanager
def _nothing() -> Iterator[None]:
    yield
