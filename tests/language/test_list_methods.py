"""L11, L18: the methods of a list whose length only the run tells; built-in functions over generator expressions."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

import autograph as tf

from .support import check

INPUTS = (np.array([3, 1, 2], np.int32), np.array([1, 5, 9, 5], np.int32), np.array([0], np.int32))

# Statements on a list `v` that begins as [10] and has got the elements of a tensor `xs` that are greater than 1.
PROGRAMS = {
    "pop the first": "a = v.pop(0)\nreturn a, v",
    "pop before the end": "v.append(4)\na = v.pop(-2)\nreturn a, v",
    "pop at a tensor": "v.extend(v)\na = v.pop(xs[0] % 2)\nreturn a, v",
    "insert": "v.insert(0, 7)\nv.insert(1, 8)\nv.insert(-1, 9)\nv.insert(99, 6)\nv.insert(-99, 5)\nreturn v",
    "insert in a loop": "w = []\nfor x in xs:\n    w.insert(0, x)\nreturn w",
    "remove": "v.append(7)\nv.append(7)\nv.remove(7)\nreturn v",
    "reverse": "v.reverse()\nreturn v",
    "sort": "v.sort()\nreturn v",
    "sort reversed": "v.sort(reverse=True)\nreturn v",
    "sort by key": "v.sort(key=lambda x: -x)\nreturn v",
    "clear": "v.clear()\nv.append(4)\nreturn v, len(v)",
    "index": "v.append(7)\nreturn v.index(7), v.index(10), v.index(7, 1), v.index(10, 0, 1)",
    "count": "return v.count(5), v.count(10), v.count(77)",
    "add": "return v + [1, 2], [1] + v + v",
    "multiply": "return v * 2, 3 * v, v * 0 + [1]",
    "slices": "return v[1:] + [0], v[::-1], v[:-1] + [0], v[-1:]",
    "a slice is a list of its own": "w = v[:]\nw.append(9)\nreturn w, v",
    "in": "return 2 in v, 10 in v, 77 not in v",
    "extend": "v.extend([1, 2])\nv.extend(xs)\nreturn v",
    "extend by itself": "v.extend(v)\nv += v\nreturn v",
    "delete": "v.append(1)\ndel v[0]\nreturn v",
    "delete slices": "v.extend([1, 2, 3, 4])\ndel v[-2:]\ndel v[1::2]\nreturn v",
    "queue": "total = 0\nq = [0]\nwhile len(q) > 0:\n    a = q.pop(0)\n    total += a\n    if a < 5:\n"
    "        q.append(a + 1)\n        q.append(a + 2)\nreturn total",
    "elements of parts": "w = []\nfor x in xs:\n    w.insert(0, (x, x * 2.0))\nw.reverse()\na, b = w.pop(0)\n"
    "return a, b, len(w)",
    "max": "return max(x * x for x in xs), max(x for x in v), max([x for x in xs if x >= 0])",
    "min": "return min(x * x for x in xs), min((x for x in v), key=lambda x: -x)",
    "with a default": "return max((x for x in xs if x > 2), default=-1), "
    "min((x for x in xs if x > 4), key=lambda x: -x, default=-2)",
    "sorted": "return sorted(x * x for x in xs), sorted((x for x in v), reverse=True)",
    "sum and list": "return sum(x * x for x in xs if x > 1), list(x + 1 for x in v)",
}


def program(name):
    lines = ["def f(xs):", "    v = [10]", "    for x in xs:", "        if x > 1:", "            v.append(x)"]
    lines += ["    " + line for line in PROGRAMS[name].split("\n")]
    filename, text = f"<list method {name}>", "\n".join(lines)
    linecache.cache[filename] = len(text), None, text.splitlines(True), filename
    namespace = {"tf": tf}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["f"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_in_python(name):
    check(program(name), *INPUTS)


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (lambda values: values.index(77), ValueError, "77 is not in list"),
        (lambda values: values.remove(77), ValueError, "x not in list"),
        (lambda values: values.pop(77), IndexError, "out of range"),
        (lambda values: max(x for x in values if x > 100), ValueError, "empty"),
        (lambda values: min((x for x in values if x > 100), key=lambda x: -x), ValueError, "empty"),
    ],
)
def test_what_is_not_there_is_an_error_at_run_time(action, error, message):
    @tf.function
    def f(xs):
        values = []
        for x in xs:
            if x > 1:
                values.append(x)
        return action(values)

    concrete = f.get_concrete_function(tf.TensorSpec((None,), tf.int32))
    with pytest.raises(error, match=message):
        concrete(tf.constant([1, 2, 3]))


def test_gradients_go_through_moved_elements():
    @tf.function
    def f(xs):
        values = []
        for x in xs:
            values.append(x * x)
        values.insert(1, xs[0])
        values.reverse()
        first = values.pop(0)
        return first * 10.0 + tf.reduce_sum(values[1:])

    xs = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = f(xs)
    assert float(y) == 92.0
    # 10 x2² + x0 + x0², as the reversed rest is x1², x0, x0², of which the first is left out.
    np.testing.assert_allclose(tape.gradient(y, xs).numpy(), [3.0, 0.0, 60.0])


def filled(values, xs):
    for x in xs:
        if x > 1:
            values.append(x)
    return values


def test_a_variable_that_is_not_read_again_is_no_second_name():
    def returned(xs):
        values = [10]
        return filled(values, xs)

    def replaced(xs):
        values = [10]
        values = filled(values, xs)
        values.append(7)
        return values, len(values)

    check(returned, *INPUTS)
    check(replaced, *INPUTS)


def test_a_variable_that_is_read_again_is_a_second_name():
    def after(xs):
        values = [10]
        filled(values, xs)
        return len(values)

    def in_the_next_turn(xs):
        values, total = [10], 0
        for _ in [1, 2]:
            total += len(values)
            filled(values, xs)
        return total

    for function in (after, in_the_next_turn):
        try:
            found = int(tf.function(function)(tf.constant(INPUTS[0])))
        except tf.errors.MutationError as error:
            assert "`values`" in str(error)
        else:
            assert found == function(INPUTS[0])


def slices_of_python_lists(n):
    values, pairs = [10, 20, 30], [(1, 2), (3, 4), (5, 6)]
    rest = values[n:]
    rest.append(n)
    picked = [values[:n], values[n::-1], values[-1:n], list(range(10)[n:])]
    return rest, picked[0], picked[1], picked[2], picked[3], len(values[n:]), [a * b for a, b in pairs[n:]], values


def slices_of_arrays(n):
    values = np.arange(5)
    return values[n:], values[:n], "abcdef"[n:]


@pytest.mark.parametrize("function", [slices_of_python_lists, slices_of_arrays])
def test_slices_that_a_tensor_bounds(function):
    check(function, 0, 1, 2, 7, -1, -7)


@pytest.mark.parametrize(
    ("values", "message"), [("([1], 2)", "whose items are lists"), ("[[1], [2]]", "whose items are lists")]
)
def test_slices_that_a_graph_cannot_hold_are_refused(values, message):
    source = f"def f(n):\n    values = {values}\n    return values[n:]\n"
    filename = f"<{message}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    namespace = {}
    exec(compile(source, filename, "exec"), namespace)
    with pytest.raises(tf.errors.StagedValueError, match=message) as caught:
        tf.function(namespace["f"])(tf.constant(1))
    assert caught.value.line == 3 and caught.value.remedy
