"""XLA as an engine: it is asked for, it loads late, it leaves the user's JAX as it is, it says what it can't run."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as tf
from autograph.config import settings
from autograph.errors import InvalidArgumentError, MissingExtraError, UnimplementedError
from autograph.runtime.engines import engine as engines
from autograph.runtime.engines.region import ShapesWarning
from tests.runtime.engines.xla.common import agree, region_of


def polynomial(x: Any) -> Any:
    return x * x * x - 2 * x + 1


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "int32", "int64", "uint64", "complex128", "float16"])
def test_dtypes_are_ours(dtype: str) -> None:
    agree(polynomial, np.arange(5).astype(dtype))


def test_the_user_s_jax_stays_as_it_is() -> None:
    before = jnp.arange(3.0).dtype, jax.config.jax_enable_x64
    agree(polynomial, np.arange(3.0))
    assert (jnp.arange(3.0).dtype, jax.config.jax_enable_x64) == before == (np.float32, False)


def test_who_asks_for_it_gets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "engine", "xla")
    f = tf.function(polynomial)
    assert f(tf.constant(3.0)).numpy() == 22.0
    assert f.get_concrete_function(tf.constant(3.0)).compiled.startswith("5 nodes (test_protocol.py:23) are an XLA")


def test_nobody_else_gets_it() -> None:
    program = (
        "import sys, autograph as tf\n"
        "f = tf.function(lambda x: x * x + 1)\n"
        "for _ in range(3): f(tf.constant(3.0))\n"
        "f.get_concrete_function(tf.constant(3.0)).compiled\n"
        "assert 'jax' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_without_jax_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "engine", "xla")
    monkeypatch.setattr(engines.importlib.util, "find_spec", lambda name: None)
    engines.is_installed.cache_clear()
    try:
        with pytest.raises(MissingExtraError, match=r"the engine 'xla' needs jax(.|\n)*autograph-py\[xla\]"):
            tf.function(polynomial)(tf.constant(3.0))
    finally:
        engines.is_installed.cache_clear()


def test_a_name_that_no_engine_has_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "engine", "lisp")
    with pytest.raises(InvalidArgumentError, match="no engine 'lisp'; there are interpreter, native, numpy, xla"):
        tf.function(polynomial)(tf.constant(3.0))


def test_what_it_cannot_run_runs_through_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "engine", "xla")

    def shout(x: Any) -> Any:
        return tf.strings.as_string(polynomial(x))

    f = tf.function(shout)
    assert f(tf.constant(3)).numpy() == b"22"
    assert "runs through NumPy: values of dtype string" in f.get_concrete_function(tf.constant(3)).compiled
    with pytest.raises(UnimplementedError, match="the graph can't become an XLA program: values of dtype string"):
        region_of(shout, tf.constant(3))


def test_the_report_names_the_engine_that_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "engine", "numpy")
    f = tf.function(polynomial)
    assert f(tf.constant(3.0)).numpy() == 22.0
    report = f.get_concrete_function(tf.constant(3.0)).compiled
    assert report == "all runs through NumPy, the engine that settings.engine names"


def test_a_whole_program_is_demanded_with_jit_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "engine", "xla")
    f = tf.function(polynomial, jit_compile=True)
    assert f(tf.constant(3.0)).numpy() == 22.0
    assert "XLA" in f.get_concrete_function(tf.constant(3.0)).compiled


def test_other_shapes_get_programs_of_their_own() -> None:
    region = region_of(polynomial, tf.TensorSpec([None], tf.float32))
    for n in (1, 3, 1):
        assert region.run(np.full(n, 3.0, np.float32))[0].tolist() == [22.0] * n
    assert region.run(np.float32([3.0, 4.0])[::-1])[0].tolist() == [57.0, 22.0]


def test_ever_new_shapes_are_warned_of_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "engine", "xla")

    @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([2])])
    def scale(batch: Any, by: Any) -> Any:
        return batch * by

    with pytest.warns(ShapesWarning) as caught:
        for n in [*range(1, 19), 5, 30]:
            assert scale(tf.ones([n, 2]), tf.ones([2])).shape == (n, 2)
    assert len(caught) == 1 and caught[0].filename == __file__
    text = str(caught[0].message)
    assert text.startswith("scale has been called with 17 combinations of shapes: as an XLA program it is compiled for")
    assert "Axis 0 of `batch` has had 17 lengths (17, 16, 15, …). Remedy: pad to a few lengths" in text
