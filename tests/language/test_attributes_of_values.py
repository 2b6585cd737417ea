"""Attributes of staged numbers, texts, lists and dicts that are set, deleted or asked for: those of Python's values."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import autograph as tf

from .support import check


def list_of(n):
    values = [1]
    if n > 0:
        values.append(n)
    return values


def dict_of(n):
    table = {"a": 1}
    if n > 0:
        table["b"] = n
    return table


def text_of(error):
    return str(error)


def test_attributes_that_values_of_python_do_not_have_can_not_be_set() -> None:
    def f(n):
        number, fraction, text = 1 if n > 0 else 2, 1.5 if n > 0 else 2.5, "a" if n > 0 else "b"
        found = []
        for value in (number, fraction, text, list_of(n), [i for i in range(n + 1)], dict_of(n), {1, n}, (n, 2)):
            try:
                value.value = 1
                found.append("set")
            except AttributeError as error:
                found.append(text_of(error))
            try:
                del value.python
                found.append("deleted")
            except AttributeError as error:
                found.append(text_of(error))
            try:
                setattr(value, "name", 1)
                found.append("set")
            except AttributeError as error:
                found.append(text_of(error))
            try:
                value.state += 1
                found.append("set")
            except AttributeError as error:
                found.append(text_of(error))
        return found

    check(f, 1, -1)


def test_what_staged_values_have_themselves_is_not_there() -> None:
    def f(n):
        values = [i for i in range(n + 2)]
        found = []
        for value in (values, list_of(n), dict_of(n), {1, n}):
            found += [hasattr(value, name) for name in ("state", "name", "source", "_held", "handles")]
            found.append(value.__doc__ is type(value).__doc__)
            found.append(dir(value) == dir(type(value)))
        number = 1 if n > 0 else 2
        found += [dir(number) == dir(1), number.__doc__ == (1).__doc__, getattr(values, "state", 7)]
        found += [values[:].__class__.__name__, (values + values).__class__.__name__]
        return found, values.copy().__class__ is list

    check(f, 1, -1)


def test_stores_go_on() -> None:
    def f(n):
        values, table = list_of(n), dict_of(n)
        values[0] += n
        values[1:] = [n, 5]
        del values[0]
        table["a"] += n
        table["c"] = 3
        del table["a"]
        return values, table["c"], "a" in table

    check(f, 1, -1)


def size(n):
    return list_of(n).__sizeof__()


def size_of_a_number(n):
    return (1 if n > 0 else 2).__sizeof__()


def text_of_any_object(n):
    return object.__repr__(list_of(n))


def text_of_any_number(n):
    return object.__repr__(1 if n > 0 else 2)


def parts_to_pickle(n):
    return [i for i in range(n)].__reduce_ex__(4)


def attribute_of_a_chosen_function(n):
    def one():
        return 1

    def other():
        return 2

    chosen = one if n > 0 else other
    chosen.count = 1
    return chosen()


@pytest.mark.parametrize(
    "function",
    [size, size_of_a_number, text_of_any_object, text_of_any_number, parts_to_pickle, attribute_of_a_chosen_function],
)
def test_what_would_tell_of_the_staged_value_is_refused(function: Callable[..., object]) -> None:
    with pytest.raises(tf.errors.StagingError, match="Remedy: "):
        tf.function(function)(tf.constant(2))
