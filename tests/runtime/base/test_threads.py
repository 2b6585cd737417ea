"""Products take one thread unless they are large, and OpenBLAS is left as it was."""

from __future__ import annotations

import os
import threading
import warnings

import numpy as np
import pytest

import autograph as tf
from autograph.runtime.base import threads

setting = threads.setting()
pytestmark = pytest.mark.skipif(setting is None, reason="NumPy's BLAS is not OpenBLAS")


class Counting:
    """An array function that notes the number of threads while it runs."""

    def __init__(self, function, monkeypatch, name):
        self.seen = []

        def noted(*args, **kwargs):
            self.seen.append(setting.get())
            return function(*args, **kwargs)

        monkeypatch.setattr(np, name, noted)


@pytest.mark.parametrize(
    ("x", "y", "one"),
    [
        ((20, 784), (784, 64), True), ((64, 256), (256, 1024), True), ((500, 500), (500,), True),
        ((300, 300), (300, 300), False), ((4, 4), (4, 4), False), ((9, 300, 300), (300, 300), False),
    ],
)  # fmt: skip
def test_threads_of_products(monkeypatch, x, y, one):
    before = setting.get()
    counting = Counting(np.matmul, monkeypatch, "matmul")
    a, b = np.ones(x, "f"), np.ones(y, "f")
    result = threads.matmul(a, b)
    assert counting.seen == [1 if one else before] and setting.get() == before
    assert result.flat[0] == x[-1]


def test_einsum_tensordot_and_convolutions(monkeypatch):
    counting = Counting(np.tensordot, monkeypatch, "tensordot")
    tf.tensordot(np.ones((8, 50, 64), "f"), np.ones((64, 64), "f"), 1)
    assert counting.seen == [1]
    counting = Counting(np.einsum, monkeypatch, "einsum")
    tf.einsum("a...c,cd->a...d", np.ones((8, 50, 64), "f"), np.ones((64, 64), "f"))
    assert counting.seen == [1]
    counting = Counting(np.matmul, monkeypatch, "matmul")
    tf.nn.conv2d(np.ones((2, 20, 20, 8), "f"), np.ones((3, 3, 8, 16), "f"), 1, "SAME")
    assert counting.seen and set(counting.seen) == {1}


def test_the_number_comes_back_after_errors_and_from_several_threads():
    before = setting.get()
    with pytest.raises(ValueError):
        threads.matmul(np.ones((200, 200)), np.ones((100, 200)))
    assert setting.get() == before
    x = np.ones((100, 100), "f")

    def work():
        for _ in range(300):
            threads.matmul(x, x)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert setting.get() == before


def test_the_number_that_is_set_while_another_thread_multiplies_is_kept():
    before = setting.get()
    try:
        with threads.few_threads(100_000):
            setting.set(before + 2)
        assert setting.get() == before + 2
    finally:
        setting.set(before)


def test_an_interrupted_product_is_made_up_for():
    before = setting.get()
    threads.few_threads(100_000).__enter__()  # and out without __exit__
    assert setting.get() == 1
    x = np.ones((100, 100), "f")
    threads.matmul(x, x)
    assert setting.get() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_process_does_not_wait_for_threads_of_its_parent():
    before, inside, leave = setting.get(), threading.Event(), threading.Event()

    def work():
        with threads.few_threads(100_000):
            inside.set()
            leave.wait()

    worker = threading.Thread(target=work)
    worker.start()
    inside.wait()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        child = os.fork()
    if not child:
        os._exit(0 if setting.get() == before else 1)
    leave.set()
    worker.join()
    assert os.waitpid(child, 0)[1] == 0 and setting.get() == before


def test_the_number_that_the_user_has_set_is_kept():
    before = setting.get()
    setting.set(before + 1)
    try:
        threads.matmul(np.ones((100, 100)), np.ones((100, 100)))
        assert setting.get() == before + 1
    finally:
        setting.set(before)


def test_native_code_leaves_the_number_alone():
    pytest.importorskip("llvmlite")
    seen = []

    @tf.function(jit_compile=True)
    def run(x, y):
        return x @ y

    x = np.random.default_rng(0).normal(size=(80, 80)).astype("f")
    before = setting.get()
    for _ in range(3):
        seen.append(np.asarray(run(x, x)))
    assert setting.get() == before
    np.testing.assert_allclose(seen[-1], x @ x, rtol=1e-4, atol=1e-4)


def test_small_products_of_known_shapes_are_plain_expressions():
    def code(*shape):
        specs = [tf.TensorSpec(shape, tf.float32), tf.TensorSpec(shape[::-1], tf.float32)]
        return tf.function(lambda x, y: x @ y).get_concrete_function(*specs).plan_code()

    assert "x @ y" in code(40, 40) and "op_matmul(x, y)" in code(100, 100) and "op_matmul(x, y)" in code(None, 4)
