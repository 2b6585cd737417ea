"""What is saved comes back: objects, functions, signatures, variables, gradients, control flow, effects."""

from __future__ import annotations

import collections
import dataclasses
import json
import os
import re
from typing import Any, NamedTuple

import numpy as np
import pytest

import autograph as tf
from autograph.errors import SavedFileError, SavingError, SignatureError
from autograph.runtime.base.nest import children


class Point(NamedTuple):
    x: Any
    y: Any


@dataclasses.dataclass
class Box:
    low: Any
    high: Any


class Line(tf.Module):
    def __init__(self, slope=2.0):
        super().__init__()
        self.slope = tf.Variable(slope, name="slope")
        self.kept = [tf.Variable([1, 2], trainable=False), {"a": self.slope, 3: (tf.constant("text"), None)}]
        self.count = 5

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def __call__(self, x):
        return x * self.slope

    @tf.function
    def mode(self, x, training=False, name="n"):
        return {"b": x + 1 if training else x, "a": [None, (x,)]}


def reload(obj, folder, **options):
    tf.saved_model.save(obj, folder, **options)
    return tf.saved_model.load(folder)


def holder(**attributes):
    module = tf.Module()
    for name, value in attributes.items():
        setattr(module, name, value)
    return module


def same(a, b):
    """Equal structures, values and, where both have one, dtypes."""
    if tf.nest.is_nested(a):
        assert len(a) == len(b)
        for (key, x), (other, y) in zip(children(a), children(b), strict=True):
            assert key == other
            same(x, y)
    elif a is None:
        assert b is None
    else:
        if isinstance(b, tf.Tensor):
            assert a.dtype is b.dtype
        np.testing.assert_array_equal(a.numpy(), np.asarray(b))


# Objects


def test_the_tree_of_attributes(tmp_path):
    loaded = reload(Line(), tmp_path)
    assert float(loaded.slope) == 2.0
    assert loaded.slope.name == "slope:0"
    assert loaded.kept[0].numpy().tolist() == [1, 2]
    assert not loaded.kept[0].trainable
    assert loaded.kept[1]["a"] is loaded.slope
    assert loaded.kept[1][3][0].numpy() == b"text"
    assert loaded.kept[1][3][1] is None
    assert not hasattr(loaded, "count")
    assert [v.name for v in loaded.variables] == ["Variable:0", "slope:0"]
    assert loaded.trainable_variables == (loaded.slope,)


def test_plain_objects_circles_slots_and_shared_parts(tmp_path):
    class Slotted:
        __slots__ = ("v",)

    class Plain:
        pass

    a, b, slotted = Plain(), Plain(), Slotted()
    slotted.v = tf.Variable(7)
    a.child, b.parent, a.again, b.deep = b, a, b, {"x": [slotted]}
    a.nothing, a.library, a.logger = Plain(), json, print
    loaded = reload(a, tmp_path)
    assert loaded.child.parent is loaded
    assert loaded.again is loaded.child
    assert int(loaded.child.deep["x"][0].v) == 7
    assert not hasattr(loaded, "nothing")
    assert not hasattr(loaded, "library")


def test_a_class_may_say_what_is_saved(tmp_path):
    class Chooses:
        def __init__(self):
            self.yes, self.no = tf.Variable(1), tf.Variable(2)

        def _trackable_children(self):
            return {"yes": self.yes}

    loaded = reload(Chooses(), tmp_path)
    assert int(loaded.yes) == 1
    assert not hasattr(loaded, "no")


def test_dataclasses_that_hold_themselves_and_special_methods(tmp_path):
    @dataclasses.dataclass
    class Node:
        value: Any
        parent: Any = None

        @tf.function(input_signature=[tf.TensorSpec(())])
        def __getitem__(self, x):
            return x + self.value

    root = Node(tf.Variable(1.0))
    root.parent = Node(tf.Variable(2.0), root)
    loaded = reload(root, tmp_path)
    assert loaded.parent.parent is loaded
    assert float(loaded.parent.value) == 2.0
    mapping = {}
    mapping[0, 1] = mapping
    mapping["v"] = tf.Variable(3.0)
    assert float(reload(holder(v=mapping["v"], mapping=mapping), tmp_path / "other").v) == 3.0


