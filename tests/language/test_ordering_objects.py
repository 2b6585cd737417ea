"""Sorting and searching by the comparisons of users' classes and of dataclasses, which may be staged."""

from __future__ import annotations

import bisect
import dataclasses
import functools
import heapq
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import autograph as tf

from .support import check

PAIRS = [(x, y) for x in (-2, 1, 2, 5) for y in (0, 1, 4)]


@dataclasses.dataclass(order=True)
class Point:
    a: Any
    b: Any = 0


class Named(NamedTuple):
    a: Any
    b: Any


class Distance:
    """Ordered by the distance from one."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def size(self) -> Any:
        return self.x - 1 if self.x > 1 else 1 - self.x

    def __lt__(self, other: Any) -> Any:
        return self.size() < other.size()

    def __gt__(self, other: Any) -> Any:
        return other < self

    def __eq__(self, other: object) -> Any:
        return isinstance(other, Distance) and self.size() == other.size()

    def __hash__(self) -> int:
        return 1


@functools.total_ordering
class Level:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __lt__(self, other: Any) -> Any:
        return self.x < other.x if self.x > 0 else other.x > self.x

    def __eq__(self, other: object) -> Any:
        return isinstance(other, Level) and self.x == other.x


def comparisons(x: Any, y: Any) -> Any:
    points = Point(x, y) < Point(y, x), Point(x) <= Point(y), Point(x, y) > Point(1, 2), Point(1, x) >= Point(1, y)
    return *points, Point(x, y) == Point(y, x), Named(x, y) < Named(y, x), Named(x, y) == (x, y)


def of_dataclasses(x: Any, y: Any) -> Any:
    points = [Point(x, 1), Point(y, 2), Point(1, 3)]
    ascending, descending = sorted(points), sorted(points, reverse=True)
    by_key = sorted(points, key=lambda point: (point.a, -point.b))
    extremes = min(points).b, max(points).b, max(Point(x), Point(y)).a, min(points, key=lambda point: -point.a).b
    return [point.b for point in [*ascending, *descending, *by_key]], extremes


def of_objects(x: Any, y: Any) -> Any:
    values = [Distance(x), Distance(y), Distance(1)]
    ordered = sorted(values), sorted(values, reverse=True), sorted([x, y, 3], key=Distance)
    extremes = min(values).x, max(values).x, min(Distance(x), Distance(y)).x, min([x, y], key=Distance)
    return [each.x for each in ordered[0]], [each.x for each in ordered[1]], ordered[2], extremes


def of_ordered_classes(x: Any, y: Any) -> Any:
    levels = [Level(x), Level(y), Level(1)]
    return [each.x for each in sorted(levels)], max(levels).x, min(levels, default=None).x  # type: ignore[union-attr]


def of_parts(x: Any, y: Any) -> Any:
    pairs = [(Point(x, 1), 2), (Point(y, 1), 1)]
    found = (Point(x, 1), 2) in pairs, (Point(1, 1), 2) in pairs, [Point(x)] < [Point(y)]
    return sorted(pairs)[0][1], max(pairs)[1], *found


def by_staged_keys(x: Any, y: Any) -> Any:
    places = {"a": x, "b": y, "c": 2}
    indices = [0, 1, 2]
    indices.sort(key=lambda index: [x, y, 2][index], reverse=True)
    return sorted("abc", key=lambda name: places[name]), indices, sorted(places.items(), key=lambda item: item[1])[0][1]


def list_methods(x: Any, y: Any) -> Any:
    points = [Point(x, 1), Point(y, 2), Point(1, 3)]
    found = points.index(Point(1, 3)), points.index(points[1]), points.count(Point(y, 2)), points.index(Point(1, 3), 2)
    points.sort()
    first = points[0].a
    points.remove(Point(1, 3))
    points.append(Point(0, 0))
    return *found, first, [point.b for point in points], len(points)


def methods_of_lists_of_objects(x: Any, y: Any) -> Any:
    values = [Distance(1), Distance(y), Distance(x)]
    found = values.index(Distance(y)), values.index(values[2]), values.count(Distance(x)), Distance(x) in values
    values.sort()
    return *found, [each.x for each in values]


def in_branches(x: Any, y: Any) -> Any:
    points = [Point(1, 1), Point(4, 2), Point(1, 3)]
    if x > y:
        points.sort(reverse=True)
    else:
        points.remove(Point(1, 3))
        points.append(Point(9, 9))
    return [point.b for point in points]


def of_lists_that_grow(x: Any, y: Any) -> Any:
    points = []
    for i in range(x + 3):
        points.append(Point((x * i * 7) % 5, i))
    ordered = sorted(points)
    points.sort(reverse=True)
    return ordered[0].b, ordered[-1].b, points[0].b, len(ordered)


def heaps(x: Any, y: Any) -> Any:
    heap: list[Any] = []
    for each in (x, y, 3):
        heapq.heappush(heap, Distance(each))
    points = [Point(x, 1), Point(y, 2)]
    heapq.heapify(points)
    smallest = [each.x for each in heapq.nsmallest(2, [Distance(x), Distance(y), Distance(3)])]
    return [heapq.heappop(heap).x for _ in range(3)], points[0].b, smallest


def bisections(x: Any, y: Any) -> Any:
    levels = [Level(1), Level(3)]
    return bisect.bisect(levels, Level(x)), bisect.bisect_left(levels, Level(y))


@pytest.mark.parametrize(
    "function",
    [
        comparisons, of_dataclasses, of_objects, of_ordered_classes, of_parts, by_staged_keys, list_methods,
        methods_of_lists_of_objects, in_branches, of_lists_that_grow, heaps, bisections,
    ],
    ids=lambda function: function.__name__,
)  # fmt: skip
def test_order_is_that_of_the_converted_methods(function: Callable[..., Any]) -> None:
    check(function, *PAIRS)


def test_sorting_is_stable() -> None:
    @tf.function
    def f(x: Any) -> Any:
        points = [Point(x, 1), Point(1, 2), Point(x, 3), Point(1, 4), Point(x, 5)]
        ascending = sorted(points, key=lambda point: Distance(point.a))
        descending = sorted(points, key=lambda point: Distance(point.a), reverse=True)
        return [point.b for point in ascending], [point.b for point in descending]

    assert [list(map(int, each)) for each in f(tf.constant(1))] == [[1, 2, 3, 4, 5], [1, 2, 3, 4, 5]]
    assert [list(map(int, each)) for each in f(tf.constant(4))] == [[2, 4, 1, 3, 5], [1, 3, 5, 2, 4]]


log: list[int] = []


class Logged(Distance):
    def __lt__(self, other: Any) -> Any:
        log.append(1)
        return self.x < other.x

    def __eq__(self, other: object) -> Any:
        log.append(1)
        return self is other

    __hash__ = None  # type: ignore[assignment]


CHANGES: list[Callable[[], Any]] = [
    lambda: sorted([Logged(1), Logged(2)]),
    lambda: [Logged(1), Logged(2)].sort(),
    lambda: min([Logged(1), Logged(2)], key=lambda each: each),
    lambda: heapq.heappush([Logged(1)], Logged(2)),
    lambda: bisect.bisect([Logged(1)], Logged(2)),
    lambda: [Logged(1)].count(Logged(2)),
    lambda: Logged(1) in [Logged(2)],
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_a_comparison_changes_is_seen(change: Callable[[], Any]) -> None:
    @tf.function
    def f(x: Any) -> Any:
        if x > 0:
            change()
        return x

    with pytest.raises(tf.errors.MutationError, match="outlives this function"):
        f(tf.constant(-1))
    assert log == []


def test_comparisons_by_other_tensors_are_refused() -> None:
    @tf.function
    def f(x: Any) -> Any:
        class Odd:
            def __lt__(self, other: Any) -> Any:
                return x > 0

        return sorted([Odd(), Odd()]) is None

    with pytest.raises(tf.errors.StagedValueError, match="a comparison of objects of `.*Odd` depends on"):
        f(tf.constant(1))


def test_items_that_are_not_there_raise_what_python_does() -> None:
    staged = tf.function(lambda x: [Distance(1), Distance(x)].index(Distance(3)))
    assert staged(tf.constant(3)) == 1
    with pytest.raises(ValueError, match="is not in list"):
        staged(tf.constant(2))
    with pytest.raises(ValueError, match="x not in list"):
        tf.function(lambda x: [Distance(1)].remove(Distance(3)))(tf.constant(2))
    with pytest.raises(TypeError, match="'<' not supported between instances of"):
        tf.function(lambda x: sorted([Point(x), 3]))(tf.constant(2))  # type: ignore[type-var]
