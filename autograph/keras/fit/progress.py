"""The bar, or the line, that shows how training goes."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = [
    "Progbar", "default_verbose", "disable_interactive_logging", "enable_interactive_logging",
    "is_interactive_logging_enabled",
]  # fmt: skip

_WIDTH = 20
_interactive = True
_BOLD, _GREEN, _WHITE, _OFF = "\033[1m", "\033[32m", "\033[37m", "\033[0m"


def enable_interactive_logging() -> None:
    """Have `fit`, `evaluate` and `predict` draw bars where ``verbose`` is left out: as it is at first."""
    global _interactive
    _interactive = True


def disable_interactive_logging() -> None:
    """Have `fit`, `evaluate` and `predict` write one line for each epoch where ``verbose`` is left out: for logs."""
    global _interactive
    _interactive = False


def is_interactive_logging_enabled() -> bool:
    """Whether bars are drawn where ``verbose`` is left out."""
    return _interactive


def default_verbose() -> int:
    """What "auto" means: 1, a bar; or 2, one line for each epoch."""
    return 1 if _interactive else 2


class Progbar:
    """Shows the steps of one epoch.

    Parameters
    ----------
    target: the number of steps, None when it isn't known.
    verbose: 0 shows nothing, 1 a bar that is drawn again and again, 2 one line at the end.
    interval: the least seconds between two drawings.
    """

    def __init__(
        self, target: int | None, width: int = _WIDTH, verbose: int = 1, interval: float = 0.05,
        stateful_metrics: object = None, unit_name: str = "step"
    ) -> None:  # fmt: skip
        self.target = target
        self.width = width
        self.verbose = verbose
        self.interval = interval
        self.unit_name = unit_name
        self._values: dict[str, Any] = {}
        self._start = time.perf_counter()
        self._last = 0.0
        self._length = 0

    def update(self, current: int, values: Any = None, finalize: bool | None = None) -> None:
        """Show that ``current`` steps are done, with the values of metrics: pairs or a dict."""
        self._values.update(values if isinstance(values, Mapping) else dict(values or ()))
        done = finalize if finalize is not None else self.target is not None and current >= self.target
        now = time.perf_counter()
        if self.verbose == 1 and (done or now - self._last >= self.interval):
            self._last = now
            self._draw(current, now - self._start, done)
        elif self.verbose == 2 and done:
            of = str(self.target or current)
            head = f"{current:>{len(of)}}/{of} - {_duration(now - self._start)}"
            self._write(f"{head}{self._per_step(current, now - self._start, ' - ')}{self._metrics()}\n")

    def add(self, n: int, values: object = None) -> None:
        """Show that ``n`` more steps are done."""
        self._done = getattr(self, "_done", 0) + n
        self.update(self._done, values)

    def _draw(self, current: int, elapsed: float, done: bool) -> None:
        if self.target is None:
            text = f"{_BOLD}{current:>7}/Unknown{_OFF} "
            bare = f"{current:>7}/Unknown "
        else:
            filled = int(self.width * min(current / max(self.target, 1), 1))
            count = f"{current:>{len(str(self.target))}}/{self.target}"
            text = f"{_BOLD}{count}{_OFF} {_GREEN}{'━' * filled}{_OFF}{_WHITE}{'━' * (self.width - filled)}{_OFF} "
            bare = f"{count} {'━' * self.width} "
        left = elapsed if done or self.target is None else elapsed / max(current, 1) * (self.target - current)
        tail = f"{self._per_step(current, elapsed, ' ')}{self._metrics()}"
        length = len(bare) + len(_duration(left)) + len(tail)
        padding = " " * max(self._length - length, 0)
        self._length = length
        self._write(f"\r{text}{_BOLD}{_duration(left)}{_OFF}{tail}{padding}" + ("\n" if done else ""))

    def _per_step(self, current: int, elapsed: float, before: str) -> str:
        each = elapsed / max(current, 1)
        if each >= 1:
            return f"{before}{each:.0f}s/{self.unit_name}"
        return f"{before}{each * 1e3:.0f}ms/{self.unit_name}" if each >= 1e-3 else (
            f"{before}{each * 1e6:.0f}us/{self.unit_name}"
        )  # fmt: skip

    def _metrics(self) -> str:
        return "".join(f" - {name}: {_number(value)}" for name, value in self._values.items())

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()


def _number(value: object) -> str:
    number = float(np.mean(np.asarray(value)))
    return f"{number:.4f}" if abs(number) > 1e-3 else f"{number:.4e}"


def _duration(seconds: float) -> str:
    if seconds > 3600:
        return f"{int(seconds // 3600)}:{int(seconds % 3600 // 60):02d}:{int(seconds % 60):02d}"
    return f"{int(seconds // 60)}:{int(seconds % 60):02d}" if seconds > 60 else f"{int(seconds)}s"
