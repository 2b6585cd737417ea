"""S27 to S31: TensorBoard, saved models, numerics, the style of TensorFlow 1, and what a graph is optimised to."""

from __future__ import annotations

import subprocess
import sys
import traceback
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as tf


def test_s27_files_for_tensorboard(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.compat.proto.config_pb2 import RunMetadata
    from tensorboard.util.tensor_util import make_ndarray

    @tf.function
    def function(x: Any) -> Any:
        a = tf.constant([[2.0], [3.0]])
        b = tf.constant(4.0)
        return a + b

    folder = tmp_path / "logs" / "func" / datetime(2026, 1, 2).strftime("%Y%m%d-%H%M%S")
    writer = tf.summary.create_file_writer(str(folder))
    tf.summary.trace_on(graph=True)
    function(2)
    with writer.as_default():
        tf.summary.trace_export(name="function_trace", step=0)
        for step, loss in enumerate((3.0, 2.0, 1.5)):
            tf.summary.scalar("loss", loss, step=step)
    writer.close()
    seen = EventAccumulator(str(folder))
    seen.Reload()
    steps = [(each.step, float(make_ndarray(each.tensor_proto))) for each in seen.Tensors("loss")]
    assert steps == [(0, 3.0), (1, 2.0), (2, 1.5)]
    (graph,) = seen.Tensors("function_trace")
    (stored,) = graph.tensor_proto.string_val
    nodes = RunMetadata.FromString(stored).function_graphs[0].pre_optimization_graph.node
    assert [node.op for node in nodes].count("Const") == 2 and "Placeholder" not in [node.op for node in nodes]


PROGRAM = """
import autograph as tf
model = tf.saved_model.load({folder!r})
for row in ([1.0, 2.0], [-1.0, 0.5]):
    print(model.predict(tf.constant([row])).numpy().tolist(), end=" ")
"""


def test_s28_a_model_runs_without_its_source(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")

    class Scaled(tf.Module):
        def __init__(self) -> None:
            self.w = tf.Variable([[2.0], [3.0]])

        @tf.function(input_signature=[tf.TensorSpec((None, 2), tf.float32)])
        def predict(self, x: Any) -> Any:
            y = x @ self.w
            if tf.reduce_sum(y) < 0:
                y = y * 0 - 0.5
            return y

    tf.saved_model.save(Scaled(), str(tmp_path / "model"))
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(folder=str(tmp_path / "model"))],
        cwd=Path(tf.__file__).parents[1], capture_output=True, text=True,
    )  # fmt: skip
    assert (run.stdout, run.stderr) == ("[[8.0]] [[-0.5]] ", "")


def test_s29_the_line_of_the_first_nan() -> None:
    def f(x: Any) -> Any:
        y = x - 1.0
        z = tf.math.log(y)
        return z * 2.0

    line = f.__code__.co_firstlineno + 2
    tf.debugging.enable_check_numerics()
    try:
        for function in (f, tf.function(f)):
            assert function(tf.constant(2.0)).numpy() == 0
            with pytest.raises(tf.errors.InvalidArgumentError, match="log: Detected Infinity or NaN") as error:
                function(tf.constant(0.0))
            user = [entry for entry in traceback.extract_tb(error.tb) if entry.filename == __file__]
            assert (user[-1].name, user[-1].lineno) == ("f", line)
            assert function is f or (error.value.file, error.value.line) == (__file__, line)
    finally:
        tf.debugging.disable_check_numerics()
    assert np.isnan(tf.function(f)(tf.constant(0.0)).numpy())


def test_s30_the_style_of_tensorflow_1() -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, shape=(None, 5))
        y = tf.matmul(x, tf.transpose(x))
        assert str(x) == 'Tensor("Placeholder:0", shape=(None, 5), dtype=float32)'
        with tf.compat.v1.Session() as session:
            for rows in (1, 3):
                value = np.arange(5.0 * rows).reshape(rows, 5)
                assert np.array_equal(session.run(y, {x: value}), value @ value.T)


def test_s31_what_the_optimiser_makes_of_a_graph() -> None:
    @tf.function
    def f(x: Any) -> Any:
        unused = tf.exp(x)  # noqa: F841
        a = tf.constant([[2.0], [3.0]]) + tf.constant(4.0)
        return tf.sin(x) * a + tf.sin(x)

    concrete = f.get_concrete_function(tf.TensorSpec((), tf.float32))
    before = [node.op.name for node in concrete.graph.nodes]
    after = [node.op.name for node in concrete.optimized_graph.nodes]
    assert before.count("sin") == 2 and "exp" in before and before.count("add") == 2
    assert after.count("sin") == 1 and "exp" not in after and after.count("add") == 1
    assert np.allclose(f(tf.constant(1.0)), np.sin(1) * np.array([[7], [8]]))
