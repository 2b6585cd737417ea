"""Written by `python -m tests.stubs`."""

from .runtime.tools.compat import *
