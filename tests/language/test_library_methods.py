"""Methods that the standard library gives to users' classes, and calls of users' methods through it."""

from __future__ import annotations

import collections
import collections.abc
import contextlib
import functools
import heapq
import operator
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import autograph as tf

from .support import check

PAIRS = [(x, y) for x in (-2, 1, 2, 5) for y in (0, 1, 4)]


@functools.total_ordering
class Ordered:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __lt__(self, other: Any) -> Any:
        if self.x > 0:
            return self.x < other.x
        return other.x < self.x

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, Ordered):
            return NotImplemented
        if self.x > 0:
            return self.x == other.x
        return False


class Doubled(collections.abc.Sequence):
    def __init__(self, *values: Any) -> None:
        self.values = list(values)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: Any) -> Any:
        x = self.values[index]
        return x * 2 if x > 1 else x


class Store(collections.abc.MutableMapping):
    def __init__(self, **items: Any) -> None:
        self.items_ = dict(items)

    def __getitem__(self, key: Any) -> Any:
        value = self.items_[key]
        return value * 10 if value > 1 else value

    def __setitem__(self, key: Any, value: Any) -> None:
        self.items_[key] = value if value > 0 else -value

    def __delitem__(self, key: Any) -> None:
        del self.items_[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items_)

    def __len__(self) -> int:
        return len(self.items_)


class Positive(collections.abc.MutableSequence):
    def __init__(self) -> None:
        self.values: list[Any] = []

    def __getitem__(self, index: Any) -> Any:
        return self.values[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.values[index] = value if value > 0 else -value

    def __delitem__(self, index: Any) -> None:
        del self.values[index]

    def __len__(self) -> int:
        return len(self.values)

    def insert(self, index: int, value: Any) -> None:
        self.values.insert(index, value * 2 if value > 1 else value)


class Bag(collections.abc.Set):
    def __init__(self, values: Any = ()) -> None:
        self.values = list(values)

    def __contains__(self, value: object) -> Any:
        return value in self.values

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)


class Scaled(collections.UserDict):
    def __getitem__(self, key: Any) -> Any:
        value = super().__getitem__(key)
        return value * 10 if value > 1 else value


class Numbers(collections.UserList):
    def total(self) -> Any:
        total = 0
        for value in self:
            if value > 0:
                total = total + value
        return total


def total_ordering(x: Any, y: Any) -> Any:
    one, other = Ordered(x), Ordered(y)
    return one < other, one <= other, one > other, one >= other, one != other


def sequences(x: Any, y: Any) -> Any:
    values = Doubled(x, y)
    found = x in values, 8 in values, 3 not in values, values.count(1), values.count(y)
    return *found, list(values), sum(values), list(reversed(values)), max(values), [each + 1 for each in values]


def generators_over_sequences(x: Any, y: Any) -> Any:
    values = Doubled(x, y)
    kept = (each - 1 for each in values)
    total = sum(each for each in values if each > 1)
    return total, any(each > 3 for each in values), max(each * 2 for each in values), list(kept)


def mappings(x: Any, y: Any) -> Any:
    store = Store()
    store["a"] = x
    store.update(b=y)
    store.update({"c": x})
    found = store.get("a"), store.get("z", y), store.setdefault("d", y), "a" in store, "z" in store
    views = list(store.keys()), list(store.values()), list(store.items()), [value for _, value in store.items()]
    return *found, *views, store.pop("a"), store.pop("z", 7), len(store)


def comparing_mappings(x: Any, y: Any) -> Any:
    return Store(a=x) == {"a": y}, Store(a=x) == Store(a=x), x in Store(a=x).values(), ("a", x) in Store(a=y).items()


def difference(a: Any, b: Any) -> Any:
    return a - b


def dicts_of_mappings(x: Any, y: Any) -> Any:
    store = Store(a=x, b=y)
    return dict(store), dict(store, c=3), {**store, "b": x}, difference(**store), dict(store.items())


