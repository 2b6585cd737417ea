"""Graphs as plans: straight Python that calls NumPy's kernels."""
