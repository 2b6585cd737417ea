"""What staged bodies change: carried exactly, or refused by name."""

from __future__ import annotations

import dataclasses
import io
import itertools
import random

import numpy as np
import pytest

import autograph as tf
from tests.language.support import as_python, check

LOG: list = []


def staged(function, *inputs):
    return as_python(tf.function(function)(*[tf.constant(each) for each in inputs]))


class Buffer:
    def __init__(self):
        self.array = np.zeros(3)
        self.items = []
        self.last = None

    def put(self, i):
        self.array[i] = 1.0

    def add(self, x):
        self.items.append(x)
        self.last = x


# Arrays: a store is seen under all names.


def test_an_array_under_two_names():
    def f(n):
        a = np.zeros(3)
        b = a
        for i in range(n):
            a[i] = 1.0
        return b

    assert staged(f, 2).tolist() == [1, 1, 0]


def test_an_array_that_a_helper_stores_into():
    def put(a, i):
        a[i] = 1.0

    def f(n):
        out = np.zeros(3)
        for i in range(n):
            put(out, i)
        return out

    assert staged(f, 2).tolist() == [1, 1, 0]


def test_an_array_in_an_attribute():
    def f(n):
        buffer = Buffer()
        for i in range(n):
            buffer.put(i)
        return buffer.array

    assert staged(f, 2).tolist() == [1, 1, 0]


def test_an_array_made_in_the_body_stays_an_array():
    def f(x):
        if x > 0:
            a = np.zeros(2)
            a[0] = 5
            x = x + a[0]
        return x

    assert staged(f, 1.0) == 6


# Lists: they become staged lists under all names that are known.


def test_a_list_that_a_helper_appends_to():
    def add(values, x):
        if x > 1:
            values.append(x)

    def f(xs):
        out = []
        for x in xs:
            add(out, x)
        return len(out), out

    assert staged(f, [1, 2, 3])[1].tolist() == [2, 3]


def test_a_list_of_the_caller_of_a_helper():
    def add(values, x):
        if x > 1:
            values.append(x)

    def f(x, y):
        out = []
        add(out, x)
        add(out, y)
        return len(out)

    assert staged(f, 1, 3) == 1 and staged(f, 2, 3) == 2


def test_lists_in_lists_and_in_objects():
    def f(xs):
        rows, buffer = [[], []], Buffer()
        for x in xs:
            rows[0].append(x)
            if x > 1:
                rows[1].append(x * 10)
                buffer.add(x)
        return len(rows[0]), rows[1], buffer.items, buffer.last

    length, row, items, last = staged(f, [1, 2, 3])
    assert (length, row.tolist(), items.tolist(), last) == (3, [20, 30], [2, 3], 3)


def test_elements_of_a_structure():
    def f(xs):
        pairs = []
        for i, x in enumerate(xs):
            if x > 1:
                pairs.append((i, {"x": x}))
        total = 0
        for i, item in pairs:
            total += i * item["x"]
        return total, pairs[0][0], len(pairs)

    assert staged(f, [1, 2, 3]) == (8, 1, 2)


def test_elements_that_differ_in_structure_are_refused():
    def f(xs):
        out = [(1, 2)]
        for x in xs:
            out.append(x)
        return len(out)

    with pytest.raises(tf.errors.StagingError, match="out"):
        staged(f, [1, 2])


@pytest.mark.parametrize("inputs", [[1], [1, 2, 3, 4]])
def test_index_errors_at_run_time(inputs):
    def f(xs):
        out = []
        for x in xs:
            out.append(x)
        return out[2]

    if len(inputs) > 2:
        assert staged(f, inputs) == 3
    else:
        with pytest.raises(IndexError, match="list index out of range"):
            staged(f, inputs)


# Dicts and objects.


def test_a_key_of_one_branch_is_refused_with_its_name():
    def f(x):
        d = {}
        if x > 0:
            d["a"] = x
        return d

    with pytest.raises(tf.errors.StagedValueError, match=r"`d`.*key 'a' in some runs only; returning it"):
        staged(f, 1)


