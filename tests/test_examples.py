"""The examples run as a user runs them, and what they compute is what plain NumPy and Python compute."""

from __future__ import annotations

import collections
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import autograph as tf
from examples import beam_search, collatz, digits, dynamic_rnn, keras_digits, lbfgs, picture

ROOT = Path(__file__).parents[1]


def run(name: str, *arguments: str) -> str:
    """Runs an example as a script and returns what it prints."""
    process = subprocess.run(
        [sys.executable, ROOT / "examples" / name, *arguments], env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240,
    )
    assert process.returncode == 0, process.stderr
    assert process.stderr == ""
    return process.stdout


# Digits


def train_with_numpy(layers, images, targets, new_images, new_targets, orders, rate, patience):
    """The training of `digits.train`, in NumPy."""

    def forward(layers, images):
        hidden = np.maximum(images @ layers[0] + layers[1], 0)
        scores = hidden @ layers[2] + layers[3]
        scores = scores - scores.max(axis=1, keepdims=True)
        return hidden, scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))

    best, best_loss, waited = layers, np.inf, 0
    for epoch, order in enumerate(orders, start=1):
        for rows in order.reshape(-1, digits.BATCH):
            hidden, logs = forward(layers, images[rows])
            slopes = (np.exp(logs) - targets[rows]) / np.float32(digits.BATCH)
            back = np.where(hidden > 0, slopes @ layers[2].T, np.float32(0))
            steps = images[rows].T @ back, back.sum(axis=0), hidden.T @ slopes, slopes.sum(axis=0)
            layers = [weights - np.float32(rate) * step for weights, step in zip(layers, steps, strict=True)]
        loss = -(new_targets * forward(layers, new_images)[1]).sum(axis=1).mean()
        best, best_loss, waited = (layers, loss, 0) if loss < best_loss else (best, best_loss, waited + 1)
        if waited == patience:
            break
    return best, best_loss, epoch


def test_digits_train_as_in_numpy():
    parts = digits.load()
    arguments = digits.training_arguments(parts)
    layers, loss, epochs = tf.function(digits.train)(*arguments)
    wanted_layers, wanted_loss, wanted_epochs = train_with_numpy(*arguments)
    assert int(epochs) == wanted_epochs < digits.EPOCHS
    assert float(loss) == pytest.approx(wanted_loss, rel=1e-2)
    assert isinstance(layers, digits.Layers)
    for found, wanted in zip(layers, wanted_layers, strict=True):
        assert np.max(np.abs(found.numpy() - wanted)) < 2e-2
    assert digits.accuracy(layers, *parts["held-out"]) >= 0.9


def test_digits_train_without_a_graph():
    parts = digits.load()
    layers, *arguments, orders, rate, patience = digits.training_arguments(parts)
    arguments = [tf.constant(argument) for argument in (*arguments, orders[:2])]
    _, loss, epochs = digits.train(layers, *arguments, rate, patience)
    _, staged_loss, _ = tf.function(digits.train)(layers, *arguments, rate, patience)
    assert epochs == 2
    assert float(loss) == pytest.approx(float(staged_loss), rel=1e-4)


def test_digits_show_the_sources_the_graph_and_the_accuracy():
    printed = run("digits.py")
    assert "for rows in tf.reshape(order, (-1, BATCH)):" in printed
    assert "ag__.for_stmt(" in printed
    graph = tf.function(digits.train).get_concrete_function(*digits.training_arguments(digits.load())).graph
    operations = collections.Counter(node.op.name for node in graph.walk())
    assert operations["while"] == 2 and operations["cond"] >= 1  # epochs and batches; the least loss
    size = f"{operations.total()} nodes, among them 2 loops and {operations['cond']} conditionals"
    assert size in printed
    share = float(printed.splitlines()[-1].split("%")[0])
    assert share >= 90


# Collatz


def test_collatz_of_an_array():
    numbers = np.array([27, 1, 97, 871, 6171], dtype=np.int64)
    staged = tf.function(collatz.survey)
    taken, champion, longest = staged(numbers)
    wanted = [collatz.collatz(int(number)) for number in numbers]
    assert taken.numpy().tolist() == wanted
    assert (int(champion), int(longest)) == (6171, max(wanted))
    staged(numbers[::-1].copy())
    assert staged.experimental_get_tracing_count() == 1