def test_names_of_attributes_may_be_those_of_modules(tmp_path):
    module = type("Plain", (), {})()
    module.variables, module.name, module.submodules = [tf.Variable(1)], tf.Variable(2), {"a": tf.Variable(3)}
    loaded = reload(module, tmp_path)
    assert int(loaded.variables[0]) == 1
    assert int(loaded.name) == 2
    assert int(loaded.submodules["a"]) == 3


def test_a_loaded_model_is_a_module_that_others_can_hold(tmp_path):
    loaded = reload(Line(), tmp_path)
    outer = holder(base=loaded)
    assert outer.trainable_variables == (loaded.slope,)
    again = reload(outer, tmp_path / "again")
    same(again.base(tf.constant([3.0])), [6.0])


def test_a_model_without_arrays_is_one_file(tmp_path):
    @tf.function(input_signature=[tf.TensorSpec(())])
    def double(x):
        return x + x

    assert float(reload(double, tmp_path)(4.0)) == 8.0
    assert os.listdir(tmp_path) == ["saved_model.json"]


# Calls


def test_traces_by_dtype_shape_and_python_values(tmp_path):
    line = Line()
    for arguments in ((1.0,), ([1.0, 2.0], True), (1, False, "m")):
        line.mode(tf.constant(arguments[0]), *arguments[1:])
    loaded = reload(line, tmp_path)
    same(loaded.mode(tf.constant(2.0)), line.mode(tf.constant(2.0)))
    same(loaded.mode(tf.constant([2.0, 3.0]), training=True), {"b": [3.0, 4.0], "a": [None, ([2.0, 3.0],)]})
    assert loaded.mode(tf.constant(5), name="m")["b"].dtype is tf.int32
    for arguments in (
        (tf.constant(1.0), True),
        (tf.constant([1, 2]), True),
        (tf.constant(1.0), 0),
        (tf.constant(1.0), False, "m"),
    ):
        with pytest.raises(SignatureError, match="Could not find matching concrete function"):
            loaded.mode(*arguments)


def test_the_error_shows_what_there_is(tmp_path):
    line = Line()
    line.mode(tf.constant(1.0))
    loaded = reload(line, tmp_path)
    with pytest.raises(ValueError) as caught:
        loaded.mode(tf.constant([1]), True)
    assert str(caught.value) == (
        "Could not find matching concrete function to call loaded from the SavedModel. Got:\n"
        "  mode(x=TensorSpec(shape=(1,), dtype=tf.int32, name=None), training=True, name='n')\n"
        "Expected these arguments to match one of the following 1 option(s):\n"
        "  mode(x=TensorSpec(shape=(), dtype=tf.float32, name=None), training=False, name='n')"
    )


def test_the_most_exact_trace_is_taken_and_numbers_convert_last(tmp_path):
    @tf.function
    def rank(x):
        return tf.constant("unknown" if x.shape[0] is None else "known") if x.shape.rank else tf.constant("scalar")

    rank.get_concrete_function(tf.TensorSpec([None]))
    rank(tf.constant([1.0, 2.0]))
    rank.get_concrete_function(tf.TensorSpec([]))
    loaded = reload(rank, tmp_path)
    assert loaded(tf.constant([5.0, 6.0])).numpy() == b"known"
    assert loaded(tf.constant([5.0])).numpy() == b"unknown"
    assert loaded(np.float32(3)).numpy() == b"scalar"
    assert loaded(3).numpy() == b"scalar"
    assert loaded([1, 2, 3]).numpy() == b"unknown"


