"""Layers that make features of raw columns: numbers on one scale, in bins, as categories."""

from __future__ import annotations

from . import categories, discretization, scaling
from .categories import *  # noqa: F403
from .discretization import *  # noqa: F403
from .scaling import *  # noqa: F403

__all__ = [*categories.__all__, *discretization.__all__, *scaling.__all__]
