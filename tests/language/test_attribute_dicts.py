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


def held_before(n: Any, look: Callable[[Any], Any]) -> Any:
    x = Sum()
    held = vars(x)
    if n > 0:
        x.last = n  # type: ignore[attr-defined]
    return look(held)


def in_another_order(n: Any, look: Callable[[Any], Any]) -> Any:
    x: Any = Sum()
    if n > 0:
        x.first, x.last = 1, 2
    else:
        x.last, x.first = 2, 1
    return look(x.__dict__)


def made_in_another_order(n: Any, look: Callable[[Any], Any]) -> Any:
    x: Any = Sum()
    if n > 0:
        x = Sum()
        x.first, x.last = 1, 2
    else:
        x = Sum()
        x.last, x.first = 2, 1
    return look(vars(x))


def set_again(n: Any, look: Callable[[Any], Any]) -> Any:
    x: Any = Sum()
    if n > 0:
        x.last = n
    x.first, x.last = 3, 4
    return look(vars(x))


def deleted_and_set(n: Any, look: Callable[[Any], Any]) -> Any:
    x: Any = Sum()
    x.last = 0
    if n > 0:
        del x.count
        x.count = 1
    return look(vars(x))


@pytest.mark.parametrize("f", [held_before, in_another_order, made_in_another_order, set_again, deleted_and_set])
@pytest.mark.parametrize(
    "look", [lambda d: "last" in d, len, list, str, bool, lambda d: d == {}, lambda d: {**d}, lambda d: [*d.values()]]
)
def test_a_dict_of_attributes_whose_keys_or_their_order_only_the_run_knows_is_refused(
    f: Callable[..., Any], look: Callable[[Any], Any]
) -> None:
    with pytest.raises(tf.errors.StagedValueError, match="in some runs only, or in another order than in others; the"):
        tf.function(lambda n: f(n, look))(tf.constant(1))


def test_attributes_of_such_objects_are_staged() -> None:
    def f(n: Any) -> Any:
        x: Any = Sum()
        held = vars(x)
        if n > 0:
            x.count = n
        return held["count"], len(held), list(held)

    check(f, 1, -1)


def test_globals_that_some_runs_alone_set_or_delete(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "some_globals.py").write_text(GLOBALS)
    monkeypatch.syspath_prepend(tmp_path)
    module = __import__("some_globals")
    for name in ("sets", "deletes", "held", "counts"):
        with pytest.raises(tf.errors.StagedValueError, match=r"a module (has|gets) the global variable `\w` "):
            tf.function(getattr(module, name))(tf.constant(1))
    assert module.Y == 1 and not hasattr(module, "X")
    assert [int(tf.function(module.changes)(tf.constant(n))) for n in (-1, 5)] == [1, 5]
    assert module.changes.__globals__["Y"] == 5


GLOBALS = """
Y = 1

def sets(n):
    global X
    if n > 0:
        X = n
    return "X" in globals()

def deletes(n):
    global Y
    if n > 0:
        del Y
    return "Y" in globals().keys()

def held(n):
    global X
    found = globals()
    if n > 0:
        X = n
    return "X" in found

def counts(n):
    found = globals()
    if n > 0:
        globals()["X"] = n
    return len(found)

def changes(n):
    global Y
    if n > 0:
        Y = n
    return globals()["Y"]
"""
