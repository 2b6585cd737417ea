"""The formulas of losses, metrics and optimizers, and the base classes of the latter two."""
