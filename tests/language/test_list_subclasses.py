"""Objects of users' classes of lists and dicts that staged code changes: they keep their class, and their methods."""

from __future__ import annotations

import bisect
import collections
import functools
import heapq
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import autograph as tf
from autograph.errors import StagingError

from .support import as_python, check

RUNS = (-1, 0, 1, 2, 3)


class Plain(list):  # type: ignore[type-arg]
    pass


class Own(list):  # type: ignore[type-arg]
    """Has each special method, which shows something else than a list does."""

    def __init__(self, *values: Any) -> None:
        super().__init__(values)
        self.changes = 0

    def __eq__(self, other: object) -> Any:
        return 17

    def __ne__(self, other: object) -> Any:
        return 18

    def __lt__(self, other: object) -> Any:
        return 19

    def __gt__(self, other: object) -> Any:
        return 20

    def __iter__(self) -> Iterator[Any]:
        return iter([7, 8])

    def __len__(self) -> int:
        return super().__len__() + 100

    def __bool__(self) -> bool:
        return False

    def __contains__(self, item: object) -> bool:
        return not super().__contains__(item)

    def __getitem__(self, index: Any) -> Any:
        return super().__getitem__(index) + 1

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, value * 3)

    def __delitem__(self, index: Any) -> None:
        super().append(70)

    def __add__(self, other: Any) -> Any:
        return super().__len__() + 1000

    def __radd__(self, other: Any) -> Any:
        return super().__len__() + 2000

    def __iadd__(self, other: Any) -> Own:  # type: ignore[misc]
        super().append(99)
        return self

    def __mul__(self, times: Any) -> Any:
        return times

    def __reversed__(self) -> Iterator[Any]:
        return iter([3, 2])

    def __repr__(self) -> str:
        return "Own"

    def __format__(self, specification: str) -> str:
        return f"Own({specification})"

    def __call__(self, value: Any) -> Any:
        return value + self.changes

    def append(self, value: Any) -> None:
        self.changes += 1
        super().append(value)

    def sort(self) -> None:  # type: ignore[override]
        super().sort(reverse=True)

    def clear(self) -> None:
        super().clear()
        self.changes = -1

    @property
    def last(self) -> Any:
        return self[-1]


def changed(made: Any, n: Any) -> Any:
    if n > 1:
        made.append(5)
    return made


def of_class(n: Any) -> Any:
    a = changed(Plain([1]), n)
    return (
        isinstance(a, Plain),
        isinstance(a, (tuple, Own)),
        type(a) is Plain,
        a.__class__ is Plain,
        issubclass(type(a), list),
    )


def of_copies(n: Any) -> Any:
    a = changed(Plain([1]), n)
    return a[:].__class__ is list, type(a.copy()) is list, type(a + a) is list, type(type(a)(a)) is Plain


def of_table(n: Any) -> Any:
    a = changed(Plain([1]), n)
    return {list: 1, Plain: 2}[type(a)], a == [1], a != [1], a < [2], a == Plain([1]), a < Plain([1, 5])


def comparing(n: Any) -> Any:
    a = changed(Own(1), n)
    return a == [1], [1] == a, a != [1], a < [1], [1] < a, a > 3


def comparing_parts(n: Any) -> Any:
    a = changed(Own(1), n)
    return [a] == [3], (a, 1) == (1, 1), {"k": a} == {"k": 2}, a in [3], [1, 2].count(a), (1, a) < (1, 3)


def iterating(n: Any) -> Any:
    a, total = changed(Own(1), n), 0
    for item in a:
        total += item
    first, second = a
    head, *rest = a
    return total, first, second, head, rest, [x for x in a], [*a], list(a), sum(a), max(a), sorted(a), tuple(a)


def iterated_by_others(n: Any) -> Any:
    a, b = changed(Own(1), n), [0]
    b.extend(a)
    b[:0] = a
    return b, sum(x for x in a), functools.reduce(lambda x, y: x * y, a), list(zip(a, a)), list(map(abs, a)), any(a)


def asking(n: Any) -> Any:
    a = changed(Own(1), n)
    return len(a), bool(a), not a, (1 if a else 2), (a or 3), 5 in a, 1 not in a, list(reversed(a)), a(4)


def branching(n: Any) -> Any:
    a = changed(Own(1), n)
    if a:
        return 1
    while a:
        return 2
    return 3


def items(n: Any) -> Any:
    a = changed(Own(1), n)
    a[0] = 4
    found = a[0]
    del a[0]
    return found, a.last, list.__len__(a), list.__getitem__(a, -1)


