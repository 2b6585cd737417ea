"""Tests of programs in StableHLO: without JAX and flatbuffers there are none."""

from __future__ import annotations

import os

import pytest

os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")
pytest.importorskip("jax")
pytest.importorskip("flatbuffers")
