"""`tf.version`: which version this is."""

from __future__ import annotations

import sys as _sys

from . import __version__

VERSION = __version__
GIT_VERSION = f"v{__version__}"
COMPILER_VERSION = _sys.version
GRAPH_DEF_VERSION = 1
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0

__all__ = [
    "COMPILER_VERSION", "GIT_VERSION", "GRAPH_DEF_VERSION", "GRAPH_DEF_VERSION_MIN_CONSUMER",
    "GRAPH_DEF_VERSION_MIN_PRODUCER", "VERSION",
]  # fmt: skip
