"""Python's built-ins and library, and NumPy's functions on sequences, on staged values."""
