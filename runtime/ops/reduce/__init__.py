"""Sums, extremes, counts and statistics."""
