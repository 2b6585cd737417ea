"""The examples in the docstrings of the runtime's core and of Keras."""

from __future__ import annotations

import doctest
import importlib

import numpy as np
import pytest

MODULES = ["runtime.base.dtypes", "runtime.base.shapes", "runtime.base.nest", "runtime.ir.op", "runtime.ir.graph_def",
           "runtime.tensors.convert", "runtime.tensors.spec", "runtime.functions.function",
           "runtime.ops.kernels.print_format", "keras.distribution", "distribute.cluster",
           "distribute.cluster_resolver", "distribute.strategy", "keras.networks.model",
           "keras.networks.sequential"]  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    module = importlib.import_module(f"autograph.{name}")
    result = doctest.testmod(module, extraglobs={"np": np})
    assert result.attempted and not result.failed
