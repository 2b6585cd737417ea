"""Whole programs, saved and loaded: the examples in a process without their source, tests' programs, random ones."""

from __future__ import annotations

import itertools
import linecache
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

import autograph as tf
from autograph.errors import SavingError
from examples import beam_search, collatz, digits, dynamic_rnn, lbfgs
from tests.programs.profile import examples
from tests.programs.tensor_generator import tensor_programs
from tests.programs.test_functions import ON_TENSORS, as_python, variations
from tests.programs.test_staged import VALUES, alike, outcome

ROOT = Path(__file__).parents[3]
RUN = """
import sys
import autograph as tf
from autograph.runtime.base.nest import flatten
import numpy as np

for folder in sys.argv[1:]:
    model = tf.saved_model.load(folder)
    results = flatten(model.run(*model.arguments))
    expected = flatten(model.expected)
    assert len(results) == len(expected)
    for found, wanted in zip(results, expected):
        assert found.dtype is wanted.dtype, folder
        np.testing.assert_array_equal(found.numpy(), wanted.numpy(), folder)
    print(len(results))
assert not any(name.split(".")[0] in ("examples", "tests") for name in sys.modules)
assert "autograph.pipeline" not in sys.modules
"""


class Kept(tf.Module):
    """A function with arguments and what it gives for them."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        super().__init__()
        self.run = function if hasattr(function, "get_concrete_function") else tf.function(function)
        self.arguments = tf.nest.map_structure(
            lambda leaf: tf.constant(leaf) if isinstance(leaf, np.ndarray) else leaf, arguments
        )
        self.expected = self.run(*self.arguments)


def rnn() -> Any:
    cell = dynamic_rnn.Cell(dynamic_rnn.UNITS)
    return lambda inputs, lengths, state: dynamic_rnn.dynamic_rnn.python_function(cell, inputs, lengths, state)


def kept_examples() -> dict[str, Kept]:
    layers, *training, orders, rate, patience = digits.training_arguments(digits.load())
    features, labels = lbfgs.load()
    trigrams = beam_search.count_trigrams(beam_search.read_words())
    inputs, lengths = dynamic_rnn.one_hot(dynamic_rnn.read_lines())
    state = np.zeros((len(lengths), dynamic_rnn.UNITS), np.float32)
    return {
        "collatz": Kept(collatz.survey, np.array([27, 97, 1], np.int64)),
        "beam_search": Kept(beam_search.beam_search, trigrams, beam_search.allowed_letters("843"), 8),
        "digits": Kept(digits.train, layers, *training, orders[:2], rate, patience),
        "lbfgs": Kept(lbfgs.minimize, np.zeros(features.shape[1]), features, labels, 1e-6, 500),
        "dynamic_rnn": Kept(rnn(), inputs, lengths, state),
    }


def test_the_examples_in_a_process_without_their_source(tmp_path):
    with threadpool_limits(1, user_api="blas"):  # the last bits of a product depend on how many threads share it
        kept = kept_examples()
    for name, module in kept.items():
        tf.saved_model.save(module, tmp_path / name)
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "autograph").symlink_to(ROOT / "autograph")
    process = subprocess.run(
        [sys.executable, "-c", RUN, *[str(tmp_path / name) for name in kept]],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "library"), "OPENBLAS_NUM_THREADS": "1"}, cwd=tmp_path,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    counts = [len(tf.nest.flatten(module.expected)) for module in kept.values()]
    assert list(map(int, process.stdout.split())) == counts


def test_an_object_as_argument_is_no_data(tmp_path):
    inputs, lengths = dynamic_rnn.one_hot(dynamic_rnn.read_lines())
    cell = dynamic_rnn.Cell(dynamic_rnn.UNITS)
    state = np.zeros((len(lengths), dynamic_rnn.UNITS), np.float32)
    dynamic_rnn.dynamic_rnn(cell, inputs, lengths, state)
    with pytest.raises(SavingError, match="was traced with cell="):
        tf.saved_model.save(dynamic_rnn.dynamic_rnn, tmp_path)


@pytest.mark.parametrize("function", ON_TENSORS, ids=lambda function: function.__name__)
def test_programs_that_are_one_graph(function, tmp_path):
    staged = tf.function(function)
    choices = variations(function)
    staged(*map(tf.constant, choices[0]))
    tf.saved_model.save(staged, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    for arguments in choices:
        found = loaded(*map(tf.constant, arguments))
        np.testing.assert_equal(as_python(found), as_python(function(*arguments)), str(arguments))


_numbers = itertools.count()


@examples(15)
@given(tensor_programs(), st.lists(st.integers(-1, 8), min_size=2, max_size=2))
def test_random_programs(source, sizes):
    filename = f"<saved program {next(_numbers)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    namespace: dict[str, Any] = {"__name__": "program"}
    exec(compile(source, filename, "exec"), namespace)
    staged = tf.function(namespace["program"])
    values = tf.constant(VALUES, tf.int64)
    try:
        staged.get_concrete_function(tf.TensorSpec((), tf.int64), values)
        with tempfile.TemporaryDirectory() as folder:
            tf.saved_model.save(staged, folder)
            loaded = tf.saved_model.load(folder)
        for n in sizes:
            wanted = outcome(lambda: staged(tf.constant(n, tf.int64), values))
            found = outcome(lambda: loaded(tf.constant(n, tf.int64), values))
            assert alike(found, wanted), f"\n{source}\nn = {n}\nloaded: {found!r}\nstaged: {wanted!r}"
    finally:
        del linecache.cache[filename]
