"""What was silently wrong about state, case by case: each is as in Python now, or refused by name.

Those of `REFUSED` are refused for what the graph can't tell: which object a loop has left under a name, and what is
an element of a list that the graph holds, of which it has a copy.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import pytest

import autograph as tf
from tests.programs.aliasing_runner import time_limit

from . import heap_programs as programs
from .heap_programs import NUMBERS, filled, made
from .support import as_python, assert_same, check

LONGEST = 10

REFUSED = (
    *(f"{held}, {change}" for held in ("appended", "loop", "while") for change in programs.IN_PLACE),
    "dict, loop",
    "nonlocal in a loop",
)


def cases(table: str) -> list[Any]:
    """Parameters of a test: named sources, but for those that are refused."""
    return [pytest.param(text, id=name) for name, text in TABLES[table]() if name not in REFUSED]


def function_of(lines: str) -> str:
    return "def f(n):\n" + "".join(f"    {line}\n" for line in lines.split("\n"))


def equal_or_refused(function: Callable[..., Any], *numbers: int) -> None:
    """A staged function is as in Python for all numbers, or a refusal names its file, a line and a remedy."""
    staged = tf.function(function)
    for n in numbers:
        expected = outcome(function, n)
        try:
            with time_limit(LONGEST):
                found = outcome(staged, tf.constant(n))
        except tf.errors.AutographError as error:
            assert isinstance(error, (tf.errors.StagingError, tf.errors.ConversionError)), repr(error)
            assert error.file == function.__code__.co_filename and error.line and error.remedy, repr(error)
            return
        if isinstance(expected, Exception):
            assert isinstance(found, type(expected)), f"{found!r} for {expected!r}"
        else:
            assert not isinstance(found, Exception), repr(found)
            assert_same(as_python(found), expected)


def outcome(function: Callable[..., Any], n: Any) -> Any:
    try:
        return function(n)
    except (tf.errors.StagingError, tf.errors.ConversionError):
        raise
    except Exception as error:
        return error


def equal(source: str) -> None:
    with time_limit(6 * LONGEST):
        check(made(source), *NUMBERS)


def early_returns() -> Iterable[tuple[str, str]]:
    for name, (start, change) in programs.EARLY_CHANGES.items():
        yield name, filled(programs.EARLY, START=start, CHANGE=change)
    yield from programs.EARLY_FORMS.items()


def changes_in_place() -> Iterable[tuple[str, str]]:
    for (name, (rows, hold, result)), (change, text) in itertools.product(
        programs.HOLDS.items(), programs.IN_PLACE.items()
    ):
        parts = {"ITEMS": "[0]", "ROWS": rows, "HOLD": hold, "CHANGE": text, "RESULT": result}
        yield f"{name}, {change}", filled(programs.HELD, **parts)
    for name, hold in programs.DICTS.items():
        text = "    items = {'k': 0}; rows = {'k': 1}; o = Box({'k': 2})\n" + hold
        yield f"dict, {name}", f"def f(n):\n{text}    items |= {{'k': 5}}\n    return items, rows, o.l\n"


def changed_then_put() -> Iterable[tuple[str, str]]:
    for (thing, (start, change, result)), (put, text) in itertools.product(
        programs.THINGS.items(), programs.PUTS.items()
    ):
        parts = {"THING": start, "CHANGE": change, "PUT": text, "RESULT": result}
        yield f"{thing}, {put}", filled(programs.PUT, **parts)


def copies() -> Iterable[tuple[str, str]]:
    yield from ((name, function_of(text)) for name, text in programs.COPIES.items())
    yield "a property that sets an item", programs.PROPERTY


def deep() -> Iterable[tuple[str, str]]:
    return ((name, filled(programs.DEEP_LOOP, VALUES=text)) for name, text in programs.DEEP.items())


def of_lines(table: dict[str, str]) -> Callable[[], Iterable[tuple[str, str]]]:
    return lambda: ((name, function_of(text)) for name, text in table.items())


TABLES = {
    "early returns": early_returns,
    "changes in place": changes_in_place,
    "cells": of_lines(programs.CELLS),
    "far": of_lines(programs.FAR),
    "deep iterators": deep,
    "changed, then put": changed_then_put,
    "copies": copies,
    "endless": programs.ENDLESS.items,
}


@pytest.mark.parametrize("source", cases("early returns"))
def test_what_an_early_return_returns_and_later_code_changes(source: str) -> None:
    equal(source)


@pytest.mark.parametrize("source", cases("changes in place"))
def test_changes_in_place_reach_other_names(source: str) -> None:
    equal(source)


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_graph_can_not_tell_is_refused(name: str) -> None:
    source = {**dict(changes_in_place()), **dict(TABLES["cells"]())}[name]
    with pytest.raises(tf.errors.MutationError, match="the graph can't tell whether it is that one") as caught:
        tf.function(made(source))(tf.constant(2))
    assert caught.value.file and caught.value.line and caught.value.remedy


@pytest.mark.parametrize("source", cases("cells"))
def test_cells_and_defaults_hold_the_object(source: str) -> None:
    equal(source)


@pytest.mark.parametrize("source", cases("far"))
def test_holders_see_a_change_however_far_they_are(source: str) -> None:
    equal(source)


@pytest.mark.parametrize("source", cases("deep iterators"))
def test_a_loop_sees_its_list_grow_through_any_iterators(source: str) -> None:
    equal_or_refused(made(source), *NUMBERS)


@pytest.mark.parametrize("source", cases("changed, then put"))
def test_an_object_that_each_turn_changes_and_puts_into_a_list_is_one(source: str) -> None:
    equal_or_refused(made(source), *NUMBERS)


@pytest.mark.parametrize("source", cases("copies"))
def test_what_is_held_in_another_place_is_no_copy(source: str) -> None:
    equal_or_refused(made(source), *NUMBERS)


@pytest.mark.parametrize("source", cases("endless"))
def test_no_trace_is_endless(source: str) -> None:
    equal_or_refused(made(source), *NUMBERS)


@pytest.mark.parametrize("table", TABLES)
def test_the_programs_run_in_python(table: str) -> None:
    for name, source in TABLES[table]():
        for n in NUMBERS:
            assert made(source)(n) is not ..., name
