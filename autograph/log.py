"""What verbosity shows: what was converted or not and why, the generated source, the source after every pass."""

from __future__ import annotations

import sys
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
