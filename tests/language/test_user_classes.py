"""Methods that Python calls by itself, with staged control flow in them: operators, properties, `__init__`, … (L21)."""

from __future__ import annotations

import abc
import dataclasses
import enum
import functools
import operator
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

import autograph as tf
from autograph.errors import MutationError

from .support import check

PAIRS = [(x, y) for x in (-2, 1, 2, 5) for y in (0, 1, 4)]


class Vector:
    """Every method decides by values that may be staged."""

    def __init__(self, x: Any, y: Any) -> None:
        if x > 3:
            self.x = x
        else:
            self.x = x * 2
        self.y = y

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Vector):
            return Vector(self.x + other.x, self.y + other.y)
        return NotImplemented

    def __radd__(self, other: Any) -> Any:
        return Vector(self.x + other, self.y if other > 1 else -self.y)

    def __matmul__(self, other: Any) -> Any:
        if self.x > other.x:
            return self.x * other.y
        return self.y

    def __lt__(self, other: Any) -> Any:
        if self.x < other.x:
            return True
        return self.y < other.y

    def __eq__(self, other: Any) -> Any:
        return self.x == other.x and self.y == other.y

    def __neg__(self) -> Any:
        return Vector(-self.x if self.x > 0 else self.x, -self.y)

    def __abs__(self) -> Any:
        return self.x if self.x > 0 else -self.x

    def __iadd__(self, other: Any) -> Any:
        if other > 2:
            self.x = self.x + other
        else:
            self.y = self.y - other
        return self

    def __getitem__(self, index: Any) -> Any:
        if index == 0:
            return self.x
        return self.y

    def __setitem__(self, index: Any, value: Any) -> None:
        if value > 0:
            self.x = value
        else:
            self.y = value + index

    def __delitem__(self, index: Any) -> None:
        if self.x > index:
            self.x = self.x * 0

    def __contains__(self, value: Any) -> Any:
        return value == self.x or value == self.y

    def __len__(self) -> int:
        return 2

    def __bool__(self) -> Any:
        return bool(self.x > 2)

    def __iter__(self) -> Iterator[Any]:
        return iter([self.x if self.x > 1 else self.y, self.y])

    def __call__(self, k: Any) -> Any:
        if k > 0:
            return self.x
        return self.y

    def __str__(self) -> str:
        return f"<{self.x}>" if self.x > 2 else "small"

    def __enter__(self) -> Any:
        if self.x > 0:
            self.y = self.y + 10
        return self

    def __exit__(self, *error: Any) -> None:
        if self.x > 1:
            self.y = self.y + 100

    @property
    def distance(self) -> Any:
        if self.x > self.y:
            return self.x - self.y
        return self.y - self.x

    @distance.setter
    def distance(self, value: Any) -> None:
        if value > 1:
            self.x = value
        else:
            self.x = 0 * value

    @distance.deleter
    def distance(self) -> None:
        if self.y > 1:
            self.x = self.x * 0

    @functools.cached_property
    def scaled(self) -> Any:
        if self.x > 2:
            return self.x * 100
        return self.x

    def __getattr__(self, name: str) -> Any:
        if name == "triple":
            if self.x > 0:
                return self.x * 3
            return self.x * 5
        raise AttributeError(name)


def parts(vector: Vector) -> Any:
    return vector.x, vector.y


def init(x: Any, y: Any) -> Any:
    return parts(Vector(x, y))


def addition(x: Any, y: Any) -> Any:
    return parts(Vector(x, y) + Vector(y, x))


def reflected(x: Any, y: Any) -> Any:
    return parts(x + Vector(y, x)), parts(3 + Vector(y, x))


def comparisons(x: Any, y: Any) -> Any:
    v, w = Vector(x, y), Vector(y, x)
    return v < w, v == w, v != w, v > w, v @ w


def unary(x: Any, y: Any) -> Any:
    return parts(-Vector(x, y)), abs(Vector(x, y))


def in_place(x: Any, y: Any) -> Any:
    v = other = Vector(x, y)
    v += x
    return parts(v), other.x


def items(x: Any, y: Any) -> Any:
    v = Vector(x, y)
    v[0] = y
    v[x] = x
    v[1] += 2
    del v[y]
    return v[0], v[x], v[1]


def membership(x: Any, y: Any) -> Any:
    return x in Vector(x, y), y not in Vector(x, y), 7 in Vector(x, y)


