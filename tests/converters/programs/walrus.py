"""`:=` wherever it may stand."""

# ruff: noqa: B018, B023, C4, E731, F541, F821, F841, RUF, SIM

from __future__ import annotations

counter = 0


def walrus_in_and(t):
    if t("a", 1) and (n := t("n", 5)) > 3:
        return n
    return None


def walrus_not_reached(t):
    if t("a", 0) and (n := t("n", 5)) > 3:
        pass
    return n


def walrus_nested(t):
    return t("a", 1) and ((b := t("b", 2)) and (c := t("c", b + 1))) and [b, c]


def walrus_in_chain(t):
    return 1 < (x := t("x", 2)) < (y := t("y", x + 1)) < x, x, y


def walrus_in_conditional(t):
    value = (x := t("x", 1)) if (c := t("c", 0)) else (y := t("y", 2))
    return value, c, y


def walrus_in_while(t):
    numbers = [3, 2, 1, 0]
    seen = []
    while numbers and (last := numbers.pop(0)):
        seen.append(last)
    return seen, last


def walrus_in_comprehension(t):
    return [y := t("x", x) for x in range(3)], y


def walrus_in_any(t):
    found = any((hit := x) > 1 for x in [0, 1, 2, 3])
    return found, hit


def walrus_in_nested_comprehension(t):
    return [[z := x + y for y in range(2)] for x in range(2)], z


def walrus_in_comprehension_test(t):
    return [y for x in range(5) if x and (y := t("x", x) * 2) > 3], y


def walrus_global(t):
    global counter
    counter = 0
    values = [counter := counter + x for x in range(4)]
    return values, counter, t("a", 1) and (counter := 9), counter


def walrus_nonlocal(t):
    n = 0

    def inner():
        nonlocal n
        return t("a", 1) and (n := n + 1), [n := n + x for x in range(3)]

    return inner(), inner(), n


def walrus_in_lambda(t):
    f = lambda a: a and (b := a + 1) and [b := b + i for i in range(a)] + [b]
    return f(0), f(3)


def walrus_in_lambda_with_defaults(t):
    f = lambda a, d=t("default", 5), *rest, k=t("keyword", 1), **more: a and (b := a + d) and [b, k, rest, more]
    return f(1), f(1, 2, 3, k=4, z=5), f.__defaults__, f.__kwdefaults__


def walrus_parameter(t, n=4):
    return t("a", 1) and (n := n + 1), n


def walrus_in_message(t):
    assert t("test", 0), (m := t("message", "no"))


def walrus_in_default(t):
    def inner(x=t("a", 1) and (n := 3)):
        return x

    return inner(), n


def walrus_in_elif(t):
    if t("a", 0):
        return 1
    elif t("b", 1) and (n := t("c", 3)):
        return n


def walrus_in_class(t):
    class Inner:
        a = t("a", 1)
        b = a and (c := a + 1)
        d = [a for _ in range(2)] if False else a

    return Inner.b, Inner.c, Inner.d
