"""Written by `python -m tests.stubs`."""

from .keras.optimizers import *
