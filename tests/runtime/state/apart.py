"""Tests that run in a process of their own, where the CPU is several devices."""

from __future__ import annotations

import functools
import importlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]


def apart(count: int = 4, **environment: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Runs a test in a process of its own with so many devices; 0: nothing is set. It is skipped without JAX."""

    def decorate(test: Callable[[], None]) -> Callable[[], None]:
        @functools.wraps(test)
        def wrapper() -> None:
            pytest.importorskip("jax")
            code = f"from tests.runtime.state.apart import main; main({test.__module__!r}, {test.__name__!r}, {count})"
            flags = {"XLA_FLAGS": "--xla_backend_optimization_level=0", "JAX_PLATFORMS": "cpu", **environment}
            kept = {name: value for name, value in os.environ.items() if not name.startswith(("AUTOGRAPH_", "JAX_"))}
            ran = subprocess.run(
                [sys.executable, "-c", code], cwd=ROOT, env={**kept, **flags}, capture_output=True, text=True
            )
            assert ran.returncode == 0, ran.stderr[-4000:]

        return wrapper

    return decorate


def main(module: str, name: str, count: int) -> None:
    """Runs a test, in the process that `apart` has started."""
    if count:
        divide(count)
    test: Any = getattr(importlib.import_module(module), name)
    test.__wrapped__()


def divide(count: int) -> None:
    """Makes the CPU several devices."""
    import autograph as tf

    (cpu,) = tf.config.list_physical_devices("CPU")
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * count)
