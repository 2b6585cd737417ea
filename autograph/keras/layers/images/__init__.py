"""Layers that prepare images, and that change them by chance while training."""

from __future__ import annotations

from . import moving, preparing, recoloring
from .moving import *  # noqa: F403
from .preparing import *  # noqa: F403
from .recoloring import *  # noqa: F403

__all__ = [*moving.__all__, *preparing.__all__, *recoloring.__all__]
