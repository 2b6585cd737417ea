"""Ops that make, join, cut and order arrays."""
