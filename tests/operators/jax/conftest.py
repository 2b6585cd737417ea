"""Tests of JAX as a front end: without JAX there are none. Compiling is quicker where the code need not be quick."""

from __future__ import annotations

import os

import pytest

os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")
jax = pytest.importorskip("jax")
