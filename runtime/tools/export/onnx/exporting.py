"""`tf.export.onnx`: a traced function, or a model of Keras's, as a file that other runtimes run."""

from __future__ import annotations

import os
from typing import Any

from autograph.errors import InvalidTypeError, SavingError

from ....functions.concrete import ConcreteFunction
from ....functions.function import Function
from ....tensors import trace
from ..signatures import ONNX, SERVING, input_names, output_names
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
    if trace.current_graph() is not None:
        raise SavingError("a function can't be exported while a graph is being traced",
                          remedy="call tf.export.onnx outside of the function")  # fmt: skip
    concrete = _concrete(function_or_model, signature)
    names = output_names(concrete) or [f"output_{i}" for i in range(concrete.result_count)]
    write(exported(concrete, input_names(concrete), names, drop_assertions), os.fspath(path))


def _concrete(value: Any, signature: Any) -> ConcreteFunction:
    """The trace that is to be exported."""
    if isinstance(value, ConcreteFunction) and signature is None:
        return value
    if not isinstance(value, Function):
        serving = SERVING.function(value, signature)
        if serving is None:
            raise _not_traced(value)
        value, signature = serving, None
    if signature is not None:
        arguments = signature if isinstance(signature, (list, tuple)) else (signature,)
        return value.get_concrete_function(*arguments)
    if value.input_signature is not None:
        return value.get_concrete_function()
    traces = value.trace_cache.distinct()
    if len(traces) != 1:
        raise SavingError(
            f"{value.name}() has {len(traces) or 'no'} traces, of which one is to be exported",
            remedy="pass the signature, such as [tf.TensorSpec((None, 4))], or one of its concrete functions",
        )
    return traces[0]


def _not_traced(value: object) -> InvalidTypeError:
    if isinstance(value, ConcreteFunction):
        return InvalidTypeError("a concrete function has its signature", remedy="leave it out")
    return InvalidTypeError(
        f"tf.export.onnx takes a traced function or a model of tf.keras, not {value!r}",
        remedy="decorate the function with tf.function; of a tf.Module, pass one of its methods",
    )