def test_collatz_as_plain_python():
    taken, champion, longest = collatz.survey([27, 97, 1])
    assert taken.numpy().tolist() == [111, 118, 0]
    assert (champion, longest) == (97, 118)


def test_collatz_on_the_command_line():
    assert "27 falls to 1 in 111 steps" in run("collatz.py", "27", "97")
    assert "871 takes the longest: 178 steps" in run("collatz.py")
    for given in ("0", "-5", "many"):
        with pytest.raises(SystemExit, match="no other number falls to 1"):
            collatz.main([given])


# Beam search


def search_with_numpy(trigrams, allowed, width):
    """The search of `beam_search.beam_search`, over Python lists of (score, text)."""
    beams = [(np.float32(0), ())]
    for step in range(beam_search.LIMIT):
        following = []
        for score, text in beams:
            if text and text[-1] == beam_search.END:
                following.append((score, (*text, beam_search.END)))
                continue
            before, last = (0, 0, *text)[-2:]
            for letter, gain in enumerate(trigrams[before * beam_search.LETTERS + last] + allowed[step]):
                following.append((score + gain, (*text, letter)))
        beams = sorted(following, key=lambda beam: -beam[0])[:width]
        if all(text[-1] == beam_search.END for _, text in beams):
            break
    return beams


@pytest.mark.parametrize("keys", ["843", "2388", "92", "42", "74"])
def test_beam_search_as_in_numpy(keys):
    trigrams = beam_search.count_trigrams(beam_search.read_words())
    allowed = beam_search.allowed_letters(keys)
    texts, scores, steps = beam_search.beam_search(trigrams, allowed, 8)
    wanted = search_with_numpy(trigrams, allowed, 8)
    np.testing.assert_allclose(scores.numpy(), [score for score, _ in wanted], rtol=1e-4)
    assert beam_search.spell(texts.numpy()[0]) == beam_search.spell(wanted[0][1])
    assert int(steps) == len(wanted[0][1])


def test_beam_search_on_the_command_line():
    assert "the (" in run("beam_search.py", "843")


# Dynamic RNN


def test_dynamic_rnn_as_in_numpy():
    outputs, states = dynamic_rnn.main()
    inputs, lengths = dynamic_rnn.one_hot(dynamic_rnn.read_lines())
    cell = dynamic_rnn.Cell(dynamic_rnn.UNITS)
    assert outputs.shape == (len(lengths), lengths.max(), dynamic_rnn.UNITS)
    for row, length in enumerate(lengths):
        state = np.zeros(dynamic_rnn.UNITS, np.float32)
        for time in range(length):
            state = np.tanh(inputs[row, time] @ cell.input_weights + state @ cell.recurrent_weights)
            np.testing.assert_allclose(outputs[row, time], state, atol=1e-3)
        np.testing.assert_allclose(states[row], state, atol=1e-3)
        assert not outputs[row, length:].any()


def test_dynamic_rnn_without_a_graph():
    inputs, lengths = (value[:3] for value in dynamic_rnn.one_hot(dynamic_rnn.read_lines()))
    cell, start = dynamic_rnn.Cell(8), np.zeros((3, 8), np.float32)
    eager = dynamic_rnn.dynamic_rnn.python_function(cell, tf.constant(inputs), tf.constant(lengths), tf.constant(start))
    staged = dynamic_rnn.dynamic_rnn(cell, inputs, lengths, start)
    for one, other in zip(eager, staged, strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), atol=1e-6)


def test_dynamic_rnn_on_the_command_line():
    assert "If the implementation is easy to explain" in run("dynamic_rnn.py")


# L-BFGS


def test_lbfgs_as_in_numpy():
    features, labels = lbfgs.load()
    start = np.zeros(features.shape[1])
    weights, loss, steps = tf.function(lbfgs.minimize)(start, features, labels, 1e-6, 500)
    wanted_weights, wanted_loss, wanted_steps = lbfgs.minimize(start, features, labels, 1e-6, 500)
    assert np.max(np.abs(lbfgs.loss_and_gradient(weights.numpy(), features, labels)[1])) < 1e-6
    assert float(loss) == pytest.approx(wanted_loss, abs=1e-10)
    assert int(steps) == wanted_steps
    np.testing.assert_allclose(weights.numpy(), wanted_weights, atol=1e-4)


