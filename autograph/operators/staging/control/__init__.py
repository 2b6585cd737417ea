"""Branches, loops and whole traces: their state to a fixed point, and errors as parts of the graph."""
