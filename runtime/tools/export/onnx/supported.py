"""What the exporter writes: the name under which lowerings are registered, and the versions of the format."""

ENGINE = "onnx"
OPSET = 21
"""The version of ONNX's operators; runtimes since the middle of 2024 know it (onnxruntime from 1.18 on)."""
IR_VERSION = 10
"""The version of the file format that came with that opset."""
