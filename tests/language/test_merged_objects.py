"""Objects of users' classes as state of branches and loops: merged by their attributes, told apart never wrongly."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np
import pytest

import autograph as tf
from autograph.errors import BranchMismatchError, MutationError, StagedValueError

from ..work import work
from .support import check

T = TypeVar("T")


class Shape(abc.ABC):
    @abc.abstractmethod
    def norm(self) -> Any: ...


class Vector(Shape, Generic[T]):
    def __init__(self, x: Any, y: Any) -> None:
        self.x = x
        self.y = y

    def __mul__(self, factor: Any) -> Any:
        return type(self)(self.x * factor, self.y * factor)

    def __add__(self, other: Any) -> Any:
        return type(self)(self.x + other.x, self.y + other.y)

    def norm(self) -> Any:
        return self.x * self.x + self.y * self.y

    def grow(self) -> Any:
        self.x = self.x + 1
        return self


class Slots:
    __slots__ = ("__y", "x")

    def __init__(self, x: Any, y: Any) -> None:
        self.x = x
        self.__y = y

    @property
    def y(self) -> Any:
        return self.__y

    __mul__ = Vector.__mul__
    __add__ = Vector.__add__
    norm = Vector.norm
    grow = Vector.grow


@dataclasses.dataclass(eq=False)
class Fields:
    x: Any
    y: Any

    __mul__ = Vector.__mul__
    __add__ = Vector.__add__
    norm = Vector.norm
    grow = Vector.grow


CLASSES = pytest.mark.parametrize("V", [Vector, Slots, Fields], ids=lambda cls: cls.__name__)
INPUTS = -2, 0, 1, 2, 3, 5


def in_a_branch(V: Any, n: Any) -> Any:
    v = V(n, 1)
    w = v
    if n > 2:
        v = v * 2
    return v.x, v.y, w.x, isinstance(v, V)


def in_a_loop(V: Any, n: Any) -> Any:
    v = V(n, 1)
    for i in range(n):
        v = v * 2
        v += V(i, 1)
    return v.x, v.y, v.norm()


def best_so_far(V: Any, n: Any) -> Any:
    best = None
    for i in range(n):
        candidate = V(n * i - i * i, i)
        if best is None or candidate.norm() > best.norm():
            best = candidate
    return (-1, -1) if best is None else (best.x, best.y)


def of_two(V: Any, n: Any) -> Any:
    a, b = V(n, 1), V(1, n)
    v = a if n > 2 else b
    if n < 0:
        a, b = b, a
    return v.x, v.y, a.x, b.x


def one_after_the_other(V: Any, n: Any) -> Any:
    a, b = V(0, 1), V(1, 1)
    for _ in range(n):
        a, b = b, a + b
    return a.x, b.x, a.y


def changed_and_made_anew(V: Any, n: Any) -> Any:
    v = V(n, 1)
    for i in range(n):
        v.x = v.x + 1
        v.grow()
        if i % 2 == 0:
            v = v * 2
        v.grow()
    return v.x, v.y


def attributes_of_objects(V: Any, n: Any) -> Any:
    outer = V(V(n, 1), [n, 2])
    table = {"v": V(n, 1)}
    if n > 2:
        outer.x = outer.x * 2
        outer = V(outer.x, [3, n])
        table["v"] = table["v"] * 3
    outer.y.append(5)
    for _ in range(n):
        table["v"] = table["v"] * 2
    return outer.x.x, outer.y, table["v"].x


def in_lists(V: Any, n: Any) -> Any:
    made = []
    for i in range(n):
        made.append(V(i, n))
    total = 0
    for v in made:
        total += v.x * v.y
    fixed = [V(i * n, i) for i in range(4)]
    chosen, largest = fixed[abs(n) % 4], max(fixed, key=lambda v: v.x)
    return total, chosen.x, chosen.y, largest.x, largest.y


def left_early(V: Any, n: Any) -> Any:
    def find(k: Any) -> Any:
        for i in range(5):
            v = V(i, k)
            if v.norm() > k + 3:
                return v
        return V(-1, -1)

    v = find(n)
    while v.x > 1:
        v = V(v.x // 2, v.y + 1)
    return v.x, v.y


def the_same_object(V: Any, n: Any) -> Any:
    v = V(n, 1)
    w = v
    u = v if n > 2 else w
    u.x = 7
    part = V(n, n)
    outer = V(part, 1)
    if n > 2:
        outer = V(part, 2)
    outer.x.x = 9
    return v.x, u is v, part.x, outer.y, outer.x is part


def certainly_others(V: Any, n: Any) -> Any:
    v = V(n, 1)
    other = V(n, 2)
    if n > 2:
        v = v * 2
    return v is other, v is None, v == other, v in [other], v != other


@CLASSES
@pytest.mark.parametrize(
    "program",
    [
        in_a_branch, in_a_loop, best_so_far, of_two, one_after_the_other, changed_and_made_anew, attributes_of_objects,
        in_lists, left_early, the_same_object, certainly_others,
    ],
    ids=lambda program: program.__name__,
)  # fmt: skip
def test_as_in_python(program: Callable[..., Any], V: Any) -> None:
    check(lambda n: program(V, n), *INPUTS)


def test_a_maybe_object_is_the_one_that_it_stands_for() -> None:
    def f(n: Any) -> Any:
        v = Vector(n, 1)
        w = None
        if n > 2:
            w = v
        u = None
        return w is v, w is u, w is None, w is not v

    check(f, 1, 3)


def test_attributes_in_another_order() -> None:
    class Late:
        pass

    def made(first: str, second: str, n: Any) -> Any:
        late = Late()
        setattr(late, first, n)
        setattr(late, second, n * 2)
        return late

    def f(n: Any) -> Any:
        late = made("a", "b", n)
        if n > 2:
            late = made("b", "a", n)
        return late.a, late.b

    check(f, 1, 3)


def two_choices(V: Any, n: Any) -> Any:
    v = V(n, 1)
    w = v
    if n > 2:
        v = v * 2
    return v, w


def asks_is(V: Any, n: Any) -> Any:
    v, w = two_choices(V, n)
    return v is w


def asks_equal(V: Any, n: Any) -> Any:
    v, w = two_choices(V, n)
    return v == w


def asks_in(V: Any, n: Any) -> Any:
    v, w = two_choices(V, n)
    return v in [w]


def asks_in_a_loop(V: Any, n: Any) -> Any:
    v = V(n, 1)
    w = v
    count = 0
    for _ in range(n):
        if v is not w:
            count += 1
        v = v * 2
    return count


def asks_after_a_loop(V: Any, n: Any) -> Any:
    v = V(n, 1)
    w = v
    for _ in range(n):
        v = v * 2
        w = v
    return v is w


def asks_key(V: Any, n: Any) -> Any:
    v, w = two_choices(V, n)
    return {w: 1}[v]


def asks_whether_key(V: Any, n: Any) -> Any:
    v, w = two_choices(V, n)
    return v in {w: 1}


def stores_key(V: Any, n: Any) -> Any:
    v, w = two_choices(V, n)
    table = {w: 1}
    table[v] = 2
    return len(table)


def asks_get(V: Any, n: Any) -> Any:
    v, w = two_choices(V, n)
    return {w: 1}.get(v, 0)


def asks_default(V: Any, n: Any) -> Any:
    v, w = two_choices(V, n)
    return {w: 1}.setdefault(v, 0)


def asks_set(V: Any, n: Any) -> Any:
    v, w = two_choices(V, n)
    return len({v, w})


def adds_to_a_set(V: Any, n: Any) -> Any:
    v, w = two_choices(V, n)
    found = {w}
    found.add(v)
    return len(found)


def asks_hash(V: Any, n: Any) -> Any:
    v, w = two_choices(V, n)
    return hash(v) == hash(w)


def asks_place(V: Any, n: Any) -> Any:
    v, w = two_choices(V, n)
    return [w].index(v)


def asks_id(V: Any, n: Any) -> Any:
    v, w = two_choices(V, n)
    return id(v) == id(w)


@CLASSES
@pytest.mark.parametrize(
    "program",
    [
        asks_in_a_loop, asks_after_a_loop, asks_key, asks_whether_key, stores_key,
        asks_id, asks_get, asks_default, asks_set, adds_to_a_set, asks_hash,
    ],
    ids=lambda program: program.__name__,
)  # fmt: skip
def test_which_of_two_objects_it_is_is_refused(program: Callable[..., Any], V: Any) -> None:
    with pytest.raises(StagedValueError, match="the same one|which one|object of the trace"):
        tf.function(lambda n: program(V, n))(tf.constant(3))


def asks_of_choices(V: Any, n: Any) -> Any:
    v, w = two_choices(V, n)
    x = w if n < 5 else V(0, 0)
    y = v if n < 7 else x
    return x is w, x is v, y is v, y is x, x is not y, x != y


@CLASSES
@pytest.mark.parametrize("program", [asks_is, asks_equal, asks_in, asks_of_choices], ids=lambda each: each.__name__)
def test_which_of_two_objects_it_is_is_known_where_branches_have_chosen(program: Callable[..., Any], V: Any) -> None:
    check(lambda n: program(V, n), 1, 3, 5, 6, 7, 8)


@CLASSES
def test_the_place_of_an_object_that_a_branch_has_chosen(V: Any) -> None:
    check(lambda n: asks_place(V, n), 1)
    with pytest.raises(ValueError):
        tf.function(lambda n: asks_place(V, n))(tf.constant(3))


def changed_after_a_branch(V: Any, n: Any) -> Any:
    v, w = two_choices(V, n)
    v.x = 5
    return v.x, v.y, w.x, w.y


def old_one_changed_after_a_branch(V: Any, n: Any) -> Any:
    v, w = two_choices(V, n)
    w.x = 5
    return v.x, v.y, w.x, w.y


def parts_that_are_one_object(V: Any, n: Any) -> Any:
    def pair(part: Any) -> Any:
        return V(part, part)

    v = pair(V(n, n))
    if n > 2:
        v = pair(V(1, 2))
    v.x.x = 9
    return v.y.x, v.x.x, v.x.y


@CLASSES
@pytest.mark.parametrize(
    "program",
    [changed_after_a_branch, old_one_changed_after_a_branch, parts_that_are_one_object],
    ids=lambda program: program.__name__,
)
def test_another_name_sees_the_change_after_a_branch(program: Callable[..., Any], V: Any) -> None:
    check(lambda n: program(V, n), 3, 2, 0, -1)


def changed_in_a_loop_with_another_name(V: Any, n: Any) -> Any:
    v = V(n, 1)
    w = v
    for _ in range(n):
        v.x = v.x + 1
        v = v * 2
    return w.x


def two_variables_of_a_loop(V: Any, n: Any) -> Any:
    v, w = V(n, 1), V(n, 2)
    total = 0
    for _ in range(n):
        w.x = w.x + 1
        total = total + v.x
        v = v * 2
        w = v
    return total


def two_variables_after_a_loop(V: Any, n: Any) -> Any:
    v, w = V(n, 1), V(n, 2)
    for _ in range(n):
        v = v * 2
        w = v
    w.x = 5
    return v.x


def in_a_list_of_the_loop(V: Any, n: Any) -> Any:
    v = V(n, 1)
    made = []
    for _ in range(n):
        v.x = v.x + 1
        v = v * 2
        made.append(v)
    return made[0].x


@CLASSES
@pytest.mark.parametrize(
    ("program", "text"),
    [
        (changed_in_a_loop_with_another_name, "is one of two objects"),
        (two_variables_of_a_loop, "`v` is one of two objects"),
        (two_variables_after_a_loop, "`v` is one of two objects"),
        (in_a_list_of_the_loop, "`made` is, or has, an element of a list that a graph holds"),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_changes_that_another_name_would_not_see_are_refused(program: Callable[..., Any], text: str, V: Any) -> None:
    with pytest.raises(MutationError, match=text):
        tf.function(lambda n: program(V, n))(tf.constant(3))


class Other(Vector):
    pass


class Holder:
    def __init__(self, file: Any, x: Any) -> None:
        self.file = file
        self.x = x


def of_other_classes(n: Any) -> Any:
    v = Vector(n, 1)
    if n > 2:
        v = Other(n, 1)
    return v.x


def of_other_attributes(n: Any) -> Any:
    v = Vector(n, 1)
    if n > 2:
        v = v * 2
        v.z = 3
    return v.x


def holding_what_is_no_data(n: Any) -> Any:
    v = Holder(np, n)
    if n > 2:
        v = Holder(tf, n)
    return v.x


def holding_themselves(n: Any) -> Any:
    v, w = Vector(n, 1), Vector(n, 2)
    v.y, w.y = v, w
    if n > 2:
        v = w
    return v.y.x


@pytest.mark.parametrize(
    "program, message",
    [
        (of_other_classes, r"`v` is a Other .* but a Vector"),
        (of_other_attributes, r"`v` is a Vector with the attributes x, y, z on line"),
        (holding_what_is_no_data, r"`v\.file` is the module `autograph`"),
        (holding_themselves, r"an object holds itself"),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_what_has_no_parts_in_common_is_refused(program: Callable[..., Any], message: str) -> None:
    with pytest.raises(BranchMismatchError, match=message):
        tf.function(program)(tf.constant(3))


class Link:
    def __init__(self, value: Any, following: Any) -> None:
        self.value = value
        self.following = following


def chain(length: int) -> Any:
    link = None
    for value in range(length):
        link = Link(value, link)
    return link


def test_long_chains_of_objects_take_linear_work() -> None:
    def traced(length: int) -> int:
        head = chain(length)

        @tf.function
        def f(n: Any) -> Any:
            table = {"head": head, "count": 0}
            link = Link(0, head)
            for i in range(n):
                table["count"] += i
                link = Link(i, table["head"])
            return table["count"], table["head"].value, link.value, link.following.value

        count = work(lambda: f.get_concrete_function(tf.TensorSpec((), tf.int32)))
        assert [int(each) for each in f(tf.constant(4))] == [6, length - 1, 3, length - 1]
        return count

    traced(3)
    assert traced(800) < 6 * traced(200)


def test_a_chain_that_grows_in_a_staged_loop_is_refused() -> None:
    @tf.function
    def f(n: Any) -> Any:
        link = chain(1)
        for i in range(n):
            link = Link(i, link)
        return link.value

    with pytest.raises(BranchMismatchError, match="what `link.*` is never settles|changes what `link"):
        f(tf.constant(3))


LAST = Vector(1, 1)


def test_objects_that_outlive_the_function_are_made_anew_by_each_run() -> None:
    class Model:
        def __init__(self) -> None:
            self.position = Vector(1, 2)

        @tf.function
        def step(self, n: Any) -> Any:
            global LAST
            if n > 2:
                self.position = self.position * n
            LAST = self.position + LAST
            return self.position.x

    model = Model()
    assert [int(model.step(tf.constant(n))) for n in (3, 2, 5)] == [3, 3, 15]
    assert type(model.position) is Vector
    assert (int(model.position.x), int(model.position.y)) == (15, 30)
    assert (int(LAST.x), int(LAST.y)) == (1 + 3 + 3 + 15, 1 + 6 + 6 + 30)


def test_gradients_go_through_merged_objects() -> None:
    @tf.function
    def f(x: Any, n: Any) -> Any:
        v = Vector(x, 1.0)
        for _ in range(n):
            v = v * x
        if x > 1.0:
            v = v + v
        return v.x

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, tf.constant(2))
    assert float(y) == 16.0
    assert float(tape.gradient(y, x)) == 24.0


def taken_by_a_staged_index(x):
    kept = []
    rows = [kept]
    a = None
    if x > 0:
        a = rows[x - 1]
    return rows[0] is a


def taken_in_a_branch_alone(x):
    a = []
    rows = [a]
    if x > 0:
        a = rows[x % 1]
    return rows[0] is a


def test_a_copy_of_an_element_is_not_taken_for_another_object() -> None:
    for function in (taken_by_a_staged_index, taken_in_a_branch_alone):
        with pytest.raises(StagedValueError, match="are the same one is asked"):
            tf.function(function)(tf.constant(1))


def test_an_element_of_one_of_two_lists_that_is_changed_is_not_missed() -> None:
    @tf.function
    def f(n):
        kept, b, rows = [1], [], []
        if n > 0:
            if n in kept:
                pass
            else:
                rows.insert(0, b)
        else:
            rows = [each for each in rows]
        for each in rows:
            each.append(1)
        return b

    with pytest.raises(MutationError, match="an element of a list that a graph holds, as a copy"):
        f(tf.constant(2))


def test_one_of_several_lists_gets_the_items_of_another_one() -> None:
    class Record:
        def __init__(self, items):
            self.items = items

    def f(n):
        kept, b = [], []
        q, r = Record(kept), Record(b)
        r = q if n > 0 else r
        if n > 0:
            b.insert(0, 2)
        else:
            q.items = r.items
        kept[:] = b
        kept.append(7)
        b.append(9)
        return kept, b, q.items, r.items

    check(f, 1, 0, -1)
