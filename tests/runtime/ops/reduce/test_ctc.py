"""Connectionist temporal classification: TensorFlow's numbers and gradients, and sums over all paths."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError, NoGradientError

LABELS = np.array([[1, 2, 2, 0], [3, 1, 0, 0], [2, 0, 0, 0]], np.int32)
COUNTS, STEPS = np.array([3, 2, 1], np.int32), np.array([6, 5, 4], np.int32)
LOGITS = np.random.RandomState(0).randn(6, 3, 5).astype(np.float32)


def loss_and_gradient(logits: Any, **options: Any) -> tuple[Any, Any]:
    x = tf.convert_to_tensor(logits)
    with tf.GradientTape() as tape:
        tape.watch(x)
        losses = tf.nn.ctc_loss(LABELS, x, COUNTS, STEPS, **options)
        total = tf.reduce_sum(losses * tf.constant([1.0, 2.0, 3.0], losses.dtype))
    return losses, tape.gradient(total, x)


# What TensorFlow 2.21 gave: the losses, the first elements of the gradient, and the sum of the absolute values of it.
AS_TENSORFLOW: list[tuple[dict[str, Any], list[float], list[float], float]] = [
    ({}, [6.0482697, 6.718679, 7.2734013], [-0.5310054, -0.18565592, 0.10289047, 0.36351478, 0.2502561], 37.679276),
    ({"logits_time_major": False}, [6.0482697, 6.718679, 7.2734013],
     [-0.5310054, -0.18565592, 0.10289047, 0.36351478, 0.2502561, 0.04423796, -0.30965388], 37.679276),
    ({"blank_index": 4}, [5.3595715, 4.3982134, 5.8461227],
     [0.22564866, -0.15925193, 0.10289047, 0.36351478, -0.532802], 31.650522),
    ({"blank_index": -1}, [5.3595715, 4.3982134, 5.8461227],
     [0.22564866, -0.15925193, 0.10289047, 0.36351478, -0.532802], 31.650522),
]  # fmt: skip


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("options, losses, first, total", AS_TENSORFLOW)
def test_numbers_are_tensorflows(
    options: dict[str, Any], losses: list[float], first: list[float], total: float, staged: bool
) -> None:
    logits = LOGITS if options.get("logits_time_major", True) else LOGITS.transpose(1, 0, 2)
    function = tf.function(lambda x: loss_and_gradient(x, **options)) if staged else None
    found, gradient = function(tf.constant(logits)) if function else loss_and_gradient(logits, **options)
    np.testing.assert_allclose(found, losses, rtol=1e-5)
    np.testing.assert_allclose(np.ravel(gradient)[: len(first)], first, rtol=1e-4, atol=1e-6)
    assert float(np.abs(gradient.numpy()).sum()) == pytest.approx(total, rel=1e-5)


@pytest.mark.parametrize("labels", [[], [1], [1, 1], [2, 1], [1, 2, 1]])
def test_the_loss_is_the_sum_over_all_paths(labels: list[int]) -> None:
    logits = np.random.RandomState(1).randn(4, 1, 3)
    chances = np.exp(logits[:, 0]) / np.exp(logits[:, 0]).sum(-1, keepdims=True)
    whole = 0.0
    for path in itertools.product(range(3), repeat=4):
        left = [label for label, _ in itertools.groupby(path) if label]
        whole += np.prod([chances[i, label] for i, label in enumerate(path)]) if left == labels else 0
    padded = np.array([labels + [0] * (3 - len(labels))], np.int64)
    found = tf.nn.ctc_loss(padded, logits, [len(labels)], [4])
    assert found.dtype == tf.float64
    np.testing.assert_allclose(found, [-np.log(whole)], rtol=1e-10)


def test_labels_without_room_are_impossible() -> None:
    with tf.GradientTape() as tape:
        x = tf.constant(LOGITS)
        tape.watch(x)
        losses = tf.nn.ctc_loss(LABELS, x, COUNTS, [3, 0, 4])
    assert np.isinf(losses[:2]).all() and np.isfinite(losses[2])
    gradient = tape.gradient(losses, x)
    assert not np.any(gradient[:, :2]) and np.any(gradient[:, 2])


def test_unknown_sizes_and_a_saved_model(tmp_path: Any) -> None:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec((None, None), tf.int32), tf.TensorSpec((None, None, 5)),
                                      tf.TensorSpec((None,), tf.int32), tf.TensorSpec((None,), tf.int32)])  # fmt: skip
        def loss(self, *arguments):
            return tf.nn.ctc_loss(*arguments)

    tf.saved_model.save(Model(), str(tmp_path))
    loss = tf.saved_model.load(str(tmp_path)).loss
    np.testing.assert_allclose(loss(LABELS, LOGITS, COUNTS, STEPS), AS_TENSORFLOW[0][1], rtol=1e-5)


def test_kerass_loss() -> None:
    """Keras 3.15's numbers."""
    labels = np.array([[1, 2, 2, 0, 0], [3, 1, 0, 0, 0]])
    state = np.random.RandomState(0)
    state.randn(6, 3, 5)
    logits = state.randn(2, 7, 5).astype(np.float32)
    np.testing.assert_allclose(tf.keras.losses.ctc(labels, logits), [6.485998, 6.9098654], rtol=1e-5)
    loss = tf.keras.losses.CTC()
    assert loss.get_config() == {"name": "ctc", "reduction": "sum_over_batch_size"}
    assert float(loss(labels, logits)) == pytest.approx(6.697932)
    assert float(loss(labels, logits, sample_weight=[1.0, 2.0])) == pytest.approx(10.152864)
    cost = tf.keras.backend.ctc_batch_cost(labels, tf.nn.softmax(logits), [[7], [6]], [[3], [2]])
    np.testing.assert_allclose(cost, [[11.114418], [5.803736]], rtol=1e-5)
    model = tf.keras.Sequential([tf.keras.layers.Dense(5)])
    model.compile(tf.keras.optimizers.Adam(0.05), "ctc")
    losses = model.fit(logits, labels, epochs=5, verbose=0).history["loss"]
    assert losses[-1] < losses[0]


