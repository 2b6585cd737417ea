"""NumPy's functions and array API on tensors."""
