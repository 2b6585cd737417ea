"""What verbosity shows: what was converted or not and why, the generated source, the source after every pass."""

from __future__ import annotations

import sys

from .config import settings


def log(level: int, text: str) -> None:
    """Prints a line on stderr (and on stdout, when that was asked for) if the verbosity is at least `level`."""
    if settings.verbosity < level:
        return
    print(f"autograph: {text}", file=sys.stderr)
    if settings.also_log_to_stdout:
        print(f"autograph: {text}")


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Sets how much is shown of what autograph does.

    Args:
        level: 0 silent; 1 what was converted or not, and why; 2 the generated source; 3 the source after every pass.
        alsologtostdout: print on stdout too, not only on stderr.

    Raises:
        ValueError: if the level is not a whole number of at least 0.
    """
    if not isinstance(level, int) or level < 0:
        raise ValueError(f"the verbosity is a whole number from 0 to 3, not {level!r}")
    settings.verbosity = level
    settings.also_log_to_stdout = alsologtostdout
