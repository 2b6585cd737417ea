"""Comprehensions and generator expressions."""

# ruff: noqa: B018, B023, C4, E731, F541, F821, F841, RUF, SIM

from __future__ import annotations


def list_comprehension(t):
    return [t("element", x + y) for x in t("first", [1, 2]) if t("if", x) for y in t("second", [10, 20]) if y if x > 1]


def set_comprehension(t):
    return {t("e", x % 3) for x in range(5)}, {x for x in ()}


def dict_comprehension(t):
    return {t("key", x): t("value", -x) for x in range(3)}, {k: v for k, v in {"a": 1}.items()}


def dict_comprehension_of_outer(t):
    n = 0

    def key():
        nonlocal n
        n += 1
        return n

    return {key(): n for _ in range(3)}


def comprehension_scope(t):
    x = "outer"
    values = [x for x in [1, 2, 3]]
    return values, x, [x for x in x], {x: x for x in "ab"}


def comprehension_shadow(t):
    iterable, result, list_comp = [1], 2, 3
    return [iterable for iterable in iterable], [result for _ in range(1)], list_comp


def comprehension_targets(t):
    d = {}
    return [(a, rest, d["k"]) for (a, *rest), d["k"] in [((1, 2, 3), 4), ((5,), 6)]], d


def comprehension_late_binding(t):
    return [f() for f in [lambda: x for x in range(3)]], [f() for f in [(lambda y=y: y) for y in range(3)]]


def comprehension_in_comprehension(t):
    matrix = [[1, 2], [3, 4]]
    return [[row[i] for row in matrix] for i in range(2)], [x for row in [r for r in matrix] for x in row]


def comprehension_error(t):
    return [1 // t("x", x) for x in [1, 0, 2]]


def comprehension_in_lambda(t):
    f = lambda xs: [t("x", x) * k for x in xs]
    k = 2
    return f([1, 2])


def comprehension_in_lambda_default(t):
    return (lambda xs=[t("d", d) for d in range(2)]: [x for x in xs])()


def comprehension_in_test(t):
    n = 0
    while [t("m", m) for m in range(2 - n)]:
        n += 1
    return n


def comprehension_in_decorator(t):
    def decorate(values):
        return lambda f: lambda: (values, f())

    @decorate([t("x", x) for x in range(2)])
    def inner():
        return 1

    return inner()


def comprehension_in_class(t):
    class Inner:
        n = 2
        values = [x for x in range(n)]
        pairs = {k: v for k, v in zip("ab", values)}
        total = sum(x for x in values)

        def method(self):
            return [x + 1 for x in self.values if x or 1]

    return Inner.values, Inner.pairs, Inner.total, Inner().method()


def comprehension_of_unbound(t):
    return [later for _ in range(1)]
    later = 1


def comprehension_of_none(t):
    return [x for x in t("none", None)]


def generator_is_lazy(t):
    g = (t("x", x) for x in t("items", [1, 2, 3]) if t("if", x) != 2)
    t("made")
    return next(g), t("between"), list(g), list(g)


def generator_first_iterable_is_eager(t):
    g = (t("x", x) for x in t("none", 5))
    return g


def generator_nested(t):
    g = (t("xy", (x, y)) for x in t("xs", [1, 2]) if t("if", x) for y in t("ys", [x, x + 1]) if y > 1)
    return next(g), t("between"), list(g)


def generator_stops(t):
    return any(t("x", x) for x in [0, 0, 3, 4]), all(t("y", y) for y in [1, 0, 3])


def generator_stops_nested(t):
    return any(t("xy", x * y) > 3 for x in [1, 2, 3] for y in [1, 2, 3])


def generator_consumers(t):
    xs = [3, 1, 2]
    return (
        sum(x for x in xs),
        sum((x for x in xs), 10),
        min((x for x in xs), default=0),
        max((-x for x in []), default=4),
        list(x for x in xs),
        tuple(x for x in xs),
        set(x for x in xs),
        dict((x, x) for x in xs),
        sorted((x for x in xs), key=lambda v: -v, reverse=True),
        ",".join(str(x) for x in xs),
        frozenset(x for x in xs),
    )


def generator_shadowed_consumer(t):
    def sum(values, *more):
        t("own sum")
        return list(values), more

    return sum(t("x", x) for x in [1, 2])


def generator_error_in_the_middle(t):
    return sum(t("x", x) for x in [1, 2, "a", 3])


def generator_late_binding(t):
    fs = [*(lambda: x for x in range(3))]
    nested = list((x + y for y in range(2)) for x in range(2))
    return [f() for f in fs], [list(g) for g in nested]


def generator_nested_consumed(t):
    return [all(t("xy", x > y) for y in [0, 1]) for x in [0, 1, 2]], any(all(x > y for y in [0, 1]) for x in [0, 2])


def generator_stop_iteration(t):
    return list(next(iter([])) for _ in range(2))


def generator_type(t):
    import types

    g = (x for x in [1])
    return isinstance(g, types.GeneratorType), g.__name__, list(map(type, [g]))


def generator_unpacked(t):
    a, *b = (t("x", x) for x in range(3))
    return a, b, [*(x for x in "ab")], max(*(x for x in [1, 5, 2]))


def generator_targets(t):
    return list(a + b for a, b in [(1, 2), (3, 4)]), [*(b for a, (b, *c) in [(1, (2, 3))])]
