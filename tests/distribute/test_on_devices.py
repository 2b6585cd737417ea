"""What runs on eight devices is what runs on one; the checks are in the modules beside this one."""

from __future__ import annotations

from pathlib import Path

import pytest

from .checks import names, results

pytest.importorskip("jax")

MODULES = ("keras_checks", "replica_checks")
CHECKS = [(module, name) for module in MODULES for name in names(Path(__file__).with_name(f"{module}.py"))]


@pytest.mark.parametrize(("module", "name"), CHECKS)
def test_on_eight_devices(module: str, name: str) -> None:
    wrong = results(module)[name]
    assert not wrong, wrong