def test_a_key_of_both_branches():
    def f(x):
        d = {}
        if x > 0:
            d["a"] = x
        else:
            d["a"] = -x
        return d

    assert staged(f, 2) == {"a": 2} and staged(f, -3) == {"a": 3}


@dataclasses.dataclass
class Point:
    x: object
    y: object


def test_objects_made_in_a_branch_merge_by_their_attributes():
    def f(x):
        if x > 0:
            point = Point(x, 1)
            point.y = point.x * 2
        else:
            point = Point(0, x)
        return point.x, point.y

    assert staged(f, 3) == (3, 6) and staged(f, -4) == (0, -4)


def test_setattr_delattr_and_late_attributes():
    class Empty:
        pass

    def f(xs):
        box = Empty()
        box.gone = 1
        for x in xs:
            if x > 0:
                setattr(box, "total", x)  # noqa: B010
            else:
                box.total = x - 1
        del box.gone
        return box.total

    assert staged(f, [1, 2]) == 2


def test_next_of_an_outer_iterator_is_refused():
    def f(xs):
        numbers = iter([1, 2, 3])
        total = 0
        for x in xs:
            total += x * next(numbers)
        return total

    with pytest.raises(tf.errors.MutationError, match=r"moves an iterator \(list_iterator\) that was made outside"):
        staged(f, [1, 2])


# Outside the function.


def test_a_list_that_outlives_the_trace_is_refused_and_stays_as_it_was():
    def f(x):
        LOG.append(x)
        return x

    with pytest.raises(tf.errors.MutationError, match="outlives"):
        staged(f, 1)
    assert LOG == []


def test_state_is_read_and_written_on_each_run():
    buffer = Buffer()
    buffer.last = 0.5
    traces = 0

    @tf.function
    def f(x):
        nonlocal traces
        traces += 1
        buffer.last = buffer.last + x
        return buffer.last

    assert [float(f(tf.constant(x))) for x in (1.0, 2.0)] == [1.5, 3.5]
    assert float(buffer.last) == 3.5 and isinstance(buffer.last, tf.Tensor)
    buffer.last = 10.0
    assert float(f(tf.constant(1.0))) == 11
    assert traces <= 2


def test_an_object_that_only_a_trace_knows_is_collected():
    import gc
    import weakref

    class Model:
        @tf.function
        def __call__(self, x):
            self.last = x
            return x

    model = Model()
    model(tf.constant(1))
    assert int(model.last) == 1
    reference = weakref.ref(model)
    del model
    gc.collect()
    assert reference() is None


def test_an_exception_in_a_trace_leaves_objects_as_they_were():
    buffer = Buffer()

    @tf.function
    def f(x):
        if x > 0:
            buffer.add(x)
            raise_here()
        return x

    def raise_here():
        raise OSError("no file")

    raise_here.__globals__  # noqa: B018 (a plain Python function)
    f_error = tf.function(lambda x: f(x))
    with pytest.raises(OSError, match="no file"):
        f_error(tf.constant(1))
    assert buffer.items == []


# Loops over Python iterables that staged code leaves.


def test_count_and_generators_with_a_staged_break():
    def with_count(x):
        for k in itertools.count(3, 2):
            x = x + k
            if x > 20:
                break
        return x, k

    def with_generator(x):
        for k in (i * i for i in range(10)):
            x = x + k
            if x > 20:
                break
        return x, k

    for function in (with_count, with_generator):
        for x in (0, 30):
            assert staged(function, x) == function(x)


def test_maximum_iterations_of_a_while_loop():
    def f(n):
        i = 0
        while i < n:
            tf.autograph.experimental.set_loop_options(maximum_iterations=3)
            i += 1
        return i

    assert staged(f, 10) == 3 and staged(f, 2) == 2


def test_python_numbers_adapt_to_what_they_meet():
    @tf.function
    def f(n, y):
        total = 0
        for _ in range(n):
            total = total + y
        return total

    assert f(tf.constant(3), tf.constant(1.5, tf.float16)).dtype == tf.float16