@pytest.mark.parametrize(
    "value",
    [
        (1, [2.0, {"z": 1, "a": [3]}]),
        {"b": 1.0, "a": (2.0, None)},
        Point(1, {"k": (2,)}),
        Box(1.0, [2]),
        collections.OrderedDict([("z", 1), ("a", 2)]),
    ],
    ids=repr,
)
def test_structures_go_in_and_out(tmp_path, value):
    @tf.function
    def same_again(value):
        return value

    value = tf.nest.map_structure(lambda leaf: leaf if leaf is None else tf.constant(leaf), value)
    same_again(value)
    loaded = reload(same_again, tmp_path)
    result = loaded(value)
    assert type(result).__name__ in (type(value).__name__, "dict")
    for a, b in zip(tf.nest.flatten(result), tf.nest.flatten(value), strict=True):
        same(a, b)
    if isinstance(value, Point):
        assert result._fields == ("x", "y")
        with pytest.raises(SignatureError):
            loaded(tuple(value))


def test_arguments_by_name_defaults_and_rest(tmp_path):
    @tf.function
    def f(a, /, b=tf.constant(2), *rest, c, d=3, **more):
        return a + b + sum(rest) + c + d + more["e"]

    expected = f(tf.constant(1), tf.constant(10), tf.constant(100), c=tf.constant(1000), e=tf.constant(5))
    loaded = reload(f, tmp_path)
    again = loaded(tf.constant(1), tf.constant(10), tf.constant(100), c=tf.constant(1000), e=tf.constant(5))
    assert int(again) == int(expected) == 1119
    with pytest.raises(SignatureError, match="can't be called so"):
        loaded(tf.constant(1))


def test_a_function_without_traces(tmp_path):
    with pytest.warns(UserWarning, match=r"Module.f has never been called.*Call it before"):
        loaded = reload(holder(f=tf.function(lambda x: x)), tmp_path)
    with pytest.raises(ValueError, match="Found zero restored functions"):
        loaded.f(tf.constant(1))


def test_a_warning_where_nothing_can_be_called(tmp_path, recwarn):
    class Plain(tf.Module):
        def __call__(self, x):
            return 2 * x

    class Helped(Line):
        def helper(self):
            return 3

    with pytest.warns(UserWarning, match=r"Plain.__call__ is plain Python.*Decorate it with @tf.function"):
        tf.saved_model.save(Plain(), tmp_path)
    recwarn.clear()
    tf.saved_model.save(holder(v=tf.Variable(1.0), relu=tf.nn.relu), tmp_path)
    tf.saved_model.save(Helped(), tmp_path)
    traced = tf.function(lambda x: x).get_concrete_function(tf.TensorSpec([]))
    tf.saved_model.save(Plain(), tmp_path, signatures=traced)
    assert not recwarn.list


def test_variables_as_arguments(tmp_path):
    @tf.function
    def add(v, x):
        v.assign_add(x)

    module = holder(v=tf.Variable(1.0), w=tf.Variable(1.0), add=add)
    add(module.v, tf.constant(1.0))
    loaded = reload(module, tmp_path)
    loaded.add(loaded.v, tf.constant(5.0))
    assert [float(loaded.v), float(loaded.w)] == [7.0, 1.0]
    with pytest.raises(SignatureError):
        loaded.add(loaded.w, tf.constant(1.0))


def test_concrete_functions_and_calls_of_functions(tmp_path):
    @tf.function
    def inner(x):
        return x * 3

    @tf.function
    def outer(x):
        return inner(x) + inner(x + 1)

    module = holder(one=outer.get_concrete_function(tf.TensorSpec((), tf.int32)), two=outer, inner=inner)
    loaded = reload(module, tmp_path)
    assert int(loaded.one(tf.constant(1))) == 9
    assert int(loaded.two(tf.constant(2))) == 15
    called = [node.called for node in loaded.one.graph.nodes if node.op.name == "call"]
    assert called == [loaded.inner.concrete_functions[0].graph] * 2


