"""The parts of autograph that need libraries of which it can do without."""

OF_LIBRARIES = ("autograph.operators.jax", "autograph.operators.torch")
"""The back ends for tensors of other libraries: only programs that have imported these load them."""
