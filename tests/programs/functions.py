"""Plain functions; each is a test in every mode. Drop one in and it is tried.

A function's defaults are its arguments. It is called as it is and in both converted forms, and its values must agree;
then through `autograph.function` with tensors in the place of numbers and lists of numbers. A function whose name
begins with `plain_` is tried on Python values only.
"""

from __future__ import annotations

import contextlib
import functools


def collatz(n=27):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def early_returns(x=3, y=-2):
    if x > 10:
        return x
    if y > 0:
        if x > y:
            return x - y
        return y - x
    return x * y


def return_in_nested_loops(n=5, wanted=6):
    for i in range(1, n):
        for j in range(1, n):
            if i * j == wanted:
                return i * 10 + j
    return -1


def break_and_else(n=15):
    for d in range(2, n):
        if n % d == 0:
            smallest = d
            break
    else:
        smallest = n
    return smallest


def return_without_value(n=5, wanted=3):
    for i in range(n):
        for j in range(i):
            if i * j == 4 * wanted:
                return
        if i == wanted:
            return i
    return -1


def while_else(n=6):
    found = 0
    while n > 0:
        n -= 2
        if n == 1:
            found = 1
            break
    else:
        found = 2
    return found, n


def continue_in_loops(n=9):
    total = 0
    for i in range(n):
        if i % 3 == 0:
            continue
        j = 0
        while j < i:
            j += 1
            if j % 2:
                continue
            total += j
    return total


def while_true(x=100):
    turns = 0
    while True:
        if x < 3:
            break
        x = x // 2
        turns += 1
    return turns, x


def greatest_common_divisor(a=84, b=36):
    while b:
        a, b = b, a % b
    return a


def gray_code(n=13):
    bits = 0
    place = 1
    while n > 0:
        low, n = n % 2, n // 2
        bits += place * (1 if low != n % 2 else 0)
        place *= 2
    return bits


def boolean_operators(x=2, y=5):
    count = 0
    if x > 0 and y > 0:
        count += 1
    if x > 3 or y > 3:
        count += 10
    if not (x > y or x == y):
        count += 100
    return count


def lazy_division(x=0, y=7):
    return y // x if x != 0 and y // x > 1 else -1


def chained_comparisons(x=3):
    return (1 < x < 5) + 2 * (x <= 3 < x + 1) + 4 * (0 < x != 2)


def membership(x=3):
    if x in (1, 2, 3):
        return 1
    return 2 if x not in (4, 5) else 3


def ternaries(x=4):
    return (x if x > 2 else -x) + (1 if x % 2 else 2 if x % 3 else 3)


