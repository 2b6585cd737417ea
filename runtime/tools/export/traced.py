"""Which trace of a function, or of a model, is to be exported."""

from __future__ import annotations

from typing import Any

from autograph.errors import InvalidTypeError, SavingError

from ...functions.concrete import ConcreteFunction
from ...functions.function import Function
from ...tensors import trace
from .signatures import SERVING

__all__ = ["trace_of"]


def trace_of(value: Any, signature: Any, exporter: str) -> ConcreteFunction:
    """The trace to export of a traced function, a concrete function, or a model of Keras's.

    ``exporter``: the name of the public function, for errors. Raises `SavingError` while a graph is being traced, and
    where nothing tells which trace is meant; `InvalidTypeError` for anything else than a traced function or a model.
    """
    if trace.current_graph() is not None:
        raise SavingError("a function can't be exported while a graph is being traced",
                          remedy=f"call {exporter} outside of the function")  # fmt: skip
    if isinstance(value, ConcreteFunction) and signature is None:
        return value
    if not isinstance(value, Function):
        serving = SERVING.function(value, signature)
        if serving is None:
            raise _not_traced(value, exporter)
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


def _not_traced(value: object, exporter: str) -> InvalidTypeError:
    if isinstance(value, ConcreteFunction):
        return InvalidTypeError("a concrete function has its signature", remedy="leave it out")
    return InvalidTypeError(
        f"{exporter} takes a traced function or a model of tf.keras, not {value!r}",
        remedy="decorate the function with tf.function; of a tf.Module, pass one of its methods",
    )
