"""The examples in the docstrings of the runtime's core."""

from __future__ import annotations

import doctest
import importlib

import numpy as np
import pytest

MODULES = ["base.dtypes", "base.shapes", "base.nest", "ir.op", "tensors.convert", "tensors.spec",
           "functions.function", "ir.graph_def", "ops.print_format", "keras.model", "keras.sequential"]  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    module = importlib.import_module(f"autograph.runtime.{name}")
    result = doctest.testmod(module, extraglobs={"np": np})
    assert result.attempted and not result.failed
