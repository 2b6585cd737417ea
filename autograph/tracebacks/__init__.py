"""Tracebacks of the user's lines alone. What public functions do to their errors is in `leaving`."""

from .trimming import HANDING_OVER, OWN_FILES, is_internal, trim, trimming

__all__ = ["HANDING_OVER", "OWN_FILES", "is_internal", "trim", "trimming"]
