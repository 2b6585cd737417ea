"""L07, L13: keys of dicts that a branch or loop adds or deletes, and that only some runs have."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import pytest

import autograph as tf

from .support import as_python, assert_same, check

CASES: list[Callable[..., Any]] = []


def case(function: Callable[..., Any]) -> Callable[..., Any]:
    CASES.append(function)
    return function


@case
def is_in(x):
    d = {}
    if x > 0:
        d["k"] = x
    return "k" in d, "k" not in d, "j" in d


@case
def get_with_and_without_default(x):
    d = {"a": 1}
    if x > 0:
        d["k"] = x
    best = d.get("k")
    return d.get("k", -1), d.get("a", 0), d.get("z", 7), best is None


@case
def length_and_truth(x):
    d = {}
    if x > 0:
        d["k"] = x
    if x > 1:
        d["j"] = x
    result = 0
    if d:
        result = 1
    return len(d), result, not d, bool(d)


@case
def both_branches_add(x):
    d = {}
    if x > 0:
        d["k"] = x
    else:
        d["j"] = -x
    return d.get("k", 0), d.get("j", 0), len(d), "k" in d


@case
def read_where_it_is_there(x):
    d = {}
    if x > 0:
        d["k"] = x
    if "k" in d:
        return d["k"] + 1
    return 0


@case
def added_to(x):
    d = {}
    if x > 0:
        d["k"] = 10
    if x > 1:
        d["k"] += x
    return d.get("k", 0)


@case
def deleted(x):
    d = {"k": 1, "a": 2}
    if x > 0:
        del d["k"]
    return d.get("k", 5), d["a"], len(d)


@case
def popped(x):
    d = {"k": 1}
    first = 0
    if x > 0:
        first = d.pop("k")
    second = d.pop("k", 9)
    return first, second, len(d)


@case
def set_default(x):
    d = {}
    if x > 0:
        d["k"] = x
    return d.setdefault("k", 7), d["k"], d.setdefault("k", 8), d.setdefault("z", 3), d


@case
def set_default_in_a_branch(x):
    d = {"a": 1}
    if x > 0:
        d.setdefault("k", x)
        d.setdefault("a", x)
    return d.get("k", 0), d["a"]


@case
def updated(x):
    d, other = {}, {"a": 1}
    if x > 0:
        d.update({"k": x}, j=2)
    if x > 1:
        other["k"] = 5
    d.update(k=d.get("k", 0))
    d.update(other) if x is None else d.update({"a": 3})
    return d["k"], d["a"], d.get("j", 0)


@case
def updated_by_one_with_keys_of_some_runs(x):
    d, other = {"k": 1}, {"a": 1}
    if x > 0:
        other["k"] = x
    d.update(other)
    return d


@case
def united(x):
    d, other = {"k": 1}, {"a": 1}
    if x > 0:
        other["k"] = x
    made = d | other
    d |= {"z": 2}
    return made, d, len(other)


@case
def cleared(x):
    d = {"k": 1}
    if x > 0:
        d.clear()
    return len(d), "k" in d


@case
def cleared_afterwards(x):
    d = {}
    if x > 0:
        d["k"] = 1
    d.clear()
    d["j"] = x
    return d


@case
def copied(x):
    d = {}
    if x > 0:
        d["k"] = 1
    other = d.copy()
    other["k"] = 2
    return d.get("k", 0), other


@case
def whole_again(x):
    d = {"a": 1}
    if x > 0:
        d["k"] = x
    d["k"] = 5
    total = 0
    for key in d:
        total += d[key]
    return d, total, list(d.values()), sorted(d), [key for key, _ in d.items()]


@case
def first_in_a_loop(n):
    d = {}
    while n > 0:
        d["last"] = n
        n -= 1
    return d.get("last", -1), len(d)


@case
def counted_in_a_loop(n):
    d = {}
    while n > 0:
        if n % 2 == 0:
            d["even"] = d.get("even", 0) + 1
        else:
            d["odd"] = d.get("odd", 0) + 1
        n -= 1
    return d.get("even", 0), d.get("odd", 0), "even" in d


@case
def asked_in_a_loop(n):
    d = {}
    for i in tf.range(n):
        if "first" not in d:
            d["first"] = i + 5
        else:
            d["first"] += 1
    return d.get("first", 0)


@case
def taken_away_in_a_loop(n):
    d = {"a": 1}
    while n > 0:
        if "a" in d:
            del d["a"]
        else:
            d["a"] = n
        n -= 1
    return d.get("a", 0), len(d)


@case
def in_nested_loops(n):
    d = {}
    for i in tf.range(n):
        for j in tf.range(i):
            d["j"] = d.get("j", 0) + j
        if i > 1:
            d["i"] = i
    return d.get("i", -1), d.get("j", -1)


class Box:
    def __init__(self):
        self.table = {}

    def put(self, key, value):
        self.table[key] = value

    def take(self, key):
        return self.table.get(key, -5)


@case
def of_an_object(x):
    box = Box()
    if x > 0:
        box.put("k", x)
    return box.take("k"), "k" in box.table, len(box.table)


@case
def of_two_names(x):
    d = {}
    e = d
    if x > 0:
        d["k"] = x
    e["j"] = 2
    return d["j"], e.get("k", 0), d is e, len(e)


@case
def of_an_attribute_and_a_name(x):
    box = Box()
    table = box.table
    if x > 0:
        table["k"] = x
    box.table["j"] = 1
    return table["j"], box.take("k"), table is box.table


@case
def inside_of_a_list_of_an_object(x):
    box = Box()
    box.parts = [{"a": 1}, {}]
    inner = box.parts[1]
    if x > 0:
        box.parts[1]["k"] = x
    return inner.get("k", 0), len(box.parts[1]), box.parts[0]["a"]


@case
def inside_of_a_dict(x):
    d = {"inner": {}, "n": 0}
    if x > 0:
        d["inner"]["k"] = x
        d["n"] += 1
    return d["inner"].get("k", 0), d["n"], "k" in d["inner"]


@case
def inside_of_a_dict_with_keys_of_some_runs(x):
    d = {}
    if x > 0:
        d["inner"] = {"k": x}
    if x > 1:
        d["inner"]["k"] += 1
        d["inner"]["j"] = 3
    return d.get("inner", {"k": 0})["k"]


@case
def through_a_closure(x):
    d = {}

    def put(value):
        d["k"] = value

    def has():
        return "k" in d

    if x > 0:
        put(x)
    return has(), d.get("k", 0)


def put_into(table, value):
    if value > 0:
        table["k"] = value


@case
def through_a_helper_with_a_branch(x):
    d = {}
    put_into(d, x)
    return d.get("k", 0)


@case
def values_of_several_dtypes(x):
    d = {"a": 1, "s": "text"}
    if x > 0:
        d["a"] = 2.5
        d["k"] = None
        d["t"] = (x, 1)
    return d["a"], d.get("k", 3) is None, d.get("t", (0, 0))[0], d["s"]


@case
def number_keys(x):
    d = {0: 1}
    if x > 0:
        d[1] = x
        d[(2, 3)] = x
    return d.get(1, 0), d[0], (2, 3) in d, len(d)


@case
def is_a_dict(x):
    d = {}
    if x > 0:
        d["k"] = x
    return isinstance(d, dict), isinstance(d, list)


@pytest.mark.parametrize("function", CASES, ids=lambda function: function.__name__)
def test_keys_of_some_runs(function: Callable[..., Any]) -> None:
    check(function, -1, 0, 1, 2, 5)


def reads(x):
    d = {}
    if x > 0:
        d["k"] = x
    return d["k"]


def deletes(x):
    d = {1: 0}
    if x > 0:
        del d[1]
    del d[1]
    return x


def pops_after_a_loop(n):
    d = {}
    while n > 1:
        d["k"] = n
        n -= 1
    return d.pop("k")


@pytest.mark.parametrize(("function", "with_key"), [(reads, 1), (deletes, -1), (pops_after_a_loop, 2)])
def test_a_missing_key_is_an_error_of_the_run(function: Callable[..., Any], with_key: int) -> None:
    staged = tf.function(function)
    assert int(staged(tf.constant(with_key))) == function(with_key)
    without = 1 if function is deletes else -1
    with pytest.raises(KeyError) as expected:
        function(without)
    with pytest.raises(KeyError) as actual:
        staged(tf.constant(without))
    assert actual.value.args == expected.value.args


def test_what_needs_all_keys_is_refused_by_name() -> None:
    def loops(d):
        return [d[key] for key in d]

    def unpacks(d):
        return {**d}

    def prints(d):
        return f"{d}"

    def compares(d):
        return d == {}

    def returns(d):
        return d

    def reorders(d):
        d["z"] = 1
        d["k"] = 2
        return list(d)

    for use in (loops, unpacks, prints, compares, returns, reorders, lambda d: list(d.items()), lambda d: sorted(d)):

        def f(x, use=use):
            table = {"a": 1}
            if x > 0:
                table["k"] = x
            return use(table)

        with pytest.raises(
            tf.errors.StagedValueError, match="has the key 'k' in some runs|order that varies|may lack keys"
        ) as caught:
            tf.function(f)(tf.constant(1))
        assert caught.value.file == __file__


def test_a_default_argument_and_a_tuple_hold_the_dict() -> None:
    def f(x):
        d = {}

        def put(value, table=d):
            table["n"] = value

        if x > 0:
            d["k"] = 1
        put(x)
        return d["n"], d.get("k", 0), len(d)

    def g(x):
        pair = ({}, 1)
        if x > 0:
            pair[0]["k"] = 1
        return len(pair[0]), pair[0].get("k", 5)

    for function in (f, g):
        check(function, 1, 0, 3, -1)


LOOKS = {
    "keys": (dict.keys, r"keys\(\)"),
    "values": (dict.values, r"values\(\)"),
    "items": (dict.items, r"items\(\)"),
    "mappingproxy": (types.MappingProxyType, "iteration"),
    "slice": (slice, "iteration"),
}


@pytest.mark.parametrize("name", LOOKS)
def test_a_view_that_is_kept_sees_the_change(name: str) -> None:
    look, what = LOOKS[name]

    def keys(x):
        table = {"a": x}
        kept = look(table)
        if x > 0:
            table["k"] = 1
        return len(list(kept.stop if look is slice else kept))

    def values(x):
        table = {"a": x}
        kept = look(table)
        if x > 0:
            table["a"] = 7
        return list(kept.stop if look is slice else kept), table

    with pytest.raises(tf.errors.StagedValueError, match=f"the dict `table` has the key 'k' in some runs only; {what}"):
        tf.function(keys)(tf.constant(1))
    check(values, 1, 0, -1)


def test_what_a_view_that_is_kept_is_asked() -> None:
    def f(x):
        table = {"a": 1}
        keys, proxy, held = table.keys(), types.MappingProxyType(table), [table.keys()]
        if x > 0:
            table["k"] = x
        found = 2 if "k" not in held[0] else 1
        return "k" in keys, "j" in keys, "k" in proxy, proxy.get("k", -1), found, isinstance(proxy, dict)

    check(f, 1, 0)

    def values(x):
        table = {"a": 1, "b": 2}
        values, items, proxy = table.values(), table.items(), types.MappingProxyType(table)
        if x > 0:
            table["a"] = x
        return x in values, 1 in values, ("a", 1) in items, ("a", x) in items, ("c", 1) in items, proxy["a"]

    check(values, 2, 0, 5)

    def staged_values(x):
        table = {"a": x}
        return x in table.values(), x + 1 in table.values(), ("a", 5) in table.items()

    check(staged_values, 2, 5)


HELD = {"a": 1}
HELD_KEYS = HELD.keys()
HELD_PROXY = types.MappingProxyType(HELD)


def test_a_view_of_a_dict_outside_sees_the_change() -> None:
    def f(x):
        if x > 0:
            HELD["k"] = x
        return "k" in HELD_KEYS, HELD_PROXY.get("k", -1)

    staged = tf.function(f)
    assert_same(as_python(staged(tf.constant(0))), (False, -1))
    assert_same(as_python(staged(tf.constant(3))), (True, 3))
    assert_same(as_python(staged(tf.constant(0))), (True, 3))


ASKED = {
    "and": lambda view: view & {"k"},
    "difference": lambda view: view - {"a"},
    "isdisjoint": lambda view: view.isdisjoint({"k"}),
    "equal": lambda view: view == {"a"},
    "subset": lambda view: view <= {"a"},
    "reflected": lambda view: {"k"} | view,
    "length": len,
    "reversed": lambda view: list(reversed(view)),
    "for": lambda view: [each for each in view],
    "truth": bool,
}


@pytest.mark.parametrize("name", ASKED)
def test_what_needs_all_keys_of_a_view_is_refused(name: str) -> None:
    ask = ASKED[name]

    def f(x):
        table = {"a": 1}
        view = table.keys()
        if x > 0:
            table["k"] = x
        ask(view)
        return x

    with pytest.raises(tf.errors.StagedValueError, match="the dict `table` has the key 'k' in some runs only"):
        tf.function(f)(tf.constant(1))


def test_an_iterator_over_values_that_are_changed_afterwards_is_refused() -> None:
    def f(x):
        table = {"a": 1}
        kept = iter(table.values())
        if x > 0:
            table["k"] = 5
        return next(kept)

    with pytest.raises(tf.errors.MutationError, match="the dict `table` is changed .* iterator of Python runs over it"):
        tf.function(f)(tf.constant(1))


def test_an_iterator_over_a_dict_that_is_changed_afterwards_is_refused() -> None:
    def f(x):
        table = {"a": x}
        kept = iter(table)
        if x > 0:
            table["k"] = 1
        return len(list(kept))

    with pytest.raises(tf.errors.MutationError, match="the dict `table` is changed .* iterator of Python runs over it"):
        tf.function(f)(tf.constant(1))


def test_a_dict_of_the_caller() -> None:
    def f(d, x):
        if x > 0:
            d["k"] = x
        return d.get("k", 0)

    d = {"a": tf.constant(1)}
    with pytest.raises(ValueError, match="modified: d$"):
        tf.function(f)(d, tf.constant(1))
    assert list(d) == ["a"]


OUTSIDE: dict[str, Any] = {}


def adds_outside(x):
    if x > 1:
        OUTSIDE["k"] = x
    return OUTSIDE.get("k", -1)


def counts_outside(x):
    if "n" not in OUTSIDE:
        OUTSIDE["n"] = 0
    OUTSIDE["n"] += x
    return OUTSIDE["n"]


def toggles_outside(x):
    if "n" in OUTSIDE:
        OUTSIDE.pop("n")
    elif x > 0:
        OUTSIDE["n"] = x
    return len(OUTSIDE)


@pytest.mark.parametrize("function", [adds_outside, counts_outside, toggles_outside])
def test_a_dict_that_outlives_the_function(function: Callable[..., Any]) -> None:
    def runs(called: Callable[..., Any]) -> list[Any]:
        OUTSIDE.clear()
        seen = []
        for x in (1, 3, 2, -1, 2):
            seen.append(as_python([called(tf.constant(x)), dict(OUTSIDE)]))
        return seen

    assert_same(runs(tf.function(function)), runs(function))


def test_an_error_in_the_middle_leaves_the_dicts_as_they_were() -> None:
    box = Box()
    box.table["a"] = 1

    @tf.function
    def f(x):
        table = box.table
        if x > 0:
            table["k"] = x
        box.put("j", x)
        raise NotImplementedError("later")

    for _ in range(2):
        with pytest.raises(NotImplementedError):
            f(tf.constant(1))
        assert box.table == {"a": 1} and type(box.table) is dict
