"""L01, L05, L07, L08, L09: conditions of every kind on graph tensors."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import autograph as tf

from .support import as_python, check


def test_if_elif_else():
    def sign(x):
        if x > 0:
            return 1
        elif x < 0:
            return -1
        else:
            return 0

    check(sign, 5, -3, 0)


def test_if_without_else_and_early_return():
    def f(x):
        if x < 0:
            return -x
        y = x * 2
        if y > 10:
            y = 10
        return y

    check(f, -4, 3, 30)


def test_conditional_expression():
    check(lambda x: x * 2 if x > 1 else x - 1, 5, 0)


def test_boolean_operators_are_lazy():
    def f(x, y):
        if y != 0 and x // y > 2:
            return 1
        if not (x > 0 or y > 0):
            return 2
        return 3

    check(f, (9, 2), (9, 0), (-1, 0), (1, 1))


def test_boolean_operators_keep_python_values():
    @tf.function
    def f(x):
        assert (0 or "b") == "b" and (1 and "c") == "c" and ([] or None) is None
        return x

    f(tf.constant(1))


def test_chained_comparison_and_equality():
    def f(x):
        if 0 < x <= 5:
            return 1
        if x == 7 or x != 8 and x > 20:
            return 2
        return 3

    check(f, 0, 3, 5, 7, 8, 21)


def test_in_and_not_in():
    def f(x, values):
        if x in (1, 3, 5):
            return 10
        if x not in values:
            return 20
        return 30

    check(f, (1, np.array([2, 4])), (2, np.array([2, 4])), (9, np.array([2, 4])))


def test_match_values_guards_and_alternatives():
    def f(x):
        match x:
            case 0:
                return 10
            case 1 | 2:
                return 20
            case y if y > 100:
                return y
            case _:
                return 30

    check(f, 0, 1, 2, 101, 50)


def test_a_number_matches_no_text_inside_of_a_pattern():
    def f(n):
        match (n, [n]):
            case ("a", _) | (_, [b"b"]):
                return 1
            case (2, _):
                return 2
        return 3

    check(f, 1, 2)


def test_match_structure_of_tensors():
    def f(x, y):
        match {"point": (x, y)}:
            case {"point": (0, b)}:
                return b
            case {"point": (a, b)} if a > b:
                return a - b
            case {"point": [a, _]}:
                return a
        return -1

    check(f, (0, 5), (7, 2), (3, 4))


def test_variable_set_in_one_branch():
    def f(x):
        if x > 0:
            y = x * 2
        else:
            z = x - 1
        if x > 0:
            return y
        return z

    check(f, 3, -3)


def test_reading_an_unset_variable_is_a_run_time_error_that_names_it():
    @tf.function
    def f(x):
        if x > 0:
            y = x * 2
        return y + 1

    assert f(tf.constant(2)).numpy() == 5
    with pytest.raises(tf.errors.UndefinedVariableError, match="y"):
        f(tf.constant(-2))


def test_none_before_the_loop():
    def best(xs):
        best = None
        for x in xs:
            if best is None or x > best:
                best = x
        return best

    check(best, np.array([3, 9, 2]), np.array([-5, -7, -1]))


def test_none_in_one_branch():
    def f(x):
        y = None
        if x > 0:
            y = x
        if y is None:
            return -1
        return y

    check(f, 4, -4)


def test_dtypes_promote_across_branches():
    @tf.function
    def f(x):
        y = 1
        if x > 0:
            y = 2.5
        return y

    assert f(tf.constant(1)).numpy() == 2.5
    assert f(tf.constant(-1)).numpy() == 1.0


def test_shapes_relax_across_branches():
    def f(x):
        y = np.zeros((2, 3), np.float32)
        if x > 0:
            y = np.ones((4, 3), np.float32)
        return y * 2

    check(f, 1, -1)


def test_structures_across_branches():
    def f(x):
        state = {"a": (1, [2, x])}
        if x > 0:
            state = {"a": (x, [x * 2, 3])}
        return state

    check(f, 1, -1)


def test_branches_that_do_not_fit_are_refused_with_the_name():
    @tf.function
    def f(x):
        if x > 0:
            y = (1, 2)
        else:
            y = {"a": 1}
        return y

    with pytest.raises(tf.errors.BranchMismatchError, match="y") as caught:
        f(tf.constant(1))
    assert "test_branches.py" in str(caught.value)


def test_python_conditions_stay_python():
    @tf.function
    def f(x, flag):
        if flag:
            return {"a": x}
        return [x]

    assert as_python(f(tf.constant(1), True)) == {"a": 1}
    assert as_python(f(tf.constant(1), False)) == [1]


def test_nested_branches_fifty_deep():
    body = "def f(x):\n    y = 0\n"
    for depth in range(18):
        body += "    " * (depth + 1) + f"if x > {depth}:\n" + "    " * (depth + 2) + f"y = {depth + 1}\n"
    body += "    return y\n"
    import linecache

    linecache.cache["<deep>"] = (len(body), None, body.splitlines(True), "<deep>")
    namespace: dict = {}
    exec(compile(body, "<deep>", "exec"), namespace)
    check(namespace["f"], 0, 5, 100)


def test_walrus_in_a_condition():
    def f(x):
        if (y := x * 2) > 4:
            return y
        if x > 0 and (z := x + 1) > 1:
            return z
        return y - 1

    check(f, 5, 1, -1)


@pytest.mark.parametrize("leave", ["r = n * {}", "return n * {}"])
def test_a_long_chain_of_elifs(leave):
    """Python's limit of recursion doesn't bound it: each `elif` stands in the `else` of the one before."""
    import linecache

    count = 220
    lines = ["def f(n):", "    r = -1"]
    for number in range(count):
        lines += [f"    {'el' if number else ''}if n == {number}:", "        " + leave.format(number)]
    source = "\n".join([*lines, "    return r\n"])
    name = f"<chain {leave}>"
    linecache.cache[name] = len(source), None, source.splitlines(True), name
    namespace = {}
    exec(compile(source, name, "exec"), namespace)
    check(namespace["f"], 0, 3, count - 1, count)


class Best(NamedTuple):
    value: Any
    name: Any
    flag: Any
    missing: Any
    checked: Any


def attributes_of_what_may_be_none(x):
    best = None
    if x > 0:
        best = Best(x, x + 1, x + 2, x + 3, x + 4)
    if x > 2:
        other = Best(x, x * 2, x * 3, x * 4, x * 5)
    if best is None:
        return 0
    total = best.value + 10 * best.name + 100 * best.flag + 1000 * best.missing + 10000 * best.checked
    return total + other.value - other.name * other.flag + other.missing + other.checked if x > 2 else total


def test_attributes_of_what_may_be_none_are_those_of_the_value() -> None:
    check(attributes_of_what_may_be_none, 0, 1, 3)


@pytest.mark.parametrize("name", ["value", "mismatch"])
def test_attributes_of_a_truth_are_refused(name: str) -> None:
    class Box:
        pass

    with pytest.raises(tf.errors.BranchMismatchError):
        tf.function(lambda x: getattr(x > 0 and Box(), name))(tf.constant(1))


def test_a_long_chain_of_conditional_expressions():
    import linecache

    count = 220
    chain = " else ".join(f"{number + 7} if n == {number}" for number in range(count))
    source, name = f"def f(n):\n    return {chain} else -1\n", "<chain of expressions>"
    linecache.cache[name] = len(source), None, source.splitlines(True), name
    namespace = {}
    exec(compile(source, name, "exec"), namespace)
    check(namespace["f"], 0, 3, count - 1, count)
