"""The public names, and what importing them costs."""

from __future__ import annotations

import subprocess
import sys

import autograph as tf

TIMES = """
import time
start = time.perf_counter()
import numpy
middle = time.perf_counter()
import autograph
end = time.perf_counter()
import sys
assert "autograph.runtime" not in sys.modules and "gast" not in sys.modules
print((end - middle) / (middle - start))
"""


def test_every_listed_name_exists() -> None:
    for name in dir(tf):
        assert getattr(tf, name) is getattr(tf, name), name
    for space in ("math", "linalg", "nn", "bitwise"):
        for name in dir(getattr(tf, space)):
            assert getattr(getattr(tf, space), name) is not None, name


def test_names_that_do_not_exist() -> None:
    for owner in (tf, tf.math):
        assert not hasattr(owner, "no_such_name")


def test_autograph_is_its_own_attribute() -> None:
    assert tf.autograph is tf and tf.math.add is tf.add and tf.bool.name == "bool"


def test_importing_costs_little() -> None:
    ratios = [float(subprocess.run([sys.executable, "-c", TIMES], capture_output=True, text=True, check=True).stdout)
              for _ in range(3)]  # fmt: skip
    assert min(ratios) <= 0.5
