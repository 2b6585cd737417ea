"""How much work a node of an op is, as far as that doesn't depend on its arrays: the field ``work`` of records."""

from __future__ import annotations

import enum


class Work(enum.Enum):
    NONE = "none"
    """What it gives is there already: a constant, a parameter."""
    LITTLE = "little"
    """Another name for an array that there is, a view of it, or a variable's: no loop over elements."""
    USUAL = "usual"
    LONG = "long"
    """An elementary function of floats: its machine code is long, and takes long to compile."""
