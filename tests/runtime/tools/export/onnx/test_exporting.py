"""`tf.export.onnx` from the user's side: what becomes of control flow, lists, variables, names; what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import autograph as tf
from autograph.errors import InvalidTypeError, SavingError
from tests.runtime.tools.export.onnx.common import check_exported, run_model

pytestmark = pytest.mark.filterwarnings("ignore:(overflow|Mean of empty):RuntimeWarning")
NUMBERS = np.arange(12, dtype=np.float32).reshape(4, 3)
ROWS = [tf.TensorSpec((None, 3))]
COUNTED = [tf.TensorSpec((None, 3)), tf.TensorSpec((), tf.int32)]


def kinds(graph: Any) -> set[str]:
    """The operators of a graph, and of the graphs in it."""
    inner = [a.g for node in graph.node for a in node.attribute if a.type == onnx.AttributeProto.GRAPH]
    return {node.op_type for node in graph.node}.union(*map(kinds, inner))


# Control flow


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def test_a_loop_with_a_branch(tmp_path: Path) -> None:
    model = check_exported(collatz, [tf.TensorSpec((), tf.int32)], (27,), (1,), (97,), folder=tmp_path)
    assert {"Loop", "If"} <= kinds(model.graph)


def search(x, limit):
    found = -1.0
    for i in tf.range(tf.shape(x)[0]):
        if x[i, 0] > 5:
            break
        if x[i, 0] < tf.cast(limit, tf.float32):
            continue
        found = x[i, 1]
    else:
        found = found * 2
    return found


def test_break_continue_and_else(tmp_path: Path) -> None:
    check_exported(search, COUNTED, (NUMBERS, 1), (NUMBERS[:2], 0), (NUMBERS[:0], 0), folder=tmp_path)


def test_nested_functions_are_written_out(tmp_path: Path) -> None:
    @tf.function
    def inner(x):
        return tf.reduce_sum(x) if tf.size(x) > 0 else tf.constant(-1.0)

    check_exported(lambda x: inner(x) + inner(x * 2), ROWS, (NUMBERS,), (NUMBERS[:0],), folder=tmp_path)


def test_gradients_in_a_loop(tmp_path: Path) -> None:
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(3):
                y = y * x + 1
            total = tf.reduce_sum(y)
        return tape.gradient(total, x)

    check_exported(slope, ROWS, (NUMBERS / 4,), folder=tmp_path)


def test_the_state_of_a_loop_may_grow(tmp_path: Path) -> None:
    def grow(x, n):
        return tf.while_loop(lambda i, x: i < n, lambda i, x: (i + 1, tf.concat([x, x], 0)), (0, x))[1]

    check_exported(grow, COUNTED, (NUMBERS, 2), (NUMBERS, 0), folder=tmp_path)


# Lists


def collected(x):
    found = []
    for row in x:
        found.append(row * 2)
    return tf.stack(found), len(found)


def test_a_loop_collects_what_turns_append(tmp_path: Path) -> None:
    model = check_exported(collected, ROWS, (NUMBERS,), (NUMBERS[:1],), (NUMBERS[:0],), folder=tmp_path)
    assert not any(kind.startswith("Sequence") for kind in kinds(model.graph))


def test_rows_of_unknown_length_of_which_there_are_none_fail(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    tf.export.onnx(tf.function(lambda x: collected(x)[0]), path, [tf.TensorSpec((None, None))])
    with pytest.raises(Exception, match="out of data bounds"):
        run_model(path, {"x": NUMBERS[:0]})


def picked(x):
    found = [x[0]]
    for row in x:
        if tf.reduce_sum(row) > 10:
            found.append(row)
    return tf.stack(found), found[-1]


def popped(x):
    found = []
    for row in x:
        found.append(row)
    total = tf.zeros(3)
    while len(found) > 1:
        total = total * 2 + found.pop()
    return total, len(found)


@pytest.mark.parametrize("function", [picked, popped])
def test_lists_that_change_are_sequences(function: Any, tmp_path: Path) -> None:
    model = check_exported(function, ROWS, (NUMBERS,), (NUMBERS[:1],), folder=tmp_path, drop_assertions=True)
    assert any(kind.startswith("Sequence") for kind in kinds(model.graph))


def nested(x):
    rows = []
    for row in x:
        items = []
        for item in row:
            items.append(item + 1)
        rows.append(tf.stack(items))
    return tf.stack(rows)


def test_lists_in_loops_in_loops(tmp_path: Path) -> None:
    check_exported(nested, ROWS, (NUMBERS,), (NUMBERS[:1],), folder=tmp_path)


def written(x, n):
    array = tf.TensorArray(tf.float32, size=n)
    for i in tf.range(n):
        array = array.write(n - 1 - i, x * tf.cast(i, tf.float32))
    return array.stack()


def test_arrays(tmp_path: Path) -> None:
    check_exported(written, COUNTED, (NUMBERS, 3), (NUMBERS, 1), folder=tmp_path)
    known = [tf.TensorSpec((4, 3)), tf.TensorSpec((), tf.int32)]
    check_exported(written, known, (NUMBERS, 3), (NUMBERS, 0), folder=tmp_path)


def test_arrays_that_grow_and_are_not_written_everywhere(tmp_path: Path) -> None:
    def some(x, n):
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in tf.range(n):
            array = array.write(2 * i, x)
        return array.stack(), array.size()

    known = [tf.TensorSpec((3,)), tf.TensorSpec((), tf.int32)]
    check_exported(some, known, (NUMBERS[0], 3), (NUMBERS[0], 0), folder=tmp_path)


def test_items_are_stored(tmp_path: Path) -> None:
    def stored(x, i):
        x[i] = 7.0
        x[:, 1] = x[:, 1] * 2
        x[x > 5] = 0.0
        return x

    check_exported(stored, COUNTED, (NUMBERS, 1), (NUMBERS, -1), folder=tmp_path)
    with pytest.raises(Exception, match="indice"):
        run_model(tmp_path / "model.onnx", {"x": NUMBERS, "i": np.int32(9)})


# Traps of runtimes


def test_a_sum_of_integers_wraps_around(tmp_path: Path) -> None:
    large = np.array([2**62 + 1, 2**62 + 1, 5])
    check_exported(lambda x: (tf.reduce_sum(x), tf.reduce_prod(x)), [tf.TensorSpec((None,), tf.int64)], (large,),
                   folder=tmp_path)  # fmt: skip


def test_not_a_number_wins(tmp_path: Path) -> None:
    x = np.random.default_rng(0).normal(size=(3, 40)).astype(np.float32)
    x[1, 37] = np.nan

    def orders(x):
        return (tf.reduce_max(x, 1), tf.reduce_min(x, 0), tf.argmax(x, 1), tf.sort(x), tf.nn.relu(x), tf.argsort(x),
                tf.nn.max_pool1d(x[..., None], 3, 2, "SAME"))  # fmt: skip

    check_exported(orders, [tf.TensorSpec((None, 40))], (x,), folder=tmp_path)


def test_integers_are_divided_as_in_python(tmp_path: Path) -> None:
    x, y = np.array([7, -7, 7, -7, -(2**31), 5], np.int32), np.array([2, 2, -2, -2, -1, 3], np.int32)
    specs = [tf.TensorSpec((None,), tf.int32)] * 2
    check_exported(lambda x, y: (x // y, x % y), specs, (x, y), folder=tmp_path)


def test_the_mean_of_nothing_is_not_a_number(tmp_path: Path) -> None:
    for dtype in (tf.float32, tf.float64):
        check_exported(lambda x: tf.reduce_mean(x), [tf.TensorSpec((None,), dtype)], ([],), ([1, 2],), folder=tmp_path)


def test_negative_indices_fail_where_ours_do(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    tf.export.onnx(tf.function(lambda x, i: tf.gather(x, i)), path, COUNTED)
    with pytest.raises(Exception, match="out of data bounds"):
        run_model(path, {"x": NUMBERS, "i": np.int32(-1)})


# Names


def test_names_of_inputs_outputs_and_dimensions(tmp_path: Path) -> None:
    def named(first, second):
        return {"total": first + second, "pairs": tf.reshape(first, (-1, 2))}

    specs = [tf.TensorSpec((None, 2, None)), tf.TensorSpec((None,))]
    model = check_exported(named, specs, (np.ones((2, 2, 3)), np.ones(3)), folder=tmp_path)
    shapes = {value.name: [dim.dim_value or dim.dim_param for dim in value.type.tensor_type.shape.dim]
              for value in (*model.graph.input, *model.graph.output)}  # fmt: skip
    assert shapes["first"] == ["first_0", 2, "first_2"] and shapes["second"] == ["second_0"]
    assert shapes["pairs"] == ["pairs_0", 2] and shapes["total"][1] == 2
    assert model.opset_import[0].version == 21 and model.ir_version == 10


def test_operators_have_the_users_lines(tmp_path: Path) -> None:
    model = check_exported(collected, ROWS, (NUMBERS,), folder=tmp_path)
    (loop,) = [node for node in model.graph.node if node.op_type == "Loop"]
    assert loop.name.startswith("while@test_exporting.py:")
    (body,) = [a.g for a in loop.attribute if a.name == "body"]
    (product,) = [node for node in body.node if node.op_type == "Mul"]
    assert "found.append(row * 2)" in product.doc_string
    assert 'File "test_exporting.py"' in product.doc_string


def test_variables_are_initialisers(tmp_path: Path) -> None:
    weights = tf.Variable([[1.0], [2.0], [3.0]], name="weights")
    model = check_exported(lambda x: x @ weights, ROWS, (NUMBERS,), folder=tmp_path)
    assert [each.name for each in model.graph.initializer] == ["weights"]


def test_state_outside_is_what_it_was_then(tmp_path: Path) -> None:
    class Scale:
        factor = tf.constant(3.0)

        @tf.function
        def __call__(self, x):
            return x * self.factor

    scale = Scale()
    path = tmp_path / "model.onnx"
    tf.export.onnx(type(scale).__call__.__get__(scale), path, ROWS)
    np.testing.assert_array_equal(run_model(path, {"x": NUMBERS})[0], NUMBERS * 3)


# Which trace


def test_the_only_trace_or_the_signature(tmp_path: Path) -> None:
    @tf.function
    def double(x):
        return x * 2

    path = tmp_path / "model.onnx"
    with pytest.raises(SavingError, match="no traces"):
        tf.export.onnx(double, path)
    double(tf.constant(NUMBERS))
    tf.export.onnx(double, path)
    double(tf.constant([1]))
    with pytest.raises(SavingError, match="2 traces"):
        tf.export.onnx(double, path)
    tf.export.onnx(double, path, tf.TensorSpec((None,)))
    tf.export.onnx(double.get_concrete_function(tf.TensorSpec((2,))), path)
    signed = tf.function(lambda x: x * 2, input_signature=ROWS)
    tf.export.onnx(signed, path)
    with pytest.raises(InvalidTypeError, match="takes a traced function"):
        tf.export.onnx(lambda x: x, path, ROWS)


# Refusals


def refused(function: Any, signature: Any, folder: Path, **options: Any) -> str:
    path = folder / "refused.onnx"
    with pytest.raises(SavingError) as caught:
        tf.export.onnx(tf.function(function), path, signature, **options)
    assert not path.exists()
    return str(caught.value)


def test_all_that_has_no_form_is_named_with_its_lines(tmp_path: Path) -> None:
    state = tf.Variable([1.0, 2.0, 3.0], name="state")

    def several(x):
        state.assign_add(x[0])
        tf.print(x)
        noise = tf.random.normal((3,))
        return tf.linalg.svd(x * noise, compute_uv=False)

    message = refused(several, ROWS, tmp_path)
    assert "because of 4 operations" in message
    assert "assign_add: it assigns to the variable 'state:0'" in message
    for line in ("state.assign_add(x[0])", "tf.print(x)", "tf.random.normal((3,))", "tf.linalg.svd"):
        assert line in message


def asserting(x):
    tf.debugging.Assert(tf.reduce_all(x >= 0), ["negative"])
    if tf.reduce_sum(x) > 1000:
        raise ValueError("too much")
    return tf.sqrt(x)


def test_assertions_are_refused_or_left_out(tmp_path: Path) -> None:
    message = refused(asserting, ROWS, tmp_path)
    assert "assert_true: a model in ONNX's format raises no errors" in message and "raise: a model" in message
    assert "drop_assertions=True" in message
    check_exported(asserting, ROWS, (NUMBERS,), folder=tmp_path, drop_assertions=True)


def test_recursion_is_refused(tmp_path: Path) -> None:
    @tf.function
    def factorial(n):
        return n * factorial(n - 1) if n > 1 else n

    assert "calls itself" in refused(lambda n: factorial(n), [tf.TensorSpec((), tf.int32)], tmp_path)


@pytest.mark.parametrize(("spec", "text"), [
    (tf.TensorSpec(None), "unknown rank"), (tf.TensorSpec((2,), tf.complex64), "is complex"),
])  # fmt: skip
def test_arguments_that_onnx_has_no_types_for(spec: Any, text: str, tmp_path: Path) -> None:
    assert text in refused(lambda x: tf.shape(x), [spec], tmp_path)


def test_what_runtimes_have_no_operator_for(tmp_path: Path) -> None:
    def convolved(x, w):
        return tf.nn.conv1d(x, w, 1, "SAME")

    specs = [tf.TensorSpec((1, 5, 2), tf.float64), tf.TensorSpec((3, 2, 2), tf.float64)]
    message = refused(convolved, specs, tmp_path)
    assert "onnxruntime has no Conv of float64" in message and "cast to float32" in message


def test_a_file_that_is_there_stays_when_the_export_fails(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"before")
    with pytest.raises(SavingError):
        tf.export.onnx(tf.function(lambda x: tf.linalg.svd(x, compute_uv=False)), path, ROWS)
    assert path.read_bytes() == b"before"
