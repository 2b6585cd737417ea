"""Frames of the user's that call autograph's code to do all of their work: the frame of that work is shown alone."""

from __future__ import annotations

from types import CodeType

HANDING_OVER: set[CodeType] = set()
"""The code that they call."""
