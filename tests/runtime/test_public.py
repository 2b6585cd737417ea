"""The public names, and what importing them costs."""

from __future__ import annotations

import os
import subprocess
import sys

import autograph as tf
from autograph.runtime.ir.op import OPS

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


def test_functions_of_ops_are_where_their_records_say() -> None:
    OPS.load()
    places = [(record, place) for record in OPS.values() for place in record.public.split()]
    assert {"abs", "math.log", "nn.relu", "bitwise.invert"} <= {place for _, place in places}
    for record, place in places:
        *spaces, name = place.split(".")
        owner = getattr(tf, spaces[0]) if spaces else tf
        assert getattr(owner, name).op is record and name in dir(owner), place


def test_names_that_do_not_exist() -> None:
    for owner in (tf, tf.math, tf.keras, tf.random):
        assert not hasattr(owner, "no_such_name")
    assert not hasattr(tf.keras, "abs") and not hasattr(tf.random, "abs") and not hasattr(tf, "softplus")
    assert not hasattr(tf, "math.abs")


def test_looking_for_a_module_loads_no_op() -> None:
    code = "import autograph, sys; from autograph import lazy, version; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "autograph.version" in loaded and "autograph.runtime" not in loaded


def test_autograph_is_its_own_attribute() -> None:
    assert tf.autograph is tf and tf.math.add is tf.add and tf.bool.name == "bool"


SPACES = """
import autograph.math, autograph.nn as nn, autograph.io.gfile, autograph.debugging as debugging
from autograph.math import log
from autograph.optimizers import Adam
import autograph as tf
assert log is tf.math.log and nn is tf.nn and Adam is tf.keras.optimizers.Adam and autograph.io.gfile is tf.io.gfile
assert debugging is tf.debugging and debugging.__spec__.name == "autograph.runtime.state.debugging"
try:
    import autograph.maths
except ModuleNotFoundError as error:
    assert error.name == "autograph.maths"
else:
    raise AssertionError
"""


def test_namespaces_can_be_imported() -> None:
    subprocess.run([sys.executable, "-c", SPACES], check=True)


def test_all_names_can_be_imported() -> None:
    code = "from autograph import *; reduce_sum, math.log, keras.layers.Dense; assert '_lazy' not in dir()"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert set(tf.__all__) == {name for name in dir(tf) if name[0] != "_"}


def test_importing_loads_little() -> None:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("AUTOGRAPH_")}
    command = [sys.executable, "-c", LOADED]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True, env=plain).stdout.split()
    assert "autograph" in loaded and len(loaded) < 20
    assert not [name for name in loaded if name.startswith(("autograph.runtime", "autograph.source", "gast"))]


FIRST = """
import numpy as np, sys
before = set(sys.modules)
import autograph as tf
x = tf.constant([[1.0, 2.0]])
loaded = set(sys.modules) - before
assert not {"dataclasses", "autograph.runtime.base.nest", "autograph.runtime.tensors.numpy_protocol"} & loaded, loaded
assert "T" in dir(x) and x.T.shape == (2, 1) and isinstance(np.add(x, 1), tf.Tensor) and np.sum(x) == 3.0
print(sum(name.startswith("autograph") for name in loaded))
"""


def test_a_first_constant_loads_what_it_needs_and_the_rest_when_it_is_asked_for() -> None:
    count = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=True).stdout
    assert int(count) < 40
