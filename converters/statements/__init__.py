"""Passes over statements: branches, loops and their exits, exceptions, `match`, `assert`."""
