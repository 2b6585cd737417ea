"""What an op does besides computing its outputs: flags that its record has in the field ``effects``."""

from __future__ import annotations

import enum


class Effects(enum.Flag):
    """None of these: a node may be dropped, merged with an equal one, and moved. Else it stays in its place."""

    NONE = 0
    READS = enum.auto()
    """Looks at something that other nodes change."""
    WRITES = enum.auto()
    """Changes a variable, a generator or an iterator, or keeps what it is given."""
    UPDATES = READS | WRITES
    PRINTS = enum.auto()
    RAISES = enum.auto()
    """Is there to raise: an assertion, a check."""
    RANDOM = enum.auto()
    """Draws from a generator that it shares with other nodes."""
    HOST = enum.auto()
    """Runs Python code, asks the clock, or makes an object of Python's that has a state."""
    ORDER = enum.auto()
    """Does nothing; what stands before it shall run before what stands behind it."""


LOOKS_AT_INPUTS = Effects.READS | Effects.PRINTS | Effects.RAISES | Effects.ORDER
"""Effects of ops that keep nothing of what they are given."""
