"""L07, L13: what an object has itself (`vars`, `__dict__`, `dir`, `del`) where a branch or a loop alone sets it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import autograph as tf

from .support import check


class Sum:
    total = 0

    def __init__(self) -> None:
        self.count = 1


def default(n: Any) -> Sum:
    """An object that has `total` itself in some runs only; in the others, its class has it."""
    made = Sum()
    if n > 0:
        made.total = n
    return made


def unset(n: Any) -> Any:
    made: Any = Sum()
    for i in range(n):
        made.last = i
    return made


def deleted(n: Any) -> Sum:
    made = Sum()
    if n > 0:
        del made.count
    return made


@pytest.mark.parametrize("make", [default, unset, deleted])
@pytest.mark.parametrize(
    "look",
    [
        lambda x: "total" in vars(x),
        lambda x: "last" in x.__dict__,
        lambda x: x.__dict__.get("count", -1),
        lambda x: len(getattr(x, "__dict__")),  # noqa: B009
    ],
)
def test_what_an_object_has_itself_is_refused_where_only_the_run_knows(
    make: Callable[[Any], Any], look: Callable[[Any], Any]
) -> None:
    with pytest.raises(tf.errors.StagedValueError, match=r"itself in some runs only; the dict .* can't be staged"):
        tf.function(lambda n: look(make(n)))(tf.constant(1))


def test_dir_of_an_object_that_has_an_attribute_in_some_runs_only() -> None:
    check(lambda n: "total" in dir(default(n)), 1, -1)
    with pytest.raises(tf.errors.StagedValueError, match=r"attribute `last` itself in some runs only; dir\(\)"):
        tf.function(lambda n: "last" in dir(unset(n)))(tf.constant(1))


def test_what_every_run_has_is_seen() -> None:
    def f(n: Any) -> Any:
        x = Sum()
        if n > 0:
            x.total = n
            x.count += n
        else:
            x.total = 7
        return sorted(vars(x)), x.__dict__["count"], len(vars(x))

    check(f, 1, -1)


def test_an_attribute_that_is_not_there_in_this_run_is_not_deleted() -> None:
    def delete_last(n: Any) -> Any:
        x = unset(n)
        del x.last
        return hasattr(x, "last"), x.count

    def delete_count(n: Any) -> Any:
        x = deleted(-n)
        delattr(x, "count")
        return hasattr(x, "count")

    for function in (delete_last, delete_count):
        staged = tf.function(function)
        check(staged.python_function, 2)
        with pytest.raises(AttributeError):
            function(-1)
        with pytest.raises(AttributeError, match="is not set"):
            staged(tf.constant(-1))

    @tf.function
    def delete_total(n: Any) -> Any:
        x = default(n)
        del x.total
        return x.total

    with pytest.raises(tf.errors.StagedValueError, match="attribute `total` itself in some runs only; deleting it"):
        delete_total(tf.constant(1))
