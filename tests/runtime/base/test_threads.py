"""Products take one thread unless they are large, where nobody can see it, and the BLAS is left as it was."""

from __future__ import annotations

import subprocess
import sys
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.runtime.base import threads

needs_pool = pytest.mark.skipif(threads.pool() is None, reason="threadpoolctl is not installed")


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No other thread runs, whatever runs the tests; and products may take four threads."""
    monkeypatch.setattr(threads, "_is_alone", lambda: True)
    before = number()
    threads.set_number(4)
    yield
    threads.set_number(before)


def number() -> int:
    return int(threads.pool().get_num_threads())


def counting(function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, name: str) -> list[int]:
    """The number of threads at each call of a function of NumPy's."""
    seen: list[int] = []

    def noted(*args: Any, **kwargs: Any) -> Any:
        seen.append(number())
        return function(*args, **kwargs)

    monkeypatch.setattr(np, name, noted)
    return seen


@needs_pool
@pytest.mark.parametrize(
    ("x", "y", "one"),
    [
        ((20, 784), (784, 64), True), ((64, 256), (256, 1024), True), ((700, 700), (700,), True),
        ((300, 300), (300, 300), False), ((4, 4), (4, 4), False), ((9, 300, 300), (300, 300), False),
        ((70, 70), (70, 70), False), ((500, 500), (500,), False),
    ],
)  # fmt: skip
def test_threads_of_products(monkeypatch: Any, alone: None, x: Any, y: Any, one: bool) -> None:
    seen = counting(np.matmul, monkeypatch, "matmul")
    a, b = np.ones(x, "f"), np.ones(y, "f")
    result = threads.matmul(a, b)
    assert seen == [1 if one else 4] and number() == 4
    assert result.flat[0] == x[-1]


@needs_pool
def test_einsum_tensordot_and_convolutions(monkeypatch: Any, alone: None) -> None:
    seen = counting(np.tensordot, monkeypatch, "tensordot")
    tf.tensordot(np.ones((8, 50, 64), "f"), np.ones((64, 64), "f"), 1)
    assert seen == [1]
    seen = counting(np.einsum, monkeypatch, "einsum")
    tf.einsum("a...c,cd->a...d", np.ones((8, 50, 64), "f"), np.ones((64, 64), "f"))
    assert seen == [1]
    seen = counting(np.matmul, monkeypatch, "matmul")
    tf.nn.conv2d(np.ones((2, 20, 20, 8), "f"), np.ones((3, 3, 8, 16), "f"), 1, "SAME")
    assert seen and set(seen) == {1}


@needs_pool
def test_other_threads_never_see_it(monkeypatch: Any) -> None:
    seen = counting(np.tensordot, monkeypatch, "tensordot")
    before, end = number(), threading.Event()
    other = threading.Thread(target=end.wait)
    threads.set_number(4)
    other.start()
    try:
        tf.tensordot(np.ones((100, 100)), np.ones((100, 100)), 1)
    finally:
        end.set()
        other.join()
        threads.set_number(before)
    assert seen == [4]


@needs_pool
def test_a_thread_can_set_limits_after_products_of_this_one(alone: None) -> None:
    from threadpoolctl import threadpool_limits

    seen = []

    def limit() -> None:
        with threadpool_limits(3, user_api="blas"):
            seen.append(number())

    threads.matmul(np.ones((100, 100)), np.ones((100, 100)))
    other = threading.Thread(target=limit)
    other.start()
    other.join()
    assert seen == [3] and number() == 4


@needs_pool
def test_a_process_with_one_thread_needs_nothing_else() -> None:
    program = (
        "import numpy as np, autograph as tf\nfrom autograph.runtime.base import threads\n"
        "threads.set_number(4)\nseen, real = [], np.tensordot\n"
        "def noted(*given):\n    seen.append(threads.pool().get_num_threads())\n    return real(*given)\n"
        "np.tensordot = noted\ntf.tensordot(np.ones((100, 100)), np.ones((100, 100)), 1)\n"
        "print(seen, threads.pool().get_num_threads())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[1] 4\n", done.stderr


@needs_pool
def test_the_number_comes_back_after_errors(alone: None) -> None:
    with pytest.raises(ValueError):
        threads.matmul(np.ones((200, 200)), np.ones((100, 200)))
    assert number() == 4


@needs_pool
def test_the_number_that_is_set_meanwhile_is_kept(alone: None) -> None:
    with threads.few_threads(1_000_000):
        threads.set_number(3)
    assert number() == 3


@needs_pool
def test_an_interrupted_product_is_made_up_for(alone: None) -> None:
    threads.few_threads(1_000_000).__enter__()  # and out without __exit__
    assert number() == 1
    threads.matmul(np.ones((100, 100)), np.ones((100, 100)))
    assert number() == 4


@pytest.mark.parametrize("found", [None, types.ModuleType("threadpoolctl")], ids=["none", "another module"])
def test_without_threadpoolctl_nothing_is_set(found: Any, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "threadpoolctl", found)
    monkeypatch.setattr(threads, "_is_alone", lambda: True)
    pool = threads.pool.__wrapped__
    monkeypatch.setattr(threads, "pool", pool)
    assert pool() is None and not threads.needs_one(1_000_000)
    assert threads.matmul(np.ones((100, 100)), np.ones((100, 100)))[0, 0] == 100
    assert tf.config.threading.get_intra_op_parallelism_threads() == 0
    with pytest.warns(RuntimeWarning, match=r"pip install 'autograph-py\[threads\]'"):
        tf.config.threading.set_intra_op_parallelism_threads(2)


@needs_pool
def test_users_set_the_number(alone: None) -> None:
    tf.config.threading.set_intra_op_parallelism_threads(2)
    assert number() == tf.config.threading.get_intra_op_parallelism_threads() == 2


@needs_pool
def test_native_code_leaves_the_number_alone(alone: None, monkeypatch: Any) -> None:
    pytest.importorskip("llvmlite")

    @tf.function(jit_compile=True)
    def run(x, y):
        return x @ y

    x = np.random.default_rng(0).normal(size=(80, 80)).astype("f")
    expected = x @ x
    monkeypatch.setattr(threads, "set_number", None)
    for _ in range(3):
        np.testing.assert_allclose(np.asarray(run(x, x)), expected, rtol=1e-4, atol=1e-4)
    monkeypatch.undo()
    assert number() == 4


def test_small_products_of_known_shapes_are_plain_expressions() -> None:
    def code(*shape: Any) -> str:
        specs = [tf.TensorSpec(shape, tf.float32), tf.TensorSpec(shape[::-1], tf.float32)]
        return tf.function(lambda x, y: x @ y).get_concrete_function(*specs).plan_code()

    assert "x @ y" in code(40, 40) and "op_matmul(x, y)" in code(100, 100) and "op_matmul(x, y)" in code(None, 4)
