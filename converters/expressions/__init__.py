"""Passes over expressions: operators, calls, comprehensions, conditional expressions."""
