"""Layers that make features of raw columns: numbers on one scale, in bins, as categories, as
indices of vocabularies."""

from __future__ import annotations

from . import categories, discretization, hashing, lookups, scaling, text
from .categories import *  # noqa: F403
from .discretization import *  # noqa: F403
from .hashing import *  # noqa: F403
from .lookups import *  # noqa: F403
from .scaling import *  # noqa: F403
from .text import *  # noqa: F403

__all__ = [
    *categories.__all__,
    *discretization.__all__,
    *hashing.__all__,
    *lookups.__all__,
    *scaling.__all__,
    *text.__all__,
]
