"""The name of the engine, which loads nothing else."""

from __future__ import annotations

ENGINE = "xla"
"""Under this name records have the forms of ops in XLA."""
