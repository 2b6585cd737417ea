"""What a `tf.device` asks of graphs, where it stands inside of the function, and of new variables."""

from __future__ import annotations

from typing import Any

from autograph.errors import UnimplementedError

from ..base.devices import HOST, Device
from ..engines.device_tensor import held_by
from ..engines.xla import machine
from ..ir.notes import DEVICE
from ..tensors import trace
from ..tensors.tensor import EagerTensor

__all__ = ["hold", "run_on"]


def run_on(device: Device) -> None:
    """What is being traced asks to run on a device: the whole graph will, as a graph runs on one.

    To ask for the CPU changes nothing. Raises `UnimplementedError` for a second device.
    """
    graph = trace.current_graph()
    if graph is None or device == HOST:
        return
    while graph.parent is not None:
        graph = graph.parent
    known = DEVICE.of(graph)
    if known and known[0] != device:
        location = trace.user_location()
        raise UnimplementedError(
            f"a graph runs on one device: this one on {known[0].short}, and not here on {device.short}",
            **({} if location is None else location._asdict()),
            construct="tf.device",
            remedy="call a tf.function for each device, each under its own tf.device, from code that is not traced",
        )
    DEVICE.of(graph)[:] = [device]


def hold(variable: Any, value: EagerTensor) -> None:
    """Let a new variable hold a value, on the device of the `tf.device` around it."""
    device = trace.LOCAL.device
    if device is None or device == HOST or value.dtype.kind not in "biufc":
        variable.array = value.array
    else:
        variable.resident = machine.put(held_by(value), device)
