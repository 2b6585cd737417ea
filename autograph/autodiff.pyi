"""Written by `python -m tests.stubs`."""

from .runtime.gradient.forward import ForwardAccumulator as ForwardAccumulator
from .runtime.gradient import GradientTape as GradientTape
