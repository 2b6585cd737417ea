"""The public names, and what importing them costs."""

from __future__ import annotations

import subprocess
import sys

import autograph as tf

LOADED = """
import numpy, sys
before = set(sys.modules)
import autograph
print(*sorted(set(sys.modules) - before))
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


def test_importing_loads_little() -> None:
    loaded = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True).stdout.split()
    assert "autograph" in loaded and len(loaded) < 20
    assert not [name for name in loaded if name.startswith(("autograph.runtime", "autograph.source", "gast"))]
