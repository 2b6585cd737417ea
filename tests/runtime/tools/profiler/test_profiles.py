"""`tf.profiler.experimental`: files that tell where the time went, by node and line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.config import settings
from autograph.runtime.engines import recorder
from autograph.runtime.functions import concrete

profiler = tf.profiler.experimental


@pytest.fixture(autouse=True)
def none_is_left() -> Any:
    yield
    recorder.active = None


def files_of(folder: Path) -> tuple[dict[str, Any], str]:
    """The trace and the summary of the only profile in a folder."""
    runs = list((folder / "plugins" / "profile").iterdir())
    (trace,), (summary,) = runs[-1].glob("*.trace.json"), runs[-1].glob("*.summary.txt")
    assert len(runs) == 1
    return json.loads(trace.read_text()), summary.read_text()


def events_named(trace: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return [event for event in trace["traceEvents"] if event["name"] == name]


def f(x, n):
    for i in tf.range(n):
        x = tf.tanh(x) + 1.0
    if tf.reduce_sum(x) > 0:
        x = x * 2.0
    return x


def test_each_node_is_an_event_with_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "native", False)
    compiled = tf.function(f)
    expected = compiled(tf.ones(3), 4).numpy()
    compiled(tf.ones(3), 4)
    compiled(tf.ones(3), 4)
    with profiler.Profile(str(tmp_path)):
        np.testing.assert_array_equal(compiled(tf.ones(3), 4), expected)
        compiled(tf.ones(3), 4)
    compiled(tf.ones(3), 4)
    trace, summary = files_of(tmp_path)
    tanh = events_named(trace, "Tanh") or events_named(trace, "tanh")
    assert len(tanh) == 8
    line = f"{__file__}:{f.__code__.co_firstlineno + 2}"
    assert {event["args"]["line"] for event in tanh} == {line} and tanh[0]["args"]["op"] == "tanh"
    (whole, _), (loop, _) = events_named(trace, "f"), [e for e in trace["traceEvents"] if e["cat"] == "while"]
    for event in (loop, tanh[0]):
        assert event["ph"] == "X" and whole["ts"] <= event["ts"]
        assert event["ts"] + event["dur"] <= whole["ts"] + whole["dur"]
    assert sum(event["dur"] for event in tanh[:4]) <= loop["dur"]
    (row,) = [row for row in summary.splitlines() if row.endswith(line) and "anh" in row]
    assert row.split()[0] == "8"


def test_machine_code_is_one_event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    native = pytest.importorskip("autograph.runtime.engines.native")
    if not native.is_available():
        pytest.skip("llvmlite is not installed")
    monkeypatch.setattr(settings, "native", True)
    monkeypatch.setattr(native.NATIVE, "work_of_compiling", lambda nodes: 0)
    compiled = tf.function(f)
    expected = compiled(tf.ones(3), 4).numpy()
    with profiler.Profile(tmp_path):
        np.testing.assert_array_equal(compiled(tf.ones(3), 4), expected)
        np.testing.assert_allclose(compiled(tf.ones(5), 4)[:3], expected, rtol=1e-6)  # there is no code for it yet
    trace, _ = files_of(tmp_path)
    assert len([event for event in trace["traceEvents"] if event["name"].startswith("machine code (")]) == 1
    assert len([event for event in trace["traceEvents"] if event["cat"] == "tanh"]) == 4


def test_events_of_ones_own(tmp_path: Path) -> None:
    profiler.start(tmp_path)
    with profiler.Trace("step", step_num=7) as span:
        span.set_metadata(loss=0.5)
    profiler.stop()
    trace, summary = files_of(tmp_path)
    (event,) = events_named(trace, "step")
    assert event["args"] == {"step_num": 7, "loss": 0.5} and "step" in summary
    with profiler.Trace("nobody looks"):
        pass


def test_an_error_ends_the_profile(tmp_path: Path) -> None:
    @tf.function
    def g(x):
        assert x > 0
        return x

    with pytest.raises(AssertionError), profiler.Profile(tmp_path):
        g(tf.constant(-1))
    trace, _ = files_of(tmp_path)
    assert len(events_named(trace, "g")) == 1
    assert recorder.active is None and not concrete.observers


def test_only_one_profile_at_a_time(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.UnavailableError, match="No profiler is running"):
        profiler.stop()
    profiler.start(tmp_path)
    with pytest.raises(tf.errors.AlreadyExistsError, match="Another profiler is running"):
        profiler.start(tmp_path)
    assert profiler.stop(save=False) is None
    assert not list(tmp_path.iterdir())


def test_many_events_are_only_summed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "MOST_EVENTS", 10)
    monkeypatch.setattr(settings, "native", False)
    with profiler.Profile(tmp_path):
        tf.function(f)(tf.ones(3), 40)
    trace, summary = files_of(tmp_path)
    assert len(trace["traceEvents"]) == 10 and trace["otherData"]["eventsLeftOut"] > 30
    assert any(row.split()[0] == "40" for row in summary.splitlines())
