"""A traced function that changes its arguments is refused, with the names of the parameters."""

from __future__ import annotations

import collections
from typing import Any

import pytest

import autograph as tf


def test_changing_an_argument_is_refused() -> None:  # S09
    @tf.function
    def dict_op(d: Any) -> Any:
        d["new"] = 1
        return d["a"]

    @tf.function
    def list_op(x: Any, *, rows: Any) -> Any:
        rows[0].append(x)
        return x

    given = {"a": tf.constant(1)}
    with pytest.raises(ValueError) as caught:
        dict_op(given)
    assert str(caught.value) == (
        "dict_op() should not modify its Python input arguments. Check if it modifies any lists or dicts passed as "
        "arguments. Modifying a copy is allowed. The following parameter(s) were modified: d"
    )
    assert list(given) == ["a"]
    with pytest.raises(ValueError, match=r"list_op\(\) should not modify .* modified: rows"):
        list_op(tf.constant(1), rows=[[]])


def append_in_branch(rows: Any, t: Any) -> Any:
    if t > 0:
        rows.append(t)
    return t


def append_in_loop(rows: Any, t: Any) -> Any:
    for i in tf.range(t):
        rows.append(i)
    return t


def append_in_inner(rows: Any, t: Any) -> Any:
    append_in_loop(rows["a"], t)
    return t


def reorder(rows: Any, t: Any) -> Any:
    rows.move_to_end("a")
    return t


def pop_from_dict(rows: Any, t: Any) -> Any:
    del rows["a"]
    return t


def add_to_set(rows: Any, t: Any) -> Any:
    rows.add(7)
    return t


def store_in_deep_list(rows: Any, t: Any) -> Any:
    rows["a"][0][1] += 1
    return t


def append_in_method(rows: Any, t: Any) -> Any:
    rows[-1].extend([t])
    return t


MUTATIONS: list[tuple[Any, Any]] = [
    (append_in_branch, lambda: [1]), (append_in_loop, lambda: []),
    (reorder, lambda: collections.OrderedDict(a=1, b=2)), (pop_from_dict, lambda: {"a": tf.constant(1)}),
    (add_to_set, lambda: {1}), (store_in_deep_list, lambda: {"a": [[1, 2]]}), (append_in_method, lambda: ([], [])),
]  # fmt: skip


@pytest.mark.parametrize("function, make", MUTATIONS, ids=[function.__name__ for function, _ in MUTATIONS])
def test_every_change_of_an_argument_is_refused(function: Any, make: Any) -> None:  # S09
    staged = tf.function(function)
    with pytest.raises(ValueError, match=rf"{function.__name__}\(\) should not modify .* modified: rows$"):
        staged(make(), tf.constant(2))
    with pytest.raises(ValueError, match="should not modify"):
        staged(rows=make(), t=tf.constant(2))
    assert staged.experimental_get_tracing_count() == 0


def test_staged_changes_inside_an_argument_are_refused_too() -> None:
    with pytest.raises(ValueError, match=r"append_in_inner\(\) should not modify its Python input arguments.*: rows"):
        tf.function(append_in_inner)({"a": [1]}, tf.constant(2))


def test_changing_a_copy_is_allowed() -> None:
    @tf.function
    def function(d: Any) -> Any:
        d = dict(d, b=2)
        return d["a"] + d["b"]

    assert function({"a": tf.constant(1)}).numpy() == 3