def mutable_sequences(x: Any, y: Any) -> Any:
    values = Positive()
    values.append(x)
    values.extend([y, 1])
    values += [7]
    values[0] = y
    values.reverse()
    last = values.pop()
    return list(values), last


def sets(x: Any, y: Any) -> Any:
    bag = Bag([1, 2])
    return x in bag, bag <= Bag([x, y, 1, 2]), bag == Bag([2, 1]), Bag([1]).isdisjoint([x])


def wrappers_of_containers(x: Any, y: Any) -> Any:
    scaled = Scaled(a=x)
    scaled["b"] = y
    numbers = Numbers([x, y])
    numbers.append(3)
    found = scaled["a"], scaled.get("b"), list(scaled.values()), dict(scaled), "a" in scaled
    return *found, numbers.total(), list(numbers), numbers[0], len(numbers), x in numbers


class Chooser:
    @functools.singledispatchmethod
    def of(self, value: Any) -> Any:
        return value if value > 0 else -value

    @of.register
    def _(self, value: str) -> Any:
        return len(value)

    @of.register
    def _(self, value: list) -> Any:
        return value[0] * 3 if value[0] > 0 else value[0]


@functools.singledispatch
def chosen(value: Any, by: Any = 1) -> Any:
    return value * by if value > 0 else -value


@chosen.register
def _(value: list, by: Any = 1) -> Any:
    return value[0] * 3 if value[0] > 0 else by


@chosen.register(dict)
def _(value: Any) -> Any:
    return chosen(value["a"], 2)


def single_dispatch(x: Any, y: Any) -> Any:
    methods = Chooser().of(x), Chooser().of("abc"), Chooser().of([y])
    return *methods, chosen(x), chosen([y], by=7), chosen({"a": x}), chosen([x])


def next_of_a_generator_expression(x: Any, y: Any) -> Any:
    one = next(each for each in [x, y, 1] if each > 0)
    two = next((each for each in [x, y] if each > 100), -1)
    three = next((a + b for a in range(3) for b in [x, y] if a * b > 2), 7)
    index, value = next((i, each) for i, each in enumerate([x, y, 9]) if each > 0)
    name = next((key for key, each in {"a": x, "b": y}.items() if each > 0), "none")
    return one, two, three, index, value, name, next(each for each in [x, y]), next((1 for _ in ()), y)


def next_in_branches_and_loops(x: Any, y: Any) -> Any:
    total = 0
    for k in range(3):
        total = total + next((each for each in [x, y, k] if each > 0), 10)
    if x > y:
        total = total + next((each for each in range(10) if each > y), 5)
    return total


class Larger:
    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b

    @property
    def larger(self) -> Any:
        return self.a if self.a > self.b else self.b

    def at_least(self, bound: Any, *, plus: Any = 0) -> Any:
        return (self.larger if self.larger > bound else bound) + plus

    def __getitem__(self, key: Any) -> Any:
        return key if self.a > 0 else self.b


def accessors(x: Any, y: Any) -> Any:
    pair, pairs = Larger(x, y), [Larger(x, y), Larger(y, 1)]
    read = operator.attrgetter("larger")(pair), operator.attrgetter("a", "larger")(pair), operator.itemgetter(3)(pair)
    called = operator.methodcaller("at_least", y, plus=x)(pair), operator.methodcaller("at_least", 2)(pair)
    ordered = sorted(pairs, key=operator.attrgetter("larger", "a"))
    items = operator.itemgetter(0, 1)([x, y]), operator.itemgetter("k")({"k": x})
    return read, called, [each.a for each in ordered], items, list(map(operator.attrgetter("larger"), pairs))


class Scoped(contextlib.ContextDecorator):
    def __init__(self, x: Any) -> None:
        self.x = x

    def __enter__(self) -> Any:
        self.x = self.x + 10 if self.x > 0 else self.x
        return self

    def __exit__(self, *error: Any) -> None:
        self.x = self.x * 2 if self.x > 11 else self.x


