"""Functions with all of Python's control flow, and random programs: onnxruntime gives what the graph does."""

from __future__ import annotations

import itertools
import linecache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given

import autograph as tf
from autograph.errors import SavingError
from tests.programs.profile import examples
from tests.programs.tensor_generator import tensor_programs
from tests.programs.test_functions import ON_TENSORS, variations
from tests.runtime.tools.export.onnx.common import check_same, run_model

_numbers = itertools.count()


def check_runs(concrete: Any, path: Path, calls: Any) -> bool:
    """Compares what a trace and its model give, or whether they fail; False where it can't be exported."""
    try:
        tf.export.onnx(concrete, path)
    except SavingError:
        return False
    names = [value.name for value in onnx.load(path).graph.input]
    for arguments in calls:
        tensors = [tf.constant(x) for x in arguments]
        feeds = {name: x.numpy() for name, x in zip(names, tensors, strict=True)}
        try:
            expected = tf.nest.flatten(concrete.call_flat(tensors))
        except Exception:
            with pytest.raises(Exception, match="ONNXRuntimeError"):
                run_model(path, feeds)
            continue
        for one, other in zip([x for x in expected if x is not None], run_model(path, feeds), strict=True):
            check_same(one.numpy(), other, rtol=1e-5)
    return True


@pytest.mark.parametrize("function", ON_TENSORS, ids=lambda function: function.__name__)
def test_a_function(function: Any, tmp_path: Path) -> None:
    calls = variations(function)
    concrete = tf.function(function).get_concrete_function(*[tf.constant(x) for x in calls[0]])
    if not check_runs(concrete, tmp_path / "model.onnx", calls):
        pytest.skip("refused")


@examples(12)
@given(tensor_programs())
def test_random_programs(tmp_path_factory: pytest.TempPathFactory, source: str) -> None:
    filename = f"<exported program {next(_numbers)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    namespace: dict[str, Any] = {"__name__": "program"}
    exec(compile(source, filename, "exec"), namespace)
    specs = tf.TensorSpec((), tf.int64), tf.TensorSpec((4,), tf.int64)
    try:
        concrete = tf.function(namespace["program"]).get_concrete_function(*specs)
        calls = [(np.int64(n), np.array([3, 0, 2, 7])) for n in (-1, 0, 3, 8)]
        check_runs(concrete, tmp_path_factory.mktemp("program") / "model.onnx", calls)
    finally:
        del linecache.cache[filename]
