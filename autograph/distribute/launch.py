"""Processes of one program on this machine: started together, watched, and all started again when one fails.

A process whose peer has died can't go on: what they compute together never ends, or JAX aborts it. So all end, and all
begin again, from the last checkpoint if the program keeps some.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from socket import socket
from typing import IO, Any, BinaryIO

__all__ = ["ATTEMPT", "Launch", "free_addresses", "launch"]

ATTEMPT = "AUTOGRAPH_LAUNCH_ATTEMPT"
"""The environment variable that tells a process how often all have been started before: "0", "1" …"""
_PAUSE = 0.05
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


@dataclass(frozen=True)
class Launch:
    """What to start.

    Attributes
    ----------
    command: of one process.
    count: how many there are.
    restarts: how often all are started again at most.
    grace: how many seconds a process has to end after SIGTERM, before SIGKILL.
    devices: into how many devices the CPU of each is divided; None: as its environment says.
    folder: where what they print is written to, a file for each; None: it is printed, each line with its process.
    """

    command: Sequence[str]
    count: int
    restarts: int = 3
    grace: float = 5.0
    devices: int | None = None
    folder: Path | None = None


@dataclass(frozen=True)
class _Failed:
    """A process that has ended with a code other than 0; below 0 it is a signal."""

    index: int
    code: int

    def __str__(self) -> str:
        if self.code >= 0:
            return f"worker {self.index} has ended with code {self.code}"
        names = {each.value: each.name for each in signal.Signals}
        return f"worker {self.index} was ended by {names.get(-self.code, f'signal {-self.code}')}"


def launch(given: Launch) -> int:
    """Run the processes until all have ended well; returns the exit code.

    That is 0; after the last restart that of the process which failed first (128 and the signal, if it was one); and
    130 or 143 after Ctrl-C and SIGTERM, by which all processes are ended. They don't outlive this one, either: on Linux
    the kernel ends them with it.
    """
    with _stopping_at(signal.SIGTERM):
        try:
            return _attempts(given)
        except KeyboardInterrupt:
            return 128 + signal.SIGINT
        except _Stop:
            return 128 + signal.SIGTERM


def _attempts(given: Launch) -> int:
    for attempt in itertools.count():
        started = time.monotonic()
        with _Group(given, attempt) as group:
            failed = group.wait()
            seconds = time.monotonic() - started
        if failed is None:
            return 0
        _say(f"{failed}, {seconds:.1f} s after all were started; the others are stopped")
        if attempt == given.restarts:
            _say("given up" if not attempt else f"given up after {attempt} restart{'s' * (attempt > 1)}")
            return failed.code if failed.code >= 0 else 128 - failed.code
        _say(f"all are started again: restart {attempt + 1} of {given.restarts}")
    raise AssertionError("there is no end of attempts")


class _Group:
    """The processes of one attempt, and the threads that pass on what they print; none outlives the `with`."""

    def __init__(self, given: Launch, attempt: int) -> None:
        self._given = given
        self._processes: list[subprocess.Popen[bytes]] = []
        self._threads: list[threading.Thread] = []
        self._files = contextlib.ExitStack()
        try:
            for index, variables in enumerate(_environments(given, attempt)):
                self._start(index, variables)
        except BaseException:
            self._stop()
            raise

    def __enter__(self) -> _Group:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def _start(self, index: int, variables: dict[str, str]) -> None:
        out: Any = subprocess.PIPE
        if self._given.folder is not None:
            self._given.folder.mkdir(parents=True, exist_ok=True)
            out = self._files.enter_context((self._given.folder / f"worker-{index}.log").open("ab"))
        process = subprocess.Popen(
            self._given.command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=variables,
            start_new_session=True, preexec_fn=_die_with_parent if sys.platform == "linux" else None
        )  # fmt: skip
        self._processes.append(process)
        for pipe, target in ((process.stdout, sys.stdout), (process.stderr, sys.stderr)):
            if pipe is not None:
                thread = threading.Thread(target=_pass_on, args=(pipe, target, index), daemon=True)
                thread.start()
                self._threads.append(thread)

    def wait(self) -> _Failed | None:
        """The first process that fails, None when all have ended well."""
        while True:
            codes = [process.poll() for process in self._processes]
            failed = [_Failed(index, code) for index, code in enumerate(codes) if code]
            if failed:  # one that was killed is what others have failed by
                return min(failed, key=lambda each: each.code >= 0)
            if None not in codes:
                return None
            time.sleep(_PAUSE)

    def _stop(self) -> None:
        self._signal(signal.SIGTERM)
        end = time.monotonic() + self._given.grace
        while any(process.poll() is None for process in self._processes) and time.monotonic() < end:
            time.sleep(_PAUSE)
        self._signal(signal.SIGKILL)  # also what the processes have started themselves
        for process in self._processes:
            process.wait()
        for thread in self._threads:
            thread.join()
        self._files.close()

    def _signal(self, number: int) -> None:
        for process in self._processes:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, number)


def _environments(given: Launch, attempt: int) -> list[dict[str, str]]:
    """The environment of each process."""
    cluster = {"worker": free_addresses(given.count)}
    common = {**os.environ, "PYTHONUNBUFFERED": "1", ATTEMPT: str(attempt)}
    if given.devices is not None:
        flags = os.environ.get("XLA_FLAGS", "")
        common["XLA_FLAGS"] = f"{flags} --xla_force_host_platform_device_count={given.devices}".strip()
    tasks = [{"type": "worker", "index": index} for index in range(given.count)]
    return [{**common, "TF_CONFIG": json.dumps({"cluster": cluster, "task": task})} for task in tasks]


def free_addresses(count: int) -> list[str]:
    """Addresses of this machine that nobody uses, for so many processes."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [f"127.0.0.1:{each.getsockname()[1]}" for each in sockets]


_printing = threading.Lock()


def _pass_on(pipe: IO[bytes], target: Any, index: int) -> None:
    """Print what a process prints, line by line."""
    out: BinaryIO | None = getattr(target, "buffer", None)
    with pipe:
        for line in pipe:
            text = b"[worker %d] " % index + line.rstrip(b"\n") + b"\n"
            with _printing, contextlib.suppress(BrokenPipeError, ValueError):
                if out is None:
                    target.write(text.decode(errors="replace"))
                else:
                    out.write(text)
                target.flush()


def _say(text: str) -> None:
    with _printing:
        print(f"autograph launch: {text}", file=sys.stderr, flush=True)


class _Stop(BaseException):
    """This process has been told to end."""


@contextlib.contextmanager
def _stopping_at(number: signal.Signals) -> Iterator[None]:
    """Have a signal end what runs in here as Ctrl-C does."""

    def stop(*_: object) -> None:
        raise _Stop

    before = signal.signal(number, stop)
    try:
        yield
    finally:
        signal.signal(number, before)


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
