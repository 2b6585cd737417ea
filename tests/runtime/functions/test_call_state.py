"""Places outside a function are inputs and outputs of its graph: machine code, calls in other graphs, gradients."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import autograph as tf
from tests.language.support import as_python, assert_same


class Holder:
    pass


HOLDER = Holder()
TABLE: dict[str, Any] = {}
INNER: dict[str, Any] = {}
TRACES: list[str] = []
total: Any = None


def reset() -> None:
    global total
    HOLDER.__dict__.clear()
    TABLE.clear()
    TRACES.clear()
    INNER.clear()
    INNER["k"] = tf.constant(2.0)
    HOLDER.count, HOLDER.table = tf.constant(1.0), INNER
    TABLE["n"] = tf.constant(0.0)
    total = tf.constant(0.0)


def state() -> Any:
    return as_python([dict(HOLDER.__dict__), dict(TABLE), total])


@tf.function
def add(x):
    TRACES.append("add")
    HOLDER.count = HOLDER.count + x
    return HOLDER.count * 2


@tf.function
def add_everywhere(x):
    global total
    total = total + x
    TABLE["n"] = TABLE["n"] + total
    HOLDER.table["k"] = HOLDER.table["k"] * x
    return total


def called_twice(x):
    first = add(x)
    HOLDER.count = HOLDER.count * 3
    return first + add(x)


def called_in_a_branch(x):
    if x > 2:
        add(x)
    return HOLDER.count


def called_in_both_branches(x):
    if x > 2:
        add(x)
    else:
        add(-x)
        HOLDER.count += 1
    return HOLDER.count


def called_in_a_loop(x):
    n = x
    while n > 0:
        add(x)
        n -= 1
    return HOLDER.count


def called_in_a_branch_of_a_loop(x):
    for _ in tf.range(3):
        if x > 2:
            HOLDER.count = HOLDER.count + 1
            add_everywhere(x)
        add(x)
    return HOLDER.count, total


def called_two_levels_down(x):
    @tf.function
    def middle(y):
        return add(y) + add_everywhere(y)

    return middle(x) + middle(x)


def read_between_calls(x):
    seen = [HOLDER.count]
    add(x)
    seen.append(HOLDER.count)
    add(x)
    return seen, HOLDER.count


CALLERS = [
    called_twice, called_in_a_branch, called_in_both_branches, called_in_a_loop, called_in_a_branch_of_a_loop,
    called_two_levels_down, read_between_calls,
]  # fmt: skip


def runs(function: Callable[..., Any]) -> list[Any]:
    reset()
    seen = []
    for x in (3.0, 1.0, 2.5):
        seen.append((as_python(function(tf.constant(x))), state()))
    return seen


@pytest.mark.parametrize("function", CALLERS, ids=lambda function: function.__name__)
def test_a_call_in_a_trace_is_a_node_that_takes_and_gives_the_state(function: Callable[..., Any]) -> None:
    tf.config.run_functions_eagerly(True)
    expected = runs(function)
    tf.config.run_functions_eagerly(False)
    staged = tf.function(function)
    assert_same(runs(staged), expected)
    graph = staged.get_concrete_function(tf.constant(1.0)).graph
    names = [node.op.name for node in graph.walk()]
    assert "call" in names and "py_function" not in names


def test_a_function_that_others_call_is_not_traced_for_each_call() -> None:
    @tf.function
    def caller(x):
        for _ in range(5):
            add(x)
        return add(x)

    reset()
    add(tf.constant([1.0, 2.0]))
    count = len(TRACES)
    HOLDER.count = tf.constant([0.0, 0.0])
    caller(tf.constant([1.0, 2.0]))
    assert len(TRACES) == count
    assert HOLDER.count.numpy().tolist() == [6.0, 12.0]


def test_what_the_graph_of_a_called_function_can_not_take_is_traced_in_place() -> None:
    @tf.function
    def add_integer(x):
        HOLDER.number = HOLDER.number + x
        return HOLDER.number

    @tf.function
    def caller(x):
        add_integer(x)
        HOLDER.number = HOLDER.number * 0.5
        return add_integer(x)

    HOLDER.number = tf.constant(1)
    assert add_integer(tf.constant(2)) == 3
    assert caller(tf.constant(2)) == 4.5 and HOLDER.number == 4.5


def test_state_is_listed_and_typed() -> None:
    reset()
    concrete = add_everywhere.get_concrete_function(tf.constant(1.0))
    assert sorted(place.label.rpartition("[")[2] for place in concrete.state) == ["'k']", "'n']", "total"]
    assert all(place.writes and [value.dtype for value in place.inputs] == [tf.float32] for place in concrete.state)
    assert len(concrete.graph.parameters) == 4 and len(concrete.graph.outputs) == 4
    assert concrete.structured_input_signature == ((tf.TensorSpec((), tf.float32),), {})


def test_a_function_with_state_is_machine_code() -> None:
    pytest.importorskip("llvmlite")
    reset()

    @tf.function(jit_compile=True)
    def add_often(x):
        for _ in tf.range(100):
            HOLDER.count = HOLDER.count + x
        return HOLDER.count * 2

    assert [float(add_often(tf.constant(2.0))) for _ in range(3)] == [402.0, 802.0, 1202.0]
    assert HOLDER.count == 601.0


def test_gradients_go_through_state() -> None:
    reset()

    @tf.function
    def scale(x):
        HOLDER.count = HOLDER.count * x
        return HOLDER.count + x

    count, x = HOLDER.count, tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([count, x])
        once = scale(x)
        twice = scale(x)
        held = HOLDER.count * 1.0
    assert [float(each) for each in tape.gradient(once, [count, x])] == [2.0, 2.0]
    assert [float(each) for each in tape.gradient(twice, [count, x])] == [4.0, 5.0]
    assert [float(each) for each in tape.gradient(held, [count, x])] == [4.0, 4.0]


def test_gradients_in_a_trace_go_through_the_state_of_a_call() -> None:
    reset()

    @tf.function
    def scale(x):
        HOLDER.count = HOLDER.count * x

    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            scale(x)
            scale(x)
            square = HOLDER.count * HOLDER.count
        return tape.gradient(square, x)

    assert slope(tf.constant(2.0)) == 32.0


def test_keys_that_may_be_missing_and_attributes_keep_apart() -> None:
    @tf.function
    def step(x):
        TABLE["n"] = TABLE["n"] + x
        if x > 10:
            TABLE["new"] = x
        HOLDER.count = HOLDER.count - x
        return TABLE["n"]

    reset()
    for x, expected in ((2.0, 2.0), (20.0, 22.0)):
        assert step(tf.constant(x)) == expected
    assert as_python(TABLE) == {"n": 22.0, "new": 20.0} and HOLDER.count == -21.0


def test_attributes_of_a_plain_module_are_state() -> None:
    module = tf.Module()
    module.count = tf.constant(0)

    @tf.function
    def step(x):
        module.count += x
        return module.count

    assert [int(step(tf.constant(2))) for _ in range(3)] == [2, 4, 6]


def test_a_graph_does_not_keep_the_object_of_a_method_alive() -> None:
    class Counter:
        @tf.function
        def step(self, x):
            self.count = self.count + x
            return self.count

    counter = Counter()
    counter.count = tf.constant(0)
    assert counter.step(tf.constant(2)) == 2
    reference = weakref.ref(counter)
    del counter
    gc.collect()
    assert reference() is None


def test_a_run_that_raises_leaves_the_state() -> None:
    reset()

    @tf.function
    def step(x):
        HOLDER.count = HOLDER.count + x
        if x > 2:
            raise ValueError("too much")
        return x

    step(tf.constant(1.0))
    with pytest.raises(ValueError, match="too much"):
        step(tf.constant(3.0))
    assert HOLDER.count == 2.0


def test_the_quick_way_reads_and_writes_state() -> None:
    reset()
    for _ in range(20):
        add(tf.constant(1.0))
    assert HOLDER.count == 21.0
    HOLDER.count = tf.constant([1.0])
    with pytest.raises(tf.errors.MutationError, match="is what this function was traced for"):
        add(tf.constant(1.0))


def test_an_element_function_of_a_dataset_has_state() -> None:
    reset()

    def running_sum(x):
        HOLDER.count = HOLDER.count + x
        return HOLDER.count

    sums = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0]).map(running_sum)
    assert [float(each) for each in sums] == [2.0, 4.0, 7.0]


def test_a_variable_starts_with_what_depends_on_state() -> None:
    class Model:
        variable: Any = None

    model = Model()
    model.scale = tf.constant(3.0)

    @tf.function
    def step(x):
        model.scale = model.scale * 2.0
        if model.variable is None:
            model.variable = tf.Variable(model.scale * x)
        return model.variable * 1.0

    assert step(tf.constant(5.0)) == 30.0


# How often the body is executed


class Steps:
    def __init__(self, start: Any) -> None:
        self.count = start
        self.table = {"n": start}
        self.inner = Holder()
        self.inner.count = start

    def advance(self, x):
        self.inner.count = self.inner.count + x

    @tf.function
    def step(self, x):
        TRACES.append("step")
        self.count += x
        self.advance(x)
        self.table["n"] = self.table["n"] + x
        return self.count


def test_a_place_that_holds_a_tensor_is_foreseen() -> None:
    TRACES.clear()
    steps = Steps(tf.constant(0))
    assert [int(steps.step(tf.constant(2))) for _ in range(2)] == [2, 4]
    assert steps.inner.count == 4 and steps.table["n"] == 4 and TRACES == ["step"]
    steps.count = steps.inner.count = steps.table["n"] = tf.constant([0, 0])
    with pytest.raises(tf.errors.MutationError):
        steps.step(tf.constant(2))


def test_a_place_that_holds_a_python_number_is_found_by_a_first_trace() -> None:
    TRACES.clear()
    steps = Steps(0)
    assert [int(steps.step(tf.constant(2))) for _ in range(2)] == [2, 4]
    assert TRACES == ["step"]  # what the first trace has done is taken back
    steps.step(2)  # the places hold tensors now
    assert TRACES == ["step"] * 2


def test_globals_and_variables_of_functions_around_are_foreseen() -> None:
    TRACES.clear()
    reset()
    held = tf.constant(0.0)

    @tf.function
    def step(x):
        global total
        nonlocal held
        TRACES.append("step")
        total = total + x
        held = held + total
        return held

    assert [float(step(tf.constant(1.0))) for _ in range(3)] == [1.0, 3.0, 6.0]
    assert TRACES == ["step"]


def test_what_a_traced_function_that_is_called_stores_is_foreseen() -> None:
    reset()
    add(tf.constant(1.0))
    seen = []

    @tf.function
    def caller(x):
        seen.append("traced")
        return add(x) + add(x)

    caller(tf.constant(1.0))
    assert len(seen) == 1 and HOLDER.count == 4.0


def test_a_tensor_that_python_needs_is_no_input_where_nothing_is_written() -> None:
    class Model:
        size = None

        @tf.function
        def step(self, x):
            if self.size is None:
                self.size = tf.constant(2)
            return [x] * int(self.size)

    model = Model()
    model.size = tf.constant(3)
    assert [int(each) for each in model.step(tf.constant(1))] == [1, 1, 1]


def test_what_code_may_write_is_read_in_each_run() -> None:
    class Model:
        def __init__(self) -> None:
            self.scale = tf.constant(2.0)

        def set_scale(self, scale):
            self.scale = scale

        @tf.function
        def step(self, x):
            if x is None:
                self.scale = self.set_scale(x)
            return x * self.scale

    model = Model()
    assert model.step(tf.constant(3.0)) == 6.0
    model.scale = tf.constant(5.0)
    assert model.step(tf.constant(3.0)) == 15.0


def test_an_inner_function_sees_what_the_outer_one_sets_between_its_calls() -> None:
    local = Holder()

    @tf.function
    def inner():
        return local.value * 2

    @tf.function
    def outer(x):
        y = x

        @tf.function
        def of_a_variable():
            return y + 1

        local.value = x
        first = inner(), of_a_variable()
        local.value = x + 1
        y = x * 10
        return first, inner(), of_a_variable()

    assert as_python(outer(tf.constant(5))) == ((10, 6), 12, 51)
    assert as_python(outer(tf.constant(1))) == ((2, 2), 4, 11)


def test_the_graph_is_the_same_in_each_process() -> None:
    reset()
    texts = set()
    for _ in range(3):
        concrete = tf.function(add_everywhere.python_function).get_concrete_function(tf.constant(1.0))
        texts.add(str(concrete.graph))
    assert len(texts) == 1


def test_threads_read_and_write_their_own_state() -> None:
    import threading

    @tf.function
    def step(holder, x):
        holder.count = holder.count + x
        return holder.count

    holders = [Holder() for _ in range(4)]

    def work(holder: Any) -> None:
        holder.count = tf.constant(0)
        for _ in range(50):
            step(holder, tf.constant(1))

    threads = [threading.Thread(target=work, args=(holder,)) for holder in holders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [int(holder.count) for holder in holders] == [50] * 4


def test_new_keys_of_a_dict_are_given_through_a_function_that_calls_another() -> None:
    def counting(table: dict[str, Any], decorate: Any) -> Any:
        @decorate
        def inner(x: Any) -> Any:
            table["calls"] += x
            if x > 2:
                table["big"] = x
            if x > 3:
                table["huge"] = table.get("huge", 0) + x
            return x * table["calls"]

        @decorate
        def outer(x: Any) -> Any:
            y = inner(x)
            table["calls"] = table["calls"] * 2
            return y, inner(x + 1), table["calls"]

        return outer

    mine: dict[str, Any] = {"calls": 1}
    plain: dict[str, Any] = {"calls": 1}
    staged, python = counting(mine, tf.function), counting(plain, lambda f: f)
    for x in range(1, 5):
        assert [int(each) for each in staged(tf.constant(x))] == list(python(x))
        assert {key: int(value) for key, value in mine.items()} == plain