def walrus(n=10):
    total = 0
    while (half := n // 2) > 0:
        total += half
        n = half
    return total + (n := n + 5) + n


def first_best(values=(3, 9, 2, 9, 4)):
    best = None
    for x in values:
        if best is None or x > best:
            best = x
    return best


def growing_list(n=6):
    squares = []
    for i in range(n):
        if i % 2 == 0:
            squares.append(i * i)
    return sum(squares)


def sieve(values=(1, 1, 1, 1, 1, 1, 1, 1, 1, 1)):
    flags = list(values)
    total = 0
    for i in range(2, len(flags)):
        if flags[i]:
            total += i
            for j in range(2 * i, len(flags), i):
                flags[j] = 0
    return total


def comprehension(values=(4, -1, 3)):
    return sum([x * x for x in values if x > 0])


def comprehension_of_branches(values=(4, -1, 3)):
    return [x if x > 0 else -x for x in values]


def enumerate_and_zip(values=(5, 3, 8)):
    total = 0
    for i, (x, y) in enumerate(zip(values, reversed(values))):
        if x > y:
            total += i * x
    return total


def match_values(x=2):
    match x:
        case 0:
            return 10
        case 1 | 2:
            result = 20
        case n if n < 0:
            result = -n
        case _:
            result = 30
    return result + 1


def match_structures(x=2, y=3):
    total = 0
    for item in ((x, y), [x], {"key": y}):
        match item:
            case (a, b):
                total += a * b
            case [a]:
                total += a
            case {"key": value}:
                total -= value
    return total


def nested_function(n=5):
    total = 0

    def add(x):
        nonlocal total
        if x > 2:
            total += x
        return total

    for i in range(n):
        add(i)
    return total


def lambdas(x=4):
    pair = (lambda a: a + 1 if a > 3 else a - 1, lambda a, b=2: a * b if a < b else a)
    return pair[0](x) * 10 + pair[1](x)


def helper_that_returns_early(x, limit=3):
    while x > limit:
        x -= limit
        if x == 4:
            return 40
    return x


def calls(n=11):
    return helper_that_returns_early(n) + helper_that_returns_early(n, limit=2)


def power(x=3, n=5):
    result = 1
    while n > 0:
        if n % 2 == 1:
            result = result * x
        x = x * x
        n = n // 2
    return result


def state_in_tuples(n=10):
    pair = (0, 1)
    for _ in range(n):
        pair = (pair[1], pair[0] + pair[1])
    return pair


def state_in_dictionaries(n=4):
    state = {"even": 0, "odd": 0}
    for i in range(n):
        if i % 2 == 0:
            state["even"] += i
        else:
            state["odd"] += i
    return state["even"] * 100 + state["odd"]


class Counter:
    def __init__(self):
        self.count = 0

    def step(self, x):
        if x > 1:
            self.count += x
            return self.count
        self.count -= 1
        return 0


def state_in_objects(n=5):
    counter = Counter()
    last = 0
    for i in range(n):
        last = counter.step(i)
    return counter.count, last


def number_changes_kind(n=3):
    x = 1
    for _ in range(n):
        x = x / 2
    return x


def set_in_one_branch(x=5):
    if x > 3:
        y = x * 2
    else:
        y = 0
        z = 1
    if x > 3:
        z = y
    return y + z


def plain_try_in_loop(items=(1, 0, "a", None, 4)):
    seen = []
    for x in items:
        try:
            if x is None:
                continue
            seen.append(10 // x)
        except ZeroDivisionError:
            seen.append("zero")
            continue
        except TypeError as error:
            seen.append(type(error).__name__)
            if len(seen) > 5:
                break
        else:
            seen.append("fine")
        finally:
            seen.append("end")
    return seen


def plain_returns_through_finally(x=1):
    log = []

    def inner():
        for i in range(3):
            try:
                if i == x:
                    return i
            finally:
                log.append(i)
        return None

    return inner(), log


def plain_with_and_return(names=("a", "b")):
    log = []

    @contextlib.contextmanager
    def entered(name):
        log.append(f"+{name}")
        try:
            yield name.upper()
        finally:
            log.append(f"-{name}")

    def inner():
        for name in names:
            with entered(name) as upper:
                if upper == "B":
                    return upper
        return None

    return inner(), log


def plain_generators(n=6):
    def odd(limit):
        i = 0
        while i < limit:
            i += 1
            if i % 2 == 0:
                continue
            if (yield i) == "stop":
                return "stopped"
        return "done"

    def both():
        result = yield from odd(n)
        yield result

    return list(both()), sum(x for x in odd(n) if x != 3)


def plain_late_binding(n=3):
    functions = []
    for i in range(n):
        functions.append(lambda j=i: (i, j) if j else i)
    return [f() for f in functions]


def plain_deletes(mapping=(("a", 1), ("b", 2))):
    table = dict(mapping)
    for key in list(table):
        if table[key] == 1:
            del table[key]
    key = 3
    del key
    try:
        return key  # noqa: F821
    except UnboundLocalError:
        return table


def plain_cached_recursion(n=20):
    @functools.lru_cache
    def fib(k):
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    return fib(n)


def plain_class_inside(x=3):
    class Point:
        if x > 2:
            kind = "far"
        else:
            kind = "near"

        def __init__(self, x):
            self.__x = x

        def shifted(self, by):
            return Point(self.__x + by) if by else self

        def __eq__(self, other):
            return isinstance(other, Point) and self.__x == other.__x

    return Point.kind, Point(x).shifted(2) == Point(x + 2), Point(x).shifted(0) == Point(4)
