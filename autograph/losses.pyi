"""Written by `python -m tests.stubs`."""

from .keras.losses import *
