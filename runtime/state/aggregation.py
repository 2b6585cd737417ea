"""What becomes of the values that replicas of a strategy assign to one variable; see `autograph.distribute`."""

from __future__ import annotations

import enum

__all__ = ["VariableAggregation", "VariableSynchronization"]


class VariableAggregation(enum.Enum):
    """What replicas of a strategy set a variable to when each assigns a value of its own: nothing can be said, or this.

    ``NONE`` refuses values that differ.
    """

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


class VariableSynchronization(enum.Enum):
    """When replicas of a strategy tell each other what they assign.

    ``ON_READ``: each has a value of its own, which it alone reads and sets; outside of replicas the variable is what
    its aggregation makes of these. Set there, all get the value, or equal parts of it where they are summed.
    """

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3