def context_decorators(x: Any, y: Any) -> Any:
    scope = Scoped(x)

    @scope
    def inner(value: Any) -> Any:
        return value + scope.x if value > 0 else -value

    return inner(y), scope.x


@pytest.mark.parametrize(
    "function",
    [
        accessors, context_decorators, total_ordering, sequences, generators_over_sequences, mappings,
        comparing_mappings, dicts_of_mappings, mutable_sequences, sets, wrappers_of_containers,
        next_of_a_generator_expression, next_in_branches_and_loops,
    ],
    ids=lambda function: function.__name__,
)  # fmt: skip
def test_methods_of_the_library(function: Callable[..., Any]) -> None:
    check(function, *PAIRS)


def test_single_dispatch() -> None:
    staged = tf.function(single_dispatch)
    for x, y in PAIRS:
        tensors = tf.constant(x), tf.constant(y)
        assert [int(each) for each in staged(*tensors)] == [int(each) for each in single_dispatch(*tensors)]


def test_single_dispatch_tells_python_numbers_and_staged_lists() -> None:
    @functools.singledispatch
    def kind(value: Any) -> int:
        return 0

    kind.register(int, lambda value: 1)
    kind.register(list, lambda value: 2)
    kind.register(tf.Tensor, lambda value: 3)

    @tf.function
    def f(n: Any) -> Any:
        count, values = 0, []
        for i in range(n):
            count += 1
            values.append(i)
        return kind(count), kind(values), kind(n), kind("a"), kind([])

    assert [int(each) for each in f(tf.constant(2))] == [1, 2, 3, 0, 2]


def test_single_dispatch_on_what_only_the_run_knows_is_refused() -> None:
    @tf.function
    def f(n: Any) -> Any:
        value = None
        if n > 0:
            value = n
        return chosen(value)

    with pytest.raises(tf.errors.StagedValueError, match="chosen by the class of its first argument"):
        f(tf.constant(1))


def test_single_dispatch_without_an_argument_raises_what_python_does() -> None:
    with pytest.raises(TypeError, match="requires at least 1 positional argument"):
        tf.function(lambda: chosen())()  # type: ignore[call-arg]
    with pytest.raises((TypeError, IndexError)):  # the latter in Python 3.11
        tf.function(lambda: Chooser().of())()


def test_next_that_finds_nothing_raises_when_the_graph_runs() -> None:
    staged = tf.function(lambda x: next(each for each in [x, x + 1] if each > 3))
    assert staged(tf.constant(3)) == 4
    with pytest.raises(StopIteration):
        staged(tf.constant(1))
    assert staged.experimental_get_tracing_count() == 1


def test_next_of_a_generator_expression_stops_where_it_finds_one() -> None:
    seen: list[Any] = []

    def look(value: Any) -> Any:
        seen.append(value)
        return value

    @tf.function
    def f(x: Any) -> Any:
        return next(look(each) for each in [1, 2, 3] if each > 1) + x

    assert f(tf.constant(1)) == 3 and seen == [2]


log: list[int] = []


class Hashed:
    def __hash__(self) -> int:
        log.append(1)
        return 1

    def __eq__(self, other: object) -> bool:
        return self is other


@pytest.mark.parametrize("make", [lambda: {Hashed(), Hashed()}, lambda: set([Hashed()]), lambda: dict([(Hashed(), 1)])])
def test_what_a_hash_changes_in_a_branch_is_refused(make: Callable[[], Any]) -> None:
    @tf.function
    def f(x: Any) -> Any:
        if x > 0:
            make()
        return x

    with pytest.raises(tf.errors.MutationError, match="outlives this function"):
        f(tf.constant(-1))
    log.clear()


def test_a_function_that_the_library_calls_as_it_is_is_named() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return [each.x for each in heapq.merge([Ordered(x)], [Ordered(2)])]

    with pytest.raises(tf.errors.StagedValueError, match="`heapq.merge` calls this function as it is, unconverted"):
        f(tf.constant(1))