def adding(n: Any) -> Any:
    a = changed(Own(1), n)
    b = a
    sums = a + [1], [1] + a, a * 2
    c = [1]
    c += a
    a += [1, 2, 3]
    return sums, c, a is b, len(a), a[-1]


def writing(n: Any) -> Any:
    a, b = changed(Own(1), n), changed(Plain([1]), n)
    return str(a), repr(a), f"{a}", f"{a!r:>5}", f"{a:x}", format(a), "{}".format(a), str(b), f"{b}"  # noqa: UP032


def methods(n: Any) -> Any:
    a = changed(Own(1, 2), n)
    a.sort()
    first = list.__getitem__(a, 0)
    a.append(n)
    changes = a.changes, vars(a)["changes"], getattr(a, "changes", 0), hasattr(a, "missing")
    a.clear()
    return first, changes, a.changes, len(a)


def growing(n: Any) -> Any:
    a, b = Own(), Plain()
    for i in range(n):
        a.append(i)
        b.append(i)
    return a.changes, len(a), [x for x in a], type(a) is Own, type(b) is Plain, isinstance(b, Plain), len(b)


def leaving(n: Any) -> Any:
    a = Own()
    for i in range(5):
        if i >= n:
            break
        a.append(i)
    return a.changes, list.__len__(a)


def classes_of_patterns(n: Any) -> Any:
    match changed(Plain([1]), n):
        case Own():
            return 1
        case Plain() as found:
            return 2, len(found)
    return 3


def lists_of_patterns(n: Any) -> Any:
    match changed(Plain([1]), n):
        case list(found):
            return isinstance(found, Plain), len(found)
    return 3


def kept(n: Any) -> Any:
    a, pair = changed(Own(1), n), collections.namedtuple("pair", "left right")
    values, table = [a], {"k": a}
    values.append(a)
    values.insert(0, a)
    table["l"] = a
    table.setdefault("m", a)
    held = [*values, *table.values(), pair(a, n).left, pair(a, n)._replace(right=0).left]
    return [x == 3 for x in held], [isinstance(x, Own) for x in held], values[0] is a


def in_containers(n: Any) -> Any:
    table, rows = {"a": Own(1)}, [Own(1), Own(2)]
    if n > 1:
        table["a"].append(n)
        rows[0].append(n)
    return table["a"] == 3, len(table["a"]), [x == 3 for x in rows], rows == [[1], [2]], rows[0].changes


def sorting(n: Any) -> Any:
    a = changed(Plain([3, 1]), n)
    a.sort()
    heapq.heapify(a)
    heapq.heappush(a, 0)
    bisect.insort(a, 2)
    return sorted(a), heapq.heappop(a), len(a), type(a) is Plain


def searching(n: Any) -> Any:
    a = changed(Own(1, 3), n)
    a.changes = 4
    return bisect.bisect(changed(Shifted([1, 3]), n), 2), a.changes


class Shifted(list):  # type: ignore[type-arg]
    def __getitem__(self, index: Any) -> Any:
        return super().__getitem__(index) + 10


def by_class(n: Any) -> Any:
    @functools.singledispatch
    def kind(value: object) -> int:
        return 0

    @kind.register
    def _(value: list) -> int:  # type: ignore[type-arg]
        return 1

    @kind.register
    def _(value: Plain) -> int:
        return 2

    return kind(changed(Plain([1]), n)), kind(changed([1], n))


def made_of_staged(n: Any) -> Any:
    a = Plain(changed([1], n))
    b = Own(*[1, 2])
    b += changed([1], n)
    a += changed([1], n)
    return len(a), type(a) is Plain, len(b)


class Names(dict):  # type: ignore[type-arg]
    def __eq__(self, other: object) -> Any:
        return 17

    def __iter__(self) -> Iterator[Any]:
        return iter("xy")

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "Names"

    def __or__(self, other: object) -> Any:
        return 18

    def keys(self) -> Any:
        return ["k"]

    def __getitem__(self, key: object) -> Any:
        return 8


def of_dicts(n: Any) -> Any:
    a = Names(a=1)
    if n > 1:
        dict.__setitem__(a, "b", 2)
    by_pattern = 0
    match a:
        case Names():
            by_pattern = 1
    kinds = type(a) is Names, isinstance(a, Names), a.__class__ is Names, by_pattern
    return kinds, a == 3, 3 == a, [x for x in a], bool(a), not a, str(a), f"{a}", a | {}, dict(a), "b" in a


class Stack(list):  # type: ignore[type-arg]
    def push(self, value: Any) -> Stack:
        self.append(value)
        return self

    @property
    def empty(self) -> Any:
        return len(self) == 0


def stacks(n: Any) -> Any:
    stack, turns = Stack([1]), 0
    while not stack.empty:
        top = stack.pop()
        turns += 1
        if top < n:
            stack.push(top + 1).push(n)
    return turns, stack.empty, type(stack) is Stack


