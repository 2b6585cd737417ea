"""What becomes of each statement, in a golden file: what a person would have written."""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

import autograph as tf
from tests.golden import Golden

from .jaxprs import shown

PATH = Path(__file__).parent / "jaxprs.test"
NAMES = list(Golden.read(PATH).cases)


@pytest.mark.parametrize("name", NAMES)
def test_jaxpr(name, tmp_path, request):
    source = Golden.read(PATH).cases[name][0]
    file = tmp_path / "user.py"
    file.write_text(source)
    found = []

    def call(function):
        return lambda *arguments: found.append(
            shown(jax.make_jaxpr(tf.autograph.convert()(function))(*arguments).jaxpr)
        )

    definition, _, use = source.rpartition("\n\n")
    names = {"jnp": jnp}
    exec(compile(definition, str(file), "exec"), names)
    eval(use, {**names, "f": call(names["f"])})
    if request.config.getoption("--update-golden"):
        golden = Golden.read(PATH)
        golden.cases[name] = source, found[0]
        golden.write(PATH)
    assert found[0] == Golden.read(PATH).cases[name][1]
