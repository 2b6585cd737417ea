"""Tensors, tracing, conversion, and NumPy's protocols."""