def truth(x: Any, y: Any) -> Any:
    v = Vector(x, y)
    result = 1 if v else 2
    if not v:
        result = result + 10
    while v:
        v[0] -= 1
        result = result + 7
    return result, len(v)


def properties(x: Any, y: Any) -> Any:
    v = Vector(x, y)
    before = v.distance
    v.distance = y
    between = v.distance
    v.distance += 1
    middle = v.x
    del v.distance
    return before, between, middle, v.x


def cached(x: Any, y: Any) -> Any:
    v = Vector(x, y)
    first = v.scaled
    v.x = 0 * x
    return first, v.scaled


def context(x: Any, y: Any) -> Any:
    with Vector(x, y) as v:
        v.y = v.y + 1
    return v.y


def missing_attributes(x: Any, y: Any) -> Any:
    v = Vector(x, y)
    return v.triple, getattr(v, "distance"), hasattr(v, "nope"), getattr(v, "nope", 3)  # noqa: B009


def iteration(x: Any, y: Any) -> Any:
    total = 0 * x
    for each in Vector(x, y):
        total = total + each
    first, last = Vector(y, x)
    total = total + first * 10 + last
    total = total + (lambda a, b: a - b)(*Vector(x, y))
    return total, sum(Vector(x, y)), list(Vector(x, y)), [2 * each for each in Vector(y, x)]


def library(x: Any, y: Any) -> Any:
    vectors = [Vector(x, y), Vector(y, x), Vector(1, 1)]
    total = functools.reduce(operator.add, vectors)
    return parts(total), parts(sum(vectors[1:], vectors[0])), Vector(x, y)(y)


def text(x: Any, y: Any) -> Any:
    return str(Vector(x, y))


def in_branches(x: Any, y: Any) -> Any:
    v = Vector(x, y)
    if x > y:
        v += 3
        v.distance = 7 * x
        v[0] = x - y
    else:
        v[1] -= 1
        v.y = v.distance
    return parts(v)


def in_loops(x: Any, y: Any) -> Any:
    v = Vector(x, y)
    for i in range(3):
        v = v + Vector(x, i)
        v[0] = v[0] + 1
    while v.x < 100:
        v += 7
        v.x += 1
    return parts(v)


class Base:
    def __init__(self, x: Any) -> None:
        self.x = x if x > 0 else -x

    @property
    def size(self) -> Any:
        return self.x if self.x > 1 else 1


class Derived(Base):
    __slots__ = ("__private",)

    def __init__(self, x: Any, y: Any = 2) -> None:
        super().__init__(x * 2)
        if y > x:
            self.x = self.x + y
        self.__private = y

    @property
    def size(self) -> Any:
        return super().size + self.__private


def inherited(x: Any, y: Any) -> Any:
    d = Derived(x, y=y)
    return d.x, d.size, Derived(x).size


@dataclasses.dataclass
class Point:
    a: Any
    b: Any = 2
    rest: list[Any] = dataclasses.field(default_factory=list)
    factor: dataclasses.InitVar[Any] = 3

    def __post_init__(self, factor: Any) -> None:
        if self.a > 1:
            self.b = self.a * factor
        self.rest.append(self.b)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Frozen:
    a: Any
    b: Any = dataclasses.field(default=1, init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "b", self.a if self.a > 1 else 0)


def data_classes(x: Any, y: Any) -> Any:
    p, q = Point(x), Point(b=x, a=y, factor=x)
    return p.b, q.b, p.rest, q.rest, Frozen(a=x).b


class Counted:
    made = 0

    def __new__(cls, *arguments: Any) -> Any:
        self = super().__new__(cls)
        self.first = arguments[0] if arguments[0] > 1 else 1
        return self

    def __init__(self, x: Any) -> None:
        self.second = self.first + x


class Shape(abc.ABC):
    @property
    @abc.abstractmethod
    def area(self) -> Any: ...


class Square(Shape):
    def __init__(self, side: Any) -> None:
        self.side = side

    @property
    def area(self) -> Any:
        return self.side**2 if self.side > 1 else self.side


class Pair(NamedTuple):
    a: Any
    b: Any

    @property
    def larger(self) -> Any:
        return self.a if self.a > self.b else self.b


class Mode(enum.Enum):
    ONE = 1

    def choose(self, x: Any) -> Any:
        return x if x > self.value else -x

    @property
    def doubled(self) -> int:
        return self.value * 2