def test_a_loaded_function_inside_another(tmp_path):
    loaded = reload(Line(), tmp_path)

    @tf.function
    def twice(x):
        for _ in tf.range(2):
            x = loaded(x)
        return x

    same(twice(tf.constant([1.0, 2.0])), [4.0, 8.0])


# Signatures


def test_the_default_signature_is_the_only_function_with_an_input_signature(tmp_path):
    loaded = reload(Line(), tmp_path)
    assert list(loaded.signatures) == ["serving_default"]
    same(loaded.signatures["serving_default"](x=tf.constant([1.0])), {"output_0": [2.0]})
    same(loaded.signatures["serving_default"](x=np.ones(2, np.float32)), {"output_0": [2.0, 2.0]})
    same(loaded.signatures["serving_default"](tf.constant([1.0])), {"output_0": [2.0]})
    assert loaded.signatures["serving_default"].structured_input_signature == (
        (), {"x": tf.TensorSpec((None,), tf.float32, "x")}
    )  # fmt: skip
    with pytest.raises(TypeError, match="misses the argument 'x'"):
        loaded.signatures["serving_default"]()
    with pytest.raises(ValueError, match="expected to be a float tensor but is a int32 tensor"):
        loaded.signatures["serving_default"](x=tf.constant([1]))


def test_signatures_by_name(tmp_path):
    @tf.function
    def two(x, y):
        return x, y + 1

    @tf.function
    def many(x):
        return [x + i for i in range(11)]

    @tf.function
    def nested(x):
        return {"b": x["a"], "a": x["b"][0]}

    scalar = tf.TensorSpec(())
    module = holder(two=two)
    signatures = {
        "two": two.get_concrete_function(tf.TensorSpec((), tf.float32, "first"), scalar),
        "many": many.get_concrete_function(scalar),
        "nested": nested.get_concrete_function({"a": scalar, "b": [scalar]}),
    }
    loaded = reload(module, tmp_path, signatures=signatures)
    same(loaded.signatures["two"](first=tf.constant(1.0), y=tf.constant(2.0)), {"output_0": 1.0, "output_1": 3.0})
    assert float(loaded.signatures["many"](x=tf.constant(0.0))["output_10"]) == 10.0
    same(loaded.signatures["nested"](x=tf.constant(1.0), x_1=tf.constant(2.0)), {"a": 2.0, "b": 1.0})
    again = reload(loaded, tmp_path / "again")
    assert float(again.signatures["many"](x=tf.constant(1.0))["output_2"]) == 3.0
    assert list(again.signatures) == ["two", "many", "nested"]


@pytest.mark.parametrize("function", [lambda x: None, lambda x: {"a": [x]}, lambda x: (x, None)])
def test_results_without_names_are_no_signature(tmp_path, function):
    concrete = tf.function(function).get_concrete_function(tf.TensorSpec(()))
    with pytest.raises(SavingError, match="must be a single Tensor, a sequence of Tensors, or a dictionary"):
        tf.saved_model.save(tf.Module(), tmp_path, signatures=concrete)


def test_a_function_without_input_signature_is_no_signature(tmp_path):
    with pytest.raises(ValueError, match="Only functions with an input signature or concrete functions"):
        tf.saved_model.save(tf.Module(), tmp_path, signatures=tf.function(lambda x: x))


# State and gradients


