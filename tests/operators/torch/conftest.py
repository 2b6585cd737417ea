"""Tests of PyTorch as a front end: without PyTorch there are none."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch (extra test-torch)")
