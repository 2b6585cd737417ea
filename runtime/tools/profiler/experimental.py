"""Taking profiles: `start` and `stop`, or ``with Profile(folder):``."""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import threading
import time
from collections import namedtuple
from pathlib import Path

from autograph.errors import AlreadyExistsError, UnavailableError
from autograph.tracebacks import leaving

from ...base import copies
from ...engines import recorder
from ...functions import concrete
from ...ir.graph import Graph

__all__ = ["Profile", "ProfilerOptions", "Trace", "start", "stop"]

ProfilerOptions = namedtuple(
    "ProfilerOptions", "host_tracer_level python_tracer_level device_tracer_level delay_ms", defaults=(2, 0, 1, None)
)
"""Accepted as in TensorFlow. There is one level here: all nodes of all graphs."""

_lock = threading.Lock()
_folder = Path()


def start(logdir: str | os.PathLike[str], options: object = None) -> None:
    """Begin to record, for all threads, how long each node of each graph that is called takes.

    logdir: the folder for the files that `stop` writes. Graphs run more slowly meanwhile, and none becomes machine code
    that is not yet; what is machine code is recorded as a whole. Raises `AlreadyExistsError` when a profile is being
    taken.
    """
    global _folder
    with _lock:
        if recorder.active is not None:
            remedy = "call tf.profiler.experimental.stop() first"
            raise AlreadyExistsError("Another profiler is running.", remedy=remedy)
        _folder = Path(logdir)
        recorder.active = recorder.Recorder()
        copies.listener = recorder.active.copied
        concrete.observers.append(_looks_on)


def stop(save: bool = True) -> None:
    """End recording, and write ``plugins/profile/<time>/<host>.trace.json`` and ``….summary.txt`` in the folder.

    save: False: nothing is written. Raises `UnavailableError` when no profile is being taken.
    """
    with _lock:
        found = recorder.active
        if found is None:
            raise UnavailableError(
                "Cannot export profiling results. No profiler is running.",
                remedy="call tf.profiler.experimental.start(folder) first",
            )
        recorder.active = copies.listener = None
        concrete.observers.remove(_looks_on)
    if save:
        found.write(_new_folder(_folder / "plugins" / "profile"), socket.gethostname() or "localhost")


def _looks_on(graph: Graph) -> None:
    """An observer, for which each call takes the long way: past plans that record nothing."""


def _new_folder(parent: Path) -> Path:
    now = time.strftime("%Y_%m_%d_%H_%M_%S")
    parent.mkdir(parents=True, exist_ok=True)
    for number in itertools.count():
        folder = parent / (f"{now}_{number}" if number else now)
        with contextlib.suppress(FileExistsError):
            folder.mkdir()
            break
    return folder


class Profile:
    """``with Profile(folder):`` takes a profile of what runs in it: `start` at the beginning, `stop` at the end."""

    def __init__(self, logdir: str | os.PathLike[str], options: object = None) -> None:
        self._logdir, self._options = logdir, options

    def __enter__(self) -> None:
        start(self._logdir, self._options)

    def __exit__(self, *exception: object) -> None:
        stop()


class Trace:
    """``with Trace(name, **details):`` is an event of its own in a profile, such as a training step."""

    def __init__(self, name: str, **kwargs: object) -> None:
        self._name, self._details = name, kwargs
        self._started = 0

    def __enter__(self) -> Trace:
        self._started = recorder.clock()
        return self

    def set_metadata(self, **kwargs: object) -> None:
        """Add details to the event."""
        self._details |= kwargs

    def __exit__(self, *exception: object) -> None:
        if recorder.active is not None:
            recorder.active.add(self._name, self._started, self._details)


leaving.public_module(__name__)