class Positive:
    """A descriptor."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = "_" + name

    def __get__(self, obj: Any, cls: Any = None) -> Any:
        value = getattr(obj, self.name)
        return value if value > 1 else 1

    def __set__(self, obj: Any, value: Any) -> None:
        setattr(obj, self.name, value if value > 0 else -value)


class Described:
    value = Positive()


def other_classes(x: Any, y: Any) -> Any:
    d = Described()
    d.value = x
    d.value += y
    counted = Counted(x)
    return (
        counted.first, counted.second, Square(x).area, Pair(x, y).larger, Mode.ONE.choose(x), Mode(1).doubled, d.value
    )  # fmt: skip


class Meta(type):
    def __call__(cls, x: Any) -> Any:
        made = super().__call__(x if x > 1 else 1)
        made.twice = made.x * 2
        return made


class WithMeta(metaclass=Meta):
    def __init__(self, x: Any) -> None:
        self.x = -x if x > 3 else x


def metaclass(x: Any, y: Any) -> Any:
    return WithMeta(x).x, WithMeta(y).twice


class Steps:
    def __init__(self, n: int, x: Any) -> None:
        self.n, self.x = n, x

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.x if self.x > self.n else self.n


class Row:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __getitem__(self, index: int) -> Any:
        if index == 3:
            raise IndexError
        return self.x if self.x > index else -self.x


def iterators(x: Any, y: Any) -> Any:
    steps = Steps(3, x)
    return list(Steps(2, x)), [each for each in Row(y)], next(steps), sum(steps)


class Left:
    def __add__(self, other: Any) -> Any:
        return "left"

    def __sub__(self, other: Any) -> Any:
        return NotImplemented

    def __mul__(self, other: Any) -> Any:
        return "left"

    def __lt__(self, other: Any) -> Any:
        return NotImplemented


class Right(Left):
    def __radd__(self, other: Any) -> Any:
        return "right"

    def __rsub__(self, other: Any) -> Any:
        return "right"

    def __gt__(self, other: Any) -> Any:
        return "greater"


class Number(int):
    def __radd__(self, other: Any) -> Any:
        return "number"


class Joined:
    def __radd__(self, other: Any) -> Any:
        return "joined"

    def __rmul__(self, other: Any) -> Any:
        return NotImplemented


def protocol() -> Any:
    left, right = Left(), Right()
    return [
        left + right, left + 1, left - right, left * right, left < right, right == left, right != right,
        1 + Number(2), Number(2) + 1, Number(2) + Number(3), [1] + Joined(), (1,) + Joined(), "a" + Joined(),
        left == 1, 1 != left,
    ]  # fmt: skip


ERRORS = [
    lambda: Left() - 1, lambda: 1 - Left(), lambda: Left() < Left(), lambda: Left() < 1, lambda: [1] - Joined(),
    lambda: Left() ** 2, lambda: -Left(), lambda: Left()[0], lambda: Left().missing, lambda: len(Left()),
    lambda: Square(), lambda: Shape(), lambda: Point(), lambda: Point(1, 2, [], 3, 4),  # type: ignore[abstract, call-arg]
    lambda: Vector(1, 2).nope, lambda: next(Steps(0, 1)),
]  # fmt: skip


@pytest.mark.parametrize(
    "function",
    [
        init, addition, reflected, comparisons, unary, in_place, items, membership, truth, properties, cached, context,
        missing_attributes, iteration, library, text, in_branches, in_loops, inherited, data_classes, other_classes,
        metaclass, iterators,
    ],
    ids=lambda function: function.__name__,
)  # fmt: skip
def test_methods_that_python_calls(function: Callable[..., Any]) -> None:
    check(function, *PAIRS)


def traced(function: Callable[[], Any]) -> Any:
    """What a function gives, run while a trace is open."""
    results = []

    @tf.function
    def run() -> None:
        results.append(function())

    run()
    return results[0]


def test_the_protocol_of_operators_is_pythons() -> None:
    assert traced(protocol) == protocol()


@pytest.mark.parametrize("function", ERRORS, ids=range(len(ERRORS)))
def test_errors_are_pythons(function: Callable[[], Any]) -> None:
    with pytest.raises(Exception) as expected:  # noqa: PT011 (whatever Python raises)
        function()
    with pytest.raises(expected.type) as actual:
        traced(function)
    assert str(actual.value) == str(expected.value)


def test_classes_are_not_changed() -> None:
    before = {name: dict(vars(cls)) for name, cls in globals().items() if isinstance(cls, type)}
    check(init, (1, 2))
    assert before == {name: dict(vars(cls)) for name, cls in globals().items() if isinstance(cls, type)}


def test_init_that_changes_other_objects() -> None:
    class Registered:
        def __init__(self, registry: dict[str, Any], x: Any) -> None:
            registry["last"] = x
            registry["count"] = registry["count"] + 1

    def f(x: Any) -> Any:
        registry = {"last": x, "count": 0}
        if x > 0:
            Registered(registry, x * 2)
        return registry["last"], registry["count"]

    check(f, 1, -1)


def test_a_getter_that_changes_its_object() -> None:
    class Meter:
        def __init__(self) -> None:
            self.reads = 0

        @property
        def value(self) -> int:
            self.reads += 1
            return self.reads

    def f(x: Any) -> Any:
        meter = Meter()
        total = meter.value
        if x > 0:
            total = total + meter.value
        return total, meter.reads

    check(f, 1, -1)


class Lazy:
    def __init__(self) -> None:
        self.base = 2

    @functools.cached_property
    def value(self) -> int:
        return self.base * 3


def test_cached_property_of_an_older_object_in_a_branch_is_refused() -> None:
    lazy = Lazy()

    def f(x: Any) -> Any:
        return lazy.value if x > 0 else x

    with pytest.raises(MutationError, match=r"cached property `Lazy.value`"):
        tf.function(f)(tf.constant(1))
    assert lazy.value == 6
    check(f, 1, -1)


class WithVariables:
    @functools.cached_property
    def weight(self) -> Any:
        return tf.Variable(2.0)

    @functools.cached_property
    def parts(self) -> Any:
        return {"bias": tf.Variable([1.0, 0.0]), "rate": 3}

    @functools.cached_property
    def known(self) -> Any:
        with tf.init_scope():
            return tf.constant(5.0)

    @functools.cached_property
    def leaked(self) -> Any:
        return [tf.constant(5.0)]

    @tf.function
    def product(self, x: Any) -> Any:
        return x * self.weight + self.parts["bias"] * self.parts["rate"] + self.known


def test_cached_property_with_variables_is_made_in_the_first_trace() -> None:
    made = WithVariables()
    assert made.product(tf.constant(10.0)).numpy().tolist() == [28.0, 25.0]
    made.weight.assign(1.0)
    assert made.product(tf.constant(10.0)).numpy().tolist() == [18.0, 15.0]
    other = WithVariables()
    assert other.product(tf.constant(1.0)).numpy().tolist() == [10.0, 7.0]
    with pytest.raises(MutationError, match=r"cached property `WithVariables.leaked`"):
        tf.function(lambda x: other.leaked[0] * x)(tf.constant(1.0))


def class_attributes_as_defaults(x):
    class Base:
        count = 1

        def add(self):
            self.count += 1

    class Derived(Base):
        pass

    one, other = Base(), Base()
    if x > 0:
        one.add()
        Derived.count = x
    for _ in range(x):
        other.add()
    return one.count, other.count, Base.count, Derived.count, Derived().count


def test_class_attributes_that_are_defaults():
    check(class_attributes_as_defaults, 0, 1, 3)


def class_changed_after_a_branch(x):
    class Counter:
        count = 1

    counter = Counter()
    if x > 0:
        counter.count = x
    Counter.count = 7
    return counter.count


def class_changed_in_the_other_branch(x):
    class Counter:
        count = 1

    counter = Counter()
    if x > 0:
        counter.count = x
    else:
        Counter.count = 7
    return counter.count


def class_changed_after_a_loop(x):
    class Counter:
        count = 1

    counter = Counter()
    for i in range(x):
        counter.count += i
    Counter.count = 7
    return counter.count


@pytest.mark.parametrize(
    "function", [class_changed_after_a_branch, class_changed_in_the_other_branch, class_changed_after_a_loop]
)
def test_a_class_that_changes_what_an_object_may_show_is_refused(function):
    with pytest.raises(tf.errors.MutationError, match="`Counter.count` is changed too") as caught:
        tf.function(function)(tf.constant(0))
    assert caught.value.file == __file__ and caught.value.function == function.__name__
    # What was noted for the refused trace is forgotten.
    assert tf.function(lambda x: x + 1)(tf.constant(1)).numpy() == 2


class Open(type):
    """A metaclass that has every attribute."""

    def __getattr__(cls, name: str) -> int:
        return len(name)


class Box(metaclass=Open):
    def __init__(self, x: Any) -> None:
        self.x = x if x > 0 else -x


def test_attributes_of_a_metaclass_are_none_of_the_objects() -> None:
    @tf.function
    def f(x: Any) -> Any:
        box = Box(x)
        if x > 1:
            box.x = box.x + [box][0].x
        return box.x, Box.anything

    assert [int(each) for each in f(tf.constant(3))] == [6, 8]
    assert [int(each) for each in f(tf.constant(-3))] == [3, 8]


class Truthful:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __bool__(self) -> Any:
        return self.x > 1


def truth_of_items(x: Any, y: Any) -> Any:
    items = [Truthful(x), Truthful(y)]
    found = any(items), all(items), any(Truthful(each) for each in (x, y))
    kept = [each.x for each in filter(None, items)], [each.x for each in filter(lambda each: each, items)]
    return *found, [each.x for each in items if each], *kept


def test_truth_of_objects_in_built_ins() -> None:
    check(truth_of_items, *PAIRS)


class Vector2(tuple):
    """Its constructor takes the parts one by one."""

    def __new__(cls, *parts: Any) -> Any:
        return super().__new__(cls, parts)

    def __add__(self, other: Any) -> Any:
        return Vector2(*[a + b for a, b in zip(self, other, strict=True)])

    def __mul__(self, factor: Any) -> Any:
        return Vector2(*[a * factor for a in self])


class Pairs(list):
    def __init__(self, *parts: Any) -> None:
        super().__init__(parts)

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, value + 1)


class Tagged(list):
    tag = 0

    def __init__(self, *parts: Any, tag: int) -> None:
        super().__init__(parts)
        self.tag = tag


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Flags(enum.IntFlag):
    A = 1
    B = 2


class Count(int):
    pass


def containers_with_constructors(x: Any, y: Any) -> Any:
    v = Vector2(x, y) + Vector2(1, 2)
    pairs = Pairs(x, 1)
    if x > 0:
        v = v * 2
        pairs = Pairs(y, 3)
    for _ in range(2):
        v = v + (x, y)
    pairs[0] = x
    return list(v), list(pairs), len(v)


def containers_with_attributes(x: Any, y: Any) -> Any:
    tagged = Tagged(x, y, tag=5)
    if x > 1:
        tagged[0] = y
        tagged.tag = 7
    return list(tagged), tagged.tag


def numbers_of_classes(x: Any, y: Any) -> Any:
    return x + Level.HIGH, Flags.A + y, x * Count(3), Flags.A | Flags.B, x == Level.LOW, max(x, Count(2))


@pytest.mark.parametrize("function", [containers_with_constructors, containers_with_attributes, numbers_of_classes])
def test_classes_that_inherit_from_pythons_own(function: Callable[..., Any]) -> None:
    check(function, *PAIRS)


def test_containers_with_constructors_as_arguments() -> None:
    @tf.function
    def f(v: Any, tagged: Any) -> Any:
        return (v * 2)[1], len(v), tagged.tag, tagged[0]

    found = f(Vector2(tf.constant(1), tf.constant(2)), Tagged(tf.constant(4), tag=3))
    assert [int(each) for each in found] == [4, 2, 3, 4]


def test_containers_with_attributes_are_not_merged() -> None:
    @tf.function
    def f(x: Any) -> Any:
        tagged = Tagged(x, tag=5)
        if x > 0:
            tagged = Tagged(x, tag=6)
        return tagged.tag

    with pytest.raises(tf.errors.BranchMismatchError, match="a Tagged has attributes besides its items"):
        f(tf.constant(1))


def test_numbers_of_classes_are_weak() -> None:
    x = tf.constant(1, tf.int8)
    assert (x + Level.LOW).dtype == (x * Count(2)).dtype == tf.function(lambda x: x + Flags.A)(x).dtype == tf.int8
    assert tf.constant(Level.HIGH).dtype == tf.int32 and tf.constant([Level.LOW, Flags.B]).numpy().tolist() == [1, 2]
