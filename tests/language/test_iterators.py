"""Python's iterators: those that staged code makes are its own; those from outside it must not move."""

from __future__ import annotations

import csv
import io
import itertools
import re
import struct
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograph as tf

from .support import as_python, check
from .test_heap_regressions import equal_or_refused

OUTSIDE = iter(range(100))
HELD = [iter(range(100))]


class Box:
    values: Any = None
    items: Any = ()


BOX = Box()


def first(values: Any) -> Any:
    return next(values)


def doubled(values: Any) -> Iterator[Any]:
    for each in values:
        yield 2 * each


def passed_on(values: Any) -> Iterator[Any]:
    yield from values


@tf.autograph.experimental.do_not_convert
def of_a_global() -> int:
    return next(OUTSIDE)


@tf.autograph.experimental.do_not_convert
def of_an_attribute() -> int:
    for each in BOX.values:
        return int(each)
    return 0


@tf.autograph.experimental.do_not_convert
def of_a_list() -> int:
    one, *_ = itertools.islice(HELD[0], 2)
    return int(one)


USES: dict[str, Callable[[Any], Any]] = {
    "next": next,
    "__next__": lambda values: values.__next__(),
    "a helper": first,
    "list": lambda values: len(list(values)),
    "tuple": lambda values: len(tuple(values)),
    "sum": sum,
    "max": max,
    "a loop": lambda values: [each for each in values][0],  # noqa: C416, RUF015
    "a generator": lambda values: next(doubled(values)),
    "a generator expression": lambda values: next(each + 1 for each in values),
    "yield from": lambda values: next(passed_on(values)),
    "zip": lambda values: next(zip(values, [1, 2, 3]))[0],  # noqa: B905
    "enumerate": lambda values: next(enumerate(values))[1],
    "map": lambda values: next(map(int, values)),
    "filter": lambda values: next(filter(None, values)),
    "islice": lambda values: next(itertools.islice(values, 2)),
    "chain": lambda values: next(itertools.chain(values, [1])),
    "tee": lambda values: next(itertools.tee(values)[0]),
    "groupby": lambda values: next(itertools.groupby(values))[0],
    "a star": lambda values: max(*values),
    "stars": lambda values: [*values][0],
    "extend": lambda values: [0].extend(values) or 1,
    "update": lambda values: set().update(values) or 1,
    "join": lambda values: len("".join(map(str, values))),
    "in": lambda values: int(2 in values),
    "numpy": lambda values: int(np.fromiter(values, int)[0]),
    "sorted": lambda values: sorted(values)[0],
    "dict": lambda values: len(dict.fromkeys(values)),
}


@pytest.mark.parametrize("name", USES)
def test_each_use_of_an_iterator_is_its_own_affair_where_it_is_made(name: str) -> None:
    use = USES[name]

    def inside(n):
        if n > 0:
            n += use(iter([1, 2, 3]))
        while n > 20:
            n -= use(iter([1, 2, 3]))
        return n

    check(inside, 1, -1, 30)


@pytest.mark.parametrize("name", USES)
def test_each_use_of_an_iterator_from_outside_is_refused_in_a_branch(name: str) -> None:
    use = USES[name]

    def made_at_the_top(n):
        values = iter([1, 2, 3])
        if n > 0:
            n += use(values)
        return n

    def given(n, values):
        if n > 0:
            n += use(values)
        return n

    values = iter([1, 2, 3])
    with pytest.raises(tf.errors.MutationError, match="that was made outside of it") as caught:
        tf.function(made_at_the_top)(tf.constant(-1))
    assert caught.value.file == __file__ and caught.value.remedy
    with pytest.raises(tf.errors.MutationError, match="that was made outside of it"):
        tf.function(given)(tf.constant(-1), values)
    assert list(values) == [1, 2, 3]


