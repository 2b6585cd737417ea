"""`MultiWorkerMirroredStrategy`: processes on this machine come to what one process with as many devices does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError, UnimplementedError

from .kills import difference, weights_of
from .worker_checks import alone, together


def close(found: Any, expected: Any) -> None:
    """Equal within the rounding of float32."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        found, expected = list(found.values()), list(expected.values())
    if isinstance(expected, list) and expected and isinstance(expected[0], (list, dict)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            close(one, other)
    else:
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize(("name", "count"), [("trained", 2), ("looped", 2), ("looped", 4)])
def test_processes_train_to_the_weights_of_one(name: str, count: int) -> None:
    pytest.importorskip("jax")
    found = together(name, count)
    assert all(each == found[0] for each in found)
    close(found[0], alone(name, count))


def test_what_processes_know_of_each_other() -> None:
    pytest.importorskip("jax")
    one, other = together("told", 2)
    assert (one.pop("own"), other.pop("own")) == ([0], [1])
    assert (one.pop("chief"), other.pop("chief")) == (True, False)
    assert one == other
    assert (one["replicas"], one["count"], one["total"]) == (2, 3, 1)
    assert one["drawn"][0] != one["drawn"][1]


def test_each_process_reads_its_own_part() -> None:
    pytest.importorskip("jax")
    one, other = together("read", 2)
    assert one == other
    assert one["own"] == [[[0, 2], [1, 3]], [[4, 6], [5, 7]], [[8, 10], [9, 11]], [[12], []]]
    assert one["apart"] == [[[0, 1], [100, 101]], [[2, 3], [102, 103]], [[4], [104]], [[5], [105]]]
    assert one["files"].startswith("UnimplementedError: a dataset with AutoShardPolicy.FILE")
    assert one["fit"].startswith("UnimplementedError: fit of a dataset with AutoShardPolicy.OFF")
    assert one["failed"].startswith("InvalidArgumentError: too many")
    assert one["given"].startswith("InvalidArgumentError: strategy.run is given different values in the processes")
    assert one["batches"].startswith("InvalidArgumentError: fit has read different batches in the processes")


def test_without_a_cluster_it_is_for_the_devices_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TF_CONFIG", raising=False)
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    assert strategy.num_replicas_in_sync == len(strategy.devices) and not strategy.is_one_of_many
    assert strategy.cluster_resolver.task_type is None and strategy.is_chief
    one = {"cluster": {"worker": ["localhost:1234"]}, "task": {"type": "worker", "index": 0}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(one))
    alone = tf.distribute.MultiWorkerMirroredStrategy()
    assert alone.devices == strategy.devices and alone.cluster_resolver.master() == "localhost:1234"


BAD = {
    "{": "it is no JSON",
    "[]": r"it is \[\], not a dict",
    '{"task": 3}': 'its "task" is 3',
    '{"cluster": {"worker": ["a:1", "b:2"]}}': "its task is nothing; there are worker 0 to 1",
    '{"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 2}}': "its task is worker 2",
    '{"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": "x"}}': "'x', not a number",
    '{"cluster": {"worker": ["a:1", "b"]}, "task": {"type": "worker", "index": 0}}': "has the address 'b'",
    '{"cluster": {"worker": "a:1"}}': "needs a list of addresses, not 'a:1'",
    '{"cluster": 5}': "a cluster is a dict of lists",
    '{"cluster": {"chief": ["a:1", "b:1"]}, "task": {"type": "chief", "index": 0}}': "at most one 'chief'",
}


@pytest.mark.parametrize("config", BAD)
def test_a_bad_cluster_is_refused(config: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_CONFIG", config)
    with pytest.raises(InvalidArgumentError, match=BAD[config]):
        tf.distribute.MultiWorkerMirroredStrategy()


def test_jobs_that_do_not_train_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = {"worker": ["a:1"], "ps": ["b:1"]}
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, task_type="worker", task_id=0)
    with pytest.raises(UnimplementedError, match="the job 'ps'"):
        tf.distribute.MultiWorkerMirroredStrategy(resolver)


def test_cluster_specs() -> None:
    spec = tf.train.ClusterSpec({"worker": ["a:1", "b:2"], "chief": {0: "c:3"}})
    assert spec.jobs == ["worker", "chief"] and spec.num_tasks("worker") == 2
    assert spec.task_address("chief", 0) == "c:3" and spec.job_tasks("worker") == ["a:1", "b:2"]
    assert spec == tf.train.ClusterSpec(spec) and spec and not tf.train.ClusterSpec({})
    for call in (lambda: spec.num_tasks("ps"), lambda: spec.task_address("worker", 2)):
        with pytest.raises(InvalidArgumentError):
            call()
    with pytest.raises(InvalidArgumentError, match="numbered"):
        tf.train.ClusterSpec({"worker": {1: "a:1"}})


def test_processes_meet_before_jax_starts() -> None:
    jax = pytest.importorskip("jax")
    jax.devices()
    cluster = {"worker": ["127.0.0.1:1", "127.0.0.1:2"]}
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, task_type="worker", task_id=0)
    with pytest.raises(tf.errors.FailedPreconditionError, match="JAX has started"):
        tf.distribute.MultiWorkerMirroredStrategy(resolver)


@pytest.mark.parametrize("how", ["fit", "loop"])
def test_training_survives_the_death_of_a_process(how: str, tmp_path: Path) -> None:
    """Once each; `python -m tests.distribute.kills` does it twenty times."""
    pytest.importorskip("jax")
    expected, kills = weights_of(how, tmp_path / "whole")
    assert kills == 0
    found, kills = weights_of(how, tmp_path / "killed", at=7, worker=1)
    assert kills == 1 and difference(found, expected) < 1e-6
