"""What runs on eight devices is what runs on one; the checks are in the modules beside this one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .checks import environment, names, results

pytest.importorskip("jax")

MODULES = ("keras_checks", "own_checks", "replica_checks")
FIRST = """
import autograph as tf
strategy = tf.distribute.{}
def step(x):
    while x < 10.0:
        x = x * 2.0
    return x
print(*[x.numpy() for x in strategy.experimental_local_results(strategy.run(step, args=(tf.constant(1.0),)))])
"""
CHECKS = [(module, name) for module in MODULES for name in names(Path(__file__).with_name(f"{module}.py"))]


@pytest.mark.parametrize(("module", "name"), CHECKS)
def test_on_eight_devices(module: str, name: str) -> None:
    wrong = results(module)[name]
    assert not wrong, wrong


@pytest.mark.parametrize(
    ("strategy", "expected"), [("MirroredStrategy(['cpu:0', 'cpu:1'])", "16.0 16.0"), ("OneDeviceStrategy()", "16.0")]
)
def test_what_replicas_run_is_converted_where_it_is_all_that_a_program_does(
    strategy: str, expected: str, tmp_path: Path
) -> None:
    program = tmp_path / "program.py"
    program.write_text(FIRST.format(strategy))
    process = subprocess.run([sys.executable, program], capture_output=True, text=True, env=environment())
    assert process.stdout.split("\n")[0] == expected, process.stderr
