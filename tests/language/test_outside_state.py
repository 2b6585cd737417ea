"""L13-L15: iterators, arrays, classes and handlers that staged branches meet: carried, or refused by name."""

from __future__ import annotations

import array
import contextlib
import gc
import io
import itertools
import types
from typing import Any

import numpy as np
import pytest

import autograph as tf

from .support import as_python, assert_same, check


class Counter:
    count = 0
    step = 2

    def tick(self):
        self.count = self.count + self.step


def class_attribute(x):
    Counter.step = 2
    if x > 0:
        Counter.step += 1
    step = Counter.step
    Counter.step = 2
    return step


def attribute_that_the_class_has(x):
    counter = Counter()
    if x > 0:
        counter.tick()
    return counter.count


def attribute_that_the_class_has_in_a_loop(n):
    counter = Counter()
    while n > 0:
        counter.tick()
        n -= 1
    return counter.count


@pytest.mark.parametrize(
    "function", [class_attribute, attribute_that_the_class_has, attribute_that_the_class_has_in_a_loop]
)
def test_attributes_of_classes(function: Any) -> None:
    check(function, 1, -1, 3)
    assert Counter.step == 2 and Counter.count == 0


def numbers():
    yield 1
    yield 2
    yield 3


ITERATORS = [
    lambda: iter([1, 2, 3]),
    lambda: iter((1, 2, 3)),
    lambda: iter({1: 0, 2: 0, 3: 0}),
    lambda: (number for number in [1, 2, 3]),
    numbers,
    lambda: map(abs, [1, 2, 3]),
    lambda: filter(None, [1, 2, 3]),
    lambda: itertools.chain([1, 2], [3]),
    lambda: itertools.islice(numbers(), 3),
]


@pytest.mark.parametrize("make", ITERATORS)
def test_an_iterator_that_a_branch_moves_is_refused(make: Any) -> None:
    def unpacked(x):
        values = make()
        first = 0
        if x > 0:
            first, *_ = values
        return first

    def searched(x):
        values = make()
        found = False
        if x > 0:
            found = 2 in values
        return found

    def looped(x):
        values = make()
        total = 0
        if x > 0:
            for each in values:
                total += each
        return total

    def collected(x):
        values = make()
        result = [0, 0, 0]
        if x > 0:
            result = [each for each in values]
        return result

    for function in (unpacked, searched, looped, collected):
        with pytest.raises(tf.errors.MutationError, match="iterator|generator|map|filter|chain|islice") as caught:
            tf.function(function)(tf.constant(1))
        assert caught.value.file == __file__


@pytest.mark.parametrize("make", ITERATORS)
def test_an_iterator_that_the_branch_makes_is_its_own(make: Any) -> None:
    def f(x):
        total = 0
        if x > 0:
            for each in make():
                total += each
        return total

    check(f, 1, -1)


class Numbers:
    def __init__(self) -> None:
        self.numbers = itertools.count()

    def following(self) -> int:
        return next(self.numbers)


NUMBERS = Numbers()


def test_an_iterator_that_a_helper_has_is_refused() -> None:
    count, box, counter = itertools.count(), [itertools.count()], Numbers()
    helpers = [lambda: next(count), lambda: next(box[0]), lambda: next(counter.numbers), lambda: next(NUMBERS.numbers),
               counter.following, NUMBERS.following, lambda: NUMBERS.following() + 1]  # fmt: skip

    def looped(x, helper):
        for _ in tf.range(3):
            x += helper()
        return x

    def local(x):
        own = itertools.count()

        def helper():
            return next(own)

        if x > 0:
            x += helper()
        return x

    for helper in helpers:
        with pytest.raises(tf.errors.MutationError, match="made outside of it"):
            tf.function(looped)(tf.constant(1), helper)
    with pytest.raises(tf.errors.MutationError, match="made outside of it"):
        tf.function(local)(tf.constant(1))
    assert next(count) == next(box[0]) == next(counter.numbers) == next(NUMBERS.numbers) == 0


def test_an_iterator_that_a_helper_makes_is_its_own() -> None:
    def pair():
        values = iter([1, 2])

        def one():
            return next(values)

        return one() * 10 + one()

    def f(x):
        for _ in tf.range(3):
            made = Numbers()
            x += pair() + made.following() + made.following()
        return x

    check(f, 1)


def test_a_file_that_a_branch_writes_is_refused() -> None:
    def f(x):
        text = io.StringIO()
        if x > 0:
            print("taken", file=text)
        return text.getvalue()

    with pytest.raises(tf.errors.MutationError):
        tf.function(f)(tf.constant(1))


def added_in_place(x):
    a = np.zeros(3)
    if x > 0:
        a += 5
    return a


def sorted_in_place(x):
    a = np.array([3, 1, 2])
    if x > 0:
        a.sort()
    return a


