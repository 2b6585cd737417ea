"""Control flow as functions, eager and staged: what TensorFlow gives (noted from TensorFlow 2.21), and its refusals."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import BranchMismatchError, InvalidArgumentError, MutationError, StagedValueError

c = tf.constant
MATRIX = [[1.0, 2.0], [3.0, 4.0]]
FLOAT, INT = "float32", "int32"


def double_while_small(i: Any, m: Any) -> Any:
    return [i + 1, tf.concat([m, m], 0)]


CASES: list[tuple[str, Any, Any]] = [
    ("map", lambda: tf.map_fn(lambda x: x * 2, c([1, 2, 3])), (INT, [2, 4, 6])),
    ("map of rows", lambda: tf.map_fn(lambda r: tf.reduce_sum(r), c(MATRIX)), (FLOAT, [3.0, 7.0])),
    (
        "map to another dtype",
        lambda: tf.map_fn(lambda x: tf.cast(x, tf.float32) / 2.0, c([1, 2]), fn_output_signature=tf.float32),
        (FLOAT, [0.5, 1.0]),
    ),
    (
        "map to a tuple",
        lambda: tf.map_fn(lambda x: (x, tf.cast(x, tf.float32)), c([1, 2]), dtype=(tf.int32, tf.float32)),
        ((INT, [1, 2]), (FLOAT, [1.0, 2.0])),
    ),
    (
        "map without signature",
        lambda: tf.map_fn(lambda x: {"a": x > 1, "b": (x, 2.0)}, c([1, 2])),
        {"a": ("bool", [False, True]), "b": ((INT, [1, 2]), (FLOAT, [2.0, 2.0]))},
    ),
    (
        "map of two",
        lambda: tf.map_fn(lambda t: t[0] * t[1], (c([1, 2, 3]), c([4, 5, 6])), fn_output_signature=tf.int32),
        (INT, [4, 10, 18]),
    ),
    (
        "map of a dict",
        lambda: tf.map_fn(
            lambda d: {"s": d["a"] + d["b"]}, {"a": c([1, 2]), "b": c([3, 4])}, fn_output_signature={"s": tf.int32}
        ),
        {"s": (INT, [4, 6])},
    ),
    (
        "map to lists in a dict",
        lambda: tf.map_fn(
            lambda x: {"a": [x, [x * 2]], "b": (x,)},
            c([1, 2]),
            fn_output_signature={"a": [tf.int32, [tf.int32]], "b": (tf.TensorSpec((), tf.int32),)},
        ),
        {"a": [(INT, [1, 2]), [(INT, [2, 4])]], "b": ((INT, [1, 2]),)},
    ),
    (
        "map to lists without signature",
        lambda: tf.map_fn(lambda x: [x, [x * 2]], c([1, 2])),
        [(INT, [1, 2]), [(INT, [2, 4])]],
    ),
    (
        "scan of lists",
        lambda: tf.scan(lambda a, x: {"l": [a["l"][0] + x]}, c([1, 2]), initializer={"l": [c(0)]}),
        {"l": [(INT, [1, 3])]},
    ),
    (
        "map of nothing",
        lambda: tf.map_fn(lambda x: x + 1.0, tf.zeros((0,)), fn_output_signature=tf.float32),
        (FLOAT, []),
    ),
    (
        "map to vectors",
        lambda: tf.map_fn(lambda x: tf.stack([x, x]), c([1, 2]), fn_output_signature=tf.TensorSpec((2,), tf.int32)),
        (INT, [[1, 1], [2, 2]]),
    ),
    (
        "map in map",
        lambda: tf.map_fn(lambda r: tf.map_fn(lambda x: x * x, r), c([[1, 2], [3, 4]])),
        (INT, [[1, 4], [9, 16]]),
    ),
    ("scan", lambda: tf.scan(lambda a, x: a + x, c([1, 2, 3, 4])), (INT, [1, 3, 6, 10])),
    ("scan from", lambda: tf.scan(lambda a, x: a + x, c([1, 2, 3, 4]), initializer=c(10)), (INT, [11, 13, 16, 20])),
    ("scan back", lambda: tf.scan(lambda a, x: a - x, c([1, 2, 3, 4]), reverse=True), (INT, [-2, -1, 1, 4])),
    (
        "scan of two",
        lambda: tf.scan(lambda a, x: (a[1], a[0] + x), c([1, 2, 3]), initializer=(c(0), c(1))),
        ((INT, [1, 1, 3]), (INT, [1, 3, 4])),
    ),
    (
        "scan of rows",
        lambda: tf.scan(lambda a, x: a * x, c([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])),
        (FLOAT, [[1.0, 2.0], [3.0, 8.0], [15.0, 48.0]]),
    ),
    ("scan of nothing", lambda: tf.scan(lambda a, x: a + x, tf.zeros((0,)), initializer=c(1.0)), (FLOAT, [])),
    ("foldl", lambda: tf.foldl(lambda a, x: a - x, c([1, 2, 3, 4])), (INT, -8)),
    ("foldl from", lambda: tf.foldl(lambda a, x: a * 2 + x, c([1, 0, 1]), initializer=c(0)), (INT, 5)),
    ("foldr", lambda: tf.foldr(lambda a, x: a - x, c([1, 2, 3, 4])), (INT, -2)),
    ("foldr from", lambda: tf.foldr(lambda a, x: a - x, c([1, 2, 3, 4]), initializer=c(100)), (INT, 90)),
    (
        "foldl of two",
        lambda: tf.foldl(lambda a, x: a + x[0] * x[1], (c([1, 2]), c([3, 4])), initializer=c(0)),
        (INT, 11),
    ),
    ("vectorized_map", lambda: tf.vectorized_map(lambda r: tf.reduce_sum(r * r), c(MATRIX)), (FLOAT, [5.0, 25.0])),
    ("cond", lambda: tf.cond(c(1) < 2, lambda: c(1), lambda: c(2)), (INT, 1)),
    ("cond of a Python value", lambda: tf.cond(False, lambda: c(1), lambda: c(2)), (INT, 2)),
    (
        "cond of structures",
        lambda: tf.cond(c(1) > 2, lambda: (c(1), {"a": c(1.0)}), lambda: (c(2), {"a": c(2.0)})),
        ((INT, 2), {"a": (FLOAT, 2.0)}),
    ),
    ("case", lambda: tf.case([(c(1) > 2, lambda: c(1)), (c(3) > 2, lambda: c(2))], default=lambda: c(3)), (INT, 2)),
    ("case by default", lambda: tf.case([(c(1) > 2, lambda: c(1))], default=lambda: c(3)), (INT, 3)),
    ("case without default", lambda: tf.case([(c(1) > 2, lambda: c(1)), (c(1) < 2, lambda: c(2))]), (INT, 2)),
    (
        "switch_case",
        lambda: [tf.switch_case(c(i), [lambda: c(10), lambda: c(20)]) for i in (0, 1, -1, 7)],
        [(INT, 10), (INT, 20), (INT, 20), (INT, 20)],
    ),
    ("switch_case by default", lambda: tf.switch_case(c(4), {0: lambda: c(10)}, default=lambda: c(-1)), (INT, -1)),
    ("while", lambda: tf.while_loop(lambda i: i < 5, lambda i: [i + 1], [c(0)]), [(INT, 5)]),
    (
        "while of a tuple",
        lambda: tf.while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, a * 2.0), (c(0), c(1.0))),
        ((INT, 5), (FLOAT, 32.0)),
    ),
    (
        "while at most",
        lambda: tf.while_loop(lambda i: i < 50, lambda i: [i + 1], [c(0)], maximum_iterations=7),
        [(INT, 7)],
    ),
    (
        "while at most a tensor",
        lambda: tf.while_loop(lambda i: i < 50, lambda i: [i + 1], [c(0)], maximum_iterations=c(3)),
        [(INT, 3)],
    ),
    (
        "while of growing shape",
        lambda: tf.while_loop(
            lambda i, m: i < 2,
            double_while_small,
            loop_vars=[c(0), tf.ones((1, 2))],
            shape_invariants=[c(0).get_shape(), tf.TensorShape([None, 2])],
        ),
        [(INT, 2), (FLOAT, [[1.0, 1.0]] * 4)],
    ),
    (
        "while of structures",
        lambda: tf.while_loop(lambda i, d: i < 3, lambda i, d: (i + 1, {"x": d["x"] + i}), (c(0), {"x": c(5)})),
        ((INT, 3), {"x": (INT, 8)}),
    ),
    (
        "while of Python numbers",
        lambda: tf.while_loop(lambda i, d: i < 3, lambda i, d: (i + 1, {"x": d["x"] * 2}), (0, {"x": 1.0})),
        ((INT, 3), {"x": (FLOAT, 8.0)}),
    ),
    ("exclusive case", lambda: tf.case([(c(1) > 2, lambda: c(1)), (c(3) > 2, lambda: c(2))], exclusive=True), (INT, 2)),
    ("switch by unordered pairs", lambda: tf.switch_case(c(1), [(1, lambda: c(10)), (0, lambda: c(0))]), (INT, 10)),
]


def unconverted(function: Any) -> Any:
    return tf.function(function, autograph=False)


def called_by(outer: Any, inner: Any) -> Any:
    return lambda function: outer(lambda *arguments: inner(function)(*arguments))


MAKERS: dict[str, Any] = {
    "eager": lambda function: function,
    "staged": tf.function,
    "unconverted": unconverted,
    "unconverted in converted": called_by(tf.function, unconverted),
    "converted in unconverted": called_by(unconverted, tf.function),
    "unconverted in unconverted": called_by(unconverted, unconverted),
}


def plain(result: Any) -> Any:
    if isinstance(result, dict):
        return {key: plain(value) for key, value in result.items()}
    if isinstance(result, (list, tuple)):
        return type(result)(map(plain, result))
    return result.dtype.name, result.numpy().tolist()


@pytest.mark.parametrize("function, expected", [case[1:] for case in CASES], ids=[case[0] for case in CASES])
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_results(function: Any, expected: Any, make: Any) -> None:
    assert plain(make(function)()) == expected


def over_parameter(x: Any) -> Any:
    return [
        tf.map_fn(lambda r: tf.reduce_max(r), x),
        tf.scan(lambda a, r: a + r, x),
        tf.foldr(lambda a, r: a + r, x),
        tf.switch_case(tf.shape(x)[0], [lambda: x, lambda: x + 1, lambda: x * 2]),
    ]


def test_lengths_that_only_the_run_tells() -> None:
    function = tf.function(over_parameter, input_signature=[tf.TensorSpec((None, 2), tf.float32)])
    for rows in (1, 2, 5):
        x = tf.reshape(tf.range(2.0 * rows), (rows, 2))
        assert plain(function(x)) == plain(over_parameter(x))
    graph = function.get_concrete_function().graph
    assert sum(node.op.name == "while" for node in graph.nodes) == 3
    assert function.experimental_get_tracing_count() == 1


def test_mapping_stages_one_loop_of_known_length() -> None:
    function = tf.function(lambda x: tf.map_fn(lambda y: y * y, x))
    concrete = function.get_concrete_function(tf.TensorSpec((1000,), tf.float32))
    assert concrete.structured_outputs.shape == (1000,) and len(concrete.graph.nodes) < 30


def changed(x: Any) -> Any:
    found = {"a": [x]}
    if x > 1:
        found["a"][0] = x * 10
    return found


@pytest.mark.parametrize(
    "control_flow",
    [
        lambda f: tf.map_fn(f, c([1, 2])),
        lambda f: tf.scan(lambda a, x: a + f(x), c([1, 2])),
        lambda f: tf.foldl(lambda a, x: a + f(x), c([1, 2])),
        lambda f: tf.while_loop(lambda i: i < 3, lambda i: [f(i)], [c(0)])[0],
        lambda f: tf.cond(c(1) > 0, lambda: f(1), lambda: c(2)),
        lambda f: tf.switch_case(c(0), [lambda: f(1), lambda: c(2)]),
    ],
    ids=["map_fn", "scan", "foldl", "while_loop", "cond", "switch_case"],
)
def test_handlers_around_it_in_code_that_is_not_converted_see_what_the_function_raises(control_flow: Any) -> None:
    def run() -> Any:
        try:
            return control_flow(lambda x: x + int("q"))
        except ValueError as error:
            assert "invalid literal" in str(error)
            return c(-1)

    assert tf.function(run, autograph=False)().numpy() == -1


def grown(x: Any) -> Any:
    found = []
    for i in tf.range(2):
        found.append(x * i)
    return {"a": found}


def test_lists_that_branches_change_and_loops_make_in_the_function() -> None:
    assert tf.function(lambda x: tf.map_fn(changed, x))(c([1, 2]))["a"][0].numpy().tolist() == [1, 20]
    with pytest.raises(tf.errors.StagedValueError, match=r"returning it from the function of `tf.map_fn`"):
        tf.function(lambda x: tf.map_fn(grown, x))(c([1, 2]))


def test_what_functions_write_outside_is_state() -> None:
    @tf.function
    def run(x: Any) -> Any:
        count = 0

        def step(y: Any) -> Any:
            nonlocal count
            if y > 1:
                count += 1
            return y

        tf.map_fn(step, x)
        return count

    assert run(c([1, 2, 3])).numpy() == 2


@tf.custom_gradient
def cube(x: Any) -> Any:
    return x**3, lambda upstream: upstream * 3.0 * x * x


def gradients(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.map_fn(lambda e: cube(e), x))
    return tape.gradient(y, x)


def jacobian(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.scan(lambda a, e: a * e, x)
    return tape.jacobian(y, x)


def written(x: Any) -> Any:
    start = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a.write(i, x[i])), (c(0), start))[1].stack()


def of_datasets(x: Any) -> Any:
    doubled = tf.data.Dataset.from_tensor_slices(x).map(lambda e: tf.cond(e > 1.0, lambda: e * 2, lambda: e))
    return doubled.filter(lambda e: e > 1.0).reduce(c(0.0), lambda a, b: a + b)


def loop_of_maps(x: Any) -> Any:
    def body(i: Any, y: Any) -> Any:
        return i + 1, tf.vectorized_map(lambda e: tf.cond(e > 1.0, lambda: e * 2, lambda: e), y)

    return tf.while_loop(lambda i, y: i < 2, body, (c(0), x))[1]


def map_of_folds(x: Any) -> Any:
    return tf.map_fn(lambda e: tf.foldr(lambda a, b: a + b, tf.scan(lambda a, b: a * b, tf.stack([e, e]))), x)


def switch_of_maps(x: Any) -> Any:
    branches = [lambda: x, lambda: tf.map_fn(lambda e: -e, x)]
    return tf.case([(x[0] > 5, lambda: x)], default=lambda: tf.switch_case(tf.cast(x[0], tf.int32), branches))


@pytest.mark.parametrize(
    "function",
    [gradients, jacobian, written, of_datasets, loop_of_maps, map_of_folds, switch_of_maps],
    ids=lambda function: function.__name__,
)
@pytest.mark.parametrize("make", list(MAKERS.values())[1:], ids=list(MAKERS)[1:])
def test_each_within_others(function: Any, make: Any) -> None:
    x = c([1.0, 2.0, 3.0])
    assert plain(make(function)(x)) == plain(function(x))


def test_unconverted_code_around_can_not_use_a_list_that_a_body_changes() -> None:
    def appended(x: Any) -> Any:
        found: list[int] = []
        tf.map_fn(lambda e: found.append(1) or e, x)
        return x * len(found)

    with pytest.raises(MutationError, match="list.* not converted"):
        unconverted(appended)(c([1, 2]))
    assert plain(tf.function(appended)(c([1, 2]))) == (INT, [2, 4])


WRONG: list[tuple[str, Any, Any]] = [
    ("signature", lambda: tf.map_fn(lambda x: x, c([1, 2]), fn_output_signature=tf.float32), InvalidArgumentError),
    ("structure", lambda: tf.map_fn(lambda x: (x, x), c([1, 2]), fn_output_signature=tf.int32), InvalidArgumentError),
    ("scalar", lambda: tf.map_fn(lambda x: x, c(1)), InvalidArgumentError),
    ("lengths", lambda: tf.map_fn(lambda t: t[0], (c([1, 2]), c([1, 2, 3]))), InvalidArgumentError),
    ("nothing to start from", lambda: tf.foldl(lambda a, x: a + x, tf.zeros((0,))), InvalidArgumentError),
    ("no case", lambda: tf.case([(c(1) > 2, lambda: c(1)), (c(1) > 2, lambda: c(2))]), InvalidArgumentError),
    ("float index", lambda: tf.switch_case(c(0.0), [lambda: c(1)]), TypeError),
    ("indices with a hole", lambda: tf.switch_case(c(1), {1: lambda: c(1), 2: lambda: c(2)}), InvalidArgumentError),
    (
        "two of an exclusive case",
        lambda: tf.case([(c(1) < 2, lambda: c(1)), (c(1) < 3, lambda: c(2))], exclusive=True),
        InvalidArgumentError,
    ),
    ("no functions", lambda: tf.cond(c(True), 3, 4), TypeError),
    ("vector condition", lambda: tf.cond(c([True, False]), lambda: c(1), lambda: c(2)), StagedValueError),
    ("no test", lambda: tf.while_loop(3, lambda i: i, [c(0)]), TypeError),
    (
        "number of variables",
        lambda: tf.while_loop(lambda i, j: i < 3, lambda i, j: [i + 1], [c(0), c(0)]),
        (TypeError, BranchMismatchError),
    ),
]


@pytest.mark.parametrize("function, error", [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_refusals(function: Any, error: Any, make: Any) -> None:
    with pytest.raises(error):
        make(function)()


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


def test_what_branches_return_are_tensors() -> None:
    rows = [1]

    @tf.function
    def f(n: Any) -> Any:
        one = tf.cond(n > 1, lambda: 1.5, lambda: 2.5)
        level = tf.switch_case(n, [lambda: Level.LOW, lambda: Level.HIGH])
        number, text = tf.cond(n > 1, lambda: (1, b"a"), lambda: (2, b"b"))
        assert [x.dtype for x in (one, level, number, text)] == [tf.float32, tf.int32, tf.int32, tf.string]
        assert tf.is_tensor(one) and tf.cond(n > 1, lambda: rows, lambda: rows) is rows
        return one, level, number, text

    assert [x.numpy() for x in f(c(1))] == [2.5, 2, 2, b"b"]


ARRAY = np.zeros(2, np.int32)


def in_a_branch(n: Any) -> Any:
    tf.cond(n > 0, lambda: ARRAY.__setitem__(0, 5) or n, lambda: n)
    return ARRAY


def by_a_view(n: Any) -> Any:
    array = np.zeros(2, np.int32)
    view = array[:1]

    def store() -> Any:
        view[0] = 5
        return n

    tf.cond(n > 0, store, lambda: n)
    return array


def in_a_loop(n: Any) -> Any:
    array = np.zeros(2, np.int32)

    def body(i: Any) -> Any:
        array[0] += 1
        return i + 1

    tf.while_loop(lambda i: i < n, body, [c(0)])
    return array


def of_each(n: Any) -> Any:
    array = np.zeros(2, np.int32)

    def body(i: Any) -> Any:
        nonlocal array
        array += 1
        return i

    tf.map_fn(body, tf.range(n))
    return array


@pytest.mark.parametrize("function", [in_a_branch, by_a_view, in_a_loop, of_each])
def test_code_that_is_not_converted_would_not_see_what_a_body_does_to_an_array(function: Any) -> None:
    with pytest.raises(MutationError, match="a NumPy array .*is changed in a staged branch or loop"):
        tf.function(function, autograph=False)(c(1))
    assert ARRAY.tolist() == [0, 0]


def test_a_body_may_have_arrays_of_its_own() -> None:
    def body(i: Any) -> Any:
        array = np.zeros(2, np.int32)
        array[0] += 1
        return i + array[0]

    assert tf.function(lambda n: tf.map_fn(body, tf.range(n)), autograph=False)(c(2)).numpy().tolist() == [1, 2]
