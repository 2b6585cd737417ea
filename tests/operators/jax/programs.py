"""Functions with Python control flow, each with arguments for it: what Python does with them, JAX has to do."""

from __future__ import annotations

from typing import Any, NamedTuple

PROGRAMS: list[Any] = []


def on(*arguments: Any) -> Any:
    """Notes a program, to be run on each of some arguments (one, or a tuple of several)."""

    def note(function: Any) -> Any:
        PROGRAMS.extend((function, each if type(each) is tuple else (each,)) for each in arguments)
        return function

    return note


@on(1, 7, 27)
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@on(-3.0, 0.0, 5.0, 50.0)
def elif_chain(x):
    if x < 0:
        return -1
    elif x == 0:
        return 0
    elif x < 10:
        return 1
    return 2


@on(3.0, -3.0, -7.0, 42.0)
def chained(x):
    y = 0
    if 0 < x < 10:
        y = 1
    elif not x > -5 or x == 42:
        y = 2.5
    return y


@on(3.0, -3.0, 0.0)
def values_of_operators(x):
    y = x and x + 1
    z = x or x - 1
    return y, z, (x if x > 0 else -x)


@on((3.0, 10), (3.0, 2), (3.0, 0))
def early_return(x, n):
    for i in range(n):
        x = x * 2
        if x > 100:
            return x, i
    return x, -1


@on((3.0, 4), (3.0, 9), (1.0, 0))
def nested(x, n):
    total = 0.0
    for i in range(n):
        for j in range(i):
            if j % 2 == 0:
                continue
            if total > 20:
                return total, i, j
            total = total + x
    return total, -1, -1


@on(([1.0, -2.0, 3.0, 4.0, 5.0], 3.5), ([1.0, -2.0], 3.5))
def over_an_array(xs, limit):
    total = 0.0
    for x in xs:
        if x < 0:
            continue
        total = total + x
        if total > limit:
            break
    else:
        total = -total
    return total


@on((1, 10), (10, 1), (-3, 3))
def ranges(n, m):
    total = 0
    for i in range(n, m):
        total = total + i
    for i in range(m, n, -2):
        total = total * 2 + i
    for i in range(n, m, 3):
        if i == 5:
            continue
        total = total + i
        if total > 30:
            break
    return total


@on(4, 40)
def a_range_of_python(x):
    y = 0
    for v in range(1, 9, 2):
        if v > x:
            break
        y = v
    else:
        y = -1
    return y


@on(2, 5)
def a_list_of_python(x):
    y = 0
    for v in [1, 2, 3, 4]:
        if v > x:
            break
        y = v
    return y


@on(3.0)
def endless(x):
    while True:
        x = x * 2
        if x > 100:
            break
    return x


@on(3.0, 60.0)
def test_that_sets_a_variable(x):
    n = 0
    while (y := x * 2) < 50:
        x = y
        n += 1
    return x, y, n


@on(3.0, 60.0)
def test_that_sets_a_variable_with_break(x):
    n = 0
    while (y := x * 2) < 50:
        x = y
        n += 1
        if n == 2:
            break
    return x, y, n


@on(3, 0)
def helper_that_sets_a_variable(x):
    n = x

    def more(by):
        nonlocal n
        n = n + by

    for i in range(x):
        more(i)
    if n > 3:
        more(100)
    return n


@on(([0.0, 1.0, 2.0],))
def first_set_in_the_loop(xs):
    for x in xs:
        y = x * 2
    return y


class Pair(NamedTuple):
    """State of a program."""

    value: Any
    count: Any


@on(1.0, 20.0)
def tuples(x):
    state = Pair(x, (0, x))
    while state.value < 10:
        state = Pair(state.value * 2, (state.count[0] + 1, state.value))
    return state


@on(1.0, 200.0)
def dicts(x):
    state = {"value": x, "steps": 0}
    while state["value"] < 100:
        state = {**state, "value": state["value"] * 2, "steps": state["steps"] + 1}
    return state


@on(1.0, -1.0)
def new_lists(x):
    if x > 0:
        values = [x, 1]
        same = values
    else:
        values = [x * 2, 2]
        same = values
    same.append(3)
    return values


@on(1.0, -1.0)
def list_of_a_branch(x):
    if x > 0:
        values = []
        values.append(x)
        values.append(x * 2)
        y = sum(values[1:], values[0])
    else:
        y = x
    return y


@on(([1.0, 2.0, 3.0], 2.5))
def turns_that_append(xs, limit):
    squares = []
    for x in xs:
        squares.append(x * x if x < limit else x)
    return squares, [x + 1 for x in xs]


@on(2, 5)
def membership(x):
    return 1 if x in (1, 2, 3) else 0


@on(-1.0, 1.0)
def caught_in_the_function(x):
    try:
        assert x > 0
    except AssertionError:
        return -x
    return x + 1


@on(5.0, 0.5, 7.0)
def matched(x):
    match x:
        case 5.0:
            return 1
        case _ if x > 6:
            return 2
        case _:
            return 3


@on(3, 12)
def swapped(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a
