"""What type checkers say of programs over autograph."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAM = """\
import autograph as tf
from autograph.math import log

x = tf.constant([1.0, 2.0])
total: tf.Tensor = tf.reduce_sum(log(x))
layer = tf.keras.layers.Dense(3)
tf.reduce_sun(x)
log()
tf.keras.layers.Dence(3)
tf.zeros((2,), shap=3)
"""


def test_mypy_finds_misspelt_names_and_wrong_arguments(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(program)]
    environment = {**os.environ, "MYPYPATH": str(ROOT)}
    found = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=250).stdout
    lines = [line.partition("program.py:")[2] for line in found.splitlines() if "error:" in line]
    assert [line.partition(":")[0] for line in lines] == ["7", "8", "9", "10"], found
    assert 'has no attribute "reduce_sun"' in lines[0] and 'Missing positional argument "x"' in lines[1]
    assert 'has no attribute "Dence"' in lines[2] and 'Unexpected keyword argument "shap"' in lines[3]
