"""Written by `python -m tests.stubs`."""

from .runtime.tools.export.onnx.exporting import onnx as onnx
from .runtime.tools.export.stablehlo.exporting import stablehlo as stablehlo