class Bounded(list):  # type: ignore[type-arg]
    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size
        self.total = 0

    def append(self, value: Any) -> None:
        super().append(value)
        self.total += value
        if len(self) > self.size:
            del self[0]


def bounded(n: Any) -> Any:
    a = Bounded(2)
    for i in range(n + 1):
        a.append(i)
    return list(a), a.total, len(a)


class Summed:
    def total(self) -> Any:
        return sum(self)  # type: ignore[call-overload]

    def __bool__(self) -> Any:
        return bool(self.total() > 3)


class Mixed(list, Summed):  # type: ignore[type-arg]
    pass


def mixed(n: Any) -> Any:
    a = changed(Mixed([1]), n)
    return a.total(), bool(a), (1 if a else 2)


class Alike(list):  # type: ignore[type-arg]
    def __eq__(self, other: object) -> Any:
        return isinstance(other, Alike) and super().__eq__(other)

    __hash__ = None  # type: ignore[assignment]


def by_super(n: Any) -> Any:
    a, b, c = changed(Alike([1]), n), Alike([1]), changed(Own(1), n)
    return a == b, b == a, a == [1], a in [b], [a] == [b], b == c, c == b, Plain([1]) == c, Plain([0]) < Plain(b)


class Lower(dict):  # type: ignore[type-arg]
    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(key.lower(), value)

    def __getitem__(self, key: str) -> Any:
        return super().__getitem__(key.lower())

    def __contains__(self, key: Any) -> Any:
        return super().__contains__(key.lower())

    def get(self, key: str, default: Any = None) -> Any:
        return super().get(key.lower(), default)

    def update(self, *others: Any, **items: Any) -> None:
        super().update(*others, **items)
        self["Updated"] = len(self)


def lower(n: Any) -> Any:
    a = Lower()
    a["A"] = 1
    if n > 1:
        a["B"] = n
    for i in range(n):
        a["A"] += i
    if n > 2:
        a.update(c=1)
    return a["a"], "B" in a, a.get("B", 7), a.get("updated", 0), len(a), isinstance(a, Lower)


class Sequence(tuple):  # type: ignore[type-arg]
    def __iter__(self) -> Iterator[Any]:
        return iter([9])

    def __eq__(self, other: object) -> Any:
        return 17

    __hash__ = None  # type: ignore[assignment]


def of_tuples(n: Any) -> Any:
    a = Sequence([1, n])
    if n > 1:
        a = Sequence([2, n])
    return a == 3, [x for x in a], type(a) is Sequence, len(a), tuple.__getitem__(a, 0)


PROGRAMS: list[Callable[[Any], Any]] = [
    of_class, of_copies, of_table, comparing, comparing_parts, iterating, iterated_by_others, asking, branching, items,
    adding, writing, methods, growing, leaving, classes_of_patterns, lists_of_patterns, kept, in_containers, sorting,
    searching, by_class, made_of_staged, of_dicts, of_tuples, stacks, bounded, mixed, by_super, lower,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_objects_are_what_their_class_says(program: Callable[[Any], Any]) -> None:
    check(program, *RUNS)


@pytest.mark.parametrize("n", RUNS)
def test_a_result_has_its_class(n: int) -> None:
    @tf.function
    def f(n: Any) -> Any:
        made = changed(Plain([1]), n)
        made.name = "row"
        return made, [made]

    made, (inner,) = f(tf.constant(n))
    assert type(made) is type(inner) is Plain and made.name == "row"
    assert as_python(list(made)) == [1, 5][: 1 + (n > 1)]


def test_lists_and_dicts_reach_a_graph_as_they_are() -> None:
    """Also in others, and as arguments of a function that has a graph of its own."""

    @tf.function
    def count(values: Any) -> Any:
        return len(values[0]) + len(values[1])

    def f(n: Any) -> Any:
        table = {"a": 1}
        if n > 1:
            table["b"] = 2
        return count([changed([1], n), table])

    check(f, *RUNS)


def nothing(a: Any) -> Any:
    return a


@pytest.mark.parametrize("use", [
    lambda a: f"{[a]}", lambda a: "%s" % [a], lambda a: tf.stack(a), lambda a: collections.deque(a), lambda a: {**a},
    lambda a: tf.function(nothing)(a),
])  # fmt: skip
def test_what_asks_more_than_the_graph_knows_is_refused(use: Callable[[Any], Any]) -> None:
    @tf.function
    def f(n: Any) -> Any:
        return use(changed(Own(1), n))

    with pytest.raises((StagingError, TypeError)):
        f(tf.constant(2))
