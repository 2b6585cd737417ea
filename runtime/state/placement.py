"""`tf.device`: where graphs run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from autograph.errors import FailedPreconditionError, InvalidTypeError, UnimplementedError

from ..base.devices import HOST, Device, parsed
from ..engines.xla import machine
from ..functions.placement import run_on
from ..ir.notes import BY_HAND
from ..tensors import trace
from . import devices

__all__ = ["device"]


@contextmanager
def device(device_name: object) -> Iterator[None]:
    """``with device("/GPU:0"):`` calls of traced functions run on a device, and the variables made inside are there.

    device_name: ``"/GPU:0"``, ``"CPU:1"``, ``"/job:localhost/replica:0/task:0/device:GPU:0"``, a `LogicalDevice`; None:
        as if no `device` were around it.

    * A function runs through XLA there (the extra ``xla``). What of it XLA can't run (strings, `tf.print`, Python) is
      run by NumPy on the CPU, between parts on the device: `ConcreteFunction.compiled` tells what and why.
      ``tf.function(jit_compile=True)`` refuses that, naming operation and line. ``"/CPU:0"`` is where Python is: all
      engines run there.
    * What it returns stays on the device until Python looks (``numpy()``, an operation, `print`), and goes from one
      function to the next without a copy; the same with what variables hold. ``x.device`` tells where a value is.
    * Operations outside of traced functions are NumPy's, on the CPU, wherever their arguments are.
    * Inside of a traced function it counts for the whole graph, as a graph runs on one device; to ask for the CPU there
      changes nothing.

    Raises `ValueError` for a string that names no device, and for a device that is not there, unless
    `tf.config.set_soft_device_placement(True)` has the CPU stand in for it.
    """
    found = _found(device_name)
    if found is not None and trace.current_graph() is not None:
        _check_graph(found)
        run_on(found)
    before = trace.LOCAL.device
    trace.LOCAL.device = found
    try:
        yield
    finally:
        trace.LOCAL.device = before


def _found(name: object) -> Device | None:
    if isinstance(name, devices.LogicalDevice):
        name = name.name
    if name is None:
        return None
    if callable(name):
        raise FailedPreconditionError(
            "tf.device does not support functions when eager execution is enabled.", remedy="name the device"
        )
    if not isinstance(name, str):
        raise InvalidTypeError(f"a device is a string such as '/CPU:0', not {name!r}")
    wanted = parsed(name, trace.LOCAL.device)
    if wanted is None or machine.exists(wanted):
        return wanted
    if devices.get_soft_device_placement():
        return HOST
    raise machine.absent(wanted)


def _check_graph(wanted: Device) -> None:
    graph = trace.current_graph()
    if graph is not None and BY_HAND.known(graph) is not None and wanted != HOST:
        raise UnimplementedError("the graph of a session runs on the CPU", remedy="use a tf.function in place of it")
