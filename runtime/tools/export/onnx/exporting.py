"""`tf.export.onnx`: a traced function, or a model of Keras's, as a file that other runtimes run."""

from __future__ import annotations

import os
from typing import Any

from ..signatures import ONNX, input_names, output_names
from ..traced import trace_of
from .model import check_installed, write
from .program import exported

__all__ = ["onnx"]


@ONNX.give
def onnx(
    function_or_model: Any, path: str | os.PathLike[str], signature: Any = None, *, drop_assertions: bool = False
) -> None:
    """Write a traced function, or a model, as a file in ONNX's format: opset 21, IR version 10.

    Arguments that are tensors become inputs of their names, with names for dimensions that vary (``x_0``); results
    become outputs: ``output_0`` …, or the keys of a dict. Branches become `If`, loops `Loop`, lists sequences,
    variables initialisers. Operators have the names of the graph's nodes with the user's lines.

    Parameters
    ----------
    function_or_model: a `tf.function`, one of its concrete functions, or a model of `tf.keras`, which runs as for
        `predict`.
    path: the file, which is replaced when all of it has been written.
    signature: the arguments of the function, with a `TensorSpec` for each tensor; or the `TensorSpec` of the only one.
        Left out, the function's input_signature, or its only trace.
    drop_assertions: leaves out ``assert``, and branches that only raise. ONNX has neither.

    Raises `SavingError` for what ONNX has no operators for, with the user's lines, all in one error; for a function
    that changes variables or attributes; and for arguments and results of types that ONNX does not have.
    `MissingExtraError` without the library onnx, `OSError`.
    """
    check_installed()
    concrete = trace_of(function_or_model, signature, "tf.export.onnx")
    names = output_names(concrete) or [f"output_{i}" for i in range(concrete.result_count)]
    write(exported(concrete, input_names(concrete), names, drop_assertions), os.fspath(path))