def test_an_iterator_is_known_wherever_it_is_held() -> None:
    def in_place(n):
        values, items = iter([1, 2, 3]), [0]
        if n > 0:
            items += values
        return items

    def in_a_slice(n):
        values, items = iter([1, 2, 3]), [0]
        if n > 0:
            items[:] = values
        return items

    def unpacked(n):
        values, one = iter([1, 2]), 0
        if n > 0:
            one, _ = values
        return one

    def in_an_attribute(n):
        box = Box()
        box.values = iter([1, 2])
        if n > 0:
            n += next(box.values)
        return n

    def in_a_closure(n):
        values = iter([1, 2])

        def helper():
            return next(values)

        if n > 0:
            n += helper()
        return n

    def in_a_list(n):
        held = [[iter([1, 2])]]
        if n > 0:
            n += next(held[0][0])
        return n

    def in_another(n):
        values = iter([iter([1, 2])])
        inner = next(values)
        for _ in range(1):
            if n > 0:
                n += next(inner)
        return n

    def in_a_global(n):
        if n > 0:
            n += first(HELD[0])
        return n

    def of_an_outer_body(n):
        if n > 0:
            values = iter([1, 2])
            if n > 1:
                n += next(values)
        return n

    def generator_begun_before(n):
        values = doubled([1, 2, 3])
        n += next(values)
        if n > 0:
            n += sum(values)
        return n

    def generator_over_an_outer_one(n):
        values = iter([1, 2, 3])
        if n > 0:
            n += sum(doubled(values))
        return n

    def zipped_before(n):
        values = zip(iter([1, 2]), [3, 4], strict=True)
        if n > 0:
            n += next(values)[0]
        return n

    for function in (
        in_place, in_a_slice, unpacked, in_an_attribute, in_a_closure, in_a_list, in_another, in_a_global,
        of_an_outer_body, generator_begun_before, generator_over_an_outer_one, zipped_before,
    ):  # fmt: skip
        with pytest.raises(tf.errors.MutationError, match="that was made outside of it"):
            tf.function(function)(tf.constant(-1))
    assert next(HELD[0]) == 0
    HELD[0] = iter(range(100))


@pytest.mark.parametrize("helper", [of_a_global, of_an_attribute, of_a_list])
def test_code_that_is_not_converted_does_not_move_them_either(helper: Any) -> None:
    def f(n):
        if n > 0:
            n += helper()
        return n

    BOX.values = iter(range(100))
    with pytest.raises(tf.errors.MutationError, match="that was made outside of it"):
        tf.function(f)(tf.constant(-1))
    assert next(OUTSIDE) == next(BOX.values) == next(HELD[0]) == helper() - 1
    globals().update(OUTSIDE=iter(range(100)), HELD=[iter(range(100))])


def test_code_that_is_not_converted_has_iterators_of_its_own() -> None:
    @tf.autograph.experimental.do_not_convert
    def helper() -> int:
        values, held = iter([1, 2, 3]), [iter([4])]

        def following() -> int:
            return next(values)

        box = Box()
        box.values = iter([5])
        return following() + sum([next(values) for _ in range(2)]) + next(held[0]) + next(box.values)

    def f(n):
        if n > 0:
            n += helper()
        return n

    check(f, 1, -1)


def test_iterators_that_libraries_make() -> None:
    def f(n):
        if n > 0:
            table = {"a": 1, "b": 2}
            n += next(iter(table.items()))[1] + next(table.__iter__() and iter(table.values()))
            n += next(reversed([1, 2, 3])) + sum(itertools.chain.from_iterable([[1], [2]]))
            n += sum(int(each.group()) for each in re.finditer(r"\d+", "1 22"))
            n += sum(int(each.group()) for each in re.compile(r"\d+").finditer("1 22"))
            n += sum(int(row[0]) for row in csv.reader(io.StringIO("1,2\n3,4")))
            n += sum(each for each, in struct.Struct("<b").iter_unpack(b"abc"))  # noqa: E231
            one, other = itertools.tee([1, 2, 3])
            n += next(one) + sum(other)
            for _, group in itertools.groupby([1, 1, 2]):
                n += sum(group)
            for each in np.arange(3).flat:
                n += int(each)
            for _, each in np.ndenumerate(np.arange(3)):
                n += int(each)
        return n

    check(f, 1, -1)


# A loop that a staged `break` leaves.


def test_an_iterator_with_a_name_that_nothing_uses_after_a_staged_break() -> None:
    def named(n):
        values = iter([1, 2, 3, 4])
        next(values)
        for each in values:
            n += each
            if n > 4:
                break
        return n

    def made_in_a_generator(n):
        def numbers():
            values = iter([1, 2, 3, 4])
            yield next(values)
            for each in values:
                yield each

        for each in numbers():
            n += each
            if n > 4:
                break
        return n

    def of_others(n):
        values = iter([1, 2, 3, 4])
        for each, other in zip(values, doubled(values), strict=True):
            n += each * other
            if n > 8:
                break
        return n

    for function in (named, made_in_a_generator, of_others):
        check(function, 1, -3, -40)


