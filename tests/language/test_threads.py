"""What traced functions have other threads do, with values of the graph in reach and without: refused, or done once."""

from __future__ import annotations

import _thread
import asyncio
import concurrent.futures
import multiprocessing.pool
import queue
import threading
from collections.abc import Callable
from typing import Any

import pytest

import autograph as tf

from .support import check


def argument_of_a_thread(n):
    out = []
    thread = threading.Thread(target=lambda k: out.append(k + 1), args=(n,))
    thread.start()
    thread.join()
    return out


def closure_of_a_thread(n):
    out = []
    thread = threading.Thread(target=lambda: out.append(n + 1))
    thread.start()
    thread.join()
    return out


def list_that_a_run_knows(n):
    out = []
    if n > 0:
        out.append(1)
    thread = threading.Thread(target=lambda: out.append(7))
    thread.start()
    thread.join()
    return out


def own_class_of_threads(n):
    out = []

    class Worker(threading.Thread):
        def run(self):
            out.append(n + 1)

    worker = Worker()
    worker.start()
    worker.join()
    return out


def timer(n):
    thread = threading.Timer(0.0, print, (n,))
    thread.start()
    thread.join()
    return n


def new_thread(n):
    done = threading.Event()
    _thread.start_new_thread(lambda k: (k + 1, done.set()), (n,))
    return n


def submit(n):
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        executor.submit(print, n)
    return n


def executor_map(n):
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        return list(executor.map(lambda k: k + 1, [n, n]))


def pool_map(n):
    with multiprocessing.pool.ThreadPool(1) as pool:
        return pool.map(lambda k: k + 1, [1, n])


def to_thread(n):
    async def work():
        return await asyncio.to_thread(lambda: n + 1)

    return asyncio.run(work())


JOBS: queue.Queue[Any] = queue.Queue()


def queue_of_a_worker(n):
    JOBS.put(lambda: n + 1)
    return n


@tf.autograph.experimental.do_not_convert
def start(k, out):
    thread = threading.Thread(target=lambda: out.append(k + 1))
    thread.start()
    thread.join()


@pytest.mark.parametrize(
    "function",
    [
        argument_of_a_thread, closure_of_a_thread, list_that_a_run_knows, own_class_of_threads, timer, new_thread,
        submit, executor_map, pool_map, to_thread, queue_of_a_worker,
    ],
)  # fmt: skip
def test_threads_with_values_of_the_graph_are_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(tf.errors.MutationError, match=r"hands another thread(.|\n)*Remedy: call the function"):
        tf.function(function)(tf.constant(2))
    assert JOBS.empty()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_of_unconverted_code_that_uses_a_value_of_the_graph_is_refused() -> None:
    @tf.function
    def f(n):
        out = []
        start(n, out)
        return out

    with pytest.raises(tf.errors.InaccessibleTensorError, match=r"out\.append\(k \+ 1\)"):
        f(tf.constant(2))


def test_threads_without_values_of_the_graph_run_while_tracing() -> None:
    def f(n):
        out = []
        threads = [threading.Thread(target=out.append, args=(i,)) for i in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with concurrent.futures.ThreadPoolExecutor(1) as executor:
            out += executor.map(lambda k: k + 1, [5, 6])
            out.append(executor.submit(max, 8, 9).result())
        with multiprocessing.pool.ThreadPool(1) as pool:
            out += pool.map(lambda k: k + 1, [1, 2])
        own = queue.Queue()
        own.put(n)
        if n > 0:
            out.append(n)
        return sorted(out[:3]), out[3:], own.get()

    check(f, 1, 2, -1)


def test_what_the_refusal_of_threads_says_works() -> None:
    def f(n):
        out = []

        def work(k):
            out.append(k + 1)

        work(n)
        out += [k * 2 for k in [n, n + 1]]
        return out, tf.py_function(lambda k: k + 3, [n], tf.int32)

    check(f, 1, 2)