def written_by_numpy(x):
    a = np.zeros(3)
    if x > 0:
        np.add(a, 1, out=a)
    return a


def stored_through_a_view(x):
    a = np.zeros((2, 3))
    b = a.T
    if x > 0:
        b[0, 1] = 5.0
    return a


def stored_beside_a_view(x):
    a = np.zeros(3)
    b = a[1:]
    if x > 0:
        a[1] = 5.0
    return b


@pytest.mark.parametrize(
    "function", [added_in_place, sorted_in_place, written_by_numpy, stored_through_a_view, stored_beside_a_view]
)
def test_an_array_that_a_branch_changes_in_place(function: Any) -> None:
    check(function, 1, -1)


def test_an_exception_that_a_with_statement_would_swallow_is_refused() -> None:
    def f(x):
        with contextlib.suppress(ValueError):
            if x > 0:
                raise ValueError("positive")
            return 5
        return 6

    def g(x):
        with contextlib.suppress(AssertionError):
            assert x > 0
            return 1
        return 2

    for function in (f, g):
        with pytest.raises(tf.errors.StagingError, match="stands in a `with suppress`"):
            tf.function(function)(tf.constant(1))


def deletes_an_attribute(x):
    counter = Numbers()
    counter.name = 1
    if x > 0:
        del counter.name
    return hasattr(counter, "name"), getattr(counter, "name", 5)


def attribute_of_a_namespace(x):
    names = types.SimpleNamespace(n=0)
    if x > 0:
        names.n = 1
    return names.n


def attribute_of_a_function(x):
    def called():
        pass

    called.n = 0
    if x > 0:
        called.n = 1
    return called.n


def attribute_of_a_module(x):
    module = types.ModuleType("module")
    module.n = 0
    if x > 0:
        module.n = 1
    return module.n


@pytest.mark.parametrize(
    "function", [deletes_an_attribute, attribute_of_a_namespace, attribute_of_a_function, attribute_of_a_module]
)
def test_attributes_of_objects_of_all_kinds(function: Any) -> None:
    check(function, 1, -1)


def test_a_store_into_an_unknown_object_is_refused() -> None:
    def f(x):
        values = array.array("i", [1, 2])
        if x > 0:
            values[0] = 7
        return values[0]

    with pytest.raises(tf.errors.MutationError, match="array"):
        tf.function(f)(tf.constant(1))


def test_a_named_iterator_with_a_staged_break_is_refused() -> None:
    def f(x):
        values = iter([1, 2, 3, 4])
        total = 0
        for each in values:
            if each > x:
                break
            total += each
        return total, list(values)

    with pytest.raises(tf.errors.MutationError, match="staged `break`"):
        tf.function(f)(tf.constant(1))


def test_a_list_of_another_length_in_each_run_is_refused() -> None:
    def grows(x):
        HOLDER.seen = [*HOLDER.seen, x]
        return x

    def grows_in_a_dict(x):
        HOLDER.table["seen"] = HOLDER.table["seen"] + [x]
        return x

    HOLDER.seen, HOLDER.table = [1], {"seen": [1]}
    for function in (grows, grows_in_a_dict):
        with pytest.raises(tf.errors.MutationError, match="holds a list whose length differs from run to run"):
            tf.function(function)(tf.constant(1))
    assert HOLDER.seen == [1] and HOLDER.table == {"seen": [1]}


class Holder:
    pass


HOLDER = Holder()
TABLE: dict[str, Any] = {}


def counts_in_a_dict_of_an_object(x):
    HOLDER.table["n"] = HOLDER.table["n"] + x
    return HOLDER.table["n"]


def counts_in_a_dict_of_an_object_in_place(x):
    HOLDER.table["n"] += x
    return HOLDER.table["n"]


def counts_in_a_global_dict_in_a_branch(x):
    if x > 1:
        TABLE["n"] += x
    return TABLE["n"] * 2


def counts_in_a_global_dict_in_a_loop(x):
    n = x
    while n > 0:
        TABLE["n"] += n
        n -= 1
    return TABLE["n"]


def counts_two_levels_down(x):
    inner = HOLDER.table["inner"]
    inner["n"] += x
    TABLE["n"] = inner["n"]
    return TABLE["n"]


def adds_a_key(x):
    TABLE["new"] = x
    return TABLE["n"] + TABLE["new"]


def deletes_a_key(x):
    TABLE.pop("n")
    TABLE["new"] = x
    return x


def sets_an_attribute_that_may_not_be_there(x):
    if not hasattr(HOLDER, "total"):
        HOLDER.total = 0
    HOLDER.total += x
    return HOLDER.total


