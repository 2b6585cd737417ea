"""Tests of models in ONNX's format: without the library and onnxruntime there are none."""

from __future__ import annotations

import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime").set_default_logger_severity(4)
