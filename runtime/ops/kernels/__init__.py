"""Kernels in plain NumPy, and samples."""
