"""Written by `python -m tests.stubs`."""

from .runtime.state.debugging import *
