"""What a gradient is where nothing connects the source with the target."""

from __future__ import annotations

import enum


class UnconnectedGradients(enum.Enum):
    """The gradient of a source that the target does not depend on: None, or zero in the shape of the source."""

    NONE = "none"
    ZERO = "zero"