# Results.


def test_none_or_a_tensor_is_told_at_run_time():
    def f(xs):
        for x in xs:
            if x > 2:
                return x

    assert staged(f, [1, 5]) == 5 and staged(f, [1, 2]) is None

    @tf.function
    def outer(xs):
        found = tf.function(f)(xs)
        return -1 if found is None else found

    assert int(outer(tf.constant([1, 5]))) == 5 and int(outer(tf.constant([1, 2]))) == -1


def test_use_of_none_is_an_error_at_run_time():
    def f(x):
        y = None
        if x > 0:
            y = x
        return y + 1

    assert staged(f, 1) == 2
    with pytest.raises(TypeError, match="None"):
        staged(f, -1)


def test_python_errors_come_where_they_are_reached():
    def f(x):
        table = {}
        if x > 5:
            return table["missing"]
        if x > 0:
            return 1 // 0
        return x

    assert staged(f, -1) == -1
    with pytest.raises(ZeroDivisionError):
        staged(f, 1)
    with pytest.raises(KeyError, match="missing"):
        staged(f, 9)


def test_functional_forms():
    @tf.function
    def f(x):
        a = tf.cond(x > 0, lambda: x * 2, lambda: x - 1)
        b = tf.case([(x > 5, lambda: 1), (x > 3, lambda: 2)], default=lambda: 3)
        c = tf.switch_case(x, [lambda: 10, lambda: 20], default=lambda: 30)
        i, total = tf.while_loop(lambda i, total: i < x, lambda i, total: (i + 1, total + i), (0, 0))
        return a, b, c, i, total

    assert as_python(f(tf.constant(4))) == (8, 2, 30, 4, 6)
    assert as_python(f(tf.constant(1))) == (2, 3, 20, 1, 0)
    assert tf.while_loop(lambda i: i < 9, lambda i: i + 1, [0], maximum_iterations=4) == [4]


# Objects whose state Python can't see.


class Notes(io.StringIO):
    """A user's class over one that is not written in Python."""


@pytest.mark.parametrize("make", [io.StringIO, Notes, lambda: random.Random(0)])
def test_methods_that_change_hidden_state_are_refused(make):
    target = make()
    use = target.write if isinstance(target, io.StringIO) else target.seed

    def f(x):
        if x > 0:
            use("a")
        return x

    with pytest.raises(tf.errors.MutationError, match="write|seed|Random"):
        staged(f, 1)


def test_objects_with_hidden_state_made_in_the_body_are_allowed():
    def f(x):
        if x > 0:
            text = io.StringIO()
            text.write("abc")
            x = x + len(text.getvalue())
        return x

    assert staged(f, 1) == 4


# One of two objects.


def test_a_change_of_one_of_two_lists():
    def f(x):
        a, b = [1], [2]
        if x > 0:
            chosen = a
        else:
            chosen = b
        chosen.append(3)
        return a, b, chosen

    check(f, 1, 0, -1)


def test_one_of_two_lists_can_be_read_and_a_new_one_changed():
    def f(x):
        items = [1]
        if x > 0:
            items = [x]
        items.append(3)
        return items

    assert staged(f, 5) == [5, 3] and staged(f, -5) == [1, 3]


def test_a_list_changed_in_nested_branches_of_which_some_return():
    def f(x, y):
        items = [0]
        if x > 0:
            if y > 0:
                if x > y:
                    items.append(3)
                    return sum(items), len(items)
                else:
                    items.append(x)
            else:
                items.pop()
        return sum(items), len(items)

    for inputs in ((2, 1), (1, 2), (1, -1), (-1, 1)):
        assert staged(f, *inputs) == f(*inputs)


def test_a_list_that_grows_beside_a_variable_that_may_be_undefined():
    def f(n):
        items = [0]
        if n > 99:
            late = 0
        for i in range(n):
            if i > 5:
                late = i
            items.append(i)
        if n > 6:
            items.append(late)
        return sum(items), len(items)

    for n in (0, 3, 8):
        assert staged(f, n) == f(n)
