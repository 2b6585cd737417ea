"""`tqdm` around what a staged loop runs over."""

from __future__ import annotations

import gc
import io
import re

import pytest

import autograph as tf

tqdm = pytest.importorskip("tqdm").tqdm
import tqdm.auto as tqdm_auto  # noqa: E402
from tqdm import trange  # noqa: E402

OUT = io.StringIO()


@pytest.fixture(autouse=True)
def _out():
    OUT.truncate(0)
    OUT.seek(0)
    yield
    gc.collect()
    assert not tqdm._instances, "all bars are closed"


def shown() -> str:
    """What the bar says at the end."""
    text = re.sub(r"\|[^|]*\|", "|", OUT.getvalue().rstrip("\n").split("\r")[-1])
    OUT.truncate(0)
    OUT.seek(0)
    return text.partition(" [")[0].strip()


@tf.function
def over_a_tensor(n):
    total = 0
    for i in tqdm(tf.range(n), file=OUT):
        total += i
    return total


def test_a_bar_is_made_in_each_run() -> None:
    for n, text in ((5, "100%| 5/5"), (7, "100%| 7/7"), (0, "0it")):
        assert int(over_a_tensor(tf.constant(n))) == sum(range(n)) and shown() == text
    assert over_a_tensor.experimental_get_tracing_count() == 1


def test_the_loop_is_the_same_but_for_the_bar() -> None:
    @tf.function
    def without(n):
        total = 0
        for i in tf.range(n):
            total += i
        return total

    def ops(function):
        concrete = function.get_concrete_function(tf.TensorSpec([], tf.int32))
        (loop,) = [node for node in concrete.graph.nodes if node.op.name == "while"]
        names = [node.op.name for part in loop.subgraphs for node in part.walk()]
        return [name for name in names if name != "placeholder"], [node.op.name for node in concrete.graph.nodes]

    names, around = ops(over_a_tensor)
    assert [name for name in names if name != "progress_turn"] == ops(without)[0]
    assert names.count("progress_turn") == around.count("progress_begin") == around.count("progress_end") == 1


def test_datasets_tell_their_number_where_they_know_it() -> None:
    @tf.function
    def run(data):
        total = tf.constant(0, tf.int64)
        for x in tqdm(data, "rows", file=OUT, unit="row"):
            total += x
        return total

    data = tf.data.Dataset.range(4)
    assert int(run(data)) == 6 and shown() == "rows: 100%| 4/4"
    assert int(run(data.filter(lambda x: x > 1))) == 5 and shown() == "rows: 2row"
    assert int(run(iter(data))) == 6 and shown() == "rows: 4row"


def test_a_dataset_made_in_the_function() -> None:
    @tf.function
    def run(n):
        total = tf.constant(0, tf.int64)
        for x in tqdm(tf.data.Dataset.range(n), file=OUT):
            total += x
        return total

    assert int(run(tf.constant(3, tf.int64))) == 3 and shown() == "100%| 3/3"


@pytest.mark.parametrize("bar", [trange, tqdm_auto.trange])
def test_trange_break_and_continue(bar) -> None:
    @tf.function
    def run(n, limit):
        total = 0
        for i in bar(n, file=OUT):
            if i == 1:
                continue
            if i == limit:
                break
            total += i
        return total

    assert int(run(tf.constant(6), tf.constant(4))) == 5 and shown() == "67%| 4/6"
    assert int(run(tf.constant(3), tf.constant(4))) == 2 and shown() == "100%| 3/3"


def test_bars_stand_in_enumerate_and_zip_and_nest() -> None:
    @tf.function
    def run(n):
        total = 0
        for j, i in enumerate(tqdm_auto.tqdm(range(n), file=OUT)):
            for _ in trange(n, leave=False, file=OUT):
                total += i * j
        return total

    assert int(run(tf.constant(4))) == 56

    @tf.function
    def pairs(n):
        total = 0
        for i, j in zip(tqdm(tf.range(n), total=50, file=OUT), tf.range(100)):
            if j > 2:
                break
            total += i * j
        return total

    shown()
    assert int(pairs(tf.constant(9))) == 5 and shown() == "8%| 4/50"
    total = tf.function(lambda n: sum(tqdm(tf.range(n), file=OUT)))
    assert int(total(tf.constant(4))) == 6 and shown() == "100%| 4/4"


def test_gradients_go_through_the_loop() -> None:
    @tf.function
    def power(x, n):
        y = x
        for _ in trange(n, file=OUT):
            y = y * x
        return y

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = power(x, tf.constant(3))
    assert float(tape.gradient(y, x)) == 32 and shown() == "100%| 3/3"


def test_a_run_that_fails_closes_its_bar() -> None:
    @tf.function
    def run(n):
        for i in trange(n, file=OUT):
            tf.debugging.assert_less(i, 2)
        return n

    with pytest.raises(tf.errors.InvalidArgumentError):
        run(tf.constant(5))


def test_updates_are_throttled() -> None:
    class Slow(tqdm):
        updates = 0

        def update(self, n=1):
            type(self).updates += 1
            return super().update(n)

    @tf.function
    def run(n):
        for _ in Slow(tf.range(n), file=OUT):
            pass

    run(tf.constant(20_000))
    assert 1 <= Slow.updates < 200 and shown() == "100%| 20000/20000"


def test_plain_values_have_plain_bars() -> None:
    @tf.function
    def run(x):
        for i in tqdm(range(3), file=OUT):
            x += i
        return x

    assert int(run(tf.constant(1))) == 4 and shown() == "100%| 3/3"
    assert int(run(tf.constant(2))) == 5 and shown() == ""
    converted = tf.autograph.to_graph(lambda: [i for i in tqdm([1, 2], file=OUT)])
    assert converted() == [1, 2] and shown() == "100%| 2/2"