@pytest.mark.parametrize(
    "change, text",
    [({"labels": LABELS + 4}, "labels are numbers of classes"), ({"labels": LABELS[0]}, "rank 2"),
     ({"labels": LABELS[:2]}, "a row for each"), ({"label_length": [5, 1, 1]}, "at most the number of labels"),
     ({"logit_length": [7, 1, 1]}, "at most the number of steps"), ({"logits": LOGITS[0]}, "rank 3"),
     ({"blank_index": 5}, "blank_index 5"), ({"unique": 1}, "no `unique`"), ({"label_length": None}, "dense tensor")],
)  # fmt: skip
def test_what_is_refused(change: dict[str, Any], text: str) -> None:
    arguments = {"labels": LABELS, "logits": LOGITS, "label_length": COUNTS, "logit_length": STEPS, **change}
    with pytest.raises(InvalidArgumentError, match=text):
        tf.nn.ctc_loss(**arguments)


def test_there_is_one_derivative() -> None:
    x = tf.constant(LOGITS)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            loss = tf.nn.ctc_loss(LABELS, x, COUNTS, STEPS)
        gradient = inner.gradient(loss, x)
    with pytest.raises(NoGradientError, match="ctc_loss_gradient"):
        outer.gradient(gradient, x)


def test_kerass_loss_refuses_other_ranks() -> None:
    for labels, logits, text in ((np.ones(3), LOGITS, "Targets `y_true`"), (LABELS, LOGITS[0], "Logits `y_pred`")):
        with pytest.raises(InvalidArgumentError, match=text):
            tf.keras.losses.ctc(labels, logits)
