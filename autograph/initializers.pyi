"""Written by `python -m tests.stubs`."""

from .keras.initializers import *