def test_variables_are_shared_assignable_and_seen_by_tapes(tmp_path):
    class Shares(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable([1.0, 2.0])

        @tf.function
        def change(self, x):
            self.v.assign_add(x)
            self.v[0].assign(0.0)

        @tf.function
        def loss(self, x):
            total = tf.constant(0.0)
            for value in self.v * x:
                if value > 1:
                    total += value * value
            return total

    module = Shares()
    x = tf.constant([3.0, 4.0])
    module.change(x)
    module.loss(x)
    loaded = reload(module, tmp_path)
    loaded.change(x)
    same(loaded.v, [0.0, 10.0])
    same(module.v, [0.0, 6.0])
    with tf.GradientTape() as outer, tf.GradientTape() as tape:
        tape.watch(x)
        loss = loaded.loss(x)
        gradient = tape.gradient(loss, loaded.v)
    assert float(loss) == 1600.0
    same(gradient, [0.0, 320.0])
    same(outer.gradient(gradient, loaded.v), [0.0, 32.0])


def test_variables_that_only_functions_know(tmp_path):
    v = tf.Variable(2.0)
    double = tf.function(lambda x: v * x)
    double(tf.constant(1.0))
    loaded = reload(double, tmp_path)
    loaded.variables[0].assign(5.0)
    assert float(loaded(tf.constant(2.0))) == 10.0
    assert loaded.trainable_variables == loaded.variables
    assert reload(holder(f=double), tmp_path / "object").variables[0].name == v.name


def test_custom_gradients(tmp_path):
    v = tf.Variable(3.0)

    @tf.custom_gradient
    def clipped(x):
        def gradient(upstream, variables=None):
            return tf.clip_by_value(upstream, -1.0, 1.0), [upstream * 7.0]

        return x * v, gradient

    f = tf.function(lambda x: clipped(x) * 100.0)
    f(tf.constant(2.0))
    loaded = reload(holder(f=f, v=v), tmp_path)
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loaded.f(x)
    same([y, *tape.gradient(y, [x, loaded.v])], [600.0, 1.0, 700.0])


def test_a_shape_that_variables_may_change(tmp_path):
    v = tf.Variable([1.0], shape=[None])
    loaded = reload(holder(v=v, f=tf.function(lambda: v + 1.0, input_signature=[])), tmp_path)
    loaded.v.assign([1.0, 2.0, 3.0])
    same(loaded.f(), [2.0, 3.0, 4.0])


def test_generators_go_on_where_they_were(tmp_path):
    generator = tf.random.Generator.from_seed(4)
    draw = tf.function(lambda: generator.normal([2]))
    draw()
    loaded = reload(holder(draw=draw, generator=generator), tmp_path)
    expected = [draw().numpy(), draw().numpy()]
    np.testing.assert_array_equal([loaded.draw().numpy(), loaded.draw().numpy()], expected)


# Control flow, effects


def test_lists_arrays_loops_and_errors(tmp_path, capsys):
    class Trouble(LookupError):
        pass

    @tf.function
    def work(n):
        squares = tf.TensorArray("int32", size=n)
        found, best, rest = [], None, n
        while rest > 0:
            rest -= 1
            squares = squares.write(rest, rest * rest)
            found.append(rest)
            if best is None or rest % 7 > best:
                best = rest % 7
            assert rest != 50, f"fifty of {n}"
            if rest > 100:
                raise Trouble("too many", rest)
        tf.print("best:", best, found)
        return squares.stack(), found, best, f"{n}!"

    work(tf.constant(3))
    loaded = reload(work, tmp_path)
    capsys.readouterr()
    same(loaded(tf.constant(9)), work(tf.constant(9)))
    first, second = capsys.readouterr().err.splitlines()
    assert first == second
    assert "best: 6" in first
    with pytest.raises(AssertionError, match="fifty of 60"):
        loaded(tf.constant(60))
    with pytest.raises(LookupError, match="too many") as caught:
        loaded(tf.constant(200))
    assert type(caught.value).__name__ == "Trouble"
    assert int(caught.value.args[1]) == 199


def test_errors_name_the_line_but_read_no_file(tmp_path):
    @tf.function
    def index_at(x, i):
        return x[i]

    index_at(tf.constant([1, 2]), tf.constant(0))
    line = index_at.python_function.__code__.co_firstlineno + 2
    loaded = reload(index_at, tmp_path)
    with pytest.raises(IndexError) as caught:
        loaded(tf.constant([1, 2]), tf.constant(9))
    assert f'File "<test_saved_model.py>", line {line}, in index_at' in str(caught.value)
    assert "return x[i]" not in str(caught.value)


def test_none_and_undefined(tmp_path):
    @tf.function
    def maybe(x):
        result = None
        if x > 0:
            result = x
        return result

    maybe(tf.constant(1))
    loaded = reload(maybe, tmp_path)
    assert int(loaded(tf.constant(4))) == 4
    assert loaded(tf.constant(-4)) is None


def test_recursion(tmp_path):
    @tf.function
    def factorial(n):
        if n <= 1:
            return 1
        return n * factorial(n - 1)

    factorial(tf.constant(3))
    assert int(reload(factorial, tmp_path)(tf.constant(6))) == 720


# What can't be saved


def refused(function, *arguments):
    traced = tf.function(function)
    traced(*arguments)
    return traced


def line_of(function, offset):
    return function.__code__.co_firstlineno + offset


def test_python_functions_are_refused_with_the_users_line(tmp_path):
    def calls_python(x):
        y = x + 1
        return tf.py_function(lambda value: value, [y], tf.float32)

    def calls_numpy(x):
        return tf.numpy_function(np.sin, [x], tf.float32)

    for function, line in ((calls_python, 2), (calls_numpy, 1)):
        with pytest.raises(SavingError, match="runs a Python object") as caught:
            tf.saved_model.save(holder(f=refused(function, tf.constant(1.0))), tmp_path)
        assert (caught.value.file, caught.value.line) == (__file__, line_of(function, line))
        assert "write the function in ops" in caught.value.remedy
    assert os.listdir(tmp_path) == []


def test_datasets_objects_and_files_are_refused(tmp_path):
    dataset = tf.data.Dataset.range(3)

    def over_dataset(x):
        for element in dataset:
            x += element
        return x

    def takes_object(x, config):
        return x

    def prints(x):
        tf.print(x, output_stream=f"file://{tmp_path}/out")

    one = tf.constant(1, tf.int64)
    with pytest.raises(SavingError, match="pass its elements as arguments"):
        tf.saved_model.save(refused(over_dataset, one), tmp_path / "model")
    config = object()
    with pytest.raises(SavingError, match=re.escape("takes_object() was traced with config=<object")):
        tf.saved_model.save(refused(takes_object, one, config), tmp_path / "model")
    with pytest.raises(SavingError, match="print to stderr or stdout"):
        tf.saved_model.save(refused(prints, one), tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_tensor_arrays_are_arguments_and_results(tmp_path):
    module = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec((), tf.int32)])
    def squares(n):
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in tf.range(n):
            array = array.write(i, tf.cast(i * i, tf.float32))
        return {"array": array, "n": n}

    @tf.function(input_signature=[tf.TensorArraySpec((), tf.float32, True), tf.TensorSpec(())])
    def add(array, x):
        return tf.reduce_sum(array.stack()) + x, array.write(0, x)

    module.squares, module.add = squares, add
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    found = loaded.squares(tf.constant(3))
    assert found["n"] == 3 and found["array"].stack().numpy().tolist() == [0, 1, 4]
    total, changed = loaded.add(found["array"], 2.0)
    assert total == 7 and changed.stack().numpy().tolist() == [2, 1, 4]
    staged = tf.function(lambda n: loaded.squares(n)["array"].stack() * 2)
    assert staged(tf.constant(4)).numpy().tolist() == [0, 2, 8, 18]
    with pytest.raises(SignatureError, match="Could not find matching"):
        loaded.add(tf.constant(1.0), 2.0)
    with pytest.raises(SignatureError, match="Could not find matching"):
        loaded.add(tf.TensorArray(tf.int32, size=1, dynamic_size=True), 2.0)
    tf.saved_model.save(loaded, tmp_path / "again")
    assert len(tf.saved_model.load(tmp_path / "again").squares(tf.constant(5))["array"].stack()) == 5


