"""Checks that need several devices: a module of them runs in a process of its own, which has eight virtual CPUs.

`python -m tests.distribute.checks MODULE` runs the functions of a module that begin with ``check_``, and prints as JSON
what went wrong in each of them, "" for nothing.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import subprocess
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
# The code needs not be good: it runs a few times.
FLAGS = "--xla_force_host_platform_device_count=8 --xla_backend_optimization_level=0"


def names(path: Path) -> list[str]:
    """The checks in a file, which is not loaded."""
    lines = path.read_text().splitlines()
    return [line[4:].partition("(")[0] for line in lines if line.startswith("def check_")]


def environment() -> dict[str, str]:
    """That of a process with eight devices."""
    return {**os.environ, "XLA_FLAGS": FLAGS, "JAX_PLATFORMS": "cpu", "AUTOGRAPH_ENGINE": ""}


@functools.cache
def results(module: str) -> dict[str, str]:
    """What went wrong in the checks of a module."""
    process = subprocess.run(
        [sys.executable, "-m", "tests.distribute.checks", module], cwd=ROOT, capture_output=True, text=True,
        timeout=600, env=environment(),
    )  # fmt: skip
    assert process.returncode == 0, process.stderr[-4000:]
    return json.loads(process.stdout.splitlines()[-1])


def run(module: ModuleType) -> dict[str, str]:
    """Run the checks of a module."""
    found = {}
    for name, check in list(vars(module).items()):  # a warning adds to them
        if name.startswith("check_"):
            try:
                check()
                found[name] = ""
            except Exception:
                found[name] = traceback.format_exc()
    return found


def assert_close(one: Any, other: Any) -> None:
    """Arrays, or lists or dicts of them, are equal but for the rounding of float32."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        one, other = list(one.values()), list(other.values())
    if isinstance(one, (list, tuple)):
        assert len(one) == len(other)
        for x, y in zip(one, other, strict=True):
            assert_close(x, y)
        return
    np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=2e-5, atol=2e-6)


class Compilations:
    """How often XLA compiles in a block."""

    def __enter__(self) -> Compilations:
        import jax

        self.count = 0
        self.is_open = True
        jax.monitoring.register_event_duration_secs_listener(self._note)
        return self

    def _note(self, event: str, duration: float, **_: object) -> None:
        self.count += self.is_open and event.endswith("backend_compile_duration")

    def __exit__(self, *_: object) -> None:
        self.is_open = False


if __name__ == "__main__":
    print(json.dumps(run(importlib.import_module(f"tests.distribute.{sys.argv[1]}"))))
