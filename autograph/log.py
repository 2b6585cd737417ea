"""What verbosity shows: what was converted or not and why, the generated source, the source after every pass.

And the line on a terminal that tells what a program is waiting for while a long trace or compilation is under way.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from functools import cache
from types import FunctionType

from .settings import checked_verbosity, settings


def log(level: int, text: str, function: FunctionType | None = None, line: int | None = None) -> None:
    """Prints a line on stderr (and on stdout, when that was asked for) if the verbosity is at least `level`.

    The line tells where the function is: at its first line, or at another one of its file.
    """
    if settings.verbosity < level:
        return
    if function is not None:
        code = function.__code__
        text = f'File "{code.co_filename}", line {line or code.co_firstlineno}, in {function.__qualname__}: {text}'
    print(f"autograph: {text}", file=sys.stderr)
    if settings.also_log_to_stdout:
        print(f"autograph: {text}")


@cache
def log_once(text: str) -> None:
    """A line that is the same for all graphs, the first time."""
    log(1, text)


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Sets how much is shown of what autograph does.

    Args:
        level: 0 silent; 1 what was converted or not, and why; 2 the generated source; 3 the source after every pass,
            and what the optimiser did to each graph.
        alsologtostdout: print on stdout too, not only on stderr.

    Raises:
        InvalidArgumentError: the level is not a whole number of at least 0.
    """
    settings.verbosity = checked_verbosity(level)
    settings.also_log_to_stdout = alsologtostdout


PATIENCE = 2.0
"""Seconds that a trace or compilation may take before the terminal shows that it is under way."""
_EVERY = 0.5


class Activity:
    """Something that may take long, from now on until `done` is called."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.started = time.monotonic()
        if _shows_status():
            _status.begin(self)

    def done(self) -> None:
        """It has come to its end, or has failed."""
        if _status.under_way:
            _status.end(self)


def _shows_status() -> bool:
    if not settings.status or "CI" in os.environ or os.environ.get("TERM") == "dumb":
        return False
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # there is no stderr, or it is closed
        return False


class _Status:
    """One line at the end of the terminal, written anew while something is under way, and removed after that."""

    def __init__(self) -> None:
        self.under_way: list[Activity] = []
        self._lock = threading.RLock()  # a signal's handler may trace, too
        self._timer: threading.Timer | None = None
        self._is_shown = False

    def begin(self, activity: Activity) -> None:
        with self._lock:
            self.under_way.append(activity)
            if self._timer is None:
                self._show_after(PATIENCE)

    def end(self, activity: Activity) -> None:
        with self._lock:
            if activity in self.under_way:
                self.under_way.remove(activity)
            if self.under_way or self._timer is None:
                return
            self._timer.cancel()
            self._timer = None
            if self._is_shown:
                self._is_shown = False
                self._write("")

    def _show_after(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self._show)
        self._timer.daemon = True
        self._timer.start()

    def _show(self) -> None:
        with self._lock:
            if self.under_way and self._timer is not None:
                seconds = time.monotonic() - self.under_way[0].started
                self._is_shown = True
                self._write(f"autograph: {self.under_way[-1].text} ({seconds:.0f} s)")
                self._show_after(_EVERY)

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write("\r\033[K" + text[: shutil.get_terminal_size().columns - 1])
            sys.stderr.flush()
        except (OSError, ValueError):  # nobody reads it any more
            self.under_way.clear()


_status = _Status()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _status.__init__())  # type: ignore[misc]  # its thread is not there