def test_lists_of_tensors_are_results_and_others_are_refused(tmp_path):
    @tf.function(input_signature=[tf.TensorSpec((), tf.int32)])
    def rows(n):
        found = []
        for i in tf.range(n):
            found.append(i * i)
        return found

    @tf.function(input_signature=[tf.TensorSpec((), tf.int32)])
    def pairs(n):
        found = []
        for i in tf.range(n):
            found.append((i, 2 * i))
        return found

    tf.saved_model.save(rows, tmp_path)
    assert tf.saved_model.load(tmp_path)(tf.constant(3)).numpy().tolist() == [0, 1, 4]
    with pytest.raises(SavingError, match="returns a list of elements that have parts"):
        tf.saved_model.save(pairs, tmp_path)
    with pytest.raises(SavingError, match="returns a .*Dataset"):
        gives = tf.function(lambda: tf.data.Dataset.range(3))
        gives()
        tf.saved_model.save(gives, tmp_path)


@pytest.mark.parametrize("value", [3, "text", [1], {}, None, print, lambda x: x, tf.Module])
def test_only_objects_and_traced_functions_are_saved(tmp_path, value):
    with pytest.raises(ValueError, match="Expected an object with variables and traced functions"):
        tf.saved_model.save(value, tmp_path)


def test_not_while_a_graph_is_traced(tmp_path):
    folder = str(tmp_path)

    @tf.function
    def f(x):
        tf.saved_model.save(tf.Module(), folder)
        return x

    with pytest.raises(SavingError, match="while a graph is being traced"):
        f(tf.constant(1))


