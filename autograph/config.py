"""`tf.config`: the switches of `settings`, the optimiser's and the devices."""

from __future__ import annotations

from typing import Any

from .settings import checked_verbosity as checked_verbosity
from .settings import settings as settings
from .tracebacks import leaving as _leaving


def run_functions_eagerly(run_eagerly: bool) -> None:
    """While True, calls of traced functions run Python, operation by operation: for example to stop in a debugger."""
    settings.run_functions_eagerly = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """Whether calls of traced functions run Python; see `run_functions_eagerly`."""
    return settings.run_functions_eagerly


experimental_run_functions_eagerly = run_functions_eagerly
experimental_functions_run_eagerly = functions_run_eagerly


def __getattr__(name: str) -> Any:
    """`tf.config.optimizer` and the devices, loaded when they are first used."""
    if name == "optimizer":
        from .runtime.optimize import options

        return options
    if name.startswith("__"):  # Python itself asks, whether this is a package
        raise AttributeError(name)
    from .runtime.state import devices

    if name not in devices.__all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(devices, name)


_leaving.public_module(__name__)
