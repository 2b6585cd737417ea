"""Written by `python -m tests.stubs`."""

from .runtime.base.nest import *