def test_lbfgs_stops_at_its_limit_and_at_a_minimum():
    features, labels = lbfgs.load()
    staged = tf.function(lbfgs.minimize)
    start = np.zeros(features.shape[1])
    weights, _, steps = staged(start, features, labels, 1e-6, 3)
    assert int(steps) == 3
    best = lbfgs.minimize(start, features, labels, 1e-9, 500)[0]
    weights, _, steps = staged(best, features, labels, 1e-6, 500)
    assert int(steps) == 0
    np.testing.assert_array_equal(weights.numpy(), best)


def test_lbfgs_on_the_command_line():
    assert "after 46 steps" in run("lbfgs.py")


# The picture


def test_picture_in_the_readme_is_what_the_script_draws(tmp_path):
    picture.main([str(tmp_path / "collatz.svg")])
    assert (tmp_path / "collatz.svg").read_text() == (ROOT / "examples" / "collatz.svg").read_text()


# Digits on several devices


def test_digits_on_eight_devices_end_with_the_weights_of_one():
    pytest.importorskip("jax")
    lines = run("distributed_digits.py", "2").splitlines()
    assert lines[0] == "8 devices" and lines.count("one device ends with the same weights") == 2, lines


# Digits with Keras


def test_keras_digits_resume_and_reach_their_accuracy(capfd, tmp_path):
    share, same = keras_digits.main(str(tmp_path))
    assert same
    assert share >= 0.95
    printed = capfd.readouterr()
    assert "interrupted and resumed: the same weights" in printed.out
    assert printed.out.endswith(f"{share:.1%} of 300 held-out digits recognised\n")
    block = re.search(r"keras_digits.py out\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert block is not None
    shown = [re.sub(r"\d+\.\d+", "…", line) for line in block[1].splitlines()]  # last digits are the machine's
    lines = [re.sub(r"\d+\.\d+", "…", line) for line in (*printed.err.splitlines(), *printed.out.splitlines()[-3:])]
    epochs = len(printed.err.splitlines())
    assert [line for line in shown if line.startswith("Epoch")] == lines[:epochs]
    assert [line for line in shown if not line.startswith("Epoch")] == lines[epochs:]

    images, classes = keras_digits.load()[1]
    loaded = tf.saved_model.load(tmp_path / "model")
    assert keras_digits.accuracy(loaded.serve, images, classes) == share
    event_accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    seen = event_accumulator.EventAccumulator(str(tmp_path / "logs"))
    seen.Reload()
    assert set(seen.Tags()["tensors"]) == {"loss", "accuracy"} and seen.Tags()["graph"]
    assert seen.Tensors("loss")[-1].step == keras_digits.EPOCHS - 1


# A language model


MODEL = ("language_model.py", "--steps", "12", "--every", "6")


def test_a_language_model_goes_on_where_it_was_stopped(tmp_path):
    whole = run(*MODEL)
    bits = [float(each) for each in re.findall(r"([\d.]+) bits per character", whole)]
    assert len(bits) == 2 and bits[1] < bits[0] and bits[1] < 4.4  # the frequencies of characters alone give 4.7
    command = [sys.executable, ROOT / "examples" / MODEL[0], *MODEL[1:], "--checkpoints", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout.readline().startswith("step 6: ")
        process.kill()
    rest = run(*MODEL, "--checkpoints", str(tmp_path))
    assert rest.startswith("going on after step 6\nstep 12: ")
    assert told(rest) == told(whole)[1:]


def test_a_language_model_is_the_same_on_two_devices_and_in_two_processes():
    pytest.importorskip("jax")
    alone, together = run(*MODEL), run(*MODEL, "--devices", "2")
    assert told(together) == told(alone)
    launch = [sys.executable, "-m", "autograph", "launch", "--processes", "2"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CONFIG": "", "JAX_PLATFORMS": "cpu"}
    command = [*launch, ROOT / "examples" / MODEL[0], *MODEL[1:]]
    process = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=240)
    assert process.returncode == 0, process.stderr
    for worker in range(2):
        lines = [line for line in process.stdout.splitlines() if line.startswith(f"[worker {worker}] ")]
        own = "".join(line.partition("] ")[2] + "\n" for line in lines if "[Gloo]" not in line)
        assert told(own) == told(alone)


def told(output):
    """What a language model tells, but for its speed."""
    return [line.partition(" held out")[0] for line in output.splitlines() if line != "going on after step 6"]