# Folders


def test_saving_again_replaces_the_model_at_once(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    tf.saved_model.save(Line(1.0), tmp_path)
    first = set(os.listdir(tmp_path))
    loaded = reload(Line(3.0), tmp_path)
    assert float(loaded.slope) == 3.0
    assert len(os.listdir(tmp_path)) == 3
    assert {"notes.txt", "saved_model.json"} == first & set(os.listdir(tmp_path))


def test_a_failed_save_leaves_the_old_model(tmp_path, monkeypatch):
    tf.saved_model.save(Line(1.0), tmp_path)
    before = sorted(os.listdir(tmp_path))
    replace = os.replace

    def fails(source, target):
        if target.endswith("saved_model.json"):
            raise OSError("no space left")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(OSError, match="no space left"):
        tf.saved_model.save(Line(2.0), tmp_path)
    monkeypatch.undo()
    assert float(tf.saved_model.load(tmp_path).slope) == 1.0
    assert set(before) <= set(os.listdir(tmp_path))


def test_contains_saved_model(tmp_path):
    assert not tf.saved_model.contains_saved_model(tmp_path / "no")
    assert not tf.saved_model.contains_saved_model(tmp_path)
    tf.saved_model.save(Line(), tmp_path / "a" / "b")
    assert tf.saved_model.contains_saved_model(tmp_path / "a" / "b")


def test_what_is_not_there(tmp_path):
    with pytest.raises(OSError, match="SavedModel file does not exist at"):
        tf.saved_model.load(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(SavingError, match="is not a directory"):
        tf.saved_model.save(Line(), tmp_path / "file")


def test_a_newer_version(tmp_path):
    tf.saved_model.save(Line(), tmp_path)
    file = tmp_path / "saved_model.json"
    file.write_bytes(file.read_bytes().replace(b'"version":1', b'"version":2', 1))
    with pytest.raises(SavedFileError, match="version 2 of its format.*\n.*install a newer version"):
        tf.saved_model.load(tmp_path)


def test_machine_paths_are_not_saved(tmp_path):
    tf.saved_model.save(Line(), tmp_path)
    text = (tmp_path / "saved_model.json").read_text()
    assert os.path.basename(__file__) in text
    assert os.path.dirname(__file__) not in text
