"""Written by `python -m tests.stubs`."""

from .keras.metrics import *
