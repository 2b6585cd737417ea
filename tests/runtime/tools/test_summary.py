"""`tf.summary`: what is in the event files, and what the real TensorBoard makes of them."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as tf

pytest.importorskip("tensorboard")


def events(folder: Path) -> list[Any]:
    """All events of a folder, in order."""
    from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
    from tensorboard.compat.proto.event_pb2 import Event

    files = sorted(folder.glob("events.out.tfevents.*"))
    return [Event.FromString(raw) for file in files for raw in RawEventFileLoader(str(file)).Load()]


def values(folder: Path) -> list[tuple[str, int, str, Any]]:
    """Tag, step, plugin and array of each summary."""
    from tensorboard.util.tensor_util import make_ndarray

    return [
        (value.tag, event.step, value.metadata.plugin_data.plugin_name, make_ndarray(value.tensor))
        for event in events(folder)
        for value in event.summary.value
    ]


@tf.function
def model(x: Any) -> Any:
    if tf.reduce_sum(x) > 0:
        y = x * 2
    else:
        y = x - 1
    for _ in tf.range(3):
        y = tf.matmul(y, y)
    return helper(y)


@tf.function
def helper(y: Any) -> Any:
    return tf.tanh(y)


def test_scalars(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(tmp_path / "run")
    with writer.as_default():
        assert tf.summary.scalar("loss", 0.5, step=1).numpy()
        tf.summary.scalar("loss", tf.constant(3), step=tf.constant(2), description="how far off")
        with tf.name_scope("train"):
            tf.summary.scalar("loss", np.float64(0.25), step=3)
    found = values(tmp_path / "run")
    assert [each[:2] for each in found] == [("loss", 1), ("loss", 2), ("train/loss", 3)]
    assert {each[2] for each in found} == {"scalars"}
    assert [float(each[3]) for each in found] == [0.5, 3.0, 0.25] and all(each[3].dtype == np.float32 for each in found)
    assert events(tmp_path / "run")[2].summary.value[0].metadata.summary_description == "how far off"


def test_in_a_traced_function(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(tmp_path)
    traces = []

    @tf.function
    def train(x: Any) -> None:
        traces.append(1)
        with writer.as_default():
            for step in tf.range(5):
                x = x / 2
                if step % 2 == 0:
                    tf.summary.scalar("x", x, step=step)

    train(tf.constant(8.0))
    train(tf.constant(16.0))
    writer.flush()
    found = [(step, float(data)) for _, step, _, data in values(tmp_path)]
    assert found == [(0, 4.0), (2, 1.0), (4, 0.25), (0, 8.0), (2, 2.0), (4, 0.5)] and len(traces) == 1


def test_steps_and_conditions(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(tmp_path)
    step = tf.Variable(7, dtype=tf.int64)
    with writer.as_default(step):
        tf.summary.scalar("a", 1.0)
        step.assign_add(1)
        with tf.summary.record_if(False):
            assert not tf.summary.scalar("b", 1.0).numpy() and not tf.summary.should_record_summaries().numpy()
        with tf.summary.record_if(lambda: step == 8):
            assert tf.summary.scalar("c", 1.0).numpy() and tf.summary.should_record_summaries().numpy()
    tf.summary.experimental.set_step(3)
    assert tf.summary.experimental.get_step() == 3
    with writer.as_default():
        tf.summary.scalar("d", 1.0)
    tf.summary.experimental.set_step(None)
    assert [(tag, step) for tag, step, *_ in values(tmp_path)] == [("a", 7), ("c", 8), ("d", 3)]
    assert not tf.summary.scalar("e", 1.0, step=1).numpy(), "no default writer"
    with tf.summary.create_noop_writer().as_default():
        tf.summary.scalar("e", 1.0, step=1)


def test_mistakes(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(tmp_path)
    with writer.as_default():
        with pytest.raises(ValueError, match=r"Expected scalar shape, saw shape: \(2,\)"):
            tf.summary.scalar("v", [1.0, 2.0], step=1)
        with pytest.raises(ValueError, match="No step set"):
            tf.summary.scalar("v", 1.0)
        with pytest.raises(ValueError, match="rank 4"):
            tf.summary.image("v", tf.zeros((4, 4)), step=1)
        with pytest.raises(ValueError, match="trace_on"):
            tf.summary.trace_export("v", step=1)
    writer.close()
    with pytest.raises(RuntimeError, match="already closed"), writer.as_default():
        pass


def test_other_kinds(tmp_path: Path) -> None:
    import io

    from PIL import Image

    writer = tf.summary.create_file_writer(tmp_path)
    pictures = np.zeros((2, 3, 4, 3), np.float32)
    pictures[1, ..., 0] = 2.0  # clipped
    with writer.as_default(step=1):
        tf.summary.histogram("h", tf.range(10), buckets=5)
        tf.summary.text("t", ["one", "two"])
        tf.summary.image("i", pictures)
        tf.summary.image("gray", np.full((5, 2, 2, 1), 9, np.uint8), max_outputs=1)
        tf.summary.audio("s", np.zeros((1, 100, 2), np.float32), 8000)
        tf.summary.write("w", tf.constant([1, 2]))
    found = {tag: (plugin, data) for tag, _, plugin, data in values(tmp_path)}
    assert {tag: plugin for tag, (plugin, _) in found.items()} == {
        "h": "histograms", "t": "text", "i": "images", "gray": "images", "s": "audio", "w": "",
    }
    np.testing.assert_allclose(found["h"][1][:, 2], [2] * 5)
    assert found["t"][1].tolist() == [b"one", b"two"] and found["w"][1].tolist() == [1, 2]
    width, height, first, second = found["i"][1]
    assert (width, height) == (b"4", b"3") and first != second
    assert np.asarray(Image.open(io.BytesIO(second)))[0, 0].tolist() == [255, 0, 0]
    assert len(found["gray"][1]) == 3 and found["s"][1][0, 0].startswith(b"RIFF")


def exported_graph(folder: Path) -> Any:
    from tensorboard.compat.proto.config_pb2 import RunMetadata

    (_, _, plugin, data), = values(folder)
    assert plugin == "graph_run_metadata_graph"
    return RunMetadata.FromString(data.item()).function_graphs[0].pre_optimization_graph


def test_graphs(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(tmp_path)
    tf.summary.trace_on(graph=True)
    model(tf.ones((2, 2)))
    with writer.as_default():
        tf.summary.trace_export("model", step=0)
    graph = exported_graph(tmp_path)
    nodes = {node.name: node for node in graph.node}
    assert nodes["x"].op == "Placeholder" and nodes["cond/then/multiply"].op == "Mul" and nodes["cond"].op == "If"
    assert nodes["while/body/matmul"].op == "MatMul" and nodes["helper"].op == "helper"
    assert [function.signature.name for function in graph.library.function] == ["helper"]
    references = {name.partition(":")[0] for node in graph.node for name in node.input}
    assert references <= set(nodes), "every input is a node"


def test_a_graph_that_calls_itself(tmp_path: Path) -> None:
    @tf.function
    def factorial(n: Any) -> Any:
        return 1 if n < 2 else n * factorial(n - 1)

    graph = factorial.get_concrete_function(tf.constant(3)).graph
    with tf.summary.create_file_writer(tmp_path).as_default():
        assert tf.summary.graph(graph).numpy()
    assert any(event.graph_def for event in events(tmp_path))
    assert [each.name for each in graph.as_graph_def().library.function].count("factorial") == 1


def test_a_profile_is_not_promised() -> None:
    with pytest.warns(UserWarning, match="a profile is not"):
        tf.summary.trace_on(graph=True, profiler=True)
    tf.summary.trace_off()
    with pytest.raises(ValueError, match="trace_on"):
        tf.summary.trace_export("v", step=1)


@contextlib.contextmanager
def tensorboard(folder: Path) -> Iterator[str]:
    """The address of a real TensorBoard that serves a folder."""
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(folder), "--host", "127.0.0.1", "--port", "0",
               "--reload_interval", "1", "--load_fast", "false"]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            assert process.stdout is not None
            for line in process.stdout:
                found = re.search(r"http://127\.0\.0\.1:\d+/", line)
                if found:
                    break
            else:
                raise AssertionError("TensorBoard did not start")
            yield found.group()
        finally:
            process.kill()  # it has nothing to save, and has been seen not to end when it is asked to


def fetch(address: str, path: str, **query: Any) -> Any:
    """What the server answers, as soon as it has loaded the files."""
    url = f"{address}data/plugin/{path}?{urllib.parse.urlencode(query)}"
    for _ in range(120):
        with contextlib.suppress(urllib.error.URLError), urllib.request.urlopen(url, timeout=30) as answer:
            text = answer.read().decode()
            if text not in ("{}", "[]", ""):
                return json.loads(text) if text[0] in "[{" else text
        time.sleep(0.25)
    raise AssertionError(f"no answer to {path}")


def test_the_name_of_a_summary_is_known_while_tracing(tmp_path: Path) -> None:
    @tf.function
    def f(n: Any) -> None:
        with tf.summary.create_file_writer(tmp_path).as_default(step=0):
            for i in tf.range(n):
                tf.summary.scalar(f"loss {i}", 1.0)

    with pytest.raises(TypeError, match="the name of a summary is a string that is known while tracing"):
        f(tf.constant(2))


def test_the_real_tensorboard_shows_curve_and_graph(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(tmp_path / "train")
    tf.summary.trace_on(graph=True)
    model(tf.ones((2, 2)))
    with writer.as_default():
        tf.summary.trace_export("model", step=0)
        for step in range(3):
            tf.summary.scalar("loss", 1 / (step + 1), step=step)
    writer.close()
    with tensorboard(tmp_path) as address:
        assert "loss" in fetch(address, "scalars/tags")["train"]
        points = fetch(address, "scalars/scalars", run="train", tag="loss")
        assert [point[1] for point in points] == [0, 1, 2]
        np.testing.assert_allclose([point[2] for point in points], [1, 1 / 2, 1 / 3], rtol=1e-6)
        assert "model" in fetch(address, "graphs/info")["train"]["tags"]
        shown = fetch(address, "graphs/graph", run="train", tag="model", conceptual="false")
        assert "cond/then/multiply" in shown and "while/body/matmul" in shown
