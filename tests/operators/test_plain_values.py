"""On plain values the operators are Python."""

from __future__ import annotations

import pytest

import autograph as tf
import autograph.operators as ag__
from autograph.pipeline import converted


def test_if_runs_one_body_and_returns_its_result():
    calls = []
    assert ag__.if_stmt(True, lambda: calls.append("a") or 1, lambda: calls.append("b") or 2) == 1
    assert ag__.if_stmt([], lambda: calls.append("a") or 1, lambda: calls.append("b") or 2) == 2
    assert calls == ["a", "b"]


def test_if_of_something_without_truth_raises_its_error():
    class NoTruth:
        def __bool__(self):
            raise RuntimeError("no truth")

    with pytest.raises(RuntimeError, match="no truth"):
        ag__.if_stmt(NoTruth(), lambda: 1, lambda: 2)


def test_while_tells_whether_it_was_left_by_break():
    n = 0

    def loop_test():
        return n < 5

    def loop_body():
        nonlocal n
        n += 1
        return ag__.BREAK if n == 3 else ag__.CONTINUE

    assert ag__.while_stmt(loop_test, loop_body, ("n",)) is True and n == 3
    n = 3
    assert ag__.while_stmt(lambda: n < 3, loop_body, ("n",)) is False and n == 3


def test_for_over_an_iterator_takes_no_item_after_break():
    items = iter([1, 2, 3, 4])
    assert ag__.for_stmt(items, lambda item: item == 2) is True
    assert next(items) == 3


def test_for_over_no_iterable_is_pythons_error():
    with pytest.raises(TypeError, match="'int' object is not iterable"):
        ag__.for_stmt(3, lambda item: None)


def test_ld_of_a_variable_without_value():
    def make():
        if False:
            x = 1
        return lambda: x

    with pytest.raises(UnboundLocalError, match="cannot access local variable 'x' where it is not associated"):
        ag__.ld(make(), "x")
    with pytest.raises(NameError) as caught:
        ag__.ld(make(), "x", False)
    assert not isinstance(caught.value, UnboundLocalError)
    assert ag__.ld(lambda: 7, "y") == 7


def test_assert_and_raising():
    ag__.assert_stmt(1, lambda: pytest.fail("evaluated"))
    with pytest.raises(AssertionError, match="message"):
        ag__.assert_stmt(0, lambda: "message")
    with pytest.raises(AssertionError) as caught:
        ag__.assert_stmt([])
    assert caught.value.args == ()
    error = ValueError("a")
    assert ag__.raising(error) is error and ag__.raising(ValueError) is ValueError


def test_item_stores_change_the_container_and_return_it():
    values = [1, 2, 3]
    assert ag__.set_item(9, values, 0) is values
    assert ag__.update_item(values, 1, ag__.iadd, lambda: 5) is values
    assert values == [9, 7, 3]
    with pytest.raises(IndexError):
        ag__.set_item(0, values, 7)
    with pytest.raises(TypeError, match="does not support item assignment"):
        ag__.set_item(0, (1, 2), 0)


def test_augmented_item_store_loads_before_it_evaluates_the_value():
    values = {"k": 1}

    def value():
        values["k"] = 100
        return 5

    ag__.update_item(values, "k", ag__.iadd, value)
    assert values == {"k": 6}


def deleted(items, a):
    del a
    items[0] += a


def maybe_set(items, a):
    if a < 0:
        b = 1
    items[0] += b


def of_an_outer_function(items, a):
    def inner():
        items[0] += c

    inner()
    c = a


def unknown(items, a):
    items[0] += no_such_name  # noqa: F821


def in_a_lambda_of_the_user(items, a):
    del a
    items[0] += (lambda: a)()


def in_a_comprehension_in_a_lambda_of_the_user(items, a):
    del a
    items[0] += (lambda: [a for _ in items])()[0]


def in_a_comprehension(items, a):
    del a
    items[0] += [a for _ in items][0]


@pytest.mark.parametrize(
    "function",
    [
        deleted,
        maybe_set,
        of_an_outer_function,
        unknown,
        in_a_lambda_of_the_user,
        in_a_comprehension,
        in_a_comprehension_in_a_lambda_of_the_user,
    ],
)
def test_a_missing_variable_in_an_item_store_is_the_error_of_python(function):
    converted = tf.autograph.to_graph(function)
    with pytest.raises(NameError) as expected:
        function([1], 2)
    for call in (lambda: converted([1], 2), tf.function(lambda: converted([1], 2))):
        with pytest.raises(NameError) as caught:
            call()
        assert type(caught.value) is type(expected.value) and str(caught.value) == str(expected.value)


class _Guarded(type):
    """A metaclass whose attributes are looked up by code of the user's."""

    asked: list[str] = []

    def __getattribute__(cls, name):
        _Guarded.asked.append(name)
        return type.__getattribute__(cls, name) if name != "none" else None


class _WithGuard(metaclass=_Guarded):
    value = 3

    def __getattribute__(self, name):
        _Guarded.asked.append(f"of an instance: {name}")
        return object.__getattribute__(self, name)


def test_only_what_the_user_asks_for_reaches_a_getattribute():
    def read(cls, obj):
        if cls.value:
            return cls.none, obj.value
        return obj

    obj = _WithGuard()
    for form in (read, converted(read, False), converted(read, True)):
        _Guarded.asked.clear()
        assert form(_WithGuard, obj) == (None, 3)
        assert _Guarded.asked == ["value", "none", "of an instance: value"]
