"""How many random programs are tried, and which."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, Phase, settings

EXAMPLES = os.environ.get("AUTOGRAPH_EXAMPLES")
"""How many programs each test tries; when set, new ones every time."""


def examples(count: int) -> Callable:
    """Of a test: `count` programs, always the same unless AUTOGRAPH_EXAMPLES asks for more; and the mark ``random``."""
    chosen = settings(
        max_examples=int(EXAMPLES or count),
        derandomize=EXAMPLES is None,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
        print_blob=EXAMPLES is not None,
    )
    return lambda test: pytest.mark.random(chosen(test))
