"""Graphs for TensorBoard: recorded from the calls of traced functions, or given."""

from __future__ import annotations

import threading
from typing import Any

from autograph.errors import InvalidArgumentError

from ...base.places import warn
from ...functions.concrete import observers
from ...ir.graph import Graph
from ...tensors.convert import convert_to_tensor
from .graph_proto import graph_proto
from .summaries import record_summary
from .writer import library, local

__all__ = ["graph", "trace_export", "trace_off", "trace_on"]

_lock = threading.Lock()
_recorded: dict[Graph, None] | None = None


def _note(graph: Graph) -> None:
    if _recorded is not None:
        _recorded[graph] = None


def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: str | None = None) -> None:
    """Record the graphs of the traced functions that are called from now on, for `trace_export`.

    ``profiler``, ``profiler_outdir``: accepted as in TensorFlow; no profile is recorded, and a warning says so.
    """
    global _recorded
    if profiler:
        warn("tf.summary.trace_on(profiler=True): the graph is recorded, a profile is not")
    with _lock:
        _recorded = {}
        if graph and _note not in observers:
            observers.append(_note)


def trace_off() -> None:
    """Stop recording, and forget what has been recorded."""
    global _recorded
    with _lock:
        _recorded = None
        if _note in observers:
            observers.remove(_note)


def trace_export(name: str, step: Any = None, profiler_outdir: str | None = None) -> None:
    """Write the recorded graphs under a tag to the default writer, and stop recording.

    Raises `ValueError` when nothing is being recorded, there is no default writer, or no step.
    """
    if _recorded is None:
        raise InvalidArgumentError("Must enable trace before export through tf.summary.trace_on().")
    if local.writer is None:
        raise InvalidArgumentError(
            "tf.summary.trace_export needs a default writer: use it in `with writer.as_default():`"
        )
    metadata = library("compat.proto.config_pb2").RunMetadata()
    for each in list(_recorded):
        metadata.partition_graphs.append(graph_proto(each))
        metadata.function_graphs.add(pre_optimization_graph=graph_proto(each))

    def encode(tag: str, data: object, description: str | None) -> Any:
        summary = library("compat.proto.summary_pb2").Summary()
        tensor = library("util.tensor_util").make_tensor_proto(metadata.SerializeToString())
        value = summary.value.add(tag=tag, tensor=tensor)
        value.metadata.plugin_data.plugin_name = "graph_run_metadata_graph"
        value.metadata.plugin_data.content = b"1"
        return summary

    record_summary(name, b"", step, encode, None)
    trace_off()


def graph(graph_data: Any) -> Any:
    """Write one graph, a `Graph` or a ``GraphDef`` of TensorBoard, to the default writer; whether it was written."""
    writer = local.writer
    if writer is None:
        return convert_to_tensor(False)
    proto = graph_proto(graph_data) if isinstance(graph_data, Graph) else graph_data
    writer.write_event(graph_def=proto.SerializeToString())
    return convert_to_tensor(True)