def test_nothing_uses_an_iterator_after_a_staged_break() -> None:
    def named(n):
        values = iter([1, 2, 3, 4])
        for each in values:
            n += each
            if n > 3:
                break
        return n + sum(values)

    def zipped(n):
        values = iter([1, 2, 3, 4])
        for each, _ in zip(values, [1, 2, 3, 4], strict=True):
            n += each
            if n > 3:
                break
        return n + sum(values)

    def through_a_generator(n):
        values = iter([1, 2, 3, 4])
        for each in doubled(values):
            n += each
            if n > 3:
                break
        return n + sum(values)

    def through_two(n):
        values = iter([1, 2, 3, 4])
        for each in passed_on(values):
            n += each
            if n > 3:
                break
        return n + sum(values)

    def in_another_loop(n):
        values = iter([1, 2, 3, 4, 5, 6])
        for each in values:
            for other in values:
                n += other
                if n > 4:
                    break
            n += each
        return n

    def kept(n):
        BOX.items = [iter([1, 2, 3])]
        for each in BOX.items[0]:
            n += each
            if n > 3:
                break
        return n

    def generated(n):
        values = doubled([1, 2, 3, 4])
        for each in values:
            n += each
            if n > 3:
                break
        return n + sum(values)

    for function in (named, zipped, through_a_generator, through_two, in_another_loop, kept, generated):
        with pytest.raises(tf.errors.MutationError, match="looped over with a staged `break`") as caught:
            tf.function(function)(tf.constant(1))
        assert caught.value.construct == "for" and caught.value.remedy and caught.value.line


def test_an_iterator_from_outside_is_not_looped_over_with_a_staged_break() -> None:
    values = iter([1, 2, 3])

    def f(n):
        for each in values:
            n += each
            if n > 3:
                break
        return n

    with pytest.raises(tf.errors.MutationError, match="looped over with a staged `break`"):
        tf.function(f)(tf.constant(1))


def test_what_a_generator_is_sent_and_returns_gets_through_yield_from() -> None:
    def inner():
        got = yield 1
        try:
            yield got
        except ValueError:
            yield 10
        return 7

    def outer():
        result = yield from inner()
        yield result

    def f(n):
        values = outer()
        n += next(values) + values.send(5)
        n += values.throw(ValueError()) + next(values)
        return n

    assert as_python(tf.function(f)(tf.constant(1))) == f(1) == 24


def test_a_test_that_makes_its_list_longer_is_no_endless_trace() -> None:
    @tf.function
    def f(n):
        s = 0
        a = [n, 1]
        for _ in filter(lambda v: a.append(2) or v > 0, a):
            s += 1
            if s > 6:
                break
        return s, a

    try:
        total, values = f(tf.constant(1))
    except tf.errors.StagingError as error:
        assert error.file == __file__ and error.line
    else:
        assert (int(total), len(values)) == (7, 9)


def pushed(values, n):
    if n > 1:
        values.append(n)


def in_a_generator(n):
    def each():
        for value in values:
            yield value

    values = [1]
    pushed(values, n)
    return sum(each())


def in_a_generator_begun_before(n):
    def each():
        for value in values:
            yield value

    values = [1, 2]
    items = each()
    first = next(items)
    pushed(values, n)
    return first + sum(1 for _ in items)


def in_yield_from(n):
    def each():
        yield from values

    values = [1]
    pushed(values, n)
    return sum(1 for _ in each())


def in_a_test_of_a_generator(n):
    def each():
        while values:
            values.pop()
            yield 1

    values = [1]
    pushed(values, n)
    return sum(each())


def in_a_comprehension_of_functions(n):
    values = [1]
    pushed(values, n)
    return sum(each() for each in [*((lambda: value) for value in values)])


def in_a_comprehension_that_reads_its_frame(n):
    values = [1]
    pushed(values, n)
    return len([value for value in values if locals()])


def in_a_condition_of_one(n):
    values = [1]
    pushed(values, n)
    values.pop()
    return len([each for each in range(3) if values and locals()])


def in_a_class_body(n):
    values = [1]
    pushed(values, n)

    class Table:
        total = sum([1 for _ in values])

    return Table.total


@pytest.mark.parametrize(
    "function",
    [
        in_a_generator, in_a_generator_begun_before, in_yield_from, in_a_test_of_a_generator,
        in_a_comprehension_of_functions, in_a_comprehension_that_reads_its_frame, in_a_condition_of_one,
        in_a_class_body,
    ],
)  # fmt: skip
def test_loops_that_stay_pythons_do_not_run_over_what_a_list_held_before(function: Callable[[Any], Any]) -> None:
    equal_or_refused(function, 0, 1, 2, 3)


def test_a_comprehension_over_an_attribute_that_vars_finds_is_staged() -> None:
    class Box:
        def __init__(self, items):
            self.items = items

    def count(n):
        box = Box([1])
        pushed(box.items, n)
        return len([each for each in vars(box)["items"]])

    check(count, 0, 1, 2, 3)