def deletes_an_attribute_that_may_not_be_there(x):
    if hasattr(HOLDER, "total"):
        del HOLDER.total
    else:
        HOLDER.total = x
    return hasattr(HOLDER, "total")


@pytest.mark.parametrize(
    "function",
    [
        counts_in_a_dict_of_an_object,
        counts_in_a_dict_of_an_object_in_place,
        counts_in_a_global_dict_in_a_branch,
        counts_in_a_global_dict_in_a_loop,
        counts_two_levels_down,
        adds_a_key,
        deletes_a_key,
        sets_an_attribute_that_may_not_be_there,
        deletes_an_attribute_that_may_not_be_there,
    ],
)
def test_every_run_sees_what_the_run_before_has_left_outside(function: Any) -> None:
    def runs(called: Any) -> list[Any]:
        HOLDER.__dict__.clear()
        TABLE.clear()
        HOLDER.table, HOLDER.other = {"n": 1, "inner": {"n": 5}}, 3
        TABLE.update(a=7, n=2)
        seen = []
        for x in (3, 1, 2):
            result = called(tf.constant(x))
            TABLE.setdefault("n", 4)
            TABLE[f"of the caller {x}"] = x  # is not lost when the graph writes its own
            seen.append(as_python([result, dict(HOLDER.__dict__), dict(TABLE)]))
        return seen

    for actual, expected in zip(runs(tf.function(function)), runs(function), strict=True):
        assert list(actual[1]) == list(expected[1]) and list(actual[2]) == list(expected[2])
        assert_same(actual, expected)


class Kept:
    def __init__(self):
        self.value = "text"
        self.items = {"k": "text", "pair": (1, "a")}


def sets_what_was_a_string(kept, x):
    was = isinstance(kept.value, str)
    kept.value = x
    return was


def sets_an_item_that_was_a_string(kept, x):
    was = isinstance(kept.items["k"], str)
    kept.items["k"] = x
    return was


def chooses_strings(kept, x):
    was = kept.value
    if x > 3:
        kept.value = "more"
    else:
        kept.value = "less"
    return was, kept.value


def sets_a_pair(kept, x):
    was = kept.items["pair"][1]
    kept.items["pair"] = (x, "b")
    return was


def asks_for_a_key(kept, x):
    was = "new" in kept.items
    kept.items["new"] = x
    return was


@pytest.mark.parametrize(
    "function",
    [sets_what_was_a_string, sets_an_item_that_was_a_string, chooses_strings, sets_a_pair, asks_for_a_key],
)
def test_what_a_place_held_that_was_no_number(function: Any) -> None:
    plain, staged = Kept(), Kept()
    traced = tf.function(lambda x: function(staged, x))
    for x in (3, 5, 4):
        assert_same(as_python(traced(tf.constant(x))), function(plain, np.int32(x)))


def test_a_place_that_held_a_string_has_a_trace_for_each_kind() -> None:
    kept = Kept()
    traced = tf.function(lambda x: sets_what_was_a_string(kept, x))
    assert [bool(traced(tf.constant(x))) for x in (1, 2, 3)] == [True, False, False]
    kept.value = "other"
    assert [bool(traced(tf.constant(x))) for x in (1, 2)] == [True, False]
    assert traced.experimental_get_tracing_count() == 3
    assert "`kept.value` is an int32 tensor of shape () (before: `kept.value` is the Python value 'text')" in (
        traced.explain()
    )


def test_one_trace_of_a_place_that_has_become_something_else_is_refused() -> None:
    kept = Kept()
    concrete = tf.function(lambda x: sets_what_was_a_string(kept, x)).get_concrete_function(tf.constant(1))
    assert bool(concrete(tf.constant(1)))
    with pytest.raises(tf.errors.MutationError, match="`kept.value` was 'text' when this function was traced"):
        concrete(tf.constant(2))


@pytest.mark.parametrize("value", ["text", None, 2.5, np.array([1.5])])
def test_another_kind_of_value_in_a_place_that_runs_read_is_refused(value: Any) -> None:
    kept = Kept()
    kept.value = tf.constant(1)

    @tf.function
    def adds(x):
        kept.value = kept.value + x
        return kept.value

    assert adds(tf.constant(1)).numpy() == 2
    kept.value = value
    with pytest.raises(tf.errors.MutationError, match="is what this function was traced for"):
        adds(tf.constant(1))
    kept.value = 7
    assert adds(tf.constant(1)).numpy() == 8


def test_a_class_that_is_gone_when_the_graph_runs() -> None:
    @tf.function
    def f(x: Any) -> Any:
        class Counter:
            count = 1

        if x > 0:
            Counter.count = x
        return Counter.count

    concrete = f.get_concrete_function(tf.TensorSpec((), tf.int32))
    gc.collect()
    assert concrete(tf.constant(5)) == 5 and concrete(tf.constant(-5)) == 1
